"""What is known of a kernel's index values while it changes, and how a row is written.

Every index value has one name in the whole kernel; what `kernel.index` and casts of indices make
is not named but written out, so that expressions speak of ranges and of data alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.constants import integer_of
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import locally, placeholder
from teenyir.rewriting.engine import Replacement, Rewriter, Row, Table

Rewrite: TypeAlias = Callable[["Known", Any, Rewriter], Replacement]


class KernelRow(NamedTuple):
    """A rewrite of one kind of op, or of several, that asks what is known."""

    name: str
    ops: tuple[type[Operation], ...]
    rewrite: Rewrite


def table_of(rows: Iterable[KernelRow], known: Known) -> Table:
    """The rows as a table for one kernel."""

    def bound(row: KernelRow) -> Row:
        return Row(
            row.name,
            row.ops,
            lambda op, rewriter: row.rewrite(known, op, rewriter),
            source=row.rewrite,
        )

    return Table(*map(bound, rows))


class Known:
    """The index values of one kernel, by names that stay as ops come and go."""

    def __init__(self, func: kernel.FuncOp) -> None:
        self.func = func
        self.loops: dict[str, tuple[Expr, Expr]] = {}
        self.facts = Facts({dim.name: dim for dim in func.dims.data}, self.loops)
        self.values: list[SSAValue] = []
        """The value that each name, counted, stands for."""
        self._names: dict[SSAValue, Expr] = {}

    # --- expressions --------------------------------------------------------------------------

    def index(self, value: SSAValue) -> Expr:
        """An index value as an expression over ranges and data."""
        owner = value.owner
        if isinstance(owner, kernel.IndexOp):
            return self.globally(owner.exprs[0], owner)
        if isinstance(owner, arith.IndexCastOp) and (cast := self.integer(owner.input)):
            return cast
        return self.name(value)

    def name(self, value: SSAValue) -> Expr:
        """The name of a range, or of an index that is data."""
        if value not in self._names:
            name = placeholder(len(self.values))
            self._names[value] = Expr.of(name)
            self.values.append(value)
            if isinstance(range_ := value.owner, kernel.RangeOp):
                lower, upper = (self.globally(expr, range_) for expr in range_.exprs)
                self.loops[name] = (lower, upper)
        return self._names[value]

    def globally(self, expr: Expr, op: kernel.IndexedOp) -> Expr:
        """An op's expression, simplified, over ranges and data of the whole kernel."""
        over = {placeholder(k): self.index(value) for k, value in enumerate(op.index_values)}
        return self.facts.simplify(expr.substitute(over))

    def locally(self, exprs: Sequence[Expr]) -> tuple[list[Expr], list[SSAValue]]:
        """Expressions as an op keeps them, and the index values that it keeps with them."""
        return locally(exprs, self.values)

    def index_op(self, expr: Expr) -> kernel.IndexOp:
        """An expression as an op."""
        (local,), values = self.locally([expr])
        return kernel.IndexOp(local, values)

    def integer(self, value: SSAValue) -> Expr | None:
        """An integer that is made of indices alone, without wrapping, as an expression."""
        op = value.owner
        if isinstance(value.type, IndexType):
            return self.index(value)
        if not isa(value.type, IntegerType) or not isinstance(op, Operation):
            return None
        if (number := integer_of(value)) is not None:
            return Expr.of(number)
        if op.__class__ not in _EXACT:
            return None
        operands = [self.integer(operand) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        if isinstance(op, arith.ExtUIOp) and not self.facts.is_nonnegative(known[0]):
            return None
        result = self.facts.simplify(_EXACT[op.__class__](*known))
        half = 1 << (value.type.bitwidth - 1)
        whole = isinstance(op, arith.IndexCastOp) and half == 1 << 63
        return result if whole or self.facts.is_within(result, -half, half - 1) else None

    # --- dependence ---------------------------------------------------------------------------

    def depends(self, value: SSAValue, range_: SSAValue) -> bool:
        """Whether a value is another one in each iteration of a range."""
        return range_ in dependences(value)

    def cone(self, value: SSAValue, range_: SSAValue) -> list[Operation] | None:
        """The ops from a range to a value, in the order of the text; None where one is not scalar.

        Only loads, indices and arithmetic can be computed at another index.
        """
        found: dict[Operation, None] = {}
        waiting = [value]
        while waiting:
            op = waiting.pop().owner
            if not isinstance(op, Operation) or op is range_.owner or op in found:
                continue
            if not self.depends(op.results[0], range_):
                continue
            if kernel.closed_by(op) or isinstance(op, kernel.RangeOp | kernel.ScanOp):
                return None
            found[op] = None
            waiting += op.operands
        return [op for op in self.func.body.block.ops if op in found]


def _unchanged(value: Expr) -> Expr:
    return value


_EXACT: dict[type[Operation], Callable[..., Expr]] = {
    arith.IndexCastOp: _unchanged,
    arith.ExtSIOp: _unchanged,
    arith.ExtUIOp: _unchanged,
    arith.TruncIOp: _unchanged,
    arith.AddiOp: Expr.__add__,
    arith.SubiOp: Expr.__sub__,
    arith.MuliOp: Expr.__mul__,
}
"""What an op on integers means while nothing wraps."""


def dependences(value: SSAValue) -> set[SSAValue]:
    """The ranges that a value depends on, itself if it is one."""
    known: dict[SSAValue, set[SSAValue]] = {}
    waiting = [value]
    while waiting:
        op = waiting[-1].owner
        operands = op.operands if isinstance(op, Operation) else ()
        if asked := [operand for operand in operands if operand not in known]:
            waiting += asked
            continue
        found = set[SSAValue]().union(*(known[operand] for operand in operands))
        if isinstance(op, kernel.RangeOp):
            found.add(op.result)
        elif isinstance(op, Operation):
            found -= {range_.result for range_ in kernel.closed_by(op)}
        known[waiting.pop()] = found
    return known[value]
