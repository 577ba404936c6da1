"""Operators on tensors of which data decides how many elements count.

They are computed with all the room there is. An operator may take such a tensor where what it
makes of the elements that count does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from teenyir.frontend.core import TensorBase, normalize_axis
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.values import Bounded, Told, Value
from teenyir.frontend.tensor import Tensor

ELEMENTWISE = frozenset(
    (
        *("Abs", "Add", "BitwiseNot", "Cast", "Ceil", "Clip", "Div", "Equal", "Exp", "Floor"),
        *("Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Log", "Mod", "Mul"),
        *("Neg", "Not", "Pow", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sqrt", "Sub"),
        "Tanh",
    )
)
"""Operators of elements that are known to take them each by itself."""


def through(
    name: str,
    apply: Callable[[Sequence[Value]], list[Value]],
    node: Node,
    inputs: Sequence[Value],
) -> list[Value]:
    """The results of an operator of which some inputs are bounded. Raises TraceError."""
    plain = [value.tensor if isinstance(value, Bounded) else value for value in inputs]
    counts = _counts(name, node, inputs)
    if counts is None:
        fail("does not take a tensor whose extent data decides")
    return [
        Bounded(value, counts) if isinstance(value, TensorBase) else value for value in apply(plain)
    ]


def _counts(name: str, node: Node, inputs: Sequence[Value]) -> dict[int, Tensor] | None:
    """By axis of the result, how many of its places count; None where it is not that simple."""
    first = inputs[0]
    bounded = [value for value in inputs if isinstance(value, Bounded)]
    if name in ELEMENTWISE:
        return _of_elements(inputs)
    if len(bounded) != 1:
        return None
    (counts,) = (value.counts for value in bounded)
    if name == "Transpose" and isinstance(first, Bounded):
        rank = first.tensor.ndim
        order = node.integers("perm", list(range(rank))[::-1])
        return {order.index(axis): count for axis, count in counts.items()}
    if name == "Gather" and isinstance(first, TensorBase):
        axis = normalize_axis(node.integer("axis", 0), first.ndim)
        return {axis + k: count for k, count in counts.items()}
    return None


def _of_elements(inputs: Sequence[Value]) -> dict[int, Tensor] | None:
    """Where the others are numbers: how far two such tensors reach together is not known."""
    (bounded, *more) = [value for value in inputs if isinstance(value, Bounded)]
    others = [value for value in inputs if value is not None and not isinstance(value, Bounded)]
    ranks = [(each.tensor if isinstance(each, Told) else each).ndim for each in others]
    if more or any(ranks):
        return None
    return bounded.counts
