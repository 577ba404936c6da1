"""Reduce in two steps: partial results over some ranges, then over the rest.

    %s = kernel.reduce %v over(%o, %l)   -->   %p = kernel.reduce %v over(%o)
                                               %s = kernel.reduce %p over(%l)

With `%l` as copies or lanes, there is an accumulator for each: the steps of one sum do not wait for
those of another.

Legal, because reductions may be formed in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, before, find_ranges
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class SplitReduction(Primitive):
    """Reduce in two steps."""

    name = "split-reduction"

    over: tuple[str, ...]
    """The ranges of the first step, which one reduction closes with others."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        first = set(find_ranges(func, self.over))
        for op in func.body.block.ops:
            if isinstance(op, kernel.ReduceOp) and first < kernel.closed_by(op):
                break
        else:
            raise fail(func, f"no reduction closes {kernel.names(first)} and more")
        build = before(op)
        inner = [value for value in op.over if value.owner in first]
        partial = build.insert(kernel.ReduceOp(op.kind.data, op.value, inner))
        rest = [value for value in op.over if value.owner not in first]
        total = build.insert(kernel.ReduceOp(op.kind.data, partial.result, rest))
        total.attributes |= op.attributes
        total.result.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(total.result)
        op.detach()
        op.erase()
