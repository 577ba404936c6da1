"""Elements at indices that are data, as the graph floor means them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from teenyir.interpreter import combine
from teenyir.interpreter.arrays import Array

_LARGEST = np.iinfo(np.int64).max


def gather(x: Array, indices: Array, axes: Sequence[int]) -> Array:
    """Slices of `x` picked by index, 0 where one is out of range; see `graph.gather`."""
    places, inside = _places(x, indices, axes)
    if not x.size:
        return np.zeros(places.shape, x.dtype)
    picked = x.reshape(-1)[np.where(inside, places, 0)]
    return np.where(inside, picked, np.zeros((), x.dtype))


def scatter(kind: str, x: Array, indices: Array, updates: Array, axes: Sequence[int]) -> Array:
    """`x` with updates combined into it, those out of range dropped; see `graph.scatter`."""
    places, inside = _places(x, indices, axes)
    inside = np.broadcast_to(inside, places.shape)
    result = np.array(x, order="C")
    flat = result.reshape(-1)
    # both in row-major order: of several writes to one place numpy keeps the last
    if kind == "set":
        flat[places[inside]] = updates[inside]
    else:
        combine.combine_at(kind, flat, places[inside], updates[inside])
    return result


def dynamic_slice(x: Array, starts: Array, sizes: Sequence[int]) -> Array:
    """The part of `x` of these sizes at `starts`, moved inside."""
    return x[_part(x, starts, sizes)]


def dynamic_update(x: Array, update: Array, starts: Array) -> Array:
    """`x` with a part of it replaced."""
    result = np.array(x, order="C")
    result[_part(x, starts, update.shape)] = update
    return result


def _part(x: Array, starts: Array, sizes: Sequence[int]) -> tuple[slice, ...]:
    clamped = [
        max(0, min(int(start), extent - size))
        for start, extent, size in zip(starts, x.shape, sizes, strict=True)
    ]
    return tuple(slice(start, start + size) for start, size in zip(clamped, sizes, strict=True))


def _places(x: Array, indices: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """Flat places in `x`, [index positions..., other axes of x...], and where they are inside.

    The second broadcasts to the first: it has extents of 1 for the other axes.
    """
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    extents: list[int] = list(x.shape)
    strides = [math.prod(extents[axis + 1 :]) for axis in range(x.ndim)]
    positions = indices.shape[:-1]
    places: Array = np.zeros(positions, np.int64)
    inside: Array = np.ones(positions, np.bool_)
    # what is too large for an index is as far out of range as the largest one
    wide = np.minimum(indices, _LARGEST) if indices.dtype == np.uint64 else indices
    for k, axis in enumerate(axes):
        index = wide[..., k].astype(np.int64)
        within = (index >= 0) & (index < x.shape[axis])
        places, inside = places + np.where(within, index, 0) * strides[axis], inside & within
    for axis in rest:
        places = np.add.outer(places, np.arange(extents[axis]) * strides[axis])
    return places, np.reshape(inside, (*positions, *[1] * len(rest)))
