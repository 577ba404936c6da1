"""How an image is kept for the windows that read it: all of it, or blocks that stay in a cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stage_image import Axis, StageImage

SHARE = 2
"""Of the second-level cache an image takes one part of so many: the rest is for what is stored."""


@dataclass(frozen=True)
class KeptImage:
    """An image that is kept, or blocks of it."""

    steps: list[Primitive]
    blocks: tuple[str, ...]
    """The ranges that the outermost one has become: over blocks, and in one; the old one if there
    are no blocks."""


def kept_image(
    axes: Sequence[Axis],
    over: Sequence[kernel.RangeOp],
    names: dict[kernel.RangeOp, str],
    element_bytes: int,
    facts: Facts,
    *,
    room: int,
    parts: int = 1,
) -> KeptImage | None:
    """How to keep an image with these axes and further ranges, in so many blocks of the outermost
    axis at least, if it has as many windows; None where no block has room in the cache."""
    first, *others = axes
    ranges = [names[axis.range] for axis in axes]
    lengths = [facts.interval(range_.extent)[1] for range_ in over]
    if None in lengths:
        return None
    row = math.prod(length or 1 for length in lengths) * element_bytes
    row *= math.prod(axis.most_positions(facts) for axis in others)
    most = room // row
    block = _block(first, most, parts if others else 1)
    is_whole = first.most_positions(facts) <= most
    if block is None and not is_whole:
        return None
    split, blocks = list[Primitive](), (ranges[0],)
    if block is not None and block != first.range.extent.constant:
        blocks = outer, inner = f"{ranges[0]}o", f"{ranges[0]}i"
        split = [SplitRange(range=ranges[0], by=block, outer=outer, inner=inner)]
    image = StageImage(
        ranges=(blocks[-1], *ranges[1:]),
        windows=tuple(names[axis.window] for axis in axes),
        over=tuple(names[range_] for range_ in over),
    )
    return KeptImage([*split, image], blocks)


def _block(axis: Axis, most: int, parts: int) -> int | None:
    """The most windows of so many positions that all of an axis are a multiple of, and as many as
    `parts` make of them at most; None if that is none."""
    windows, size = axis.range.extent.constant, axis.window.extent.constant
    if windows is None or size is None:
        return None
    fitting = min((most - (size - 1) * axis.dilation - 1) // axis.stride + 1, -(-windows // parts))
    shortest = axis.dilation if axis.stride == 1 else 1
    return next((n for n in range(fitting, shortest - 1, -1) if windows % n == 0), None)
