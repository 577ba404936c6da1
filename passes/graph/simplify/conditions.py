"""Comparisons and selects."""

from __future__ import annotations

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.constants import dtype_of, filled, splat
from teenyir.passes.graph.simplify.table import Insert, Replacement, building, row

OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def _not(op: graph.NotOp) -> Replacement:
    compare = op.operand.owner
    if not isinstance(compare, graph.CompareOp):
        return None
    if dtype_of(compare.lhs).kind == "float" and compare.predicate not in ("eq", "ne"):
        return None  # with NaN neither holds
    return graph.CompareOp(OPPOSITE[compare.predicate], compare.lhs, compare.rhs)


def _itself(op: graph.CompareOp, insert: Insert) -> Replacement:
    if op.lhs is not op.rhs or dtype_of(op.lhs).kind == "float":
        return None
    return filled(op.predicate in ("eq", "le", "ge"), op.result, insert)


def _of_boolean(op: graph.CompareOp) -> Replacement:
    cast = op.lhs.owner
    if not isinstance(cast, graph.CastOp) or dtype_of(cast.operand).kind != "bool":
        return None
    return cast.operand if op.predicate in ("ne", "gt") and splat(op.rhs) == 0 else None


def _booleans(op: graph.SelectOp) -> Replacement:
    if dtype_of(op.result).kind != "bool":
        return None
    pair = (splat(op.on_true), splat(op.on_false))
    if pair == (True, False):
        return op.condition
    return graph.NotOp(op.condition) if pair == (False, True) else None


def _of_not(op: graph.SelectOp) -> Replacement:
    inner = op.condition.owner
    if not isinstance(inner, graph.NotOp):
        return None
    return graph.SelectOp(inner.operand, op.on_false, op.on_true)


def _of_select(op: graph.SelectOp) -> Replacement:
    a, b = op.on_true.owner, op.on_false.owner
    if isinstance(a, graph.SelectOp) and a.condition is op.condition:
        return graph.SelectOp(op.condition, a.on_true, op.on_false)
    if isinstance(b, graph.SelectOp) and b.condition is op.condition:
        return graph.SelectOp(op.condition, op.on_true, b.on_false)
    return None


CONDITIONS = (
    # not(a < b) -> a >= b, integers; of floats not(a == b) -> a != b and back alone
    row("not-compare", graph.NotOp, _not),
    # x == x, x <= x -> true, x < x -> false, integers: NaN is not equal to itself
    building("compare-itself", graph.CompareOp, _itself),
    # cast(c : bool) != 0, > 0 -> c
    row("compare-boolean", graph.CompareOp, _of_boolean),
    # select(c, true, false) -> c, select(c, false, true) -> not c
    row("select-booleans", graph.SelectOp, _booleans),
    # select(not c, a, b) -> select(c, b, a)
    row("select-not", graph.SelectOp, _of_not),
    # select(c, select(c, a, b), d) -> select(c, a, d), select(c, a, select(c, b, d)) likewise
    row("select-select", graph.SelectOp, _of_select),
)
