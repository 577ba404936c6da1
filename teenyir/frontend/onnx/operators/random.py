"""Random numbers: each node has a stream of its own, by its seed and its name."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.frontend import random
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import astype
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import broadcast_to
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.tensor import Tensor


def _key(node: Node) -> Tensor:
    """The key of a node: the same in every run."""
    if "seed" in node:
        return random.key(int(np.float32(node.number("seed")).view(np.uint32)))
    label = node.proto.name or next(iter(node.outputs), "")
    return random.key(zlib.crc32(label.encode()))


def _drawn(node: Node, shape: Sequence[Extent], dtype: DType) -> Tensor:
    wide = dtypes.FLOAT64 if dtype == dtypes.FLOAT64 else dtypes.FLOAT32
    if node.kind.startswith("RandomNormal"):
        mean, std = node.number("mean", 0.0), node.number("scale", 1.0)
        found = random.normal(_key(node), shape, dtype=wide, mean=mean, std=std)
    else:
        low, high = node.number("low", 0.0), node.number("high", 1.0)
        found = random.uniform(_key(node), shape, dtype=wide, low=low, high=high)
    return astype(found, dtype)


@operator("RandomNormal", "RandomUniform")
def drawn(node: Node) -> Tensor:
    """Numbers of a distribution, of extents that are given."""
    return _drawn(node, node.integers("shape"), dtype_of(node.integer("dtype", 1), "the result"))


@operator("RandomNormalLike", "RandomUniformLike")
def drawn_like(node: Node, x: Tensor) -> Tensor:
    """Numbers of a distribution, of the extents of a tensor."""
    dtype = dtype_of(node.integer("dtype"), "the result") if "dtype" in node else x.dtype
    return _drawn(node, x.shape, dtype)


@operator("Bernoulli")
def bernoulli(node: Node, x: Tensor) -> Tensor:
    """1 with the probability that each element is, otherwise 0."""
    dtype = dtype_of(node.integer("dtype"), "the result") if "dtype" in node else x.dtype
    wide = astype(x, dtypes.FLOAT64 if x.dtype == dtypes.FLOAT64 else dtypes.FLOAT32)
    return astype(random.bernoulli(_key(node), wide), dtype)


@operator("Multinomial")
def multinomial(node: Node, x: Tensor) -> Tensor:
    """Classes drawn from the logarithms of their probabilities: [batch, draws]."""
    if x.ndim != 2:
        fail(f"takes [batch, classes], got {x!r}")
    count, classes = node.integer("sample_size", 1), x.shape[1]
    logits = broadcast_to(x[:, None, :], (x.shape[0], count, classes))
    found = random.categorical(_key(node), logits)
    return astype(found, dtype_of(node.integer("dtype", 6), "the result"))
