"""What it costs to compute an element again, to write and read it back, or to keep it for a while.

A tensor that several loops ask for is computed in each of them, staged, or written. The rule weighs

- what it takes to compute: nothing much for movement and casts (`FREE_OPS`), as much as reading it
  back for sums and products of two, more for what `EXPENSIVE_OPS` and `CONTRACTIONS` list;
- how often: an expensive element is computed again where `ENOUGH_INSIDE` iterations use each;
- local memory: a staged row is to stay in the second-level cache (`MOST_STAGED_BYTES`);
- and, before a row is staged for the products of a contraction, which keeps it from being computed
  in tiles of several rows, how much of other operands is read again for each row
  (`MOST_READ_AGAIN`).

The numbers were measured (`test/bench/fusion.py` measures them again).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.bounds import Ranges, bounds
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import dtype_of, extents_of
from teenyir.lowering.graph_to_kernel.requests import Request

MOST_INDICES = 4
"""At most at so many indices one kernel computes again what costs little."""
MOST_STAGED_BYTES = 256 * 1024
"""The largest row that is staged: staged rows of this size are 1.2 to 1.5 times as fast as a second
kernel, and a few of them have room on any thread's stack."""
MOST_READ_AGAIN = 1024 * 1024
"""The most bytes that are read again for each row: half of a second-level cache. Attention over
1024 positions reads 512 KiB again and gains by staging; over 4096 it loses half its speed."""
ENOUGH_INSIDE = 16
"""So many iterations make up for an expensive element that is computed for them."""

FREE_OPS = (*graph.MOVEMENT_OPS, *graph.CREATION_OPS, graph.CastOp, graph.BitcastOp)
"""What costs next to nothing to compute again."""

EXPENSIVE_OPS = (
    *(graph.ExpOp, graph.Exp2Op, graph.LogOp, graph.Log2Op, graph.SinOp, graph.CosOp),
    *(graph.TanhOp, graph.ErfOp, graph.PowOp, graph.Atan2Op, graph.SqrtOp, graph.RsqrtOp),
    *(graph.DivOp, graph.FloorDivOp, graph.ModOp),
)
"""Elementwise ops that cost more than reading the result back."""

CONTRACTIONS = (*graph.CONTRACTION_OPS, graph.FoldOp)


def bytes_of(tensor: SSAValue) -> Expr:
    """The bytes of a tensor in memory."""
    return Expr.product(extents_of(tensor)) * dtype_of(tensor).bytes


def flops_of(op: Operation) -> Expr:
    """The operations that one element of an op takes, besides those of its operands."""
    match op:
        case graph.DotOp():
            extents = extents_of(op.lhs)
            return Expr.product(extents[axis] for axis in op.lhs_contract) * 2
        case graph.ConvOp():
            return Expr.product(extents_of(op.w)[1:]) * 2
        case graph.ReduceOp() | graph.FoldOp():
            extents = extents_of(op.operands[0])
            return Expr.product(extents[axis] for axis in op.axes)
        case _:
            return ZERO if isinstance(op, FREE_OPS) else ONE


def flops_again(op: Operation, requests: Iterable[Request]) -> Expr:
    """The operations that an op would take more, if it were computed for each request."""
    computed = ZERO
    for request in requests:
        loops = request.root.builder.loops
        computed += Expr.product(loops[name][1] for name in request.hoisted)
    return (computed - Expr.product(extents_of(op.results[0]))) * flops_of(op)


def is_made_up_for(request: Request, ranges: Ranges) -> bool:
    """Whether enough iterations of inner loops use each element that is computed for a request."""
    loops = request.root.builder.loops
    last = max((k for k, name in enumerate(request.loops) if name in request.names), default=-1)
    inside = [bounds(loops[name][1], ranges).low or 0 for name in request.loops[last + 1 :]]
    return not request.overlapping and prod(inside) >= ENOUGH_INSIDE


def room_of(extents: tuple[Expr, ...], size: int, ranges: Ranges) -> tuple[int, ...] | None:
    """The greatest extents of a row of elements of `size` bytes; None for one not to be staged."""
    greatest = [bounds(extent, ranges).high for extent in extents]
    room = tuple(extent for extent in greatest if extent is not None)
    if len(room) < len(extents) or prod(room) == 1:
        return None  # one element is no row: no range would fill it
    return room if 0 < prod(room) * size <= MOST_STAGED_BYTES else None


def read_inside(request: Request, tensor: SSAValue, around: set[str], ranges: Ranges) -> int | None:
    """Bytes of a tensor that are read in one iteration of some loops, to answer a request."""
    loops = request.root.builder.loops
    inside = [bounds(loops[n][1], ranges).high for n in request.names - around if n in loops]
    if None in inside:
        return None
    return prod(extent for extent in inside if extent is not None) * dtype_of(tensor).bytes
