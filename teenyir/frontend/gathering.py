"""Elements picked or placed by indices that are data.

A negative index counts from the end. What is out of range has no error to give in a compiled
program: picked from there is 0, and what would be placed there is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcast_extents,
    cast_to,
    composite,
    normalize_axis,
    tensor_type,
)
from teenyir.frontend.creation import full
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.dtypes import DTypeLike, as_dtype, integer_range
from teenyir.frontend.elementwise import add, equal, floor_divide, less, remainder, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, move, permute_dims
from teenyir.frontend.reductions import nonzero_mask, sum
from teenyir.frontend.scans import scan

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

ONE = Expr.of(1)


def as_indices(x: ArrayLike, what: str) -> Tensor:
    """A tensor of integers. Raises TraceError where it holds anything else."""
    tensor = as_tensor(x)
    if tensor.dtype.kind not in ("int", "uint"):
        fail(f"{what} takes integer indices, got {tensor.dtype}")
    return tensor


def wrapped(indices: Tensor, extent: Expr) -> Tensor:
    """Indices from the front: to negative ones the extent is added."""
    if indices.dtype.kind == "uint":
        return indices
    constant = extent.constant
    if constant is None or constant > integer_range(indices.dtype)[1]:
        indices = cast_to(indices, dtypes.INT64)
    size: ArrayLike = indices.trace.extent_value(extent) if constant is None else constant
    return where(less(indices, 0), add(indices, size), indices)


def joined(indices: Sequence[Tensor]) -> Tensor:
    """Indices for several axes, of equal extents, as `graph.gather` takes them."""
    found = [cast_to(each, _common(indices)) for each in indices]
    columns = [move(each, [*each.extents, ONE]) for each in found]
    return columns[0] if len(columns) == 1 else concat(columns, axis=-1)


def _common(indices: Sequence[Tensor]) -> DType:
    kinds = {each.dtype for each in indices}
    return kinds.pop() if len(kinds) == 1 else dtypes.INT64


def gather(x: Tensor, indices: Sequence[Tensor], axes: Sequence[int]) -> Tensor:
    """The elements of `x` at indices along axes: the indices' axes, then the other ones of `x`."""
    return x.trace.emit(graph.GatherOp, x.value, joined(indices).value, tuple(axes))


@checked
@composite("take")
def take(x: ArrayLike, indices: ArrayLike, /, *, axis: int | None = None) -> Tensor:
    """The slices of `x` along an axis that integers name; their axes take the place of that one."""
    tensor, picks = as_tensor(x), as_indices(indices, "take")
    if axis is None and tensor.ndim != 1:
        fail(f"take of {tensor.ndim} axes takes an axis")
    place = normalize_axis(0 if axis is None else axis, tensor.ndim)
    found = gather(tensor, [wrapped(picks, tensor.extents[place])], (place,))
    # [indices..., others...] -> [others before, indices..., others after]
    picked = range(picks.ndim)
    before = range(picks.ndim, picks.ndim + place)
    return permute_dims(found, [*before, *picked, *range(picks.ndim + place, found.ndim)])


