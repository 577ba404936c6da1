"""Functions that sum products: matmul, tensordot, vecdot, linear, convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import Count, Margins, Sizes, checked
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcast_extents,
    broadcasted,
    normalize_axes,
    promoted,
)
from teenyir.frontend.elementwise import add, multiply
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import flip, move, moveaxis, permute_dims

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


@checked
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


@checked
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Products summed over one axis of both; the other axes broadcast."""
    a, b = promoted(x1, x2)
    if not a.ndim or not b.ndim:
        fail("vecdot takes vectors, got a scalar")
    a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if a.extents[-1] != b.extents[-1]:
        fail(f"vecdot of {a.extents[-1]} and {b.extents[-1]} elements")
    a, b = broadcasted(a, b)
    last, batch = (a.ndim - 1,), tuple(range(a.ndim - 1))
    return a.trace.emit(graph.DotOp, a.value, b.value, last, last, batch, batch)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The product of each element of one vector with each of another; others are flattened."""
    a, b = promoted(x1, x2)
    rows = move(a, [Expr.product(a.extents), Expr.of(1)])
    return multiply(rows, move(b, [Expr.of(1), Expr.product(b.extents)]))


def per_axis(value: Spatial, count: int, what: str) -> tuple[int, ...]:
    """One integer for each of `count` axes, from one or from as many."""
    given: tuple[Any, ...] = tuple(value) if isinstance(value, tuple | list) else (value,) * count
    if len(given) != count or not all(type(v) is int for v in given):
        fail(f"{what} is one integer or {count}, got {value!r}")
    return given


@checked
def conv(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    /,
    *,
    stride: Sizes = 1,
    padding: Margins = 0,
    dilation: Sizes = 1,
    groups: Count = 1,
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
    return result if bias is None else _with_bias(result, bias)


@checked
def conv_transpose(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    /,
    *,
    stride: Sizes = 1,
    padding: Margins = 0,
    output_padding: Margins = 0,
    dilation: Sizes = 1,
    groups: Count = 1,
) -> Tensor:
    """The transpose of `conv` as a linear map of its input, in PyTorch's layouts.

    `x` is [batch, channels, spatial...], `weight` [channels, outputs / groups, kernel...], `bias`
    [outputs]. A spatial extent becomes
    `(n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1`.
    """
    a, w = promoted(x, weight)
    spatial = a.ndim - 2
    if spatial < 0 or w.ndim != a.ndim:
        fail(
            "conv_transpose takes [batch, channels, spatial...] and [channels, outputs, kernel...]"
            f", got {graph.as_text(a.extents)} and {graph.as_text(w.extents)}"
        )
    spread = per_axis(dilation, spatial, "dilation")
    outside = zip(
        w.extents[2:],
        spread,
        per_axis(padding, spatial, "padding"),
        per_axis(output_padding, spatial, "output_padding"),
        strict=True,
    )
    around: list[tuple[int, int]] = []
    for extent, step, pad, extra in outside:
        if (kernel := extent.constant) is None:
            fail(f"a kernel has constant extents, got {graph.as_text(w.extents)}")
        room = step * (kernel - 1) - pad
        around.append((room, room + extra))
    pads = [(max(low, 0), max(high, 0)) for low, high in around]
    result = a.trace.emit(
        graph.ConvOp,
        a.value,
        _transposed_kernel(w, groups).value,
        (1,) * spatial,
        pads,
        spread,
        groups,
        per_axis(stride, spatial, "stride"),
    )
    result = _cropped(result, around)
    return result if bias is None else _with_bias(result, bias)


def _transposed_kernel(w: Tensor, groups: int) -> Tensor:
    """[channels, outputs / groups, kernel...] as `conv` has it, turned round."""
    if groups < 1 or w.extents[0] % groups != Expr.of(0):
        fail(f"{groups} groups do not divide the channels of {graph.as_text(w.extents)}")
    channels = w.extents[0] // groups
    outputs, kernel = w.extents[1], w.extents[2:]
    split = move(w, [Expr.of(groups), channels, outputs, *kernel])
    order = [0, 2, 1, *range(3, split.ndim)]
    joined = move(permute_dims(split, order), [outputs * groups, channels, *kernel])
    return flip(joined, axis=range(2, w.ndim)) if kernel else joined


def _cropped(x: Tensor, around: Sequence[tuple[int, int]]) -> Tensor:
    """What negative padding takes away. Raises TraceError where that is more than there is."""
    if all(min(pair) >= 0 for pair in around):
        return x
    for extent, pair in zip(x.shape[-len(around) :], around, strict=True):
        taken = -sum(min(count, 0) for count in pair)
        if isinstance(extent, int) and taken > extent:
            fail(f"the padding takes {taken} of {extent} elements away")
    cuts = [slice(-low if low < 0 else 0, high if high < 0 else None) for low, high in around]
    return x[(..., *cuts)]


def _with_bias(x: Tensor, bias: ArrayLike) -> Tensor:
    """One value added for each channel, the second axis."""
    offset = as_tensor(bias)
    return add(x, move(offset, [*offset.extents, *[Expr.of(1)] * (x.ndim - 2)]))
