"""Attention, as one composite where its options are those of `scaled_dot_product_attention`."""

from __future__ import annotations

import math

from teenyir.dialects import dtypes
from teenyir.frontend.attention import scaled_dot_product_attention
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, less_equal, logical_and, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, permute_dims, reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.tensors import code_of
from teenyir.frontend.tensor import Tensor

_KNOWN = {"is_causal", "q_num_heads", "kv_num_heads", "scale", "softcap", "softmax_precision"}
"""The attributes that are asked for here; what others ask for is not known."""


@operator("Attention", since=23, ranks=(3, 3, 3, 1))
def attention(
    node: Node,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    counts: Tensor | None = None,
) -> list[Tensor] | None:
    """Means of values, weighted by how well their keys suit the queries.

    None where an option asks for more: it is then what ONNX defines it to be.
    """
    if counts is not None or not _is_plain(node, query, key, value):
        return None
    q = _by_heads(query, node, "q_num_heads")
    k, v = (_by_heads(x, node, "kv_num_heads") for x in (key, value))
    before: Extent = 0
    if past_key is not None and past_value is not None:
        before = past_key.shape[2]
        k, v = concat([past_key, k], axis=2), concat([past_value, v], axis=2)
    if mask is not None and mask.shape[-1] != k.shape[2]:
        return None
    is_causal = node.flag("is_causal")
    if is_causal and before != 0:
        mask, is_causal = _not_after(q, k, before, mask), False
    scale = node.number("scale", 0.0) or None
    found = scaled_dot_product_attention(
        q, k, v, mask, is_causal=is_causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1]
    )
    if query.ndim == 3:
        batch, heads, tokens, size = found.shape
        found = reshape(permute_dims(found, (0, 2, 1, 3)), (batch, tokens, heads * size))
    return [found, k, v]


def _is_plain(node: Node, *tensors: Tensor) -> bool:
    """Whether the composite has the options, and the softmax is in the dtype that is asked for."""
    dtype = tensors[0].dtype
    same = all(x.dtype == dtype and x.ndim == tensors[0].ndim for x in tensors)
    wide = dtypes.FLOAT64 if dtype == dtypes.FLOAT64 else dtypes.FLOAT32
    precise = node.integer("softmax_precision", code_of(dtype)) == code_of(wide)
    known = node.attributes.keys() <= _KNOWN | {"qk_matmul_output_mode"}
    return same and precise and known and not node.number("softcap", 0.0) and not node.wants(3)


def _by_heads(x: Tensor, node: Node, name: str) -> Tensor:
    """[batch, heads, tokens, features] of that, or of [batch, tokens, heads * features]."""
    if x.ndim == 4:
        return x
    if x.ndim != 3:
        fail(f"takes tensors of 3 or 4 axes, got {x!r}")
    heads = node.integer(name)
    batch, tokens, width = x.shape
    if heads < 1 or not isinstance(width, int) or width % heads:
        fail(f"{width} features are not those of {heads} heads")
    return permute_dims(reshape(x, (batch, tokens, heads, width // heads)), (0, 2, 1, 3))


def _not_after(q: Tensor, k: Tensor, before: Extent, mask: Tensor | None) -> Tensor:
    """A mask that also leaves out sources after the target, which has `before` ones before it."""
    targets, sources = arange(q.shape[2])[:, None], arange(k.shape[2])[None, :]
    seen = less_equal(sources, add(targets, before))
    if mask is None:
        return seen
    return logical_and(seen, mask) if mask.dtype == dtypes.BOOL else where(seen, mask, -math.inf)
