"""A batch normalization of constants goes into the weights of the convolution before it.

    y = (conv(x, w) + b - mean) * scale + shift,  all but x constant, one number a channel

    y  is  conv(x, w * scale) + ((b - mean) * scale + shift)

The sums are formed in another order and of other products, so that it is done under `fast-math`
alone. Weights that are arguments of the program stay as they are: a kernel applies the scale to
each result of the convolution, which costs nothing beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.constants import splat
from teenyir.passes.graph.simplify.table import Insert, Replacement, building

CHANNELS = 1
"""The axis of the channels in what a convolution gives."""


def _by_channel(value: SSAValue) -> list[float] | None:
    """The number of each channel, where a tensor repeats constants along all other axes."""
    extents = graph.extents(graph.tensor_type(value))
    channels = extents[CHANNELS].constant if len(extents) > CHANNELS else None
    if channels is None:
        return None
    if (one := splat(value)) is not None:
        return [float(one)] * channels
    op = value.owner
    if not isinstance(op, graph.BroadcastOp) or op.axes != (CHANNELS,):
        return None
    source = op.operand.owner
    if not isinstance(source, graph.ConstantOp) or len(source.value) != channels:
        return None
    return _numbers(source)


def _numbers(constant: graph.ConstantOp) -> list[float]:
    dense = cast("DenseIntOrFPElementsAttr[AnyFloat]", constant.value)
    return list(dense.get_values())


def _spread(numbers: Sequence[float], like: SSAValue, insert: Insert) -> SSAValue:
    """A tensor of one number a channel, of the type of another tensor."""
    type = graph.tensor_type(like)
    vector = graph.ConstantOp.of(graph.tensor(type.element_type, [len(numbers)]), numbers)
    return insert(graph.BroadcastOp(insert(vector), graph.extents(type), [CHANNELS]))


def _convolution(value: SSAValue) -> graph.ConvOp | None:
    """The convolution with constant weights that alone makes a tensor, used once."""
    op = value.owner
    if not isinstance(op, graph.ConvOp) or not value.has_one_use():
        return None
    return op if isinstance(op.w.owner, graph.ConstantOp) else None


def _scaled(op: graph.MulOp, insert: Insert) -> Replacement:
    conv, scale = _convolution(op.lhs), _by_channel(op.rhs)
    if conv is None or scale is None:
        return None
    weights = conv.w.owner
    assert isinstance(weights, graph.ConstantOp)
    values = _numbers(weights)
    each = len(values) // len(scale)
    scaled = [value * scale[position // each] for position, value in enumerate(values)]
    new = insert(graph.ConstantOp.of(weights.result.type, scaled))
    return graph.ConvOp(
        conv.x, new, conv.stride, conv.pad, conv.dilation, conv.groups, conv.input_dilation
    )


def _shifted(op: graph.MulOp, insert: Insert) -> Replacement:
    shift, scale = op.lhs.owner, _by_channel(op.rhs)
    if not isinstance(shift, graph.AddOp | graph.SubOp) or scale is None:
        return None
    numbers = _by_channel(shift.rhs)
    if numbers is None or not op.lhs.has_one_use() or _convolution(shift.lhs) is None:
        return None
    scaled = insert(graph.MulOp(shift.lhs, op.rhs))
    moved = [number * factor for number, factor in zip(numbers, scale, strict=True)]
    return type(shift)(scaled, _spread(moved, op.result, insert))


def _sum(a: float, b: float) -> float:
    return a + b


def _difference(a: float, b: float) -> float:
    return a - b


_SIGNS: dict[type[graph.BinaryOp], Callable[[float, float], float]] = {
    graph.AddOp: _sum,
    graph.SubOp: _difference,
}


def _together(op: graph.AddOp | graph.SubOp, insert: Insert) -> Replacement:
    inner = op.lhs.owner
    if not isinstance(inner, graph.AddOp | graph.SubOp) or not op.lhs.has_one_use():
        return None
    first, second = _by_channel(inner.rhs), _by_channel(op.rhs)
    if first is None or second is None or _convolution(inner.lhs) is None:
        return None
    both = [
        _SIGNS[type(op)](_SIGNS[type(inner)](0.0, a), b) for a, b in zip(first, second, strict=True)
    ]
    return graph.AddOp(inner.lhs, _spread(both, op.result, insert))


CONVOLUTIONS = (
    # conv(x, w) * s -> conv(x, w * s), one number a channel
    building("scale-into-conv", graph.MulOp, _scaled),
    # (conv(x, w) + b) * s -> conv(x, w) * s + b * s, and so for -
    building("scale-past-shift", graph.MulOp, _shifted),
    # conv(x, w) + b - c -> conv(x, w) + (b - c), and so for the other signs
    building("shifts-meet", (graph.AddOp, graph.SubOp), _together),
)
