"""Operators that bring elements to a common mean, variance or sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend import elementwise, normalization, reductions
from teenyir.frontend.borders import around
from teenyir.frontend.core import as_tensor, normalize_axis
from teenyir.frontend.elementwise import add, astype, divide, equal, multiply, sqrt, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import one_hot
from teenyir.frontend.movement import move
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.operators.windows import Windows, zero
from teenyir.frontend.onnx.values import Value
from teenyir.frontend.reductions import reduce
from teenyir.frontend.tensor import Tensor


@operator("Softmax", "LogSoftmax", "Hardmax", until=12)
def softmax_of_rows(node: Node, x: Tensor) -> Tensor:
    """Over all axes from one on, as one."""
    axis = normalize_axis(node.integer("axis", 1), x.ndim)
    rows = move(x, [Expr.product(x.extents[:axis]), Expr.product(x.extents[axis:])])
    return move(_softmax(node.kind, rows, -1), x.extents)


@operator("Softmax", "LogSoftmax", "Hardmax", since=13)
def softmax(node: Node, x: Tensor) -> Tensor:
    """Over one axis."""
    return _softmax(node.kind, x, node.integer("axis", -1))


def _softmax(kind: str, x: Tensor, axis: int) -> Tensor:
    if kind == "Hardmax":
        place = normalize_axis(axis, x.ndim)
        best = reductions.argmax(x, axis=place)
        return one_hot(best, x.shape[place], axis=place, dtype=x.dtype)
    function = normalization.softmax if kind == "Softmax" else normalization.log_softmax
    return function(x, axis=axis)


@operator("BatchNormalization")
def batch_normalization(
    node: Node, x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor
) -> list[Tensor]:
    """By the mean and variance of each channel: those given or, in training, those of `x`."""
    eps = node.number("epsilon", 1e-5)
    if not node.flag("training_mode"):
        wide = astype(x, x.dtype.accumulator)
        line = _known_line(node.inputs[1:5], eps, wide.dtype)
        if line is None:
            factor = divide(astype(scale, wide.dtype), sqrt(add(astype(var, wide.dtype), eps)))
            line = factor, subtract(astype(bias, wide.dtype), multiply(mean, factor))
        factor, offset = line
        found = add(multiply(wide, _by_channel(x, factor)), _by_channel(x, offset))
        return [astype(found, x.dtype)]
    axes = (0, *range(2, x.ndim))
    own_mean = reductions.mean(x, axis=axes)
    own_var = reductions.var(x, axis=axes)
    momentum = node.number("momentum", 0.9)
    found = _standardized(x, _by_channel(x, own_mean), _by_channel(x, own_var), eps)
    running = [
        add(multiply(old, momentum), multiply(astype(new, old.dtype), 1 - momentum))
        for old, new in ((mean, own_mean), (var, own_var))
    ]
    return [_affine(found, scale, bias), *running]


def _known_line(values: Sequence[Value], eps: float, dtype: DType) -> tuple[Tensor, Tensor] | None:
    """The factor and the offset of each channel that its scale, bias, mean and variance make,
    worked out while the model is imported; None where these are not known then.

    In a program a quotient for each element would take as long as the sum of a convolution of 1x1
    over 16 channels.
    """
    arrays = [each.astype(np.float64) for each in values if isinstance(each, np.ndarray)]
    if len(arrays) != len(values):
        return None
    scale, bias, mean, var = arrays
    with np.errstate(all="ignore"):  # a program does not warn either
        factor = scale / np.sqrt(var + eps)
        offset = bias - mean * factor
        found = [each.astype(dtype.numpy()) for each in (factor, offset)]
    return as_tensor(found[0]), as_tensor(found[1])


def _by_channel(x: Tensor, values: Tensor) -> Tensor:
    wide = astype(values, x.dtype.accumulator)
    return move(wide, [*values.extents, *[Expr.of(1)] * max(x.ndim - 2, 0)])


def _standardized(x: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    return divide(subtract(x, mean), sqrt(add(var, eps)))


def _affine(x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    return add(multiply(x, _by_channel(x, scale)), _by_channel(x, bias))


@operator("InstanceNormalization")
def instance_normalization(node: Node, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """By the mean and variance of each channel of each of the batch."""
    return normalization.instance_norm(x, scale, bias, eps=node.number("epsilon", 1e-5))


@operator("LpNormalization")
def lp_normalization(node: Node, x: Tensor) -> Tensor:
    """Divided by the p-norm along an axis, p being 1 or 2; 0 stays 0."""
    axis, p = node.integer("axis", -1), node.integer("p", 2)
    if p not in (1, 2):
        fail(f"p is 1 or 2, got {p}")
    size = elementwise.abs(x) if p == 1 else elementwise.square(x)
    total = reductions.sum(size, axis=axis, keepdims=True, dtype=x.dtype)
    norm = total if p == 1 else sqrt(total)
    return divide(x, where(equal(norm, 0), 1.0, norm))


@operator("LRN", ranks=(2,))
def local_response_normalization(node: Node, x: Tensor) -> Tensor:
    """Divided by a power of the mean square over neighbouring channels."""
    size, channels = node.integer("size"), x.shape[1]
    if size < 1:
        fail(f"the attribute size is positive, got {size}")
    before, after = (size - 1) // 2, size // 2
    if isinstance(channels, int):  # beyond these there is nothing to add
        before, after = min(before, channels), min(after, channels)
    squares = elementwise.square(astype(x, x.dtype.accumulator))
    padded = around(
        squares,
        [0, before, *[0] * (x.ndim - 2)],
        [0, after, *[0] * (x.ndim - 2)],
        zero(squares),
    )
    rows = move(padded, [padded.extents[0], Expr.of(1), *padded.extents[1:]])
    one, flat = (1,) * (x.ndim - 2), (0,) * (x.ndim - 1)
    windows = Windows((before + 1 + after, *one), (1, *one), (1, *one), flat, flat, flat)
    found = windows.of(rows, zero(rows))
    total = reduce("add", found, tuple(range(rows.ndim, found.ndim)), False)
    mean = multiply(move(total, x.extents), node.number("alpha", 1e-4) / size)
    base = add(mean, node.number("bias", 1.0))
    return astype(divide(x, elementwise.pow(base, node.number("beta", 0.75))), x.dtype)
