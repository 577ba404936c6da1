"""Linear maps, and rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teenyir.frontend import gathering, linear
from teenyir.frontend.core import Array, ArrayLike
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.nn.module import Module, normal, uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class Linear(Module):
    """`x @ weight.T + bias` over the last axis; `weight` is [outputs, inputs]."""

    weight: Array
    bias: Array | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, dtype: DTypeLike = "float32"
    ) -> None:
        found, bound = as_dtype(dtype), 1 / math.sqrt(max(in_features, 1))
        self.weight = uniform(bound, (out_features, in_features), found)
        self.bias = uniform(bound, (out_features,), found) if bias else None

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.linear(x, self.weight, self.bias)


class Embedding(Module):
    """The rows of `weight`, [entries, features], that integers name."""

    weight: Array

    def __init__(
        self, num_embeddings: int, embedding_dim: int, dtype: DTypeLike = "float32"
    ) -> None:
        self.weight = normal((num_embeddings, embedding_dim), as_dtype(dtype))

    def forward(self, x: ArrayLike) -> Tensor:
        return gathering.embedding(x, self.weight)
