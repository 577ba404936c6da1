"""The values of a kernel, copy by copy: each is written when it is first asked for.

A value that depends on ranges of kind `unroll` has a copy for each of their iterations; one that
depends on a range of kind `vector` is a vector. It is written into the loop that it stands in, and
once for all that use it there.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, UnitAttr, i1
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel, uop
from teenyir.dialects.building import made
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Expr
from teenyir.dialects.lanes import lanes
from teenyir.lowering.kernel_to_uop.all_reduce import AllReduce
from teenyir.lowering.kernel_to_uop.indices import IndexBuilder
from teenyir.lowering.kernel_to_uop.places import Copy, Expressions
from teenyir.lowering.kernel_to_uop.widening import (
    extract,
    iota,
    lanewise,
    same_op,
    shuffle,
    widened,
)

Accessing: TypeAlias = (
    kernel.LoadOp | kernel.LoadMatrixOp | kernel.StoreOp | kernel.ScatterOp | kernel.StageOp
)

FEWEST_OF_PAIRS = 8
"""Lanes from which on elements two apart are taken out of two vectors, and not one by one."""


class Copies:
    """The values of one kernel that have been written, and the blocks of the loops around."""

    def __init__(self, nest: kernel.Nest, named: KernelIndices, func: uop.FuncOp):
        self.nest = nest
        self.blocks: list[Block] = [func.body.block]
        """The function's block, and those of the loops that are open."""
        self.opened: dict[kernel.RangeOp, int] = {}
        """Which of the blocks is that of a loop."""
        self.location: LocationAttr = UNKNOWN_LOC
        self.expressions = Expressions(named, self._is_copied)
        self.indices = IndexBuilder(named.facts, func.extents, self.insert_at, self.depth)
        self.known: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = {}
        self.broadcasts: dict[tuple[SSAValue, int], SSAValue] = {}
        self.spreads: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        self.ranges: dict[SSAValue, tuple[kernel.RangeOp, ...]] = {}
        self.lanes: dict[Operation, kernel.RangeOp | None] = {}
        self.widths: dict[kernel.RangeOp, int] = {}
        self.loops: dict[Operation, kernel.RangeOp | None] = {}

    # --- where ops go -------------------------------------------------------------------------

    @contextmanager
    def inside(self, range_: kernel.RangeOp, block: Block) -> Generator[None]:
        """The block of a loop is open."""
        self.opened[range_] = len(self.blocks)
        self.blocks.append(block)
        yield
        self.blocks.pop()
        self.indices.forget(len(self.blocks))

    def depth(self, value: SSAValue) -> int:
        """The innermost open loop that a uop value is computed in, 0 for none."""
        block = value.op.parent if isinstance(value, OpResult) else value.owner
        for depth, open_block in enumerate(self.blocks):
            if open_block is block:
                return depth
        raise AssertionError("a value of a loop that is closed")  # the nest orders them

    def insert_at(self, op: Operation, depth: int) -> SSAValue:
        """Put an op at the end of a loop that is open; its result."""
        self.blocks[depth].add_op(op)
        op.location = self.location
        return op.results[0]

    # --- copies -------------------------------------------------------------------------------

    def _is_copied(self, value: SSAValue) -> bool:
        return bool(kernel.only_unrolled(self.nest.dependences.get(value, ())))

    def _unrolled(self, value: SSAValue) -> tuple[kernel.RangeOp, ...]:
        """The ranges that a value has copies for, in the order of the text."""
        if value not in self.ranges:
            self.ranges[value] = self._in_order(self.nest.dependences.get(value, ()))
        return self.ranges[value]

    def _in_order(self, ranges: Any) -> tuple[kernel.RangeOp, ...]:
        return tuple(self.nest.in_text_order(r for r in ranges if r.how == "unroll"))

    def each(self, value: SSAValue) -> list[Copy]:
        """The copies of a value, in the order of the ranges."""
        return _copies(self._unrolled(value))

    def each_by_scalars(self, closer: kernel.ReduceOp | kernel.FoldOp) -> list[Copy]:
        """The copies of what a closer reduces: those that share a scalar follow each other.

        In a tile of sums of `a[i, lanes] * b[j]` all `i` of one `j` do, and so one element of `b`
        at a time is in the lanes of a register, beside the vectors of `a` and the sums.
        """
        lane, (value, *_) = self.lane_range(closer), closer.operands
        factors = value.owner.operands if isinstance(value.owner, Operation) else ()
        ranges = [self.nest.dependences.get(factor, frozenset()) for factor in factors]
        vectors = frozenset[kernel.RangeOp]().union(*(each for each in ranges if lane in each))
        shared = [r for r in self._unrolled(closer.results[0]) if r not in vectors]
        return sorted(
            self.each(closer.results[0]), key=lambda copy: [copy[range_] for range_ in shared]
        )

    def each_of(self, op: Operation) -> list[Copy]:
        """The copies of an op, for all ranges that its operands depend on."""
        return _copies(self._in_order(self.nest.operand_dependences[op]))

    def closed(self, op: Operation) -> list[Copy]:
        """The iterations that a closer takes in, one after the other."""
        return _copies(self._in_order(kernel.closed_by(op)))

    def width(self, op: Operation) -> int | None:
        """The lanes of the range of kind `vector` that an op's operands depend on, or None."""
        range_ = self.lane_range(op)
        return None if range_ is None else self.count(range_)

    def count(self, range_: kernel.RangeOp) -> int:
        """The lanes of a range of kind `vector`."""
        if range_ not in self.widths:
            self.widths[range_] = range_.extent.evaluate({})
        return self.widths[range_]

    def lane_range(self, op: Operation) -> kernel.RangeOp | None:
        """The range of kind `vector` that an op's operands depend on, or None."""
        if op not in self.lanes:
            found = (r for r in self.nest.operand_dependences[op] if r.how == "vector")
            self.lanes[op] = next(found, None)
        return self.lanes[op]

    def define(self, value: SSAValue, copy: Copy, now: SSAValue) -> None:
        """From here on a copy of a value is this one."""
        self.known[value, self._key(value, copy)] = now

    def _key(self, value: SSAValue, copy: Copy) -> tuple[int, ...]:
        return tuple(copy[range_] for range_ in self._unrolled(value))

    def of(self, value: SSAValue, copy: Copy) -> SSAValue:
        """A copy of a value; it is written if it is not there."""
        key = (value, self._key(value, copy))
        if key not in self.known:
            assert isinstance(value.owner, Operation)  # arguments are there
            self.compute(value.owner, copy)
        return self.known[key]

    def wide(self, value: SSAValue, copy: Copy, width: int | None) -> SSAValue:
        """A copy of a value as a vector of `width` lanes, or as a scalar."""
        return self.as_wide(self.of(value, copy), width)

    def as_wide(self, value: SSAValue, width: int | None) -> SSAValue:
        """A uop value on every lane of a vector."""
        if width is None or lanes(value.type) is not None:
            return value
        key = (value, width)
        if key not in self.broadcasts:
            type = widened(value.type, width)
            op = made(vector.BroadcastOp, [value], [type])
            self.broadcasts[key] = self.insert_at(op, self.depth(value))
        return self.broadcasts[key]

    def spread(self, gate: SSAValue, width: int) -> tuple[SSAValue, SSAValue]:
        """The gates of two vectors that have the elements of a gated one between others, which are
        gated off: the first has them on even lanes, the second on odd ones."""
        if gate not in self.spreads:
            depth = self.depth(gate)
            off = self.insert_at(constant(0, i1), depth)
            none = self.insert_at(
                vector.BroadcastOp.create(operands=[off], result_types=[gate.type]), depth
            )
            half = width // 2
            taken = (
                [lane // 2 if lane % 2 == 0 else width for lane in range(width)],
                [half + lane // 2 if lane % 2 == 1 else width for lane in range(width)],
            )
            first, second = (self.insert_at(shuffle(gate, none, each), depth) for each in taken)
            self.spreads[gate] = first, second
        return self.spreads[gate]

    def constant(self, number: float | int, type: Attribute, width: int | None) -> SSAValue:
        """A number, on every lane of a vector."""
        return self.as_wide(self.insert_at(constant(number, type), len(self.blocks) - 1), width)

    # --- ops ----------------------------------------------------------------------------------

    def compute(self, op: Operation, copy: Copy) -> None:
        """Write a copy of an op that only computes, into the loop that it stands in."""
        location, self.location = self.location, op.location
        match op:
            case kernel.RangeOp():
                results: Sequence[SSAValue] = [self._iteration(op, copy)]
            case kernel.IndexOp():
                results = [self.index(op.expr.data, op, copy)]
            case kernel.LoadOp():
                results = [self._load(op, copy)]
            case kernel.AllReduceOp():
                results = [self._all_reduce(op, copy)]
            case kernel.LoadMatrixOp():
                self._load_matrix(op, copy)
                results = []
            case _:
                results = self._arithmetic(op, copy)
        for old, new in zip(op.results, results, strict=False):
            self.define(old, copy, new)
        self.location = location

    def _place(self, op: Operation) -> int:
        """Which of the blocks an op stands in."""
        if op not in self.loops:
            self.loops[op] = next(reversed(self.nest.place(op)), None)
        innermost = self.loops[op]
        return 0 if innermost is None else self.opened[innermost]

    def _iteration(self, range_: kernel.RangeOp, copy: Copy) -> SSAValue:
        """The value of a range that is no loop."""
        if range_.how == "unroll":
            return self.indices.value(Expr.of(copy[range_]), {})
        first, end = (expr.evaluate({}) for expr in range_.exprs)
        return self.insert_at(iota(first, end - first), 0)

    def _arithmetic(self, op: Operation, copy: Copy) -> Sequence[SSAValue]:
        depth, width = self._place(op), self.width(op)
        operands = [self.of(value, copy) for value in op.operands]
        start = 1 if isinstance(op, arith.SelectOp) else 0  # one condition will do for all lanes
        operands[start:] = [self.as_wide(value, width) for value in operands[start:]]
        new = same_op(op, operands, width)
        self.insert_at(new, depth)
        return new.results

    def _load(self, op: kernel.LoadOp, copy: Copy) -> SSAValue:
        other = None if op.other is None else self.of(op.other, copy)
        gate = None if op.gate is None else self.of(op.gate, copy)
        access = self.access(op, copy, self._place(op))
        result = access.load(op.result.type, gate, other)
        result.name_hint = op.result.name_hint
        return result

    def _all_reduce(self, op: kernel.AllReduceOp, copy: Copy) -> SSAValue:
        block = self.blocks[self._place(op)]

        def emit(new: Operation) -> Operation:
            new.location = self.location
            block.add_op(new)
            return new

        writing = AllReduce(op, emit, self.indices.value)
        return writing.write(self.of(op.value, copy), self.of(op.thread, copy))

    def _load_matrix(self, op: kernel.LoadMatrixOp, copy: Copy) -> None:
        """All elements that a lane gets at once: a copy each."""
        access = self.access(op, copy, self._place(op))
        new = access.load_matrix(op.count, transposed=op.transposed is not None)
        for elements, value in zip(_copies(op.opened), new.outputs, strict=True):
            value.name_hint = op.result.name_hint
            self.define(op.result, {**copy, **elements}, value)

    # --- indices ------------------------------------------------------------------------------

    def index(self, expr: Expr, op: kernel.IndexedOp, copy: Copy) -> SSAValue:
        """An op's expression as a value."""
        expr = self.expressions.at(self.expressions.of(expr, op), copy)
        range_ = self.lane_range(op)
        if range_ is None:
            return self.number(expr, copy)
        depth, width = self._place(op), self.count(range_)
        stride = self.stride(expr, range_)
        if stride is None:
            return lanewise(
                lambda new: self.insert_at(new, depth),
                width,
                lambda lane: self.number(expr, copy, (range_, lane), depth),
            )
        first = self.number(expr, copy, (range_, 0), depth)
        if stride == 0:
            return first
        steps = self.insert_at(iota(0, width, stride), 0)
        wide = self.as_wide(first, width)
        return self.insert_at(arith.AddiOp(wide, steps), self.depth(wide))

    def stride(self, expr: Expr, range_: kernel.RangeOp) -> int | None:
        """By how much an expression grows from lane to lane; None if not evenly."""
        for value in self._named(expr).values():
            if value is not range_.result and range_ in self.nest.dependences[value]:
                return None  # an index that is data
        return self.expressions.stride(expr, range_)

    def _named(self, expr: Expr) -> dict[str, SSAValue]:
        """The index values of the kernel that an expression names."""
        values = self.expressions.values
        return {name: values[name] for name in sorted(expr.names) if name in values}

    def number(
        self,
        expr: Expr,
        copy: Copy,
        lane: tuple[kernel.RangeOp, int] | None = None,
        depth: int = 0,
    ) -> SSAValue:
        """An expression in one copy as a scalar, on one lane of the range of kind `vector`."""
        named = self._named(expr)
        if lane is not None:
            range_, number = lane
            name = self.expressions.named.names[range_.result]
            named.pop(name, None)
            first = range_.lower.data.evaluate({})
            expr = expr.substitute({name: first + number}) if name in expr.names else expr
        values = {name: self.of(value, copy) for name, value in named.items()}
        if lane is not None:
            for name, value in values.items():
                if lanes(value.type) is not None:
                    values[name] = extract(lambda new: self.insert_at(new, depth), value, lane[1])
        return self.indices.value(expr, values)

    def access(
        self,
        op: Accessing,
        copy: Copy,
        depth: int | None = None,
        without: kernel.RangeOp | None = None,
    ) -> Access:
        """What an op does to memory in one copy; its ops go into the loop at a depth.

        `without` is a range of kind `vector` that its value does not depend on any more.
        """
        range_ = self.lane_range(op)
        depth = len(self.blocks) - 1 if depth is None else depth
        return Access(self, op, copy, depth, None if range_ is without else range_)


@dataclass(frozen=True)
class Access:
    """One copy of an access to memory: of a scalar, or of a vector."""

    copies: Copies
    op: Accessing
    copy: Copy
    depth: int
    range_: kernel.RangeOp | None
    """The range of kind `vector` that the op depends on."""

    @property
    def width(self) -> int | None:
        return None if self.range_ is None else self.copies.count(self.range_)

    def _insert(self, op: Operation) -> SSAValue:
        return self.copies.insert_at(op, self.depth)

    def _pointer(self) -> SSAValue:
        op = self.op
        buffer = op.result if isinstance(op, kernel.StageOp) else op.buffer
        return self.copies.of(buffer, self.copy)

    def _offset(self) -> Expr:
        expressions = self.copies.expressions
        return expressions.at(expressions.offset(self.op), self.copy)

    def _at(self, offset: Expr, lane: int) -> SSAValue:
        on = None if self.range_ is None else (self.range_, lane)
        return self.copies.number(offset, self.copy, on, self.depth)

    def _on(self, value: SSAValue | None, lane: int) -> SSAValue | None:
        if value is None or lanes(value.type) is None:
            return value
        return extract(self._insert, value, lane)

    def load(self, type: Attribute, gate: SSAValue | None, other: SSAValue | None) -> SSAValue:
        """The elements; those of `other` where the gate does not hold."""
        pointer, offset = self._pointer(), self._offset()
        width = self.width
        if self.range_ is None or width is None:
            return self._insert(uop.LoadOp(pointer, self._at(offset, 0), type, gate, other))
        stride = self.copies.stride(offset, self.range_)
        if stride == 1:
            other = None if other is None else self.copies.as_wide(other, width)
            wide = widened(type, width)
            return self._insert(uop.LoadOp(pointer, self._at(offset, 0), wide, gate, other))
        if stride == 0 and not any(v is not None and lanes(v.type) for v in (gate, other)):
            return self._insert(uop.LoadOp(pointer, self._at(offset, 0), type, gate, other))
        if stride == 2 and self._may_read_between(width, other):
            return self._every_other(offset, type, gate, other)

        def on(lane: int) -> SSAValue:
            gated = (self._on(gate, lane), self._on(other, lane))
            return self._insert(uop.LoadOp(pointer, self._at(offset, lane), type, *gated))

        return lanewise(self._insert, width, on)

    def _may_read_between(self, width: int, other: SSAValue | None) -> bool:
        """Whether elements two apart are read with those between them: on a CPU, which asks for no
        alignment, and where the lanes that are gated off all have one value."""
        on_cpu = not any(map(kernel.is_of_launch, self.copies.opened))
        fits = width >= FEWEST_OF_PAIRS and width % 2 == 0
        return on_cpu and fits and (other is None or lanes(other.type) is None)

    def _every_other(
        self, offset: Expr, type: Attribute, gate: SSAValue | None, other: SSAValue | None
    ) -> SSAValue:
        """Elements two apart: the half of them in a vector of neighbours, and the half in another.

        The other one ends with the last of them, so that nothing is read beyond it.
        """
        copies, width = self.copies, self.width
        assert width is not None
        wide = widened(type, width)
        gates = (gate, gate)
        if gate is not None and lanes(gate.type) is not None:
            gates = copies.spread(gate, width)
        rest = None if other is None else copies.as_wide(other, width)
        pointer, starts = self._pointer(), (offset, offset + (width - 1))
        first, second = (
            self._insert(uop.LoadOp(pointer, self._at(start, 0), wide, mask, rest))
            for start, mask in zip(starts, gates, strict=True)
        )
        taken = [2 * lane + (2 * lane >= width) for lane in range(width)]
        return self._insert(shuffle(first, second, taken))

    def load_matrix(self, count: int, *, transposed: bool) -> uop.LoadMatrixOp:
        """The matrices that start where each lane says."""
        pointer, offset = self._pointer(), self._at(self._offset(), 0)
        op = uop.LoadMatrixOp(pointer, offset, count, transposed=transposed)
        self._insert(op)
        return op

    def store(
        self, value: SSAValue, gate: SSAValue | None, streaming: UnitAttr | None = None
    ) -> None:
        """Write the elements where the gate holds."""
        pointer, offset = self._pointer(), self._offset()
        width = self.width
        if self.range_ is None or width is None or self.copies.stride(offset, self.range_) == 1:
            self._write(uop.StoreOp(value, pointer, self._at(offset, 0), gate, streaming))
        else:
            for lane in range(width):
                scalar = extract(self._insert, value, lane)
                at, gated = self._at(offset, lane), self._on(gate, lane)
                self._write(uop.StoreOp(scalar, pointer, at, gated, streaming))

    def _write(self, op: uop.StoreOp) -> None:
        self.copies.blocks[self.depth].add_op(op)
        op.location = self.copies.location


def _copies(ranges: Sequence[kernel.RangeOp]) -> list[Copy]:
    """All iterations of ranges of kind `unroll`, the last range fastest."""
    each = [range(r.lower.data.evaluate({}), r.upper.data.evaluate({})) for r in ranges]
    return [dict(zip(ranges, numbers, strict=True)) for numbers in itertools.product(*each)]
