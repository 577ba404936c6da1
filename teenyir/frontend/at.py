"""Functional writes: `x.at[2:4, rows].add(v)` is `x` with something done at an index.

The index is what `x[...]` takes: integers, slices, `...`, None and tensors of integers. `v`
broadcasts to what `x[...]` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import ArrayLike, as_tensor, broadcast_extents, cast_to
from teenyir.frontend.dtypes import promote
from teenyir.frontend.elementwise import add, maximum, minimum, multiply
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, joined
from teenyir.frontend.indexing import Cut, Index, Picked, index, read_key
from teenyir.frontend.movement import move, permute_dims

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

_COMBINE = {"add": add, "mul": multiply, "max": maximum, "min": minimum}


class At:
    """`x.at`: takes the index."""

    def __init__(self, x: Tensor) -> None:
        self._x = x

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Place:
        return Place(self._x, key)


@dataclass(frozen=True)
class Place:
    """`x.at[key]`: what is to be done there."""

    x: Tensor
    key: Any

    def get(self) -> Tensor:
        """`x[key]`."""
        return index(self.x, self.key)

    def set(self, values: ArrayLike) -> Tensor:
        """`x` with the elements there replaced; where an index occurs twice the last one stays."""
        return self._written("set", values)

    def add(self, values: ArrayLike) -> Tensor:
        """`x` with values added there, as often as an index occurs."""
        return self._written("add", values)

    def multiply(self, values: ArrayLike) -> Tensor:
        """`x` with the elements there multiplied, as often as an index occurs."""
        return self._written("mul", values)

    def max(self, values: ArrayLike) -> Tensor:
        """`x` with the elements there raised to values; NaN wins."""
        return self._written("max", values)

    def min(self, values: ArrayLike) -> Tensor:
        """`x` with the elements there lowered to values; NaN wins."""
        return self._written("min", values)

    def _written(self, kind: str, values: ArrayLike) -> Tensor:
        picked = read_key(self.x, self.key)
        update = _suited(values, self.x.dtype)
        shape = picked.extents
        if broadcast_extents(update.extents, shape) != shape:
            fail(f"{graph.as_text(update.extents)} does not broadcast to {graph.as_text(shape)}")
        update = self.x.trace.broadcast(update, shape)
        if picked.is_part:
            return self._part(kind, picked, update)
        return self._scattered(kind, picked, update)

    def _part(self, kind: str, picked: Picked, update: Tensor) -> Tensor:
        """A part without gaps is sliced out and put back."""
        x, cuts = self.x, picked.cuts
        sizes = [cut.stop - cut.start for cut in cuts]
        update = move(update, sizes)
        starts = [cut.start for cut in cuts]
        if kind != "set":
            old = x.trace.emit(
                graph.SliceOp, x.value, starts, [cut.stop for cut in cuts], [1] * len(cuts)
            )
            update = _COMBINE[kind](old, update)
        if tuple(sizes) == x.extents:
            return update
        place = [move(x.trace.extent_value(start), [Expr.of(1)]) for start in starts]
        at = x.trace.emit(graph.ConcatOp, [each.value for each in place], 0)
        return x.trace.emit(graph.DynamicUpdateOp, x.value, update.value, at.value)

    def _scattered(self, kind: str, picked: Picked, update: Tensor) -> Tensor:
        """[places of arrays..., places of slices..., whole axes...], as a scatter takes it."""
        x = self.x
        update, order = picked.without_new_axes(update)
        batch = [k for group in order[:2] for k in group]
        update = permute_dims(update, [*batch, *order[2]])
        shape = update.extents[: len(batch)]
        arrays = len(order[0])
        indices: dict[int, Tensor] = {}
        spread = arrays
        for axis, cut in enumerate(picked.cuts):
            if (given := picked.arrays.get(axis)) is not None:
                extents = [*given.extents, *[Expr.of(1)] * (len(shape) - arrays)]
                indices[axis] = x.trace.broadcast(move(given, extents), shape)
            elif not cut.is_whole or cut.is_picked:
                indices[axis] = _steps(x, cut, shape, spread)
                spread += not cut.is_picked
        return x.trace.emit(
            graph.ScatterOp,
            kind,
            x.value,
            joined(list(indices.values())).value,
            update.value,
            tuple(indices),
        )


def _steps(x: Tensor, cut: Cut, shape: Sequence[Expr], axis: int) -> Tensor:
    """The indices of a slice along one axis of a shape, or the same everywhere of an integer."""
    start = x.trace.extent_value(cut.start)
    zeros = x.trace.broadcast(x.trace.constant(0, dtypes.INT64), shape)
    if cut.is_picked:
        return add(zeros, start)
    steps = counted(zeros, axis)
    if cut.flipped:
        last = x.trace.extent_value(shape[axis] - 1)
        steps = add(multiply(steps, -1), last)
    return add(multiply(steps, cut.step), cast_to(start, dtypes.INT64))


def _suited(values: ArrayLike, dtype: DType) -> Tensor:
    """Values in the dtype of what they are written to. Raises TraceError where that is narrower."""
    tensor = as_tensor(values, dtype)
    if tensor.dtype != dtype and promote(tensor.dtype, dtype) != dtype:
        fail(f"{tensor.dtype} is not written to {dtype}; convert: v.astype(ty.{dtype})")
    return cast_to(tensor, dtype)
