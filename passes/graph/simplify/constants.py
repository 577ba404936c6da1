"""Tensors of one value: found through movement, moved for free, computed when they meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.dialects.dtypes import DType
from teenyir.passes.graph.simplify.table import Insert, Replacement, row

Scalar: TypeAlias = bool | int | float

LARGEST = 64
"""A dense constant of more elements is not searched for being all one value."""


def splat(value: SSAValue) -> Scalar | None:
    """The value of every element, where that is one constant (and there is an element)."""
    owner = value.owner
    while isinstance(owner, graph.BroadcastOp | graph.ReshapeOp):
        owner = owner.operand.owner
    if not isinstance(owner, graph.ConstantOp):
        return None
    dense: DenseIntOrFPElementsAttr[Any] = owner.value
    if not 0 < len(dense) <= LARGEST:
        return None
    values: tuple[Any, ...] = dense.get_values()
    first = values[0]
    if any(not same(first, other) for other in values[1:]):
        return None
    return bool(first) if dtype_of(value).kind == "bool" else first


def same(a: Scalar, b: Scalar) -> bool:
    """Whether two values are the same, the sign of zero included; NaN is never."""
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def dtype_of(value: SSAValue) -> DType:
    """The dtype of a tensor's elements."""
    return graph.dtype_of(graph.tensor_type(value).element_type)


def filled(value: Scalar, like: SSAValue, insert: Insert) -> SSAValue:
    """A tensor of one value, of the type of another tensor."""
    type = graph.tensor_type(like)
    scalar = insert(graph.ConstantOp.of(graph.tensor(type.element_type, ()), [value]))
    extents = graph.extents(type)
    return insert(graph.BroadcastOp(scalar, extents, ())) if extents else scalar


def _moved(op: graph.GraphOp) -> Replacement:
    """A tensor of one value moved is one of other extents: broadcast its scalar anew."""
    source = op.operands[0]
    while isinstance(owner := source.owner, graph.BroadcastOp | graph.ReshapeOp):
        source = owner.operand
    if splat(op.operands[0]) is None or graph.tensor_type(source).get_num_dims():
        return None
    extents = graph.extents(op.result.type)
    return graph.BroadcastOp(source, extents, ()) if extents else source


def wrapped(value: int, dtype: DType) -> int:
    low = 0 if dtype.kind == "uint" else -(2 ** (dtype.bits - 1))
    return (value - low) % 2**dtype.bits + low


INTEGER: dict[type[graph.BinaryOp], Callable[[int, int], int]] = {
    graph.AddOp: lambda a, b: a + b,
    graph.SubOp: lambda a, b: a - b,
    graph.MulOp: lambda a, b: a * b,
    graph.AndOp: lambda a, b: a & b,
    graph.OrOp: lambda a, b: a | b,
    graph.XorOp: lambda a, b: a ^ b,
}
_FLOAT: dict[type[graph.BinaryOp], Callable[[Any, Any], Any]] = {
    graph.AddOp: lambda a, b: a + b,
    graph.SubOp: lambda a, b: a - b,
    graph.MulOp: lambda a, b: a * b,
    graph.DivOp: lambda a, b: a / b,
}


def _computed(op: graph.BinaryOp) -> Replacement:
    """Two scalars combined. In floats numpy rounds once, and what is not finite is left alone."""
    a, b = splat(op.lhs), splat(op.rhs)
    type = op.result.type
    if a is None or b is None or type.get_num_dims():
        return None
    dtype = dtype_of(op.result)
    if dtype.kind != "float":
        combine = INTEGER[op.__class__]
        return graph.ConstantOp.of(type, [wrapped(combine(int(a), int(b)), dtype)])
    import numpy as np

    scalar = dtype.numpy().type
    with np.errstate(all="ignore"):
        result = float(_FLOAT[op.__class__](scalar(a), scalar(b)))
    return graph.ConstantOp.of(type, [result]) if math.isfinite(result) else None


def _foldable(op: graph.BinaryOp) -> Replacement:
    table = _FLOAT if dtype_of(op.result).kind == "float" else INTEGER
    return _computed(op) if op.__class__ in table and dtype_of(op.result).kind != "bool" else None


CONSTANTS = (
    # move(splat(c)) -> splat(c)
    row(
        "move-splat",
        (
            graph.ReshapeOp,
            graph.PermuteOp,
            graph.SliceOp,
            graph.FlipOp,
            graph.WindowOp,
        ),
        _moved,
    ),
    # f(c, d) -> the value, for scalars
    row("fold-scalars", (*INTEGER, graph.DivOp), _foldable),
)
