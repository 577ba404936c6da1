"""Operators that combine the elements along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions, scans
from teenyir.frontend.core import Array, normalize_axis
from teenyir.frontend.creation import full
from teenyir.frontend.elementwise import astype
from teenyir.frontend.movement import flip
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.told import along, viewed, with_ones, without_axes
from teenyir.frontend.onnx.values import Told, integer, integers
from teenyir.frontend.tensor import Tensor

Axes = tuple[int, ...]


def _sum(x: Tensor, axes: Axes, keep: bool) -> Tensor:
    return reductions.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def _log_sum(x: Tensor, axes: Axes, keep: bool) -> Tensor:
    return elementwise.log(_sum(x, axes, keep))


def _mean(x: Tensor, axes: Axes, keep: bool) -> Tensor:
    if x.dtype.kind == "float":
        return reductions.mean(x, axis=axes, keepdims=keep)
    return astype(reductions.mean(astype(x, dtypes.FLOAT64), axis=axes, keepdims=keep), x.dtype)


def _log_sum_exp(x: Tensor, axes: Axes, keep: bool) -> Tensor:
    if x.dtype.kind == "float":
        return reductions.logsumexp(x, axis=axes, keepdims=keep)
    wide = astype(x, dtypes.FLOAT64)
    return astype(reductions.logsumexp(wide, axis=axes, keepdims=keep), x.dtype)


def _norm(x: Tensor, axes: Axes, keep: bool) -> Tensor:
    wide = x if x.dtype.kind == "float" else astype(x, dtypes.FLOAT64)
    return astype(elementwise.sqrt(_sum(elementwise.square(wide), axes, keep)), x.dtype)


def _extreme(kind: str) -> Callable[[Tensor, Axes, bool], Tensor]:
    function = reductions.max if kind == "max" else reductions.min

    def reduce(x: Tensor, axes: Axes, keep: bool) -> Tensor:
        if any(x.shape[axis] == 0 for axis in axes):
            lowest = kind == "min" if x.dtype == dtypes.BOOL else reductions.least(kind, x.dtype)
            shape = [1 if k in axes else e for k, e in enumerate(x.shape) if keep or k not in axes]
            return full(shape, lowest, dtype=x.dtype)
        if x.dtype == dtypes.BOOL:
            found = function(astype(x, dtypes.UINT8), axis=axes, keepdims=keep)
            return astype(found, dtypes.BOOL)
        return function(x, axis=axes, keepdims=keep)

    return reduce


_REDUCTIONS: dict[str, Callable[[Tensor, Axes, bool], Tensor]] = {
    "ReduceSum": _sum,
    "ReduceMean": _mean,
    "ReduceMax": _extreme("max"),
    "ReduceMin": _extreme("min"),
    "ReduceProd": lambda x, axes, keep: reductions.prod(x, axis=axes, keepdims=keep, dtype=x.dtype),
    "ReduceL1": lambda x, axes, keep: _sum(elementwise.abs(x), axes, keep),
    "ReduceL2": _norm,
    "ReduceSumSquare": lambda x, axes, keep: _sum(elementwise.square(x), axes, keep),
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
}
"""By operator, the elements along axes made one."""


def _register() -> None:
    for name, function in _REDUCTIONS.items():
        until = 12 if name == "ReduceSum" else 17
        operator(name, until=until)(_by_attribute(function))
        operator(name, since=until + 1, known=(1,), told=(1,))(_by_input(function))


def _by_attribute(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(node: Node, x: Tensor) -> Tensor:
        axes = tuple(node.integers("axes", list(range(x.ndim))))
        return function(x, _normal(axes, x), node.flag("keepdims", True))

    return call


def _by_input(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(node: Node, x: Tensor, axes: Array | Told | None = None) -> Tensor:
        if isinstance(axes, Told):
            found = along(x, axes, lambda view, places: function(view, places, True))
            finished = with_ones if node.flag("keepdims", True) else without_axes
            return finished(found, axes, x)
        places = [] if axes is None else integers(axes, "an axis")
        if not places and node.flag("noop_with_empty_axes"):
            return function(x, (), True)
        return function(x, _normal(tuple(places or range(x.ndim)), x), node.flag("keepdims", True))

    return call


def _normal(axes: Axes, x: Tensor) -> Axes:
    return tuple(normalize_axis(axis, x.ndim) for axis in axes)


_register()


@operator("ArgMax", "ArgMin")
def arg_extreme(node: Node, x: Tensor) -> Tensor:
    """The first index of the extreme along an axis, or the last one."""
    axis = normalize_axis(node.integer("axis", 0), x.ndim)
    find: Any = reductions.argmax if node.kind == "ArgMax" else reductions.argmin
    keep = node.flag("keepdims", True)
    if not node.flag("select_last_index"):
        return find(x, axis=axis, keepdims=keep)
    from_behind = find(flip(x, axis=axis), axis=axis, keepdims=keep)
    last = x.trace.extent_value(x.extents[axis] - 1)
    return elementwise.subtract(last, from_behind)


@operator("CumSum", "CumProd", known=(1,), told=(1,))
def cumulative(node: Node, x: Tensor, axis: Array | Told) -> Tensor:
    """Each element combined with those before it along an axis."""
    if not isinstance(axis, Told):
        return _cumulated(node, x, integer(axis, "the axis"))
    return viewed(along(x, axis, lambda view, _: _cumulated(node, view, 1)), x.shape)


def _cumulated(node: Node, x: Tensor, axis: int) -> Tensor:
    return scans.scan(
        "add" if node.kind == "CumSum" else "mul",
        x,
        axis=axis,
        exclusive=node.flag("exclusive"),
        reverse=node.flag("reverse"),
    )
