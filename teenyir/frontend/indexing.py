"""Indexing: integers, slices, `...` and None, on extents that may be named.

Slices mean what they mean in Python: bounds are clamped to the extent, negative ones count from
the end. Where a range of a name says enough, nothing is left to clamp (`x[1:]` of N in 1.. is
`1:N:1`). An integer must be within the extent for every value of its names.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from teenyir.analysis.bounds import bounds
from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import TensorBase
from teenyir.frontend.dims import Dim, Extent, to_expr
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import flip, move

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Index: TypeAlias = "Extent | slice | EllipsisType | None"

_ADVICE = {
    "bool": "a mask gives a shape that depends on the values; use ty.where",
    "array": "arrays of indices are not supported; use integers and slices",
}


def index(x: Tensor, key: Index | tuple[Index, ...]) -> Tensor:
    """`x[key]`."""
    items = _expanded(x, key if isinstance(key, tuple) else (key,))
    picked = [item for item in items if item is not None]
    cuts = [_Cut(x, axis, item) for axis, item in enumerate(picked)]
    result = x
    if any(cut.is_partial for cut in cuts):
        result = x.trace.emit(
            graph.SliceOp,
            x.value,
            [cut.start for cut in cuts],
            [cut.stop for cut in cuts],
            [cut.step for cut in cuts],
        )
    if flipped := [axis for axis, cut in enumerate(cuts) if cut.flipped]:
        result = flip(result, axis=flipped)
    extents: list[Expr] = []
    kept = iter(zip(picked, result.extents, strict=True))
    for item in items:
        if item is None:
            extents.append(Expr.of(1))
            continue
        one, extent = next(kept)
        if isinstance(one, slice):
            extents.append(extent)
    return move(result, extents)


def _expanded(x: Tensor, key: Sequence[Index]) -> list[Extent | slice | None]:
    """The key with one item for each axis and None for each new one."""
    for item in key:
        _check_item(item)
    places = [k for k, item in enumerate(key) if item is Ellipsis]
    if len(places) > 1:
        fail("an index has one `...` at most")
    used = sum(item is not None and item is not Ellipsis for item in key)
    if used > x.ndim:
        fail(f"{used} indices for the {x.ndim} axes of {graph.as_text(x.extents)}")
    place = places[0] if places else len(key)
    whole: list[Extent | slice | None] = [slice(None)] * (x.ndim - used)
    before = [item for item in key[:place] if not isinstance(item, EllipsisType)]
    after = [item for item in key[place + 1 :] if not isinstance(item, EllipsisType)]
    return [*before, *whole, *after]


def _check_item(item: object) -> None:
    if item is None or item is Ellipsis or isinstance(item, slice | Dim):
        return
    if isinstance(item, bool | np.bool_) or getattr(item, "dtype", None) in ("bool", np.bool_):
        fail(_ADVICE["bool"])
    if isinstance(item, TensorBase):
        fail(_ADVICE["bool" if item.dtype.kind == "bool" else "array"])
    if isinstance(item, np.ndarray | list):
        fail(_ADVICE["array"])
    if not isinstance(item, int | np.integer):
        fail(f"an index is an integer, a slice, ... or None, got {type(item).__name__}")


def _plain(value: object) -> Extent:
    """An integer, numpy's ones too, or a dim."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer | Dim):
        fail(f"an index is an integer or a dim, got {value!r}")
    return value if isinstance(value, Dim) else int(cast(int, value))


class _Cut:
    """One axis of a slice: `start`, `stop` and a positive `step`, then perhaps flipped."""

    def __init__(self, x: Tensor, axis: int, item: Extent | slice) -> None:
        self.trace = x.trace
        self.extent = x.extents[axis]
        self.where = f"axis {axis} of {graph.as_text(x.extents)}"
        self.step, self.flipped = 1, False
        if not isinstance(item, slice):
            self._pick(_plain(item))
        elif (step := self._step_of(item)) > 0:
            self._forward(item, step)
        else:
            self._backward(item, -step)

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
        if not self._at_least(expr, 0):
            expr = Expr.maximum(expr, 0)
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
