"""Which kernels have the loops outermost that what they reduce along is computed once for.

In `y = x - mean(x, axis 0)` the mean is one for each column, but the loop over columns is the inner
one: it would be computed again and again, or written by a kernel before. With the loops of a kernel
in another order it is computed before the loop over the rows starts:

    for i: for j: y[i, j] = x[i, j] - m[j]    -->    for j: m = mean of x[., j]
                                                            for i: y[i, j] = x[i, j] - m

Neighbouring columns lie side by side in memory, and a target whose schedules reduce along several
of them at once (`lane-columns`) reads whole cache lines. Rows in order are still faster to read
where there is much: so it is done for little (`costs.MOST_COLUMN_BYTES`), or where the last axis is
reduced too, as the statistics of a batch norm are, which leaves runs of memory to each iteration.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.bounds import Ranges, bounds
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import Index, dtype_of, extents_of
from teenyir.lowering.graph_to_kernel.costs import (
    CONTRACTIONS,
    FEWEST_IN_RUN,
    LANES,
    MOST_ASKED,
    MOST_COLUMN_BYTES,
    MOST_COLUMN_STRIDE,
    MOST_UNEVEN_BYTES,
    bytes_of,
)
from teenyir.lowering.graph_to_kernel.requests import Request

Asked = Iterable[tuple[Operation, Request]]


def innermost_axes(
    computed: SSAValue, index: Index, asked: Asked, ranges: Ranges
) -> tuple[int, ...]:
    """The axes of a tensor whose loops a kernel that computes it has inside of the others.

    `asked` is all that is asked for at `index`, which runs over the tensor in the order of its
    axes; no more of it is looked at than decides. None where that order will do, or another is not
    worth it, or there is too much to ask for.
    """
    axes = {expr.name: axis for axis, expr in enumerate(index) if expr != ZERO}
    outside: set[frozenset[str]] = set()
    for count, (op, request) in enumerate(asked, 1):
        if count == MOST_ASKED:
            return ()
        if type(op) not in CONTRACTIONS:
            continue
        if not isinstance(op, graph.ReduceOp):
            return ()
        if request.names and request.names < axes.keys() and not request.once:
            outside.add(request.names)
    if len(outside) != 1:
        return ()
    (names,) = outside
    inner = tuple(axis for name, axis in axes.items() if name not in names)
    if inner[0] != min(axes.values()):
        return ()  # what a loop around shares is staged, for all of its columns at once
    return inner if _is_worth_it(computed, inner, ranges) else ()


def _is_worth_it(computed: SSAValue, inner: tuple[int, ...], ranges: Ranges) -> bool:
    extents = extents_of(computed)
    run = Expr.product(extents[max(set(range(len(extents))) - set(inner)) + 1 :])
    if run != ONE:
        low = bounds(run, ranges).low
        return low is not None and low >= FEWEST_IN_RUN
    columns = Expr.product(extents[max(inner) + 1 :])
    most = bounds(columns, ranges).high
    whole = bounds(bytes_of(computed), ranges).high
    if most is None or whole is None or most * dtype_of(computed).bytes > MOST_COLUMN_STRIDE:
        return False
    return whole <= (MOST_COLUMN_BYTES if most % LANES == 0 else MOST_UNEVEN_BYTES)
