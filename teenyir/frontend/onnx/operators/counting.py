"""Operators that count what occurs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import reductions
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import zeros
from teenyir.frontend.elementwise import add, astype, equal, minimum, multiply
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

MOST_GRAMS = 4096
"""Sequences that are looked for one by one."""

MOST_COLUMNS = 2**16
"""Columns of the result."""


@operator("TfIdfVectorizer", ranks=(1,))
def tf_idf_vectorizer(node: Node, x: Tensor) -> Tensor:
    """How often each of several short sequences occurs in a row, perhaps weighted.

    The elements of a sequence may lie up to `max_skip_count` others apart, all equally far.
    """
    if "pool_int64s" not in node:
        fail("takes sequences of numbers")
    extent = x.shape[-1]
    if not isinstance(extent, int):
        fail(f"takes rows of a constant extent, got {extent}")
    weights = node.numbers("weights", [])
    columns = node.integers("ngram_indexes")
    grams = _grams(node)
    if len(grams) > min(len(columns), MOST_GRAMS) or any(c < 0 for c in columns):
        fail(f"{len(grams)} sequences for {len(columns)} columns")
    width = max(columns, default=-1) + 1
    if width > MOST_COLUMNS:
        fail(f"{width} columns are too many, {MOST_COLUMNS} are the most")
    counts: list[Tensor] = [zeros(x.shape[:-1], dtype=dtypes.INT64)] * width
    factors = np.ones(width, np.float32)
    for gram, column, place in zip(grams, columns, range(len(grams)), strict=False):
        counts[column] = _occurrences(node, x, extent, gram)
        factors[column] = weights[place] if weights else 1.0
    return _weighted(node, astype(stack(counts, axis=-1), dtypes.FLOAT32), factors)


def _weighted(node: Node, counts: Tensor, factors: np.ndarray) -> Tensor:  # pyright: ignore
    mode = node.choice("mode", "TF", ("TF", "IDF", "TFIDF"))
    if mode == "TF":
        return counts
    held = counts if mode == "TFIDF" else minimum(counts, 1.0)
    return multiply(held, as_tensor(factors))


def _grams(node: Node) -> list[list[int]]:
    """The sequences of all lengths; where each length starts is an attribute."""
    pool, starts = node.integers("pool_int64s"), node.integers("ngram_counts")
    ends = [*starts[1:], len(pool)]
    found: list[list[int]] = []
    for length, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
        if not 0 <= start <= end <= len(pool) or (end - start) % length:
            fail(f"its pool of {len(pool)} is not cut by {starts}")
        found += [pool[k : k + length] for k in range(start, end, length)]
    return found


def _occurrences(node: Node, x: Tensor, extent: int, gram: Sequence[int]) -> Tensor:
    low, high = node.integer("min_gram_length"), node.integer("max_gram_length")
    total = zeros(x.shape[:-1], dtype=dtypes.INT64)
    if not low <= len(gram) <= high:
        return total
    skips = min(node.integer("max_skip_count"), extent) if len(gram) > 1 else 0
    if skips > MOST_GRAMS:
        fail(f"{skips} distances between the elements of a sequence are too many")
    for step in range(1, skips + 2):
        room = extent - (len(gram) - 1) * step
        if room < 1:
            break
        hit: Tensor | None = None
        for k, value in enumerate(gram):
            own = equal(x[..., k * step : k * step + room], value)
            hit = own if hit is None else hit & own
        assert hit is not None
        total = add(total, reductions.sum(astype(hit, dtypes.INT64), axis=-1))
    return total
