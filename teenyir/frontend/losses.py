"""Losses, under PyTorch's names. Each forms its mean or sum in float32 or wider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcasted,
    cast_to,
    composite,
    normalize_axis,
    promoted,
)
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


def _reduced(losses: Tensor, dtype: DType, reduction: Reduction) -> Tensor:
    kinds = {"mean": mean, "sum": sum, "none": None}
    if reduction not in kinds:
        fail(f"a loss is reduced by 'mean', 'sum' or 'none', got {reduction!r}")
    function = kinds[reduction]
    return cast_to(losses if function is None else function(losses), dtype)


def _pair(name: str, x: ArrayLike, target: ArrayLike) -> tuple[Tensor, Tensor, DType]:
    """Two tensors of floats under common extents in the dtype to compute in, and their own."""
    a, b = broadcasted(*promoted(x, target))
    if a.dtype.kind != "float":
        fail(f"{name} takes floats, got {a.dtype}")
    return computing(a), computing(b), a.dtype


@composite("mse_loss")
def mse_loss(x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean") -> Tensor:
    """The squared difference."""
    a, b, dtype = _pair("mse_loss", x, target)
    away = subtract(a, b)
    return _reduced(multiply(away, away), dtype, reduction)


@composite("l1_loss")
def l1_loss(x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean") -> Tensor:
    """The magnitude of the difference."""
    a, b, dtype = _pair("l1_loss", x, target)
    return _reduced(abs(subtract(a, b)), dtype, reduction)


@composite("huber_loss")
def huber_loss(
    x: ArrayLike, target: ArrayLike, /, *, delta: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """Half the squared difference where it is less than `delta`, beyond that linear."""
    a, b, dtype = _pair("huber_loss", x, target)
    away = abs(subtract(a, b))
    square = multiply(multiply(away, away), 0.5)
    line = multiply(subtract(away, 0.5 * delta), delta)
    return _reduced(where(less(away, delta), square, line), dtype, reduction)


@composite("smooth_l1_loss")
def smooth_l1_loss(
    x: ArrayLike, target: ArrayLike, /, *, beta: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """`huber_loss` divided by `beta`; at 0 it is `l1_loss`."""
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    return divide(huber_loss(x, target, delta=beta, reduction=reduction), beta)


@composite("binary_cross_entropy")
def binary_cross_entropy(
    x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean"
) -> Tensor:
    """`-(target * log(x) + (1 - target) * log(1 - x))`; the logarithms are not below -100."""
    a, b, dtype = _pair("binary_cross_entropy", x, target)
    true = maximum(log(a), -100.0)
    false = maximum(log1p(negative(a)), -100.0)
    losses = negative(add(multiply(b, true), multiply(subtract(1.0, b), false)))
    return _reduced(losses, dtype, reduction)


@composite("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean"
) -> Tensor:
    """`binary_cross_entropy` of `sigmoid(x)`, without its overflow."""
    a, b, dtype = _pair("binary_cross_entropy_with_logits", x, target)
    tail = log1p(exp(negative(abs(a))))
    losses = add(subtract(maximum(a, 0.0), multiply(a, b)), tail)
    return _reduced(losses, dtype, reduction)


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
    a, b, dtype = _pair("kl_div", x, target)
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
    return _reduced(losses, dtype, reduction)


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
    tensor, classes = as_tensor(x), as_indices(target, "nll_loss")
    if tensor.ndim != classes.ndim + 1:
        fail(f"nll_loss of {tensor.ndim} axes takes a target of {tensor.ndim - 1}")
    axis = normalize_axis(1 if tensor.ndim > 1 else 0, tensor.ndim)
    counts = not_equal(classes, ignore_index) if _holds(classes, ignore_index) else None
    picks = classes if counts is None else where(counts, classes, 0)
    found = take_along_axis(computing(tensor), expand_dims(picks, axis=axis), axis=axis)
    losses = negative(squeeze(found, axis))
    factors = None if weight is None else computing(as_tensor(weight))[picks]
    if counts is not None:
        some = factors if factors is not None else _ones(losses)
        factors = where(counts, some, 0.0)
    return _weighted(losses, factors, tensor.dtype, reduction)


def _holds(x: Tensor, value: int) -> bool:
    """Whether the dtype of `x` has a value."""
    return x.dtype.kind == "int" or value >= 0


def _ones(x: Tensor) -> Tensor:
    return x.trace.constant(1, x.dtype, x.extents)


def _weighted(losses: Tensor, factors: Tensor | None, dtype: DType, reduction: Reduction) -> Tensor:
    if factors is None:
        return _reduced(losses, dtype, reduction)
    # what does not count may be infinite
    losses = where(not_equal(factors, 0.0), multiply(losses, factors), 0.0)
    if reduction == "mean":
        return cast_to(divide(sum(losses), sum(factors)), dtype)
    return _reduced(losses, dtype, reduction)


@composite("cross_entropy")
def cross_entropy(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
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
    if label_smoothing:
        fail("label_smoothing takes a target of probabilities; see ty.one_hot")
    found = nll_loss(logs, wanted, weight, ignore_index=ignore_index, reduction=reduction)
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
        factors = computing(as_tensor(weight))
        extents = [factors.shape[0] if k == axis else 1 for k in range(logs.ndim)]
        target = multiply(target, factors.reshape(extents))
    return _reduced(negative(sum(multiply(target, logs), axis=axis)), dtype, reduction)
