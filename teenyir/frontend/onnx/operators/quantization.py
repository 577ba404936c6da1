"""Operators on narrow numbers that stand for others by a scale and a zero point."""

from __future__ import annotations

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.arrangement import repeat
from teenyir.frontend.core import normalize_axis
from teenyir.frontend.dtypes import integer_range
from teenyir.frontend.elementwise import add, astype, divide, multiply, round, subtract
from teenyir.frontend.linear import matmul
from teenyir.frontend.movement import move
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.casting import SATURATED, saturated
from teenyir.frontend.onnx.operators.convolution import convolved, with_bias
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.tensor import Tensor


def _spread(node: Node, x: Tensor, values: Tensor, axis: int) -> Tensor:
    """Scales or zero points such that they broadcast to `x`: one, one a slice, or one a block."""
    block = node.integer("block_size", 0)
    if block and values.ndim == x.ndim:
        spread = repeat(values, block, axis=axis)
        cut = (*[slice(None)] * axis, slice(0, x.shape[axis]))
        return spread[cut]
    if values.ndim == 1 and values.extents != (Expr.of(1),):
        return move(values, [values.extents[0] if k == axis else Expr.of(1) for k in range(x.ndim)])
    return move(values, ()) if values.ndim == 1 else values


@operator("QuantizeLinear")
def quantize_linear(
    node: Node, x: Tensor, scale: Tensor, zero_point: Tensor | None = None
) -> Tensor:
    """`x / scale + zero_point`, rounded and kept in the range of the dtype."""
    axis = normalize_axis(node.integer("axis", 1), x.ndim) if x.ndim > 1 else 0
    dtype = dtypes.UINT8
    if zero_point is not None:
        dtype = zero_point.dtype
    elif node.integer("output_dtype", 0):
        dtype = dtype_of(node.integer("output_dtype"), "the result")
    precision = node.integer("precision", 0)
    wide = dtype_of(precision, "the precision") if precision else scale.dtype
    if wide.bits < 32:
        wide = dtypes.FLOAT32
    ratio = divide(astype(x, wide), astype(_spread(node, x, scale, axis), wide))
    offset = None if zero_point is None else _spread(node, x, zero_point, axis)
    return quantized(ratio, offset, dtype)


def quantized(ratio: Tensor, offset: Tensor | None, dtype: DType) -> Tensor:
    """A quotient rounded, moved and kept in the range of a narrow dtype."""
    if dtype.kind == "float":
        if offset is not None:
            ratio = add(ratio, astype(offset, ratio.dtype))
        return saturated(ratio, dtype) if dtype in SATURATED else astype(ratio, dtype)
    wide = ratio.dtype
    found = round(ratio)
    if offset is not None:
        found = add(found, astype(offset, wide))
    low, high = integer_range(dtype)
    return astype(elementwise.clip(found, float(low), float(high)), dtype)


@operator("DequantizeLinear")
def dequantize_linear(
    node: Node, x: Tensor, scale: Tensor, zero_point: Tensor | None = None
) -> Tensor:
    """`(x - zero_point) * scale`."""
    axis = normalize_axis(node.integer("axis", 1), x.ndim) if x.ndim > 1 else 0
    wanted = node.integer("output_dtype", 0)
    dtype = dtype_of(wanted, "the result") if wanted else scale.dtype
    wide = dtypes.FLOAT32 if dtype.bits <= 32 else dtypes.FLOAT64
    found = astype(x, wide)
    if zero_point is not None:
        found = subtract(found, astype(_spread(node, x, zero_point, axis), wide))
    return astype(multiply(found, astype(_spread(node, x, scale, axis), wide)), dtype)


@operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(node: Node, x: Tensor) -> list[Tensor]:
    """To uint8 by the range of `x` itself, 0 included."""
    low = elementwise.minimum(reductions.min(x), 0.0)
    high = elementwise.maximum(reductions.max(x), 0.0)
    scale = divide(subtract(high, low), 255.0)
    start = divide(subtract(0.0, low), scale)
    zero_point = astype(round(elementwise.clip(start, 0.0, 255.0)), dtypes.UINT8)
    return [quantized(divide(x, scale), zero_point, dtypes.UINT8), scale, zero_point]


def _moved(x: Tensor, zero_point: Tensor | None, rows: bool) -> Tensor:
    """`x` less its zero point, as int32; one zero point for each row, or for each column."""
    wide = astype(x, dtypes.INT32)
    if zero_point is None:
        return wide
    offset = astype(zero_point, dtypes.INT32)
    if offset.ndim == 1 and offset.extents != (Expr.of(1),) and rows:
        offset = move(offset, [*offset.extents, Expr.of(1)])
    return subtract(wide, move(offset, ()) if offset.extents == (Expr.of(1),) else offset)


@operator("MatMulInteger")
def matmul_integer(
    node: Node, a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Tensor:
    """The product of narrow integers less their zero points, in int32."""
    return matmul(_moved(a, a_zero, True), _moved(b, b_zero, False))


@operator("QLinearMatMul")
def qlinear_matmul(
    node: Node,
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
) -> Tensor:
    """The product of what narrow integers stand for, as one that stands for it."""
    product = matmul(_moved(a, a_zero, True), _moved(b, b_zero, False))
    return _requantized(product, [a_scale, b_scale, y_scale], y_zero)


def _requantized(product: Tensor, scales: list[Tensor], zero: Tensor) -> Tensor:
    """A sum of products in int32, by the scales of its factors and its own."""
    first, second, own = (astype(scale, dtypes.FLOAT32) for scale in scales)
    factor = divide(multiply(first, second), own)
    found = multiply(astype(product, dtypes.FLOAT32), _single(factor))
    return quantized(found, _single(zero), zero.dtype)


def _single(x: Tensor) -> Tensor:
    return move(x, ()) if x.extents == (Expr.of(1),) else x


@operator("ConvInteger")
def conv_integer(
    node: Node, x: Tensor, w: Tensor, x_zero: Tensor | None = None, w_zero: Tensor | None = None
) -> Tensor:
    """A convolution of narrow integers less their zero points, in int32."""
    return convolved(node, _moved(x, x_zero, False), _by_output(w, w_zero))


def _by_output(w: Tensor, zero_point: Tensor | None) -> Tensor:
    if zero_point is not None and zero_point.ndim == 1:
        ones = [Expr.of(1)] * (w.ndim - 1)
        zero_point = move(zero_point, [*zero_point.extents, *ones])
    wide = astype(w, dtypes.INT32)
    return wide if zero_point is None else subtract(wide, astype(zero_point, dtypes.INT32))


@operator("QLinearConv")
def qlinear_conv(
    node: Node,
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """A convolution of what narrow integers stand for, as one that stands for it."""
    found = convolved(node, _moved(x, x_zero, False), _by_output(w, w_zero))
    found = with_bias(found, bias)
    scale = w_scale
    if w_scale.ndim == 1 and w_scale.extents != (Expr.of(1),):
        scale = move(w_scale, [*w_scale.extents, *[Expr.of(1)] * (x.ndim - 2)])
    return _requantized(found, [x_scale, scale, y_scale], y_zero)
