"""Give what is stored to a buffer a loop of its own, in the place of a range that it shares.

    for i:                              for i:
      for j: row[j] = f(i, j)             for j: row[j] = f(i, j)
      .. row[..] ..                       .. row[..] ..
      for j: y[i, j] = g(row[j])        for r:
                                          for j: y[r, j] = g(row[j])

What the stores are computed from is computed in the new loop; a reduction over a loop that
something else runs along too stays where it is, and is kept in local memory for the new loop.

Legal where every stage that the stores read closes the range (see `widen-stages`), or does not
depend on it, and no bound of a loop that moves along depends on the range.

With `clipped=true` the new loop ends where the gate of its stores ends them:

    for r in 0 to 24:                          for r in 0 to min(24, n - o * 24):
      y[o * 24 + r] = v if o * 24 + r < n -->    y[o * 24 + r] = v

Done where all of them have that one gate, in which r stands by itself: nothing else happens in the
loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.lanewise import CmpIOp
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    cone,
    erase_unused,
    find_buffer,
    find_range,
    name_range,
    put_in_place,
)
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class FissionRange(Primitive):
    """Give what is stored to a buffer a loop of its own."""

    name = "fission-range"

    range: str
    """The range that the stores share with the rest of the kernel."""
    buffer: str
    """The argument of the kernel that is stored to."""
    copy: str = ""
    """The name of the new range; the old one's and an `r` if it is empty."""
    clipped: bool = False
    """Whether the new loop ends where the gate of what it stores does."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        range_ = find_range(func, self.range)
        nest = kernel.Dependences(func)
        stores = _stores(func, self.buffer, range_, nest)
        moved, kept = _moved(stores, range_, nest)
        _require_legal(moved, range_, nest)
        new = kernel.RangeOp(range_.lower.data, range_.upper.data, range_.values)
        before(range_).insert(new)
        name_range(func, new, self.copy or f"{self.range}r")
        copies: dict[SSAValue, SSAValue] = {range_.result: new.result}
        for op in nest.ops:
            if op in moved or op in stores:
                copy = before(op).insert(op.clone(copies))
                copies.update(zip(op.results, copy.results, strict=True))
                for result, again in zip(op.results, copy.results, strict=True):
                    again.name_hint = result.name_hint
            elif op in kept:
                copies.update(_kept_as_columns(func, op, range_, new))
        for store in stores:
            store.detach()
            store.erase()
        erase_unused(sorted(moved, key=nest.position.__getitem__, reverse=True))
        if self.clipped:
            _clip(func, new, self.buffer)


_REDUCTIONS = (kernel.ReduceOp, kernel.FoldOp)


def _stores(
    func: kernel.FuncOp, name: str, range_: kernel.RangeOp, nest: kernel.Dependences
) -> list[kernel.StoreOp]:
    """The stores to an argument of a kernel. Raises PassError where there is none in the range."""
    users = [use.operation for use in find_buffer(func, name).uses]
    stores = [
        op
        for op in nest.ops
        if op in users and isinstance(op, kernel.StoreOp) and range_ in nest.operand_dependences[op]
    ]
    if not stores:
        raise fail(func, f"nothing in {kernel.names([range_])} is stored to %{name}")
    return stores


def _moved(
    stores: Sequence[Operation], range_: kernel.RangeOp, nest: kernel.Dependences
) -> tuple[set[Operation], set[Operation]]:
    """What goes to the new loop with the stores: what they are computed from in the range, but
    for reductions that something else uses, or runs along the loops of: those are kept."""
    kept: set[Operation] = set()
    while True:
        moved = set(cone((v for op in stores for v in op.operands), [range_], nest, until=kept))
        stays = {
            op
            for op in moved
            if isinstance(op, _REDUCTIONS) and _is_shared(op, {*moved, *stores}, nest)
        }
        if not stays:
            needed = {value.owner for op in (*moved, *stores) for value in op.operands}
            return moved, {op for op in kept if op in needed}
        kept |= stays


def _is_shared(op: Operation, moved: set[Operation], nest: kernel.Dependences) -> bool:
    """Whether a reduction's result or loops serve anything that does not move."""
    users = {use.operation for result in op.results for use in result.uses}
    closed = kernel.closed_by(op)
    others = (other for other in nest.ops if other not in moved)
    return not users <= moved or any(
        not closed.isdisjoint(kernel.closed_by(other) | kernel.scanned_by(other))
        for other in others
    )


