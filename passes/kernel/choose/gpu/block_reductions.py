"""Have threads share a row: what is reduced along it, and what is computed of each of its elements.

    for i in N                              for block in N grid.x, t in 32 thread.x
      m[i] = max(x[i, k] for k in 256)        for u in 2 unroll, e in 4 vector
      for j in 256                    -->       v = x[block, (u * 32 + t) * 4 + e]
        y[i, j] = x[i, j] / m[i]                m = all_reduce(max(v over u, e)) across t
                                                y[block, (u * 32 + t) * 4 + e] = v / m

A row is what the reductions of a kernel run along, and the loops beside them that run as far. Each
thread has some of its elements, neighbours next to each other, and moves 16 bytes of them at once
where they are known to be aligned. Where it has few, loads of one element become one, whose value
stays in registers; of longer rows, or of those whose length is not known, each loop is its own, and
loads again. What a kernel keeps for a row in local memory is computed again where it is used.

Done where neighbours along the row are neighbours in memory, or where rows are too few to give each
a thread of its own, and the kernel has no other loops. What is beyond the end of a row is the
identity of what combines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.gpu.blocks import require_block
from teenyir.passes.kernel.choose.gpu.copied import inside
from teenyir.passes.kernel.choose.gpu.panels import CHUNK
from teenyir.passes.kernel.choose.gpu.runs import run_of
from teenyir.passes.kernel.choose.gpu.unstage import unstage
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
from teenyir.targets.cuda import MOST_THREADS, WARP

FEW = 4096
"""Rows from which on each may have a thread of its own."""

SHORT = 32
"""Elements of a row below which one thread has it."""

EACH = 8
"""Elements of a row that a thread has, about."""

KEPT = 32
"""The most elements of a row that a thread has in registers."""

WARPS = 4
"""Rows of a block, where a row is a warp's."""


