"""Casts that do nothing, and casts of casts that lose nothing on the way."""

from __future__ import annotations

from teenyir.dialects import graph
from teenyir.dialects.dtypes import DType
from teenyir.passes.graph.simplify.constants import dtype_of
from teenyir.passes.graph.simplify.table import Replacement, row

_INTEGERS = ("int", "uint")


def is_exact(source: DType, target: DType) -> bool:
    """Whether a cast keeps every value."""
    if source == target:
        return True
    if source.format is not None:
        return target.format is not None and target.format.holds(source.format)
    # an integer's magnitude takes all bits of an unsigned one, one less of a signed one
    bits = source.bits - (source.kind == "int")
    if target.format is not None:
        return bits <= target.format.digits and target.format.zeros > 0
    if source.kind == "bool":
        return True
    if target.kind == "uint":
        return source.kind == "uint" and target.bits >= source.bits
    return target.kind == "int" and target.bits > bits


def _cast(op: graph.CastOp) -> Replacement:
    if op.operand.type == op.result.type:
        return op.operand
    inner = op.operand.owner
    if not isinstance(inner, graph.CastOp):
        return None
    source, middle, target = map(dtype_of, (inner.operand, inner.result, op.result))
    if not is_exact(source, middle):
        return None
    if target.kind in _INTEGERS and (source.kind in _INTEGERS) != (middle.kind in _INTEGERS):
        # a float saturates on its way to an integer, an integer wraps
        return graph.CastOp(inner.operand, target.element) if is_exact(source, target) else None
    return graph.CastOp(inner.operand, op.result.type.element_type)


CASTS = (
    # cast(x : T to T) -> x; cast(cast(x : T to U) : U to V) -> cast(x : T to V), where U holds all
    # of T and V's way of saturating or wrapping stays the same
    row("cast", graph.CastOp, _cast),
)
