"""Form long sums of f32 block by block, so that rounding errors do not pile up.

    %s = scf.for %k = 0 to %n              %s = scf.for %b = 0 to %n step 1024
         iter_args(%a = %s0) {                  iter_args(%t = %s0) {
      %v = ..                                 %p = scf.for %k = %b to min(%b + 1024, %n)
      %c = arith.addf %a, %v      -->              iter_args(%a = 0.0) {
      scf.yield %c                               %v = ..
    }                                            %c = arith.addf %a, %v
                                                 scf.yield %c
                                               }
                                               %u = arith.addf %t, %p
                                               scf.yield %u
                                             }

A sum of n numbers one by one is off by up to n units of rounding, a sum of blocks by up to 1024 and
the number of blocks: 2048 of a million. Sums over several axes, whose loops go on with each other's
sum, start anew in the inner one. It is for sums whose order is free, as `reassoc` says, in loops
that carry nothing else; those that are known to be short stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.bounds import bounds
from teenyir.dialects import uop
from teenyir.dialects.constants import integer_of
from teenyir.dialects.expr import Expr
from teenyir.dialects.inside import of_kind
from teenyir.dialects.lanes import element
from teenyir.passes.uop.numbers import constant
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

BLOCK = 1024
"""Numbers that are summed one by one; the square root of a million, of which so many are blocks."""

FEW = 32
"""Numbers that are not worth a sum of their own."""


@dataclass(frozen=True)
class SplitSums(Pass):
    """Form long sums of f32 block by block."""

    name = "split-sums"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, uop.FuncOp)
        trips = Trips(op)
        loops = [loop for loop in of_kind(op, scf.ForOp) if _sums(loop)]
        for loop in reversed(loops):  # from the inside out, so that an outer one sees what is left
            if _goes_on_in(loop) and trips.are_many(loop) and trips.inside(loop) >= FEW:
                _start_anew(loop)
                session.count("restarted")
        for loop in loops:
            most = trips.of(loop)
            if most is None or most > BLOCK:
                _split(loop)
                session.count("split")


class Trips:
    """How often loops of a function run at most, where that is known."""

    def __init__(self, func: uop.FuncOp) -> None:
        self.ranges = {dim.name: dim for dim in func.dims.data}
        self.extents: dict[SSAValue, Expr] = {
            value: Expr.of(name) for name, value in func.extents.items()
        }

    def of(self, loop: scf.ForOp) -> int | None:
        """The iterations of a loop, at most; None where that is not known."""
        lower, upper, step = (self._known(value) for value in (loop.lb, loop.ub, loop.step))
        if lower is None or upper is None or step != Expr.of(1):
            return None
        return bounds(upper - lower, self.ranges).high

    def inside(self, loop: scf.ForOp) -> int:
        """How many numbers a loop adds up, if by way of loops in it; BLOCK if that is not known."""
        trips, total = self.of(loop), 1
        for inner in loop.body.block.ops:
            if isinstance(inner, scf.ForOp) and _sums(inner) and _goes_on_in(inner):
                total = self.inside(inner)
        return BLOCK if trips is None else total * trips

    def are_many(self, loop: scf.ForOp) -> bool:
        """Whether a loop and those around it add up more than a block one by one."""
        total = self.inside(loop)
        while _goes_on_in(loop):
            loop = cast(scf.ForOp, loop.parent_op())
            trips = self.of(loop)
            if trips is None:
                return True
            total *= trips
        return total > BLOCK

    def _known(self, value: SSAValue) -> Expr | None:
        if (number := integer_of(value)) is not None:
            return Expr.of(number)
        return self.extents.get(value)


# --- what is a sum --------------------------------------------------------------------------------


def _sums(loop: scf.ForOp) -> list[arith.AddfOp]:
    """The additions that a loop carries, if it carries nothing else; otherwise none."""
    last = loop.body.block.last_op
    assert isinstance(last, scf.YieldOp)
    carried = zip(loop.body.block.args[1:], last.arguments, strict=True)
    adds = [_addition(before, after) for before, after in carried]
    return [] if None in adds else cast("list[arith.AddfOp]", adds)


def _addition(before: SSAValue, after: SSAValue) -> arith.AddfOp | None:
    """The addition that a value is carried through, here or in a loop further in."""
    if element(before.type) != f32 or not before.has_one_use() or not after.has_one_use():
        return None
    match op := after.owner:
        case arith.AddfOp():
            free = FastMathFlag.REASSOC in op.fastmath.data
            return op if free and before in op.operands else None
        case scf.ForOp() if isinstance(after, OpResult) and op.iter_args[after.index] is before:
            inner = op.body.block
            assert isinstance(inner.last_op, scf.YieldOp)
            return _addition(inner.args[after.index + 1], inner.last_op.arguments[after.index])
        case _:
            return None


def _goes_on_in(loop: scf.ForOp) -> bool:
    """Whether a loop goes on with the sums of the loop around it."""
    around = loop.parent_op()
    if not isinstance(around, scf.ForOp) or not _sums(around):
        return False
    return list(loop.iter_args) == list(around.body.block.args[1:])


# --- rewrites -------------------------------------------------------------------------------------


def _zeros(builder: LocatedBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [constant(builder, 0.0, value.type).value for value in values]


def _added(
    builder: LocatedBuilder,
    totals: Sequence[SSAValue],
    parts: Sequence[SSAValue],
    adds: Sequence[arith.AddfOp],
) -> list[SSAValue]:
    """Sums and parts of them added up, as freely as the numbers were."""
    return [
        builder.insert(arith.AddfOp(total, part, flags=add.fastmath)).result
        for total, part, add in zip(totals, parts, adds, strict=True)
    ]


def _start_anew(loop: scf.ForOp) -> None:
    """Let a loop add up by itself, and add that to the sums of the loop around it."""
    adds, totals = _sums(loop), list(loop.iter_args)
    before = LocatedBuilder(InsertPoint.before(loop), loop.location)
    loop.operands = [*loop.operands[:3], *_zeros(before, totals)]
    after = LocatedBuilder(InsertPoint.after(loop), loop.location)
    uses = [next(iter(result.uses)) for result in loop.results]  # a sum is used once
    for use, value in zip(uses, _added(after, totals, loop.results, adds), strict=True):
        use.operation.operands[use.index] = value


def _split(loop: scf.ForOp) -> None:
    """Cut a loop into blocks, each of which adds up by itself."""
    adds = _sums(loop)
    outside = LocatedBuilder(InsertPoint.before(loop), loop.location)
    size = outside.insert(arith.ConstantOp(IntegerAttr(BLOCK, uop.INDEX))).result
    zeros = _zeros(outside, loop.iter_args)
    body = Block(arg_types=[uop.INDEX, *(value.type for value in loop.iter_args)])
    body.args[0].name_hint = "block"
    blocks = outside.insert(scf.ForOp(loop.lb, loop.ub, size, loop.iter_args, body))
    inside = LocatedBuilder(InsertPoint.at_end(body), loop.location)
    start, *totals = body.args
    end = inside.insert(arith.AddiOp(start, size)).result
    end = inside.insert(arith.MinSIOp(end, loop.ub)).result
    inner = scf.ForOp(start, end, loop.step, zeros, loop.detach_region(loop.body))
    inside.insert(inner)
    inside.insert(scf.YieldOp(*_added(inside, totals, inner.results, adds)))
    for old, new in zip(loop.results, blocks.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    loop.detach()
    loop.erase()
