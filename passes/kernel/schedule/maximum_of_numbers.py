"""Leave NaN out of a maximum where it arrives at all results by way of a sum.

    m = max x[k]                          m = maxnum x[k]
    s = sum exp(x[j] - m)          -->    s = sum exp(x[j] - m)
    y = log(s) + m                        y = log(s) + m

A processor's maximum of two gives the second one if either is NaN or both are zeros: a maximum of
numbers, of zeros with any sign, is that instruction, where one that hands NaN on takes four. If any
x is NaN, so is its difference to whatever the maximum is, its exponential and the sum. If none is,
the two maxima differ where both 0 and -0 are the greatest, and there in the sign alone.

Legal where

- whatever depends on the maximum arrives at ops alone that also take in one of the sums, or what is
  NaN where that is. They are NaN before and after if any x is;
- nothing that these are the first to take in tells 0 from -0: the sign is lost in an exponential or
  a comparison, or what has it is added to the logarithm of a sum, which is log 2 at least if there
  are two zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, before, find_range, put_in_place
from teenyir.passes.kernel.schedule.running_terms import Running, find_running, unless_zero
from teenyir.rewriting.base import fail

_STRICT = (
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp),
    *(arith.ExtFOp, math.LogOp),
)
"""What is NaN where an operand is."""

_WITHOUT_SIGN = (math.ExpOp, math.Exp2Op, math.AbsFOp, arith.CmpfOp)
"""What gives the same of 0 and -0."""

_WITH_SIGN = (arith.AddfOp, arith.SubfOp, arith.NegfOp, arith.ExtFOp, arith.SelectOp)
"""What gives values that differ in the sign of a zero alone, if operands do."""

_LANEWISE = (arith.MulfOp, arith.DivfOp, arith.AndIOp, arith.OrIOp)
"""What else may be done to what depends on the maximum."""


@dataclass(frozen=True, kw_only=True)
class MaximumOfNumbers(Primitive):
    """Leave NaN out of a maximum where it arrives at all results by way of a sum."""

    name = "maximum-of-numbers"

    range: str
    """The range of the maximum."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        range_ = find_range(func, self.range)
        nest = kernel.Nest(func)
        running = next((each for each in find_running(nest) if each.range is range_), None)
        if running is None:
            raise fail(range_, "no sum of exponentials is relative to a maximum over it")
        _Reach(running, nest).follow(running.maximum.result, signed=True)
        old = running.maximum
        new = kernel.ReduceOp("maxnum", old.value, old.over)
        put_in_place(before(old), old, new)


@dataclass
class _Reach:
    """Where a maximum arrives."""

    running: Running
    nest: kernel.Nest
    seen: set[tuple[SSAValue, bool]] = field(default_factory=set[tuple[SSAValue, bool]])

    def __post_init__(self) -> None:
        sums = self.running.sums
        self.spoilt = _spoilt(each.reduction.result for each in sums)
        self.plain = {s.reduction.result for s in sums if not s.steps and not s.columns}

    def follow(self, value: SSAValue, *, signed: bool) -> None:
        """Raises PassError where a value of which NaN is missing arrives at a result, or one that
        may have the other sign if it is a zero, as `signed` says, where that would be seen."""
        if (value, signed) in self.seen:
            return
        self.seen.add((value, signed))
        for op in dict.fromkeys(use.operation for use in value.uses):
            if any(result in self.spoilt for result in op.results):
                if signed and not self._is_beside_logarithm(op):
                    raise fail(op, "takes in the maximum, and the sign that it has if it is a zero")
            elif isinstance(op, kernel.StageOp) and self._is_within(op):
                for use in op.result.uses:
                    if not isinstance(use.operation, kernel.LoadOp):
                        raise fail(use.operation, "takes in what depends on the maximum")
                    self.follow(use.operation.result, signed=signed)
            elif isinstance(op, _WITHOUT_SIGN):
                self.follow(op.results[0], signed=False)
            elif isinstance(op, _WITH_SIGN) or (isinstance(op, _LANEWISE) and not signed):
                self.follow(op.results[0], signed=signed)
            else:
                raise fail(op, "takes in what depends on the maximum, and no sum relative to it")

    def _is_beside_logarithm(self, op: Operation) -> bool:
        return isinstance(op, arith.AddfOp | arith.SubfOp) and any(
            isinstance(operand.owner, math.LogOp) and operand.owner.operand in self.plain
            for operand in op.operands
        )

    def _is_within(self, stage: kernel.StageOp) -> bool:
        """Whether what is staged is read where the maximum is the same."""
        around = self.nest.dependences[self.running.maximum.result]
        return around.isdisjoint(kernel.closed_by(stage))


def _spoilt(sums: Iterable[SSAValue]) -> set[SSAValue]:
    """What is NaN where a sum is."""
    found = set(sums)
    waiting = list(found)
    while waiting:
        for use in waiting.pop().uses:
            op = use.operation
            strict = isinstance(op, _STRICT) or (
                isinstance(op, arith.SelectOp) and unless_zero(op.result) in found
            )
            if strict and op.results[0] not in found:
                found.add(op.results[0])
                waiting.append(op.results[0])
    return found
