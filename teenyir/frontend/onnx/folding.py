"""Ops on known arrays, done by the interpreter: when a model is imported, or in a call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from teenyir.dialects import graph
from teenyir.frontend.core import Array, TensorBase, Trace, tracing
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import Operator
from teenyir.frontend.onnx.values import Call, Told, Value, lifted
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.tracing import finish
from teenyir.frontend.trees import LEAF, Tree
from teenyir.interpreter import run

MOST = 2**16
"""Elements of a tensor that is worked out while a model is imported; larger ones are computed by
the program."""


def fold(operator: Operator, node: Node, inputs: Sequence[Value]) -> list[Value] | None:
    """The results as arrays; None where they, or what leads to them, are too large."""
    arrays = [value for value in inputs if isinstance(value, np.ndarray)]
    if any(array.size > MOST for array in arrays):
        return None
    state = Trace(Tensor)
    with tracing(state):
        found = operator(node, inputs)
        tensors = [lifted(value) for value in found if isinstance(value, TensorBase)]
        if not all(_is_small(op) for op in state.entry.ops):
            return None
        folded = iter(_values(state, tensors))
    return [next(folded) if isinstance(value, TensorBase) else value for value in found]


def told(operator: Operator, node: Node, inputs: Sequence[Value]) -> list[Value]:
    """The results of an operator of which a call can read some inputs before the program runs.

    Where it takes nothing but such inputs and known ones, a call can work out its results too.
    """
    given = [
        value.tensor if isinstance(value, Told) and place not in operator.told else value
        for place, value in enumerate(inputs)
    ]
    results = operator(replace(node, inputs=tuple(given)), given)
    known = [value for value in inputs if isinstance(value, Told | np.ndarray)]
    is_all = len(known) == sum(value is not None for value in inputs)
    if not is_all or node.has_graph or operator.family == "random":
        return results

    def work_out(place: int, call: Call) -> Array:
        arrays = [call.array(v) if isinstance(v, Told | np.ndarray) else None for v in inputs]
        found = fold(operator, replace(node, inputs=tuple(arrays)), arrays)
        value = None if found is None else found[place]
        if not isinstance(value, np.ndarray):
            fail("an extent that an input decides takes too much to work out")
        return call.array(value)

    return [
        Told(value, partial(work_out, place)) if isinstance(value, TensorBase) else value
        for place, value in enumerate(results)
    ]


def _is_small(op: object) -> bool:
    """Whether every result has few elements, so that it costs little to work out."""
    results = getattr(op, "results", ())
    shapes = [graph.extents(graph.tensor_type(result)) for result in results]
    sizes = [math.prod(extent.constant or 0 for extent in shape) for shape in shapes]
    return all(size <= MOST for size in sizes)


def _values(state: Trace, tensors: Sequence[Tensor]) -> list[Array]:
    if not tensors:
        return []
    tree = Tree(tuple, tuple((str(k), LEAF) for k in range(len(tensors))))
    program = finish(state, tensors, tree, 0)
    return [np.asarray(each) for each in run(program.module, list(program.parameters.values()))]
