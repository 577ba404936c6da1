"""Reductions of windows that slide over the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.elementwise import divide, power
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import Spatial, per_axis
from teenyir.frontend.movement import concat
from teenyir.frontend.reductions import computing, least, max, mean, reduce

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _windows(
    x: Tensor, size: Spatial, stride: Spatial | None, padding: Spatial, dilation: Spatial
) -> tuple[Tensor, tuple[int, ...]]:
    """Windows of the spatial axes and their trailing axes; `padding` has been put around `x`."""
    spatial = _spatial(x)
    sizes = per_axis(size, spatial, "size")
    strides = sizes if stride is None else per_axis(stride, spatial, "stride")
    for pad, extent in zip(per_axis(padding, spatial, "padding"), sizes, strict=True):
        if pad * 2 > extent:
            fail(f"padding {pad} is more than half of the window {extent}")
    windows = x.trace.emit(
        graph.WindowOp,
        x.value,
        tuple(range(2, x.ndim)),
        sizes,
        strides,
        per_axis(dilation, spatial, "dilation"),
    )
    return windows, tuple(range(x.ndim, windows.ndim))


def _spatial(x: Tensor) -> int:
    if x.ndim < 3:
        fail(f"pooling takes [batch, channels, spatial...], got {graph.as_text(x.extents)}")
    return x.ndim - 2


def _padded(x: Tensor, padding: Spatial, value: int | float) -> Tensor:
    around = (0, 0, *per_axis(padding, _spatial(x), "padding"))
    if not any(around):
        return x
    filler = x.trace.constant(value, x.dtype)
    return x.trace.emit(graph.PadOp, x.value, filler.value, around, around)


@composite("max_pool")
def max_pool(
    x: ArrayLike,
    /,
    size: Spatial,
    *,
    stride: Spatial | None = None,
    padding: Spatial = 0,
    dilation: Spatial = 1,
) -> Tensor:
    """The maximum of each window over the axes after the first two; the stride is the size."""
    tensor = as_tensor(x)
    outside = least("max", tensor.dtype)
    windows, axes = _windows(_padded(tensor, padding, outside), size, stride, padding, dilation)
    return reduce("max", windows, axes, False)


@composite("avg_pool")
def avg_pool(
    x: ArrayLike,
    /,
    size: Spatial,
    *,
    stride: Spatial | None = None,
    padding: Spatial = 0,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window over the axes after the first two; padded zeros count, unless
    `count_include_pad` is False."""
    tensor = as_tensor(x)
    sums = _sums(computing(tensor), size, stride, padding)
    if count_include_pad:
        count = math.prod(per_axis(size, _spatial(tensor), "size"))
        return cast_to(divide(sums, float(count)), tensor.dtype)
    ones = sums.trace.constant(1, sums.dtype, tensor.extents)
    return cast_to(divide(sums, _sums(ones, size, stride, padding)), tensor.dtype)


def _sums(x: Tensor, size: Spatial, stride: Spatial | None, padding: Spatial) -> Tensor:
    windows, axes = _windows(_padded(x, padding, 0), size, stride, padding, 1)
    return reduce("add", windows, axes, False)


@composite("global_avg_pool")
def global_avg_pool(x: ArrayLike, /) -> Tensor:
    """The mean over the axes after the first two, which stay with extent 1."""
    tensor = as_tensor(x)
    return mean(tensor, axis=range(2, 2 + _spatial(tensor)), keepdims=True)


@composite("global_max_pool")
def global_max_pool(x: ArrayLike, /) -> Tensor:
    """The maximum over the axes after the first two, which stay with extent 1."""
    tensor = as_tensor(x)
    return max(tensor, axis=range(2, 2 + _spatial(tensor)), keepdims=True)


@composite("lp_pool")
def lp_pool(
    x: ArrayLike, norm_type: float, /, size: Spatial, *, stride: Spatial | None = None
) -> Tensor:
    """`sum(x ** norm_type) ** (1 / norm_type)` of each window; the stride is the size."""
    tensor = as_tensor(x)
    sums = _sums(power(computing(tensor), float(norm_type)), size, stride, 0)
    return cast_to(power(sums, 1 / norm_type), tensor.dtype)


@composite("adaptive_avg_pool")
def adaptive_avg_pool(x: ArrayLike, /, output_size: Spatial) -> Tensor:
    """The mean of parts, so many an axis; those of an axis that they do not divide overlap."""
    tensor = as_tensor(x)
    sizes = per_axis(output_size, _spatial(tensor), "output_size")
    if set(sizes) == {1}:
        return global_avg_pool(tensor)
    if divisors := _equal_parts(tensor, sizes):
        return avg_pool(tensor, divisors)
    return cast_to(_by_part(computing(tensor), sizes, mean), tensor.dtype)


@composite("adaptive_max_pool")
def adaptive_max_pool(x: ArrayLike, /, output_size: Spatial) -> Tensor:
    """The maximum of parts, so many an axis; those of an axis that they do not divide overlap."""
    tensor = as_tensor(x)
    sizes = per_axis(output_size, _spatial(tensor), "output_size")
    if set(sizes) == {1}:
        return global_max_pool(tensor)
    if divisors := _equal_parts(tensor, sizes):
        return max_pool(tensor, divisors)
    return _by_part(tensor, sizes, max)


def _equal_parts(x: Tensor, sizes: Sequence[int]) -> tuple[int, ...] | None:
    """How long the parts of each axis are, where they are alike."""
    extents = [_known(x, axis, size) for axis, size in enumerate(sizes, start=2)]
    if any(extent % size for extent, size in zip(extents, sizes, strict=True)):
        return None
    return tuple(extent // size for extent, size in zip(extents, sizes, strict=True))


def _by_part(x: Tensor, sizes: Sequence[int], combine: Callable[..., Tensor]) -> Tensor:
    """One axis after the other: part k of n is what is from k / n to (k + 1) / n in any part."""
    for axis, size in enumerate(sizes, start=2):
        extent, whole = _known(x, axis, size), [slice(None)] * axis
        parts = [
            x[(*whole, slice(k * extent // size, -(-(k + 1) * extent // size)))]
            for k in range(size)
        ]
        x = concat([combine(part, axis=axis, keepdims=True) for part in parts], axis=axis)
    return x


def _known(x: Tensor, axis: int, size: int) -> int:
    extent = x.shape[axis]
    if not isinstance(extent, int) or size < 1 or not extent:
        fail(f"{extent} elements are not made into {size} parts")
    return extent
