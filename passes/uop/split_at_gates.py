"""Loops of their own for the iterations at an edge, where a gate holds or does not.

    for %k = 0 to 58 {                       for %k = 0 to 1  { uop.store 0.0, %y[%k] }
      %g = %k - 1 <u 56                      for %k = 1 to 57 {
      %v = uop.load %x[%k - 1] if %g           %v = uop.load %x[%k - 1]
           else 0.0                  -->       uop.store %v, %y[%k]
      uop.store %v, %y[%k]                   }
    }                                        for %k = 57 to 58 { uop.store 0.0, %y[%k] }

Of an image with its padding nearly all is image, in whole vectors. With a gate LLVM makes vectors
with masks, at best, or asks for each element.

Done for innermost loops of known bounds whose gates compare what is a number more than the
iteration with a number, if that makes few loops of them: the result of each comparison is the same
in all iterations of one. They run in their order, so that what they store does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import uop
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.constants import constant, integer_of
from teenyir.dialects.inside import of_kind
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.rewriting.surgery import erase, replace_uses

MOST_LOOPS = 3
"""Loops that one becomes: an edge on both sides."""

MOST_OPS = 64
"""Ops of a loop that may be there several times."""

FEWEST = 8
"""Iterations that are worth a loop without gates: fewer make no vector."""

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
    return (
        not loop.iter_args
        and len(ops) <= MOST_OPS
        and not any(op.regions for op in ops)
        and _bounds(loop) is not None
    )


def _bounds(loop: scf.ForOp) -> tuple[int, int] | None:
    """The first iteration of a loop and the one behind the last; None if they are not known."""
    lower, upper, step = (integer_of(each) for each in (loop.lb, loop.ub, loop.step))
    return (lower, upper) if lower is not None and upper is not None and step == 1 else None


@dataclass(frozen=True)
class Comparison:
    """Whether a number more than the iteration compares with a number."""

    op: arith.CmpiOp
    more: int
    number: int

    def holds(self, iteration: int) -> bool:
        """Whether it does in an iteration."""
        predicate = arith.CMPI_COMPARISON_OPERATIONS[self.op.predicate.value.data]
        lhs, rhs = iteration + self.more, self.number
        if predicate.startswith("u"):
            lhs, rhs = lhs % (1 << INDEX_BITS), rhs % (1 << INDEX_BITS)
        match predicate[-2:]:
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
    def places(self) -> tuple[int, ...]:
        """The iterations that may be the first of which it holds, or does not."""
        return -self.more, self.number - self.more, self.number - self.more + 1


def _comparison(value: SSAValue, iteration: SSAValue) -> Comparison | None:
    op = value.owner
    if not isinstance(op, arith.CmpiOp) or not isinstance(op.lhs.type, IndexType):
        return None
    number, more, at = integer_of(op.rhs), 0, op.lhs
    if isinstance(at.owner, arith.AddiOp):
        pairs = (at.owner.lhs, at.owner.rhs), (at.owner.rhs, at.owner.lhs)
        at, more = next(
            ((a, known) for a, b in pairs if (known := integer_of(b)) is not None), (at, 0)
        )
    return Comparison(op, more, number) if at is iteration and number is not None else None


def _comparisons(loop: scf.ForOp) -> Iterator[Comparison]:
    iteration = loop.body.block.args[0]
    gates = [op.gate for op in loop.body.block.ops if isinstance(op, uop.LoadOp | uop.StoreOp)]
    for part in dict.fromkeys(part for gate in gates for part in conjuncts(gate)):
        if (found := _comparison(part, iteration)) is not None:
            yield found


def _split(loop: scf.ForOp) -> bool:
    """Make several of a loop; False where that is not worth it."""
    comparisons, bounds = [*_comparisons(loop)], _bounds(loop)
    assert bounds is not None
    lower, upper = bounds
    places = sorted({p for each in comparisons for p in each.places if lower < p < upper})
    starts = [p for p in places if any(c.holds(p - 1) != c.holds(p) for c in comparisons)]
    ends = [lower, *starts, upper]
    pieces = list(pairwise(ends))
    if not 1 < len(pieces) <= MOST_LOOPS or max(b - a for a, b in pieces) < FEWEST:
        return False
    for first, end in pieces:
        _piece(loop, first, end, comparisons)
    loop.detach()
    loop.erase()
    return True


def _piece(loop: scf.ForOp, first: int, end: int, comparisons: Sequence[Comparison]) -> None:
    """Put a loop of some iterations, in which comparisons are what they are there, before one."""
    build = LocatedBuilder(InsertPoint.before(loop), loop.location)
    lower, upper = (build.insert(constant(each, IndexType())).result for each in (first, end))
    lower.name_hint, upper.name_hint = f"c{first}", f"c{end}"
    copies: dict[SSAValue, SSAValue] = {}
    new = build.insert(loop.clone(copies))
    new.operands = [lower, upper, loop.step]  # (the body may compute with the old bounds)
    holds = {copies[each.op.result]: each.holds(first) for each in comparisons}
    for op in [*new.body.block.ops]:
        if isinstance(op, uop.LoadOp | uop.StoreOp) and op.gate is not None:
            _decide(op, holds)


def _decide(op: uop.LoadOp | uop.StoreOp, holds: Mapping[SSAValue, bool]) -> None:
    """Leave out of the gate of an access what is known to hold; an access where it does not."""
    parts = [each for each in conjuncts(op.gate) if not isinstance(each.owner, arith.AndIOp)]
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
