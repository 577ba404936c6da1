"""All-reduces: lanes of a warp exchange what they have, and warps by way of shared memory.

v = all_reduce x across(t)   -->   v = x + shuffle x xor 16;  v += shuffle v xor 8;  ..  xor 1
                                   s[t floordiv 32] = v if t mod 32 == 0         (of several
                                   barrier                                        warps)
                                   v = s[0] + s[1] + ..
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel, uop
from teenyir.dialects.expr import ZERO, Expr
from teenyir.lowering.kernel_to_uop.widening import combined
from teenyir.targets.cuda import WARP


@dataclass(frozen=True)
class AllReduce:
    """Writes one all-reduce."""

    op: kernel.AllReduceOp
    emit: Callable[[Operation], Operation]
    """Puts an op where ops go now."""
    index: Callable[[Expr, Mapping[str, SSAValue]], SSAValue]
    """An expression over names as a value."""

    def _both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.emit(combined(self.op.combiner, lhs, rhs, reordered=False)).results[0]

    def write(self, value: SSAValue, thread: SSAValue) -> SSAValue:
        """What all threads of a group have, of what each has."""
        step = min(self.op.group, WARP) // 2
        while step:
            value = self._both(value, self.emit(uop.ShuffleOp(value, step)).results[0])
            step //= 2
        warps = self.op.group // WARP
        return value if warps <= 1 else self._across_warps(value, thread, warps)

    def _across_warps(self, value: SSAValue, thread: SSAValue, warps: int) -> SSAValue:
        shared = self.emit(uop.LocalOp(warps, value.type, "shared")).results[0]
        shared.name_hint = "warps"
        t = Expr.of("t")
        warp, lane = (self.index(expr, {"t": thread}) for expr in (t // WARP, t % WARP))
        first = self.emit(arith.CmpiOp(lane, self.index(ZERO, {}), "eq")).results[0]
        self.emit(uop.StoreOp(value, shared, warp, first))
        found = [
            self.emit(uop.LoadOp(shared, self.index(Expr.of(number), {}))).results[0]
            for number in range(warps)
        ]
        while len(found) > 1:  # a tree, so that few of them wait for each other
            pairs = zip(found[::2], found[1::2], strict=False)
            found = [self._both(*pair) for pair in pairs] + found[len(found) // 2 * 2 :]
        return found[0]
