"""Keep what a reduction gives in local memory, and go on from there in loops of its own.

    for i:                            for i:
      for u, v:                         for u, v:
        s = sum over k of f(.., k)        tile[u, v] = sum over k of f(.., k)
        y[i, u, v] = g(s)        -->    for ur, vr:
                                          y[i, ur, vr] = g(tile[ur, vr])

The new ranges are of the kinds that the old ones are. Where `u` is unrolled for the sake of the
sum, `ur` can be made a loop (`set-kind`), so that `g` is there once and not for each `u`.

What it keeps may also be what parts of the reduction have given so far. With `accumulating=ko`:

    for i:                                   tile = 0
      for u:                                 for ko:
        s = sum over ko, ki of f(.., k)  -->   for i, u:
        y[i, u] = g(s)                           tile[i, u] += sum over ki of f(.., k)
                                             for ir, ur:
                                               y[ir, ur] = g(tile[ir, ur])

so that the loop over `ko` may be outside of those that the result has.

Legal where what is stored takes one reduction's result for these ranges, which nothing else takes,
and they run from 0 to extents that are numbers. A reduction may be formed in any order, and so in
parts; the identity, of which each element starts, changes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO
from teenyir.dialects.kernel.dependences import CLOSERS
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    cone,
    erase_unused,
    find_ranges,
    name_range,
)
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class StageResult(Primitive):
    """Keep what a reduction gives in local memory, and go on in loops of its own."""

    name = "stage-result"

    over: tuple[str, ...]
    """The ranges that it is kept for, in the order of the axes."""
    accumulating: tuple[str, ...] = ()
    """Ranges of the reduction, not all of them, for each iteration of which a part is added."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        ranges = find_ranges(func, self.over)
        nest = kernel.Dependences(func)
        extents = [_extent(range_) for range_ in ranges]
        stores = [op for op in nest.ops if isinstance(op, kernel.StoreOp)]
        stored = (value for op in stores for value in op.operands)
        computed = cone(stored, ranges, nest, until={op for op in nest.ops if _closes(op)})
        reduction = _only_reduction(func, [*computed, *stores], ranges, nest)
        if missing := [r for r in ranges if r not in nest.dependences[reduction.result]]:
            raise fail(reduction, f"does not depend on {kernel.names(missing)}")
        outer = find_ranges(func, self.accumulating) if self.accumulating else []
        if self.accumulating and not {*outer} < kernel.closed_by(reduction):
            raise fail(reduction, f"does not close {kernel.names(outer)} and more")
        names = kernel.range_names(func)
        copies: dict[SSAValue, SSAValue] = {}
        for range_ in ranges:
            new = before(range_).insert(range_.clone())
            name_range(func, new, f"{names[range_]}r")
            copies[range_.result] = new.result
        assert reduction.next_op is not None  # what is stored
        build = before(reduction.next_op)
        part = reduction.result
        if outer:
            rest = [value for value in reduction.over if value.owner not in outer]
            part = build.insert(kernel.ReduceOp(reduction.kind.data, reduction.value, rest)).result
        axes = [placeholder(k) for k in range(len(ranges))]
        old = [range_.result for range_ in ranges]
        tile = kernel.BufferType(extents, reduction.result.type, "local")
        parts = [range_.result for range_ in outer]
        kind = reduction.kind.data if parts else None
        stage = build.insert(kernel.StageOp(part, axes, old, old, tile, parts, kind))
        stage.result.name_hint = "tile"
        again = build.insert(kernel.LoadOp(stage.result, axes, [copies[r] for r in old]))
        again.result.name_hint = reduction.result.name_hint
        copies[reduction.result] = again.result
        for op in (*computed, *stores):
            copy = before(op).insert(op.clone(copies))
            copies.update(zip(op.results, copy.results, strict=True))
            for result, of in zip(copy.results, op.results, strict=True):
                result.name_hint = of.name_hint
        for store in stores:
            store.detach()
            store.erase()
        erase_unused([*computed[::-1], *([reduction] if outer else [])])


def _closes(op: Operation) -> bool:
    return isinstance(op, CLOSERS) or bool(kernel.scanned_by(op))


def _only_reduction(
    func: kernel.FuncOp,
    moved: Sequence[Operation],
    ranges: Sequence[kernel.RangeOp],
    nest: kernel.Dependences,
) -> kernel.ReduceOp:
    """The one op that closes or scans ranges and gives what is moved something for the ranges."""
    found = {
        value.owner
        for op in moved
        for value in op.operands
        if isinstance(value.owner, Operation)
        and _closes(value.owner)
        and not nest.dependences[value].isdisjoint(ranges)
    }
    reduction = next(iter(found), None)
    if len(found) != 1 or not isinstance(reduction, kernel.ReduceOp):
        many = f"{len(found)} results of loops are stored for the ranges"
        raise fail(func, f"{many}, not one of a reduction")
    if any(use.operation not in moved for use in reduction.result.uses):
        raise fail(reduction, "is for more than what is stored")
    return reduction


def _extent(range_: kernel.RangeOp) -> int:
    extent = range_.upper.data.constant
    if range_.lower.data != ZERO or range_.values or extent is None:
        raise fail(range_, f"{kernel.names([range_])} does not run from 0 to a number")
    return extent
