"""Elements that are reductions over ranges of their own: reduce, dot, conv."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from teenyir.dialects import graph, kernel
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import (
    Answer,
    Gate,
    Index,
    KernelBuilder,
    dtype_of,
    extents_of,
)
from teenyir.lowering.graph_to_kernel.scalars import Scalars, cast_scalar, multiply, within

UNSIGNED_KINDS = {"max": "umax", "min": "umin"}
"""The kernel floor's word for a combiner on unsigned integers and bools, where it differs."""


def combiner_kind(kind: str, dtype: DType) -> str:
    """The kernel floor's word for one of the graph floor's combiners on elements of a type."""
    return UNSIGNED_KINDS.get(kind, kind) if dtype.kind in ("uint", "bool") else kind


def _reduced(
    b: KernelBuilder, op: graph.GraphOp, kind: str, value: SSAValue, over: Sequence[SSAValue]
) -> SSAValue:
    """Reduce a value that is in the accumulator's type, and bring it back to the result's."""
    if b.only_asks:
        return value
    dtype = dtype_of(op.result)
    b.at(op)
    kind = combiner_kind(kind, dtype)
    if over:
        total = b.scalars.op(kernel.ReduceOp(kind, value, over))
        total = within(b.scalars, kind, total, dtype)
    else:
        total = of_one(b.scalars, kind, value)
    return cast_scalar(b.scalars, total, dtype.accumulator, dtype)


def of_one(s: Scalars, kind: str, value: SSAValue) -> SSAValue:
    """What one value is combined to: a sum starts from 0.0, and so has no -0.0."""
    if kind != "add" or not isa(value.type, AnyFloat):
        return value
    return s.op(arith.AddfOp(value, s.constant(0, value.type)))


def _accumulated(b: KernelBuilder, tensor: SSAValue, index: Index, gate: Gate | None) -> Answer:
    """An element in the type in which its sums are formed."""
    value = yield tensor, index, gate
    return cast_scalar(b.scalars, value, dtype_of(tensor), dtype_of(tensor).accumulator)


def reduce(b: KernelBuilder, op: graph.ReduceOp, index: Index, gate: Gate | None) -> Answer:
    """The combination of the operand's elements over ranges for the reduced axes."""
    b.at(op)
    kept = iter(index)
    moved: list[Expr] = []
    over: list[SSAValue] = []
    for axis, extent in enumerate(extents_of(op.operand)):
        inside = (*index, *moved)
        moved.append(b.reduced_index(extent, over, inside) if axis in op.axes else next(kept))
    value = yield from _accumulated(b, op.operand, tuple(moved), gate)
    return _reduced(b, op, op.kind, value, over)


def dot(b: KernelBuilder, op: graph.DotOp, index: Index, gate: Gate | None) -> Answer:
    """The sum of products over ranges for the contracted axes."""
    b.at(op)
    batch, free = len(op.lhs_batch), len(op.lhs_batch) + len(op.lhs_free)
    lhs = dict(zip(op.lhs_batch + op.lhs_free, index[:free], strict=True))
    rhs = dict(zip(op.rhs_batch + op.rhs_free, index[:batch] + index[free:], strict=True))
    over: list[SSAValue] = []
    for left, right in zip(op.lhs_contract, op.rhs_contract, strict=True):
        inside = (*index, *lhs.values())
        lhs[left] = rhs[right] = b.reduced_index(extents_of(op.lhs)[left], over, inside)
    at_left = tuple(lhs[axis] for axis in sorted(lhs))
    at_right = tuple(rhs[axis] for axis in sorted(rhs))
    left = yield from _accumulated(b, op.lhs, at_left, gate)
    right = yield from _accumulated(b, op.rhs, at_right, gate)
    return _product_sum(b, op, (left, right), over)


def _product_sum(
    b: KernelBuilder,
    op: graph.DotOp | graph.ConvOp,
    factors: tuple[SSAValue, SSAValue],
    over: Sequence[SSAValue],
) -> SSAValue:
    if b.only_asks:
        return factors[0]
    product = multiply(b.at(op), dtype_of(op.result), *factors)
    return _reduced(b, op, "add", product, over)


def conv(b: KernelBuilder, op: graph.ConvOp, index: Index, gate: Gate | None) -> Answer:
    """The sum of products over the channels of a group and the elements of a window."""
    b.at(op)
    x_extents, w_extents = extents_of(op.x), extents_of(op.w)
    over: list[SSAValue] = []
    inner: list[Expr] = []
    for extent in w_extents[1:]:
        inner.append(b.reduced_index(extent, over, (*index, *inner)))
    group = b.facts.simplify(index[1] // (w_extents[0] // op.groups))
    moved = [index[0], group * w_extents[1] + inner[0]]
    x_gate = gate
    for k, offset in enumerate(inner[1:]):
        position = index[2 + k] * op.stride[k] + offset * op.dilation[k] - op.pad[k][0]
        apart = op.input_dilation[k]
        # of the positions among the zeros of input dilation every `apart`-th is an element
        x_gate = b.equal(position % apart, ZERO, x_gate)
        x_gate = b.inside(position // apart, x_extents[2 + k], x_gate)
        moved.append(position // apart)
    left = yield from _accumulated(b, op.x, tuple(moved), x_gate)
    if x_gate is not None and x_gate is not gate and op.x not in b.buffers:
        # beside `x` there are zeros: a gated load gives them, but what is computed may not
        left = b.at(op).select(x_gate.value, left, b.scalars.constant(0, left.type))
    right = yield from _accumulated(b, op.w, (index[1], *inner), gate)
    return _product_sum(b, op, (left, right), over)