@dataclass(frozen=True)
class BlockReductions(Pass):
    """Have the threads of a warp or a block share a row that is reduced."""

    name = "block-reductions"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 0
    """The threads that share a row, a multiple of 32; by its length if it is 0."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        if self.threads:
            require_block(op, self.threads)
        nest, named = kernel.Nest(op), session.analysis(KERNEL_INDICES, op)
        reductions = [each for each in nest.ops if isinstance(each, kernel.ReduceOp)]
        if not reductions:
            return
        found = match(nest, named, reductions)
        if isinstance(found, str):
            session.remark("missed", reductions[0], f"is not shared by threads: {found}")
            return
        plan = plan_of(found, named.facts, self.threads)
        facts = named.facts

        def rewrite() -> None:
            for stage in [each for each in nest.ops if isinstance(each, kernel.StageOp)]:
                # (anew for each: one may have been computed of another)
                unstage(stage, kernel.Dependences(op))
            Share(op, kernel.Nest(op), facts, found, plan).run()

        if (why := attempt(rewrite, op)) is not None:
            session.remark("missed", op, f"is not shared by threads: {why}")
            return
        how = f", {plan.count} times {plan.width} elements each" if plan.is_kept else ""
        for reduction in reductions:
            session.remark("passed", reduction, f"is shared by {plan.threads} threads{how}")
            session.count("reductions")


# --- what is matched ------------------------------------------------------------------------------

_OTHERS = (
    *(kernel.FoldOp, kernel.ScanOp, kernel.SortOp),
    *(kernel.MmaOp, kernel.ScatterOp, kernel.AllReduceOp),
)

Ranges = Sequence[kernel.RangeOp]


@dataclass(frozen=True)
class Match:
    """The rows of a kernel."""

    rows: Ranges
    alongs: Sequence[Ranges]
    """Of each loop nest along a row its ranges."""
    length: Expr
    run: int
    """Elements that can be moved at once."""


def match(
    nest: kernel.Nest, named: KernelIndices, reductions: Sequence[kernel.ReduceOp]
) -> Match | str:
    """The rows of a kernel, or why it has none that are shared."""
    facts = named.facts
    ranges = [op for op in nest.ops if isinstance(op, kernel.RangeOp)]
    if any(range_.values or range_.how not in ("loop", "parallel") for range_ in ranges):
        return "there are loops of another kind"
    if others := [op for op in nest.ops if isinstance(op, _OTHERS)]:
        return f"there is a {others[0].name.removeprefix('kernel.')} besides it"
    around = nest.dependences[reductions[0].result]
    if any(nest.dependences[op.result] != around for op in reductions):
        return "another reduction stands in other loops"
    alongs = _alongs(nest, around, reductions)
    if isinstance(alongs, str):
        return alongs
    lengths = {facts.simplify(total(each, facts)) for each in alongs}
    if len(lengths) > 1:
        return "there are loops of other lengths besides it"
    (length,) = lengths
    low, high = facts.interval(length)
    if high is not None and high < SHORT:
        return f"a row of {high} elements is short"
    rows = nest.in_text_order(around)
    most = facts.interval(total(rows, facts))[1]
    run = _run(nest, named, alongs, length)
    if not run and (most is None or most >= FEW or (low or 0) < 8 * SHORT):
        return "neighbours along it are no neighbours in memory"
    return Match(rows, alongs, length, max(run, 1))


def _alongs(
    nest: kernel.Nest, around: frozenset[kernel.RangeOp], reductions: Sequence[kernel.ReduceOp]
) -> list[Ranges] | str:
    """The loop nests along a row, each once."""
    found: dict[frozenset[kernel.RangeOp], Ranges] = {}
    for op in nest.ops:
        inner: frozenset[kernel.RangeOp] = frozenset()
        if isinstance(op, kernel.ReduceOp | kernel.StageOp):
            inner = kernel.closed_by(op)
            if isinstance(op, kernel.StageOp) and (op.kind or nest.open_around(op) != around):
                return "there is a stage of its own besides it"
        elif isinstance(op, kernel.StoreOp):
            if not around <= nest.operand_dependences[op]:
                return "something is stored that is not of a row"
            inner = nest.operand_dependences[op] - around
        if inner:
            found[inner] = nest.in_text_order(inner)
    counted = [range_ for each in found for range_ in each]
    if len(set(counted)) != len(counted):
        return "two loops share a part"
    ranges = {op for op in nest.ops if isinstance(op, kernel.RangeOp)}
    return "there are other loops" if ranges - around - set(counted) else list(found.values())


def _run(nest: kernel.Nest, named: KernelIndices, alongs: Sequence[Ranges], length: Expr) -> int:
    """How many neighbours along the rows can be moved at once; 0 where some that are loaded for a
    reduction are no neighbours in memory."""
    found = 0
    for along in alongs:
        for op in nest.ops:
            if not isinstance(op, kernel.LoadOp | kernel.StoreOp):
                continue
            if op.target.space.data != "argument":
                continue
            if nest.operand_dependences[op].isdisjoint(along):
                continue
            run = run_of(op, [(along, "along", length)], named, "along")
            if not run:
                return 0
            element = SCALAR_BYTES[op.target.element]
            if op.gate is not None and not nest.dependences[op.gate].isdisjoint(along):
                run = 1
            found = math.gcd(found, run, CHUNK // element)
    return math.gcd(found, named.facts.divisor(length))


# --- the plan -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How many threads have a row, and what each of them has."""

    threads: int
    beside: int
    """Rows of a block."""
    width: int
    """Elements that are moved at once."""
    count: int
    """How often each thread moves some, where it is known."""

    @property
    def is_kept(self) -> bool:
        """Whether a thread has its elements in registers."""
        return self.count > 0


