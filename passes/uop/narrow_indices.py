"""Compute indices in 32 bits, where they are proven to fit.

    %a = arith.muli %i, %c50 : index        %a = arith.muli %i32, %c50 overflow<nsw> : i32
    %b = arith.addi %a, %j : index   -->    %b = arith.addi %a, %j32 overflow<nsw> : i32
    uop.load %x[%b]                         %w = arith.index_cast %b : i32 to index
                                            uop.load %x[%w]

A GPU multiplies and divides 64-bit integers in several steps. What is proven is that the operands
and the result lie within 32 bits, by intervals: of extents, of the ids of a launch, of the bounds
of loops. So an extent without a maximum, and an index that is data, stay as they are, and what is
computed of them. A quotient is narrowed if its divisor is a constant.

Sums and products of a loop's counter stay too: they become one addition an iteration, and loops
whose addresses are cast are unrolled less (ptxas 13: 5 steps at once instead of 70).

What is an address becomes one again as late as can be, since a GPU multiplies and widens in one
instruction, and adds a constant as part of an access:

    cast(i * 1024 + j * 4 + 512)   -->   cast(i * 256 + j) * 4 + 512

Where all terms are multiples of a number, and nothing else needs them, that is what is multiplied
last.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from teenyir.analysis.bounds import bounds
from teenyir.dialects import uop
from teenyir.dialects.arith import WITHIN_TYPE
from teenyir.dialects.constants import constant, integer_of
from teenyir.dialects.inside import operations
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1


class Interval(NamedTuple):
    """`low <= value <= high`"""

    low: int
    high: int

    @property
    def fits(self) -> bool:
        return self.low >= LEAST and self.high <= GREATEST


@dataclass(frozen=True)
class NarrowIndices(Pass):
    """Compute indices that fit in 32 bits."""

    name = "narrow-indices"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, uop.FuncOp)
        narrowing = _Narrowing(_known_arguments(op))
        for inner in operations(op)[1:]:
            narrowing.visit(inner, op)
        narrowing.widen()
        session.count("indices narrowed", len(narrowing.narrow))
        if not narrowing.narrow:
            session.preserve_all()


def _known_arguments(func: uop.FuncOp) -> dict[SSAValue, Interval]:
    dims = {dim.name: dim for dim in func.dims.data}
    return {
        value: Interval(dims[name].min, most)
        for name, value in func.extents.items()
        if (most := dims[name].max) is not None
    }


@dataclass
class _Narrowing:
    known: dict[SSAValue, Interval]
    """Where index values lie."""
    narrow: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    """The 32-bit op that stands for each that was on indices."""
    cast: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Index values that stay, in 32 bits."""
    counted: set[SSAValue] = field(default_factory=set[SSAValue])
    """The counters of loops, and sums and products of them."""

    def visit(self, op: Operation, func: uop.FuncOp) -> None:
        if isinstance(op, scf.ForOp):
            self._loop(op)
        elif isinstance(op, uop.SpecialOp):
            self._special(op, func)
        elif (row := ROWS.get(type(op))) is not None and _is_of_indices(op):
            self._arithmetic(op, row)
        elif isinstance(op, arith.IndexCastOp) and isinstance(op.result.type, IndexType):
            self._from_integer(op)

    # --- where values lie ---------------------------------------------------------------------

    def _of(self, value: SSAValue) -> Interval | None:
        if (number := integer_of(value)) is not None:
            return Interval(number, number)
        return self.known.get(value)

    def _loop(self, op: scf.ForOp) -> None:
        low, high, step = (self._of(value) for value in (op.lb, op.ub, op.step))
        if low is None or high is None or step is None or step.low <= 0:
            return
        index = op.body.block.args[0]
        self.known[index] = Interval(low.low, max(high.high - 1, low.low))
        self.counted.add(index)

    def _special(self, op: uop.SpecialOp, func: uop.FuncOp) -> None:
        if func.launch is None:
            return
        grid, block = func.launch
        kind, axis = op.axis.data.split(".")
        number = "xyz".index(axis)
        if kind == "thread":
            self.known[op.result] = Interval(0, block[number] - 1)
            return
        most = bounds(grid[number], {dim.name: dim for dim in func.dims.data}).high
        if most is not None:
            self.known[op.result] = Interval(0, max(most - 1, 0))

    def _from_integer(self, op: arith.IndexCastOp) -> None:
        type = op.input.type
        if isa(type, IntegerType) and type.width.data <= 32:
            half = 1 << (type.width.data - 1)
            self.known[op.result] = Interval(-half, half - 1)

    # --- rewriting ----------------------------------------------------------------------------

    def _arithmetic(self, op: Operation, row: Row) -> None:
        values = [value for value in op.operands if isinstance(value.type, IndexType)]
        found = [self._of(value) for value in values]
        intervals = [interval for interval in found if interval is not None]
        if len(intervals) < len(found):
            return
        result = row.interval(*intervals)
        if result is None:
            return
        if op.results[0].type == uop.INDEX:
            self.known[op.results[0]] = result
        if not result.fits or not all(interval.fits for interval in intervals):
            return
        if not row.divides and not self.counted.isdisjoint(values):
            self.counted |= {*op.results}
            return
        builder = LocatedBuilder(InsertPoint.before(op), op.location)
        operands = [self._narrowed(v) if v in values else v for v in op.operands]
        new = builder.insert(row.build(op, *operands))
        new.results[0].name_hint = op.results[0].name_hint
        self.narrow[op] = new

    def _narrowed(self, value: SSAValue) -> SSAValue:
        op = value.owner
        if isinstance(op, Operation) and op in self.narrow:
            return self.narrow[op].results[0]
        if value not in self.cast:
            at = InsertPoint.at_start(op) if isinstance(op, Block) else InsertPoint.after(op)
            around = op.parent_op() if isinstance(op, Block) else op
            assert around is not None
            builder = LocatedBuilder(at, around.location)
            number = self._of(value) if isinstance(op, arith.ConstantOp) else None
            cast = arith.IndexCastOp(value, i32) if number is None else constant(number.low, i32)
            self.cast[value] = builder.insert(cast).results[0]
            self.cast[value].name_hint = value.name_hint
        return self.cast[value]

    def widen(self) -> None:
        """Let what is left of the users of indices have them as they were."""
        wanted: list[tuple[Operation, SSAValue, int]] = []
        bases: set[SSAValue] = set()
        for op, new in reversed(self.narrow.items()):
            (result,), (narrow,) = op.results, new.results
            if result.type == narrow.type:
                result.replace_all_uses_with(narrow)
            elif any(use.operation not in self.narrow for use in result.uses):
                base, number = _without_constant(narrow)
                wanted.append((op, base, number))
                bases.add(base)
            if not narrow.uses and narrow not in bases:
                new.detach()
                new.erase()
        wide: dict[SSAValue, SSAValue] = {}
        for op, base, number in wanted:
            if base not in wide:
                wide[base] = _widened(base)
            found = wide[base]
            if number:
                builder = LocatedBuilder(InsertPoint.before(op), op.location)
                far = builder.insert(constant(number, uop.INDEX)).result
                found = builder.insert(arith.AddiOp(found, far)).result
            found.name_hint = found.name_hint or op.results[0].name_hint
            op.results[0].replace_uses_with_if(found, lambda use: use.operation not in self.narrow)
        for op in reversed(self.narrow):
            op.detach()
            op.erase()


