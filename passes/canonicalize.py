"""canonicalize: every operation in its simplest form, on any floor.

The rows are what the dialects bring: the folder of an operation and its canonicalization patterns,
ours and xDSL's, in that order. Dead operations and unreachable blocks go as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import SignlessIntegerBinaryOperation
from xdsl.folder import Folder
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder

from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import Replacement, Rewriter, Row, Table, rewrite

_NEED_CONSTANT = frozenset(
    {
        "FoldConstConstOp",
        "FoldConstsByReassociation",
        "SelectConstPattern",
        "SignlessIntegerBinaryOperationConstantProp",
        "SignlessIntegerBinaryOperationZeroOrUnitRight",
    }
)
"""Patterns of xDSL that fit only operations with a constant among their operands."""


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
        rows = [
            Row(name, (kind,), _applying(pattern), name in _NEED_CONSTANT, type(pattern))
            for trait in kind.get_traits_of_type(HasCanonicalizationPatternsTrait)
            for pattern in trait.get_patterns(kind)
            for name in [type(pattern).__name__]
        ]
        # A constant folds to a constant, again and again.
        if kind.has_trait(HasFolder, value_if_unregistered=False) and not kind.has_trait(
            ConstantLike, value_if_unregistered=True
        ):
            needs_constant = getattr(kind, "fold", None) is SignlessIntegerBinaryOperation.fold
            name, source = f"fold {kind.name}", getattr(kind, "fold", None)
            rows.insert(0, Row(name, (kind,), self._fold, needs_constant, source))
        return tuple(rows)

    def _fold(self, op: Operation, rewriter: Rewriter) -> Replacement:
        folded = self._folder.try_fold(op)
        if folded is None:
            return None
        values, constants = folded
        rewriter.insert(constants)
        return values


def _applying(pattern: RewritePattern) -> Callable[[Operation, Rewriter], Replacement]:
    def apply(op: Operation, rewriter: Rewriter) -> Replacement:
        pattern.match_and_rewrite(op, rewriter)
        return None

    return apply
