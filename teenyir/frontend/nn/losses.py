"""Losses as layers: each calls the function of `ty` of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from teenyir.frontend import losses
from teenyir.frontend.arguments import Chance, Positive, checked
from teenyir.frontend.core import Array, ArrayLike
from teenyir.frontend.losses import Reduction
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class Reduced(Module):
    """A loss of an element each, of which the mean or the sum is taken."""

    @checked
    def __init__(self, reduction: Reduction = "mean") -> None:
        self.reduction: Reduction = reduction


def factors(weight: Array | None) -> Array | None:
    """Factors that a loss was given, which its state dict has as "weight"."""
    return None if weight is None else np.asarray(weight)


class L1Loss(Reduced):
    """The magnitude of the difference."""

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.l1_loss(x, target, reduction=self.reduction)


class MSELoss(Reduced):
    """The squared difference."""

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.mse_loss(x, target, reduction=self.reduction)


class SmoothL1Loss(Reduced):
    """`HuberLoss` divided by `beta`."""

    @checked
    def __init__(self, reduction: Reduction = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.smooth_l1_loss(x, target, beta=self.beta, reduction=self.reduction)


class HuberLoss(Reduced):
    """Half the squared difference where it is less than `delta`, beyond that linear."""

    @checked
    def __init__(self, reduction: Reduction = "mean", delta: Positive = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.huber_loss(x, target, delta=self.delta, reduction=self.reduction)


class BCELoss(Reduced):
    """The cross entropy of probabilities of yes or no; `weight` is a factor that broadcasts."""

    weight: Array | None

    @checked
    def __init__(self, weight: Array | None = None, reduction: Reduction = "mean") -> None:
        super().__init__(reduction)
        self.weight = factors(weight)

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.binary_cross_entropy(x, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Reduced):
    """`BCELoss` of `sigmoid(x)`, without its overflow; `pos_weight` is a factor of what is yes."""

    weight: Array | None
    pos_weight: Array | None

    @checked
    def __init__(
        self,
        weight: Array | None = None,
        reduction: Reduction = "mean",
        pos_weight: Array | None = None,
    ) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = factors(weight), factors(pos_weight)

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.binary_cross_entropy_with_logits(
            x, target, self.weight, self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(Module):
    """`target * (log(target) - x)`, `x` being logarithms, and with `log_target` the target too."""

    @checked
    def __init__(
        self, reduction: Reduction | Literal["batchmean"] = "mean", log_target: bool = False
    ) -> None:
        self.reduction: Reduction | Literal["batchmean"] = reduction
        self.log_target = log_target

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.kl_div(x, target, reduction=self.reduction, log_target=self.log_target)


class NLLLoss(Reduced):
    """The negative of the logarithm of the target's class; `weight` is one factor a class."""

    weight: Array | None

    @checked
    def __init__(
        self,
        weight: Array | None = None,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction)
        self.weight = factors(weight)
        self.ignore_index = ignore_index

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.nll_loss(
            x, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class CrossEntropyLoss(Reduced):
    """`NLLLoss` of the logarithms of probabilities over the classes.

    The target holds classes or, as floats, the probability of each.
    """

    weight: Array | None

    @checked
    def __init__(
        self,
        weight: Array | None = None,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: Chance = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight = factors(weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, x: ArrayLike, target: ArrayLike) -> Tensor:
        return losses.cross_entropy(
            x,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )
