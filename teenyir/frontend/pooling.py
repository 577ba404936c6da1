"""Reductions of windows that slide over the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes, graph
from teenyir.frontend.arguments import Count, Margins, Positive, Sizes, checked
from teenyir.frontend.borders import overhang
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, divide, less, multiply, power, remainder, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, unravel_index
from teenyir.frontend.linear import per_axis
from teenyir.frontend.movement import concat
from teenyir.frontend.reductions import argmax, computing, least, max, mean, reduce

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Parts = Count | Sequence[Count | None] | None
"""How many parts each axis is made into; None leaves an axis as it is."""

MOST_PARTS = 1024
"""Parts of an axis that are not all alike: each is an operation of its own."""


@dataclass(frozen=True)
class _Windows:
    """Where windows lie on the spatial axes."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    over: tuple[int, ...]
    """How far the last ones reach beyond what is put after an axis."""

    def of(self, x: Tensor, around: int | float, beyond: int | float | None = None) -> Tensor:
        """The windows of `x`, their elements along trailing axes.

        `around` is put around `x`, and `beyond` (or the same) where they reach further.
        """
        far = around if beyond is None else beyond
        if far == around:
            high = [p + o for p, o in zip(self.padding, self.over, strict=True)]
            x = _padded(x, self.padding, high, around)
        else:
            x = _padded(x, self.padding, self.padding, around)
            x = _padded(x, [0] * len(self.over), self.over, far)
        axes = tuple(range(2, x.ndim))
        return x.trace.emit(graph.WindowOp, x.value, axes, self.size, self.stride, self.dilation)

    def combined(
        self, kind: str, x: Tensor, around: int | float, beyond: int | float | None = None
    ) -> Tensor:
        """The elements of each window combined."""
        windows = self.of(x, around, beyond)
        return reduce(kind, windows, tuple(range(x.ndim, windows.ndim)), False)


def _windows(
    x: Tensor,
    size: Sizes,
    stride: Sizes | None,
    padding: Margins,
    dilation: Sizes,
    ceil_mode: bool,
) -> _Windows:
    spatial = spatial_rank(x)
    sizes = per_axis(size, spatial, "size")
    strides = sizes if stride is None else per_axis(stride, spatial, "stride")
    pads, spread = per_axis(padding, spatial, "padding"), per_axis(dilation, spatial, "dilation")
    for pad, extent in zip(pads, sizes, strict=True):
        if pad * 2 > extent:
            fail(f"padding {pad} is more than half of the window {extent}")
    over = (0,) * spatial
    if ceil_mode:
        reach = [(k - 1) * d + 1 for k, d in zip(sizes, spread, strict=True)]
        ends = zip(x.shape[2:], reach, strides, pads, pads, strict=True)
        over = tuple(overhang(*end) for end in ends)
    return _Windows(sizes, strides, pads, spread, over)


def spatial_rank(x: Tensor) -> int:
    """How many axes come after the first two. Raises TraceError where none do."""
    if x.ndim < 3:
        fail(f"pooling takes [batch, channels, spatial...], got {graph.as_text(x.extents)}")
    return x.ndim - 2


def _padded(x: Tensor, low: Sequence[int], high: Sequence[int], value: int | float) -> Tensor:
    if not any((*low, *high)):
        return x
    filler = x.trace.constant(value, x.dtype)
    return x.trace.emit(graph.PadOp, x.value, filler.value, (0, 0, *low), (0, 0, *high))


