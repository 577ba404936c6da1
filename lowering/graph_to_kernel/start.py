"""Where a kernel starts: the loops over its result."""

from __future__ import annotations

from collections.abc import Container

from xdsl.ir import SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import Index, KernelBuilder, extents_of
from teenyir.lowering.graph_to_kernel.rules.movement import reshaped


def starting_point(
    builder: KernelBuilder, tensor: SSAValue, in_memory: Container[SSAValue]
) -> tuple[SSAValue, Index]:
    """Open the loops of the kernel that writes a tensor.

    Answers the tensor whose axes they run over, which is `tensor` or what it is a reshaping of, and
    the index of it that the loops make up.
    """
    computed = _behind_reshapes(tensor, in_memory, builder.facts)
    scan = computed.owner if isinstance(computed.owner, graph.ScanOp) else None
    index = builder.index_over(extents_of(computed), None if scan is None else scan.axis)
    builder.root_loops = frozenset(builder.loops)
    if scan is not None and scan.reverse:
        # the loop meets the last element first
        last = extents_of(computed)[scan.axis] - 1
        index = (*index[: scan.axis], last - index[scan.axis], *index[scan.axis + 1 :])
    return computed, index


def _behind_reshapes(tensor: SSAValue, in_memory: Container[SSAValue], facts: Facts) -> SSAValue:
    """The tensor whose reshaping `tensor` is, where its own loops can store it without divisions.

    The loops then run over the axes that the computation knows, not over merged ones.
    """
    behind = tensor
    while isinstance(op := behind.owner, graph.ReshapeOp) and behind not in in_memory:
        names = [f"_{axis}" for axis in range(len(extents_of(op.operand)))]
        loops = {n: (ZERO, e) for n, e in zip(names, extents_of(op.operand), strict=True)}
        index = tuple(ZERO if loops[n][1] == ONE else Expr.of(n) for n in names)
        known = Facts(facts.dims, loops)
        moved = reshaped(known, index, extents_of(op.operand), extents_of(tensor))
        if not all(expr.is_polynomial for expr in moved):
            break
        behind = op.operand
    return behind
