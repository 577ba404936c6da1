"""Layers of sequences and of tables, as `rows.py` says."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from torch_reference.rows import N, booleans, integers, known, normal, uniform


def tables(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """Linear maps, tables and distances, by the names of their cases, with their inputs."""
    vectors = [normal(N, 4), normal(N, 4)]
    sums = {"mode": "sum", "include_last_offset": True, "padding_idx": 2}
    offsets = np.array([0, 2, 2, 5, 7])
    return {
        "Embedding_norm": (nn.Embedding(5, 3, 2, max_norm=1.0), [integers(5, N, 2)]),
        "AdaptiveLogSoftmaxWithLoss": (
            nn.AdaptiveLogSoftmaxWithLoss(6, 9, [3, 5], 2.0, True),
            [normal(N, 6), integers(9, N)],
        ),
        "AdaptiveLogSoftmaxWithLoss_alone": (
            nn.AdaptiveLogSoftmaxWithLoss(6, 5, [2], 2.0),
            [normal(6), np.array(4)],
        ),
        "Bilinear": (nn.Bilinear(3, 2, 4), [normal(N, 2, 3), normal(N, 2, 2)]),
        "Bilinear_plain": (nn.Bilinear(3, 2, 4, bias=False), [normal(N, 3), normal(N, 2)]),
        "EmbeddingBag": (nn.EmbeddingBag(5, 3), [integers(5, N, 4)]),
        "EmbeddingBag_sum": (
            nn.EmbeddingBag(5, 3, mode="sum"),
            [integers(5, N, 4), None, uniform(N, 4)],
        ),
        "EmbeddingBag_max": (nn.EmbeddingBag(5, 3, mode="max", padding_idx=1), [integers(5, N, 4)]),
        "EmbeddingBag_row_mean": (
            nn.EmbeddingBag(5, 3, padding_idx=2),
            [np.array([2, 1, 3, 2, 2, 4, 0]), np.array([0, 2, 3, 5, 5])],
        ),
        "EmbeddingBag_row_sum": (
            nn.EmbeddingBag(5, 3, **sums),
            [integers(5, 7), offsets, uniform(7)],
        ),
        "EmbeddingBag_row_max": (
            nn.EmbeddingBag(5, 3, 0.8, mode="max"),
            [integers(5, 7), np.array([0, 3, 3, 6])],
        ),
        "CosineSimilarity": (nn.CosineSimilarity(), vectors),
        "CosineSimilarity_axis": (
            nn.CosineSimilarity(dim=2, eps=1.5),
            [normal(N, 2, 4), normal(N, 2, 4)],
        ),
        "PairwiseDistance": (nn.PairwiseDistance(), vectors),
        "PairwiseDistance_cube": (nn.PairwiseDistance(3.0, keepdim=True), vectors),
        "PairwiseDistance_most": (nn.PairwiseDistance(float("inf"), 0.1), vectors),
        "Sequential_named": (
            nn.Sequential(OrderedDict(first=nn.Linear(4, 3), second=nn.Sequential(nn.Tanh()))),
            [normal(N, 4)],
        ),
    }


def recurrent(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    return {
        "LSTM_projected": (
            nn.LSTM(4, 5, bidirectional=True, proj_size=3),
            [normal(4, N, 4)],
        ),
        "LSTM_projected_twice": (
            nn.LSTM(4, 5, 2, False, True, 0.1, False, 2),
            [normal(N, 3, 4), (normal(2, N, 2), normal(2, N, 5))],
        ),
        "GRU_batch": (nn.GRU(4, 3, 1, batch_first=True), [normal(N, 3, 4), normal(1, N, 3)]),
    }


def attention(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """Attention and transformers, by the names of their cases, with their inputs."""
    tokens, others = normal(N, 4, 8), normal(N, 5, 8)
    later = np.triu(np.ones((4, 4), bool), 1)
    # the first source takes part, so that no target is without
    gone = np.array([[False, False, True, True, False], [False] * 5, [False] * 4 + [True]])
    hidden, few = known(gone), known(gone[:, :4])
    kinds = {"batch_first": True}
    small = {"dim_feedforward": 12, "batch_first": True}
    found = {
        "MultiheadAttention_features": (
            nn.MultiheadAttention(8, 2, 0.1, kdim=3, vdim=5),
            [normal(4, N, 8), normal(5, N, 3), normal(5, N, 5)],
        ),
        "MultiheadAttention_bias_kv": (
            nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, **kinds),
            [tokens, others, others, hidden, True, normal(4, 5)],
        ),
        "MultiheadAttention_heads": (
            nn.MultiheadAttention(8, 4, bias=False, vdim=6, **kinds),
            [tokens, others, normal(N, 5, 6), None, True, None, False],
        ),
        "MultiheadAttention_each": (
            nn.MultiheadAttention(8, 2, **kinds),
            [normal(3, 4, 8), normal(3, 5, 8), normal(3, 5, 8), gone, True, normal(6, 4, 5), False],
        ),
        "MultiheadAttention_causal": (
            nn.MultiheadAttention(8, 2, **kinds),
            [tokens, tokens, tokens, None, False, later, True, True],
        ),
        "MultiheadAttention_alone": (
            nn.MultiheadAttention(8, 2),
            [normal(4, 8), normal(5, 8), normal(5, 8), booleans(5, chance=0.0)],
        ),
        "TransformerEncoderLayer": (nn.TransformerEncoderLayer(8, 2, 12), [normal(4, N, 8)]),
        "TransformerEncoderLayer_first": (
            nn.TransformerEncoderLayer(
                8, 4, activation="gelu", layer_norm_eps=1e-3, norm_first=True, bias=False, **small
            ),
            [tokens, later, few],
        ),
        "TransformerDecoderLayer": (
            nn.TransformerDecoderLayer(8, 2, **small),
            [tokens, others, later, None, None, hidden],
        ),
        "TransformerDecoderLayer_first": (
            nn.TransformerDecoderLayer(8, 2, activation=nn.SiLU(), norm_first=True, **small),
            [tokens, others],
        ),
        "TransformerEncoder": (
            nn.TransformerEncoder(
                nn.TransformerEncoderLayer(8, 2, **small),
                2,
                nn.LayerNorm(8),
                enable_nested_tensor=False,
            ),
            [tokens, None, few],
        ),
        "TransformerDecoder": (
            nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, **small), 2),
            [tokens, others, later],
        ),
        "Transformer": (
            nn.Transformer(8, 2, 1, 1, 12, batch_first=True),
            [others, tokens, None, later],
        ),
        "Transformer_alone": (
            nn.Transformer(8, 2, 1, 1, 12, norm_first=True, bias=False),
            [normal(5, 8), normal(4, 8)],
        ),
    }
    return found
