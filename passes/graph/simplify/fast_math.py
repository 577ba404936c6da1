"""What holds of finite floats alone, or but for a rounding: done under `fast-math`.

With constant factors outermost and quotients by constants as products, one formula has one form
however it was spelled, such as GELU's `0.5 * x * (1 + erf(x / sqrt 2))`.
"""

from __future__ import annotations

import math

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.constants import dtype_of, filled, splat
from teenyir.passes.graph.simplify.table import Insert, Replacement, building, row


def _is_float(op: graph.BinaryOp) -> bool:
    return dtype_of(op.result).kind == "float"


def _zero(op: graph.AddOp | graph.SubOp) -> Replacement:
    if _is_float(op) and splat(op.rhs) == 0:
        return op.lhs
    return op.rhs if isinstance(op, graph.AddOp) and splat(op.lhs) == 0 else None


def _times_zero(op: graph.MulOp) -> Replacement:
    if splat(op.rhs) == 0:
        return op.rhs
    return op.lhs if splat(op.lhs) == 0 else None


def _itself(op: graph.SubOp | graph.DivOp, insert: Insert) -> Replacement:
    if op.lhs is not op.rhs:
        return None
    return filled(0.0 if isinstance(op, graph.SubOp) else 1.0, op.result, insert)


def _reciprocal(op: graph.DivOp, insert: Insert) -> Replacement:
    value = splat(op.rhs)
    if not value or not math.isfinite(1 / value):
        return None
    return graph.MulOp(op.lhs, filled(1 / value, op.result, insert))


def _constant_right(op: graph.MulOp | graph.AddOp) -> Replacement:
    if splat(op.lhs) is None or splat(op.rhs) is not None:
        return None
    return type(op)(op.rhs, op.lhs)


def _outward(op: graph.MulOp, insert: Insert) -> Replacement:
    if not _is_float(op):
        return None
    for inner, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        product = inner.owner
        if not isinstance(product, graph.MulOp) or splat(product.rhs) is None:
            continue
        if splat(other) is not None:
            both = float(splat(product.rhs) or 0) * float(splat(other) or 0)
            return graph.MulOp(product.lhs, filled(both, op.result, insert))
        if inner.has_one_use():
            pair = (product.lhs, other) if inner is op.lhs else (other, product.lhs)
            return graph.MulOp(insert(graph.MulOp(*pair)), product.rhs)
    return None


FAST_MATH = (
    # x + 0, x - 0 -> x, whatever the sign of the zero
    row("fast-zero", (graph.AddOp, graph.SubOp), _zero),
    # x * 0 -> 0
    row("fast-times-zero", graph.MulOp, _times_zero),
    # x - x -> 0, x / x -> 1
    building("fast-itself", (graph.SubOp, graph.DivOp), _itself),
    # x / c -> x * (1 / c)
    building("fast-reciprocal", graph.DivOp, _reciprocal),
    # c * x -> x * c, c + x -> x + c
    row("constant-right", (graph.MulOp, graph.AddOp), _constant_right),
    # (x * c) * y -> (x * y) * c, (x * c) * d -> x * (c * d)
    building("constant-outward", graph.MulOp, _outward),
)
