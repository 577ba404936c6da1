"""Tell what is known of exponentials relative to a maximum, as softmax has them, and of their sums.

    m = max x[k]                          m = max x[k]
    s = sum exp(x[k] - m)        -->      s = sum exp(x[k] - m) {math.nonpositive};  r = 1 / s
    y[j] = exp(x[j] - m) / s              y[j] = exp(x[j] - m) {math.nonpositive} * r

No x is more than m, so that these are 1 at most, which takes fewer instructions to compute than
exponentials of all numbers. The sum is 1 at least, since m is one of the x, and its reciprocal a
normal number: a product with it is within 1.5 ulp of the quotient. If m is no finite number, sum
and quotients are NaN, or 0 and what they are by 0, both before and after. What is a reciprocal of
the sum already stays it.

With `infinite` those are marked too, as `{math.nonpositive_if_finite}`, that are relative to
another number where m is +inf or NaN, if nothing but their sum is asked for: that is +inf or NaN
then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import kernel
from teenyir.dialects.constants import constant, number_of
from teenyir.dialects.lanewise import NONPOSITIVE, NONPOSITIVE_IF_FINITE
from teenyir.passes.kernel.choose.places import replace
from teenyir.passes.kernel.schedule.running_terms import (
    Running,
    find_running,
    is_maximum_or_finite,
    unless_zero,
)
from teenyir.passes.kernel.schedule.same_values import SameValues
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class BoundedPowers(Pass):
    """Mark exponentials that are 1 at most, and multiply with the reciprocals of their sums."""

    name = "bounded-powers"
    anchor: ClassVar[str | None] = "kernel.func"

    infinite: bool = False
    """Whether to mark what is summed where a maximum may be infinite, and another number is taken
    for it: some of these exponentials are more than 1 then, and the sum is no finite number."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        if not any(isinstance(each, math.ExpOp | math.Exp2Op) for each in op.body.block.ops):
            session.preserve_all()
            return
        nest = kernel.Nest(op)
        for running in list(find_running(nest)):
            for power, mark in list(self._powers(nest, running)):
                power.attributes[mark] = UnitAttr()
                session.count("exponentials")
            for each in running.sums:
                if each.reduction.result.type == f32 and not each.steps:
                    session.count("quotients", _multiply(each.reduction))

    def _powers(self, nest: kernel.Nest, running: Running) -> Iterator[tuple[Operation, str]]:
        """The exponentials relative to a maximum, those that no sum is of too, and their marks."""
        m, x = running.maximum.result, running.maximum.value
        for op in nest.ops:
            if not isinstance(op, math.ExpOp | math.Exp2Op) or op.result.type != f32:
                continue
            difference = op.operand.owner
            if not isinstance(difference, arith.SubfOp):
                continue
            if (mark := self._mark(op, difference.rhs, m)) is None:
                continue
            ranges = nest.dependences[difference.lhs]
            alike = [each for each in ranges if each.extent == running.range.extent]
            pairs = ([(each, running.range)] for each in alike)
            if any(SameValues(nest, pair).same(difference.lhs, x) for pair in pairs):
                yield op, mark

    def _mark(self, power: Operation, subtracted: SSAValue, m: SSAValue) -> str | None:
        """What is known of an exponential, if what is subtracted is a maximum."""
        if is_maximum_or_finite(subtracted, m):
            return NONPOSITIVE
        if self.infinite and is_maximum_or_finite(subtracted, m, ("|m|",)):
            return NONPOSITIVE_IF_FINITE if _is_only_summed(power.results[0]) else None
        return None


def _is_only_summed(value: SSAValue) -> bool:
    users = [use.operation for use in value.uses]
    return all(isinstance(op, kernel.ReduceOp) and op.kind.data == "add" for op in users)


def _multiply(reduction: kernel.ReduceOp) -> int:
    """Multiply with the reciprocal of a sum instead of dividing by it, or by what is 1 where that
    is 0; how often that is."""
    users = dict.fromkeys(use.operation for use in reduction.result.uses)
    instead = [op.result for op in users if isinstance(op, arith.SelectOp)]
    guarded = [value for value in instead if unless_zero(value) is reduction.result]
    return sum(map(_multiply_by_reciprocal, [reduction.result, *guarded]))


def _multiply_by_reciprocal(divisor: SSAValue) -> int:
    quotients = [
        op
        for op in dict.fromkeys(use.operation for use in divisor.uses)
        if isinstance(op, arith.DivfOp)
        and op.rhs is divisor
        and op.lhs is not divisor
        and number_of(op.lhs) != 1  # a reciprocal already
    ]
    if not quotients:
        return 0
    assert isinstance(divisor.owner, Operation)
    builder = LocatedBuilder(InsertPoint.after(divisor.owner)).at(*quotients)
    one = builder.insert(constant(1.0, divisor.type)).result
    reciprocal = builder.insert(arith.DivfOp(one, divisor)).result
    for op in quotients:
        builder = LocatedBuilder(InsertPoint.before(op), op.location)
        replace(op, builder.insert(arith.MulfOp(op.lhs, reciprocal)))
    return len(quotients)
