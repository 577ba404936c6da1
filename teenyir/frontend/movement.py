"""Functions that move elements and do not change them, under the array API's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import (
    ArrayLike,
    Scalar,
    as_tensor,
    broadcast_extents,
    normalize_axes,
    normalize_axis,
    promoted,
)
from teenyir.frontend.dims import Dim, Extent, Shape, as_shape
from teenyir.frontend.errors import fail

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

ONE = Expr.of(1)


@checked
def reshape(x: ArrayLike, /, shape: Shape) -> Tensor:
    """The same elements in row-major order under other extents; one may be -1, and is inferred."""
    tensor = as_tensor(x)
    given = [shape] if isinstance(shape, int | Dim) else list(shape)
    return move(tensor, _inferred(tensor, given))


def move(x: Tensor, extents: Sequence[Expr]) -> Tensor:
    """`x` reshaped to expressions; itself where these are its own."""
    if tuple(extents) == x.extents:
        return x
    return x.trace.emit(graph.ReshapeOp, x.value, tuple(extents))


def _inferred(x: Tensor, given: list[Extent]) -> tuple[Expr, ...]:
    holes = [k for k, extent in enumerate(given) if isinstance(extent, int) and extent == -1]
    if len(holes) > 1:
        fail(f"only one extent can be inferred, got {given}")
    total = Expr.product(x.extents)
    known = x.trace.learn([e for k, e in enumerate(given) if k not in holes])
    if not holes:
        if (wanted := Expr.product(known)) != total:
            shapes = f"{graph.as_text(x.extents)} has {total} elements, {graph.as_text(known)}"
            fail(f"{shapes} has {wanted}")
        return known
    others = Expr.product(known)
    if others.constant == 0:
        fail(f"-1 can be any number in {given}, where another extent is 0")
    quotient = total.exact_quotient(others)
    if quotient is None:
        fail(f"the {total} elements of {graph.as_text(x.extents)} do not divide by {others}")
    extents = list(known)
    extents.insert(holes[0], quotient)
    return tuple(extents)


@checked
def permute_dims(x: ArrayLike, /, axes: Sequence[int] | None = None) -> Tensor:
    """Axis k of the result is axis axes[k] of `x`; without axes the order is reversed."""
    tensor = as_tensor(x)
    if axes is None:
        axes = range(tensor.ndim)[::-1]
    order = normalize_axes(tuple(axes), tensor.ndim)
    if len(order) != tensor.ndim:
        fail(f"{list(axes)} does not name each of the {tensor.ndim} axes once")
    if order == tuple(range(tensor.ndim)):
        return tensor
    return tensor.trace.emit(graph.PermuteOp, tensor.value, order)


@checked
def transpose(x: ArrayLike, /, axes: Sequence[int] | None = None) -> Tensor:
    """numpy's name of `permute_dims`."""
    return permute_dims(x, axes)


def matrix_transpose(x: ArrayLike, /) -> Tensor:
    """The last two axes exchanged."""
    tensor = as_tensor(x)
    if tensor.ndim < 2:
        fail(f"a matrix has two axes, {graph.as_text(tensor.extents)} has {tensor.ndim}")
    order = list(range(tensor.ndim))
    order[-2:] = order[-1], order[-2]
    return permute_dims(tensor, order)


