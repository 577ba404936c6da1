"""Attention with several heads, in PyTorch's layout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import attention, linear
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import logical_not
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import expand_dims
from teenyir.frontend.nn.linear import Linear
from teenyir.frontend.nn.module import Module, uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class MultiheadAttention(Module):
    """PyTorch's layer: the query, key and value are projected, split into heads, and attended.

    Inputs are [tokens, batch, features], with `batch_first` [batch, tokens, features]. In masks, as
    PyTorch's layer has them, True is a source that takes *no* part; floats are added.
    """

    in_proj_weight: Array
    in_proj_bias: Array | None
    out_proj: Linear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        bias: bool = True,
        batch_first: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        if num_heads < 1 or embed_dim % num_heads:
            fail(f"{num_heads} heads do not divide {embed_dim} features")
        found = as_dtype(dtype)
        self.num_heads, self.batch_first = num_heads, batch_first
        bound = math.sqrt(6 / (4 * embed_dim))  # Xavier's, of [3 * embed_dim, embed_dim]
        self.in_proj_weight = uniform(bound, (3 * embed_dim, embed_dim), found)
        self.in_proj_bias = np.zeros(3 * embed_dim, found.numpy()) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: ArrayLike | None = None,
        need_weights: bool = True,
        attn_mask: ArrayLike | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, of the query's extents, and the weights, [batch, targets, sources]."""
        inputs = [x if self.batch_first else x.permute_dims(1, 0, 2) for x in (query, key, value)]
        q, k, v = (self._heads(x, part) for part, x in enumerate(inputs))
        weights = attention.attention_weights(q, k, self._mask(attn_mask, key_padding_mask))
        mixed = linear.matmul(cast_to(weights, v.dtype), v).permute_dims(0, 2, 1, 3)
        batch, targets, heads, features = mixed.shape
        result = self.out_proj(mixed.reshape((batch, targets, heads * features)))
        if not self.batch_first:
            result = result.permute_dims(1, 0, 2)
        if not need_weights:
            return result, None
        weights = cast_to(weights, query.dtype)
        return result, weights.mean(axis=1) if average_attn_weights else weights

    def _heads(self, x: Tensor, part: int) -> Tensor:
        """The query (0), key (1) or value (2), [batch, heads, tokens, features]."""
        weight, bias = as_tensor(self.in_proj_weight), self.in_proj_bias
        size = weight.shape[1]
        assert isinstance(size, int)  # a weight has constant extents
        rows = slice(part * size, (part + 1) * size)
        given = None if bias is None else as_tensor(bias)[rows]
        projected = linear.linear(x, weight[rows], given)
        batch, tokens, _ = projected.shape
        split = projected.reshape((batch, tokens, self.num_heads, size // self.num_heads))
        return split.permute_dims(0, 2, 1, 3)

    def _mask(self, mask: ArrayLike | None, padding: ArrayLike | None) -> Tensor | None:
        """One mask for [batch, heads, targets, sources]; True takes part, floats are added."""
        found: list[Tensor] = []
        if mask is not None:
            tensor = as_tensor(mask)
            if tensor.ndim == 3:  # [batch * heads, targets, sources]
                heads, (rows, *rest) = self.num_heads, tensor.shape
                tensor = tensor.reshape((rows // heads, heads, *rest))
            found.append(tensor)
        if padding is not None:
            found.append(expand_dims(padding, axis=(1, 2)))
        found = [logical_not(m) if m.dtype == dtypes.BOOL else m for m in found]
        if len(found) < 2:
            return found[0] if found else None
        first, second = found
        if first.dtype != second.dtype:
            fail(f"masks of {first.dtype} and {second.dtype}; both are to be of one dtype")
        return first & second if first.dtype == dtypes.BOOL else first + second
