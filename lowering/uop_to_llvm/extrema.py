"""Maxima and minima of a float and a number, as a comparison.

    arith.maximumf %x, 0.0   -->   %c = fcmp ugt %x, 0.0
                                   select %c, %x, 0.0

    arith.maxnumf %x, %n     -->   %c = fcmp ogt %x, %n       %n is never NaN
                                   select %c, %x, %n

Hardware's maximum gives its second operand where one is NaN or both are zeros; to put that right
takes LLVM five instructions more. With a number there is less to see to: what is unordered is `x`,
and where it compares as equal the number is the result, which is right but for zeros of the wrong
sign: a maximum with -0.0 and a minimum with 0.0 stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, scf, vector
from xdsl.dialects import llvm as stock
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.constants import number_on_lanes
from teenyir.lowering.uop_to_llvm.arithmetic import ARITHMETIC
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Result, Rule
from teenyir.lowering.uop_to_llvm.types import fast_math
from teenyir.lowering.uop_to_llvm.vectors import VECTORS

_OF_NUMBERS = stock.FastMathAttr([FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS])

Extremum: TypeAlias = arith.MaximumfOp | arith.MinimumfOp


def _extremum(
    build: Callable[..., Operation], predicate: str, sign: float
) -> Callable[[Emitter, Extremum], SSAValue]:
    """The rule of an op that gives `x` where this holds of it and a number; of zeros it has to be
    the one of this sign. What else there is the machine's op gets."""

    def rule(emitter: Emitter, op: Extremum) -> SSAValue:
        for x, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            number = number_on_lanes(other)
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


def _of_numbers(predicate: str) -> Rule:
    """The rule of an op that gives `x` where this holds of it and what is never NaN."""

    def rule(emitter: Emitter, op: arith.MaxnumfOp | arith.MinnumfOp) -> Result:
        for x, number in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if _is_number(number, frozenset()):
                left, right = emitter.of(x), emitter.of(number)
                flag = stock.FCmpPredicateFlag(predicate)
                chosen = emitter.value(llvm.FCmpOp(left, right, flag, stock.FastMathAttr(None)))
                return emitter.select(chosen, left, right)
        return ARITHMETIC[op.__class__](emitter, op)

    return rule


_LANES: dict[CombiningKindFlag, type[llvm.VectorReduceFMaxOp | llvm.VectorReduceFMinOp]] = {
    CombiningKindFlag.MAXNUMF: llvm.VectorReduceFMaxOp,
    CombiningKindFlag.MINNUMF: llvm.VectorReduceFMinOp,
}


def _of_lanes(emitter: Emitter, op: vector.ReductionOp) -> Result:
    kind = _LANES.get(op.kind.data)
    if kind is None or not _is_number(op.vector, frozenset()):
        return VECTORS[vector.ReductionOp](emitter, op)
    reduce = kind(emitter.of(op.vector))
    reduce.properties["fastmathFlags"] = _OF_NUMBERS
    return emitter.value(reduce)


def _is_number(value: SSAValue, taken: frozenset[SSAValue]) -> bool:
    """Whether a value is never NaN, if those are not that are taken to be numbers."""
    if value in taken:
        return True
    if (number := number_on_lanes(value)) is not None:
        return not math.isnan(number)
    match value.owner:
        case arith.MaxnumfOp() | arith.MinnumfOp() as op:
            return any(_is_number(operand, taken) for operand in op.operands)
        case scf.ForOp() as loop if isinstance(value, OpResult):
            return _is_number(loop.body.block.args[value.index + 1], taken)
        case Block() as block if isinstance(loop := block.parent_op(), scf.ForOp):
            assert isinstance(value, BlockArgument) and isinstance(block.last_op, scf.YieldOp)
            carried = value.index - 1
            return (
                carried >= 0
                and _is_number(loop.iter_args[carried], taken)
                and _is_number(block.last_op.arguments[carried], taken | {value})
            )
        case _:
            return False


EXTREMA: dict[type[Operation], Rule] = {
    arith.MaximumfOp: _extremum(llvm.MaximumOp, "ugt", 1.0),
    arith.MinimumfOp: _extremum(llvm.MinimumOp, "ult", -1.0),
    arith.MaxnumfOp: _of_numbers("ogt"),
    arith.MinnumfOp: _of_numbers("olt"),
    vector.ReductionOp: _of_lanes,
}
"""The rules of a CPU: a GPU has instructions for both ops."""
