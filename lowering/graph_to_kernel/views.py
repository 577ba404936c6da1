"""Results that need no kernel: an argument itself, reshaped, or a part that lies in one piece.

By asking the movement ops' own rules, with an index that runs over the result: it is a view where
its elements follow one another in the argument as they do in the result.

    y = reshape(x)[8:40], x of extents [32, 32], y of [32, 16]:
    y[i, j] is x at [(16 (i + 8) + j) floordiv 32, (16 (i + 8) + j) mod 32], which is element
    16 i + j + 128 of x, and element 16 i + j of y: a view from element 128 on
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue

from teenyir.dialects import graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr
from teenyir.lowering.graph_to_kernel.builder import Index, Question, extents_of, is_empty
from teenyir.lowering.graph_to_kernel.requests import Root

Questions: TypeAlias = Iterator[Question]


@dataclass(frozen=True)
class View:
    """Elements of an argument, in order, from one on."""

    source: SSAValue
    offset: Expr


def views_of(func: FuncOp) -> dict[SSAValue, View]:
    """The results of a function that show an argument, and are asked for as results alone."""
    returned = func.body.block.last_op
    assert isinstance(returned, ReturnOp)
    found: dict[SSAValue, View] = {}
    for result in dict.fromkeys(returned.operands):
        demanded = any(isinstance(use.operation, _WHOLE) for use in result.uses)
        view = None if demanded or is_empty(result) else _view_of(result, graph.symbols(func))
        if view is not None:
            found[result] = view
    return found


_WHOLE = (graph.IfOp, graph.WhileOp, graph.CustomCallOp, graph.YieldOp)
"""What needs a tensor in memory of its own, besides a return."""


def _view_of(result: SSAValue, dims: Iterable[DimRange]) -> View | None:
    """What a result shows from which element on, or None where it is no view."""
    builder = Root.over(tuple(dims)).builder
    start = builder.index_over(extents_of(result))
    tensor, index = result, start
    while isinstance(op := tensor.owner, graph.MOVEMENT_OPS) and not isinstance(op, graph.PadOp):
        asked = next(cast(Questions, builder.rules(op)(builder, op, index, None)), None)
        if asked is None or asked[2] is not None:
            return None  # several tensors, by a condition
        tensor, index, _ = asked
    if not isinstance(tensor, BlockArgument):
        return None
    offset = builder.facts.simplify(_flat(tensor, index) - _flat(result, start))
    return View(tensor, offset) if offset.names <= builder.facts.dims.keys() else None


def _flat(tensor: SSAValue, index: Index) -> Expr:
    return Expr.row_major(index, extents_of(tensor))
