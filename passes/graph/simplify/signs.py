"""Opposite numbers: exact in every type, since a rounding does not look at the sign."""

from __future__ import annotations

from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.passes.graph.simplify.arithmetic import is_splat
from teenyir.passes.graph.simplify.table import Replacement, row


def _opposite(value: SSAValue) -> SSAValue | None:
    """What a tensor is the opposite of, where it is a negation."""
    owner = value.owner
    return owner.operand if isinstance(owner, graph.NegOp) else None


def _add(op: graph.AddOp) -> Replacement:
    if (b := _opposite(op.rhs)) is not None:
        return graph.SubOp(op.lhs, b)
    a = _opposite(op.lhs)
    return None if a is None else graph.SubOp(op.rhs, a)


def _sub(op: graph.SubOp) -> Replacement:
    b = _opposite(op.rhs)
    return None if b is None else graph.AddOp(op.lhs, b)


def _from_zero(op: graph.SubOp) -> Replacement:
    return graph.NegOp(op.rhs) if is_splat(op.lhs, op, 0, -0.0) else None


def _product(op: graph.MulOp | graph.DivOp) -> Replacement:
    a, b = _opposite(op.lhs), _opposite(op.rhs)
    return None if a is None or b is None else type(op)(a, b)


def _times_minus_one(op: graph.MulOp | graph.DivOp) -> Replacement:
    if is_splat(op.rhs, op, -1, -1.0):
        return graph.NegOp(op.lhs)
    if isinstance(op, graph.MulOp) and is_splat(op.lhs, op, -1, -1.0):
        return graph.NegOp(op.rhs)
    return None


def _magnitude(op: graph.AbsOp) -> Replacement:
    x = _opposite(op.operand)
    return None if x is None else graph.AbsOp(x)


SIGNS = (
    # a + (-b) -> a - b, (-a) + b -> b - a
    row("add-opposite", graph.AddOp, _add),
    # a - (-b) -> a + b
    row("sub-opposite", graph.SubOp, _sub),
    # 0 - x -> -x; in floats -0.0 - x -> -x, since 0.0 - 0.0 is 0.0
    row("sub-from-zero", graph.SubOp, _from_zero),
    # (-a) * (-b) -> a * b, (-a) / (-b) -> a / b
    row("opposites", (graph.MulOp, graph.DivOp), _product),
    # x * -1 -> -x, x / -1 -> -x
    row("times-minus-one", (graph.MulOp, graph.DivOp), _times_minus_one),
    # abs(-x) -> abs(x)
    row("abs-opposite", graph.AbsOp, _magnitude),
)
