"""Activation functions, under PyTorch's names. Narrow floats are computed in float32."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

from teenyir.frontend.arguments import checked
from teenyir.frontend.arrangement import split
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.elementwise import (
    add,
    clip,
    divide,
    erf,
    exp,
    greater,
    maximum,
    minimum,
    multiply,
    negative,
    tanh,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.reductions import computing
from teenyir.frontend.transcendental import expm1, log1p

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _widened(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of one tensor of floats, computed in float32 or wider and rounded once."""

    @wraps(function)
    def run(x: ArrayLike, *rest: Any, **options: Any) -> Tensor:
        tensor = as_tensor(x)
        if tensor.dtype.kind != "float":
            fail(f"{function.__name__} takes floats, got {tensor.dtype}")
        return cast_to(function(computing(tensor), *rest, **options), tensor.dtype)

    return run


@composite("relu")
def relu(x: ArrayLike, /) -> Tensor:
    """`x` where it is positive, elsewhere 0; NaN stays NaN."""
    return maximum(x, 0)


@composite("relu6")
def relu6(x: ArrayLike, /) -> Tensor:
    """`x` kept between 0 and 6."""
    return clip(x, 0, 6)


@checked
@composite("hardtanh")
def hardtanh(x: ArrayLike, /, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`x` kept between two values."""
    return clip(x, min_val, max_val)


@checked
@composite("leaky_relu")
def leaky_relu(x: ArrayLike, /, negative_slope: float = 0.01) -> Tensor:
    """`x` where it is positive, elsewhere the slope times it."""
    return where(greater(x, 0.0), x, multiply(x, negative_slope))


@composite("prelu")
def prelu(x: ArrayLike, weight: ArrayLike, /) -> Tensor:
    """`leaky_relu` with a slope for each channel, the second axis, or one for all."""
    tensor, slope = as_tensor(x), as_tensor(weight)
    if slope.ndim == 1 and slope.shape[0] != 1 and tensor.ndim > 1:
        slope = slope.reshape((slope.shape[0], *[1] * (tensor.ndim - 2)))
    return where(greater(tensor, 0.0), tensor, multiply(tensor, slope))


@composite("sigmoid")
@_widened
def sigmoid(x: ArrayLike, /) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return divide(1, add(exp(negative(x)), 1))


@composite("logsigmoid")
@_widened
def logsigmoid(x: ArrayLike, /) -> Tensor:
    """The logarithm of `sigmoid`, without its underflow."""
    return negative(softplus(negative(x)))


@composite("silu")
@_widened
def silu(x: ArrayLike, /) -> Tensor:
    """`x * sigmoid(x)`, also called swish."""
    return multiply(x, sigmoid(x))


@checked
@composite("gelu")
@_widened
def gelu(x: ArrayLike, /, *, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """`x` times the normal distribution's cumulative function of it, or its tanh approximation."""
    tensor = as_tensor(x)
    if approximate == "none":
        inner = erf(multiply(tensor, math.sqrt(0.5)))
    else:
        root = math.sqrt(2 / math.pi)
        slope = add(multiply(multiply(tensor, tensor), 0.044715 * root), root)
        inner = tanh(multiply(tensor, slope))
    return multiply(multiply(tensor, 0.5), add(inner, 1))


@checked
@composite("elu")
@_widened
def elu(x: ArrayLike, /, alpha: float = 1.0) -> Tensor:
    """`x` where it is positive, elsewhere `alpha * (exp(x) - 1)`."""
    return where(greater(x, 0.0), x, multiply(expm1(minimum(x, 0.0)), alpha))


@checked
@composite("celu")
@_widened
def celu(x: ArrayLike, /, alpha: float = 1.0) -> Tensor:
    """`x` where it is positive, elsewhere `alpha * (exp(x / alpha) - 1)`."""
    return where(greater(x, 0.0), x, multiply(expm1(divide(minimum(x, 0.0), alpha)), alpha))


@composite("selu")
@_widened
def selu(x: ArrayLike, /) -> Tensor:
    """`elu` scaled such that it keeps mean 0 and variance 1 (Klambauer et al., 2017)."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return multiply(elu(x, alpha), scale)


@checked
@composite("softplus")
@_widened
def softplus(x: ArrayLike, /, beta: float = 1.0, threshold: float = math.inf) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`, without its overflow, and `x` where `beta * x` is above the
    threshold."""
    scaled = multiply(x, beta)
    tail = log1p(exp(negative(abs(scaled))))
    soft = divide(add(maximum(scaled, 0.0), tail), beta)
    return soft if math.isinf(threshold) else where(greater(scaled, threshold), x, soft)


@composite("softsign")
@_widened
def softsign(x: ArrayLike, /) -> Tensor:
    """`x / (1 + abs(x))`."""
    return divide(x, add(abs(as_tensor(x)), 1.0))


@composite("mish")
@_widened
def mish(x: ArrayLike, /) -> Tensor:
    """`x * tanh(softplus(x))`."""
    return multiply(x, tanh(softplus(x)))


@composite("hardsigmoid")
@_widened
def hardsigmoid(x: ArrayLike, /) -> Tensor:
    """`x / 6 + 1/2` kept between 0 and 1."""
    return divide(clip(add(x, 3.0), 0.0, 6.0), 6.0)


@composite("hardswish")
@_widened
def hardswish(x: ArrayLike, /) -> Tensor:
    """`x * hardsigmoid(x)`."""
    return multiply(x, hardsigmoid(x))


@checked
@composite("glu")
def glu(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second half."""
    first, second = split(x, 2, axis=axis)
    return multiply(first, sigmoid(second))