def plan_of(found: Match, facts: Facts, threads: int) -> Plan:
    """The plan for rows."""
    most = facts.interval(found.length)[1]
    if not threads:
        wanted = 2 * EACH * WARP if most is None else -(-most // EACH)
        threads = min(MOST_THREADS, max(WARP, 1 << max(0, wanted - 1).bit_length()))
    width = found.run
    if most is not None:
        while width > 1 and threads * width // 2 >= most:
            width //= 2
    count = 0 if most is None else -(-most // (threads * width))
    rows = facts.interval(total(found.rows, facts))[1]
    beside = WARPS if threads == WARP and (rows is None or rows >= WARPS) else 1
    return Plan(threads, beside, width, count if count * width <= KEPT else 0)


# --- the rewrite ----------------------------------------------------------------------------------


class Share:
    """Spreads the loops along rows over threads."""

    def __init__(
        self, func: kernel.FuncOp, nest: kernel.Nest, facts: Facts, found: Match, plan: Plan
    ):
        self.nest, self.facts, self.match, self.plan = nest, facts, found, plan
        self.ranges = [op for op in func.body.block.ops if isinstance(op, kernel.RangeOp)]
        self.start = LocatedBuilder(InsertPoint.before(self.ranges[0]), self.ranges[0].location)
        self.ids: dict[str, SSAValue] = {}
        self.gates: dict[frozenset[kernel.RangeOp], SSAValue | None] = {}

    def run(self) -> None:
        exprs, within = self._rows()
        self._columns()
        for number, along in enumerate(self.match.alongs):
            exprs |= flattened(along, self._at(number), self.facts)
        self.places = Places(exprs, self.ids)
        whole = self.plan.threads * self.plan.width
        for number, along in enumerate(self.match.alongs):
            first = self._at(number).substitute({"e": 0})
            self.gates[frozenset(along)] = self._inside(first, self.match.length, whole)
        for op in self.nest.ops:
            if op.parent is not None:
                self._rewrite(op, within)
        for value, expr in exprs.items():
            if any(map(_computes, value.uses)):
                place = self.start.insert(self.places.index(expr)).result
                value.replace_uses_with_if(place, _computes)
        for reduction in [op for op in self.nest.ops if isinstance(op, kernel.ReduceOp)]:
            self._share(reduction)
        for range_ in self.ranges:
            range_.detach()
            range_.erase()

    def _columns(self) -> None:
        """The ranges of a thread's elements: where it keeps them, those of all loops are one."""
        kept, plan = self.plan.is_kept, self.plan
        self._open("t", kernel.RangeOp(0, plan.threads, (), "thread.x"))
        times = Expr.of(plan.count)
        if not kept:
            times = self.match.length.ceildiv(plan.threads * plan.width)
        for number in range(1 if kept else len(self.match.alongs)):
            self._open(f"u{number}", kernel.RangeOp(0, times, (), "unroll" if kept else "loop"))
        if plan.width > 1:
            self._open("e", kernel.RangeOp(0, plan.width, (), "vector"))

    def _open(self, name: str, range_: kernel.RangeOp) -> None:
        self.ids[name] = self.start.insert(range_).result
        self.ids[name].name_hint = name

    def _rows(self) -> tuple[dict[SSAValue, Expr], SSAValue | None]:
        """The ranges of rows, and whether there is such a row."""
        rows, beside = self.match.rows, self.plan.beside
        if not rows:
            return {}, None
        count = total(rows, self.facts)
        at = Expr.of("block")
        if beside > 1:
            at = at * beside + "row"
        self._open("block", kernel.RangeOp(0, count.ceildiv(beside), (), "grid.x"))
        if beside > 1:
            self._open("row", kernel.RangeOp(0, beside, (), "thread.y"))
        exprs = flattened(rows, at, self.facts)
        self.places = Places(exprs, self.ids)
        return exprs, self._inside(at, count, beside)

    def _at(self, number: int) -> Expr:
        """Where a thread is in a row."""
        at = Expr.of(f"u{0 if self.plan.is_kept else number}") * self.plan.threads + "t"
        return at * self.plan.width + "e" if self.plan.width > 1 else at

    def _inside(self, at: Expr, size: Expr, whole: int) -> SSAValue | None:
        return inside(self.places, at, size, whole, self.facts, self.start)

    def _holds(self, op: Operation, within: SSAValue | None) -> list[SSAValue]:
        """The conditions under which an access happens."""
        ranges = self.nest.operand_dependences[op]
        found = [] if within is None or ranges.isdisjoint(self.match.rows) else [within]
        for along, gate in self.gates.items():
            if gate is not None and not ranges.isdisjoint(along):
                found.append(gate)
        return found

    def _rewrite(self, op: Operation, within: SSAValue | None) -> None:
        if not isinstance(op, kernel.IndexedOp) or isinstance(op, kernel.RangeOp):
            return
        gate = gate_of(op)
        if isinstance(op, kernel.LoadOp | kernel.StoreOp):
            for holds in self._holds(op, within):
                gate = gated(op, gate, holds)
        if gate != gate_of(op) or any(value in self.places.exprs for value in op.index_values):
            builder = LocatedBuilder(InsertPoint.before(op), op.location)
            replace(op, builder.insert(self.places.rebuilt(op, gate)))

    def _share(self, reduction: kernel.ReduceOp) -> None:
        builder = LocatedBuilder(InsertPoint.before(reduction), reduction.location)
        value, kind = reduction.value, reduction.kind.data
        closed = kernel.closed_by(reduction)
        number = 0
        if not self.plan.is_kept:
            number = [frozenset(each) for each in self.match.alongs].index(closed)
        if (gate := self.gates[closed]) is not None:
            identity = reduction.combiner.identity(value.type)
            beyond = builder.insert(constant(identity, value.type)).result
            value = builder.insert(arith.SelectOp(gate, value, beyond)).result
        over = [self.ids[f"u{number}"], *([self.ids["e"]] if "e" in self.ids else [])]
        part = builder.insert(kernel.ReduceOp(kind, value, over)).result
        replace(reduction, builder.insert(kernel.AllReduceOp(kind, part, self.ids["t"])))


def _computes(use: Use) -> bool:
    """Whether a use of a range counts with it, and does not only say that a loop is closed."""
    return not isinstance(use.operation, kernel.ReduceOp)
