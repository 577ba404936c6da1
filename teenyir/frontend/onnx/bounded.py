"""Operators on tensors of which data decides how many elements count.

They are computed with all the room there is. An operator may take such a tensor where what it
makes of the elements that count does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from teenyir.frontend.core import TensorBase, normalize_axis
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.values import Bounded, Told, Value, is_symbolic
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
    if isinstance(first, Bounded) and (moves := _MOVES.get(name)) is not None:
        places = moves(node, inputs, first.tensor.ndim)
        if places is None or any(places[axis] is None for axis in counts):
            return None
        return {place: counts[axis] for axis in counts if (place := places[axis]) is not None}
    if name == "Gather" and isinstance(first, TensorBase):
        axis = normalize_axis(node.integer("axis", 0), first.ndim)
        return {axis + k: count for k, count in counts.items()}
    if name == "GatherND" and isinstance(first, TensorBase) and not node.integer("batch_dims", 0):
        return None if bounded[0].tensor.ndim - 1 in counts else counts
    return None


# --- where the axes of the first input go; None for one whose places are not taken one by one ----

Places = list[int | None]


def _transposed(node: Node, inputs: Sequence[Value], rank: int) -> Places:
    order = node.integers("perm", list(range(rank))[::-1])
    return [order.index(axis) for axis in range(rank)]


def _gathered(node: Node, inputs: Sequence[Value], rank: int) -> Places | None:
    if not isinstance(indices := inputs[1], TensorBase | np.ndarray):
        return None
    axis = normalize_axis(node.integer("axis", 0), rank)
    new = indices.ndim - 1
    return [None if k == axis else k + new * (k > axis) for k in range(rank)]


def _with_axes(node: Node, inputs: Sequence[Value], rank: int) -> Places | None:
    if (axes := _stated_axes(node, inputs, 1)) is None:
        return None
    total = rank + len(axes)
    new = {normalize_axis(axis, total) for axis in axes}
    return [k for k in range(total) if k not in new]


def _without_axes(node: Node, inputs: Sequence[Value], rank: int) -> Places | None:
    if (axes := _stated_axes(node, inputs, 1)) is None:
        return None
    gone = {normalize_axis(axis, rank) for axis in axes}
    left = [k for k in range(rank) if k not in gone]
    return [None if k in gone else left.index(k) for k in range(rank)]


def _cut(node: Node, inputs: Sequence[Value], rank: int) -> Places | None:
    axes = _stated_axes(node, inputs, 3)
    if axes is None and isinstance(starts := inputs[1] if len(inputs) > 1 else None, np.ndarray):
        axes = list(range(starts.size))
    if axes is None:
        return None
    cut = {normalize_axis(axis, rank) for axis in axes}
    return [None if k in cut else k for k in range(rank)]


def _stated_axes(node: Node, inputs: Sequence[Value], place: int) -> list[int] | None:
    """The axes that an input or an attribute gives, if they are known."""
    if "axes" in node:
        return node.integers("axes")
    given = inputs[place] if len(inputs) > place else None
    if not isinstance(given, np.ndarray) or is_symbolic(given):
        return None
    return [int(each) for each in given.flat]


_MOVES: dict[str, Callable[[Node, Sequence[Value], int], Places | None]] = {
    "Transpose": _transposed,
    "Gather": _gathered,
    "Unsqueeze": _with_axes,
    "Squeeze": _without_axes,
    "Slice": _cut,
}
"""By operator on such a tensor, where its axes are in the result."""


def _of_elements(inputs: Sequence[Value]) -> dict[int, Tensor] | None:
    """Where the others are numbers: how far two such tensors reach together is not known."""
    (bounded, *more) = [value for value in inputs if isinstance(value, Bounded)]
    others = [value for value in inputs if value is not None and not isinstance(value, Bounded)]
    ranks = [(each.tensor if isinstance(each, Told) else each).ndim for each in others]
    if more or any(ranks):
        return None
    return bounded.counts
