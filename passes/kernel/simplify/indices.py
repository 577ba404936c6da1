"""Index expressions, over ranges and data alone, simplified by what is known of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import is_placeholder
from teenyir.passes.kernel.simplify.known import KernelRow, Known
from teenyir.rewriting.engine import Replacement, Rewriter


def _simplified(known: Known, op: kernel.IndexedOp, rewriter: Rewriter) -> Replacement:
    exprs, values = known.locally([known.globally(expr, op) for expr in op.exprs])
    if tuple(exprs) == op.exprs and list(op.index_values) == values:
        return None
    rewriter.replace(op, rebuilt(op, exprs, values))
    return None


def rebuilt(op: kernel.IndexedOp, exprs: Sequence[Expr], values: Sequence[SSAValue]) -> Operation:
    """The op with other expressions over other index values."""
    match op:
        case kernel.RangeOp():
            new = kernel.RangeOp(exprs[0], exprs[1], values, op.how)
        case kernel.LoadOp():
            new = kernel.LoadOp(op.buffer, exprs, values, op.gate, op.other)
        case kernel.StoreOp():
            new = kernel.StoreOp(op.value, op.buffer, exprs, values, op.gate, op.streaming)
        case kernel.ScatterOp():
            kind = op.kind.data
            new = kernel.ScatterOp(kind, op.value, op.buffer, exprs, values, op.gate, op.over)
        case kernel.StageOp():
            new = op.changed(index=(exprs, values))
        case kernel.LoadMatrixOp():
            transposed = op.transposed is not None
            new = kernel.LoadMatrixOp(op.buffer, exprs, values, op.elements, transposed=transposed)
        case _:
            new = kernel.IndexOp(exprs[0], values)
    new.attributes |= op.attributes
    for before, after in zip(op.results, new.results, strict=True):
        after.name_hint = before.name_hint
    return new


def _is_value(known: Known, op: kernel.IndexOp, rewriter: Rewriter) -> Replacement:
    name = op.expr.data.name
    return op.values[int(name[1:])] if name is not None and is_placeholder(name) else None


def _cast(known: Known, op: arith.IndexCastOp, rewriter: Rewriter) -> Replacement:
    if not isinstance(op.result.type, IndexType):
        return None
    expr = known.integer(op.input)
    return None if expr is None else known.index_op(expr)


INDICES = (
    # index(x) -> x
    KernelRow("index-is-value", (kernel.IndexOp,), _is_value),
    # x[e] -> x[e'], e' simplified; bounds of ranges too
    KernelRow("simplify-index", (kernel.IndexedOp,), _simplified),
    # index_cast(f(index_cast i)) -> index f(i), where no integer on the way wraps
    KernelRow("cast-of-index", (arith.IndexCastOp,), _cast),
)
