"""Indexing: integers, slices, `...`, None and integers that are data, on extents that may be named.

Slices mean what they mean in Python: bounds are clamped to the extent, negative ones count from
the end. Where a range of a name says enough, nothing is left to clamp (`x[1:]` of N in 1.. is
`1:N:1`). An integer must be within the extent for every value of its names. Tensors, arrays and
lists of integers broadcast together and pick as numpy's do; where one of them is out of range,
which only a call could tell, 0 is picked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from teenyir.analysis.bounds import bounds
from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import Array, TensorBase, as_tensor, broadcasted
from teenyir.frontend.creation import asarray
from teenyir.frontend.dims import Dim, Extent, to_expr
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, gather, wrapped
from teenyir.frontend.movement import flip, move, permute_dims

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Index: TypeAlias = "Extent | slice | EllipsisType | Tensor | Array | Sequence[Any] | None"

_MASK = "a mask gives a shape that depends on the values; use ty.where, or ty.nonzero with a size"

NEW, BATCH = -1, -2
"""What an axis of a result is besides an axis of the tensor: a new one, or one of the arrays'."""


@dataclass
class Picked:
    """What a key picks of a tensor."""

    cuts: list[Cut]
    """The slice or integer of each axis; the whole of an axis that an array indexes."""
    arrays: dict[int, Tensor]
    """The indices of each axis that is indexed by data, under their common extents."""
    layout: list[int]
    """Each axis of the result: that of the tensor it comes from, `NEW` or `BATCH`."""

    @property
    def batch(self) -> graph.Extents:
        """The extents that the arrays have in common."""
        return next(iter(self.arrays.values())).extents if self.arrays else ()

    @property
    def extents(self) -> graph.Extents:
        """The extents of the result."""
        batch = iter(self.batch)
        found = {NEW: lambda: Expr.of(1), BATCH: lambda: next(batch)}
        return tuple(
            found[axis]() if axis < 0 else self.cuts[axis].extent_of_part for axis in self.layout
        )

    @property
    def is_part(self) -> bool:
        """Whether it is one part without gaps, in the order of the tensor."""
        return not self.arrays and all(cut.step == 1 and not cut.flipped for cut in self.cuts)

    def without_new_axes(self, x: Tensor) -> tuple[Tensor, list[list[int]]]:
        """A result without its new axes; then which axes are the arrays', parts and wholes."""
        kept = [k for k, axis in enumerate(self.layout) if axis != NEW]
        x = move(x, [x.extents[k] for k in kept])
        groups: list[list[int]] = [[], [], []]
        for place, axis in enumerate(self.layout[k] for k in kept):
            groups[0 if axis == BATCH else 2 if self.cuts[axis].is_whole else 1].append(place)
        return x, groups


def index(x: Tensor, key: Index | tuple[Index, ...]) -> Tensor:
    """`x[key]`."""
    picked = read_key(x, key)
    result = _cut(x, picked.cuts)
    result = move(result, [e for e, c in zip(result.extents, picked.cuts, strict=True) if c.stays])
    kept = [axis for axis, cut in enumerate(picked.cuts) if cut.stays]
    if picked.arrays:
        axes = [kept.index(axis) for axis in picked.arrays]
        result = gather(result, list(picked.arrays.values()), axes)
        kept = [axis for axis in kept if axis not in picked.arrays]
        # [arrays..., other axes...] -> the layout
        batch = iter(range(len(picked.batch)))
        order = [
            next(batch) if axis == BATCH else len(picked.batch) + kept.index(axis)
            for axis in picked.layout
            if axis != NEW
        ]
        result = permute_dims(result, order)
    found = iter(result.extents)
    return move(result, [Expr.of(1) if axis == NEW else next(found) for axis in picked.layout])


