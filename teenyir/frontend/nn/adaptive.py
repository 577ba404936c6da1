"""A softmax over so many classes that the rare ones are in clusters (Grave et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from teenyir.frontend.arguments import Count, Natural, Positive, checked
from teenyir.frontend.core import ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, take_along_axis
from teenyir.frontend.movement import concat, expand_dims
from teenyir.frontend.nn.containers import ModuleList, Sequential
from teenyir.frontend.nn.linear import Linear
from teenyir.frontend.nn.module import Module, refuse
from teenyir.frontend.normalization import log_softmax
from teenyir.frontend.reductions import argmax, mean

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithms of the targets' probabilities, and the mean of their negatives.

    `cutoffs` are the first classes of the clusters, which come after those of the head; each
    cluster has `div_value` times fewer features than the one before.
    """

    @checked
    def __init__(
        self,
        in_features: Natural,
        n_classes: Count,
        cutoffs: Sequence[int],
        div_value: Positive = 4.0,
        head_bias: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        ends = [*cutoffs, n_classes]
        if len(ends) < 2 or ends[0] < 1 or sorted(set(ends)) != ends:
            fail(f"cutoffs ascend from 1 to below {n_classes} classes, got {list(cutoffs)}")
        self.in_features, self.n_classes, self.ends = in_features, n_classes, tuple(ends)
        self.head = Linear(in_features, ends[0] + len(cutoffs), head_bias, dtype)
        self.tail = ModuleList()
        for k, (first, end) in enumerate(pairwise(ends), start=1):
            inner = int(in_features // div_value**k)
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, False, dtype),
                    Linear(inner, end - first, False, dtype),
                )
            )

    def forward(self, x: ArrayLike, target: ArrayLike) -> tuple[Tensor, Tensor]:
        classes = as_indices(target, "AdaptiveLogSoftmaxWithLoss")
        logs = self.log_prob(x)
        if classes.extents != logs.extents[:-1]:
            fail(f"classes of extents {classes.shape} are no targets of {logs.shape[:-1]}")
        output = take_along_axis(logs, expand_dims(classes, axis=-1), axis=-1).squeeze(-1)
        return output, mean(-output)

    def log_prob(self, x: ArrayLike) -> Tensor:
        """The logarithms of the probabilities of all classes, [..., classes]."""
        tensor = as_tensor(x)
        if not tensor.ndim or tensor.shape[-1] != self.in_features:
            refuse(self, f"of {self.in_features} features", tensor)
        head = log_softmax(self.head(tensor))
        few = self.ends[0]
        parts = [head[..., :few]]
        for k, cluster in enumerate(self.tail):
            parts.append(log_softmax(cluster(tensor)) + head[..., few + k : few + k + 1])
        return concat(parts, axis=-1)

    def predict(self, x: ArrayLike) -> Tensor:
        """The class of the greatest probability, int64."""
        return argmax(self.log_prob(x), axis=-1)
