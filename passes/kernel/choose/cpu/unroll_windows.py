"""Choose a schedule for sums and extremes over small windows: their steps side by side in the code.

    for k:                                       for k:
      s = 0                                        y[k] = x[k - 1] * w[0] + x[k] * w[1]
      for m in 3:                         -->             + x[k + 1] * w[2]
        s += x[k + m - 1] * w[m]
      y[k] = s

A loop of three steps costs more than the steps, and is in the way of vectors along the row, which
LLVM makes once it is gone. Conditions on the place in the window are decided for each step.

Done for sums and extremes of few steps over ranges that move a load together with a range around
them, which is the one along memory of what is stored. Left as loops is what was measured to be
slower without: sums and extremes of gated loads as they are, of whose gates LLVM makes a branch
each; those that are factors become masks. Windows two apart, which ask for no more, are vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.only_reduction import only_reduction
from teenyir.passes.kernel.choose.products import moves_by_one
from teenyir.passes.kernel.schedule.peel_range import PeelRange
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stage_image import Axis, find_axis
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

KINDS = ("add", "max", "min")
"""The reductions that are written out."""

MOST_STEPS = 32
"""Steps of a window that are written out."""

FEWEST_RESULTS = 8
"""Results along memory: fewer make no vector."""


@dataclass(frozen=True)
class Window:
    """What is reduced over a window that moves along memory."""

    ranges: tuple[str, ...]
    """Those of the window, outermost first."""
    steps: int
    column: str
    """The range along memory."""
    axis: Axis | None
    """How one of them moves along it, if no load has a gate."""
    element_bytes: int


@dataclass(frozen=True)
class UnrollWindows(Pass):
    """Write the steps of small windows side by side."""

    name = "unroll-windows"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        window = find_window(op)
        if window is None:
            session.preserve_all()
            return
        if window.steps > MOST_STEPS:
            session.remark("missed", op, f"a window of {window.steps} steps is not written out")
            session.preserve_all()
            return
        schedule: list[Primitive] = [SetKind(range=each, kind="unroll") for each in window.ranges]
        if window.axis is not None:
            bits = self.vector_bits or cpu.host().vector_bits
            schedule += in_lanes(window.column, window.axis, bits // 8 // window.element_bytes)
        if not apply(schedule, op, session):
            return
        session.count("windows")
        if session.wants_remarks:
            session.remark("passed", op, f"a window of {window.steps} steps: {as_text(schedule)}")


def find_window(func: kernel.FuncOp) -> Window | None:
    """The window of a kernel that reduces one and does nothing else, or None."""
    found = only_reduction(func)
    if found is None:
        return None
    reduction, store, ops, names = found.reduction, found.store, found.ops, found.names
    gated = any(isinstance(op, kernel.LoadOp) and op.gate is not None for op in ops)
    if gated and not isinstance(reduction.value.owner, arith.MulfOp | arith.MuliOp):
        return None
    closed = [r for r in names if r in kernel.closed_by(reduction)]
    along = next((r for r in names if r not in closed and moves_by_one(store, r)), None)
    extents = [r.extent.constant for r in closed]
    if along is None or reduction.kind.data not in KINDS or not _is_moved(ops, along, closed):
        return None
    results, steps = along.extent.constant, [each for each in extents if each is not None]
    if len(steps) != len(extents) or (results is not None and results < FEWEST_RESULTS):
        return None
    nest = kernel.Dependences(func)
    axes = [axis for r in closed if (axis := find_axis(along, r, nest)).stride]
    return Window(
        tuple(names[r] for r in closed),
        math.prod(steps),
        names[along],
        axes[0] if len(axes) == 1 and not gated else None,
        SCALAR_BYTES[reduction.value.type],
    )


def in_lanes(name: str, axis: Axis, lanes: int) -> Iterator[Primitive]:
    """The primitives that make vectors of windows two apart, of the last ones one that overlaps:
    LLVM makes none of these, behind which nothing may be read."""
    extent = axis.range.extent.constant
    if axis.stride != 2 or lanes < FEWEST_RESULTS or not extent or extent < lanes:
        return
    whole = extent // lanes * lanes
    if whole < extent:
        yield PeelRange(range=name, at=whole, start=extent - lanes, rest="r")
        yield SetKind(range=f"{name}r", kind="vector")
    yield SplitRange(range=name, by=lanes, outer=f"{name}o", inner=f"{name}v")
    yield SetKind(range=f"{name}v", kind="vector")


def _is_moved(
    ops: Sequence[Operation], along: kernel.RangeOp, closed: list[kernel.RangeOp]
) -> bool:
    """Whether a part of a load's index is a sum of a range and one of a window."""
    for op in ops:
        if not isinstance(op, kernel.LoadOp):
            continue
        exprs, values = kernel.written_out(op.exprs, op.index_values)
        places = {value: placeholder(number) for number, value in enumerate(values)}
        for expr in exprs:
            inner = [places.get(r.result) for r in closed]
            if places.get(along.result) in expr.names and not expr.names.isdisjoint(inner):
                return True
    return False
