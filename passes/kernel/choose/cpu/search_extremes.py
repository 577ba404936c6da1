"""Find where the first of the greatest numbers is: the block that has it first, and where in that.

    for j:                                    for blocks:
      if x[j] > m: m, at = x[j], j     -->      for j in a block: n = max(n, x[j])
                                                if n > m: m, start = n, that of the block
                                              at = the greatest i32
                                              for j in the block: at = min(at, j if x[j] == m)
                                              at += start

An iteration of the fold waits for the one before, and what it carries belongs together. Maximum and
minimum can be formed in any order, so in vectors, and several at once. The number of a block wins
by the fold's own rule, and only the block that won last is read again.

Rows of floats along memory are searched lane by lane: each lane has a number of its own that wins
and the block that has it first, and what the lanes found is put together behind the row. In a long
row that is done in each block, which takes little of one: so threads can share the blocks
(`share-reductions`).

The last block of a row that is no multiple begins where it is whole. What it has of the one before
is no greater than what won by then, so that it wins by what is new to it. A row of few blocks, or
of any length, is one block.

Legal for a fold that carries a number and its place from the identity and 0 on, takes the place of
a number where that is greater (less, without sign; for floats: or the first NaN), and whose number
nobody uses: of zeros with either sign it would be the first. The extent lies between 1 and the
greatest i32. Done for what is loaded, and for rows that fill a few vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, f32, f64, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant, number_of
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO, Expr, ExprLike
from teenyir.dialects.lanewise import CmpFOp, CmpIOp
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.products import moves_by_one
from teenyir.passes.kernel.schedule.primitive import before, erase_unused
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.targets import cpu

FEWEST = 32
"""Numbers in a row from which on it is worth a second pass."""

BLOCK_COST = 32
"""What closing a block takes, in numbers that are searched."""

LANE_COST = 3
"""The same in vectors that are searched, where lanes are put together behind a row."""

SIDE = 2
"""Pairs of vectors side by side: they wait for each other."""

LONG = 1 << 16
"""Numbers in a row from which on lanes are put together in each block."""

FEWEST_BLOCKS = 4
"""Blocks in a row from which on it is worth having them."""

FARTHEST = (1 << 31) - 1
"""The greatest place, and that of no number."""

_FLOATS = {"ogt": "max", "olt": "min"}
_INTEGERS = {"sgt": "max", "slt": "min", "ugt": "umax", "ult": "umin"}
"""The kind of reduction that gives the number that wins by a comparison."""


@dataclass(frozen=True)
class SearchExtremes(Pass):
    """Find the first of the greatest or least numbers, block by block."""

    name = "search-extremes"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        bits = self.vector_bits or cpu.host().vector_bits
        found = [
            _match(fold, op, bits) for fold in op.body.block.ops if isinstance(fold, kernel.FoldOp)
        ]
        searches = [search for search in found if search is not None]
        for search in searches:
            if search.most < FEWEST:
                session.remark(
                    "missed", search.fold, f"{search.most} numbers are too few to search"
                )
                continue
            why = attempt(search.rewrite, op)
            if why is not None:
                session.remark("missed", search.fold, f"its place is not searched: {why}")
                return  # the other folds are ops that are no more
            blocks = f" in blocks of {search.block}" if search.block else ""
            text = f"finds the {search.kind} of {search.most}{blocks}, then its place"
            session.remark("passed", search.fold, text)
            session.count("folds")


@dataclass(frozen=True)
class Search:
    """A fold that keeps a number and its place."""

    fold: kernel.FoldOp
    load: kernel.LoadOp
    place: arith.IndexCastOp
    range_: kernel.RangeOp
    kind: str
    fewest: int
    most: int
    """The numbers that it goes through, at least and at most."""
    lanes: int
    """Numbers in a vector; 0 where LLVM is to make them."""

    @property
    def is_by_lane(self) -> bool:
        """Whether each lane of a row is searched by itself."""
        return bool(self.lanes) and self.fewest < LONG

    @property
    def block(self) -> int:
        """Numbers in a block, so that blocks take as long as the search in one does; 0 if there are
        too few of them."""
        cost = self.lanes * LANE_COST if self.is_by_lane else BLOCK_COST
        size = 1 << ((self.fewest * cost).bit_length() - 1) // 2
        if self.lanes:
            size = min(size, 1 << (self.fewest // FEWEST_BLOCKS).bit_length() - 1)
        enough = size * FEWEST_BLOCKS <= self.fewest and size >= self.lanes * 2 * SIDE
        return size if enough else 0

    def rewrite(self) -> None:
        fold, load = self.fold, self.load
        build = before(fold)
        over = self.range_
        if self.block:
            best, start, over = self._best_block(build)
        else:
            best = build.insert(kernel.ReduceOp(self.kind, load.result, [over.result])).result
            start = None
        again = build.insert(over.clone())
        again.result.name_hint = self.range_.result.name_hint
        if start is None:
            value = build.insert(load.clone({over.result: again.result})).result
        else:
            value = self._load(build, start, "_1", again)
        number = build.insert(arith.IndexCastOp(again.result, i32)).result
        first = self._first(build, value, best, number, again)
        type = cast("IntegerType", fold.results[1].type)
        if start is not None:
            begin = build.insert(arith.IndexCastOp(start, i32)).result
            first = build.insert(arith.AddiOp(begin, first)).result
        if type != i32:
            first = build.insert(arith.ExtSIOp(first, type)).result
        first.name_hint = fold.results[1].name_hint
        fold.results[1].replace_all_uses_with(first)
        erase_unused([fold, self.place, load, self.range_])

    def _best_block(self, build: LocatedBuilder) -> tuple[SSAValue, SSAValue, kernel.RangeOp]:
        """The number that wins, the index at which the first block that has it begins, and a range
        over a block. The last block begins early enough to be whole."""
        fold, extent, size = self.fold, self.range_.extent, self.block
        name = self.range_.result.name_hint
        blocks = self._range(build, extent.ceildiv(size), f"{name}b")
        whole = Expr.of("_0") * size
        divides = extent.constant is not None and extent.constant % size == 0
        begin = whole if divides else Expr.minimum(whole, extent - size)
        start = build.insert(kernel.IndexOp(begin, [blocks.result])).result
        lane = None
        if self.lanes:
            lane = self._range(build, self.lanes, f"{name}v", "vector")
            most = self._greatest_of_lanes(build, start, lane)
            if not self.is_by_lane:
                most, lane = self._greatest_across(build, most, lane), None
        else:
            inside = self._range(build, size, f"{name}q")
            most = build.insert(
                kernel.ReduceOp(self.kind, self._load(build, start, "_1", inside), [inside.result])
            ).result
        where = build.insert(arith.IndexCastOp(start, i32)).result
        nowhere = build.insert(constant(0, i32)).result
        first = [fold.initial[0], nowhere]
        new = kernel.FoldOp([most, where], first, [blocks.result], _on_i32(fold.body))
        best, at = build.insert(new).results
        if lane is not None:
            most = self._greatest_across(build, best, lane)
            at = self._first(build, best, most, at, lane)
            best = most
        at = build.insert(arith.IndexCastOp(at, IndexType())).result
        return best, at, kernel.RangeOp(0, size)

    def _first(
        self,
        build: LocatedBuilder,
        value: SSAValue,
        best: SSAValue,
        place: SSAValue,
        over: kernel.RangeOp,
    ) -> SSAValue:
        """The first place of those whose number won."""
        if isinstance(value.type, AnyFloat):
            # where the maximum is NaN, no number equals it, and the first NaN is wanted
            same = build.insert(arith.CmpfOp(value, best, "oeq")).result
            is_nan = build.insert(arith.CmpfOp(value, value, "une")).result
            hit = build.insert(arith.OrIOp(same, is_nan)).result
        else:
            hit = build.insert(arith.CmpiOp(value, best, "eq")).result
        nowhere = build.insert(constant(FARTHEST, i32)).result
        at = build.insert(arith.SelectOp(hit, place, nowhere)).result
        return build.insert(kernel.ReduceOp("min", at, [over.result])).result

    def _greatest_of_lanes(
        self, build: LocatedBuilder, start: SSAValue, lane: kernel.RangeOp
    ) -> SSAValue:
        """The number that wins in each lane of a block, in vectors side by side: that of the
        numbers, and NaN where one of them is none. Of which sign a zero is does not matter to who
        wins."""
        name, step = self.range_.result.name_hint, 2 * self.lanes
        outer = self._range(build, self.block // (SIDE * step), f"{name}o")
        side = self._range(build, SIDE, f"{name}u", "unroll")
        place = Expr.of("_1") * (SIDE * step) + Expr.of("_2") * step + "_3"
        ranges = (outer, side, lane)
        one, other = (
            self._load(build, start, place + behind, *ranges) for behind in (0, self.lanes)
        )
        nans = self._is_nan(build, one, other)
        return self._greatest(build, [one, other], nans, outer, side)

    def _greatest_across(
        self, build: LocatedBuilder, value: SSAValue, lane: kernel.RangeOp
    ) -> SSAValue:
        """The number that wins of all lanes, and NaN where one of them is none."""
        # (what is no number is left out first: of numbers the greatest takes less to find)
        number = build.insert(self._pair(value, self.fold.initial[0])).result
        return self._greatest(build, [number], self._is_nan(build, value, value), lane)

    def _pair(self, one: SSAValue, other: SSAValue) -> arith.MaxnumfOp | arith.MinnumfOp:
        """The number that wins of two."""
        return (arith.MaxnumfOp if self.kind == "max" else arith.MinnumfOp)(one, other)

    def _is_nan(self, build: LocatedBuilder, one: SSAValue, other: SSAValue) -> SSAValue:
        """Not 0 where one of two floats is NaN."""
        is_nan = build.insert(arith.CmpfOp(one, other, "uno")).result
        no, yes = (build.insert(constant(number, i32)).result for number in (0, -1))
        return build.insert(arith.SelectOp(is_nan, yes, no)).result

    def _greatest(
        self,
        build: LocatedBuilder,
        values: Sequence[SSAValue],
        nans: SSAValue,
        *over: kernel.RangeOp,
    ) -> SSAValue:
        """The number that wins of all values, or NaN where `nans` says that there is."""
        for each in over:
            kind, ranges = f"{self.kind}num", [each.result]
            values = [build.insert(kernel.ReduceOp(kind, v, ranges)).result for v in values]
            nans = build.insert(kernel.ReduceOp("or", nans, ranges)).result
        most, *others = values
        for other in others:
            most = build.insert(self._pair(most, other)).result
        no = build.insert(constant(0, i32)).result
        some = build.insert(arith.CmpiOp(nans, no, "ne")).result
        nan = build.insert(constant(math.nan, most.type)).result
        return build.insert(arith.SelectOp(some, nan, most)).result

    def _range(
        self, build: LocatedBuilder, extent: ExprLike, name: str, kind: kernel.CpuKind = "loop"
    ) -> kernel.RangeOp:
        range_ = build.insert(kernel.RangeOp(0, extent, kind=kind))
        range_.result.name_hint = name
        return range_

    def _load(
        self, build: LocatedBuilder, start: SSAValue, place: ExprLike, *ranges: kernel.RangeOp
    ) -> SSAValue:
        """What is loaded so far behind the start of a block."""
        values = [start, *(each.result for each in ranges)]
        index = build.insert(kernel.IndexOp(Expr.of("_0") + place, values)).result
        return build.insert(self.load.clone({self.range_.result: index})).result


def _on_i32(body: Region) -> Region:
    """The body of a fold, with places of i32."""
    new = body.clone()
    _, at, _, index = new.block.args
    end = new.block.last_op
    assert isinstance(end, kernel.YieldOp)
    for value in (at, index, end.operands[1]):
        Rewriter.replace_value_with_new_type(value, i32)
    return new


def _match(fold: kernel.FoldOp, func: kernel.FuncOp, vector_bits: int) -> Search | None:
    if len(fold.inputs) != 2 or len(fold.over) != 1 or fold.results[0].first_use is not None:
        return None
    (over,) = fold.over
    load, place = (value.owner for value in fold.inputs)
    range_ = over.owner
    if not isinstance(range_, kernel.RangeOp) or range_.how != "loop" or range_.values:
        return None
    if not isinstance(place, arith.IndexCastOp) or place.input is not over:
        return None
    if not isinstance(load, kernel.LoadOp) or load.gate is not None or over not in load.values:
        return None
    kind = _kind(fold)
    facts = kernel_indices(func).facts
    fewest, most = facts.interval(range_.extent)
    if kind is None or range_.lower.data != ZERO or not fewest or fewest < 1 or most is None:
        return None
    type = fold.results[1].type
    if most > FARTHEST or not isinstance(type, IntegerType) or type.bitwidth < 32:
        return None
    identity = kernel.COMBINERS[kind].identity(load.result.type)
    start, at = fold.initial
    if number_of(start) != identity or number_of(at) != 0:
        return None
    lanes = 0
    if load.result.type in (f32, f64) and moves_by_one(load, range_):
        lanes = vector_bits // 8 // SCALAR_BYTES[load.result.type]
    return Search(fold, load, place, range_, kind, fewest, most, lanes)


def _kind(fold: kernel.FoldOp) -> str | None:
    """Which number a fold keeps the place of: `if value wins: most, at = value, index`."""
    most, at, value, index = fold.body.block.args
    end = fold.body.block.last_op
    assert isinstance(end, kernel.YieldOp)
    chosen, where = (operand.owner for operand in end.operands)
    if not isinstance(chosen, arith.SelectOp) or not isinstance(where, arith.SelectOp):
        return None
    if (chosen.lhs, chosen.rhs, where.lhs, where.rhs) != (value, most, index, at):
        return None
    if chosen.cond is not where.cond:
        return None
    wins = chosen.cond.owner
    if isinstance(wins, arith.CmpiOp) and (wins.lhs, wins.rhs) == (value, most):
        return _INTEGERS.get(_predicate(wins))
    if not isinstance(wins, arith.OrIOp):
        return None
    better, first_nan = wins.lhs.owner, wins.rhs.owner
    if not isinstance(better, arith.CmpfOp) or not isinstance(first_nan, arith.AndIOp):
        return None
    tests = (better, first_nan.lhs.owner, first_nan.rhs.owner)
    if any(not isinstance(test, arith.CmpfOp) for test in tests):
        return None
    compared = [(t.lhs, t.rhs, _predicate(t)) for t in cast("tuple[arith.CmpfOp, ...]", tests)]
    if compared[1:] != [(value, value, "une"), (most, most, "oeq")]:
        return None
    return _FLOATS.get(compared[0][2]) if compared[0][:2] == (value, most) else None


def _predicate(op: arith.CmpiOp | arith.CmpfOp) -> str:
    names = CmpIOp.PREDICATES if isinstance(op, arith.CmpiOp) else CmpFOp.PREDICATES
    return names[op.predicate.value.data]
