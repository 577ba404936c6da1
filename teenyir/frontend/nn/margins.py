"""Losses of margins, of counts and of spreads, and of sequences, as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from teenyir.frontend import ctc, margins
from teenyir.frontend.arguments import NonNegative, checked
from teenyir.frontend.core import Array, ArrayLike
from teenyir.frontend.losses import Reduction
from teenyir.frontend.nn.losses import Reduced, factors

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class _Margin(Reduced):
    """A loss that asks for a margin."""

    @checked
    def __init__(self, margin: float = 0.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin


class HingeEmbeddingLoss(_Margin):
    """`x` where the target is 1, and how much of `margin` it lacks where that is -1."""

    @checked
    def __init__(self, margin: float = 1.0, reduction: Reduction = "mean") -> None:
        super().__init__(margin, reduction)

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.hinge_embedding_loss(x, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Margin):
    """`max(0, margin - target * (x1 - x2))`."""

    def forward(self, x1: ArrayLike, x2: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.margin_ranking_loss(
            x1, x2, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(_Margin):
    """`1 - cos` of vectors where the target is 1, `max(0, cos - margin)` where it is -1."""

    def forward(self, x1: ArrayLike, x2: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.cosine_embedding_loss(
            x1, x2, target, margin=self.margin, reduction=self.reduction
        )


class SoftMarginLoss(Reduced):
    """`log(1 + exp(-target * x))` for targets of 1 and -1."""

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.soft_margin_loss(x, target, reduction=self.reduction)


class MultiMarginLoss(Reduced):
    """`sum(max(0, margin - x[target] + x) ** p) / classes`; `weight` is one factor a class."""

    weight: Array | None

    @checked
    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Array | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, factors(weight)

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.multi_margin_loss(
            x, target, self.weight, p=self.p, margin=self.margin, reduction=self.reduction
        )


class MultiLabelMarginLoss(Reduced):
    """`max(0, 1 - x[wanted] + x[other])` over all such pairs, divided by the classes."""

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.multilabel_margin_loss(x, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(Reduced):
    """The mean over classes of the cross entropy of yes or no; `weight` is one factor a class."""

    weight: Array | None

    @checked
    def __init__(self, weight: Array | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = factors(weight)

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.multilabel_soft_margin_loss(x, target, self.weight, reduction=self.reduction)


class TripletMarginLoss(_Margin):
    """`max(0, margin + distance(anchor, positive) - distance(anchor, negative))`."""

    @checked
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: NonNegative = 1e-6,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(margin, reduction)
        self.p, self.eps, self.swap = p, eps, swap

    def forward(self, anchor: ArrayLike, positive: ArrayLike, negative: ArrayLike) -> Tensor:
        return margins.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Margin):
    """`TripletMarginLoss` of a distance of one's own, a function or a module."""

    @checked
    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(margin, reduction)
        self.distance_function, self.swap = distance_function, swap

    def forward(self, anchor: ArrayLike, positive: ArrayLike, negative: ArrayLike) -> Tensor:
        return margins.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class PoissonNLLLoss(Reduced):
    """`exp(x) - target * x`, or, where `x` is no logarithm, `x - target * log(x + eps)`."""

    @checked
    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: NonNegative = 1e-8,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return margins.poisson_nll_loss(
            x,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(Reduced):
    """`(log(var) + (x - target) ** 2 / var) / 2`, the variance being `eps` or more."""

    @checked
    def __init__(
        self, *, full: bool = False, eps: NonNegative = 1e-6, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def forward(self, x: ArrayLike, target: ArrayLike, var: ArrayLike) -> Tensor:
        return margins.gaussian_nll_loss(
            x, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class CTCLoss(Reduced):
    """The negative of the logarithm of the chance to read a target off steps in time."""

    @checked
    def __init__(
        self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(
        self,
        log_probs: ArrayLike,
        targets: ArrayLike,
        input_lengths: ArrayLike,
        target_lengths: ArrayLike,
    ) -> Tensor:
        return ctc.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            blank=self.blank,
            reduction=self.reduction,
            zero_infinity=self.zero_infinity,
        )
