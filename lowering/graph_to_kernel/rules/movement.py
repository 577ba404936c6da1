"""Elements that are another tensor's at another index: the question is passed on."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import (
    Answer,
    Gate,
    Index,
    KernelBuilder,
    dtype_of,
    extents_of,
)


def permute(b: KernelBuilder, op: graph.PermuteOp, index: Index, gate: Gate | None) -> Answer:
    moved = dict(zip(op.permutation, index, strict=True))
    return (yield op.operand, tuple(moved[axis] for axis in range(len(index))), gate)


def broadcast(b: KernelBuilder, op: graph.BroadcastOp, index: Index, gate: Gate | None) -> Answer:
    pairs = zip(op.axes, extents_of(op.operand), strict=True)
    moved = tuple(ZERO if extent == ONE else index[axis] for axis, extent in pairs)
    return (yield op.operand, moved, gate)


def slice_(b: KernelBuilder, op: graph.SliceOp, index: Index, gate: Gate | None) -> Answer:
    moved = (i * step + start for i, start, step in zip(index, op.starts, op.steps, strict=True))
    return (yield op.operand, tuple(moved), gate)


def flip(b: KernelBuilder, op: graph.FlipOp, index: Index, gate: Gate | None) -> Answer:
    extents = extents_of(op.operand)
    moved = (extents[axis] - 1 - i if axis in op.axes else i for axis, i in enumerate(index))
    return (yield op.operand, tuple(moved), gate)


def window(b: KernelBuilder, op: graph.WindowOp, index: Index, gate: Gate | None) -> Answer:
    rank = len(extents_of(op.operand))
    moved = list(index[:rank])
    for k, axis in enumerate(op.axes):
        moved[axis] = moved[axis] * op.stride[k] + index[rank + k] * op.dilation[k]
    return (yield op.operand, tuple(moved), gate)


def reshape(b: KernelBuilder, op: graph.ReshapeOp, index: Index, gate: Gate | None) -> Answer:
    moved = reshaped(b.facts, index, extents_of(op.result), extents_of(op.operand))
    return (yield op.operand, moved, gate)


def reshaped(facts: Facts, index: Index, shape: Index, target: Index) -> Index:
    """The index in a row-major shape of the same size of the element at `index` in `shape`."""
    moved: list[Expr] = []
    for before, after in _equal_groups(target, shape):
        flat = ZERO
        for axis in after:
            flat = flat * shape[axis] + index[axis]
        moved += _unflatten(facts, flat, [target[axis] for axis in before])
    return tuple(moved)


def _equal_groups(before: Index, after: Index) -> list[tuple[range, range]]:
    """The axes of two shapes of one size, cut where their leading products agree."""
    groups: list[tuple[range, range]] = []
    start_a = start_b = 0
    left = right = ONE
    a = b = 0
    while a < len(before) or b < len(after):
        if a < len(before) and (b == len(after) or a - start_a <= b - start_b):
            left, a = left * before[a], a + 1
        else:
            right, b = right * after[b], b + 1
        if left == right and a > start_a and b > start_b:
            groups.append((range(start_a, a), range(start_b, b)))
            start_a, start_b, left, right = a, b, ONE, ONE
    if a > start_a or b > start_b:
        groups.append((range(start_a, a), range(start_b, b)))
    return groups


def _unflatten(facts: Facts, flat: Expr, extents: Sequence[Expr]) -> list[Expr]:
    result: list[Expr] = []
    for position, extent in reversed(list(enumerate(extents))):
        if extent == ONE:
            result.append(ZERO)
        elif position == 0 or all(other == ONE for other in extents[:position]):
            result.append(flat)
        else:
            result.append(facts.simplify(flat % extent))
            flat = facts.simplify(flat // extent)
    return result[::-1]


def pad(b: KernelBuilder, op: graph.PadOp, index: Index, gate: Gate | None) -> Answer:
    moved = tuple(i - low for i, low in zip(index, op.low, strict=True))
    padding = yield op.value, (), gate
    inner = gate
    b.at(op)
    for i, extent in zip(moved, extents_of(op.operand), strict=True):
        inner = b.inside(i, extent, inner)
    value = yield op.operand, moved, inner
    if inner is None or inner is gate:
        return value
    return b.at(op).select(inner.value, value, padding)


def concat(b: KernelBuilder, op: graph.ConcatOp, index: Index, gate: Gate | None) -> Answer:
    result: SSAValue | None = None
    start = ZERO
    for operand in op.operands:
        extent = extents_of(operand)[op.axis]
        here = index[op.axis] - start
        start = start + extent
        if b.facts.is_nonnegative(-1 - here) or b.facts.is_nonnegative(here - extent):
            continue  # never here
        b.at(op)
        inner = b.inside(here, extent, gate)
        moved = (*index[: op.axis], here, *index[op.axis + 1 :])
        value = yield operand, moved, inner
        if result is None or inner is None:
            result = value
        else:
            result = b.at(op).select(inner.value, value, result)
    if result is None:
        # no element can be asked for
        return b.at(op).constant(0, dtype_of(op.result).below)
    return result
