"""Which rows are staged for products all the same, since blocks of them will be computed at once.

A row that is staged in each iteration of a loop keeps the products that end in it, and those that
read it, from being formed in tiles of several rows; so beyond `MOST_BY_ROWS` products a row is
written instead. A target whose schedules compute blocks of rows (`block-rows`) has tiles in either
case, and saves what is written: attention is one kernel then. It can where

- one factor of each product has the rows, and the other has not, as in `f(q @ k) @ v`;
- the kernel writes one tensor, and inside the loop over the rows has one loop at most, over the
  columns of the last product;
- and a block of `FEWEST_ROWS` rows stays in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from teenyir.dialects import graph
from teenyir.lowering.graph_to_kernel.builder import Index
from teenyir.lowering.graph_to_kernel.costs import MOST_ASKED
from teenyir.lowering.graph_to_kernel.joining import Kernels
from teenyir.lowering.graph_to_kernel.requests import Request, asked_by, staged_request

FEWEST_ROWS = 16
"""The rows of a block at least: a vector of the widest registers."""

FOREIGN = (graph.FoldOp, graph.ConvOp, graph.WindowOp)
"""What no schedule computes for a block of rows."""


def are_by_blocks(
    kernels: Kernels,
    op: Operation,
    axes: tuple[int, ...],
    requests: Sequence[Request],
    around: set[str],
) -> bool:
    """Whether rows of an op that products ask for, one in each iteration of the loops around, may
    be computed in blocks of the innermost of these loops that the other factors do not name."""
    root, *more = dict.fromkeys(request.root for request in requests)
    loops = root.axes[: len(around)]
    if more or len(root.outputs) != 1 or not loops or set(loops) != around:
        return False
    if len(root.axes) > len(loops) + 1:
        return False
    named = frozenset(n for request in requests for _, at in request.beside for n in _names(at))
    row = next((name for name in reversed(loops) if name not in named), None)
    if row is None:
        return False
    products = 0
    needed = kernels.needed(op, staged_request(requests[0], axes, op.results[0]))
    for count, (other, request) in enumerate(needed, start=1):
        if count == MOST_ASKED or isinstance(other, FOREIGN):
            return False
        if isinstance(other, graph.DotOp):
            products += 1
            if sum(row in factor.names for _, factor in asked_by(other, request)) != 1:
                return False
    return products > 0 or root.by_blocks


def _names(index: Index) -> frozenset[str]:
    return frozenset[str]().union(*(expr.names for expr in index))
