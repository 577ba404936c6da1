"""Where a kernel starts: the loops over its results."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.ir import SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import Index, KernelBuilder, extents_of
from teenyir.lowering.graph_to_kernel.rules.movement import reshaped


def open_loops(builder: KernelBuilder, computed: SSAValue, innermost: Sequence[int] = ()) -> Index:
    """Open the loops of a kernel over a tensor, those over some axes innermost; the index of it
    that they make up."""
    scan = computed.owner if isinstance(computed.owner, graph.ScanOp) else None
    index = builder.index_over(extents_of(computed), innermost if scan is None else (scan.axis,))
    builder.root_loops = tuple(builder.loops)
    if scan is not None and scan.reverse:
        # the loop meets the last element first
        last = extents_of(computed)[scan.axis] - 1
        index = (*index[: scan.axis], last - index[scan.axis], *index[scan.axis + 1 :])
    return index


def join_loops(
    builder: KernelBuilder,
    loops: Sequence[str],
    computed: SSAValue,
    innermost: Sequence[int] = (),
) -> tuple[Index, tuple[str, ...]] | None:
    """The index of another tensor in a kernel over loops, and the loops of the kernel then.

    The axes of the tensor, but for those of extent 1, are the outermost loops, or begin with all of
    them and need further ones. Answers None where they are others. Where some axes of the kernel's
    first tensor are the `innermost`, its loops are no order that tensors of as many axes have.
    """
    extents = [extent for extent in extents_of(computed) if extent != ONE]
    if innermost and len(extents) >= len(loops):
        return None
    common = min(len(extents), len(loops))
    if extents[:common] != [builder.loops[loop][1] for loop in loops[:common]]:
        return None
    if not common and (extents or loops):
        return None  # one has no loops, which the other would stand beside
    further = (builder.open_range(extent)[1] for extent in extents[common:])
    names = [*map(Expr.of, loops[:common]), *further]
    rest = iter(names)
    index = tuple(ZERO if extent == ONE else next(rest) for extent in extents_of(computed))
    return index, tuple(loops) if common < len(loops) else tuple(map(str, names))


def behind_reshapes(tensor: SSAValue, in_memory: Container[SSAValue], facts: Facts) -> SSAValue:
    """The tensor whose reshaping `tensor` is, where its own loops can store it without divisions.

    The loops of a kernel then run over the axes that the computation knows, not over merged ones.
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
