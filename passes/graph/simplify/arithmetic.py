"""Neutral and absorbing elements, and ops that undo or repeat themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.constants import dtype_of, same, splat
from teenyir.passes.graph.simplify.table import Replacement, row

Rewrite: TypeAlias = Callable[[graph.BinaryOp], Replacement]


def is_splat(operand: SSAValue, op: graph.BinaryOp, integer: int, real: float) -> bool:
    """Whether an operand is the number meant throughout: `integer` in integers, `real` in
    floats."""
    if (value := splat(operand)) is None:
        return False
    dtype = dtype_of(op.result)
    if dtype.kind == "float":
        return same(value, real)
    return int(value) % 2**dtype.bits == integer % 2**dtype.bits


def right(integer: int, real: float) -> Rewrite:
    """The left operand, where the right one is that number throughout."""
    return lambda op: op.lhs if is_splat(op.rhs, op, integer, real) else None


def either(integer: int, real: float) -> Rewrite:
    """One operand, where the other one is that number throughout."""

    def rewrite(op: graph.BinaryOp) -> Replacement:
        if is_splat(op.rhs, op, integer, real):
            return op.lhs
        return op.rhs if is_splat(op.lhs, op, integer, real) else None

    return rewrite


def absorbing(integer: int) -> Rewrite:
    """The operand that is that integer throughout. Not of floats: NaN, infinities, -0.0."""

    def rewrite(op: graph.BinaryOp) -> Replacement:
        if dtype_of(op.result).kind == "float":
            return None
        if is_splat(op.rhs, op, integer, 0.0):
            return op.rhs
        return op.lhs if is_splat(op.lhs, op, integer, 0.0) else None

    return rewrite


def _integers(rewrite: Rewrite) -> Rewrite:
    return lambda op: None if dtype_of(op.result).kind == "float" else rewrite(op)


def _itself(op: graph.BinaryOp) -> Replacement:
    return op.lhs if op.lhs is op.rhs else None


def _twice(op: graph.UnaryOp) -> Replacement:
    inner = op.operand.owner
    return inner.operand if isinstance(inner, graph.UnaryOp) and type(inner) is type(op) else None


def _once(op: graph.UnaryOp) -> Replacement:
    inner = op.operand.owner
    return op.operand if type(inner) is type(op) else None


def _select(op: graph.SelectOp) -> Replacement:
    if op.on_true is op.on_false:
        return op.on_true
    condition = splat(op.condition)
    return None if condition is None else op.on_true if condition else op.on_false


ARITHMETIC = (
    # x + 0 -> x; in floats x + -0.0 -> x, since -0.0 + 0.0 is 0.0
    row("add-zero", graph.AddOp, either(0, -0.0)),
    # x - 0 -> x; -0.0 - 0.0 is -0.0
    row("sub-zero", graph.SubOp, right(0, 0.0)),
    # x * 1 -> x
    row("mul-one", graph.MulOp, either(1, 1.0)),
    # x * 0 -> 0, integers
    row("mul-zero", graph.MulOp, absorbing(0)),
    # x / 1 -> x
    row("div-one", graph.DivOp, right(1, 1.0)),
    # x floordiv 1 -> x, integers
    row("floordiv-one", graph.FloorDivOp, _integers(right(1, 1.0))),
    # x ** 1 -> x
    row("pow-one", graph.PowOp, right(1, 1.0)),
    # x and ~0 -> x
    row("and-ones", graph.AndOp, either(-1, 0.0)),
    # x and 0 -> 0
    row("and-zero", graph.AndOp, absorbing(0)),
    # x or 0 -> x
    row("or-zero", graph.OrOp, either(0, 0.0)),
    # x or ~0 -> ~0
    row("or-ones", graph.OrOp, absorbing(-1)),
    # x xor 0 -> x
    row("xor-zero", graph.XorOp, either(0, 0.0)),
    # x shl 0, x shr 0 -> x
    row("shift-zero", (graph.ShlOp, graph.ShrOp), right(0, 0.0)),
    # max(x, x), min(x, x), x and x, x or x -> x
    row("idempotent", (graph.MaxOp, graph.MinOp, graph.AndOp, graph.OrOp), _itself),
    # -(-x), not(not x) -> x
    row("involution", (graph.NegOp, graph.NotOp), _twice),
    # abs(abs x), floor(floor x), ... -> once
    row(
        "once",
        (
            graph.AbsOp,
            graph.SignOp,
            graph.FloorOp,
            graph.CeilOp,
            graph.RoundOp,
            graph.TruncOp,
        ),
        _once,
    ),
    # select(c, x, x) -> x; select(true, x, y) -> x; select(false, x, y) -> y
    row("select", graph.SelectOp, _select),
)
