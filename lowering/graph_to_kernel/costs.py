"""What it costs to compute an element again, to write and read it back, or to keep it for a while.

A tensor that several loops ask for is computed in each of them, staged, or written. The rule weighs

- what it takes to compute: nothing much for movement and casts (`FREE_OPS`), as much as reading it
  back for sums and products of two, more for what `EXPENSIVE_OPS` and `CONTRACTIONS` list;
- how often: an expensive element is computed again where `ENOUGH_INSIDE` iterations use each;
- local memory: a staged row is to stay in the second-level cache (`MOST_STAGED_BYTES`);
- and, before a row of products is staged, or a row for products, which keeps them from being formed
  in tiles of several rows, how many they are (`MOST_BY_ROWS`).

The numbers were measured (`test/bench/fusion.py` measures them again).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.bounds import Ranges, bounds
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import dtype_of, extents_of
from teenyir.lowering.graph_to_kernel.requests import Request

MOST_ASKED = 256
"""How many questions are followed to find out what a kernel computes and reads."""
MOST_INDICES = 4
"""At most at so many indices one kernel computes again what costs little."""
MOST_CONDITIONS = 16
"""Under at most so many conditions one kernel computes an element again: concatenations of parts of
one tensor, one behind the other, would double them each time."""
MOST_STAGED_BYTES = 256 * 1024
"""The largest row that is staged: staged rows of this size are 1.2 to 1.5 times as fast as a second
kernel, and a few of them have room on any thread's stack."""
MOST_BLOCK_BYTES = 128 * 1024
"""The largest block of `blocks.FEWEST_ROWS` rows that is staged: with the two others of attention,
and with what it is multiplied with, it is to stay in a cache of 1 MiB. Attention over 2,048
positions is 1.1 times as fast in one kernel as in three, over 4,096 it takes 1.2 times as long."""
MOST_BEFORE_RUNNING = 96
"""The longest row that is staged whole in blocks of rows where one pass over blocks of it would do:
attention over 256 positions and more takes 0.5 to 0.9 times as long in one pass, over 128 0.85 to
1 times, over 96 as long."""
WIDE_VECTORS = 512
"""The bits of vectors in which computing an exponential twice takes less than writing and reading
it: a softmax of rows of any length takes 0.75 times what it takes in two kernels then, in vectors
of 256 bits 1.1 to 1.6 times."""
FEWEST_IN_RUN = 64
"""Elements that lie beside each other, at least, where what is reduced ends in the last axis: the
statistics of a batch norm and the norm are one kernel then, in 0.6 to 0.9 times the time. Of runs
of 49 a mean that is subtracted takes 1.7 times as long."""
LANES = 16
"""The lanes of the widest vectors: columns that are a multiple fill them."""
MOST_COLUMN_BYTES = 128 * 1024
"""The largest tensor that is computed column after column, for the sake of reductions along them:
in one kernel it takes 0.8 to 1 times what it takes in several, at eight times the size twice that.
"""
MOST_UNEVEN_BYTES = 16 * 1024
"""The same where columns do not fill vectors: the launches that are saved make up for it."""
MOST_COLUMN_STRIDE = 2048
"""The most bytes from one row of such a tensor to the next. Rows a page apart are kept in the same
few places of the first-level cache: a mean of columns that is subtracted takes 1.2 times as long
then."""
MOST_BY_ROWS = 1 << 16
"""The most products that are formed row by row, for the sake of one kernel. Up to here the launches
and the memory that this saves make up for it; more are formed in tiles of several rows: attention
over 128 positions of 64 then takes 43 % of the time, a product of 512 x 512 and a softmax 7 %."""
ENOUGH_INSIDE = 16
"""So many iterations make up for an expensive element that is computed for them."""

# Each op of a function is asked for its kind many times: `isinstance` of xDSL's classes, which are
# abstract, takes ten times as long.
Kinds: TypeAlias = frozenset[type[Operation]]

FREE_OPS = Kinds(
    {*graph.MOVEMENT_OPS, *graph.CREATION_OPS, graph.CastOp, graph.BitcastOp},
)
"""What costs next to nothing to compute again."""

EXPENSIVE_OPS = Kinds(
    {
        *(graph.ExpOp, graph.Exp2Op, graph.LogOp, graph.Log2Op, graph.SinOp, graph.CosOp),
        *(graph.TanhOp, graph.ErfOp, graph.PowOp, graph.Atan2Op, graph.SqrtOp, graph.RsqrtOp),
        *(graph.DivOp, graph.FloorDivOp, graph.ModOp),
    }
)
"""Elementwise ops that cost more than reading the result back."""

CONTRACTIONS = Kinds({*graph.CONTRACTION_OPS, graph.FoldOp})


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
            return ZERO if type(op) in FREE_OPS else ONE


def flops_again(op: Operation, requests: Iterable[Request]) -> Expr:
    """The operations that an op would take more, if it were computed for each request."""
    computed = ZERO
    for request in requests:
        loops = request.root.builder.loops
        computed += Expr.product(loops[name][1] for name in request.hoisted)
    return (computed - Expr.product(extents_of(op.results[0]))) * flops_of(op)


def products_of(op: Operation, requests: Iterable[Request], ranges: Ranges) -> int | None:
    """How many products are formed row by row if rows of an op are staged: its own, or those that
    it goes into. None for any number."""
    counts = [ZERO]
    if isinstance(op, graph.DotOp | graph.ConvOp):  # of two operations each
        whole = Expr.product(extents_of(op.result)) * flops_of(op)
        counts.append(whole // 2)
    for request in requests:
        if request.multiplied:
            loops = request.root.builder.loops
            counts.append(Expr.product(loops[name][1] for name in request.loops))
    most = [bounds(count, ranges).high for count in counts]
    return None if None in most else max(count for count in most if count is not None)


def is_of_matrices(op: Operation) -> bool:
    """Whether an op forms products each factor of which has an axis of its own."""
    if isinstance(op, graph.ConvOp):
        return True
    if not isinstance(op, graph.DotOp):
        return False
    both = len(op.lhs_contract) + len(op.lhs_batch)
    return all(len(extents_of(factor)) > both for factor in (op.lhs, op.rhs))


def is_made_up_for(request: Request, ranges: Ranges) -> bool:
    """Whether enough iterations of inner loops use each element that is computed for a request."""
    loops = request.root.builder.loops
    last = max((k for k, name in enumerate(request.loops) if name in request.names), default=-1)
    inside = [bounds(loops[name][1], ranges).low or 0 for name in request.loops[last + 1 :]]
    return not request.overlapping and prod(inside) >= ENOUGH_INSIDE


def room_of(
    extents: tuple[Expr, ...], size: int, ranges: Ranges, most: int
) -> tuple[int, ...] | None:
    """The greatest extents of a row of elements of `size` bytes; None where they take more than
    `most` bytes, or it is no row."""
    greatest = [bounds(extent, ranges).high for extent in extents]
    room = tuple(extent for extent in greatest if extent is not None)
    if len(room) < len(extents) or prod(room) == 1:
        return None  # one element is no row: no range would fill it
    return room if 0 < prod(room) * size <= most else None
