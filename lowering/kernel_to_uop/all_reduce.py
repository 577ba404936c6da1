"""All-reduces: lanes of a warp exchange what they have, and warps by way of shared memory.

v = all_reduce x across(t)   -->   v = x + shuffle x xor 16;  v += shuffle v xor 8;  ..  xor 1
                                   s[t floordiv 32] = v if t mod 32 == 0         (of several
                                   barrier                                        warps)
                                   v = s[0] + s[1] + ..
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel, uop
from teenyir.dialects.expr import ZERO, Expr
from teenyir.lowering.kernel_to_uop.places import Copy
from teenyir.lowering.kernel_to_uop.widening import combined
from teenyir.targets.cuda import WARP

if TYPE_CHECKING:
    from teenyir.lowering.kernel_to_uop.copies import Copies


class AllReduce:
    """Writes all-reduces of one kernel."""

    def __init__(self, copies: Copies):
        self.copies = copies

    def __call__(self, op: kernel.AllReduceOp, copy: Copy) -> SSAValue:
        """A copy of an all-reduce, in the loop that it stands in."""
        copies, depth = self.copies, self.copies.place(op)

        def insert(new: Operation) -> SSAValue:
            return copies.insert_at(new, depth)

        def both(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
            return insert(combined(op.combiner, lhs, rhs, reordered=False))

        value = copies.of(op.value, copy)
        step = WARP // 2
        while step:
            value = both(value, insert(uop.ShuffleOp(value, step)))
            step //= 2
        warps = (op.across.extent.constant or 0) // WARP
        if warps == 1:
            return value
        thread = {"t": copies.of(op.thread, copy)}
        shared = insert(uop.LocalOp(warps, op.result.type, "shared"))
        shared.name_hint = "warps"
        warp, lane = (copies.indices.value(e, thread) for e in (_T // WARP, _T % WARP))
        first = insert(arith.CmpiOp(lane, copies.indices.value(ZERO, {}), "eq"))
        copies.blocks[depth].add_op(store := uop.StoreOp(value, shared, warp, first))
        store.location = copies.location
        found = [
            insert(uop.LoadOp(shared, copies.indices.value(Expr.of(number), {})))
            for number in range(warps)
        ]
        while len(found) > 1:  # a tree, so that few of them wait for each other
            pairs = zip(found[::2], found[1::2], strict=False)
            found = [both(lhs, rhs) for lhs, rhs in pairs] + found[len(found) // 2 * 2 :]
        return found[0]


_T = Expr.of("t")
