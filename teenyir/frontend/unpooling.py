"""Pools whose windows begin where a table says, and pools undone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes
from teenyir.frontend.arguments import Count, Sizes, checked
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.creation import arange, zeros
from teenyir.frontend.elementwise import (
    add,
    astype,
    equal,
    minimum,
    multiply,
    subtract,
    trunc,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, counted, take_along_axis, unravel_index
from teenyir.frontend.linear import per_axis
from teenyir.frontend.pooling import (
    Parts,
    flat_places,
    known_extent,
    most,
    part_counts,
    parts_of,
    spatial_rank,
)

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _pooled(
    x: Tensor, starts: Sequence[Tensor], sizes: Sequence[int], lasts: Sequence[Tensor | int]
) -> tuple[Tensor, Tensor]:
    """The maxima of windows, and where they are.

    The windows of an axis start at `starts`, [batch, channels, windows] or what broadcasts to it,
    have `sizes` elements, and end at `lasts`.
    """
    count = len(sizes)
    places = [
        minimum(add(start.reshape((*start.shape, 1)), arange(size)), last)
        for start, size, last in zip(starts, sizes, lasts, strict=True)
    ]
    windows = x
    for k, place in enumerate(places):
        line = [1] * count
        line[k] = -1
        windows = take_along_axis(windows, place.reshape((*place.shape[:2], *line)), axis=2 + k)
    outer = windows.shape[:2]
    split = [extent for place in places for extent in place.shape[2:]]
    order = [2 + 2 * k + part for part in (0, 1) for k in range(count)]
    windows = windows.reshape((*outer, *split)).permute_dims(0, 1, *order)
    best, within = most(windows, x.ndim)
    found: list[Tensor] = []
    for k, offset in enumerate(unravel_index(within, sizes)):
        line = [1] * count
        line[k] = -1
        start = starts[k].reshape((*starts[k].shape[:2], *line))
        last = lasts[k]
        end = last if isinstance(last, int) else last.reshape((*last.shape[:2], *line))
        found.append(minimum(add(start, offset), end))
    return best, flat_places(found, x.shape[2:])


@checked
@composite("adaptive_max_pool_with_indices")
def adaptive_max_pool_with_indices(x: ArrayLike, /, output_size: Parts) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool`, and where each maximum is: int64, in row-major order of the spatial
    axes, which have constant extents."""
    tensor = as_tensor(x)
    given = part_counts(tensor, output_size)
    starts: list[Tensor] = []
    lasts: list[Tensor] = []
    sizes: list[int] = []
    for axis, size in enumerate(given, start=2):
        extent = known_extent(tensor, axis, size or 1)
        parts = parts_of(extent, size or extent)
        sizes.append(max(end - start for start, end in parts))
        place = arange(len(parts)).reshape((1, 1, -1))
        starts.append(place * extent // len(parts))
        lasts.append(-(-(place + 1) * extent // len(parts)) - 1)
    ends = [last.reshape((1, 1, -1, 1)) for last in lasts]
    return _pooled(tensor, starts, sizes, ends)


@checked
@composite("fractional_max_pool")
def fractional_max_pool(
    x: ArrayLike, samples: ArrayLike, /, size: Sizes, *, output_size: Sizes
) -> tuple[Tensor, Tensor]:
    """The maxima of windows at fractional steps, and where they are (Graham, 2014).

    `samples`, [batch, channels, spatial axes], are from 0 to 1 and say where the steps begin: in
    two dimensions of columns first, as PyTorch has them. Indices are int64, in row-major order.
    """
    tensor, given = as_tensor(x), as_tensor(samples)
    count = spatial_rank(tensor)
    sizes = per_axis(size, count, "size")
    wanted = per_axis(output_size, count, "output_size")
    starts: list[Tensor] = []
    for k, (window, windows) in enumerate(zip(sizes, wanted, strict=True)):
        extent = known_extent(tensor, 2 + k, windows)
        if windows + window - 1 > extent:
            fail(f"{windows} windows of {window} do not fit into {extent}")
        sample = given[:, :, count - 1 - k if count == 2 else k, None]
        place = arange(windows)
        step = (extent - window) / (windows - 1) if windows > 1 else 0.0
        moved = trunc(multiply(add(astype(place, sample.dtype), sample), step))
        start = cast_to(subtract(moved, trunc(multiply(sample, step))), dtypes.INT64)
        starts.append(where(equal(place, windows - 1), extent - window, start))
    lasts = [known_extent(tensor, 2 + k, 1) - 1 for k in range(count)]
    return _pooled(tensor, starts, sizes, lasts)


@checked
@composite("max_unpool")
def max_unpool(x: ArrayLike, indices: ArrayLike, /, output_size: Sequence[Count]) -> Tensor:
    """Elements put back to where `max_pool_with_indices` has taken them from, zeros elsewhere.

    `output_size` are the spatial extents of the result.
    """
    tensor, places = as_tensor(x), as_indices(indices, "max_unpool")
    if tensor.extents != places.extents or len(output_size) != tensor.ndim - 2:
        fail(f"max_unpool of {tensor.shape} to {tuple(output_size)} got indices {places.shape}")
    outer = tensor.shape[:2]
    line = cast_to(places, dtypes.INT64).reshape((*outer, -1))
    empty = zeros((*outer, math.prod(output_size)), dtype=tensor.dtype)
    key = (counted(line, 0), counted(line, 1), line)
    return empty.at[key].set(tensor.reshape(line.shape)).reshape((*outer, *output_size))
