"""Spread the outermost loops of a kernel over the threads of a GPU.

The loops whose iterations are independent of each other, from the outside in for as long as they
nest perfectly, become one range over all their iterations, cut into blocks of threads:

    for i in N                          for block in ceildiv(N * 50, 256) grid.x
      for j in 50               -->       for thread in 256 thread.x
        y[i, j] = x[i, j] + 1               at = block * 256 + thread
                                            if at < N * 50
                                              y[at floordiv 50, at mod 50] = x[..] + 1

so that neighbouring threads have neighbouring elements whatever the shape, and no thread is idle
but in the last block. The condition becomes the gate of every access that depends on the loops; it
is left out where the iterations fill the blocks. Loops that a reduction, fold, stage or scan needs
in one thread stay loops of a thread, and so do those whose scatters may meet. A kernel that sorts
stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from teenyir.analysis.indices import KERNEL_INDICES
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.dialects.kernel.verify import told_apart
from teenyir.dialects.syntax import placeholder
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.rewriting.locations import LocatedBuilder

WARP = 32
"""Threads that run together: a block has a multiple of them."""


@dataclass(frozen=True)
class MapToGrid(Pass):
    """Spread the outermost loops of a kernel over the blocks and threads of a GPU."""

    name = "map-to-grid"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 256
    """The threads of a block, at most; a multiple of 32."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        if not 0 < self.threads <= 1024 or self.threads % WARP:
            raise fail(op, f"{self.name}: a block has 32, 64, .. 1024 threads, not {self.threads}")
        nest = kernel.Nest(op)
        if any(kernel.is_of_launch(range_) for range_ in nest.outside):
            return  # somebody has chosen already
        if any(isinstance(inner, kernel.SortOp) for inner in nest.ops):
            session.remark("missed", op, "it sorts, which one thread does")
            return
        facts = session.analysis(KERNEL_INDICES, op).facts
        chains = [_chain(item, nest) for item in nest.root.body if isinstance(item, kernel.Loop)]
        chains = [chain for chain in chains if chain]
        threads = _block_size([_total(chain, facts) for chain in chains], facts, self.threads)
        for chain in chains:
            session.remark("passed", op, f"{kernel.names(chain)}: spread over threads")
            Spread(chain, nest, facts, threads).run()
            session.count("loops", len(chain))


