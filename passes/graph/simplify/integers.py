"""Powers of two, constants that meet, and what holds of integers alone."""

from __future__ import annotations

import math

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.arithmetic import is_splat
from teenyir.passes.graph.simplify.constants import INTEGER, dtype_of, filled, splat, wrapped
from teenyir.passes.graph.simplify.table import Insert, Replacement, building


def _exponent(op: graph.BinaryOp) -> int | None:
    """k, where the right operand is the power of two 2^k throughout, an integer above 1."""
    value = splat(op.rhs)
    if dtype_of(op.result).kind not in ("int", "uint") or not isinstance(value, int) or value < 2:
        return None
    return value.bit_length() - 1 if value & (value - 1) == 0 else None


def _quotient(op: graph.FloorDivOp, insert: Insert) -> Replacement:
    k = _exponent(op)
    return None if k is None else graph.ShrOp(op.lhs, filled(k, op.result, insert))


def _remainder(op: graph.ModOp, insert: Insert) -> Replacement:
    k = _exponent(op)
    return None if k is None else graph.AndOp(op.lhs, filled((1 << k) - 1, op.result, insert))


def _reciprocal(op: graph.DivOp, insert: Insert) -> Replacement:
    value, dtype = splat(op.rhs), dtype_of(op.result)
    if not isinstance(value, float) or not value or not math.isfinite(value):
        return None
    mantissa, exponent = math.frexp(value)
    # both the power and its reciprocal are to be normal: no digit of the product is lost
    if abs(mantissa) != 0.5 or dtype.bits < 16 or abs(exponent - 1) > 13:
        return None
    return graph.MulOp(op.lhs, filled(1 / value, op.result, insert))


def _together(op: graph.BinaryOp, insert: Insert) -> Replacement:
    inner = op.lhs.owner
    if type(inner) is not type(op) or dtype_of(op.result).kind not in ("int", "uint"):
        return None
    assert isinstance(inner, graph.BinaryOp)
    a, b = splat(inner.rhs), splat(op.rhs)
    if a is None or b is None:
        return None
    both = wrapped(INTEGER[type(op)](int(a), int(b)), dtype_of(op.result))
    return type(op)(inner.lhs, filled(both, op.result, insert))


def _clipped(op: graph.MaxOp | graph.MinOp, insert: Insert) -> Replacement:
    inner = op.lhs.owner
    if type(inner) is not type(op) or dtype_of(op.result).kind == "bool":
        return None
    assert isinstance(inner, graph.BinaryOp)
    a, b = splat(inner.rhs), splat(op.rhs)
    if a is None or b is None or a != a or b != b or a == b:
        return None
    pick = max if isinstance(op, graph.MaxOp) else min
    return type(op)(inner.lhs, filled(pick(a, b), op.result, insert))


def _itself(op: graph.SubOp | graph.XorOp, insert: Insert) -> Replacement:
    if op.lhs is not op.rhs or dtype_of(op.result).kind == "float":
        return None
    return filled(0, op.result, insert)


def _power(op: graph.PowOp, insert: Insert) -> Replacement:
    if is_splat(op.rhs, op, 2, 2.0):
        return graph.MulOp(op.lhs, op.lhs)
    if is_splat(op.rhs, op, 0, 0.0) or is_splat(op.rhs, op, 0, -0.0):
        return filled(1.0, op.result, insert)
    if is_splat(op.rhs, op, -1, -1.0):
        return graph.DivOp(filled(1.0, op.result, insert), op.lhs)
    return None


INTEGERS = (
    # x floordiv 2^k -> x shr k, x mod 2^k -> x and (2^k - 1)
    building("floordiv-power-of-two", graph.FloorDivOp, _quotient),
    building("mod-power-of-two", graph.ModOp, _remainder),
    # x / 2^k -> x * 2^-k, floats: both are rounded from the same number
    building("div-power-of-two", graph.DivOp, _reciprocal),
    # (x + c) + d -> x + (c + d), and so for *, and, or, xor, integers
    building(
        "constants-meet",
        (graph.AddOp, graph.MulOp, graph.AndOp, graph.OrOp, graph.XorOp),
        _together,
    ),
    # max(max(x, c), d) -> max(x, max(c, d)), min too; no c or d is NaN
    building("bounds-meet", (graph.MaxOp, graph.MinOp), _clipped),
    # x - x -> 0, x xor x -> 0, integers: of floats NaN and infinities are NaN
    building("minus-itself", (graph.SubOp, graph.XorOp), _itself),
    # x ** 2 -> x * x, x ** 0 -> 1 (of NaN as well), x ** -1 -> 1 / x
    building("pow-constant", graph.PowOp, _power),
)
