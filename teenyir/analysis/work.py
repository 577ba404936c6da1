"""How long the loops of a kernel take, roughly: what decides whether threads are worth waking.

An estimate, in picoseconds on one core, over the kernel's named extents. Ops count by the table
below, times the trips of the loops around them; those of a vector once for all its lanes. Where
moving the buffers that the kernel is given would take longer than that, all loops take as much
longer. It tells 10 microseconds from 100, and claims no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ONE, ZERO, Expr

OP = 70
"""Picoseconds of an op of a loop that LLVM may make vectors of, and of one on vectors: what the
multiplications and additions of products in tiles take, loads included."""

WIDE = 4
"""How many that LLVM makes vectors of a slow op on vectors is worth."""

MOVED_BYTE = 60
"""Picoseconds of a byte that is moved: some 16 GB/s."""

UNKNOWN_EXTENT = 1 << 20
"""What an extent without a maximum is taken for, where a number is asked for."""

_FREE = (kernel.RangeOp, kernel.IndexOp, arith.ConstantOp)
_SLOW: dict[type[Operation], int] = {
    **dict.fromkeys((arith.DivfOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp), 8),
    **dict.fromkeys((arith.FloorDivSIOp, arith.CeilDivSIOp, arith.RemUIOp), 8),
    **dict.fromkeys(math.Math.operations, 20),
    **dict.fromkeys((math.AbsFOp, math.FmaOp, math.CopySignOp), 1),
    math.SqrtOp: 8,
    kernel.SortOp: 200,
}
"""How many ordinary ops an op is worth."""


def ops_of(op: Operation) -> int:
    """How many ordinary ops an op is worth."""
    return _SLOW.get(type(op), 1)


@dataclass
class Work:
    """The time that each loop of a kernel takes, all iterations of one entry."""

    func: kernel.FuncOp
    nest: kernel.Nest
    indices: KernelIndices
    _known: dict[kernel.Loop, Expr] = field(default_factory=dict["kernel.Loop", Expr])

    def __post_init__(self) -> None:
        facts = self.indices.facts
        self.typical: Mapping[str, int] = {
            name: dim.max or UNKNOWN_EXTENT for name, dim in facts.dims.items()
        }
        moved = sum((_bytes(argument.type) for _, argument in self.func.buffers), ZERO)
        computed = self._body(self.nest.root)
        moving, computing = moved.evaluate(self.typical) * MOVED_BYTE, self.number(computed)
        self._rate = max(1, moving // max(computing, 1))

    def iteration(self, loop: kernel.Loop) -> Expr:
        """Picoseconds of one iteration of a loop, or of all of the kernel for its root."""
        return self._body(loop) * self._rate

    def trips(self, loop: kernel.Loop) -> Expr:
        """The iterations of a loop; where they depend on other loops, as many as there may be."""
        range_ = loop.range
        if range_ is None:
            return ONE
        extent = self.indices.globally(range_.extent, range_)
        if extent.names <= self.indices.facts.dims.keys():
            return extent
        return Expr.of(self.indices.facts.interval(extent)[1] or UNKNOWN_EXTENT)

    def number(self, expr: Expr) -> int:
        """An expression over extents at their maxima."""
        return expr.evaluate(self.typical)

    def _body(self, loop: kernel.Loop) -> Expr:
        if loop in self._known:
            return self._known[loop]
        total = ZERO
        for item in loop.body:
            if isinstance(item, kernel.Loop):
                total = total + self._body(item) * self.trips(item)
            elif isinstance(item, kernel.Update):
                total = total + self._op(item.closer)
            elif not kernel.closed_by(item):
                total = total + self._op(item)
        self._known[loop] = total
        return total

    def _op(self, op: Operation) -> Expr:
        if isinstance(op, _FREE):
            return ZERO
        copies = 1
        for range_ in self.nest.operand_dependences[op]:
            if range_.how == "unroll":
                copies *= range_.extent.evaluate({})
            elif range_.how == "vector" and ops_of(op) > 1:
                copies *= WIDE
        return Expr.of(OP * copies * ops_of(op))


def _bytes(type: object) -> Expr:
    assert isinstance(type, kernel.BufferType)
    return type.size * SCALAR_BYTES[type.element]