@checked
def moveaxis(
    x: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int], /
) -> Tensor:
    """Axes `source` put in the places `destination`, the others in their order."""
    tensor = as_tensor(x)
    old, new = (normalize_axes(axes, tensor.ndim) for axes in (source, destination))
    if len(old) != len(new):
        fail(f"moveaxis of {len(old)} axes to {len(new)} places")
    order = [axis for axis in range(tensor.ndim) if axis not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return permute_dims(tensor, order)


@checked
def expand_dims(x: ArrayLike, /, axis: int | Sequence[int] = 0) -> Tensor:
    """New axes of extent 1 at the places `axis` of the result."""
    tensor = as_tensor(x)
    count = 1 if isinstance(axis, int) else len(axis)
    places = normalize_axes(axis, tensor.ndim + count)
    old = iter(tensor.extents)
    return move(tensor, [ONE if k in places else next(old) for k in range(tensor.ndim + count)])


@checked
def squeeze(x: ArrayLike, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Axes of extent 1 dropped; without `axis` all that are 1 for certain."""
    tensor = as_tensor(x)
    if axis is None:
        return move(tensor, [extent for extent in tensor.extents if extent != ONE])
    axes = normalize_axes(axis, tensor.ndim)
    for k in axes:
        if tensor.extents[k] != ONE:
            fail(f"axis {k} of {graph.as_text(tensor.extents)} is not 1")
    return move(tensor, [extent for k, extent in enumerate(tensor.extents) if k not in axes])


@checked
def flatten(x: ArrayLike, /, start_axis: int = 0, end_axis: int = -1) -> Tensor:
    """The axes from `start_axis` to `end_axis`, both included, made one."""
    tensor = as_tensor(x)
    if not tensor.ndim:
        return move(tensor, [ONE])
    first, last = normalize_axis(start_axis, tensor.ndim), normalize_axis(end_axis, tensor.ndim)
    if first > last:
        fail(f"axis {start_axis} comes after axis {end_axis}")
    before = tensor.extents
    return move(
        tensor, [*before[:first], Expr.product(before[first : last + 1]), *before[last + 1 :]]
    )


@checked
def flip(x: ArrayLike, /, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """The order of elements along axes (without `axis` along all) reversed."""
    tensor = as_tensor(x)
    axes = normalize_axes(axis, tensor.ndim)
    return tensor.trace.emit(graph.FlipOp, tensor.value, axes) if axes else tensor


@checked
def broadcast_to(x: ArrayLike, /, shape: Shape) -> Tensor:
    """`x` repeated along new and unit axes to the extents `shape`."""
    tensor = as_tensor(x)
    extents = tensor.trace.learn(as_shape(shape))
    if len(extents) < tensor.ndim or broadcast_extents(tensor.extents, extents) != extents:
        fail(f"{graph.as_text(tensor.extents)} does not broadcast to {graph.as_text(extents)}")
    return tensor.trace.broadcast(tensor, extents)


@checked
def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Tensor:
    """Tensors one after the other along an axis; with None all flattened first."""
    parts = promoted(*arrays)
    if not parts:
        fail("concat of nothing")
    if axis is None:
        parts, axis = [flatten(part) for part in parts], 0
    if any(part.ndim != parts[0].ndim for part in parts):
        shapes = ", ".join(graph.as_text(part.extents) for part in parts)
        fail(f"concat takes tensors of one rank, got {shapes}")
    place = normalize_axis(axis, parts[0].ndim)
    values = [part.value for part in parts]
    return parts[0].trace.emit(graph.ConcatOp, values, place)


@checked
def stack(arrays: Sequence[ArrayLike], /, *, axis: int = 0) -> Tensor:
    """Tensors of equal extents along a new axis."""
    parts = [expand_dims(part, axis=axis) for part in promoted(*arrays)]
    if not parts:
        fail("stack of nothing")
    return concat(parts, axis=axis)


@checked
def pad(
    x: ArrayLike,
    pad_width: Extent | tuple[Extent, Extent] | Sequence[tuple[Extent, Extent]],
    /,
    *,
    constant_values: Scalar = 0,
) -> Tensor:
    """A constant put around `x`: numpy's `pad` in the mode `constant`.

    `pad_width` is one number for every side, one (before, after) for every axis, or one of these
    for each axis.
    """
    tensor = as_tensor(x)
    pairs = _pairs(pad_width, tensor.ndim)
    value = constant_values
    if tensor.dtype.kind == "bool" and type(value) is int and value == 0:
        value = False
    low = tensor.trace.learn([before for before, _ in pairs])
    high = tensor.trace.learn([after for _, after in pairs])
    filler = as_tensor(value, tensor.dtype)
    return tensor.trace.emit(graph.PadOp, tensor.value, filler.value, low, high)


def _pairs(
    width: Extent | tuple[Extent, Extent] | Sequence[tuple[Extent, Extent]], rank: int
) -> list[tuple[Extent, Extent]]:
    if isinstance(width, int | Dim):
        return [(width, width)] * rank
    items = list(width)
    if len(items) == 2 and all(isinstance(item, int | Dim) for item in items):
        return [(items[0], items[1])] * rank  # pyright: ignore[reportReturnType]
    pairs: list[tuple[Extent, Extent]] = []
    for item in items:
        assert not isinstance(item, int | Dim)  # two of these are a pair
        pairs.append((item[0], item[1]))
    if len(pairs) != rank:
        fail(f"pad_width has {len(pairs)} pairs for {rank} axes")
    return pairs