def _block_size(totals: Sequence[Expr], facts: Facts, most: int) -> int:
    """The threads of a block: no more warps than the largest loop nest fills."""
    highest = [facts.interval(total)[1] for total in totals]
    known = [high for high in highest if high is not None]
    if len(known) < len(highest):
        return most
    return max(WARP, min(most, -(-max(known, default=1) // WARP) * WARP))


# --- which loops ----------------------------------------------------------------------------------


def _chain(loop: kernel.Loop, nest: kernel.Nest) -> list[kernel.RangeOp]:
    """The ranges to spread, outermost first."""
    chain: list[kernel.RangeOp] = []
    while loop.range is not None and _is_independent(loop, nest):
        chain.append(loop.range)
        inner = [item for item in loop.body if isinstance(item, kernel.Loop)]
        if len(inner) != 1 or any(map(_writes, loop.body)):
            break
        loop = inner[0]
    return chain


def _writes(item: object) -> bool:
    return isinstance(item, kernel.StoreOp | kernel.ScatterOp | kernel.Update)


def _is_independent(loop: kernel.Loop, nest: kernel.Nest) -> bool:
    """Whether a loop's iterations can run in any order and are known before the kernel runs."""
    range_ = loop.range
    assert range_ is not None
    if loop.opens or range_.values or range_.how not in ("loop", "parallel"):
        return False
    return all(
        range_ in told_apart(op) for op in _scatters(loop) if range_ in nest.operand_dependences[op]
    ) and not any(range_ not in nest.operand_dependences[op] for op in _scatters(loop))


def _scatters(loop: kernel.Loop) -> list[kernel.ScatterOp]:
    found: list[kernel.ScatterOp] = []
    for item in loop.body:
        if isinstance(item, kernel.ScatterOp):
            found.append(item)
        elif isinstance(item, kernel.Loop):
            found += _scatters(item)
    return found


def _extent(range_: kernel.RangeOp, facts: Facts) -> Expr:
    extent = range_.extent
    return extent if facts.is_nonnegative(extent) else Expr.maximum(extent, ZERO)


def _total(chain: Sequence[kernel.RangeOp], facts: Facts) -> Expr:
    return Expr.product(_extent(range_, facts) for range_ in chain)


# --- the rewrite ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gate:
    """Where an access happens; of a load, the value elsewhere."""

    holds: SSAValue | None = None
    other: SSAValue | None = None


Gated = kernel.LoadOp | kernel.StoreOp | kernel.ScatterOp
GATED = (kernel.LoadOp, kernel.StoreOp, kernel.ScatterOp)


@dataclass
class Spread:
    """Replaces perfectly nested ranges by one over blocks and one over threads."""

    chain: Sequence[kernel.RangeOp]
    nest: kernel.Nest
    facts: Facts
    threads: int

    def run(self) -> None:
        first = min(self.chain, key=self.nest.position.__getitem__)
        self.builder = LocatedBuilder(InsertPoint.before(first), first.location)
        total = _total(self.chain, self.facts)
        block = kernel.RangeOp(0, total.ceildiv(self.threads), (), "grid.x")
        thread = kernel.RangeOp(0, self.threads, (), "thread.x")
        self.ids = (self.builder.insert(block).result, self.builder.insert(thread).result)
        self.ids[0].name_hint, self.ids[1].name_hint = "block", "thread"
        flat = Expr.of("block") * self.threads + "thread"
        if block.extent == ONE:
            flat = Expr.of("thread")
        self.gate = None
        if self.facts.divisor(total) % self.threads:
            self.gate = self._compare(flat, total)
        self.places = self._places(flat)
        touched = [op for op in self.nest.ops if self._depends(op)]
        for op in touched:
            self._rewrite(op)
        for range_ in self.chain:
            self._leave_index(range_)
        for range_ in self.chain:
            range_.detach()
            range_.erase()

    def _compare(self, flat: Expr, total: Expr) -> SSAValue:
        at = self.builder.insert(self._index(flat)).result
        count = self.builder.insert(kernel.IndexOp(total)).result
        at.name_hint, count.name_hint = "at", "count"
        gate = self.builder.insert(arith.CmpiOp(at, count, "slt")).result
        gate.name_hint = "inside"
        return gate

    def _places(self, flat: Expr) -> dict[SSAValue, Expr]:
        """What the index of each range is, over `block` and `thread`."""
        places: dict[SSAValue, Expr] = {}
        stride = Expr.of(1)
        for number, range_ in enumerate(reversed(self.chain)):
            extent = _extent(range_, self.facts)
            outermost = number == len(self.chain) - 1
            place = flat // stride
            places[range_.result] = range_.lower.data + (place if outermost else place % extent)
            stride = stride * extent
        return places

    def _depends(self, op: Operation) -> bool:
        return not self.nest.operand_dependences[op].isdisjoint(self.chain)

    def _index(self, expr: Expr) -> kernel.IndexOp:
        """An expression over `block` and `thread` as a value."""
        (moved,), values = used([self._moved(expr, (), self.ids)], self.ids)
        return kernel.IndexOp(moved, values)

    def _rewrite(self, op: Operation) -> None:
        if not isinstance(op, kernel.IndexedOp):
            return
        named = any(value in self.places for value in op.index_values)
        gate = self._gate(op) if isinstance(op, GATED) else Gate()
        if not named and gate == _gate_of(op):
            return
        values = (*(v for v in op.index_values if v not in self.places), *self.ids)
        exprs, values = used([self._moved(e, op.index_values, values) for e in op.exprs], values)
        builder = LocatedBuilder(InsertPoint.before(op), op.location)
        new = builder.insert(_REBUILD[type(op)](op, exprs, values, gate))
        for old, result in zip(op.results, new.results, strict=True):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        new.attributes |= op.attributes
        op.detach()
        op.erase()

    def _moved(self, expr: Expr, before: Sequence[SSAValue], after: Sequence[SSAValue]) -> Expr:
        """An expression over values and, by name, `block` and `thread` as one over other values."""
        ids = {
            name: placeholder(after.index(value))
            for name, value in zip(("block", "thread"), self.ids, strict=True)
        }
        new: dict[str, Expr] = {}
        for number, value in enumerate(before):
            if value in self.places:
                new[placeholder(number)] = self.places[value].substitute(ids)
            else:
                new[placeholder(number)] = Expr.of(placeholder(after.index(value)))
        return expr.substitute({**ids, **new})

    def _may_be_outside(self, op: Gated) -> bool:
        """Whether the index of an access may be out of bounds where our gate does not hold."""
        if not isinstance(op, kernel.LoadOp):
            return True
        operands = [*op.values, *([] if op.gate is None else [op.gate])]
        return any(not self.nest.dependences[value].isdisjoint(self.chain) for value in operands)

    def _gate(self, op: Gated) -> Gate:
        """The gate of an access with ours, and the value of a load where it does not hold."""
        own = _gate_of(op)
        if self.gate is None or not self._may_be_outside(op):
            return own
        builder = LocatedBuilder(InsertPoint.before(op), op.location)
        holds, other = self.gate, own.other
        if own.holds is not None:
            holds = builder.insert(arith.AndIOp(self.gate, own.holds)).result
        if isinstance(op, kernel.LoadOp) and other is None:
            other = builder.insert(_zero(op.result.type)).result
        return Gate(holds, other)

    def _leave_index(self, range_: kernel.RangeOp) -> None:
        """What uses the value of a range in arithmetic gets it as an expression."""
        if range_.result.first_use is not None:
            index = self.builder.insert(self._index(self.places[range_.result])).result
            index.name_hint = range_.result.name_hint
            range_.result.replace_all_uses_with(index)


def used(
    exprs: Sequence[Expr], values: Sequence[SSAValue]
) -> tuple[list[Expr], tuple[SSAValue, ...]]:
    """Expressions over those values alone that occur in them."""
    names = frozenset[str]().union(*(expr.names for expr in exprs))
    kept = [number for number in range(len(values)) if placeholder(number) in names]
    # by way of names that no value has: all are renamed at once
    local = {placeholder(old): f"${new}" for new, old in enumerate(kept)}
    final = {f"${new}": placeholder(new) for new in range(len(kept))}
    moved = [expr.substitute(local).substitute(final) for expr in exprs]
    return moved, tuple(values[number] for number in kept)


def _gate_of(op: kernel.IndexedOp) -> Gate:
    if isinstance(op, kernel.LoadOp):
        return Gate(op.gate, op.other)
    return Gate(op.gate) if isinstance(op, kernel.StoreOp | kernel.ScatterOp) else Gate()


def _zero(type: Attribute) -> arith.ConstantOp:
    if isa(type, IntegerType):
        return arith.ConstantOp(IntegerAttr(0, type))
    assert isinstance(type, AnyFloat)  # an element is an integer or a float
    return arith.ConstantOp(FloatAttr(0.0, type))


def _range(
    op: kernel.RangeOp, exprs: Sequence[Expr], values: Sequence[SSAValue], gate: Gate
) -> Operation:
    lower, upper = exprs
    return kernel.RangeOp(lower, upper, values, op.how)


Rebuild = Callable[[Any, Sequence[Expr], Sequence[SSAValue], Gate], Operation]

_REBUILD: Mapping[type[Operation], Rebuild] = {
    kernel.RangeOp: _range,
    kernel.IndexOp: lambda op, exprs, values, gate: kernel.IndexOp(exprs[0], values),
    kernel.LoadOp: lambda op, exprs, values, gate: kernel.LoadOp(
        op.buffer, exprs, values, gate.holds, gate.other
    ),
    kernel.StoreOp: lambda op, exprs, values, gate: kernel.StoreOp(
        op.value, op.buffer, exprs, values, gate.holds
    ),
    kernel.ScatterOp: lambda op, exprs, values, gate: kernel.ScatterOp(
        op.kind.data, op.value, op.buffer, exprs, values, gate.holds
    ),
    kernel.StageOp: lambda op, exprs, values, gate: kernel.StageOp(
        op.value,
        exprs,
        values,
        op.over,
        op.result.type,
        op.accumulating,
        None if op.kind is None else op.kind.data,
    ),
}
