"""Maxima and minima of a float and a number, as a comparison.

    arith.maximumf %x, 0.0   -->   %c = fcmp ugt %x, 0.0
                                   select %c, %x, 0.0

Hardware's maximum gives its second operand where one is NaN or both are zeros; to put that right
takes LLVM five instructions more. With a number there is less to see to: what is unordered is `x`,
and where it compares as equal the number is the result, which is right but for zeros of the wrong
sign: a maximum with -0.0 and a minimum with 0.0 stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects import llvm as stock
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.constants import number_of
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.types import fast_math

Extremum: TypeAlias = arith.MaximumfOp | arith.MinimumfOp


def _extremum(
    build: Callable[..., Operation], predicate: str, sign: float
) -> Callable[[Emitter, Extremum], SSAValue]:
    """The rule of an op that gives `x` where this holds of it and a number; of zeros it has to be
    the one of this sign. What else there is the machine's op gets."""

    def rule(emitter: Emitter, op: Extremum) -> SSAValue:
        for x, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            number = _number(other)
            if number is None or math.isnan(number):
                continue
            if number == 0 and math.copysign(1.0, number) != sign:
                continue
            left, right = emitter.of(x), emitter.of(other)
            flag = stock.FCmpPredicateFlag(predicate)
            chosen = emitter.value(llvm.FCmpOp(left, right, flag, stock.FastMathAttr(None)))
            return emitter.select(chosen, left, right)
        return emitter.value(build(*emitter.all(op.operands), fast_math=fast_math(op.fastmath)))

    return rule


def _number(value: SSAValue) -> float | None:
    """The constant that a value is, on every lane; None if it is none."""
    op = value.owner
    return number_of(op.source if isinstance(op, vector.BroadcastOp) else value)


EXTREMA: dict[type[Operation], Rule] = {
    arith.MaximumfOp: _extremum(llvm.MaximumOp, "ugt", 1.0),
    arith.MinimumfOp: _extremum(llvm.MinimumOp, "ult", -1.0),
}
"""The rules of a CPU: a GPU has instructions for both ops."""