@checked
@composite("take_along_axis")
def take_along_axis(x: ArrayLike, indices: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """For each line of `x` along an axis its own picks; the other extents broadcast."""
    tensor, picks = as_tensor(x), as_indices(indices, "take_along_axis")
    if picks.ndim != tensor.ndim:
        fail(f"take_along_axis of {tensor.ndim} axes takes indices of as many, got {picks.ndim}")
    place = normalize_axis(axis, tensor.ndim)
    others = [[*e[:place], ONE, *e[place + 1 :]] for e in (tensor.extents, picks.extents)]
    shared = broadcast_extents(*others)
    lines = tensor.trace.broadcast(
        tensor, (*shared[:place], tensor.extents[place], *shared[place + 1 :])
    )
    shape = (*shared[:place], picks.extents[place], *shared[place + 1 :])
    picks = tensor.trace.broadcast(wrapped(picks, tensor.extents[place]), shape)
    return gather(
        lines,
        [picks if axis == place else counted(picks, axis) for axis in range(tensor.ndim)],
        range(tensor.ndim),
    )


def counted(like: Tensor, axis: int) -> Tensor:
    """The index along an axis, with the extents and the dtype of another tensor."""
    type = tensor_type(like.dtype, like.extents)
    return like.trace.emit(graph.IotaOp, type, axis)


@composite("embedding")
def embedding(indices: ArrayLike, weight: ArrayLike, /) -> Tensor:
    """The rows of `weight`, [entries, features], that integers name."""
    return take(weight, indices, axis=0)


@checked
@composite("one_hot")
def one_hot(
    indices: ArrayLike,
    num_classes: Extent,
    /,
    *,
    axis: int = -1,
    dtype: DTypeLike = "float32",
) -> Tensor:
    """1 where the new axis counts to the index and 0 elsewhere; all 0 where it is out of range."""
    picks, found = as_indices(indices, "one_hot"), as_dtype(dtype)
    place = normalize_axis(axis, picks.ndim + 1)
    (classes,) = picks.trace.learn([num_classes])
    shape = [*picks.extents[:place], classes, *picks.extents[place:]]
    column = move(picks, [*picks.extents[:place], ONE, *picks.extents[place:]])
    wide = cast_to(picks.trace.broadcast(column, shape), dtypes.INT64)
    return cast_to(equal(wide, counted(wide, place)), found)


# --- parts that start at data ---------------------------------------------------------------------


def _starts(x: Tensor, starts: ArrayLike | Sequence[ArrayLike]) -> Tensor:
    if not isinstance(starts, list | tuple):
        return as_indices(starts, "a dynamic slice")  # pyright: ignore[reportArgumentType]
    given: Sequence[Any] = starts
    if len(given) != x.ndim:
        fail(f"one start for each of the {x.ndim} axes, got {len(given)}")
    parts = [as_indices(part, "a dynamic slice") for part in given]
    if not parts:
        return full((0,), 0, dtype=dtypes.INT64)
    if any(part.ndim for part in parts):
        fail("the starts of a dynamic slice are of rank 0")
    return concat([move(cast_to(p, _common(parts)), [ONE]) for p in parts])


@checked
def dynamic_slice(
    x: ArrayLike, starts: ArrayLike | Sequence[ArrayLike], sizes: Sequence[Extent], /
) -> Tensor:
    """The part of `x` of these sizes at `starts`, one index an axis, moved so that it fits."""
    tensor = as_tensor(x)
    extents = tensor.trace.learn(sizes)
    start = _starts(tensor, starts)
    return tensor.trace.emit(graph.DynamicSliceOp, tensor.value, start.value, extents)


@checked
def dynamic_update_slice(
    x: ArrayLike, update: ArrayLike, starts: ArrayLike | Sequence[ArrayLike], /
) -> Tensor:
    """`x` with the part that `dynamic_slice` would give replaced by `update`."""
    tensor = as_tensor(x)
    part = cast_to(as_tensor(update, tensor.dtype), tensor.dtype)
    start = _starts(tensor, starts)
    return tensor.trace.emit(graph.DynamicUpdateOp, tensor.value, part.value, start.value)


# --- as many as there are -------------------------------------------------------------------------


@checked
def nonzero(
    x: ArrayLike, /, *, size: Extent | None = None, fill_value: int = 0
) -> tuple[tuple[Tensor, ...], Tensor]:
    """Where `x` is other than zero: the indices along each axis, int64, and how many there are.

    A compiled program has no room for a number of elements that it does not know: the indices have
    `size` elements, all of `x` unless said otherwise. Those after the last one found are
    `fill_value`, and what there is beyond `size` is left out; the count says.
    """
    tensor = as_tensor(x)
    if not tensor.ndim:
        fail("nonzero of rank 0; reshape it: x.reshape(1)")
    total = Expr.product(tensor.extents)
    room = Dim.of(total, tensor.trace.ranges) if size is None else size
    mask = nonzero_mask(tensor)
    flat = move(mask, [total])
    before = scan("add", cast_to(flat, dtypes.INT64), axis=0, exclusive=True)
    places = where(flat, before, -1)  # -1 is dropped
    wide = tensor.trace.broadcast(tensor.trace.constant(0, dtypes.INT64), tensor.extents)
    columns = [move(counted(wide, axis), [total, ONE]) for axis in range(tensor.ndim)]
    where_each = concat(columns, axis=1)
    empty = full((room, tensor.ndim), fill_value, dtype=dtypes.INT64)
    found = tensor.trace.emit(
        graph.ScatterOp, "set", empty.value, joined([places]).value, where_each.value, (0,)
    )
    return tuple(found[:, axis] for axis in range(tensor.ndim)), sum(mask)


@checked
def unravel_index(indices: ArrayLike, shape: Sequence[Extent], /) -> tuple[Tensor, ...]:
    """The index along each axis of places in a tensor of constant extents, in row-major order."""
    rest = as_indices(indices, "unravel_index")
    found: list[Tensor] = []
    for extent in reversed(shape):
        if not isinstance(extent, int):
            fail(f"unravel_index takes constant extents, got {extent}")
        found.append(remainder(rest, extent))
        rest = floor_divide(rest, extent)
    return tuple(reversed(found))