def _cut(x: Tensor, cuts: Sequence[Cut]) -> Tensor:
    """The slices of a tensor; an integer leaves an extent of 1."""
    if any(cut.is_partial for cut in cuts):
        starts, stops = [cut.start for cut in cuts], [cut.stop for cut in cuts]
        steps = [cut.step for cut in cuts]
        x = x.trace.emit(graph.SliceOp, x.value, starts, stops, steps)
    flipped = [axis for axis, cut in enumerate(cuts) if cut.flipped]
    return flip(x, axis=flipped) if flipped else x


def read_key(x: Tensor, key: Index | tuple[Index, ...]) -> Picked:
    """What a key picks. Raises TraceError where it does not suit the tensor."""
    items = [_lifted(item) for item in (key if isinstance(key, tuple) else (key,))]
    items = _expanded(x, items)
    cuts: list[Cut] = []
    arrays: dict[int, Tensor] = {}
    for item in items:
        if item is None:
            continue
        axis = len(cuts)
        if isinstance(item, TensorBase):
            arrays[axis] = wrapped(item, x.extents[axis])
        cuts.append(Cut(x, axis, slice(None) if isinstance(item, TensorBase) else item))
    shared = broadcasted(*arrays.values()) if arrays else []
    arrays = dict(zip(arrays, shared, strict=True))
    return Picked(cuts, arrays, _layout(items, shared[0].ndim if shared else 0))


def _layout(items: Sequence[Item], batch: int) -> list[int]:
    """Where the axes of arrays go: in the place of neighbouring ones, otherwise in front."""
    advanced = [k for k, item in enumerate(items) if _is_advanced(item)]
    arrays = [k for k in advanced if isinstance(items[k], TensorBase)]
    together = advanced == list(range(advanced[0], advanced[-1] + 1)) if advanced else False
    layout = [BATCH] * batch if arrays and not together else []
    axis = 0
    for k, item in enumerate(items):
        if arrays and together and k == advanced[0]:
            layout += [BATCH] * batch
        if item is None:
            layout.append(NEW)
        elif isinstance(item, slice):
            layout.append(axis)
        axis += item is not None
    return layout


Item: TypeAlias = "Extent | slice | Tensor | None"


def _is_advanced(item: Item) -> bool:
    return item is not None and not isinstance(item, slice)


def _expanded(x: Tensor, key: Sequence[Item | EllipsisType]) -> list[Item]:
    """The key with one item for each axis and None for each new one."""
    places = [k for k, item in enumerate(key) if item is Ellipsis]
    if len(places) > 1:
        fail("an index has one `...` at most")
    used = sum(item is not None and item is not Ellipsis for item in key)
    if used > x.ndim:
        fail(f"{used} indices for the {x.ndim} axes of {graph.as_text(x.extents)}")
    place = places[0] if places else len(key)
    whole: list[Item] = [slice(None)] * (x.ndim - used)
    before = [item for item in key[:place] if not isinstance(item, EllipsisType)]
    after = [item for item in key[place + 1 :] if not isinstance(item, EllipsisType)]
    return [*before, *whole, *after]


def _lifted(item: Any) -> Item | EllipsisType:
    """An item of a key, with what holds several integers as a tensor."""
    if item is None or item is Ellipsis or isinstance(item, slice | Dim):
        return cast("Item | EllipsisType", item)
    if isinstance(item, bool | np.bool_) or getattr(item, "dtype", None) in ("bool", np.bool_):
        fail(_MASK)
    if isinstance(item, TensorBase):
        if item.dtype.kind == "bool":
            fail(_MASK)
        return as_indices(cast("Tensor", item), "an index")
    if isinstance(item, np.ndarray) and cast(Array, item).ndim:
        return as_indices(as_tensor(cast(Array, item)), "an index")
    if isinstance(item, list):
        return as_indices(asarray(cast("list[Any]", item)), "an index")
    if not isinstance(item, int | np.integer):
        kind = type(cast(object, item)).__name__
        fail(f"an index is an integer, a slice, ..., None or integers, got {kind}")
    return int(cast(int, item))


