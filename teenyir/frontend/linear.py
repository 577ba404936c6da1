"""Functions that sum products: matmul, tensordot, linear, conv; and pooling over windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcast_extents,
    cast_to,
    normalize_axes,
    promoted,
)
from teenyir.frontend.dtypes import integer_range
from teenyir.frontend.elementwise import add, divide
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import move, permute_dims
from teenyir.frontend.reductions import computing, reduce

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Spatial = int | Sequence[int]


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The matrix product over the last axis of `x1` and the last but one of `x2`.

    Axes before the last two broadcast. A vector is a row on the left, a column on the right, and
    its axis is not in the result.
    """
    a, b = promoted(x1, x2)
    if not a.ndim or not b.ndim:
        fail("matmul takes no scalars; multiply with *")
    last, first = a.ndim - 1, max(b.ndim - 2, 0)
    if a.extents[last] != b.extents[first]:
        fail(
            f"matmul of {graph.as_text(a.extents)} and {graph.as_text(b.extents)}: "
            f"{a.extents[last]} and {b.extents[first]} differ"
        )
    if b.ndim <= 2:
        return a.trace.emit(graph.DotOp, a.value, b.value, (last,), (first,))
    if a.ndim <= 2:
        product = a.trace.emit(graph.DotOp, a.value, b.value, (last,), (first,))
        # [rows?, batch..., columns] -> [batch..., rows?, columns]
        order = [*range(a.ndim - 1, product.ndim - 1), *range(a.ndim - 1), product.ndim - 1]
        return permute_dims(product, order)
    batch = broadcast_extents(a.extents[:-2], b.extents[:-2])
    a = a.trace.broadcast(a, (*batch, *a.extents[-2:]))
    b = b.trace.broadcast(b, (*batch, *b.extents[-2:]))
    axes = tuple(range(len(batch)))
    return a.trace.emit(graph.DotOp, a.value, b.value, (len(batch) + 1,), (len(batch),), axes, axes)


def tensordot(
    x1: ArrayLike, x2: ArrayLike, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Tensor:
    """Products summed over axes of both: over as many last and first ones, or over those named."""
    a, b = promoted(x1, x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            fail(f"tensordot over {axes} axes of rank {a.ndim} and {b.ndim}")
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        left, right = normalize_axes(axes[0], a.ndim), normalize_axes(axes[1], b.ndim)
    return a.trace.emit(graph.DotOp, a.value, b.value, left, right)


def linear(x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, /) -> Tensor:
    """`x @ weight.T + bias`, the weight as PyTorch keeps it: [outputs, inputs]."""
    a, w = promoted(x, weight)
    if not a.ndim or w.ndim != 2 or a.extents[-1] != w.extents[1]:
        fail(
            f"linear takes [..., inputs] and [outputs, inputs], "
            f"got {graph.as_text(a.extents)} and {graph.as_text(w.extents)}"
        )
    product = a.trace.emit(graph.DotOp, a.value, w.value, (a.ndim - 1,), (1,))
    return product if bias is None else add(product, bias)


def per_axis(value: Spatial, count: int, what: str) -> tuple[int, ...]:
    """One integer for each of `count` axes, from one or from as many."""
    given: tuple[Any, ...] = tuple(value) if isinstance(value, tuple | list) else (value,) * count
    if len(given) != count or not all(type(v) is int for v in given):
        fail(f"{what} is one integer or {count}, got {value!r}")
    return given


def conv(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    /,
    *,
    stride: Spatial = 1,
    padding: Spatial = 0,
    dilation: Spatial = 1,
    groups: int = 1,
) -> Tensor:
    """A cross-correlation over any number of spatial axes, in PyTorch's layouts.

    `x` is [batch, channels, spatial...], `weight` [outputs, channels / groups, kernel...], `bias`
    [outputs]. `padding` zeros stand on both sides.
    """
    a, w = promoted(x, weight)
    spatial = a.ndim - 2
    if spatial < 0:
        fail(f"conv takes [batch, channels, spatial...], got {graph.as_text(a.extents)}")
    result = a.trace.emit(
        graph.ConvOp,
        a.value,
        w.value,
        per_axis(stride, spatial, "stride"),
        [(p, p) for p in per_axis(padding, spatial, "padding")],
        per_axis(dilation, spatial, "dilation"),
        groups,
    )
    if bias is None:
        return result
    offset = as_tensor(bias)
    return add(result, move(offset, [*offset.extents, *[Expr.of(1)] * spatial]))


def _windows(
    x: Tensor, size: Spatial, stride: Spatial | None, padding: Spatial, dilation: Spatial
) -> tuple[Tensor, tuple[int, ...]]:
    """Windows of the spatial axes of [batch, channels, spatial...] and their trailing axes."""
    spatial = x.ndim - 2
    if spatial < 1:
        fail(f"pooling takes [batch, channels, spatial...], got {graph.as_text(x.extents)}")
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


def _padded(x: Tensor, padding: Spatial, value: int | float) -> Tensor:
    spatial = max(x.ndim - 2, 0)
    around = (0, 0, *per_axis(padding, spatial, "padding"))
    if not any(around):
        return x
    filler = x.trace.constant(value, x.dtype)
    return x.trace.emit(graph.PadOp, x.value, filler.value, around, around)


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
    floats = tensor.dtype.kind == "float"
    least = -math.inf if floats else integer_range(tensor.dtype)[0]
    windows, axes = _windows(_padded(tensor, padding, least), size, stride, padding, dilation)
    return reduce("max", windows, axes, False)


def avg_pool(
    x: ArrayLike, /, size: Spatial, *, stride: Spatial | None = None, padding: Spatial = 0
) -> Tensor:
    """The mean of each window over the axes after the first two, padded zeros counted."""
    tensor = as_tensor(x)
    padded = _padded(computing(tensor), padding, 0)
    windows, axes = _windows(padded, size, stride, padding, 1)
    count = math.prod(per_axis(size, tensor.ndim - 2, "size"))
    return cast_to(divide(reduce("add", windows, axes, False), float(count)), tensor.dtype)
