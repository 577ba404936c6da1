"""How far vectors are from one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from teenyir.frontend import distances
from teenyir.frontend.arguments import NonNegative, checked
from teenyir.frontend.core import ArrayLike
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`; lengths count as `eps` at least."""

    @checked
    def __init__(self, dim: int = 1, eps: NonNegative = 1e-8) -> None:
        self.dim, self.eps = dim, eps

    def forward(self, x1: ArrayLike, x2: ArrayLike) -> Tensor:
        return distances.cosine_similarity(x1, x2, axis=self.dim, eps=self.eps)


class PairwiseDistance(Module):
    """The p-norm of `x1 - x2 + eps` along the last axis."""

    @checked
    def __init__(self, p: float = 2.0, eps: NonNegative = 1e-6, keepdim: bool = False) -> None:
        self.p, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: ArrayLike, x2: ArrayLike) -> Tensor:
        return distances.pairwise_distance(x1, x2, self.p, eps=self.eps, keepdim=self.keepdim)
