"""Elements that depend on the operands' elements at the same index, or on the index itself."""

from __future__ import annotations

from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.lowering.graph_to_kernel.builder import (
    Answer,
    Gate,
    Index,
    KernelBuilder,
    dtype_of,
)
from teenyir.lowering.graph_to_kernel.scalars import index_scalar, scalar


def elementwise(b: KernelBuilder, op: graph.GraphOp, index: Index, gate: Gate | None) -> Answer:
    """What `scalar` says of the op, on the operands' elements at the index."""
    args: dict[int, SSAValue] = {}
    # What is broadcast comes first: if it is a reduction over a row that another operand stages,
    # the row is filled by the reduction's own loop.
    order = sorted(range(len(op.operands)), key=lambda k: not _is_broadcast(op.operands[k]))
    for position in order:
        args[position] = yield op.operands[position], index, gate
    if b.only_asks and args:
        return args[0]
    return scalar(b.at(op), op, [args[position] for position in range(len(op.operands))])


def _is_broadcast(tensor: SSAValue) -> bool:
    return isinstance(tensor.owner, graph.BroadcastOp)


def iota(b: KernelBuilder, op: graph.IotaOp, index: Index, gate: Gate | None) -> Answer:
    """The index along the axis."""
    yield from ()  # no questions
    b.at(op)
    return index_scalar(b.scalars, b.index_value(index[op.axis]), dtype_of(op.result))
