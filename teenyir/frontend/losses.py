"""Losses, under PyTorch's names. Each forms its mean or sum in float32 or wider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from teenyir.frontend.arguments import Chance, NonNegative, Positive, checked
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    cast_to,
    composite,
    normalize_axis,
)
from teenyir.frontend.dims import Extent
from teenyir.frontend.distances import float_pair
from teenyir.frontend.elementwise import (
    add,
    divide,
    exp,
    less,
    log,
    maximum,
    multiply,
    negative,
    not_equal,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, take_along_axis
from teenyir.frontend.movement import expand_dims, squeeze
from teenyir.frontend.normalization import log_softmax
from teenyir.frontend.reductions import computing, mean, sum
from teenyir.frontend.transcendental import log1p

if TYPE_CHECKING:
    from teenyir.dialects.dtypes import DType
    from teenyir.frontend.tensor import Tensor

Reduction: TypeAlias = Literal["mean", "sum", "none"]


def reduced(losses: Tensor, dtype: DType, reduction: Reduction) -> Tensor:
    """The mean or the sum of losses, or all of them, in `dtype`."""
    kinds = {"mean": mean, "sum": sum, "none": None}
    function = kinds[reduction]
    return cast_to(losses if function is None else function(losses), dtype)


@checked
@composite("mse_loss")
def mse_loss(x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean") -> Tensor:
    """The squared difference."""
    a, b, dtype = float_pair("mse_loss", x, target)
    away = subtract(a, b)
    return reduced(multiply(away, away), dtype, reduction)


@checked
@composite("l1_loss")
def l1_loss(x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean") -> Tensor:
    """The magnitude of the difference."""
    a, b, dtype = float_pair("l1_loss", x, target)
    return reduced(abs(subtract(a, b)), dtype, reduction)


@checked
@composite("huber_loss")
def huber_loss(
    x: ArrayLike, target: ArrayLike, /, *, delta: Positive = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """Half the squared difference where it is less than `delta`, beyond that linear."""
    a, b, dtype = float_pair("huber_loss", x, target)
    away = abs(subtract(a, b))
    square = multiply(multiply(away, away), 0.5)
    line = multiply(subtract(away, 0.5 * delta), delta)
    return reduced(where(less(away, delta), square, line), dtype, reduction)


@checked
@composite("smooth_l1_loss")
def smooth_l1_loss(
    x: ArrayLike, target: ArrayLike, /, *, beta: NonNegative = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """`huber_loss` divided by `beta`; at 0 it is `l1_loss`."""
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    return divide(huber_loss(x, target, delta=beta, reduction=reduction), beta)


@checked
@composite("binary_cross_entropy")
def binary_cross_entropy(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    reduction: Reduction = "mean",
) -> Tensor:
    """`-(target * log(x) + (1 - target) * log(1 - x))`; the logarithms are not below -100.

    `weight` is one factor an element, and broadcasts.
    """
    a, b, dtype = float_pair("binary_cross_entropy", x, target)
    true = maximum(log(a), -100.0)
    false = maximum(log1p(negative(a)), -100.0)
    losses = negative(add(multiply(b, true), multiply(subtract(1.0, b), false)))
    return reduced(_scaled(losses, weight), dtype, reduction)


@checked
@composite("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    pos_weight: ArrayLike | None = None,
    *,
    reduction: Reduction = "mean",
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(x)`, without its overflow.

    `pos_weight` is a factor of what is wanted to be 1; both factors broadcast.
    """
    a, b, dtype = float_pair("binary_cross_entropy_with_logits", x, target)
    tail = log1p(exp(negative(abs(a))))
    if pos_weight is None:
        losses = add(subtract(maximum(a, 0.0), multiply(a, b)), tail)
    else:  # log(1 + exp(-a)) is so often missed as the target and its factor say
        missed = add(multiply(subtract(computing(as_tensor(pos_weight)), 1.0), b), 1.0)
        tail = add(tail, maximum(negative(a), 0.0))
        losses = add(multiply(subtract(1.0, b), a), multiply(missed, tail))
    return reduced(_scaled(losses, weight), dtype, reduction)


def _scaled(losses: Tensor, weight: ArrayLike | None) -> Tensor:
    return losses if weight is None else multiply(losses, computing(as_tensor(weight)))


@checked
@composite("kl_div")
def kl_div(
    x: ArrayLike,
    target: ArrayLike,
    /,
    *,
    reduction: Reduction | Literal["batchmean"] = "mean",
    log_target: bool = False,
) -> Tensor:
    """`target * (log(target) - x)`, `x` being logarithms; 0 where the target is 0.

    With `log_target` the target holds logarithms too. "batchmean" is the sum divided by the first
    extent.
    """
    a, b, dtype = float_pair("kl_div", x, target)
    if log_target:
        losses = multiply(exp(b), subtract(b, a))
    else:
        some = not_equal(b, 0.0)
        losses = where(some, multiply(b, subtract(log(where(some, b, 1.0)), a)), 0.0)
    if reduction == "batchmean":
        if not losses.ndim:
            fail("'batchmean' takes an axis of the batch")
        total = divide(sum(losses), as_tensor(losses.shape[0], losses.dtype))
        return cast_to(total, dtype)
    return reduced(losses, dtype, reduction)