# --- widening -------------------------------------------------------------------------------------


def _without_constant(value: SSAValue) -> tuple[SSAValue, int]:
    """A sum without the numbers that are added to it, and these."""
    found = 0
    while isinstance(op := value.owner, arith.AddiOp | arith.SubiOp):
        if (number := integer_of(op.rhs)) is None:
            break
        found += number if isinstance(op, arith.AddiOp) else -number
        value = op.lhs
    return value, found


def _widened(value: SSAValue) -> SSAValue:
    """A value of 32 bits as an index."""
    op = value.owner
    assert isinstance(op, Operation)  # of a pass that inserts ops alone
    if isinstance(op, arith.IndexCastOp):
        return op.input
    builder = LocatedBuilder(InsertPoint.after(op), op.location)
    if value.uses or (number := _factor(value)) <= 1:
        return builder.insert(arith.IndexCastOp(value, uop.INDEX)).result
    part = builder.insert(arith.IndexCastOp(_part(value, number, builder), uop.INDEX)).result
    times = builder.insert(constant(number, uop.INDEX)).result
    return builder.insert(arith.MuliOp(part, times)).result


def _factor(value: SSAValue) -> int:
    """What all terms of a sum, which have no other use, are multiples of; 1 of anything else."""
    op = value.owner
    if (number := integer_of(value)) is not None:
        return abs(number)
    if isinstance(op, arith.AddiOp | arith.SubiOp):
        terms = (op.lhs, op.rhs)
        return math.gcd(*(_factor(each) if each.has_one_use() else 1 for each in terms))
    if isinstance(op, arith.MuliOp):
        return abs(integer_of(op.rhs) or 1)
    return 1


