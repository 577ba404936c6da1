"""Give the last iterations of a range a loop of their own, beside it.

    for i in 0 to 100:                  for i in 0 to 96:
      for j:                              for j:
        y[i, j] = f(i, j)         -->       y[i, j] = f(i, j)
                                        for r in 0 to 16:
                                          for j:
                                            y[84 + r, j] = f(84 + r, j)

The first loop ends `at` an iteration, the other starts there or before: what both store is the
same, whichever is first. So each can have an extent that is a multiple of a block where that of all
has none. Ranges that come behind the range in the text are there for each of the two, those before
it once, and reductions close others in each:

    for i, j in 0 to 100:               for i, j in 0 to 96:
      s = sum over k of f(i, j, k)  -->   s = sum over k of f(i, j, k), y[i, j] = s
      y[i, j] = s                       for i', j' in 0 to 16:
                                          t = sum over k' of f(i', 84 + j', k'), y[i', 84 + j'] = t

Legal where the range has a fixed extent and starts at 0, all that depends on it is computed for
stores alone, without anything that closes or scans it or stages what it depends on, and no bound
of another range depends on it. (An argument that is read and written has one load and one store:
the verifier refuses two.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO
from teenyir.dialects.kernel.dependences import CLOSERS
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import Primitive, cone, find_range, name_range
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True, kw_only=True)
class PeelRange(Primitive):
    """Give the last iterations of a range a loop of their own."""

    name = "peel-range"

    range: str
    """The range."""
    at: int
    """The iteration that it ends before."""
    start: int = 0
    """The first iteration of the other loop; `at` if it is 0."""
    rest: str = "r"
    """What the names of the new ranges have behind those of the old ones."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        range_ = find_range(func, self.range)
        nest = kernel.Dependences(func)
        touched = [op for op in nest.ops if range_ in nest.operand_dependences[op]]
        _require_legal(range_, touched)
        start, extent = self.start or self.at, range_.extent.constant
        if range_.lower.data != ZERO or extent is None or not 0 < start <= self.at < extent:
            name = kernel.names([range_])
            raise fail(
                range_,
                f"{name} does not go from 0 past {self.at}, or {start} is not among what it does",
            )
        stores = [op for op in touched if isinstance(op, kernel.StoreOp)]
        behind, moved = _copied(range_, stores, nest)
        build = LocatedBuilder(InsertPoint.at_end(func.body.block), range_.location)
        copies: dict[SSAValue, SSAValue] = {}

        def add(op: Operation, old: Operation) -> None:
            build.insert(op).location = old.location
            for result, copy in zip(old.results, op.results, strict=True):
                copy.name_hint = result.name_hint
                copies[result] = copy

        names = kernel.range_names(func)
        rest = kernel.RangeOp(0, extent - start, kind=range_.how)
        for old, new in ((range_, rest), *((each, each.clone(copies)) for each in behind)):
            add(new, old)
            name_range(func, new, f"{names[old]}{self.rest}")
        index = kernel.IndexOp(ZERO + placeholder(0) + start, [rest.result])
        add(index, range_)
        for op in (*moved, *stores):
            add(op.clone(copies), op)
        shorter = kernel.RangeOp(0, self.at, kind=range_.how)
        range_.properties |= shorter.properties


def _copied(
    range_: kernel.RangeOp, stores: Sequence[kernel.StoreOp], nest: kernel.Dependences
) -> tuple[list[kernel.RangeOp], list[Operation]]:
    """The other ranges that are there for each of the two loops, and what is computed in them."""
    ranges = {each for op in stores for each in nest.operand_dependences[op]}
    found = {each for each in ranges if nest.position[each] > nest.position[range_]}
    while True:
        moved = cone((v for op in stores for v in op.operands), [range_, *found], nest)
        for op in moved:
            if _is_no_copy(op):
                raise fail(op, "depends on a range that both loops have, and is no store")
        closed = {each for op in moved for each in kernel.closed_by(op)}
        if closed <= found:
            return nest.in_text_order(found), moved
        found |= closed


def _is_no_copy(op: Operation) -> bool:
    """Whether an op closes or scans ranges and is no reduction."""
    if isinstance(op, kernel.ReduceOp):
        return False
    return isinstance(op, (*CLOSERS, kernel.ScanOp, kernel.ScatterOp, kernel.AllReduceOp))


def _require_legal(range_: kernel.RangeOp, touched: list[Operation]) -> None:
    name = kernel.names([range_])
    for op in touched:
        if isinstance(op, kernel.RangeOp):
            raise fail(op, f"the bounds of {kernel.names([op])} depend on {name}")
        if _is_no_copy(op) or range_ in kernel.closed_by(op):
            raise fail(op, f"depends on {name}, and is no store")
