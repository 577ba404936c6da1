"""Products with a one-hot matrix, which pick rows: no product is left of them.

    one_hot[n, k] = cast(index[n] == k),  y[n, j] = sum over k of one_hot[n, k] * table[k, j]

    y[n, j]  is  table[index[n], j], and 0 where the index is out of range, as `gather` has it

Of integers always. Of floats 0 * table[k, j] is NaN where the table holds an infinity or NaN, so
that it is done under `fast-math` alone; there an embedding costs its rows, however it is spelled.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.dialects.expr import ONE
from teenyir.passes.graph.simplify.casts import is_exact
from teenyir.passes.graph.simplify.constants import dtype_of
from teenyir.passes.graph.simplify.table import Insert, Replacement, building


def _picked(op: graph.DotOp, insert: Insert) -> Replacement:
    last = len(graph.extents(graph.tensor_type(op.lhs))) - 1
    if op.lhs_batch or op.lhs_contract != (last,) or len(op.rhs_contract) != 1:
        return None
    if (index := _index_of(op.lhs, last)) is None:
        return None
    places = graph.ReshapeOp(index, [*graph.extents(graph.tensor_type(index)), ONE])
    return graph.GatherOp(op.rhs, insert(places), op.rhs_contract)


def _index_of(one_hot: SSAValue, axis: int) -> SSAValue | None:
    """What counts to where each row of a one-hot matrix is 1, where that is what a tensor is."""
    cast = one_hot.owner
    compare = cast.operand.owner if isinstance(cast, graph.CastOp) else None
    if not isinstance(compare, graph.CompareOp) or compare.predicate != "eq":
        return None
    for counted, wanted in ((compare.lhs, compare.rhs), (compare.rhs, compare.lhs)):
        iota = counted.owner
        if isinstance(iota, graph.IotaOp) and iota.axis == axis and _is_exact(counted):
            return _before_last(wanted, axis)
    return None


def _is_exact(counted: SSAValue) -> bool:
    """Whether indices of a type count past every axis without wrapping."""
    dtype = dtype_of(counted)
    return dtype.kind == "int" and dtype.bits >= 32


def _before_last(value: SSAValue, axis: int) -> SSAValue | None:
    """The tensor that a tensor repeats along its last axis, cast or not, with every value kept."""
    op = value.owner
    if isinstance(op, graph.CastOp) and is_exact(dtype_of(op.operand), dtype_of(value)):
        op = op.operand.owner
    if not isinstance(op, graph.BroadcastOp) or op.axes != tuple(range(axis)):
        return None
    extents = graph.extents(op.result.type)[:axis]
    whole = graph.extents(graph.tensor_type(op.operand)) == extents
    return op.operand if whole and dtype_of(op.operand).kind in ("int", "uint") else None


def _of_integers(op: graph.DotOp, insert: Insert) -> Replacement:
    return None if dtype_of(op.result).kind == "float" else _picked(op, insert)


ONE_HOT = (
    # one_hot(index) @ table -> table[index], integers
    building("one-hot-dot", graph.DotOp, _of_integers),
)

FAST_ONE_HOT = (
    # one_hot(index) @ table -> table[index], floats without infinities and NaN
    building("fast-one-hot-dot", graph.DotOp, _picked),
)
