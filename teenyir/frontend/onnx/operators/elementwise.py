"""Operators of elements, each by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.frontend import activations, bits, elementwise, transcendental
from teenyir.frontend.elementwise import astype, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import move
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.casting import converted
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.tensor import Tensor

ONE = Expr.of(1)

_ONE: dict[str, Callable[[Any], Tensor]] = {
    "Abs": elementwise.abs,
    "Acos": transcendental.acos,
    "Acosh": transcendental.acosh,
    "Asin": transcendental.asin,
    "Asinh": transcendental.asinh,
    "Atan": transcendental.atan,
    "Atanh": transcendental.atanh,
    "BitwiseNot": elementwise.bitwise_invert,
    "Ceil": elementwise.ceil,
    "Cos": elementwise.cos,
    "Cosh": transcendental.cosh,
    "Erf": elementwise.erf,
    "Exp": elementwise.exp,
    "Floor": elementwise.floor,
    "IsNaN": elementwise.isnan,
    "Log": elementwise.log,
    "Neg": elementwise.negative,
    "Not": elementwise.logical_not,
    "Reciprocal": elementwise.reciprocal,
    "Relu": activations.relu,
    "Round": elementwise.round,
    "Sigmoid": activations.sigmoid,
    "Sign": elementwise.sign,
    "Sin": elementwise.sin,
    "Sinh": transcendental.sinh,
    "Softplus": activations.softplus,
    "Softsign": activations.softsign,
    "Sqrt": elementwise.sqrt,
    "Tan": transcendental.tan,
    "Tanh": elementwise.tanh,
    "Mish": activations.mish,
    "HardSwish": activations.hardswish,
}
"""Operators of one tensor that `ty` has under a name of its own."""

_TWO: dict[str, Callable[[Any, Any], Tensor]] = {
    "Add": elementwise.add,
    "Sub": elementwise.subtract,
    "Mul": elementwise.multiply,
    "Pow": elementwise.pow,
    "BitwiseAnd": elementwise.bitwise_and,
    "BitwiseOr": elementwise.bitwise_or,
    "BitwiseXor": elementwise.bitwise_xor,
    "And": elementwise.logical_and,
    "Or": elementwise.logical_or,
    "Xor": elementwise.logical_xor,
    "Equal": elementwise.equal,
    "Greater": elementwise.greater,
    "GreaterOrEqual": elementwise.greater_equal,
    "Less": elementwise.less,
    "LessOrEqual": elementwise.less_equal,
}
"""Operators of two tensors of one dtype."""


def _register() -> None:
    for name, function in _ONE.items():
        operator(name)(_of_one(function))
    for name, function in _TWO.items():
        operator(name)(_of_two(function))


def _of_one(function: Callable[[Any], Tensor]) -> Callable[..., Tensor]:
    def call(node: Node, x: Tensor) -> Tensor:
        return function(x)

    return call


def _of_two(function: Callable[[Any, Any], Tensor]) -> Callable[..., Tensor]:
    def call(node: Node, a: Tensor, b: Tensor) -> Tensor:
        a, b = placed(node, a, b)
        if node.kind == "Pow":
            return _power(a, b)
        return function(*_of_one_dtype(a, b))

    return call


def _of_one_dtype(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    if a.dtype != b.dtype:
        fail(f"takes tensors of one dtype, got {a.dtype} and {b.dtype}")
    return a, b


def placed(node: Node, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Operands aligned as versions before 7 say it: the second at an axis of the first."""
    if node.opset >= 7 or not node.flag("broadcast"):
        return a, b
    axis = node.integer("axis", a.ndim - b.ndim) % max(a.ndim, 1)
    behind = a.ndim - axis - b.ndim
    if behind < 0:
        fail(f"the second operand has {b.ndim} axes, which do not fit at axis {axis}")
    return a, move(b, [*b.extents, *[ONE] * behind])


def _power(a: Tensor, b: Tensor) -> Tensor:
    """The base's dtype is the result's; an integer to a float is formed as a float."""
    if a.dtype == b.dtype:
        return elementwise.pow(a, b)
    if a.dtype.kind in ("int", "uint") and b.dtype.kind in ("int", "uint"):
        wide = dtypes.INT64
        return astype(elementwise.pow(astype(a, wide), astype(b, wide)), a.dtype)
    wide = dtypes.FLOAT64 if max(a.dtype.bits, b.dtype.bits) > 32 else dtypes.FLOAT32
    found = elementwise.pow(astype(a, wide), astype(b, wide))
    return astype(found, a.dtype)


_register()


@operator("Div")
def divide(node: Node, a: Tensor, b: Tensor) -> Tensor:
    """The quotient; of integers without its fraction."""
    a, b = _of_one_dtype(*placed(node, a, b))
    if a.dtype.kind == "float":
        return elementwise.divide(a, b)
    quotient = elementwise.floor_divide(a, b)
    if a.dtype.kind == "uint":
        return quotient
    rest = elementwise.remainder(a, b)
    is_rounded = elementwise.bitwise_and(
        elementwise.not_equal(rest, 0),
        elementwise.bitwise_xor(elementwise.less(a, 0), elementwise.less(b, 0)),
    )
    return elementwise.add(quotient, astype(is_rounded, a.dtype))


@operator("Mod")
def mod(node: Node, a: Tensor, b: Tensor) -> Tensor:
    """The remainder with the sign of the divisor, or with `fmod` that of the dividend."""
    a, b = _of_one_dtype(a, b)
    return bits.fmod(a, b) if node.flag("fmod") else elementwise.remainder(a, b)


@operator("BitShift")
def bit_shift(node: Node, x: Tensor, y: Tensor) -> Tensor:
    """Bits moved to the left or to the right."""
    left = node.choice("direction", "", ("LEFT", "RIGHT")) == "LEFT"
    return (elementwise.bitwise_left_shift if left else elementwise.bitwise_right_shift)(x, y)


