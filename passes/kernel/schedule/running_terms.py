"""Which sums of a kernel depend on a maximum through a factor that can be pulled out of them.

With `m = max f(j)`, the terms of a sum are `exp(f(j) - m) * g(j)`, exp to base e or 2, where g is
made of factors and divisors. Such sums can be formed in pieces, each relative to an m of its own:

    exp(f(j) - m) = exp(f(j) - n) * exp(n - m)
    sum (a * t(j)) = a * sum t(j)          a, which does not depend on j: as a divisor too

By the second row, a factor that depends on results of other such sums, as in softmax's quotients,
is left out, and applied to the sum. Roundings in between (f32 to f16 and back) are passed by: they
round a multiple of what they rounded before, unless that is as small as the type goes. A sum is of
a type that has all numbers of the maximum's and of those factors': these are extended to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects import math as math_ops
from xdsl.dialects.builtin import bf16, f16, f32, f64
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.constants import number_of
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO
from teenyir.dialects.lanewise import CmpFOp
from teenyir.passes.kernel.schedule.same_values import SameValues

_FLOATS = (f16, bf16, f32, f64)
"""The types that have an infinity and that arithmetic is done in."""


_INSTEAD = {
    # m == -inf ? c : m
    ("m", "oeq", -math.inf): 0,
    # |m| == inf ? c : m
    ("|m|", "oeq", math.inf): 0,
    # |m| < inf ? m : c
    ("|m|", "olt", math.inf): 1,
}
"""Conditions on a maximum under which another number takes its place: where that stands."""


@dataclass(frozen=True)
class Step:
    """An op that makes a term of what is a term already."""

    op: arith.MulfOp | arith.DivfOp | arith.ExtFOp | arith.TruncFOp
    factor: SSAValue | None = None
    """What it multiplies with or divides by; None of a cast."""
    outside: bool = False
    """Whether the sum is multiplied or divided instead."""


@dataclass(frozen=True)
class Sum:
    """A sum whose terms are relative to a maximum."""

    reduction: kernel.ReduceOp
    range: kernel.RangeOp
    """The range that it closes."""
    power: math_ops.ExpOp | math_ops.Exp2Op
    """The exponential in its terms."""
    subtracted: SSAValue
    """The maximum, or that where it is finite, and some finite number elsewhere."""
    steps: tuple[Step, ...]
    """What makes a term of the exponential, in order."""
    columns: tuple[kernel.RangeOp, ...]
    """The ranges that its terms depend on and the maximum does not, in the order of the text."""


@dataclass
class Running:
    """A maximum over a range, and the sums that are relative to it."""

    maximum: kernel.ReduceOp
    range: kernel.RangeOp
    """The range that the maximum closes."""
    sums: list[Sum] = field(default_factory=list["Sum"])


def find_running(nest: kernel.Nest) -> Iterator[Running]:
    """The maxima of a kernel that sums over as many iterations are relative to."""
    for op in nest.ops:
        if isinstance(op, kernel.ReduceOp) and (found := running_of(op, nest)) is not None:
            yield found


def running_of(op: kernel.ReduceOp, nest: kernel.Nest) -> Running | None:
    """The sums that are relative to a maximum, if it is one over one range and there are any."""
    if op.kind.data != "max" or op.value.type not in _FLOATS or len(op.over) != 1:
        return None
    range_ = op.over[0].owner
    if not isinstance(range_, kernel.RangeOp) or not _is_plain(range_):
        return None
    matcher = _Matcher(nest, op, range_)
    found = Running(op, range_, list(matcher.sums()))
    return found if found.sums else None


def _is_plain(range_: kernel.RangeOp) -> bool:
    return range_.how == "loop" and range_.lower.data == ZERO and not range_.values


@dataclass
class _Terms:
    """What has been found in the terms of a sum."""

    power: math_ops.ExpOp | math_ops.Exp2Op
    subtracted: SSAValue
    steps: list[Step] = field(default_factory=list[Step])


class _Matcher:
    def __init__(self, nest: kernel.Nest, maximum: kernel.ReduceOp, range_: kernel.RangeOp):
        self.nest = nest
        self.maximum = maximum
        self.range_ = range_
        self.relative = _all_users(maximum.result)
        """What depends on the maximum."""

    def sums(self) -> Iterator[Sum]:
        around = self.nest.open_around(self.maximum)
        for op in self.nest.ops:
            if not isinstance(op, kernel.ReduceOp) or op not in self.relative:
                continue
            if op.kind.data != "add" or len(op.over) != 1:
                continue
            range_ = op.over[0].owner
            if not isinstance(range_, kernel.RangeOp) or not self._is_alike(range_):
                continue
            if (terms := self._terms(op.value, range_)) is not None:
                factors = [s.factor for s in terms.steps if s.factor and not s.outside]
                needed = frozenset[kernel.RangeOp]().union(
                    *(self.nest.dependences.get(factor, ()) for factor in factors)
                )
                outside = [s.factor for s in terms.steps if s.factor and s.outside]
                wide = all(_has_all_of(op.value, v) for v in (self.maximum.result, *outside))
                if not wide or not self._is_maximum(terms.subtracted, bool(factors)):
                    continue
                columns = tuple(self.nest.in_text_order(needed - around - {range_}))
                yield Sum(op, range_, terms.power, terms.subtracted, tuple(terms.steps), columns)

    def _is_alike(self, range_: kernel.RangeOp) -> bool:
        return _is_plain(range_) and range_.extent == self.range_.extent

    def _terms(self, value: SSAValue, range_: kernel.RangeOp) -> _Terms | None:
        """What makes a value the exponential of a difference to the maximum times factors."""
        match op := value.owner:
            case math_ops.ExpOp() | math_ops.Exp2Op():
                return self._power(op, range_)
            case arith.ExtFOp() | arith.TruncFOp():
                if (terms := self._terms(op.input, range_)) is not None:
                    terms.steps.append(Step(op))
                return terms
            case arith.MulfOp():
                return self._scaled(op, op.lhs, op.rhs, range_) or self._scaled(
                    op, op.rhs, op.lhs, range_
                )
            case arith.DivfOp():
                return self._scaled(op, op.lhs, op.rhs, range_)
            case _:
                return None

    def _scaled(
        self,
        op: arith.MulfOp | arith.DivfOp,
        inner: SSAValue,
        factor: SSAValue,
        range_: kernel.RangeOp,
    ) -> _Terms | None:
        """The terms of one operand, if the other is a factor or a divisor."""
        terms = self._terms(inner, range_) if inner.owner in self.relative else None
        if terms is not None:
            outside = factor.owner in self.relative
            if not outside or range_ not in self.nest.dependences.get(factor, ()):
                terms.steps.append(Step(op, factor, outside))
                return terms
        return None

    def _power(self, op: math_ops.ExpOp | math_ops.Exp2Op, range_: kernel.RangeOp) -> _Terms | None:
        difference = op.operand.owner
        if not isinstance(difference, arith.SubfOp):
            return None
        same = SameValues(self.nest, [(range_, self.range_)])
        if not same.same(difference.lhs, self.maximum.value):
            return None
        return _Terms(op, difference.rhs)

    def _is_maximum(self, value: SSAValue, factors: bool) -> bool:
        """Whether a value is the maximum, where that is finite; where it is -inf it may be some
        finite number, and, in sums without factors, where it is another that is not finite too."""
        return is_maximum_or_finite(value, self.maximum.result, ("m",) if factors else ("m", "|m|"))


def is_maximum_or_finite(value: SSAValue, m: SSAValue, of: Sequence[str] = ("m",)) -> bool:
    """Whether a value is `m`, or that where it is not -inf and some finite number elsewhere; with
    `|m|` in `of` that may be so where `m` is +inf or NaN too."""
    select = value.owner
    if value is m:
        return True
    if not isinstance(select, arith.SelectOp):
        return False
    compare = select.cond.owner
    if not isinstance(compare, arith.CmpfOp):
        return False
    what, compared = "m", compare.lhs
    if isinstance(compared.owner, math_ops.AbsFOp):
        what, compared = "|m|", compared.owner.operand
    predicate, bound = CmpFOp.PREDICATES[compare.predicate.value.data], number_of(compare.rhs)
    instead = None if bound is None else _INSTEAD.get((what, predicate, bound))
    if compared is not m or instead is None or what not in of:
        return False
    number = number_of(select.operands[1 + instead])
    return select.operands[2 - instead] is m and number is not None and math.isfinite(number)


def unless_zero(value: SSAValue) -> SSAValue:
    """What a value is where that is not 0, if it is 1 there; any other value itself."""
    select = value.owner
    if not isinstance(select, arith.SelectOp):
        return value
    compare, (_, yes, no) = select.cond.owner, select.operands
    is_zero = isinstance(compare, arith.CmpfOp) and (
        (compare.lhs, CmpFOp.PREDICATES[compare.predicate.value.data]) == (no, "oeq")
        and number_of(compare.rhs) == 0
    )
    return no if is_zero and number_of(yes) == 1 else value


def _has_all_of(value: SSAValue, other: SSAValue) -> bool:
    """Whether the type of a value has all the numbers that another's has."""
    return value.type == other.type or SCALAR_BYTES[value.type] > SCALAR_BYTES[other.type]


def _all_users(value: SSAValue) -> set[Operation]:
    """The ops that depend on a value."""
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        for use in waiting.pop().uses:
            if use.operation not in found:
                found.add(use.operation)
                waiting += use.operation.results
    return found
