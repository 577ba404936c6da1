"""Keep what neighbouring windows read in local memory: each element once, for all windows.

    for k:                                    for p in 0 to 2*K + 1:
      for m in 3:                               image[p] = g(p)
        s += g(2*k + m) * w[m]        -->     for k:
      y[k] = s                                  for m in 3:
                                                  s += image[2*k + m] * w[m]
                                                y[k] = s

Each range goes with a window, a range too, and `p = stride * k + dilation * m` is the position that
they read. What is kept is the last value that is computed from a load and depends on both by way of
the position alone: a load with its gate, what it is cast to, or a reduction of such over other
ranges. So an element of padding is decided once, and the windows read it without a gate. Ranges
that it is kept `over`, such as channels, go with no window: the image has an axis for each.

Legal where that value depends on the position alone, as it is then the same for all k and m that
have it: with `stride` and `dilation` without a common divisor, an index or a bound is a function of
p just if it is `a * k + b * m + rest` with `a : b = stride : dilation`. Every position is that of a
window: with a dilation of 1 where windows are no shorter than the stride, with a stride of 1 where
there are as many windows as the dilation. So what is loaded is what was loaded before, and no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import kernel_indices
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.kernel.dependences import NOTHING
from teenyir.dialects.syntax import locally, placeholder
from teenyir.passes.kernel.schedule.pack_buffer import panel_extents
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    cone,
    erase_unused,
    find_ranges,
    name_range,
)
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True, kw_only=True)
class StageImage(Primitive):
    """Keep what neighbouring windows read in local memory."""

    name = "stage-image"

    ranges: tuple[str, ...]
    """The ranges that windows move along, in the order of the axes."""
    windows: tuple[str, ...]
    """The range of the window of each."""
    over: tuple[str, ...] = ()
    """Further ranges that an image has axes for, the outermost ones."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        ranges, windows = find_ranges(func, self.ranges), find_ranges(func, self.windows)
        others = find_ranges(func, self.over) if self.over else []
        apart = all(
            a.isdisjoint(b) for a, b in combinations(map(set, (ranges, windows, others)), 2)
        )
        if len(ranges) != len(windows) or not apart:
            raise fail(func, "each range goes with one window")
        nest, facts = kernel.Dependences(func), kernel_indices(func).facts
        axes = [find_axis(*pair, nest) for pair in zip(ranges, windows, strict=True)]
        for axis in axes:
            if why := axis.why_not(facts):
                raise fail(axis.range, why)
        images = find_images(axes, nest)
        if len(images) != 1:
            which = kernel.names([*ranges, *windows])
            raise fail(func, f"{len(images)} values depend on positions of {which}, not one")
        bounds = [v for op in nest.ops if isinstance(op, kernel.RangeOp) for v in op.operands]
        for range_ in others:
            if any(range_ in nest.dependences.get(bound, NOTHING) for bound in bounds):
                raise fail(
                    range_, f"the bounds of another range depend on {kernel.names([range_])}"
                )
        self._stage(func, images[0], axes, others, nest)

    def _stage(
        self,
        func: kernel.FuncOp,
        value: SSAValue,
        axes: Sequence[Axis],
        others: Sequence[kernel.RangeOp],
        nest: kernel.Dependences,
    ) -> None:
        facts, names = kernel_indices(func).facts, kernel.range_names(func)
        extents = panel_extents(func, value, others, nest)
        extents += [axis.most_positions(facts) for axis in axes]
        # what was written over a range and its window is over the position, and 0
        moved: dict[SSAValue, Expr] = {}
        copies: dict[SSAValue, SSAValue] = {}
        positions: list[SSAValue] = []
        first = before(min((axis.range for axis in axes), key=nest.position.__getitem__))
        for range_ in others:
            copy = first.insert(range_.clone())
            name_range(func, copy, f"{names[range_]}p")
            copies[range_.result] = copy.result
            positions.append(copy.result)
        for axis in axes:
            position = first.insert(kernel.RangeOp(0, axis.positions))
            name_range(func, position, f"{names[axis.range]}p")
            kept, gone = axis.carriers
            moved |= {kept.result: Expr.of(placeholder(len(positions))), gone.result: ZERO}
            positions.append(position.result)
        old = cone([value], [*others, *axis_ranges(axes)], nest)
        build = LocatedBuilder(InsertPoint.after(old[-1]), old[-1].location)
        for op in old:
            copy = build.insert(_at_positions(op, moved, positions, copies))
            copy.location = op.location
            for result, of in zip(copy.results, op.results, strict=True):
                result.name_hint = of.name_hint
                copies[of] = result
        index = [placeholder(k) for k in range(len(positions))]
        buffer = kernel.BufferType(extents, value.type, "local")
        stage = build.insert(kernel.StageOp(copies[value], index, positions, positions, buffer))
        stage.result.name_hint = "image"
        exprs = [Expr.of(placeholder(k)) for k in range(len(others))]
        pairs = enumerate(axes)
        exprs += [axis.position(len(others) + 2 * k, len(others) + 2 * k + 1) for k, axis in pairs]
        values = [r.result for r in (*others, *axis_ranges(axes))]
        again = build.insert(kernel.LoadOp(stage.result, exprs, values))
        again.result.name_hint = value.name_hint
        value.replace_all_uses_with(again.result)
        erase_unused(old[::-1])


