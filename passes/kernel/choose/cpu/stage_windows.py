"""Choose a schedule for windows that reach beyond an edge: what they read is staged, once.

    for k:                                    for p:
      for l in 3, m in 3:                       row[p] = max over l of x[2*j + l - 1, p - 1]
        y[k] = max(y[k], x[2*j + l - 1,  -->  for k:
                           2*k + m - 1])        y[k] = max over m of row[2*k + m]

A condition for each element of each window, whether it is of the image or of the padding, keeps
vectors from the loop along memory. Staged (`stage-image`), an element is decided once, and the
windows read whole vectors without conditions.

Where what is reduced is the image itself, as in pooling, the other axes of a window are reduced
before, in any order as all reductions are: a row of partial results waits, of which neighbouring
windows have parts in common. Where it is a product with weights, as in a depthwise convolution, all
axes are staged, if they stay in the second-level cache, or blocks of the outermost axis that do.

Done for one reduction over windows of few steps along memory, all of whose ranges are of a window.
Windows without conditions are fast as they are, and sums over channels are `tile-products`'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.analysis.indices import kernel_indices
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.kernel.dependences import NOTHING, Ranges
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.kept_images import SHARE, kept_image
from teenyir.passes.kernel.choose.cpu.only_reduction import only_reduction
from teenyir.passes.kernel.choose.cpu.unroll_windows import FEWEST_RESULTS, MOST_STEPS, in_lanes
from teenyir.passes.kernel.choose.products import moves_by_one
from teenyir.passes.kernel.schedule.clamp_window import IDEMPOTENT, ClampWindow, find_clamp
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.passes.kernel.schedule.stage_image import Axis, StageImage, find_axes, find_images
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu


@dataclass(frozen=True)
class Windows:
    """A reduction over windows that move along ranges."""

    axes: tuple[Axis, ...]
    """Outermost first; the last is along memory."""
    is_image: bool
    """Whether what is reduced depends on the positions alone."""
    conditions: Ranges
    """The ranges that conditions of loads depend on."""
    element_bytes: int


@dataclass(frozen=True)
class StageWindows(Pass):
    """Stage what windows read that reach beyond an edge."""

    name = "stage-windows"
    anchor: ClassVar[str | None] = "kernel.func"

    l2: int | None = None
    """Bytes of the second-level data cache; the machine's if it is not given."""
    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = find_windows(op)
        if found is None:
            session.preserve_all()
            return
        l2 = cpu.host().l2 if self.l2 is None else self.l2
        facts = kernel_indices(op).facts
        if why := next(filter(None, (axis.why_not(facts) for axis in found.axes)), None):
            session.remark("missed", op, f"windows are not staged: {why}")
            session.preserve_all()
            return
        bits = self.vector_bits or cpu.host().vector_bits
        lanes = bits // 8 // found.element_bytes
        schedule = schedule_windows(op, found, l2 // SHARE, lanes, facts)
        if schedule is None:
            session.remark("missed", op, "windows are not staged: a row of them is too long")
            session.preserve_all()
            return
        if not apply(schedule, op, session):
            return
        session.count("windows")
        if session.wants_remarks:
            session.remark("passed", op, f"windows beyond an edge: {as_text(schedule)}")


def find_windows(func: kernel.FuncOp) -> Windows | None:
    """The windows with conditions that a kernel reduces and does nothing else, or None."""
    found = only_reduction(func)
    if found is None:
        return None
    reduction, nest = found.reduction, kernel.Nest(func)
    closed, around = kernel.closed_by(reduction), nest.place(reduction)
    if not around or not moves_by_one(found.store, around[-1]):
        return None
    few = around[-1].extent.constant
    axes = find_axes(around, nest.in_text_order(closed), nest)
    if len(axes) != len(closed) or not axes or axes[-1].range is not around[-1]:
        return None
    if few and few < FEWEST_RESULTS:
        return None
    images = find_images(axes, nest)
    if len(images) != 1:
        return None
    is_image, conditions = images[0] is reduction.value, _conditions(nest)
    is_open = closed.isdisjoint(conditions)
    if is_image and (len(axes) == 1 or (is_open and not _is_shared(reduction, axes[-1]))):
        return None
    if is_open and not is_image:
        return None
    staged = axes[-1:] if is_image else axes
    inside = [r for r in around if r in nest.dependences[images[0]]]
    if inside[len(inside) - len(staged) :] != [axis.range for axis in staged]:
        return None  # it would be staged more often than there are images
    return Windows(tuple(axes), is_image, conditions, SCALAR_BYTES[images[0].type])


def _conditions(nest: kernel.Nest) -> Ranges:
    """The ranges that it depends on whether a load happens."""
    loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
    return NOTHING.union(*(nest.dependences[op.gate] for op in loads if op.gate is not None))


def _is_shared(reduction: kernel.ReduceOp, axis: Axis) -> bool:
    """Whether windows have much in common that is to be compared (sums are formed in rows)."""
    size = axis.window.extent.constant
    return reduction.kind.data in IDEMPOTENT and size is not None and size > axis.stride


def schedule_windows(
    func: kernel.FuncOp,
    found: Windows,
    room: int,
    lanes: int,
    facts: Facts,
    steps: int = MOST_STEPS,
) -> list[Primitive] | None:
    """The primitives that stage what windows read in so many bytes; None where they are too few.

    Of the windows so many `steps` are written out at most."""
    names = kernel.range_names(func)
    ranges = [names[axis.range] for axis in found.axes]
    windows = [names[axis.window] for axis in found.axes]
    if not found.is_image:
        kept = kept_image(found.axes, [], names, found.element_bytes, facts, room=room)
        return kept and [*kept.steps, *_unrolled(found.axes, names, steps)]
    if found.axes[-1].most_positions(facts) * found.element_bytes > room:
        return None
    clamped = [
        axis for axis in found.axes[:-1] if not isinstance(find_clamp(func, axis.window), str)
    ]
    # (a condition for each of what stands side by side would be a branch each)
    plain = [a for a in found.axes[:-1] if a in clamped or a.window not in found.conditions]
    return [
        *(ClampWindow(window=names[axis.window]) for axis in clamped),
        SplitReduction(over=tuple(windows[:-1])),
        StageImage(ranges=(ranges[-1],), windows=(windows[-1],)),
        *_unrolled([*plain, found.axes[-1]], names, steps),
        *in_lanes(ranges[-1], found.axes[-1], lanes),
    ]


def _unrolled(
    axes: Sequence[Axis], names: Mapping[kernel.RangeOp, str], most: int
) -> Iterator[Primitive]:
    """The innermost windows side by side, up to a number of steps."""
    steps = 1
    for axis in axes[::-1]:
        steps *= axis.window.extent.constant or most + 1
        if steps <= most:
            yield SetKind(range=names[axis.window], kind="unroll")
