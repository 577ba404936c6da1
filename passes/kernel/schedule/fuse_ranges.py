"""Fuse two ranges, one just inside the other, into one over all their iterations.

    %i = kernel.range 0 to N         %ij = kernel.range 0 to N * 50
    %j = kernel.range 0 to 50   -->  %i = kernel.index %ij floordiv 50
                                     %j = kernel.index %ij mod 50

The inverse of `split-range`: the iterations are the same, in the same order. Closers of both close
the one. What depends on the outer range alone is computed in every iteration.

Legal where both are of kind `loop` or both of kind `unroll`; their bounds depend on no other range;
what closes one of them closes the other; no scan runs along either; and in the outer loop no other
loop, and nothing that a closer gives, stands beside the inner one, as it would be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    close_others,
    find_ranges,
    name_range,
    require_exchangeable,
    scatter_over,
)
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class FuseRanges(Primitive):
    """Fuse two ranges, one just inside the other, into one."""

    name = "fuse-ranges"

    outer: str
    """The range of the outer loop."""
    inner: str
    """The range of the loop just inside it."""
    fused: str = ""
    """The name of the range over both; their names together if it is empty."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        outer, inner = find_ranges(func, (self.outer, self.inner))
        nest = kernel.Nest(func)
        _require_legal(outer, inner, nest)
        fused = kernel.RangeOp(0, outer.extent * inner.extent, kind=outer.how)
        build = before(outer)
        build.insert(fused)
        name_range(func, fused, self.fused or f"{self.outer}{self.inner}")

        def both_as_one(values: Sequence[SSAValue]) -> list[SSAValue]:
            kept = [value for value in values if value is not inner.result]
            return [fused.result if value is outer.result else value for value in kept]

        for op in nest.ops:
            if outer in kernel.closed_by(op):
                close_others(op, both_as_one)
        scatter_over(outer, both_as_one)
        at = Expr.of("_0")
        for range_, place in ((outer, at // inner.extent), (inner, at % inner.extent)):
            index = build.insert(kernel.IndexOp(range_.lower.data + place, [fused.result]))
            index.result.name_hint = range_.result.name_hint
            range_.result.replace_all_uses_with(index.result)
        for range_ in (outer, inner):
            range_.detach()
            range_.erase()


def _require_legal(outer: kernel.RangeOp, inner: kernel.RangeOp, nest: kernel.Nest) -> None:
    """Raises PassError where the two are not one loop after all."""
    pair = frozenset((outer, inner))
    if outer.how != inner.how or outer.how not in ("loop", "unroll"):
        kinds = f"`{outer.how}` and `{inner.how}`"
        raise fail(inner, f"ranges of kind {kinds}: both are to be `loop` or both `unroll`")
    for range_ in (outer, inner):
        if range_.values:
            raise fail(range_, f"the bounds of {kernel.names([range_])} depend on another range")
    for op in nest.ops:
        if scanned := pair & kernel.scanned_by(op):
            raise fail(op, f"runs along {kernel.names([*scanned])}, which cannot be fused")
        require_exchangeable(op, pair)
        if len(closed := pair & kernel.closed_by(op)) == 1:
            (one,), (other,) = closed, pair - closed
            raise fail(op, f"closes {kernel.names([one])} and not {kernel.names([other])}")
        if (
            isinstance(op, kernel.ScatterOp)
            and len(met := pair & nest.operand_dependences[op]) == 1
        ):
            (one,), (other,) = met, pair - met
            raise fail(op, f"is over {kernel.names([one])} and not {kernel.names([other])}")
    if outer.how == "loop":
        _require_nested(outer, inner, nest)


def _require_nested(outer: kernel.RangeOp, inner: kernel.RangeOp, nest: kernel.Nest) -> None:
    first, second = kernel.names([outer]), kernel.names([inner])
    if nest.path(frozenset({inner}))[-2:] != [outer, inner]:
        raise fail(inner, f"the loop of {second} is not the next one inside that of {first}")
    for op in nest.ops:
        if nest.place(op)[-1:] == [outer] and isinstance(op, _NOT_REPEATED):
            raise fail(op, f"stands in the loop of {first} beside that of {second}")


_NOT_REPEATED: tuple[type[Operation], ...] = (
    *(kernel.ReduceOp, kernel.FoldOp, kernel.ScanOp, kernel.StageOp, kernel.SortOp),
    *(kernel.MmaOp, kernel.AllReduceOp, kernel.StoreOp, kernel.ScatterOp),
)
