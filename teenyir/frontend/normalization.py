"""Softmax and the normalisations. Sums over narrow floats are formed in float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import Count, NonNegative, checked
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    cast_to,
    composite,
    normalize_axes,
    normalize_axis,
)
from teenyir.frontend.elementwise import add, divide, exp, log, multiply, rsqrt, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import move
from teenyir.frontend.reductions import computing, mean, reduce, var

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _shifted(x: Tensor, axis: int) -> Tensor:
    return subtract(x, reduce("max", x, (axis,), True))


@checked
@composite("softmax")
def softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Exponentials along an axis divided by their sum, the maximum subtracted first."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    powers = exp(_shifted(computing(tensor), place))
    return cast_to(divide(powers, reduce("add", powers, (place,), True)), tensor.dtype)


@checked
@composite("log_softmax")
def log_softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without its underflow."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    shifted = _shifted(computing(tensor), place)
    total = log(reduce("add", exp(shifted), (place,), True))
    return cast_to(subtract(shifted, total), tensor.dtype)


def _floats(name: str, x: ArrayLike) -> Tensor:
    tensor = as_tensor(x)
    if tensor.dtype.kind != "float":
        fail(f"{name} takes floats, got {tensor.dtype}")
    return tensor


def _affine(x: Tensor, weight: ArrayLike | None, bias: ArrayLike | None) -> Tensor:
    if weight is not None:
        x = multiply(x, computing(as_tensor(weight)))
    return x if bias is None else add(x, computing(as_tensor(bias)))


def _standardized(x: Tensor, axes: int | Sequence[int], eps: float) -> Tensor:
    """`x` with mean 0 and variance 1 along axes."""
    centred = subtract(x, mean(x, axis=axes, keepdims=True))
    return multiply(centred, rsqrt(add(var(x, axis=axes, keepdims=True), eps)))


@checked
@composite("layer_norm")
def layer_norm(
    x: ArrayLike,
    /,
    normalized_axes: int | Sequence[int] = -1,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: NonNegative = 1e-5,
) -> Tensor:
    """`x` with mean 0 and variance 1 along axes, then scaled by `weight` and moved by `bias`."""
    tensor = _floats("layer_norm", x)
    result = _standardized(computing(tensor), normalized_axes, eps)
    return cast_to(_affine(result, weight, bias), tensor.dtype)


@checked
@composite("rms_norm")
def rms_norm(
    x: ArrayLike,
    /,
    normalized_axes: int | Sequence[int] = -1,
    weight: ArrayLike | None = None,
    *,
    eps: NonNegative = 1e-6,
) -> Tensor:
    """`x` divided by the root of its mean square along axes, then scaled by `weight`."""
    tensor = _floats("rms_norm", x)
    wide = computing(tensor)
    power = mean(multiply(wide, wide), axis=normalized_axes, keepdims=True)
    result = multiply(wide, rsqrt(add(power, eps)))
    return cast_to(_affine(result, weight, None), tensor.dtype)


@checked
@composite("group_norm")
def group_norm(
    x: ArrayLike,
    num_groups: Count,
    /,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: NonNegative = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 within each group of channels of [batch, channels, spatial...], then
    scaled and moved by one value a channel."""
    tensor = _floats("group_norm", x)
    if tensor.ndim < 2 or num_groups < 1 or tensor.extents[1] % num_groups != Expr.of(0):
        fail(f"{num_groups} groups do not divide the channels of {graph.as_text(tensor.extents)}")
    channels = tensor.extents[1] // num_groups
    grouped = [tensor.extents[0], Expr.of(num_groups), channels, *tensor.extents[2:]]
    parts = move(computing(tensor), grouped)
    result = move(_standardized(parts, tuple(range(2, parts.ndim)), eps), tensor.extents)
    return cast_to(_scaled(result, tensor, weight, bias), tensor.dtype)


@checked
@composite("instance_norm")
def instance_norm(
    x: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: NonNegative = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 within each channel of [batch, channels, spatial...]."""
    tensor = _floats("instance_norm", x)
    axes = normalize_axes(tuple(range(2, tensor.ndim)), tensor.ndim)
    result = _standardized(computing(tensor), axes, eps)
    return cast_to(_scaled(result, tensor, weight, bias), tensor.dtype)


@checked
@composite("bn")
def batch_norm(
    x: ArrayLike,
    running_mean: ArrayLike,
    running_var: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: NonNegative = 1e-5,
) -> Tensor:
    """Inference: the channels of [batch, channels, spatial...] moved and scaled by the mean and
    the variance that training has left, then by `weight` and `bias`."""
    tensor = _floats("batch_norm", x)
    centre, spread = (_by_channel(tensor, value) for value in (running_mean, running_var))
    scale = rsqrt(add(computing(spread), eps))
    result = multiply(subtract(computing(tensor), computing(centre)), scale)
    return cast_to(_scaled(result, tensor, weight, bias), tensor.dtype)


def _scaled(x: Tensor, like: Tensor, weight: ArrayLike | None, bias: ArrayLike | None) -> Tensor:
    """`x` scaled and moved by channel, where `like` has the channels."""
    of_channels = [None if v is None else _by_channel(like, v) for v in (weight, bias)]
    return _affine(x, *of_channels)


def _by_channel(x: Tensor, value: ArrayLike) -> Tensor:
    """A vector with one value a channel, to be broadcast with [batch, channels, spatial...]."""
    vector = as_tensor(value)
    if x.ndim < 2 or vector.extents != x.extents[1:2]:
        fail(
            f"one value for each channel of {graph.as_text(x.extents)}, "
            f"got {graph.as_text(vector.extents)}"
        )
    return move(vector, [*vector.extents, *[Expr.of(1)] * (x.ndim - 2)])
