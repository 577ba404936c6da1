"""How one element of each op's result is computed: a table by op, one file a family.

A rule takes the kernel's builder, the op, an index of its result and the gate under which the
element is asked for.
"""

from __future__ import annotations

from xdsl.ir import Operation

from teenyir.dialects import graph
from teenyir.lowering.graph_to_kernel.builder import Rule
from teenyir.lowering.graph_to_kernel.rules import (
    contraction,
    elementwise,
    indexing,
    movement,
    scanning,
)
from teenyir.lowering.graph_to_kernel.scalars import SCALAR_OPS

RULES: dict[type[Operation], Rule] = {
    **dict.fromkeys(SCALAR_OPS, elementwise.elementwise),
    graph.IotaOp: elementwise.iota,
    graph.PermuteOp: movement.permute,
    graph.BroadcastOp: movement.broadcast,
    graph.SliceOp: movement.slice_,
    graph.FlipOp: movement.flip,
    graph.WindowOp: movement.window,
    graph.ReshapeOp: movement.reshape,
    graph.PadOp: movement.pad,
    graph.ConcatOp: movement.concat,
    graph.ReduceOp: contraction.reduce,
    graph.DotOp: contraction.dot,
    graph.ConvOp: contraction.conv,
    graph.GatherOp: indexing.gather,
    graph.DynamicSliceOp: indexing.dynamic_slice,
    graph.DynamicUpdateOp: indexing.dynamic_update,
    graph.ScanOp: scanning.scan,
    graph.FoldOp: scanning.fold,
}
"""Scatters and sorts have none: they are written by kernels of their own (see `launches`)."""


def has_rule(op: Operation) -> bool:
    """Whether an op is computed by asking for elements of others: a constant asks for none, and a
    scatter, a loop or a branch is written by kernels of its own."""
    return type(op) in RULES and not isinstance(op, graph.CREATION_OPS)


def rule_of(op: Operation) -> Rule:
    """The rule of an op that the pass has not refused."""
    return RULES[type(op)]