@checked
@composite("nll_loss")
def nll_loss(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Tensor:
    """The negative of the logarithm of the target's class.

    `x`, [batch, classes, ...] or [classes], holds logarithms; `target`, [batch, ...], classes.
    `weight` has one factor a class; the mean is weighted. Targets of `ignore_index` do not count.
    """
    tensor = as_tensor(x)
    found = _of_classes(computing(tensor), target, weight, ignore_index, reduction, 0.0)
    return cast_to(found, tensor.dtype)


def _of_classes(
    logs: Tensor,
    target: ArrayLike,
    weight: ArrayLike | None,
    ignore_index: int,
    reduction: Reduction,
    smoothing: float,
) -> Tensor:
    classes = as_indices(target, "nll_loss")
    if logs.ndim != classes.ndim + 1:
        fail(f"nll_loss of {logs.ndim} axes takes a target of {logs.ndim - 1}")
    axis = normalize_axis(1 if logs.ndim > 1 else 0, logs.ndim)
    counts = not_equal(classes, ignore_index) if _holds(classes, ignore_index) else None
    picks = classes if counts is None else where(counts, classes, 0)
    by_class = None if weight is None else class_factors("nll_loss", weight, logs.shape[axis])
    factors = None if by_class is None else by_class[picks]
    shares = factors
    if counts is not None:
        shares = where(counts, _ones_of(picks, logs) if factors is None else factors, 0.0)
    found = take_along_axis(logs, expand_dims(picks, axis=axis), axis=axis)
    losses = negative(squeeze(found, axis))
    if not smoothing:
        return _weighted(losses, shares, shares, reduction)
    # what does not count may be infinite
    losses = losses if factors is None else where(factors != 0.0, losses * factors, 0.0)
    spread = logs if by_class is None else multiply(logs, _along(by_class, axis, logs.ndim))
    others = divide(sum(spread, axis=axis), as_tensor(logs.shape[axis], logs.dtype))
    losses = subtract(multiply(losses, 1 - smoothing), multiply(others, smoothing))
    ones = None if counts is None else where(counts, _ones_of(picks, logs), 0.0)
    return _weighted(losses, ones, shares, reduction)


def class_factors(name: str, weight: ArrayLike, classes: Extent) -> Tensor:
    """One factor a class, in the dtype to compute in."""
    tensor = computing(as_tensor(weight))
    if tensor.shape != (classes,):
        fail(f"{name} of {classes} classes takes as many weights, got extents {tensor.shape}")
    return tensor


def _holds(x: Tensor, value: int) -> bool:
    """Whether the dtype of `x` has a value."""
    return x.dtype.kind == "int" or value >= 0


def _ones_of(x: Tensor, like: Tensor) -> Tensor:
    return x.trace.constant(1, like.dtype, x.extents)


def _along(x: Tensor, axis: int, rank: int) -> Tensor:
    """A vector along one of so many axes."""
    return x.reshape([x.shape[0] if k == axis else 1 for k in range(rank)])


def _weighted(
    losses: Tensor, factors: Tensor | None, shares: Tensor | None, reduction: Reduction
) -> Tensor:
    """Losses times factors; the mean is their sum over the sum of shares."""
    if factors is not None:  # what does not count may be infinite
        losses = where(not_equal(factors, 0.0), multiply(losses, factors), 0.0)
    if reduction == "mean" and shares is not None:
        return divide(sum(losses), sum(shares))
    return reduced(losses, losses.dtype, reduction)


@checked
@composite("cross_entropy")
def cross_entropy(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: Chance = 0.0,
) -> Tensor:
    """`nll_loss` of `log_softmax` over the classes, the second axis (or the only one).

    A target of floats, of the extents of `x`, holds the probability of each class. With
    `label_smoothing` the target is mixed with so much of the even distribution.
    """
    tensor, wanted = as_tensor(x), as_tensor(target)
    axis = 1 if tensor.ndim > 1 else 0
    logs = log_softmax(computing(tensor), axis=axis)
    if wanted.dtype.kind == "float":
        return _dense(logs, wanted, weight, tensor.dtype, reduction, label_smoothing)
    found = _of_classes(logs, wanted, weight, ignore_index, reduction, label_smoothing)
    return cast_to(found, tensor.dtype)


def _dense(
    logs: Tensor,
    target: Tensor,
    weight: ArrayLike | None,
    dtype: DType,
    reduction: Reduction,
    smoothing: float,
) -> Tensor:
    axis = 1 if logs.ndim > 1 else 0
    if target.extents != logs.extents:
        fail("a target of probabilities has the extents of the input")
    target = computing(target)
    if smoothing:
        classes = as_tensor(logs.shape[axis], logs.dtype)
        target = add(multiply(target, 1 - smoothing), divide(smoothing, classes))
    if weight is not None:
        target = multiply(
            target,
            _along(class_factors("cross_entropy", weight, logs.shape[axis]), axis, logs.ndim),
        )
    return reduced(negative(sum(multiply(target, logs), axis=axis)), dtype, reduction)
