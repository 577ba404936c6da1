"""Transformers, in PyTorch's layout: layers of attention and of a network on each token.

Inputs are [tokens, batch, features], with `batch_first` [batch, tokens, features], or without a
batch. In masks True is a source that takes *no* part; floats are added.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from teenyir.frontend import activations
from teenyir.frontend.arguments import Chance, Count, Natural, NonNegative, Repeats, checked
from teenyir.frontend.core import Array, ArrayLike
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.arrangement import Dropout
from teenyir.frontend.nn.attention import MultiheadAttention
from teenyir.frontend.nn.containers import ModuleList
from teenyir.frontend.nn.linear import Linear
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.normalization import LayerNorm
from teenyir.frontend.nn.weights import check_room

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Activation = str | Callable[..., Any]


class _Layer(Module):
    """A network on each token, and what the parts of a layer have in common."""

    @checked
    def __init__(
        self,
        d_model: Count,
        nhead: Count,
        dim_feedforward: Natural,
        dropout: Chance,
        activation: Activation,
        layer_norm_eps: NonNegative,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        dtype: DTypeLike,
    ) -> None:
        known = {"relu": activations.relu, "gelu": activations.gelu}
        if isinstance(activation, str) and activation not in known:
            fail(f"the activation is 'relu', 'gelu' or a function, got {activation!r}")
        self.activation = known[activation] if isinstance(activation, str) else activation
        self.norm_first = norm_first
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype)

    def _norm(self, eps: NonNegative, bias: bool, dtype: DTypeLike) -> LayerNorm:
        return LayerNorm(self.linear1.weight.shape[1], eps, bias=bias, dtype=dtype)

    def _added(self, x: Tensor, norm: LayerNorm, part: Callable[[Tensor], Tensor]) -> Tensor:
        """A part and what goes past it, normalised before the part or after both are added."""
        return x + part(norm(x)) if self.norm_first else norm(x + part(x))

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self.activation(self.linear1(x)))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, and a network on each token."""

    @checked
    def __init__(
        self,
        d_model: Count,
        nhead: Count,
        dim_feedforward: Natural = 2048,
        dropout: Chance = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: NonNegative = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(
            *(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps),
            *(batch_first, norm_first, bias, dtype),
        )
        self.norm1, self.norm2 = (self._norm(layer_norm_eps, bias, dtype) for _ in range(2))
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)

    def forward(
        self,
        src: Tensor,
        src_mask: ArrayLike | None = None,
        src_key_padding_mask: ArrayLike | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            options = {"need_weights": False, "attn_mask": src_mask, "is_causal": is_causal}
            return self.self_attn(x, x, x, key_padding_mask=src_key_padding_mask, **options)[0]

        x = self._added(src, self.norm1, attend)
        return self._added(x, self.norm2, self._feed)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself and to another, `memory`, and a network on each token."""

    @checked
    def __init__(
        self,
        d_model: Count,
        nhead: Count,
        dim_feedforward: Natural = 2048,
        dropout: Chance = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: NonNegative = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(
            *(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps),
            *(batch_first, norm_first, bias, dtype),
        )
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        norms = (self._norm(layer_norm_eps, bias, dtype) for _ in range(3))
        self.norm1, self.norm2, self.norm3 = norms
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: ArrayLike | None = None,
        memory_mask: ArrayLike | None = None,
        tgt_key_padding_mask: ArrayLike | None = None,
        memory_key_padding_mask: ArrayLike | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            options = {"need_weights": False, "attn_mask": tgt_mask, "is_causal": tgt_is_causal}
            return self.self_attn(x, x, x, key_padding_mask=tgt_key_padding_mask, **options)[0]

        def remember(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x,
                memory,
                memory,
                key_padding_mask=memory_key_padding_mask,
                need_weights=False,
                attn_mask=memory_mask,
                is_causal=memory_is_causal,
            )[0]

        x = self._added(tgt, self.norm1, attend)
        x = self._added(x, self.norm2, remember)
        return self._added(x, self.norm3, self._feed)


def _copies(layer: Module, count: int) -> ModuleList:
    """So many layers with weights of their own, which start alike."""
    check_room([weight.shape for weight in layer.named_parameters().values()], count)
    return ModuleList(deepcopy(layer) for _ in range(count))


class TransformerEncoder(Module):
    """Copies of a layer one after the other, and perhaps a normalisation."""

    @checked
    def __init__(
        self,
        encoder_layer: Module,
        num_layers: Repeats,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        self.layers, self.norm = _copies(encoder_layer, num_layers), norm

    def forward(
        self,
        src: Tensor,
        mask: ArrayLike | None = None,
        src_key_padding_mask: ArrayLike | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(
                src,
                src_mask=mask,
                src_key_padding_mask=src_key_padding_mask,
                is_causal=bool(is_causal),
            )
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a layer one after the other, and perhaps a normalisation."""

    @checked
    def __init__(
        self, decoder_layer: Module, num_layers: Repeats, norm: Module | None = None
    ) -> None:
        self.layers, self.norm = _copies(decoder_layer, num_layers), norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: ArrayLike | None = None,
        memory_mask: ArrayLike | None = None,
        tgt_key_padding_mask: ArrayLike | None = None,
        memory_key_padding_mask: ArrayLike | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder whose memory is what that gives."""

    @checked
    def __init__(
        self,
        d_model: Count = 512,
        nhead: Count = 8,
        num_encoder_layers: Repeats = 6,
        num_decoder_layers: Repeats = 6,
        dim_feedforward: Natural = 2048,
        dropout: Chance = 0.1,
        activation: Activation = "relu",
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: NonNegative = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        given = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        rest = (batch_first, norm_first, bias, dtype)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*given, *rest), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*given, *rest), num_decoder_layers, norm()
        )

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: ArrayLike | None = None,
        tgt_mask: ArrayLike | None = None,
        memory_mask: ArrayLike | None = None,
        src_key_padding_mask: ArrayLike | None = None,
        tgt_key_padding_mask: ArrayLike | None = None,
        memory_key_padding_mask: ArrayLike | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: Natural, dtype: DTypeLike = "float32") -> Array:
        """A mask, [sz, sz], to be added: minus infinity for the sources after each target."""
        return np.triu(np.full((sz, sz), -np.inf), 1).astype(as_dtype(dtype).numpy())