@operator("Max", "Min", "Sum", "Mean")
def of_several(node: Node, *tensors: Tensor) -> Tensor:
    """Several tensors broadcast and combined."""
    if not tensors:
        fail("takes one input at least")
    combine: dict[str, Callable[[Any, Any], Tensor]] = {
        "Max": elementwise.maximum,
        "Min": elementwise.minimum,
    }
    found = reduce(combine.get(node.kind, elementwise.add), tensors)
    return elementwise.divide(found, float(len(tensors))) if node.kind == "Mean" else found


@operator("Where")
def where_(node: Node, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """One of two, by a condition."""
    return where(condition, *_of_one_dtype(x, y))


@operator("IsInf")
def is_inf(node: Node, x: Tensor) -> Tensor:
    """Where an element is infinite, of the signs that are asked for."""
    found = elementwise.isinf(x)
    signs = node.flag("detect_negative", True), node.flag("detect_positive", True)
    if signs == (True, True):
        return found
    if not any(signs):
        return elementwise.bitwise_and(found, False)
    zero = elementwise.astype(x, dtypes.FLOAT32) if x.dtype.storage else x
    side = elementwise.greater(zero, 0) if signs[1] else elementwise.less(zero, 0)
    return elementwise.bitwise_and(found, side)


@operator("Clip", until=10)
def clip_by_attributes(node: Node, x: Tensor) -> Tensor:
    """Kept between two attributes."""
    low = node.number("min") if "min" in node else None
    high = node.number("max") if "max" in node else None
    return elementwise.clip(x, low, high)


@operator("Clip", since=11)
def clip(node: Node, x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    """Kept between two numbers; the upper one is stronger."""
    found = x if low is None else elementwise.maximum(x, low)
    return found if high is None else elementwise.minimum(found, high)


@operator("PRelu")
def prelu(node: Node, x: Tensor, slope: Tensor) -> Tensor:
    """A slope where it is negative."""
    if node.opset < 7 and slope.ndim == 1:
        slope = move(slope, [*slope.extents, *[ONE] * (x.ndim - 2)])
    return where(elementwise.less(x, 0), elementwise.multiply(x, slope), x)


@operator("LeakyRelu")
def leaky_relu(node: Node, x: Tensor) -> Tensor:
    """A slope where it is negative."""
    return activations.leaky_relu(x, node.number("alpha", 0.01))


@operator("Elu")
def elu(node: Node, x: Tensor) -> Tensor:
    """An exponential where it is negative."""
    return activations.elu(x, node.number("alpha", 1.0))


@operator("Celu")
def celu(node: Node, x: Tensor) -> Tensor:
    """A continuous `elu`."""
    return activations.celu(x, node.number("alpha", 1.0))


@operator("Selu")
def selu(node: Node, x: Tensor) -> Tensor:
    """A scaled `elu`."""
    alpha = node.number("alpha", 1.6732632423543772)
    gamma = node.number("gamma", 1.0507009873554805)
    return elementwise.multiply(activations.elu(x, alpha), gamma)


@operator("HardSigmoid")
def hard_sigmoid(node: Node, x: Tensor) -> Tensor:
    """A line kept between 0 and 1."""
    line = elementwise.multiply(x, node.number("alpha", 0.2))
    return elementwise.clip(elementwise.add(line, node.number("beta", 0.5)), 0.0, 1.0)


@operator("ThresholdedRelu")
def thresholded_relu(node: Node, x: Tensor) -> Tensor:
    """What is greater than a threshold."""
    return where(elementwise.greater(x, node.number("alpha", 1.0)), x, 0.0)


@operator("Shrink")
def shrink(node: Node, x: Tensor) -> Tensor:
    """Zero near zero, and moved toward it beyond."""
    bias, limit = node.number("bias", 0.0), node.number("lambd", 0.5)
    if x.dtype.kind != "float":
        wide = astype(x, dtypes.FLOAT64)
        return astype(_shrunk(wide, bias, limit), x.dtype)
    return _shrunk(x, bias, limit)


def _shrunk(x: Tensor, bias: float, limit: float) -> Tensor:
    low, high = elementwise.add(x, bias), elementwise.subtract(x, bias)
    inside = where(elementwise.greater(x, limit), high, 0.0)
    return where(elementwise.less(x, -limit), low, inside)


@operator("Gelu")
def gelu(node: Node, x: Tensor) -> Tensor:
    """`x` times the normal distribution's cumulative function of it."""
    return activations.gelu(x, approximate=node.choice("approximate", "none", ("none", "tanh")))


@operator("Swish")
def swish(node: Node, x: Tensor) -> Tensor:
    """`x` times the sigmoid of a multiple of it."""
    return elementwise.multiply(
        x, activations.sigmoid(elementwise.multiply(x, node.number("alpha", 1.0)))
    )


@operator("Cast")
def cast(node: Node, x: Tensor) -> Tensor:
    """In another dtype."""
    return converted(node, x, dtype_of(node.integer("to"), "the result"))


@operator("CastLike")
def cast_like(node: Node, x: Tensor, like: Tensor) -> Tensor:
    """In the dtype of another."""
    return converted(node, x, like.dtype)


@operator("BitCast")
def bit_cast(node: Node, x: Tensor) -> Tensor:
    """The same bits read as another dtype."""
    dtype = dtype_of(node.integer("to"), "the result")
    if dtypes.BOOL in (x.dtype, dtype):  # a byte that is 0 or 1
        return bits.bitcast(astype(x, dtypes.UINT8), dtype) if dtype.bits == 8 else astype(x, dtype)
    return bits.bitcast(x, dtype)
