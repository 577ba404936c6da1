"""Loops of their own for the iterations at an edge, where a gate holds or does not.

    for %k = 0 to 58 {                       for %k = 0 to 1  { uop.store 0.0, %y[%k] }
      %g = %k - 1 <u 56                      for %k = 1 to 57 {
      %v = uop.load %x[%k - 1] if %g           %v = uop.load %x[%k - 1]
           else 0.0                  -->       uop.store %v, %y[%k]
      uop.store %v, %y[%k]                   }
    }                                        for %k = 57 to 58 { uop.store 0.0, %y[%k] }

Of an image with its padding nearly all is image, in whole vectors. With a gate LLVM makes vectors
with masks, at best, or asks for each element. And of a row in vectors all but the last one are
whole, and need no mask:

    for %k = 0 to 3 {                        for %k = 0 to 2 { %v = uop.load %x[8 * %k], .. }
      %g = 8 * %k + (0..7) < 20       -->    for %k = 2 to 3 {
      %v = uop.load %x[8 * %k] if %g           %v = uop.load %x[8 * %k] if 8 * %k + (0..7) < 20
    }                                        }

Done for innermost loops of known bounds whose gates compare with a number what is a number, on each
lane, more than a multiple of the iteration, if that makes few loops of them: the result of each
comparison is the same in all iterations of one. They run in their order, and each goes on with what
the one before carries, so that what they store does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add, mul
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import uop
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.constants import constant, integer_of
from teenyir.dialects.inside import of_kind
from teenyir.dialects.lanes import element, lanes
from teenyir.dialects.lanewise import CmpIOp, SelectOp
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.rewriting.surgery import erase, replace_uses

MOST_LOOPS = 3
"""Loops that one becomes: an edge on both sides."""

MOST_OPS = 64
"""Ops of a loop that may be there several times."""

FEWEST = 8
"""Iterations that are worth a loop without gates: fewer make no vector, if they are none yet."""

INDEX_BITS = 64


@dataclass(frozen=True)
class SplitAtGates(Pass):
    """Give iterations at an edge loops of their own."""

    name = "split-at-gates"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        loops = [loop for loop in of_kind(op, scf.ForOp) if _may_be_split(loop)]
        done = [loop for loop in loops if _split(loop)]
        if not done:
            session.preserve_all()
            return
        session.count("loops", len(done))


def _may_be_split(loop: scf.ForOp) -> bool:
    ops = list(loop.body.block.ops)
    return len(ops) <= MOST_OPS and not any(op.regions for op in ops) and _bounds(loop) is not None


def _bounds(loop: scf.ForOp) -> tuple[int, int] | None:
    """The first iteration of a loop and the one behind the last; None if they are not known."""
    lower, upper, step = (integer_of(each) for each in (loop.lb, loop.ub, loop.step))
    return (lower, upper) if lower is not None and upper is not None and step == 1 else None


Numbers: TypeAlias = tuple[int, ...]
"""Of each lane; one of a scalar."""


@dataclass(frozen=True)
class Comparison:
    """Whether numbers more than a multiple of the iteration compare with numbers, lane by lane."""

    op: arith.CmpiOp | CmpIOp
    predicate: str
    times: int
    more: Numbers
    numbers: Numbers

    def holds(self, iteration: int) -> tuple[bool, ...]:
        """On which lanes it does in an iteration."""
        on = (self.times * iteration + more for more in self.more)
        return tuple(map(self._holds, on, self.numbers))

    def _holds(self, lhs: int, rhs: int) -> bool:
        if self.predicate.startswith("u"):
            lhs, rhs = lhs % (1 << INDEX_BITS), rhs % (1 << INDEX_BITS)
        match self.predicate[-2:]:
            case "lt":
                return lhs < rhs
            case "le":
                return lhs <= rhs
            case "gt":
                return lhs > rhs
            case "ge":
                return lhs >= rhs
            case "eq":
                return lhs == rhs
            case _:
                return lhs != rhs

    @property
    def places(self) -> Iterator[int]:
        """The iterations that may be the first of which it holds, or does not, on a lane: where
        what is compared is 0 or more, the number or more, or above it."""
        for more, number in zip(self.more, self.numbers, strict=True):
            for least in (0, number, number + 1):
                yield -((more - least) // self.times)


Linear: TypeAlias = tuple[int, Numbers]
"""An index that is so many iterations, and on each lane a number more."""


def _linear(loop: scf.ForOp) -> dict[SSAValue, Linear]:
    """The indices in a loop that are a multiple of the iteration and numbers."""
    found: dict[SSAValue, Linear] = {loop.body.block.args[0]: (1, (0,))}
    for op in loop.body.block.ops:
        if isinstance(op, arith.AddiOp | arith.MuliOp | vector.BroadcastOp):
            operands = [found.get(value) or _numbers(value) for value in op.operands]
            if None not in operands and (value := _computed(op, cast("list[Linear]", operands))):
                found[op.results[0]] = value
    return found


def _numbers(value: SSAValue) -> Linear | None:
    """Numbers that are the same in each iteration."""
    match op := value.owner:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return 0, (number.data,)
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as numbers):
            return 0, tuple(map(int, cast("Sequence[int]", numbers.get_values())))
        case vector.BroadcastOp() if (number := integer_of(op.source)) is not None:
            return 0, (number,) * (lanes(value.type) or 1)
        case _:
            return None


def _computed(
    op: arith.AddiOp | arith.MuliOp | vector.BroadcastOp, operands: Sequence[Linear]
) -> Linear | None:
    if isinstance(op, vector.BroadcastOp):
        ((times, more),) = operands
        return times, more * (lanes(op.vector.type) or 1)
    (a, more), (b, other) = operands
    if isinstance(op, arith.AddiOp):
        return a + b, tuple(map(add, more, other))
    if b or len({*other}) > 1:
        (a, more), (b, other) = (b, other), (a, more)
    if b or len({*other}) > 1:
        return None
    return a * other[0], tuple(map(mul, more, other))


def _comparison(value: SSAValue, known: Mapping[SSAValue, Linear]) -> Comparison | None:
    op = value.owner
    if not isinstance(op, arith.CmpiOp | CmpIOp) or element(op.lhs.type) != IndexType():
        return None
    lhs, rhs = (known.get(each) or _numbers(each) for each in (op.lhs, op.rhs))
    if lhs is None or rhs is None or lhs[0] <= 0 or rhs[0]:
        return None
    predicate = CmpIOp.PREDICATES[op.predicate.value.data]
    return Comparison(op, predicate, lhs[0], lhs[1], rhs[1])


def _comparisons(loop: scf.ForOp) -> Iterator[Comparison]:
    known = _linear(loop)
    gates = [_condition(op) for op in loop.body.block.ops]
    for part in dict.fromkeys(part for gate in gates for part in conjuncts(gate)):
        if (found := _comparison(part, known)) is not None:
            yield found


def _condition(op: Operation) -> SSAValue | None:
    """The gate of an access, or what a selection depends on."""
    if isinstance(op, uop.LoadOp | uop.StoreOp):
        return op.gate
    return op.cond if isinstance(op, arith.SelectOp | SelectOp) else None


def _split(loop: scf.ForOp) -> bool:
    """Make several of a loop; False where that is not worth it."""
    comparisons, bounds = [*_comparisons(loop)], _bounds(loop)
    assert bounds is not None
    lower, upper = bounds
    places = sorted({p for each in comparisons for p in each.places if lower < p < upper})
    starts = [p for p in places if any(c.holds(p - 1) != c.holds(p) for c in comparisons)]
    ends = [lower, *starts, upper]
    pieces = list(pairwise(ends))
    in_vectors = any(len(each.more) > 1 for each in comparisons)
    fewest = 1 if in_vectors else FEWEST
    if not 1 < len(pieces) <= MOST_LOOPS or max(b - a for a, b in pieces) < fewest:
        return False
    carried: Sequence[SSAValue] = loop.iter_args
    for first, end in pieces:
        carried = _piece(loop, first, end, comparisons, carried)
    for result, last in zip(loop.results, carried, strict=True):
        replace_uses(result, last)
    loop.detach()
    loop.erase()
    return True


def _piece(
    loop: scf.ForOp,
    first: int,
    end: int,
    comparisons: Sequence[Comparison],
    carried: Sequence[SSAValue],
) -> Sequence[SSAValue]:
    """Put a loop of some iterations, in which comparisons are what they are there, before one that
    goes on with what is carried; what it carries in the end."""
    build = LocatedBuilder(InsertPoint.before(loop), loop.location)
    lower, upper = (build.insert(constant(each, IndexType())).result for each in (first, end))
    lower.name_hint, upper.name_hint = f"c{first}", f"c{end}"
    copies: dict[SSAValue, SSAValue] = {}
    new = build.insert(loop.clone(copies))
    # (the body may compute with the old bounds)
    new.operands = [lower, upper, loop.step, *carried]
    holds = {
        copies[each.op.results[0]]: on[0]
        for each in comparisons
        if len({*(on := each.holds(first))}) == 1
    }
    for op in [*new.body.block.ops]:
        if isinstance(op, uop.LoadOp | uop.StoreOp) and op.gate is not None:
            _decide(op, holds)
        elif isinstance(op, arith.SelectOp | SelectOp):
            _choose(op, holds)
    return new.results


def _choose(op: arith.SelectOp | SelectOp, holds: Mapping[SSAValue, bool]) -> None:
    """Put what a selection gives in its place, if that is known."""
    known = [holds.get(each) for each in _parts(op.cond)]
    if False in known or all(known):
        replace_uses(op.result, op.rhs if False in known else op.lhs)
        erase(op)


def _decide(op: uop.LoadOp | uop.StoreOp, holds: Mapping[SSAValue, bool]) -> None:
    """Leave out of the gate of an access what is known to hold; an access where it does not."""
    parts = _parts(op.gate)
    left = [each for each in parts if each not in holds]
    build = LocatedBuilder(InsertPoint.before(op), op.location)
    if not all(holds.get(each, True) for each in parts):
        if isinstance(op, uop.StoreOp):
            erase(op)
        elif op.other is not None and op.other.type == op.result.type:
            replace_uses(op.result, op.other)
            erase(op)
        return
    if len(left) == len(parts):
        return
    gate: SSAValue | None = None
    for each in left:
        gate = each if gate is None else build.insert(arith.AndIOp(gate, each)).result
    if isinstance(op, uop.StoreOp):
        build.insert(uop.StoreOp(op.value, op.pointer, op.offset, gate, op.streaming))
    else:
        other = None if gate is None else op.other
        new = build.insert(uop.LoadOp(op.pointer, op.offset, op.result.type, gate, other))
        replace_uses(op.result, new.result)
    erase(op)


def _parts(condition: SSAValue | None) -> list[SSAValue]:
    """What a condition is the conjunction of."""
    return [each for each in conjuncts(condition) if not isinstance(each.owner, arith.AndIOp)]
