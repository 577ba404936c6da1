"""Tensors from attributes and extents, and what asks for extents."""

from __future__ import annotations

import math

import numpy as np

from teenyir.frontend.arrangement import eye
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.creation import arange, full
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import add, astype, multiply
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.onnx.told import told_extent, told_extents
from teenyir.frontend.onnx.values import Told, Value, extents, lifted, of_extents, settled
from teenyir.frontend.tensor import Tensor


@operator("Constant")
def constant(node: Node) -> Array:
    """The attribute that there is."""
    if "value" in node:
        return node.array("value")
    if "sparse_value" in node:
        return node.sparse_array("sparse_value")
    if "value_float" in node:
        return np.array(node.number("value_float"), np.float32)
    if "value_floats" in node:
        return np.array(node.numbers("value_floats"), np.float32)
    if "value_int" in node:
        return np.array(node.integer("value_int"), np.int64)
    if "value_ints" in node:
        return np.array(node.integers("value_ints"), np.int64)
    fail("a constant holds no tensor of numbers")


@operator("Shape")
def shape(node: Node, x: Tensor) -> Array:
    """The extents, or those from one to another."""
    start, end = node.integer("start", 0), node.integer("end", x.ndim)
    return of_extents(x.shape[start:end])


@operator("Size")
def size(node: Node, x: Tensor) -> Array:
    """How many elements."""
    found = of_extents([x.size])
    return settled(found.reshape(()))


@operator("ConstantOfShape", known=(0,), told=(0,))
def constant_of_shape(node: Node, shape: Array | Told) -> Tensor:
    """One value everywhere."""
    value = node.array("value") if "value" in node else np.zeros(1, np.float32)
    if value.size != 1:
        fail(f"the value is one element, got {value.size}")
    filler = lifted(value.reshape(()))
    wanted = told_extents(shape) if isinstance(shape, Told) else extents(shape)
    return filler.trace.broadcast(filler, filler.trace.learn(wanted))


@operator("Range", known=(0, 1, 2), told=(0, 1, 2))
def range_(node: Node, start: Array | Told, limit: Array | Told, delta: Array | Told) -> Tensor:
    """`start`, `start + delta`, ... before `limit`: as many as fit, each formed by itself."""
    if isinstance(start, Told) or isinstance(limit, Told) or isinstance(delta, Told):
        ends = (start, limit, delta)
        count = told_extent("count", lambda call: _count(*map(call.array, ends)))
        return _spaced(lifted(start).reshape(()), lifted(delta).reshape(()), count)
    if start.dtype == object or limit.dtype == object or delta.dtype == object:
        return arange(_extent(start), _extent(limit), int(_extent(delta)))
    count = _count(start, limit, delta)
    return _spaced(as_tensor(start.reshape(())), as_tensor(delta.reshape(())), count)


def _count(start: Array, limit: Array, delta: Array) -> int:
    """How many elements there are."""
    first, last, step = (float(each.reshape(())) for each in (start, limit, delta))
    if not step:
        fail("the step is 0")
    length = (last - first) / step
    count = max(0, math.ceil(length)) if math.isfinite(length) else -1
    if not 0 <= count <= 2**40:
        fail(f"from {start} to {limit} by {delta} are too many elements")
    return count


def _spaced(first: Tensor, step: Tensor, count: Extent) -> Tensor:
    return add(multiply(astype(arange(count), first.dtype), step), first)


def _extent(array: Array) -> Extent:
    found = extents(array)
    if len(found) != 1:
        fail("a bound is one number")
    return found[0]


@operator("EyeLike")
def eye_like(node: Node, x: Tensor) -> Tensor:
    """Ones on a diagonal."""
    if x.ndim != 2:
        fail(f"takes a matrix, got {x.ndim} axes")
    dtype = dtype_of(node.integer("dtype"), "the result") if "dtype" in node else x.dtype
    rows, columns = x.shape
    if isinstance(rows, Dim) or isinstance(columns, Dim):
        fail("takes a matrix of known extents")
    return astype(eye(rows, columns, k=node.integer("k", 0)), dtype)


@operator("Identity")
def identity(node: Node, x: Tensor) -> Tensor:
    """What comes in."""
    return x


@operator("Dropout", until=11)
def dropout_by_attribute(node: Node, x: Tensor) -> list[Value]:
    """What comes in, and where nothing was dropped."""
    return [x, full(x.shape, True)]


@operator("Dropout", since=12)
def dropout(
    node: Node, x: Tensor, ratio: Tensor | None = None, training: Tensor | None = None
) -> list[Value]:
    """What comes in: a program is inference. The ratio matters in training alone."""
    if training is not None and _is_true(node, 2):
        held = None if ratio is None else _number(node, 1)
        if held is None or held > 0:
            fail("training is not supported: its values are those of numpy's generator")
    return [x, full(x.shape, True)]


def _is_true(node: Node, place: int) -> bool:
    return bool(_number(node, place))


def _number(node: Node, place: int) -> float:
    """The value of an input, which has to be known."""
    node.demand(place)
    held = node.inputs[place]
    assert isinstance(held, np.ndarray)
    if held.size != 1:
        fail(f"input {place} is one number, got {held.size}")
    return float(held.reshape(-1)[0])