@dataclass(frozen=True)
class Axis:
    """Windows that move along a range."""

    range: kernel.RangeOp
    window: kernel.RangeOp
    stride: int
    """Positions from a window to the next; 0 where no load has one index of both ranges."""
    dilation: int
    """Positions from one place in the window to the next."""

    @property
    def carriers(self) -> tuple[kernel.RangeOp, kernel.RangeOp]:
        """The range whose iterations are a position each, and the other."""
        if self.stride == 1:
            return self.range, self.window
        return self.window, self.range

    @property
    def positions(self) -> Expr:
        """How many positions there are."""
        last = (self.range.extent - 1) * self.stride + (self.window.extent - 1) * self.dilation
        return last + 1

    def most_positions(self, facts: Facts) -> int:
        """The most of them that there may be, where there is such a number."""
        most = facts.interval(self.positions)[1]
        assert most is not None  # else it is refused
        return most

    def position(self, range_: int, window: int) -> Expr:
        """The position, over the operands of these numbers."""
        at, within = Expr.of(placeholder(range_)), Expr.of(placeholder(window))
        return at * self.stride + within * self.dilation

    def takes(self, expr: Expr, range_: str, window: str) -> bool:
        """Whether an expression over the names of the two is one over the position."""
        a, b = _coefficient(expr, range_), _coefficient(expr, window)
        return a is not None and b is not None and a * self.dilation == b * self.stride

    def why_not(self, facts: Facts) -> str:
        """What is in the way of a place for each position; nothing where there can be one."""
        pair = kernel.names([self.range, self.window])
        if not self.stride:
            return f"no load has an index of {pair} together"
        size = self.window.extent.constant
        if size is None or any(r.lower.data != ZERO or r.values for r in self.carriers):
            return f"{pair} do not run from 0 to an extent, which is a number for a window"
        shortest = self.dilation if self.stride == 1 else 1
        is_dense = self.dilation == 1 or self.stride == 1
        if not is_dense or (self.stride > 1 and size < self.stride) or size < 1:
            return f"some positions of {pair} are in no window"
        if not facts.is_nonnegative(self.range.extent - shortest):
            return f"{pair} may have fewer than {shortest} windows"
        if facts.interval(self.positions)[1] is None:
            return f"the positions of {pair} have no maximum"
        return ""


def axis_ranges(axes: Sequence[Axis]) -> list[kernel.RangeOp]:
    """The ranges of axes and of their windows."""
    return [r for axis in axes for r in (axis.range, axis.window)]


