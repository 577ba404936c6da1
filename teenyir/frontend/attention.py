"""Attention: weighted means of values, the weights a softmax of products of queries and keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes, graph
from teenyir.frontend.arguments import checked
from teenyir.frontend.arrangement import repeat
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    cast_to,
    composite,
    current,
    promoted,
    tensor_type,
)
from teenyir.frontend.elementwise import (
    add,
    divide,
    equal,
    exp,
    less_equal,
    multiply,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import matmul
from teenyir.frontend.movement import matrix_transpose
from teenyir.frontend.reductions import computing, reduce

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


@checked
@composite("attention")
def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    /,
    attn_mask: ArrayLike | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`softmax(query @ key.mT * scale + mask) @ value`, under PyTorch's name.

    `query` is [..., targets, features], `key` [..., sources, features], `value` [..., sources,
    outputs]; the axes in front broadcast. The scale is `1 / sqrt(features)`. A boolean mask is
    True where a source takes part, one of floats is added; with `is_causal` sources after the
    target take no part. A target without sources gets zeros. With `enable_gqa` the heads, the
    third axis from the end, of key and value are repeated to those of the query.
    """
    q, k, v = promoted(query, key, value)
    if enable_gqa:
        k, v = _repeated(k, q), _repeated(v, q)
    weights = attention_weights(q, k, attn_mask, is_causal=is_causal, scale=scale)
    return matmul(cast_to(weights, v.dtype), v)


def _repeated(x: Tensor, query: Tensor) -> Tensor:
    if x.ndim < 3 or query.ndim < 3:
        fail("enable_gqa takes [..., heads, tokens, features]")
    heads, wanted = x.shape[-3], query.shape[-3]
    if not isinstance(heads, int) or not isinstance(wanted, int) or wanted % heads:
        fail(f"{wanted} heads of the query are no multiple of {heads}")
    return x if heads == wanted else repeat(x, wanted // heads, axis=-3)


@checked
@composite("attention_weights")
def attention_weights(
    query: ArrayLike,
    key: ArrayLike,
    /,
    attn_mask: ArrayLike | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """The weights of `scaled_dot_product_attention`, [..., targets, sources], in float32 or
    wider."""
    q, k = promoted(query, key)
    if q.dtype.kind != "float" or q.ndim < 2 or k.ndim < 2:
        fail(f"attention takes [..., tokens, features] of floats, got {q.dtype}")
    if scale is None:
        features = q.shape[-1]
        if not isinstance(features, int):
            fail(f"attention over {features} features takes a scale")
        scale = 1 / math.sqrt(max(features, 1))
    scores = multiply(computing(matmul(q, matrix_transpose(k))), scale)
    if attn_mask is not None:
        mask = as_tensor(attn_mask)
        plain = mask.dtype == dtypes.BOOL
        scores = where(mask, scores, -math.inf) if plain else add(scores, computing(mask))
    if is_causal:
        scores = where(_is_before(scores), scores, -math.inf)
    return _softmax(scores)


def _is_before(scores: Tensor) -> Tensor:
    """Where a source does not come after the target."""
    type = tensor_type(dtypes.INT64, scores.extents[-2:])
    targets, sources = (current().emit(graph.IotaOp, type, axis) for axis in (0, 1))
    return less_equal(sources, targets)


def _softmax(scores: Tensor) -> Tensor:
    """Softmax along the last axis; of minus infinities alone zeros."""
    last = (scores.ndim - 1,)
    most = reduce("max", scores, last, True)
    most = where(equal(most, -math.inf), 0.0, most)
    powers = exp(subtract(scores, most))
    total = reduce("add", powers, last, True)
    return divide(powers, where(equal(total, 0.0), 1.0, total))
