"""Linear maps, and rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from teenyir.frontend import linear
from teenyir.frontend.arguments import Natural, NonNegative, Positive, checked
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.creation import arange, full
from teenyir.frontend.distances import norm
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import divide, equal, greater, maximum, multiply, not_equal, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, embedding
from teenyir.frontend.movement import expand_dims
from teenyir.frontend.nn.module import Module, refuse
from teenyir.frontend.nn.weights import normal, uniform
from teenyir.frontend.reductions import computing
from teenyir.frontend.sorting import searchsorted

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def check_features(module: Module, x: ArrayLike, count: int) -> None:
    """Raises TraceError where the last axis is another one than weights are for."""
    tensor = as_tensor(x)
    if not tensor.ndim or tensor.shape[-1] != count:
        refuse(module, f"of {count} features", tensor)


class Linear(Module):
    """`x @ weight.T + bias` over the last axis; `weight` is [outputs, inputs]."""

    weight: Array
    bias: Array | None

    @checked
    def __init__(
        self,
        in_features: Natural,
        out_features: Natural,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        found, bound = as_dtype(dtype), 1 / math.sqrt(max(in_features, 1))
        self.weight = uniform(bound, (out_features, in_features), found)
        self.bias = uniform(bound, (out_features,), found) if bias else None

    def forward(self, x: ArrayLike) -> Tensor:
        check_features(self, x, self.weight.shape[1])
        return linear.linear(x, self.weight, self.bias)


class Bilinear(Module):
    """`x1 @ weight[k] @ x2 + bias[k]` for each output; `weight` is [outputs, inputs, inputs]."""

    weight: Array
    bias: Array | None

    @checked
    def __init__(
        self,
        in1_features: Natural,
        in2_features: Natural,
        out_features: Natural,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        found, bound = as_dtype(dtype), 1 / math.sqrt(max(in1_features, 1))
        self.weight = uniform(bound, (out_features, in1_features, in2_features), found)
        self.bias = uniform(bound, (out_features,), found) if bias else None

    def forward(self, x1: ArrayLike, x2: ArrayLike) -> Tensor:
        check_features(self, x1, self.weight.shape[1])
        check_features(self, x2, self.weight.shape[2])
        halves = linear.tensordot(x1, self.weight, axes=([-1], [1]))  # [..., outputs, inputs]
        result = linear.vecdot(halves, expand_dims(x2, axis=-2))
        return result if self.bias is None else result + as_tensor(self.bias)


class _Table(Module):
    """Rows; those longer than `max_norm` are shortened to it when they are read."""

    weight: Array

    @checked
    def __init__(
        self,
        num_embeddings: Natural,
        embedding_dim: Natural,
        max_norm: NonNegative | None,
        norm_type: Positive,
        padding_idx: int | None,
        dtype: DTypeLike,
    ) -> None:
        self.weight = normal((num_embeddings, embedding_dim), as_dtype(dtype))
        self.max_norm, self.norm_type = max_norm, norm_type
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                fail(f"the padding_idx {padding_idx} is no row of {num_embeddings}")
            padding_idx %= num_embeddings
            self.weight[padding_idx] = 0
        self.padding_idx = padding_idx

    def rows(self, x: ArrayLike) -> Tensor:
        """The rows that integers name, along a new last axis."""
        found = embedding(as_indices(x, type(self).__name__), self.weight)
        if self.max_norm is None:
            return found
        wide = computing(found)
        length = norm(wide, self.norm_type, -1, keepdims=True)
        # PyTorch's 1e-7 keeps what is shortened within the norm
        shorter = multiply(wide, divide(self.max_norm, length + 1e-7))
        return cast_to(where(greater(length, self.max_norm), shorter, wide), found.dtype)


class Embedding(_Table):
    """The rows of `weight`, [entries, features], that integers name.

    The row `padding_idx` starts as zeros. With `max_norm` rows are read with at most that norm.
    """

    @checked
    def __init__(
        self,
        num_embeddings: Natural,
        embedding_dim: Natural,
        padding_idx: int | None = None,
        max_norm: NonNegative | None = None,
        norm_type: Positive = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, max_norm, norm_type, padding_idx, dtype)

    def forward(self, x: ArrayLike) -> Tensor:
        return self.rows(x)


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows that each bag of integers names.

    Bags are the rows of [bags, entries]; or all entries stand in a row, and `offsets` says where
    each bag starts, with `include_last_offset` and where the last one ends. `per_sample_weights`
    are factors of the rows of a sum. Entries of `padding_idx` do not count.
    """

    @checked
    def __init__(
        self,
        num_embeddings: Natural,
        embedding_dim: Natural,
        max_norm: NonNegative | None = None,
        norm_type: Positive = 2.0,
        scale_grad_by_freq: bool = False,
        mode: Literal["sum", "mean", "max"] = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, max_norm, norm_type, padding_idx, dtype)
        self.mode: Literal["sum", "mean", "max"] = mode
        self.include_last_offset = include_last_offset

    def forward(
        self,
        x: ArrayLike,
        offsets: ArrayLike | None = None,
        per_sample_weights: ArrayLike | None = None,
    ) -> Tensor:
        entries = as_indices(x, "EmbeddingBag")
        if (offsets is None) != (entries.ndim == 2) or entries.ndim not in (1, 2):
            fail("EmbeddingBag takes [bags, entries], or entries in a row and offsets")
        if per_sample_weights is not None and self.mode != "sum":
            fail(f"per_sample_weights are for sums, the mode is {self.mode!r}")
        found = self.rows(entries)
        rows = computing(found)
        counts = full(entries.shape, True, dtype="bool")
        if self.padding_idx is not None:
            counts = not_equal(entries, self.padding_idx)
        if per_sample_weights is not None:
            rows = multiply(rows, expand_dims(computing(as_tensor(per_sample_weights)), axis=-1))
        column = expand_dims(counts, axis=-1)
        rows = where(column, rows, -np.inf if self.mode == "max" else 0.0)
        numbers = where(column, full((), 1, dtype=rows.dtype), 0.0)
        if offsets is None:
            best, total = rows.max(axis=1), numbers.sum(axis=1)
            mixed = best if self.mode == "max" else rows.sum(axis=1)
        else:
            mixed, total = self._by_offset(rows, numbers, as_indices(offsets, "EmbeddingBag"))
        if self.mode == "mean":
            mixed = divide(mixed, maximum(total, 1.0))
        return cast_to(where(equal(total, 0.0), 0.0, mixed), found.dtype)

    def _by_offset(self, rows: Tensor, numbers: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
        """The bags' rows combined, and how many they are."""
        starts = offsets[:-1] if self.include_last_offset else offsets
        place = arange(rows.shape[0], dtype=starts.dtype)
        bags = searchsorted(starts, place, side="right") - 1
        empty = full((starts.shape[0], *rows.shape[1:]), 0, dtype=rows.dtype)
        total = empty[:, :1].at[bags].add(numbers)
        if self.mode == "max":
            return (empty - np.inf).at[bags].max(rows), total
        return empty.at[bags].add(rows), total
