"""Which factors of matrix products are computed by the kernel that multiplies them.

A product of matrices by tiles needs each element of a factor once for each tile beside it. It could
be computed once, written, and read by the tiles; or by each tile, which saves a launch, writing and
reading. A kernel for matrix instructions has time for that: a step of 128 by 128 by 32 takes a
processor of sm_80 512 cycles (1,024 multiply-adds of 16 bits in each), in which its four schedulers
issue 2,048 instructions, while the step itself is some 500. An operation on each of the 4,096
elements of a factor is 128 more, so that `MOST_HIDDEN` of them are hidden behind the product,
whatever the number of tiles. What is read beside, from the second-level cache, takes `A_BYTE` of
them: 128 instructions are issued, and about 40 bytes come, in a cycle.

An exponential is never hidden so, and has a kernel of its own, which spreads it over all processors
and computes it once. So has what sums and maxima go into, as the norm of a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import graph
from teenyir.lowering.graph_to_kernel.builder import dtype_of
from teenyir.lowering.graph_to_kernel.costs import CONTRACTIONS, EXPENSIVE_OPS
from teenyir.lowering.graph_to_kernel.joining import Kernels
from teenyir.lowering.graph_to_kernel.requests import Request, asked_by

MOST_HIDDEN = 12
"""The operations for an element of both factors that are hidden behind a product."""
A_BYTE = 3
"""The operations that reading one more byte for an element takes."""
NOTHING = (*graph.MOVEMENT_OPS, *graph.CREATION_OPS)
"""What takes no operation on an element."""


def is_of_factor(op: Operation, requests: Sequence[Request]) -> bool:
    """Whether an op is asked for as a factor of one product of matrices alone, and always."""
    return all(
        request.beside
        and not (request.gated or request.overlapping or request.root.rows is not None)
        and isinstance(request.root.product, graph.DotOp)
        for request in requests
    )


def operations_of(kernels: Kernels, op: Operation, requests: Sequence[Request]) -> int | str:
    """The operations for an element of a factor, down to what is in memory; or why it should be in
    memory itself."""
    first = requests[0]
    operations, read = 0, set[tuple[SSAValue, Request]]()
    for each, asked in kernels.needed(op, first):
        name = each.name.removeprefix("graph.")
        if type(each) in CONTRACTIONS:
            return f"its {name} would be formed for each tile"
        if type(each) in EXPENSIVE_OPS:
            return f"its {name} takes longer than a product hides"
        operations += not isinstance(each, NOTHING)
        read |= {(tensor, at) for tensor, at in asked_by(each, asked) if first.names <= at.names}
    bytes = sum(dtype_of(tensor).bytes for tensor, _ in read if kernels.is_in_memory(tensor))
    return operations + A_BYTE * max(0, bytes - dtype_of(op.results[0]).bytes)