def _part(value: SSAValue, number: int, builder: LocatedBuilder) -> SSAValue:
    """A sum whose terms are multiples of a number divided by it, which is less and so fits."""
    op = value.owner
    if (whole := integer_of(value)) is not None:
        return builder.insert(constant(whole // number, i32)).result
    if isinstance(op, arith.AddiOp | arith.SubiOp):
        lhs, rhs = (_part(each, number, builder) for each in (op.lhs, op.rhs))
        return builder.insert(type(op)(lhs, rhs, overflow=WITHIN_TYPE)).result
    assert isinstance(op, arith.MuliOp)  # `_factor` found no other
    times = integer_of(op.rhs)
    assert times is not None
    if times == number:
        return op.lhs
    fewer = builder.insert(constant(times // number, i32)).result
    return builder.insert(arith.MuliOp(op.lhs, fewer, overflow=WITHIN_TYPE)).result


# --- the ops --------------------------------------------------------------------------------------


def _is_of_indices(op: Operation) -> bool:
    return any(isinstance(value.type, IndexType) for value in op.operands)


def _sum(a: Interval, b: Interval) -> Interval:
    return Interval(a.low + b.low, a.high + b.high)


def _difference(a: Interval, b: Interval) -> Interval:
    return Interval(a.low - b.high, a.high - b.low)


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return Interval(min(corners), max(corners))


def _least(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high))


def _greatest(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high))


def _either(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), max(a.high, b.high))


def _quotient(a: Interval, b: Interval) -> Interval | None:
    """Rounded down, by a positive constant."""
    return Interval(a.low // b.low, a.high // b.low) if b.low == b.high > 0 else None


def _natural_quotient(a: Interval, b: Interval) -> Interval | None:
    return _quotient(a, b) if a.low >= 0 else None


def _natural_remainder(a: Interval, b: Interval) -> Interval | None:
    return Interval(0, min(a.high, b.low - 1)) if a.low >= 0 and b.low == b.high > 0 else None


def _truth(a: Interval, b: Interval) -> Interval:
    return Interval(0, 1)


def _whole(op: Any, lhs: SSAValue, rhs: SSAValue) -> Operation:
    return type(op)(lhs, rhs, overflow=WITHIN_TYPE)


def _plain(op: Any, *operands: SSAValue) -> Operation:
    return type(op)(*operands)


def _compared(op: Any, lhs: SSAValue, rhs: SSAValue) -> Operation:
    return arith.CmpiOp(lhs, rhs, op.predicate.value.data)


class Row(NamedTuple):
    """An op: where its result lies, and how it is built of other operands."""

    interval: Callable[..., Interval | None]
    build: Callable[..., Operation] = _plain
    divides: bool = False


ROWS: dict[type[Operation], Row] = {
    arith.AddiOp: Row(_sum, _whole),
    arith.SubiOp: Row(_difference, _whole),
    arith.MuliOp: Row(_product, _whole),
    arith.MinSIOp: Row(_least),
    arith.MaxSIOp: Row(_greatest),
    arith.SelectOp: Row(_either),
    arith.FloorDivSIOp: Row(_quotient, divides=True),
    arith.DivUIOp: Row(_natural_quotient, divides=True),
    arith.RemUIOp: Row(_natural_remainder, divides=True),
    arith.CmpiOp: Row(_truth, _compared),
}
