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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KERNEL_INDICES
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.expr import ONE, Expr
from teenyir.dialects.kernel.injective import told_apart
from teenyir.passes.kernel.choose.gpu.blocks import require_block
from teenyir.passes.kernel.choose.places import (
    GATED,
    Gate,
    Gated,
    Places,
    flattened,
    gate_of,
    gated,
    replace,
    total,
)
from teenyir.passes.kernel.schedule.primitive import scatter_over
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.targets.cuda import WARP


@dataclass(frozen=True)
class MapToGrid(Pass):
    """Spread the outermost loops of a kernel over the blocks and threads of a GPU."""

    name = "map-to-grid"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 256
    """The threads of a block, at most; a multiple of 32."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        require_block(op, self.threads)
        nest = kernel.Nest(op)
        if any(kernel.is_of_launch(range_) for range_ in nest.outside):
            return  # somebody has chosen already
        if any(isinstance(inner, kernel.SortOp) for inner in nest.ops):
            session.remark("missed", op, "it sorts, which one thread does")
            return
        facts = session.analysis(KERNEL_INDICES, op).facts
        chains = [_chain(item, nest) for item in nest.root.body if isinstance(item, kernel.Loop)]
        chains = [chain for chain in chains if chain]
        threads = _block_size([total(chain, facts) for chain in chains], facts, self.threads)
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


# --- the rewrite ----------------------------------------------------------------------------------


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
        count = total(self.chain, self.facts)
        block = kernel.RangeOp(0, count.ceildiv(self.threads), (), "grid.x")
        thread = kernel.RangeOp(0, self.threads, (), "thread.x")
        self.ids = (self.builder.insert(block).result, self.builder.insert(thread).result)
        self.ids[0].name_hint, self.ids[1].name_hint = "block", "thread"
        flat = Expr.of("block") * self.threads + "thread"
        if block.extent == ONE:
            flat = Expr.of("thread")
        ids = {"block": self.ids[0], "thread": self.ids[1]}
        self.spread = [value for name, value in ids.items() if name in flat.names]
        self.places = Places(flattened(self.chain, flat, self.facts), ids)
        self.gate = None
        if self.facts.divisor(count) % self.threads:
            self.gate = self._compare(flat, count)
        touched = [op for op in self.nest.ops if self._depends(op)]
        # asked before any op is another one, which the nest does not know
        self.outside = {op for op in touched if self._may_be_outside(op)}
        for op in touched:
            self._rewrite(op)
        for range_ in self.chain:
            scatter_over(range_, self._instead)
            self._leave_index(range_)
        for range_ in self.chain:
            range_.detach()
            range_.erase()

    def _instead(self, over: Sequence[SSAValue]) -> list[SSAValue]:
        """The ranges instead of some among which are ranges of the chain."""
        chain = {range_.result for range_ in self.chain}
        return [*(value for value in over if value not in chain), *self.spread]

    def _compare(self, flat: Expr, size: Expr) -> SSAValue:
        at = self.builder.insert(self.places.index(flat)).result
        count = self.builder.insert(kernel.IndexOp(size)).result
        at.name_hint, count.name_hint = "at", "count"
        gate = self.builder.insert(arith.CmpiOp(at, count, "slt")).result
        gate.name_hint = "inside"
        return gate

    def _depends(self, op: Operation) -> bool:
        return not self.nest.operand_dependences[op].isdisjoint(self.chain)

    def _rewrite(self, op: Operation) -> None:
        if not isinstance(op, kernel.IndexedOp):
            return
        gate = self._gate(op) if isinstance(op, GATED) else Gate()
        if gate != gate_of(op) or any(value in self.places.exprs for value in op.index_values):
            builder = LocatedBuilder(InsertPoint.before(op), op.location)
            replace(op, builder.insert(self.places.rebuilt(op, gate)))

    def _may_be_outside(self, op: Operation) -> bool:
        """Whether the index of an access may be out of bounds where our gate does not hold."""
        if not isinstance(op, kernel.LoadOp):
            return isinstance(op, GATED)
        operands = [*op.values, *([] if op.gate is None else [op.gate])]
        return any(not self.nest.dependences[value].isdisjoint(self.chain) for value in operands)

    def _gate(self, op: Gated) -> Gate:
        """The gate of an access with ours, and the value of a load where it does not hold."""
        own = gate_of(op)
        if self.gate is None or op not in self.outside:
            return own
        return gated(op, own, self.gate)

    def _leave_index(self, range_: kernel.RangeOp) -> None:
        """What uses the value of a range in arithmetic gets it as an expression."""
        if range_.result.first_use is not None:
            place = self.places.exprs[range_.result]
            index = self.builder.insert(self.places.index(place)).result
            index.name_hint = range_.result.name_hint
            range_.result.replace_all_uses_with(index)
