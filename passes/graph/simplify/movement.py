"""Movement that does nothing, and chains of movement that are one op."""

from __future__ import annotations

from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO
from teenyir.passes.graph.simplify.constants import dtype_of
from teenyir.passes.graph.simplify.table import Replacement, row


def _reshape(op: graph.ReshapeOp) -> Replacement:
    if op.operand.type == op.result.type:
        return op.operand
    if isinstance(inner := op.operand.owner, graph.ReshapeOp):
        return graph.ReshapeOp(inner.operand, graph.extents(op.result.type))
    return None


def _permute(op: graph.PermuteOp) -> Replacement:
    if op.permutation == tuple(range(len(op.permutation))):
        return op.operand
    if isinstance(inner := op.operand.owner, graph.PermuteOp):
        return graph.PermuteOp(inner.operand, [inner.permutation[k] for k in op.permutation])
    return None


def _broadcast(op: graph.BroadcastOp) -> Replacement:
    if op.operand.type == op.result.type:  # of the same rank the axes are all, in order
        return op.operand
    extents = graph.extents(op.result.type)
    inner = op.operand.owner
    if isinstance(inner, graph.BroadcastOp):
        return graph.BroadcastOp(inner.operand, extents, [op.axes[k] for k in inner.axes])
    if isinstance(inner, graph.ReshapeOp) and (kept := _unit_axes_added(inner)) is not None:
        return graph.BroadcastOp(inner.operand, extents, [op.axes[k] for k in kept])
    return None


def _unit_axes_added(op: graph.ReshapeOp) -> list[int] | None:
    """The result's axis for each of the operand's, where the others are new and have extent 1."""
    before = list(graph.extents(graph.tensor_type(op.operand)))
    kept: list[int] = []
    for axis, extent in enumerate(graph.extents(op.result.type)):
        if len(kept) < len(before) and extent == before[len(kept)]:
            kept.append(axis)
        elif extent != ONE:
            return None
    return kept if len(kept) == len(before) else None


def _slice(op: graph.SliceOp) -> Replacement:
    whole = graph.extents(graph.tensor_type(op.operand))
    ones = (1,) * len(whole)
    if op.stops == whole and all(start == ZERO for start in op.starts) and op.steps == ones:
        return op.operand
    inner = op.operand.owner
    if isinstance(inner, graph.SliceOp) and inner.steps == ones:
        starts = [a + b for a, b in zip(inner.starts, op.starts, strict=True)]
        stops = [a + b for a, b in zip(inner.starts, op.stops, strict=True)]
        return graph.SliceOp(inner.operand, starts, stops, op.steps)
    return None


def _flip(op: graph.FlipOp) -> Replacement:
    extents = graph.extents(op.result.type)
    axes = {axis for axis in op.axes if extents[axis] != ONE}
    inner = op.operand.owner
    source = op.operand
    if isinstance(inner, graph.FlipOp):
        axes ^= set(inner.axes)
        source = inner.operand
    elif len(axes) == len(op.axes):
        return None if axes else op.operand
    return graph.FlipOp(source, sorted(axes)) if axes else source


def _pad(op: graph.PadOp) -> Replacement:
    return op.operand if all(width == ZERO for width in (*op.low, *op.high)) else None


def _concat(op: graph.ConcatOp) -> Replacement:
    parts = [p for p in op.parts if graph.extents(graph.tensor_type(p))[op.axis] != ZERO]
    if len(parts) == len(op.parts) and len(parts) > 1:
        return None
    if len(parts) > 1:
        return graph.ConcatOp(parts, op.axis)
    return parts[0] if parts else op.parts[0]


def _reduce(op: graph.ReduceOp) -> Replacement:
    if op.axes or (op.kind == "add" and dtype_of(op.result).kind == "float"):
        return None
    return op.operand


MOVEMENT = (
    # reshape(x : T -> T) -> x; reshape(reshape x) -> reshape x
    row("reshape", graph.ReshapeOp, _reshape),
    # permute(x, identity) -> x; permute(permute(x, p), q) -> permute(x, p of q)
    row("permute", graph.PermuteOp, _permute),
    # broadcast(x : T -> T) -> x; broadcast(broadcast x) -> broadcast x;
    # broadcast(reshape x), where that only adds axes of extent 1 -> broadcast x
    row("broadcast", graph.BroadcastOp, _broadcast),
    # slice(x, whole) -> x; slice(slice(x, a:b:1), c:d:s) -> slice(x, a+c:a+d:s)
    row("slice", graph.SliceOp, _slice),
    # flip(x, []) -> x; flip of an extent 1 -> x; flip(flip(x, a), b) -> flip(x, a xor b)
    row("flip", graph.FlipOp, _flip),
    # pad(x, nothing) -> x
    row("pad", graph.PadOp, _pad),
    # concat(x) -> x; concat leaves out what is empty
    row("concat", graph.ConcatOp, _concat),
    # reduce(x, []) -> x; but a sum of floats starts from 0.0, which turns -0.0 into 0.0
    row("reduce", graph.ReduceOp, _reduce),
)
