"""Memory below the graph floor: flat arrays with extents, checked at every access.

An access is checked in the active lanes alone: that each index is in bounds, that what is read has
been written, and that no element becomes another value where that is a fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import RunError, error
from teenyir.interpreter.arrays import Array, DType, fault, poisoned
from teenyir.interpreter.lanes import Lanes, at, first

Shape = tuple[int, ...]

ROUNDED = {1: 0.3, 2: 0.02}
"""By which part sums formed in another order are off, by the bytes of a float; 1e-5 for others."""


class OutOfBounds(RunError):
    """An index that is outside of the extents of its buffer."""


@dataclass(eq=False)
class Buffer:
    """Elements of one type, row-major; private to each lane where it has a `lead`."""

    name: str
    extents: Shape
    data: Array
    """Flat: the elements, for one lane after the other."""
    written: Array | None
    """Which elements have been written, flat; None where all have."""
    lead: Shape = ()
    """The extents of the lanes that have a copy each, in full rank; empty where all share one."""

    @staticmethod
    def of(name: str, values: Array) -> Buffer:
        """A buffer that holds the elements of an array (no copy where it is contiguous)."""
        return Buffer(name, values.shape, np.ascontiguousarray(values).reshape(-1), None)

    @staticmethod
    def fresh(name: str, extents: Shape, dtype: DType, lead: Shape = ()) -> Buffer:
        """A buffer that nobody has written: poisoned, and marked so."""
        count = math.prod(extents) * math.prod(lead)
        written = np.zeros(count, np.bool_)
        return Buffer(name, extents, poisoned((count,), dtype), written, lead)

    @property
    def size(self) -> int:
        """The number of elements of one lane."""
        return math.prod(self.extents)

    @property
    def array(self) -> Array:
        """The elements as an array of the buffer's extents."""
        return self.data.reshape(self.extents)

    def settle(self) -> None:
        """Stop keeping track of what was written once everything is."""
        if self.written is not None and self.written.all():
            self.written = None

    def index_text(self, flat: int) -> str:
        """The index of an element by its place, as `[1, 2]`."""
        index = np.unravel_index(flat % self.size if self.size else 0, self.extents)
        return f"[{', '.join(map(str, index))}]"


def place(
    op: Operation,
    buffer: Buffer,
    index: Sequence[Array],
    active: Array | None,
    lanes: Lanes,
) -> Array:
    """The flat places of elements, one index array an axis; 0 in lanes that are not active.

    Index arrays may have one more axis than the lanes, a vector's. Raises the fault of the first
    active lane whose index is out of bounds.
    """
    flat: Array = np.zeros((1,) * lanes.rank, np.int64)
    outside: Array | None = None
    for values, extent in zip(index, buffer.extents, strict=True):
        wrong = (values < 0) | (values >= extent)
        if wrong.any():
            outside = wrong if outside is None else outside | wrong
        flat = widened(flat, values.ndim) * extent + values
    if outside is not None:
        _require_inside(op, buffer, index, outside, active, lanes)
        flat = np.where(outside, 0, flat)
    return flat + widened(_lane_places(buffer, lanes), flat.ndim) if buffer.lead else flat


def widened(values: Array, ndim: int) -> Array:
    """Values of lanes with further axes of extent 1 at the end, for a vector's elements."""
    return values.reshape(values.shape + (1,) * (ndim - values.ndim))


def _lane_places(buffer: Buffer, lanes: Lanes) -> Array:
    """Where each lane's copy of a private buffer starts."""
    start: Array = np.zeros((1,) * lanes.rank, np.int64)
    stride = buffer.size
    for axis in reversed(range(lanes.rank)):
        if buffer.lead[axis] > 1:
            start = start + lanes.along(axis, np.arange(buffer.lead[axis]) * stride)
        stride *= buffer.lead[axis]
    return start


def _require_inside(
    op: Operation,
    buffer: Buffer,
    index: Sequence[Array],
    outside: Array,
    active: Array | None,
    lanes: Lanes,
) -> None:
    if active is not None:
        outside = outside & widened(active, outside.ndim)
    if not outside.any():
        return
    position = first(outside)
    values = ", ".join(str(at(widened(each, outside.ndim), position)) for each in index)
    extents = ", ".join(map(str, buffer.extents))
    message = (
        f"'{op.name}': index [{values}] is out of bounds of {buffer.name}, whose extents are "
        f"[{extents}]{lanes.describe(position[: lanes.rank])}"
    )
    raise OutOfBounds(error(message, place_of_op(op)))


def load(
    op: Operation,
    buffer: Buffer,
    places: Array,
    active: Array | None,
    lanes: Lanes,
) -> Array:
    """The elements at places; anything in lanes that are not active."""
    if not buffer.data.size:
        return np.zeros(places.shape, buffer.data.dtype)
    if buffer.written is not None:
        missing = ~buffer.written[places]
        if active is not None:
            missing = missing & widened(active, missing.ndim)
        if missing.any():
            position = first(missing)
            element = buffer.index_text(int(at(places, position)))  # pyright: ignore
            where = lanes.describe(position[: lanes.rank])
            raise fault(op, f"reads {buffer.name}{element}, which nothing has written{where}")
    return buffer.data.take(places)


def scattered(
    places: Array, values: Array, active: Array | None, shape: Shape
) -> tuple[Array, Array]:
    """The places and values of the active lanes among those of a shape, flat, in lane order.

    A mask over more lanes than the shape has is taken to hold where any of those holds.
    """
    places, values = np.broadcast_to(places, shape), np.broadcast_to(values, shape)
    if active is None:
        return places.reshape(-1), values.reshape(-1)
    active = widened(active, len(shape))
    repeated = tuple(axis for axis, n in enumerate(shape) if n == 1 and active.shape[axis] > 1)
    active = np.broadcast_to(active.any(axis=repeated, keepdims=True), shape)
    return places[active], values[active]


def store(buffer: Buffer, places: Array, values: Array) -> None:
    """Write values to flat places; of several for one place the last stays."""
    buffer.data[places] = values
    if buffer.written is not None:
        buffer.written[places] = True


class Claims:
    """Which elements of a buffer have been written, to tell when one becomes another value."""

    def __init__(self, buffer: Buffer) -> None:
        self._buffer = buffer
        self._number = np.zeros(buffer.size, np.int64)

    def clash(self, places: Array, values: Array) -> int | None:
        """Claim flat places for values. One that was claimed for another value, before or among
        them, but for the order in which sums were formed; or None."""
        clashes = (self._number[places] != 0) & ~_alike(self._buffer.data[places], values)
        # of several writes to one place one stays, and the others find it in its stead
        self._number[places] = np.arange(1, places.size + 1)
        clashes |= ~_alike(values[self._number[places] - 1], values)
        return int(places[clashes][0]) if clashes.any() else None


def _alike(before: Array, now: Array) -> Array:
    """Which values are the same, but for the order in which sums were formed."""
    if now.dtype.kind in "iub":
        return before == now
    error = ROUNDED.get(now.itemsize, 1e-5)
    before, now = before.astype(float), now.astype(float)
    most = np.abs(now[np.isfinite(now)]).max(initial=0)
    return np.isclose(before, now, rtol=error, atol=error * most, equal_nan=True)