def _require_legal(moved: set[Operation], range_: kernel.RangeOp, nest: kernel.Dependences) -> None:
    name = kernel.names([range_])
    for op in sorted(moved, key=nest.position.__getitem__):
        if isinstance(op, kernel.StageOp | kernel.SortOp):
            raise fail(op, f"is computed anew in each iteration of {name}, so it cannot be shared")
        if isinstance(op, kernel.ScanOp):
            raise fail(op, f"is a scan, which stays in the loop of {name}")
    for op in nest.ops:
        if isinstance(op, kernel.RangeOp) and range_ in nest.operand_dependences[op]:
            raise fail(op, f"the bounds of {kernel.names([op])} depend on {name}")


def _kept_as_columns(
    func: kernel.FuncOp, op: Operation, range_: kernel.RangeOp, new: kernel.RangeOp
) -> dict[SSAValue, SSAValue]:
    """Keep what a reduction gives in each iteration; what the new loop loads in its place."""
    most = kernel_indices(func).facts.interval(range_.extent)[1]
    if range_.lower.data != ZERO or most is None:
        raise fail(op, f"{kernel.names([range_])} has no maximum: there is no room for its results")
    loads: dict[SSAValue, SSAValue] = {}
    assert op.next_op is not None  # its user
    build = before(op.next_op)
    for result in op.results:
        column = kernel.BufferType([max(most, 1)], result.type, "local")
        place = [placeholder(0)]
        stage = build.insert(
            kernel.StageOp(result, place, [range_.result], [range_.result], column)
        )
        stage.result.name_hint = "column"
        loads[result] = build.insert(kernel.LoadOp(stage.result, place, [new.result])).result
        loads[result].name_hint = result.name_hint
    return loads


def _clip(func: kernel.FuncOp, range_: kernel.RangeOp, name: str) -> None:
    """End a range where the gate of the stores in it does, if they have one that ends them."""
    nest = kernel.Dependences(func)
    stores = _stores(func, name, range_, nest)
    compare = stores[0].gate.owner if stores[0].gate is not None else None
    if not isinstance(compare, arith.CmpiOp) or any(s.gate is not compare.result for s in stores):
        return
    if CmpIOp.PREDICATES[compare.predicate.value.data] != "slt":
        return
    both = [Expr.of(placeholder(0)), Expr.of(placeholder(1))]
    (index, end), values = kernel.written_out(both, compare.operands)
    others = [value for value in values if value is not range_.result]
    earlier = nest.ops[: nest.position[range_]]
    if len(others) == len(values) or any(value.owner not in earlier for value in others):
        return
    step = Expr.of(placeholder(values.index(range_.result)))
    left = end - (index - step)
    indices = kernel_indices(func)
    names = {placeholder(k): indices.names[value] for k, value in enumerate(values)}
    if range_.values or not step.names.isdisjoint(left.names):
        return
    if not indices.facts.is_nonnegative(left.substitute(names)):
        left = Expr.maximum(left, 0)
    numbers = {placeholder(values.index(v)): placeholder(k) for k, v in enumerate(others)}
    upper = Expr.minimum(range_.upper.data, left.substitute(numbers))
    new = kernel.RangeOp(range_.lower.data, upper, others, range_.how)
    new.result.name_hint = range_.result.name_hint
    put_in_place(before(range_), range_, new)
    for op in stores:
        store = kernel.StoreOp(op.value, op.buffer, op.exprs, op.values, None, op.streaming)
        put_in_place(before(op), op, store)
    erase_unused([compare])