@checked
@composite("max_pool")
def max_pool(
    x: ArrayLike,
    /,
    size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Margins = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The maximum of each window over the axes after the first two; the stride is the size.

    With `ceil_mode` the number of windows is rounded up.
    """
    tensor = as_tensor(x)
    windows = _windows(tensor, size, stride, padding, dilation, ceil_mode)
    return windows.combined("max", tensor, least("max", tensor.dtype))


@checked
@composite("max_pool_with_indices")
def max_pool_with_indices(
    x: ArrayLike,
    /,
    size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Margins = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool`, and where each maximum is: int64, in row-major order of the spatial axes."""
    tensor = as_tensor(x)
    how = _windows(tensor, size, stride, padding, dilation, ceil_mode)
    windows = how.of(tensor, least("max", tensor.dtype))
    best, within = most(windows, tensor.ndim)
    places: list[Tensor] = []
    for k, offset in enumerate(unravel_index(within, how.size)):
        first = add(multiply(counted(offset, 2 + k), how.stride[k]), -how.padding[k])
        place = add(first, multiply(offset, how.dilation[k]))
        if how.padding[k]:  # of nothing but the least value the first is found, which lies outside
            place = where(less(place, 0), remainder(place, how.dilation[k]), place)
        places.append(place)
    return best, flat_places(places, tensor.shape[2:])


def most(windows: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """The maximum over the axes after the first `rank`, and where in these it is, int64."""
    line = windows.reshape((*windows.shape[:rank], -1))
    return max(line, axis=-1), argmax(line, axis=-1)


def flat_places(places: Sequence[Tensor], extents: Sequence[Extent]) -> Tensor:
    """Places along each axis as one, in row-major order."""
    total = places[0]
    for place, extent in zip(places[1:], extents[1:], strict=True):
        total = add(multiply(total, as_tensor(extent, dtypes.INT64)), place)
    return total


@checked
@composite("avg_pool")
def avg_pool(
    x: ArrayLike,
    /,
    size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Margins = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window over the axes after the first two; padded zeros count, unless
    `count_include_pad` is False.

    With `ceil_mode` the number of windows is rounded up; what they have beyond the padding does not
    count. `divisor_override` is what sums are divided by instead of counts.
    """
    tensor = as_tensor(x)
    how = _windows(tensor, size, stride, padding, 1, ceil_mode)
    wide = computing(tensor)
    sums = how.combined("add", wide, 0)
    if divisor_override is not None:
        if divisor_override == 0:
            fail("the divisor of a pool is not 0")
        return cast_to(divide(sums, float(divisor_override)), tensor.dtype)
    if count_include_pad and not any(how.over):
        return cast_to(divide(sums, float(math.prod(how.size))), tensor.dtype)
    ones = wide.trace.constant(1, wide.dtype, tensor.extents)
    counts = how.combined("add", ones, int(count_include_pad), 0)
    return cast_to(divide(sums, counts), tensor.dtype)


@composite("global_avg_pool")
def global_avg_pool(x: ArrayLike, /) -> Tensor:
    """The mean over the axes after the first two, which stay with extent 1."""
    tensor = as_tensor(x)
    return mean(tensor, axis=range(2, 2 + spatial_rank(tensor)), keepdims=True)


@composite("global_max_pool")
def global_max_pool(x: ArrayLike, /) -> Tensor:
    """The maximum over the axes after the first two, which stay with extent 1."""
    tensor = as_tensor(x)
    return max(tensor, axis=range(2, 2 + spatial_rank(tensor)), keepdims=True)


@checked
@composite("lp_pool")
def lp_pool(
    x: ArrayLike,
    norm_type: Positive,
    /,
    size: Sizes,
    *,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """`sum(x ** norm_type) ** (1 / norm_type)` of each window; the stride is the size.

    With `ceil_mode` the number of windows is rounded up, and the sum of one that reaches beyond the
    input is scaled as if it were whole.
    """
    tensor = as_tensor(x)
    how = _windows(tensor, size, stride, 0, 1, ceil_mode)
    powers = power(computing(tensor), float(norm_type))
    if any(how.over):
        means = avg_pool(powers, how.size, stride=how.stride, ceil_mode=True)
        sums = multiply(means, float(math.prod(how.size)))
    else:
        sums = how.combined("add", powers, 0)
    return cast_to(power(sums, 1 / norm_type), tensor.dtype)


@checked
@composite("adaptive_avg_pool")
def adaptive_avg_pool(x: ArrayLike, /, output_size: Parts) -> Tensor:
    """The mean of parts, so many an axis; those of an axis that they do not divide overlap.

    An axis whose size is None stays as it is.
    """
    tensor = as_tensor(x)
    sizes = part_counts(tensor, output_size)
    if set(sizes) == {1}:
        return global_avg_pool(tensor)
    if divisors := _equal_parts(tensor, sizes):
        return avg_pool(tensor, divisors)
    return cast_to(_by_part(computing(tensor), sizes, mean), tensor.dtype)


@checked
@composite("adaptive_max_pool")
def adaptive_max_pool(x: ArrayLike, /, output_size: Parts) -> Tensor:
    """The maximum of parts, so many an axis; those of an axis that they do not divide overlap.

    An axis whose size is None stays as it is.
    """
    tensor = as_tensor(x)
    sizes = part_counts(tensor, output_size)
    if set(sizes) == {1}:
        return global_max_pool(tensor)
    if divisors := _equal_parts(tensor, sizes):
        return max_pool(tensor, divisors)
    return _by_part(tensor, sizes, max)


def part_counts(x: Tensor, given: Parts) -> tuple[int | None, ...]:
    """How many parts each spatial axis is made into."""
    count = spatial_rank(x)
    found = (given,) * count if given is None or isinstance(given, int) else given
    if len(found) != count:
        fail(f"output_size is one integer or {count}, got {given!r}")
    return tuple(found)


def _equal_parts(x: Tensor, sizes: Sequence[int | None]) -> tuple[int, ...] | None:
    """How long the parts of each axis are, where they are alike."""
    found: list[int] = []
    for axis, size in enumerate(sizes, start=2):
        extent = 1 if size is None else known_extent(x, axis, size)
        if extent % (size or 1):
            return None
        found.append(extent // (size or 1))
    return tuple(found)


def _by_part(x: Tensor, sizes: Sequence[int | None], combine: Callable[..., Tensor]) -> Tensor:
    """One axis after the other."""
    for axis, size in enumerate(sizes, start=2):
        if size is not None:
            whole = [slice(None)] * axis
            parts = [
                x[(*whole, slice(*ends))] for ends in parts_of(known_extent(x, axis, size), size)
            ]
            pooled = [combine(part, axis=axis, keepdims=True) for part in parts]
            x = concat(pooled, axis=axis)
    return x


def parts_of(extent: int, count: int) -> list[tuple[int, int]]:
    """Where parts start and end: part k of n is what is from k / n to (k + 1) / n in any part."""
    return [(k * extent // count, -(-(k + 1) * extent // count)) for k in range(count)]


def known_extent(x: Tensor, axis: int, size: int) -> int:
    """A constant extent that is to be made into parts."""
    extent = x.shape[axis]
    if not isinstance(extent, int) or size < 1 or not extent:
        fail(f"{extent} elements are not made into {size} parts")
    if extent % size and size > MOST_PARTS:
        fail(
            f"{extent} elements are not made into {size} parts: those that overlap are written "
            f"out one by one, {MOST_PARTS} at most"
        )
    return extent
