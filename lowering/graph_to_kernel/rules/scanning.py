"""Elements that depend on others along an axis: scan and fold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import graph, kernel
from teenyir.dialects.expr import ONE, Expr
from teenyir.lowering.graph_to_kernel.builder import (
    Answer,
    Answers,
    Gate,
    Index,
    KernelBuilder,
    dtype_of,
    extents_of,
)
from teenyir.lowering.graph_to_kernel.rules.contraction import combiner_kind, of_one
from teenyir.lowering.graph_to_kernel.scalars import Scalars, cast_scalar, scalar, within
from teenyir.rewriting.locations import LocatedBuilder


def scan(b: KernelBuilder, op: graph.ScanOp, index: Index, gate: Gate | None) -> Answer:
    """The running combination along the range that the index runs over on the scanned axis.

    A scan is always written by a kernel of its own, whose loops run over its own axes; in reverse
    the kernel counts the axis from its end, so that the loop meets the last element first.
    """
    dtype = dtype_of(op.operand)
    value = yield op.operand, index, gate
    s = b.at(op)
    wide = cast_scalar(s, value, dtype, dtype.accumulator)
    kind = combiner_kind(op.kind, dtype)
    along = b.range_of(index[op.axis])
    if along is None:
        # an axis of extent 1
        assert extents_of(op.operand)[op.axis] == ONE
        total = of_one(s, kind, wide)
        if op.exclusive:
            identity = kernel.COMBINERS[kind].identity(wide.type)
            total = s.constant(identity, wide.type)
    else:
        total = s.op(kernel.ScanOp(kind, wide, along, op.exclusive))
    if op.exclusive:
        total = within(s, kind, total, dtype)
    return cast_scalar(s, total, dtype.accumulator, dtype)


def fold(b: KernelBuilder, op: graph.FoldOp, index: Index, gate: Gate | None) -> Answers:
    """The elements of all results at an index."""
    initial: list[SSAValue] = []
    for tensor in op.initial:
        initial.append((yield tensor, (), None))
    b.builder.at(op)
    kept = iter(index)
    over: list[SSAValue] = []
    moved: list[Expr] = []
    for axis, extent in enumerate(extents_of(op.inputs[0])):
        inside = (*index, *moved)
        moved.append(b.reduced_index(extent, over, inside) if axis in op.axes else next(kept))
    inputs: list[SSAValue] = []
    for tensor in op.inputs:
        inputs.append((yield tensor, tuple(moved), gate))
    b.builder.at(op)
    if not over:  # one element: the region is applied once
        return _apply(op, b.scalars, [*initial, *inputs])
    block = Block(arg_types=[value.type for value in (*inputs, *inputs)])
    inner = Scalars(LocatedBuilder(InsertPoint.at_end(block), op.location))
    results = _apply(op, inner, block.args)
    inner.builder.insert(kernel.YieldOp(results))
    folded = b.builder.insert(kernel.FoldOp(inputs, initial, over, Region(block)))
    return folded.results


def _apply(op: graph.FoldOp, s: Scalars, args: Sequence[SSAValue]) -> list[SSAValue]:
    """The values that a fold's region yields for scalar arguments."""
    values: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, args, strict=True))
    for inner in op.body.block.ops:
        if isinstance(inner, graph.YieldOp):
            return [values[value] for value in inner.values]
        s.builder.at(inner)
        assert isinstance(inner, graph.GraphOp)  # the verifier has seen to it
        values[inner.result] = scalar(s, inner, [values[operand] for operand in inner.operands])
    raise AssertionError("a fold without a yield")  # the verifier has seen to it
