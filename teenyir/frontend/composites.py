"""Functions of models that decompose into the others: activations, softmax, normalisation.

Sums over half floats are formed in float32, as the common frameworks do, and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, normalize_axis
from teenyir.frontend.elementwise import (
    add,
    divide,
    erf,
    exp,
    log,
    maximum,
    multiply,
    negative,
    rsqrt,
    subtract,
    tanh,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.reductions import computing, mean, reduce, var

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def relu(x: ArrayLike, /) -> Tensor:
    """`x` where it is positive, elsewhere 0; NaN stays NaN."""
    return maximum(x, 0)


def sigmoid(x: ArrayLike, /) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return divide(1, add(exp(negative(x)), 1))


def silu(x: ArrayLike, /) -> Tensor:
    """`x * sigmoid(x)`, also called swish."""
    return multiply(x, sigmoid(x))


def gelu(x: ArrayLike, /, *, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """`x` times the normal distribution's cumulative function of it, or its tanh approximation."""
    tensor = as_tensor(x)
    if approximate == "none":
        inner = erf(multiply(tensor, math.sqrt(0.5)))
    elif approximate == "tanh":
        cubic = multiply(multiply(tensor, tensor), tensor)
        inner = tanh(multiply(add(tensor, multiply(cubic, 0.044715)), math.sqrt(2 / math.pi)))
    else:
        fail(f"gelu approximates by 'none' or 'tanh', got {approximate!r}")
    return multiply(multiply(tensor, 0.5), add(inner, 1))


def _shifted(x: Tensor, axis: int) -> Tensor:
    return subtract(x, reduce("max", x, (axis,), True))


def softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Exponentials along an axis divided by their sum, the maximum subtracted first."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    powers = exp(_shifted(computing(tensor), place))
    return cast_to(divide(powers, reduce("add", powers, (place,), True)), tensor.dtype)


def log_softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without its underflow."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    shifted = _shifted(computing(tensor), place)
    total = log(reduce("add", exp(shifted), (place,), True))
    return cast_to(subtract(shifted, total), tensor.dtype)


def layer_norm(
    x: ArrayLike,
    /,
    normalized_axes: int | Sequence[int] = -1,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: float = 1e-5,
) -> Tensor:
    """`x` with mean 0 and variance 1 along axes, then scaled by `weight` and moved by `bias`."""
    tensor = as_tensor(x)
    if tensor.dtype.kind != "float":
        fail(f"layer_norm takes floats, got {tensor.dtype}")
    wide = computing(tensor)
    centred = subtract(wide, mean(wide, axis=normalized_axes, keepdims=True))
    spread = var(wide, axis=normalized_axes, keepdims=True)
    result = multiply(centred, rsqrt(add(spread, eps)))
    if weight is not None:
        result = multiply(result, computing(as_tensor(weight)))
    if bias is not None:
        result = add(result, computing(as_tensor(bias)))
    return cast_to(result, tensor.dtype)
