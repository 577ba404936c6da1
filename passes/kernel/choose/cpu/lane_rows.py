"""Choose vectors for rows that are read twice: for a maximum, and for exponentials relative to it.

    for l: m = max(m, x[l])               for blocks of l: m0 = maxnum(m0, x[lanes of l]), m1 = ..
    for k: s += exp(x[k] - m)      -->    m = maxnum of the lanes of m0, m1, ..
                                          for blocks of k: s0 += exp(x[lanes of k] - m), ..

Vectors that LLVM makes of a maximum hand NaN on, which is most of the work and seldom needed
(`maximum-of-numbers`). And what is read in vectors is asked for ahead (`uop_to_llvm/ahead.py`):
while a row is in the first cache, and its exponentials are computed, nothing else would have the
next one come.

Done for rows of a vector of f32 or more that are read along memory, without gates, in loops of
which all is done lane by lane. What the last vector has beyond the row is gated, in an iteration of
its own (`split-at-gates`): LLVM would take one number after the other there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import is_plain, moves_by_one
from teenyir.passes.kernel.schedule.maximum_of_numbers import MaximumOfNumbers
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.running_terms import Running, find_running
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

MAXIMA = 4
"""Vectors of maxima side by side, at most: they wait for each other."""

POWERS = 2
"""Vectors of exponentials side by side, at most, where there are many registers. What one needs
fills 16 of them."""

MANY_REGISTERS = 32


@dataclass(frozen=True)
class LaneRows(Pass):
    """Read rows in vectors, for their maxima and for exponentials relative to these."""

    name = "lane-rows"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    registers: int | None = None
    """How many vector registers there are; as many as the machine has if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        lanes = (self.vector_bits or cpu.host().vector_bits) // 32
        found = find_rows(op, session.analysis(NEST, op), lanes)
        schedule = self.schedule(found)
        if not schedule:
            session.preserve_all()
            return
        if not apply(schedule, op, session):
            return
        session.count("rows", len(found.running))
        if session.wants_remarks:
            session.remark("passed", op, f"rows in vectors: {as_text(schedule)}")

    def schedule(
        self, rows: Rows, maxima: int = MAXIMA, powers: int | None = None, of_numbers: bool = True
    ) -> list[Primitive]:
        """The primitives that read rows in vectors, so many `maxima` and `powers` side by side at
        most, as many as there are registers for if it is not given. The maxima leave NaN out if
        they are `of_numbers`."""
        if powers is None:
            registers = self.registers or cpu.host().vector_registers
            powers = POWERS if registers >= MANY_REGISTERS else 1
        steps: list[Primitive] = []
        for found in rows.running:
            row = rows.names[found.range]
            if of_numbers:
                steps.append(MaximumOfNumbers(range=row))
            steps += _in_lanes(found.range, row, rows.lanes, maxima)
            steps.append(SplitReduction(over=(f"{row}o",)))
            for range_ in dict.fromkeys(each.range for each in found.sums):
                steps += _in_lanes(range_, rows.names[range_], rows.lanes, powers)
        return steps


@dataclass(frozen=True)
class Rows:
    """The rows of a kernel that can be read in vectors of so many lanes."""

    running: tuple[Running, ...]
    names: Mapping[kernel.RangeOp, str]
    lanes: int


def find_rows(func: kernel.FuncOp, nest: kernel.Nest, lanes: int) -> Rows:
    """The maxima of rows whose loops can be made of vectors."""
    names = kernel.range_names(func)
    found = (each for each in find_running(nest) if _is_in_lanes(each, nest, names, lanes))
    return Rows(tuple(found), names, lanes)


def _in_lanes(range_: kernel.RangeOp, name: str, lanes: int, most: int) -> list[Primitive]:
    """The primitives that make vectors of a range, so many side by side at most."""
    vectors = -(-(range_.extent.constant or 0) // lanes)
    side = next(number for number in range(most, 0, -1) if vectors % number == 0)
    return [
        SplitRange(range=name, by=side * lanes, outer=f"{name}o", inner=f"{name}n"),
        SplitRange(range=f"{name}n", by=lanes, outer=f"{name}u", inner=f"{name}v"),
        SetKind(range=f"{name}u", kind="unroll"),
        SetKind(range=f"{name}v", kind="vector"),
    ]


def _is_in_lanes(
    found: Running, nest: kernel.Nest, names: dict[kernel.RangeOp, str], lanes: int
) -> bool:
    """Whether the loops over a row can be made of vectors."""
    return lanes > 1 and all(
        is_plain(range_, names)
        and (range_.extent.constant or 0) >= lanes
        and all(_is_lanewise(op, range_, nest) for op in nest.ops)
        for range_ in {found.range, *(each.range for each in found.sums)}
    )


def _is_lanewise(op: Operation, along: kernel.RangeOp, nest: kernel.Nest) -> bool:
    """Whether an op does the same to neighbours in memory, if a range is one of them."""
    if along not in nest.operand_dependences[op]:
        return True
    if isinstance(op, kernel.LoadOp):
        return op.gate is None and op.result.type == f32 and moves_by_one(op, along)
    if isinstance(op, kernel.StageOp):
        return op.value.type == f32 and op.values == (along.result,)
    if isinstance(op, kernel.ReduceOp):
        return op.value.type == f32 and op.over == (along.result,)
    return kernel.is_scalar_op(op) or isinstance(op, kernel.IndexOp)
