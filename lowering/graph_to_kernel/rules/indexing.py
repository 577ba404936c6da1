"""Elements at indices that are data: gather, dynamic_slice, dynamic_update, scatter."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeAlias, cast

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from teenyir.dialects import graph, kernel
from teenyir.dialects.dtypes import INT64
from teenyir.dialects.expr import Expr
from teenyir.lowering.graph_to_kernel.builder import (
    Answer,
    Gate,
    Index,
    KernelBuilder,
    Question,
    dtype_of,
    extents_of,
)
from teenyir.lowering.graph_to_kernel.scalars import cast_scalar

Questions: TypeAlias = Iterator[Question]

Indices = Generator[Question, SSAValue, tuple[Expr, ...]]
"""Several indices in the making."""


def _indices(
    b: KernelBuilder, op: graph.GraphOp, tensor: SSAValue, position: Index, gate: Gate | None
) -> Indices:
    """The indices that the last axis of `tensor` holds at a position, unchecked."""
    found: list[Expr] = []
    count = extents_of(tensor)[-1].constant
    assert count is not None  # there is one for each axis
    for k in range(count):
        known = known_index(b, tensor, (*position, Expr.of(k)))
        if known is not None:
            found.append(known)
            continue
        value = yield tensor, (*position, Expr.of(k)), gate
        s = b.at(op)
        dtype = dtype_of(tensor)
        if dtype.kind == "uint" and dtype.bits == INT64.bits:
            # what is too large for an index is as far out of range as the largest one
            value = s.op(arith.MinUIOp(value, s.constant(2**63 - 1, value.type)))
        wide = cast_scalar(s, value, dtype, INT64)
        found.append(b.name_index(s.op(arith.IndexCastOp(wide, kernel.INDEX))))
    return tuple(found)


def known_index(b: KernelBuilder, tensor: SSAValue, index: Index) -> Expr | None:
    """What an element is, where it is an index that an iota counts; None where it is data."""
    while isinstance(op := tensor.owner, graph.MOVEMENT_OPS) and not isinstance(op, graph.PadOp):
        # what a movement op asks for without a condition is its element
        moved, index, gate = next(cast(Questions, b.rules(op)(b, op, index, None)))
        if gate is not None:
            return None
        tensor = moved
    if not isinstance(op, graph.IotaOp):
        return None
    counted, dtype = index[op.axis], dtype_of(tensor)
    bits = {"int": dtype.bits - 1, "uint": dtype.bits}.get(dtype.kind, 0)
    # an index is a signed integer of 64 bits: as many hold it, however many there are
    most = None if bits >= INT64.bits - 1 else (1 << bits) - 1
    return counted if b.facts.is_within(counted, 0, most) else None


def gather(b: KernelBuilder, op: graph.GatherOp, index: Index, gate: Gate | None) -> Answer:
    """The element of the operand where its indices are in range, otherwise 0."""
    batch = len(extents_of(op.indices)) - 1
    picked = yield from _indices(b, op, op.indices, index[:batch], gate)
    rest = iter(index[batch:])
    at = dict(zip(op.axes, picked, strict=True))
    inner = gate
    moved: list[Expr] = []
    for axis, extent in enumerate(extents_of(op.operand)):
        if axis in at:
            b.at(op)
            inner = b.inside(at[axis], extent, inner)
        moved.append(at[axis] if axis in at else next(rest))
    value = yield op.operand, tuple(moved), inner
    if inner is None or inner is gate:
        return value
    s = b.at(op)
    return s.select(inner.value, value, s.constant(0, value.type))


def _starts(
    b: KernelBuilder,
    op: graph.GraphOp,
    operand: SSAValue,
    starts: SSAValue,
    sizes: Index,
    gate: Gate | None,
) -> Indices:
    """Where a part of these sizes starts, moved so that it lies inside the operand."""
    found = yield from _indices(b, op, starts, (), gate)
    return tuple(
        Expr.maximum(0, Expr.minimum(start, extent - size))
        for start, extent, size in zip(found, extents_of(operand), sizes, strict=True)
    )


def dynamic_slice(
    b: KernelBuilder, op: graph.DynamicSliceOp, index: Index, gate: Gate | None
) -> Answer:
    """The element of the operand at the index counted from the start."""
    starts = yield from _starts(b, op, op.operand, op.starts, op.sizes, gate)
    return (yield op.operand, tuple(i + s for i, s in zip(index, starts, strict=True)), gate)


def dynamic_update(
    b: KernelBuilder, op: graph.DynamicUpdateOp, index: Index, gate: Gate | None
) -> Answer:
    """The element of the update where the index lies in its part, elsewhere the operand's."""
    sizes = extents_of(op.update)
    starts = yield from _starts(b, op, op.operand, op.starts, sizes, gate)
    moved = tuple(i - s for i, s in zip(index, starts, strict=True))
    inner = gate
    b.at(op)
    for i, size in zip(moved, sizes, strict=True):
        inner = b.inside(i, size, inner)
    value = yield op.update, moved, inner
    if inner is None or inner is gate:
        return value
    other = yield op.operand, index, gate
    return b.at(op).select(inner.value, value, other)


def scattered(
    b: KernelBuilder, op: graph.ScatterOp, index: Index
) -> Generator[Question, SSAValue, tuple[SSAValue, Index, Gate | None]]:
    """One update of a scatter: its value, the index that it goes to, and where it is in range."""
    batch = len(extents_of(op.indices)) - 1
    picked = yield from _indices(b, op, op.indices, index[:batch], None)
    rest = iter(index[batch:])
    at = dict(zip(op.axes, picked, strict=True))
    target = tuple(
        at[axis] if axis in at else next(rest) for axis in range(len(extents_of(op.operand)))
    )
    gate: Gate | None = None
    b.at(op)
    for axis in op.axes:
        gate = b.inside(target[axis], extents_of(op.operand)[axis], gate)
    value = yield op.updates, index, gate
    return value, target, gate
