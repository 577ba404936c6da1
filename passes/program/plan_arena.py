"""Place a program's temporary buffers in one arena.

A buffer lives from the launch that first writes it to the last that touches it. Two buffers may
share a place only if their lives do not meet, and only if the sizes are known to fit: sizes are
expressions over named extents, compared over the ranges of the names, and where a comparison is
not certain the place is not shared.

Places are found by first fit, in the order in which lives begin: slots are kept in a list, each as
large as the largest buffer put there, and a slot's offset is the sum of the sizes before it. Every
offset is a multiple of 64 bytes, a cache line and the widest vector register.

    program.func @main(..) {                    program.func @main(..) arena(N * 256 + 64) {
      %a = program.alloc : buf<[N, 64] x f32>     %a = program.alloc at 0 : ..
      %b = program.alloc : buf<[3] x f32>    -->  %b = program.alloc at N * 256 : ..
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects.expr import Compound, DimRange, Expr
from teenyir.dialects.kernel.attributes import BufferType, ExprAttr
from teenyir.dialects.program import AllocOp, FuncOp, LaunchOp
from teenyir.rewriting.base import Pass, Session, fail

ALIGNMENT = 64
"""Bytes that every offset is a multiple of."""

_FLOAT_BYTES: dict[type[Attribute], int] = {
    BFloat16Type: 2,
    Float16Type: 2,
    Float32Type: 4,
    Float64Type: 8,
}


@dataclass(frozen=True)
class PlanArena(Pass):
    """Give each temporary buffer of a program its offset in one arena."""

    name = "plan-arena"
    anchor: ClassVar[str | None] = "program.func"

    reuse: bool = True
    """Whether buffers whose lives do not meet may share a place."""

    def run(self, op: Operation, session: Session) -> None:
        if not isinstance(op, FuncOp):
            raise fail(op, f"{self.name} runs on a program.func, not on {op.name}")
        slots = place(op, self.reuse)
        offset = Expr.of(0)
        for slot in slots:
            for buffer in slot.buffers:
                buffer.offset = ExprAttr(offset)
            offset = offset + slot.size.ceildiv(ALIGNMENT) * ALIGNMENT
        op.arena = ExprAttr(offset)
        session.count("slots", len(slots))
        session.count("shared", sum(len(slot.buffers) - 1 for slot in slots))


@dataclass
class Slot:
    """A place in the arena, and the buffers that take turns in it."""

    size: Expr
    """Bytes, those of its largest buffer."""
    free_after: int
    """The number of the last launch that needs it."""
    buffers: list[AllocOp] = field(default_factory=list[AllocOp])


def place(func: FuncOp, reuse: bool) -> list[Slot]:
    """The slots of a program's buffers, in the order of their offsets."""
    ranges = {dim.name: dim for dim in func.dims.data}
    slots: list[Slot] = []
    for buffer, (first, last) in lives(func).items():
        size = buffer_bytes(buffer)
        slot = _fitting(slots, size, first, ranges) if reuse else None
        if slot is None:
            slots.append(slot := Slot(size, last))
        elif at_least(size, slot.size, ranges):
            slot.size = size
        slot.free_after = last
        slot.buffers.append(buffer)
    return slots


def _fitting(
    slots: Sequence[Slot], size: Expr, first: int, ranges: Mapping[str, DimRange]
) -> Slot | None:
    """The first slot that is free and whose size is known to be the larger or the smaller one."""
    return next(
        (
            slot
            for slot in slots
            if slot.free_after < first
            and (at_least(slot.size, size, ranges) or at_least(size, slot.size, ranges))
        ),
        None,
    )


def lives(func: FuncOp) -> dict[AllocOp, tuple[int, int]]:
    """The first and the last launch that touch each allocation, ordered by the first."""
    touched: dict[SSAValue, tuple[int, int]] = {}
    launches = [op for op in func.body.block.ops if isinstance(op, LaunchOp)]
    for number, launch in enumerate(launches):
        for buffer in launch.buffers:
            touched[buffer] = (touched.get(buffer, (number, number))[0], number)
    allocs = [op for op in func.body.block.ops if isinstance(op, AllocOp)]
    found = {op: touched.get(op.result, (0, 0)) for op in allocs}
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def element_bytes(element: Attribute) -> int:
    """Bytes of an element in memory: a bool is a byte."""
    if isinstance(element, IntegerType):
        return max(1, element.bitwidth // 8)
    return _FLOAT_BYTES[element.__class__]


def buffer_bytes(op: AllocOp) -> Expr:
    """Bytes of a buffer."""
    assert isinstance(op.result.type, BufferType)
    return op.result.type.size * element_bytes(op.result.type.element)


# --- comparing sizes ------------------------------------------------------------------------------


def at_least(larger: Expr, smaller: Expr, ranges: Mapping[str, DimRange]) -> bool:
    """Whether `larger >= smaller` is certain for all extents in their ranges."""
    least = lower_bound(larger - smaller, ranges)
    return least is not None and least >= 0


def lower_bound(expr: Expr, ranges: Mapping[str, DimRange]) -> int | None:
    """A number that the expression is never below, or None where none is known."""
    return _bounds(expr, ranges)[0]


Bounds = tuple[int | None, int | None]
"""The least and the greatest value, as far as they are known."""


def _bounds(expr: Expr, ranges: Mapping[str, DimRange]) -> Bounds:
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in expr.terms:
        term: Bounds = (coefficient, coefficient)
        for atom in monomial:
            term = _product(term, _atom_bounds(atom, ranges))
        low = None if low is None or term[0] is None else low + term[0]
        high = None if high is None or term[1] is None else high + term[1]
    return low, high


def _atom_bounds(atom: str | Compound, ranges: Mapping[str, DimRange]) -> Bounds:
    if isinstance(atom, str):
        dim = ranges[atom]
        return dim.min, dim.max
    bounds = [_bounds(arg, ranges) for arg in atom.args]
    lows, highs = [b[0] for b in bounds], [b[1] for b in bounds]
    known_lows = [b for b in lows if b is not None]
    known_highs = [b for b in highs if b is not None]
    divisor = atom.args[1].constant if len(atom.args) > 1 else None
    match atom.kind:
        case "max":
            return (max(known_lows, default=None), None if None in highs else max(known_highs))
        case "min":
            return (None if None in lows else min(known_lows), min(known_highs, default=None))
        case "floordiv" if divisor is not None and divisor > 0:
            low, high = bounds[0]
            return (
                None if low is None else low // divisor,
                None if high is None else high // divisor,
            )
        case "mod" if divisor is not None and divisor > 0:
            return (0, divisor - 1)
        case _:
            return (None, None)


def _product(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a product; what is unbounded stays so unless the sign decides."""
    if None not in a and None not in b:
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    (a_low, a_high), (b_low, b_high) = a, b
    if a_high is not None and a_high <= 0:
        low, high = _product((-a_high, None if a_low is None else -a_low), b)
        return (None if high is None else -high, None if low is None else -low)
    if a_low is None or b_low is None or a_low < 0 or b_low < 0:
        return (None, None)
    return (a_low * b_low, None if a_high is None or b_high is None else a_high * b_high)
