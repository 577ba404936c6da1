"""Ranges that are ids of a GPU's launch: no loops, but values that each thread has.

The sizes of grid and block are the greatest extents of the ranges of each axis. Where a range of
the grid has fewer iterations than the grid, the blocks beyond it skip what it holds; the ranges of
an axis of the block all have one constant extent, so that the threads of a block stay together.

What does not depend on an axis is computed by every thread along it, and stored by the first alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import Attribute

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel, uop
from teenyir.dialects.expr import ONE, Expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.once import once
from teenyir.rewriting.base import fail


class Launch:
    """The grid and the block of one kernel, or that there is none."""

    def __init__(self, func: kernel.FuncOp, facts: Facts):
        self.facts = facts
        self.ranges: dict[str, list[kernel.RangeOp]] = {}
        for op in func.body.block.ops:
            if isinstance(op, kernel.RangeOp) and kernel.is_of_launch(op):
                self._check(op)
                self.ranges.setdefault(op.how, []).append(op)

    def _check(self, range_: kernel.RangeOp) -> None:
        if range_.values:
            raise fail(range_, f"a range of kind `{range_.how}` has bounds over extents alone")
        if not range_.how.startswith("thread."):
            return
        if range_.extent.constant is None or range_.extent.constant < 1:
            raise fail(range_, f"a range of kind `{range_.how}` needs a constant extent")
        for other in self.ranges.get(range_.how, ()):
            if other.extent != range_.extent:
                raise fail(
                    range_,
                    f"has {range_.extent} threads along {range_.how}, "
                    f"{kernel.names([other])} has {other.extent}",
                )

    @once
    def axes(self) -> int:
        """How many axes grid and block have; 0 without a launch."""
        return max((uop.AXES.index(kind[-1]) + 1 for kind in self.ranges), default=0)

    def size(self, id: str) -> Expr:
        """The size of the grid or the block along an axis, such as `grid.x`."""
        extents = {range_.extent for range_ in self.ranges.get(id, ())}
        return self.facts.simplify(Expr.maximum(*extents)) if extents else ONE

    def properties(self) -> dict[str, Attribute]:
        """The grid and the block as properties of a `uop.func`."""
        if not self.axes:
            return {}
        axes = uop.AXES[: self.axes]
        block = [self.size(f"thread.{axis}").constant for axis in axes]
        return {
            "grid": ArrayAttr([ExprAttr(self.size(f"grid.{axis}")) for axis in axes]),
            "block": DenseArrayBase.from_list(i64, [size for size in block if size is not None]),
        }

    def is_partial(self, range_: kernel.RangeOp) -> bool:
        """Whether a range has fewer iterations than the launch has blocks along its axis."""
        return self.facts.simplify(range_.extent) != self.size(range_.how)

    def idle_axes(self, around: Iterable[kernel.RangeOp]) -> Sequence[str]:
        """The axes along which all threads do the same, in loops over some ranges."""
        spread = {range_.how for range_ in around}
        return [kind for kind in uop.SPECIALS if kind in self.ranges and kind not in spread]
