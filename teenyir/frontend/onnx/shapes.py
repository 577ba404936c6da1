"""Integer arithmetic on extents.

What a graph works out from `Shape` (a product, a part of it, a vector put together) is done on
arrays of extents by numpy, so that it ends in a `Reshape` as an expression: `N * 4`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from teenyir.analysis.bounds import bounds
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import Array
from teenyir.frontend.dims import Dim, Extent, merge_ranges, ranges_of, to_expr
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.values import Value, integers, settled

MOST = 2**12
"""Extents in an array that is worked out while a model is imported."""

_Fold = Callable[..., "Array | list[Array] | None"]


def work_out(node: Node, inputs: Sequence[Value]) -> list[Value] | None:
    """What a node gives for known inputs with extents among them, if it is such arithmetic."""
    fold = _FOLDS.get(node.kind) if node.proto.domain in ("", "ai.onnx") else None
    if fold is None:
        return None
    found = fold(node, *map(_as_extents, inputs))
    if found is None:
        return None
    return [settled(np.asarray(each)) for each in (found if isinstance(found, list) else [found])]


def _as_extents(value: Value) -> Value:
    if isinstance(value, np.ndarray) and value.dtype.name in ("int32", "int64"):
        return value.astype(object)
    return value


def _same(node: Node, x: Array) -> Array:
    return x


def _each(function: Callable[[Any, Any], Any]) -> _Fold:
    """An elementwise function of two operands."""
    ufunc: Any = np.frompyfunc(function, 2, 1)

    def fold(node: Node, *arrays: Array) -> Array:
        result: Any = arrays[0]
        for array in arrays[1:]:
            result = ufunc(result, array)
        return _as_objects(result)

    return fold


def _as_objects(value: Any) -> Array:
    if isinstance(value, np.ndarray):
        return cast(Array, value)
    holder = np.empty((), object)
    holder[()] = value
    return holder


def _divided(a: Extent, b: Extent) -> Extent:
    """The quotient of what is not negative."""
    return a // b


def _extreme(combine: Callable[[Expr, Expr], Expr]) -> Callable[[Extent, Extent], Extent]:
    def function(a: Extent, b: Extent) -> Extent:
        ranges = merge_ranges(ranges_of(a), ranges_of(b))
        return Dim.of(combine(to_expr(a), to_expr(b)), ranges)

    return function


def _equal(a: Extent, b: Extent) -> bool | None:
    """Whether two extents are equal, where that does not depend on the call."""
    if a == b:
        return True
    ranges = merge_ranges(ranges_of(a), ranges_of(b))
    low, high = bounds(to_expr(a) - to_expr(b), ranges)
    return False if (low is not None and low > 0) or (high is not None and high < 0) else None


def _compare(node: Node, a: Array, b: Array) -> Array | None:
    found = _as_objects(np.frompyfunc(_equal, 2, 1)(a, b))
    return None if any(each is None for each in found.flat) else found.astype(bool)


def _ordered(least: int, swap: bool) -> _Fold:
    """A comparison `a - b >= least`, or with the operands swapped."""

    def holds(a: Extent, b: Extent) -> bool | None:
        first, second = (b, a) if swap else (a, b)
        ranges = merge_ranges(ranges_of(a), ranges_of(b))
        low, high = bounds(to_expr(first) - to_expr(second), ranges)
        if low is not None and low >= least:
            return True
        return False if high is not None and high < least else None

    def fold(node: Node, a: Array, b: Array) -> Array | None:
        found = _as_objects(np.frompyfunc(holds, 2, 1)(a, b))
        return None if any(each is None for each in found.flat) else found.astype(bool)

    return fold


def _choose(node: Node, condition: Array, a: Array, b: Array) -> Array | None:
    if condition.dtype != bool:
        return None
    return np.where(condition, a, b)


def _cast(node: Node, x: Array) -> Array | None:
    """Extents stay integers; as floats they are counted when the program runs."""
    return x if node.integer("to") in (6, 7) else None


def _cast_like(node: Node, x: Array, like: Value) -> Array | None:
    """Extents stay integers where they are made like such."""
    is_integer = isinstance(like, np.ndarray) and like.dtype == object
    return x if is_integer else None


def _negative(node: Node, x: Array) -> Array:
    return _as_objects(np.frompyfunc(lambda each: -each, 1, 1)(x))


def _expand(node: Node, x: Array, shape: Array) -> Array | None:
    if is_named(shape):
        return None
    wanted = np.broadcast_shapes(x.shape, tuple(integers(shape, "an extent")))
    return np.broadcast_to(x, wanted).copy() if math.prod(wanted) <= MOST else None


def _split(node: Node, x: Array, sizes: Array | None = None) -> list[Array] | None:
    axis = node.integer("axis", 0)
    extent, count = x.shape[axis], len(node.outputs)
    if sizes is None:
        part = -(-extent // count)
        found = [min(part, max(extent - part * k, 0)) for k in range(count)]
    elif is_named(sizes):
        return None
    else:
        found = integers(sizes, "an extent")
    ends = np.cumsum(found)
    return np.split(x, ends[:-1], axis=axis) if ends[-1] == extent else None


def _gather(node: Node, x: Array, indices: Array) -> Array | None:
    if is_named(indices):
        return None
    return _as_objects(np.take(x, indices.astype(np.int64), axis=node.integer("axis", 0)))


def is_named(array: Array) -> bool:
    """Whether there is a dim among the elements."""
    return any(isinstance(each, Dim) for each in array.flat)


def _concat(node: Node, *arrays: Array) -> Array:
    return np.concatenate(arrays, axis=node.integer("axis"))


def _slice(node: Node, x: Array, *bounds: Array) -> Array | None:
    if not bounds or any(is_named(each) for each in bounds):
        return None
    starts, ends, *more = [integers(each, "a bound") for each in bounds]
    axes = more[0] if more else list(range(len(starts)))
    steps = more[1] if len(more) > 1 else [1] * len(starts)
    cuts = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        cuts[axis] = slice(start, None if step < 0 and end < -x.shape[axis] else end, step)
    return x[tuple(cuts)]


def _axes(node: Node, given: Array | None) -> list[int] | None:
    if given is not None:
        return integers(given, "an axis")
    return node.integers("axes") if "axes" in node else None


def _squeeze(node: Node, x: Array, axes: Array | None = None) -> Array:
    places = _axes(node, axes)
    return np.squeeze(x, axis=None if places is None else tuple(places))


def _unsqueeze(node: Node, x: Array, axes: Array | None = None) -> Array:
    return np.expand_dims(x, tuple(_axes(node, axes) or ()))


def _reshape(node: Node, x: Array, shape: Array) -> Array | None:
    if is_named(shape):
        return None
    return x.reshape([x.shape[k] if n == 0 else n for k, n in enumerate(shape.tolist())])


def _reduced(function: Callable[..., Any]) -> _Fold:
    def fold(node: Node, x: Array, axes: Array | None = None) -> Array:
        places = _axes(node, axes)
        keep = node.flag("keepdims", True)
        axis = None if places is None else tuple(places)
        return _as_objects(function(x, axis=axis, keepdims=keep))

    return fold


_FOLDS: dict[str, _Fold] = {
    "Add": _each(lambda a, b: a + b),
    "Sub": _each(lambda a, b: a - b),
    "Mul": _each(lambda a, b: a * b),
    "Div": _each(_divided),
    "Mod": _each(lambda a, b: a % b),
    "Min": _each(_extreme(Expr.minimum)),
    "Max": _each(_extreme(Expr.maximum)),
    "Neg": _negative,
    "Equal": _compare,
    "Greater": _ordered(1, swap=False),
    "GreaterOrEqual": _ordered(0, swap=False),
    "Less": _ordered(1, swap=True),
    "LessOrEqual": _ordered(0, swap=True),
    "Where": _choose,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Expand": _expand,
    "Split": _split,
    "Identity": _same,
    "Gather": _gather,
    "Concat": _concat,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Reshape": _reshape,
    "ReduceProd": _reduced(np.prod),
    "ReduceSum": _reduced(np.sum),
}
"""By operator, what it does on arrays of extents; None where it cannot be known."""