def find_axis(range_: kernel.RangeOp, window: kernel.RangeOp, nest: kernel.Dependences) -> Axis:
    """How a window moves along a range, by the first load that has an index of both."""
    for op in nest.ops:
        if not isinstance(op, kernel.LoadOp) or range_ not in nest.operand_dependences[op]:
            continue
        exprs, values = kernel.written_out(op.exprs, op.index_values)
        if range_.result not in values or window.result not in values:
            continue
        names = [placeholder(values.index(r.result)) for r in (range_, window)]
        for expr in exprs:
            a, b = (_coefficient(expr, name) for name in names)
            if a and b and a * b > 0:
                common = math.gcd(a, b)
                return Axis(range_, window, abs(a) // common, abs(b) // common)
    return Axis(range_, window, 0, 0)


def find_axes(
    ranges: Sequence[kernel.RangeOp], windows: Sequence[kernel.RangeOp], nest: kernel.Dependences
) -> list[Axis]:
    """An axis for each window that moves along a range, in the order of these; none where several
    move along one, or one along several."""
    pairs = [find_axis(range_, window, nest) for range_ in ranges for window in windows]
    axes = [axis for axis in pairs if axis.stride]
    alone = {axis.range for axis in axes}, {axis.window for axis in axes}
    return axes if all(len(each) == len(axes) for each in alone) else []


def find_images(axes: Sequence[Axis], nest: kernel.Dependences) -> list[SSAValue]:
    """The last values computed from loads that depend on all axes, by way of positions alone."""
    ranges = frozenset(axis_ranges(axes))
    found: dict[Operation, bool] = {}  # and whether a load is among what computes it
    for op in nest.ops:
        if ranges.isdisjoint(nest.operand_dependences[op]) or not _may_be_kept(op, ranges):
            continue
        values: Sequence[SSAValue] = op.operands
        if isinstance(op, kernel.IndexedOp):
            exprs, indices = kernel.written_out(op.exprs, op.index_values)
            if not all(_takes(axis, exprs, indices) for axis in axes):
                continue
            others = [v for v in op.operands if v not in op.index_values]
            # (another range is one of them where its bounds depend on an axis)
            values = [*others, *(v for v in indices if v.owner not in ranges)]
        moved = [v.owner for v in values if nest.dependences.get(v, NOTHING) & ranges]
        if all(isinstance(owner, Operation) and owner in found for owner in moved):
            loads = any(found[owner] for owner in moved if isinstance(owner, Operation))
            found[op] = loads or isinstance(op, kernel.LoadOp)
    return [
        op.results[0]
        for op, loads in found.items()
        if loads
        and ranges <= nest.dependences[op.results[0]]
        and not isinstance(op.results[0].type, IndexType)
        and any(use.operation not in found for use in op.results[0].uses)
    ]


def _may_be_kept(op: Operation, ranges: frozenset[kernel.RangeOp]) -> bool:
    """Whether an op can be computed for positions: it gives one scalar, and closes no axis."""
    if isinstance(op, kernel.ReduceOp):
        return ranges.isdisjoint(kernel.closed_by(op))
    if op.name.startswith("kernel."):
        return isinstance(op, kernel.LoadOp | kernel.IndexOp)
    return len(op.results) == 1 and not op.regions


def _takes(axis: Axis, exprs: Sequence[Expr], values: Sequence[SSAValue]) -> bool:
    # (a name that is in no expression stands for a range that is not there)
    names = [
        placeholder(values.index(r.result)) if r.result in values else ""
        for r in (axis.range, axis.window)
    ]
    return all(axis.takes(expr, *names) for expr in exprs)


def _coefficient(expr: Expr, name: str) -> int | None:
    """By what a name is multiplied in an expression; None where it is not just that."""
    factor = dict(expr.terms).get((name,), 0)
    return factor if name not in (expr - Expr.of(name) * factor).names else None


def _at_positions(
    op: Operation,
    moved: dict[SSAValue, Expr],
    positions: Sequence[SSAValue],
    copies: dict[SSAValue, SSAValue],
) -> Operation:
    """A copy of an op that computes what it does over positions."""
    if not isinstance(op, kernel.LoadOp | kernel.IndexOp):
        return op.clone(copies)
    exprs, values = kernel.written_out(op.exprs, op.index_values)
    shift = len(positions)
    names = {
        placeholder(k): moved.get(value, Expr.of(placeholder(shift + k)))
        for k, value in enumerate(values)
    }
    rest = [copies.get(value, value) for value in values]
    exprs, values = locally([expr.substitute(names) for expr in exprs], [*positions, *rest])
    if isinstance(op, kernel.IndexOp):
        return kernel.IndexOp(exprs[0], values)
    gate, other = (None if v is None else copies.get(v, v) for v in (op.gate, op.other))
    return kernel.LoadOp(copies.get(op.buffer, op.buffer), exprs, values, gate, other)
