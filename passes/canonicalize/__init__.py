"""canonicalize: every operation in its simplest form, on any floor.

The rows are what the dialects bring: the folder of an operation and its canonicalization patterns,
ours and xDSL's, in that order. Dead operations and unreachable blocks go as well. Read the pass and
its table here, then the rows for integers that stand for xDSL's: `arith`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.folder import Folder
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder

from teenyir.passes.canonicalize.arith import arith_rows
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import Replacement, Rewriter, Row, Table, rewrite
from teenyir.rewriting.locations import is_constant

_NEED_CONSTANT = frozenset({"FoldConstConstOp", "FoldConstsByReassociation", "SelectConstPattern"})
"""Patterns of xDSL that fit only operations with a constant among their operands."""
_LOCAL = frozenset(
    {
        "ApplyCmpiPredicateToEqualOperands",
        "FoldConstConstOp",
        "SelectConstPattern",
        "SelectSamePattern",
        "SelectTrueFalsePattern",
    }
)
"""Patterns of xDSL to which nothing matters but the operation, and what defines its operands."""


def _holds_constants(op: Operation) -> bool:
    return any(is_constant(type(inner)) for region in op.regions for inner in region.block.ops)


_NEED: dict[str, Callable[[Operation], bool]] = {"RehoistConstInLoops": _holds_constants}
"""What patterns of xDSL need, and look for at length."""


@dataclass(frozen=True)
class Canonicalize(Pass):
    """Fold operations and bring them to their simplest form, as their dialects define it."""

    name = "canonicalize"

    def run(self, op: Operation, session: Session) -> None:
        if not rewrite(op, DialectTable(session.context), session):
            session.preserve_all()


class DialectTable(Table):
    """The rows that dialects declare, looked up when a kind of operation is first met."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._folder = Folder(context)

    def find(self, kind: type[Operation]) -> tuple[Row, ...]:
        if (ours := arith_rows(kind)) is not None:
            return ours
        rows = [
            Row(
                name,
                (kind,),
                _applying(pattern, _NEED.get(name)),
                needs_constant=name in _NEED_CONSTANT,
                local=name in _LOCAL,
                source=type(pattern),
            )
            for trait in kind.get_traits_of_type(HasCanonicalizationPatternsTrait)
            for pattern in trait.get_patterns(kind)
            for name in [type(pattern).__name__]
        ]
        # A constant folds to a constant, again and again.
        if kind.has_trait(HasFolder, value_if_unregistered=False) and not kind.has_trait(
            ConstantLike, value_if_unregistered=True
        ):
            source = getattr(kind, "fold", None)
            rows.insert(0, Row(f"fold {kind.name}", (kind,), self._fold, source=source))
        return tuple(rows)

    def _fold(self, op: Operation, rewriter: Rewriter) -> Replacement:
        folded = self._folder.try_fold(op)
        if folded is None:
            return None
        values, constants = folded
        rewriter.insert(constants)
        return values


def _applying(
    pattern: RewritePattern, needs: Callable[[Operation], bool] | None
) -> Callable[[Operation, Rewriter], Replacement]:
    def apply(op: Operation, rewriter: Rewriter) -> Replacement:
        if needs is None or needs(op):
            pattern.match_and_rewrite(op, rewriter)
        return None

    return apply
