"""Operators that put elements in order, or find each once."""

from __future__ import annotations

from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.frontend import reductions, scans
from teenyir.frontend.core import Array, normalize_axis
from teenyir.frontend.creation import arange, zeros
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import (
    astype,
    equal,
    isnan,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import moveaxis, reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.slots import promise_not_negative
from teenyir.frontend.onnx.told import told_extents
from teenyir.frontend.onnx.values import Bounded, Told, Value, extents, integer
from teenyir.frontend.sorting import lexsort, top_k
from teenyir.frontend.tensor import Tensor

MOST_KEYS = 256
"""Elements of a slice, each of which is a key by itself."""


@operator("TopK", until=9)
def top_k_by_attribute(node: Node, x: Tensor) -> list[Tensor]:
    """The greatest elements along an axis, and where they are."""
    return list(top_k(x, node.integer("k"), axis=node.integer("axis", -1)))


@operator("TopK", since=10, known=(1,), told=(1,))
def greatest(node: Node, x: Tensor, k: Array | Told) -> list[Tensor]:
    """The greatest or the least elements along an axis, and where they are."""
    largest = node.flag("largest", True)
    axis = normalize_axis(node.integer("axis", -1), x.ndim)
    (count,) = _how_many(k)
    if isinstance(count, Dim):
        (wanted,) = x.trace.learn([count])
        if promise_not_negative(x.extents[axis] - wanted):
            count = Dim.of(Expr.minimum(wanted, x.extents[axis]), x.trace.ranges)
    return list(top_k(x, count, axis=axis, largest=largest))


def _how_many(k: Array | Told) -> list[Extent]:
    if isinstance(k, Told):
        return told_extents(k)
    return extents(k) if k.size == 1 else [integer(k, "how many")]


@operator("Unique")
def unique(node: Node, x: Tensor) -> list[Value]:
    """Each element, or slice along an axis, once: in order, or as they come.

    Besides: where each is first, which of these each element is, and how often each is there.
    """
    if "axis" in node:
        axis = normalize_axis(node.integer("axis"), x.ndim)
        slices = moveaxis(x, axis, 0)
    else:
        axis, slices = 0, reshape(x, (-1,))
    total = slices.shape[0]
    group, first = _groups(reshape(slices, (total, -1)))
    if not node.flag("sorted", True):
        # by the first element of the group of each, counted in the order in which they come
        own = take(first, group)
        leads = equal(own, arange(total))
        rank = subtract(scans.scan("add", astype(leads, dtypes.INT64), axis=0), 1)
        group = take(rank, own)
        first = zeros((total,), dtype=dtypes.INT64).at[where(leads, rank, total)].set(arange(total))
    count = reductions.max(group) + 1
    counts = zeros((total,), dtype=dtypes.INT64).at[group].add(1)
    values = moveaxis(take(slices, first, axis=0), 0, axis)
    return [
        Bounded(values, {axis: count}),
        Bounded(first, {0: count}),
        group,
        Bounded(counts, {0: count}),
    ]


def _groups(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Of which group each row is, the groups in order, and the first row of each group."""
    total, width = rows.shape
    if not isinstance(width, int) or not 1 <= width <= MOST_KEYS:
        fail(f"takes slices of 1 to {MOST_KEYS} elements, got {width}")
    order = lexsort([rows[:, k] for k in reversed(range(width))])
    ordered = take(rows, order, axis=0)
    before = take(ordered, _before(arange(total)), axis=0)
    differs = reductions.any(_are_two(ordered, before), axis=1)
    starts = logical_or(equal(arange(total), 0), differs)
    number = subtract(scans.scan("add", astype(starts, dtypes.INT64), axis=0), 1)
    empty = zeros((total,), dtype=dtypes.INT64)
    group = empty.at[order].set(number)
    first = empty.at[where(starts, number, total)].set(order)
    return group, first


def _are_two(a: Tensor, b: Tensor) -> Tensor:
    """Where elements differ; NaN is one element, however often it is there."""
    differ = not_equal(a, b)
    if a.dtype.kind != "float":
        return differ
    return logical_and(differ, logical_not(logical_and(isnan(a), isnan(b))))


def _before(places: Tensor) -> Tensor:
    """The place before each, that of the first being itself."""
    return where(equal(places, 0), 0, subtract(places, 1))
