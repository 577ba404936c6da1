"""Place a program's temporary buffers in one arena.

A buffer lives from the statement that first writes it to the last that touches it; what is touched
inside a branch or a loop lives for all of it. Two buffers may
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

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.bounds import bounds
from teenyir.dialects import dtypes
from teenyir.dialects.expr import DimRange, Expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.program import AllocOp, FuncOp
from teenyir.rewriting.base import Pass, Session, fail

ALIGNMENT = 64
"""Bytes that every offset is a multiple of."""


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
    """The number of the last statement that needs it."""
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
    """The first and the last statement that touch each allocation, ordered by the first."""
    touched: dict[SSAValue, tuple[int, int]] = {}
    for number, statement in enumerate(func.body.block.ops):
        for inner in statement.walk():
            for buffer in inner.operands:
                touched[buffer] = (touched.get(buffer, (number, number))[0], number)
    allocs = [op for op in func.body.block.ops if isinstance(op, AllocOp)]
    found = {op: touched.get(op.result, (0, 0)) for op in allocs}
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def buffer_bytes(op: AllocOp) -> Expr:
    """Bytes of a buffer. Raises PassError for elements that memory does not hold."""
    assert isinstance(op.result.type, BufferType)
    dtype = dtypes.of_element(op.result.type.element)
    if dtype is None:
        raise fail(op, f"a buffer cannot hold {op.result.type.element}")
    return op.result.type.size * dtype.bytes


def at_least(larger: Expr, smaller: Expr, ranges: Mapping[str, DimRange]) -> bool:
    """Whether `larger >= smaller` is certain for all extents in their ranges."""
    low = bounds(larger - smaller, ranges).low
    return low is not None and low >= 0
