"""How far vectors are from one another, under PyTorch's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teenyir.frontend.arguments import NonNegative, checked
from teenyir.frontend.core import ArrayLike, broadcasted, cast_to, composite, promoted
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    maximum,
    multiply,
    not_equal,
    power,
    sqrt,
    subtract,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.reductions import computing, max, min, sum

if TYPE_CHECKING:
    from teenyir.dialects.dtypes import DType
    from teenyir.frontend.tensor import Tensor


def float_pair(name: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Tensor, Tensor, DType]:
    """Two tensors of floats under common extents in the dtype to compute in, and their own."""
    a, b = broadcasted(*promoted(x1, x2))
    if a.dtype.kind != "float":
        fail(f"{name} takes floats, got {a.dtype}")
    return computing(a), computing(b), a.dtype


def norm(x: Tensor, p: float, axis: int, keepdims: bool = False) -> Tensor:
    """`sum(abs(x) ** p) ** (1 / p)` along an axis; of 0 how many are not 0."""
    size = abs(x)
    if math.isinf(p):
        return (max if p > 0 else min)(size, axis=axis, keepdims=keepdims)
    if p == 0:
        return sum(astype(not_equal(x, 0.0), x.dtype), axis=axis, keepdims=keepdims)
    if p == 1:
        return sum(size, axis=axis, keepdims=keepdims)
    if p == 2:
        return sqrt(sum(multiply(x, x), axis=axis, keepdims=keepdims))
    return power(sum(power(size, float(p)), axis=axis, keepdims=keepdims), 1 / p)


@checked
@composite("pairwise_distance")
def pairwise_distance(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    p: float = 2.0,
    *,
    eps: NonNegative = 1e-6,
    keepdim: bool = False,
) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last axis."""
    a, b, dtype = float_pair("pairwise_distance", x1, x2)
    return cast_to(norm(add(subtract(a, b), eps), p, -1, keepdim), dtype)


@checked
@composite("cosine_similarity")
def cosine_similarity(
    x1: ArrayLike, x2: ArrayLike, /, *, axis: int = 1, eps: NonNegative = 1e-8
) -> Tensor:
    """The cosine of the angle between vectors along an axis; lengths count as `eps` at least."""
    a, b, dtype = float_pair("cosine_similarity", x1, x2)
    lengths = [maximum(norm(each, 2, axis, True), eps) for each in (a, b)]
    unit = [divide(each, length) for each, length in zip((a, b), lengths, strict=True)]
    return cast_to(sum(multiply(*unit), axis=axis), dtype)
