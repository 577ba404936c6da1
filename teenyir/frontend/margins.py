"""Losses of margins, of counts and of spreads, under PyTorch's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes
from teenyir.frontend.activations import logsigmoid, relu, softplus
from teenyir.frontend.arguments import NonNegative, checked
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.creation import arange
from teenyir.frontend.distances import float_pair, pairwise_distance
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    equal,
    exp,
    greater,
    greater_equal,
    log,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    power,
    sqrt,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, take, take_along_axis
from teenyir.frontend.losses import Reduction, class_factors, reduced
from teenyir.frontend.movement import expand_dims
from teenyir.frontend.reductions import any, computing, mean, sum
from teenyir.frontend.scans import cumulative_min

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Distance = Callable[["Tensor", "Tensor"], "Tensor"]


def _signs(target: ArrayLike, like: Tensor) -> Tensor:
    """A target of 1 and -1 in the dtype that is computed in."""
    return astype(as_tensor(target), like.dtype)


@checked
@composite("hinge_embedding_loss")
def hinge_embedding_loss(
    x: ArrayLike, target: ArrayLike, /, *, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """`x` where the target is 1, and how much of `margin` it lacks where that is -1."""
    tensor = as_tensor(x)
    a = computing(tensor)
    signs = _signs(target, a)
    close = where(equal(signs, -1.0), 0.0, a)
    far = where(equal(signs, 1.0), 0.0, relu(subtract(margin, a)))
    return reduced(add(close, far), tensor.dtype, reduction)


@checked
@composite("margin_ranking_loss")
def margin_ranking_loss(
    x1: ArrayLike,
    x2: ArrayLike,
    target: ArrayLike,
    /,
    *,
    margin: float = 0.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """`max(0, margin - target * (x1 - x2))`: a target of 1 wants `x1` to be the greater."""
    a, b, dtype = float_pair("margin_ranking_loss", x1, x2)
    ahead = multiply(_signs(target, a), subtract(a, b))
    return reduced(relu(subtract(margin, ahead)), dtype, reduction)


@checked
@composite("soft_margin_loss")
def soft_margin_loss(
    x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean"
) -> Tensor:
    """`log(1 + exp(-target * x))`, without its overflow."""
    tensor = as_tensor(x)
    a = computing(tensor)
    return reduced(softplus(negative(multiply(_signs(target, a), a))), tensor.dtype, reduction)


@checked
@composite("multi_margin_loss")
def multi_margin_loss(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    p: int = 1,
    margin: float = 1.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """`sum(max(0, margin - x[target] + x) ** p) / classes`, without the target's own part.

    `x` is [batch, classes] or [classes], the target classes; `weight` has one factor a class.
    """
    tensor, classes = as_tensor(x), as_indices(target, "multi_margin_loss")
    if tensor.ndim not in (1, 2) or classes.ndim != tensor.ndim - 1:
        fail(f"multi_margin_loss of {tensor.ndim} axes got a target of {classes.ndim}")
    wide, picks = computing(tensor), expand_dims(classes, axis=-1)
    own = take_along_axis(wide, picks, axis=-1)
    losses = power(relu(add(subtract(margin, own), wide)), float(p))
    if weight is not None:
        by_class = class_factors("multi_margin_loss", weight, tensor.shape[-1])
        losses = multiply(losses, expand_dims(take(by_class, classes), axis=-1))
    others = not_equal(arange(tensor.shape[-1]), cast_to(picks, dtypes.INT64))
    return reduced(mean(where(others, losses, 0.0), axis=-1), tensor.dtype, reduction)


@checked
@composite("multilabel_margin_loss")
def multilabel_margin_loss(
    x: ArrayLike, target: ArrayLike, /, *, reduction: Reduction = "mean"
) -> Tensor:
    """`max(0, 1 - x[wanted] + x[other])` summed over all such pairs, divided by the classes.

    `x` is [batch, classes] or [classes]; the target, of the same extents, has the classes that are
    wanted, and -1 after the last.
    """
    tensor, classes = as_tensor(x), as_indices(target, "multilabel_margin_loss")
    if tensor.ndim not in (1, 2) or classes.extents != tensor.extents:
        fail(f"multilabel_margin_loss of {tensor.shape} got a target of {classes.shape}")
    wide = computing(tensor)
    picks = cast_to(classes, dtypes.INT64)
    wanted = greater_equal(cumulative_min(picks, axis=-1), 0)
    own = expand_dims(take_along_axis(wide, maximum(picks, 0), axis=-1), axis=-1)
    named = equal(expand_dims(picks, axis=-1), arange(tensor.shape[-1]))  # [..., wanted, classes]
    column = expand_dims(wanted, axis=-1)
    other = ~any(named & column, axis=-2, keepdims=True)
    lacks = relu(add(subtract(1.0, own), expand_dims(wide, axis=-2)))
    losses = sum(where(column & other, lacks, 0.0), axis=-2)
    return reduced(mean(losses, axis=-1), tensor.dtype, reduction)


@checked
@composite("multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(
    x: ArrayLike,
    target: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    *,
    reduction: Reduction = "mean",
) -> Tensor:
    """The mean over classes, the last axis, of the cross entropy of yes or no of `sigmoid(x)`.

    `weight` has one factor a class.
    """
    a, b, dtype = float_pair("multilabel_soft_margin_loss", x, target)
    yes, no = multiply(b, logsigmoid(a)), multiply(subtract(1.0, b), logsigmoid(negative(a)))
    losses = negative(add(yes, no))
    if weight is not None:
        by_class = class_factors("multilabel_soft_margin_loss", weight, losses.shape[-1])
        losses = multiply(losses, by_class)
    return reduced(mean(losses, axis=-1), dtype, reduction)


@checked
@composite("triplet_margin_loss")
def triplet_margin_loss(
    anchor: ArrayLike,
    positive: ArrayLike,
    negative: ArrayLike,
    /,
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: NonNegative = 1e-6,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """`max(0, margin + distance(anchor, positive) - distance(anchor, negative))`.

    The distance is `pairwise_distance`. With `swap` the negative's is the lesser of those from the
    anchor and from the positive.
    """
    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda a, b: pairwise_distance(a, b, p, eps=eps),
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


@checked
@composite("triplet_margin_with_distance_loss")
def triplet_margin_with_distance_loss(
    anchor: ArrayLike,
    positive: ArrayLike,
    negative: ArrayLike,
    /,
    *,
    distance_function: Distance | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """`triplet_margin_loss` of a distance of one's own."""
    distance = distance_function or pairwise_distance
    a, b, c = (as_tensor(each) for each in (anchor, positive, negative))
    wide = [computing(each) for each in (a, b, c)]
    near, far = distance(wide[0], wide[1]), distance(wide[0], wide[2])
    if swap:
        far = minimum(far, distance(wide[1], wide[2]))
    return reduced(relu(subtract(add(near, margin), far)), a.dtype, reduction)


