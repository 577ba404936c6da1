"""Attention with several heads, in PyTorch's layout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes
from teenyir.frontend import attention, linear
from teenyir.frontend.arguments import Chance, Count, checked
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.creation import zeros
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import logical_not, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import broadcast_to, concat, expand_dims
from teenyir.frontend.nn.linear import Linear
from teenyir.frontend.nn.module import Module, refuse
from teenyir.frontend.nn.weights import filled, normal, uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class MultiheadAttention(Module):
    """PyTorch's layer: the query, key and value are projected, split into heads, and attended.

    Inputs are [tokens, batch, features], with `batch_first` [batch, tokens, features], or without
    a batch. `add_bias_kv` has one source more that is a parameter, `add_zero_attn` one of zeros;
    keys and values may have `kdim` and `vdim` features. In masks, as PyTorch's layer has them, True
    is a source that takes *no* part; floats are added.
    """

    q_proj_weight: Array | None
    k_proj_weight: Array | None
    v_proj_weight: Array | None
    in_proj_weight: Array | None
    in_proj_bias: Array | None
    out_proj: Linear
    bias_k: Array | None
    bias_v: Array | None

    @checked
    def __init__(
        self,
        embed_dim: Count,
        num_heads: Count,
        dropout: Chance = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: Count | None = None,
        vdim: Count | None = None,
        batch_first: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        if embed_dim % num_heads:
            fail(f"{num_heads} heads do not divide {embed_dim} features")
        found = as_dtype(dtype)
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = self.in_proj_weight = None
        features = [embed_dim, kdim or embed_dim, vdim or embed_dim]
        self._features = dict(zip(("query", "key", "value"), features, strict=True))
        if len(set(features)) == 1:
            bound = math.sqrt(6 / (4 * embed_dim))  # Xavier's, of [3 * embed_dim, embed_dim]
            self.in_proj_weight = uniform(bound, (3 * embed_dim, embed_dim), found)
        else:
            shapes = [(embed_dim, each) for each in features]
            weights = [uniform(math.sqrt(6 / sum(shape)), shape, found) for shape in shapes]
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight = weights
        self.in_proj_bias = filled(0, (3 * embed_dim,), found) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype)
        row = (1, 1, embed_dim)
        self.bias_k = normal(row, found) if add_bias_kv else None
        self.bias_v = normal(row, found) if add_bias_kv else None

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: ArrayLike | None = None,
        need_weights: bool = True,
        attn_mask: ArrayLike | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, of the query's extents, and the weights, [batch, targets, sources].

        Without `average_attn_weights` the weights are [batch, heads, targets, sources]. With
        `is_causal` the mask, which is to be given, is a causal one.
        """
        if is_causal and attn_mask is None:
            fail("MultiheadAttention that is_causal takes the attn_mask that says so")
        if is_alone := query.ndim == 2:
            query, key, value = (expand_dims(x, self._batch_axis) for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else expand_dims(key_padding_mask)
        for part, x in zip(("query", "key", "value"), (query, key, value), strict=True):
            features = self._features[part]
            if x.ndim != 3 or x.shape[-1] != features:
                what = f"takes a {part} of {features} features with a batch, or all three without"
                refuse(self, what, x)
        inputs = [x if self.batch_first else x.permute_dims(1, 0, 2) for x in (query, key, value)]
        q, k, v = (self._projected(x, part) for part, x in enumerate(inputs))
        if self.bias_k is not None and self.bias_v is not None:
            k, v = _longer(k, self.bias_k), _longer(v, self.bias_v)
        if self.add_zero_attn:
            nothing = zeros((1, 1, self.embed_dim), dtype=k.dtype)
            k, v = _longer(k, nothing), _longer(v, nothing)
        q, k, v = (self._heads(x) for x in (q, k, v))
        mask = self._mask(attn_mask, key_padding_mask)
        weights = attention.attention_weights(q, k, mask)
        mixed = linear.matmul(cast_to(weights, v.dtype), v).permute_dims(0, 2, 1, 3)
        batch, targets, heads, features = mixed.shape
        result = self.out_proj(mixed.reshape((batch, targets, heads * features)))
        if not self.batch_first:
            result = result.permute_dims(1, 0, 2)
        result = result.squeeze(self._batch_axis) if is_alone else result
        if not need_weights:
            return result, None
        weights = cast_to(weights, query.dtype)
        weights = weights.mean(axis=1) if average_attn_weights else weights
        return result, weights.squeeze(0) if is_alone else weights

    @property
    def _batch_axis(self) -> int:
        return 0 if self.batch_first else 1

    def _projected(self, x: Tensor, part: int) -> Tensor:
        """The query (0), key (1) or value (2), [batch, tokens, features]."""
        rows = slice(part * self.embed_dim, (part + 1) * self.embed_dim)
        own = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)[part]
        if own is None:
            assert self.in_proj_weight is not None  # there is the one or the other
            own = as_tensor(self.in_proj_weight)[rows]
        bias = None if self.in_proj_bias is None else as_tensor(self.in_proj_bias)[rows]
        return linear.linear(x, own, bias)

    def _heads(self, x: Tensor) -> Tensor:
        """[batch, heads, tokens, features]."""
        batch, tokens, _ = x.shape
        split = x.reshape((batch, tokens, self.num_heads, self.embed_dim // self.num_heads))
        return split.permute_dims(0, 2, 1, 3)

    def _mask(self, mask: ArrayLike | None, padding: ArrayLike | None) -> Tensor | None:
        """One mask for [batch, heads, targets, sources]; True takes part, floats are added."""
        found: list[Tensor] = []
        if mask is not None:
            tensor = self._open(as_tensor(mask))
            if tensor.ndim == 3:  # [batch * heads, targets, sources]
                heads, (rows, *rest) = self.num_heads, tensor.shape
                tensor = tensor.reshape((rows // heads, heads, *rest))
            found.append(tensor)
        if padding is not None:
            found.append(self._open(expand_dims(padding, axis=(1, 2))))
        found = [logical_not(m) if m.dtype == dtypes.BOOL else m for m in found]
        if len(found) < 2:
            return found[0] if found else None
        first, second = found
        if first.dtype == second.dtype == dtypes.BOOL:
            return first & second
        first, second = (
            where(m, 0.0, zeros((), dtype=other.dtype) - math.inf) if m.dtype == dtypes.BOOL else m
            for m, other in ((first, second), (second, first))
        )
        return first + second

    def _open(self, mask: Tensor) -> Tensor:
        """A mask with room for the sources that are added; they take part."""
        more = (self.bias_k is not None) + self.add_zero_attn
        if not more:
            return mask
        return concat([mask, zeros((*mask.shape[:-1], more), dtype=mask.dtype)], axis=-1)


def _longer(x: Tensor, row: ArrayLike) -> Tensor:
    """[batch, tokens, features] with one token more."""
    batch, _, features = x.shape
    return concat([x, broadcast_to(as_tensor(row), (batch, 1, features))], axis=1)
