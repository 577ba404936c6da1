"""Operators that pick and place elements by indices that are data."""

from __future__ import annotations

from collections.abc import Sequence

from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.frontend import gathering
from teenyir.frontend.core import Array, normalize_axis
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, astype, less, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, wrapped
from teenyir.frontend.movement import flatten, move
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.told import told_extents
from teenyir.frontend.onnx.values import Told, integer
from teenyir.frontend.tensor import Tensor


@operator("Gather")
def gather(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    """The slices along an axis that integers name."""
    return gathering.take(x, indices, axis=node.integer("axis", 0))


@operator("GatherElements")
def gather_elements(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    """For each element of the indices the element of `x` there along one axis."""
    axis = normalize_axis(node.integer("axis", 0), x.ndim)
    cuts = tuple(slice(None) if k == axis else slice(0, n) for k, n in enumerate(indices.shape))
    return gathering.take_along_axis(x[cuts], indices, axis=axis)


@operator("GatherND", ranks=(1, 1))
def gather_nd(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    """The parts of `x` at tuples of indices, the last axis; the first axes may go along."""
    batch = node.integer("batch_dims", 0)
    depth = _depth(indices)
    columns = [indices[..., k] for k in range(depth)]
    places = [wrapped(each, x.extents[batch + k]) for k, each in enumerate(columns)]
    like = places[0] if places else indices
    along = [counted(like, axis) for axis in range(batch)]
    return gathering.gather(x, [*along, *places], range(batch + depth))


def _depth(indices: Tensor) -> int:
    extent = indices.shape[-1]
    if not isinstance(extent, int):
        fail(f"the last axis of the indices has a constant extent, got {extent}")
    return extent


_KINDS = {"none": "set", "add": "add", "mul": "mul", "max": "max", "min": "min"}


@operator("ScatterElements", "Scatter")
def scatter_elements(node: Node, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """`x` with each update at its index along one axis."""
    axis = normalize_axis(node.integer("axis", 0), x.ndim)
    kind = _KINDS[node.choice("reduction", "none", list(_KINDS))]
    places = [
        wrapped(indices, x.extents[axis]) if k == axis else counted(indices, k)
        for k in range(x.ndim)
    ]
    return _scattered(kind, x, places, updates)


@operator("ScatterND", ranks=(1, 1))
def scatter_nd(node: Node, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """`x` with parts at tuples of indices, the last axis."""
    kind = _KINDS[node.choice("reduction", "none", list(_KINDS))]
    columns = [indices[..., k] for k in range(_depth(indices))]
    return _scattered(
        kind, x, [wrapped(each, x.extents[k]) for k, each in enumerate(columns)], updates
    )


def _scattered(kind: str, x: Tensor, places: Sequence[Tensor], updates: Tensor) -> Tensor:
    """Booleans combine as numbers do that are 0 and 1."""
    is_bool = x.dtype == dtypes.BOOL and kind != "set"
    base, update = (astype(each, dtypes.INT32) if is_bool else each for each in (x, updates))
    joined = gathering.joined(list(places))
    axes = tuple(range(len(places)))
    found = x.trace.emit(graph.ScatterOp, kind, base.value, joined.value, update.value, axes)
    return astype(found, x.dtype)


@operator("OneHot", known=(1,), told=(1,))
def one_hot(node: Node, indices: Tensor, depth: Array | Told, values: Tensor) -> Tensor:
    """One of two values by whether the new axis counts to the index."""
    count: Extent
    if isinstance(depth, Told):
        (count,) = told_extents(depth)
    else:
        count = integer(depth, "the depth")
    picks = astype(indices, dtypes.INT64)
    picks = where(less(picks, 0), add(picks, count), picks)
    axis = normalize_axis(node.integer("axis", -1), indices.ndim + 1)
    hot = gathering.one_hot(picks, count, axis=axis, dtype="bool")
    return where(hot, values[1], values[0])


@operator("ReverseSequence", ranks=(2, 1))
def reverse_sequence(node: Node, x: Tensor, lengths: Tensor) -> Tensor:
    """The first elements along one axis in reverse, as many as each part along another says."""
    batch, time = node.integer("batch_axis", 1), node.integer("time_axis", 0)
    long = astype(lengths, dtypes.INT64)
    shape = [lengths.extents[0] if k == batch else Expr.of(1) for k in range(x.ndim)]
    limit = x.trace.broadcast(move(long, shape), x.extents)
    step = counted(limit, time)
    picks = where(less(step, limit), subtract(subtract(limit, 1), step), step)
    return gathering.take_along_axis(x, picks, axis=time)


@operator("TensorScatter", ranks=(2, 2, 1))
def tensor_scatter(
    node: Node, cache: Tensor, update: Tensor, indices: Tensor | None = None
) -> Tensor:
    """A cache with new elements along an axis, from an index for each part of the batch on."""
    axis = normalize_axis(node.integer("axis", -2), cache.ndim)
    circular = node.choice("mode", "linear", ("linear", "circular")) == "circular"
    like = update.trace.broadcast(update.trace.constant(0, dtypes.INT64), update.extents)
    places = [counted(like, k) for k in range(cache.ndim)]
    if indices is not None:
        shape = [indices.extents[0], *[Expr.of(1)] * (cache.ndim - 1)]
        start = move(astype(indices, dtypes.INT64), shape)
        places[axis] = add(places[axis], start)
    if circular:
        places[axis] = places[axis] % cache.trace.extent_value(cache.extents[axis])
    return _scattered("set", cache, places, update)


@operator("ArrayFeatureExtractor", domain="ai.onnx.ml")
def array_feature_extractor(node: Node, x: Tensor, indices: Tensor) -> Tensor:
    """The elements of the last axis that integers name."""
    return gathering.take(x, flatten(indices), axis=-1)
