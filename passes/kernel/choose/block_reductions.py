"""Have the threads of a block share a long reduction, where there are few results.

    for i in 4                                    for i in 4 grid.x
      s[i] = sum(x[i, k] for k in 5000)   -->       for t in 128 thread.x
                                                      part[t] = sum(x[i, k * 128 + t] for k in 40)
                                                    s[i] = sum(part[t] for t in 128)

`part` is memory that the block shares; every thread adds it up, and the first one stores. Done
where results are too few to give each thread its own, reductions are long, and the kernel has no
other loops. What is beyond the end of a reduction is the identity of what combines.
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
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.blocks import require_block
from teenyir.passes.kernel.choose.places import (
    Places,
    flattened,
    gate_of,
    gated,
    replace,
    total,
)
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

FEW = 4096
"""Results from which on each has a thread of its own."""


@dataclass(frozen=True)
class BlockReductions(Pass):
    """Have the threads of a block share a long reduction, where there are few results."""

    name = "block-reductions"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 128
    """The threads of a block; a multiple of 32."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        require_block(op, self.threads)
        nest = kernel.Nest(op)
        facts = session.analysis(KERNEL_INDICES, op).facts
        reductions = [each for each in nest.ops if isinstance(each, kernel.ReduceOp)]
        if reductions and _is_shared_well(nest, facts, reductions, 2 * self.threads):
            for reduction in reductions:
                session.remark("passed", reduction, f"is shared by {self.threads} threads")
                session.count("reductions")
            Share(nest, facts, reductions, self.threads).run()


_OTHERS = (
    *(kernel.FoldOp, kernel.ScanOp, kernel.StageOp, kernel.SortOp),
    *(kernel.MmaOp, kernel.ScatterOp),
)


def _is_shared_well(
    nest: kernel.Nest, facts: Facts, reductions: Sequence[kernel.ReduceOp], long: int
) -> bool:
    ranges = [op for op in nest.ops if isinstance(op, kernel.RangeOp)]
    if any(range_.values or range_.how not in ("loop", "parallel") for range_ in ranges):
        return False
    if any(isinstance(op, _OTHERS) for op in nest.ops):
        return False
    around = nest.dependences[reductions[0].result]
    ends = [op for op in nest.ops if isinstance(op, kernel.StoreOp)]
    if any(nest.operand_dependences[op] != around for op in ends):
        return False
    if any(nest.dependences[op.result] != around for op in reductions):
        return False
    results = facts.interval(total(nest.in_text_order(around), facts))[1]
    if results is None or results >= FEW:
        return False
    closed = [nest.in_text_order(kernel.closed_by(op)) for op in reductions]
    if sum(map(len, closed)) + len(around) != len(ranges):
        return False  # two reductions share a loop
    return all((facts.interval(total(each, facts))[0] or 0) >= long for each in closed)


@dataclass
class Share:
    """Cuts the loops of reductions into threads, and what is left to each of them."""

    nest: kernel.Nest
    facts: Facts
    reductions: Sequence[kernel.ReduceOp]
    threads: int

    def run(self) -> None:
        ranges = [op for op in self.nest.ops if isinstance(op, kernel.RangeOp)]
        self.start = LocatedBuilder(InsertPoint.before(ranges[0]), ranges[0].location)
        around = self.nest.in_text_order(self.nest.dependences[self.reductions[0].result])
        self.ids: dict[str, SSAValue] = {}
        exprs: dict[SSAValue, Expr] = {}
        if around:
            self._open("block", kernel.RangeOp(0, total(around, self.facts), (), "grid.x"))
            exprs = flattened(around, Expr.of("block"), self.facts)
        sizes: list[Expr] = []
        for number, reduction in enumerate(self.reductions):
            closed = self.nest.in_text_order(kernel.closed_by(reduction))
            sizes.append(total(closed, self.facts))
            self._open(f"t{number}", kernel.RangeOp(0, self.threads, (), "thread.x"))
            self._open(f"k{number}", kernel.RangeOp(0, sizes[-1].ceildiv(self.threads)))
            exprs |= flattened(closed, self._at(number), self.facts)
        self.places = Places(exprs, self.ids)
        gates = [self._inside(number, size) for number, size in enumerate(sizes)]
        for op in self.nest.ops:
            self._rewrite(op, gates)
        for value, expr in exprs.items():
            if any(not isinstance(use.operation, kernel.ReduceOp) for use in value.uses):
                value.replace_all_uses_with(self.start.insert(self.places.index(expr)).result)
        for number, reduction in enumerate(self.reductions):
            self._share(number, reduction, gates[number])
        for range_ in ranges:
            range_.detach()
            range_.erase()

    def _open(self, name: str, range_: kernel.RangeOp) -> None:
        self.ids[name] = self.start.insert(range_).result
        self.ids[name].name_hint = name

    def _at(self, number: int) -> Expr:
        """Where a thread is in a reduction: neighbours have neighbouring elements."""
        return Expr.of(f"k{number}") * self.threads + f"t{number}"

    def _inside(self, number: int, size: Expr) -> SSAValue | None:
        if self.facts.divisor(size) % self.threads == 0:
            return None
        at = self.start.insert(self.places.index(self._at(number))).result
        end = self.start.insert(kernel.IndexOp(size)).result
        return self.start.insert(arith.CmpiOp(at, end, "slt")).result

    def _rewrite(self, op: Operation, gates: Sequence[SSAValue | None]) -> None:
        if not isinstance(op, kernel.IndexedOp) or isinstance(op, kernel.RangeOp):
            return
        gate = gate_of(op)
        for reduction, holds in zip(self.reductions, gates, strict=True):
            inside = self.nest.operand_dependences[op] & kernel.closed_by(reduction)
            if isinstance(op, kernel.LoadOp) and inside and holds is not None:
                gate = gated(op, gate, holds)
        if gate != gate_of(op) or any(value in self.places.exprs for value in op.index_values):
            builder = LocatedBuilder(InsertPoint.before(op), op.location)
            replace(op, builder.insert(self.places.rebuilt(op, gate)))

    def _share(self, number: int, reduction: kernel.ReduceOp, inside: SSAValue | None) -> None:
        builder = LocatedBuilder(InsertPoint.before(reduction), reduction.location)
        value, kind = reduction.value, reduction.kind.data
        if inside is not None:
            identity = reduction.combiner.identity(value.type)
            beyond = builder.insert(constant(identity, value.type)).result
            value = builder.insert(arith.SelectOp(inside, value, beyond)).result
        thread = self.ids[f"t{number}"]
        part = builder.insert(kernel.ReduceOp(kind, value, [self.ids[f"k{number}"]])).result
        buffer = kernel.BufferType([self.threads], value.type, "shared")
        names = [placeholder(0)]
        stage = builder.insert(kernel.StageOp(part, names, [thread], [thread], buffer))
        stage.result.name_hint = "part"
        every = builder.insert(kernel.RangeOp(0, self.threads)).result
        load = builder.insert(kernel.LoadOp(stage.result, names, [every])).result
        replace(reduction, builder.insert(kernel.ReduceOp(kind, load, [every])))