def _plain(value: object) -> Extent:
    """An integer, numpy's ones too, or a dim."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer | Dim):
        fail(f"an index is an integer or a dim, got {value!r}")
    return value if isinstance(value, Dim) else int(cast(int, value))


class Cut:
    """One axis of a slice: `start`, `stop` and a positive `step`, then perhaps flipped."""

    def __init__(self, x: Tensor, axis: int, item: Extent | slice) -> None:
        self.trace = x.trace
        self.extent = x.extents[axis]
        self.where = f"axis {axis} of {graph.as_text(x.extents)}"
        self.step, self.flipped = 1, False
        self.is_picked = not isinstance(item, slice)
        if not isinstance(item, slice):
            self._pick(_plain(item))
        elif (step := self._step_of(item)) > 0:
            self._forward(item, step)
        else:
            self._backward(item, -step)

    @property
    def stays(self) -> bool:
        """Whether the axis is in the result."""
        return not self.is_picked

    @property
    def extent_of_part(self) -> Expr:
        """How many elements it takes."""
        return (self.stop - self.start).ceildiv(self.step)

    @property
    def is_whole(self) -> bool:
        """Whether it is the axis as it is."""
        return not self.is_partial and not self.flipped

    @property
    def is_partial(self) -> bool:
        """Whether it leaves anything out."""
        return (self.start, self.stop, self.step) != (Expr.of(0), self.extent, 1)

    def _at_least(self, expr: Expr, least: int) -> bool:
        low = bounds(expr, self.trace.ranges).low
        return low is not None and low >= least

    def _pick(self, item: Extent) -> None:
        position = self._expr(item)
        if (constant := position.constant) is not None and constant < 0:
            position = position + self.extent
        if not (self._at_least(position, 0) and self._at_least(self.extent - position, 1)):
            known = ", ".join(str(self.trace.ranges[name]) for name in sorted(self.extent.names))
            fail(
                f"index {item} is outside of {self.where}" + (f" for some {known}" if known else "")
            )
        self.start, self.stop = position, position + 1

    def _expr(self, item: Extent) -> Expr:
        if isinstance(item, Dim):
            self.trace.learn([item])
        return to_expr(item)

    def _step_of(self, item: slice) -> int:
        step = 1 if item.step is None else _plain(item.step)
        if isinstance(step, Dim) or step == 0:
            fail(f"the step of a slice is a constant other than 0, got {step}")
        return step

    def _bound(self, value: object, default: Expr) -> Expr:
        """A bound of a slice as Python reads it: from the end where negative, and clamped."""
        if value is None:
            return default
        expr = self._expr(_plain(value))
        if (constant := expr.constant) is not None and constant < 0:
            expr = expr + self.extent
        if self._at_least(-expr, 0):
            return Expr.of(0)
        if not self._at_least(expr, 0):
            expr = Expr.maximum(expr, 0)
        if self._at_least(expr - self.extent, 0):
            return self.extent
        return expr if self._at_least(self.extent - expr, 0) else Expr.minimum(expr, self.extent)

    def _forward(self, item: slice, step: int) -> None:
        self.step = step
        self.start = self._bound(item.start, Expr.of(0))
        self.stop = self._bound(item.stop, self.extent)
        if not self._at_least(self.stop - self.start, 0):
            self.stop = Expr.maximum(self.start, self.stop)

    def _backward(self, item: slice, step: int) -> None:
        """`start, start - step, ...` above `stop`, as the same elements forward and a flip."""
        self.step, self.flipped = step, True
        if (size := self.extent.constant) is not None and not any(
            isinstance(bound, Dim) for bound in (item.start, item.stop)
        ):
            taken = range(size)[item]
            self.start = Expr.of(taken[-1] if taken else 0)
            self.stop = Expr.of(taken[0] + 1 if taken else 0)
        elif (
            item.start is None
            and item.stop is None
            and (step == 1 or self._at_least(self.extent, 1))
        ):
            count = self.extent.ceildiv(step)
            self.start = self.extent - 1 - (count - 1) * step
            self.stop = self.extent
        else:
            fail(
                f"a negative step on {self.where} takes no bounds, and an extent known not to be 0"
            )
