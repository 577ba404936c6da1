"""Find where the first of the greatest numbers is in two passes: which it is, and where.

    for j:                                    for j: m = max(m, x[j])
      if x[j] > m: m, at = x[j], j     -->    at = the greatest i32
                                              for j: at = min(at, j if x[j] == m)

An iteration of the fold waits for the one before, and what it carries belongs together. Maximum and
minimum can be formed in any order, so in vectors, and several at once. What is read again is in a
cache unless a row is larger than that.

Legal for a fold that carries a number and its place from the identity and 0 on, takes the place of
a number where that is greater (less, without sign; for floats: or the first NaN), and whose number
nobody uses: of zeros with either sign it would be the first. The extent lies between 1 and the
greatest i32. Done for what is loaded, and for rows that fill a few vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32
from xdsl.ir import Operation

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant, number_of
from teenyir.dialects.expr import ZERO
from teenyir.dialects.lanewise import CmpFOp, CmpIOp
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.schedule.primitive import before, erase_unused
from teenyir.rewriting.base import Pass, Session

FEWEST = 32
"""Numbers in a row from which on it is worth a second pass."""

FARTHEST = (1 << 31) - 1
"""The greatest place, and that of no number."""

_FLOATS = {"ogt": "max", "olt": "min"}
_INTEGERS = {"sgt": "max", "slt": "min", "ugt": "umax", "ult": "umin"}
"""The kind of reduction that gives the number that wins by a comparison."""


@dataclass(frozen=True)
class SearchExtremes(Pass):
    """Find the first of the greatest or least numbers in two passes."""

    name = "search-extremes"
    anchor: ClassVar[str | None] = "kernel.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = [_match(fold, op) for fold in op.body.block.ops if isinstance(fold, kernel.FoldOp)]
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
            session.remark(
                "passed", search.fold, f"finds the {search.kind} of {search.most}, then its place"
            )
            session.count("folds")


@dataclass(frozen=True)
class Search:
    """A fold that keeps a number and its place."""

    fold: kernel.FoldOp
    load: kernel.LoadOp
    place: arith.IndexCastOp
    range_: kernel.RangeOp
    kind: str
    most: int
    """The numbers that it goes through, at most."""

    def rewrite(self) -> None:
        fold, load = self.fold, self.load
        build = before(fold)
        best = build.insert(kernel.ReduceOp(self.kind, load.result, [self.range_.result])).result
        again = build.insert(self.range_.clone())
        again.result.name_hint = self.range_.result.name_hint
        value = build.insert(load.clone({self.range_.result: again.result})).result
        if isinstance(value.type, AnyFloat):
            # where the maximum is NaN, no number equals it, and the first NaN is wanted
            same = build.insert(arith.CmpfOp(value, best, "oeq")).result
            is_nan = build.insert(arith.CmpfOp(value, value, "une")).result
            hit = build.insert(arith.OrIOp(same, is_nan)).result
        else:
            hit = build.insert(arith.CmpiOp(value, best, "eq")).result
        place = build.insert(arith.IndexCastOp(again.result, i32)).result
        nowhere = build.insert(constant(FARTHEST, i32)).result
        at = build.insert(arith.SelectOp(hit, place, nowhere)).result
        first = build.insert(kernel.ReduceOp("min", at, [again.result])).result
        type = cast("IntegerType", fold.results[1].type)
        if type != i32:
            first = build.insert(arith.ExtSIOp(first, type)).result
        first.name_hint = fold.results[1].name_hint
        fold.results[1].replace_all_uses_with(first)
        erase_unused([fold, self.place])


def _match(fold: kernel.FoldOp, func: kernel.FuncOp) -> Search | None:
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
    return Search(fold, load, place, range_, kind, most)


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