@checked
@composite("cosine_embedding_loss")
def cosine_embedding_loss(
    x1: ArrayLike,
    x2: ArrayLike,
    target: ArrayLike,
    /,
    *,
    margin: float = 0.0,
    reduction: Reduction = "mean",
) -> Tensor:
    """`1 - cos` of vectors along the last axis where the target is 1, `max(0, cos - margin)` where
    it is -1."""
    a, b, dtype = float_pair("cosine_embedding_loss", x1, x2)
    eps = 1e-12  # PyTorch's, on squares
    squares = [add(sum(multiply(each, each), axis=-1), eps) for each in (a, b)]
    cosine = divide(sum(multiply(a, b), axis=-1), sqrt(multiply(*squares)))
    signs = _signs(target, a)
    close = where(equal(signs, 1.0), subtract(1.0, cosine), 0.0)
    far = where(equal(signs, -1.0), relu(subtract(cosine, margin)), 0.0)
    return reduced(add(close, far), dtype, reduction)


@checked
@composite("poisson_nll_loss")
def poisson_nll_loss(
    x: ArrayLike,
    target: ArrayLike,
    /,
    *,
    log_input: bool = True,
    full: bool = False,
    eps: NonNegative = 1e-8,
    reduction: Reduction = "mean",
) -> Tensor:
    """`exp(x) - target * x`, or, where `x` is no logarithm, `x - target * log(x + eps)`.

    With `full` there is Stirling's approximation of `log(target!)` besides, for targets above 1.
    """
    a, b, dtype = float_pair("poisson_nll_loss", x, target)
    if log_input:
        losses = subtract(exp(a), multiply(b, a))
    else:
        losses = subtract(a, multiply(b, log(add(a, eps))))
    if full:
        some = where(greater(b, 1.0), b, 1.0)
        root = multiply(log(multiply(some, 2 * math.pi)), 0.5)
        stirling = add(subtract(multiply(some, log(some)), some), root)
        losses = add(losses, where(greater(b, 1.0), stirling, 0.0))
    return reduced(losses, dtype, reduction)


@checked
@composite("gaussian_nll_loss")
def gaussian_nll_loss(
    x: ArrayLike,
    target: ArrayLike,
    var: ArrayLike,
    /,
    *,
    full: bool = False,
    eps: NonNegative = 1e-6,
    reduction: Reduction = "mean",
) -> Tensor:
    """`(log(var) + (x - target) ** 2 / var) / 2`, the variance being `eps` or more.

    `var` has the extents of `x`, or is one for each line of its last axis. With `full` the constant
    `log(2 * pi) / 2` is added.
    """
    a, b, dtype = float_pair("gaussian_nll_loss", x, target)
    spread = computing(as_tensor(var, dtype))
    if spread.ndim and spread.extents == a.extents[:-1]:
        spread = expand_dims(spread, axis=-1)
    spread, away = maximum(spread, eps), subtract(a, b)
    losses = multiply(add(log(spread), divide(multiply(away, away), spread)), 0.5)
    if full:
        losses = add(losses, math.log(2 * math.pi) / 2)
    return reduced(losses, dtype, reduction)
