"""Maxima and minima of floats, as comparisons.

    arith.maximumf %x, 0.0   -->   %c = fcmp ugt %x, 0.0
                                   select %c, %x, 0.0

    arith.maxnumf %x, %n     -->   %c = fcmp ogt %x, %n       %n is never NaN
                                   select %c, %x, %n

    arith.minimumf %x, %y    -->   (%x < %y ? %x : %y) | (%y < %x ? %y : %x)

Hardware's maximum gives its second operand where one is NaN or both are zeros; to put that right
takes LLVM four instructions more, all for the units that have the maximum. With a number there is
less to see to: what is unordered is `x`, and where it compares as equal the number is the result,
which is right but for zeros of the wrong sign: a maximum with -0.0 and a minimum with 0.0 stay as
they are.

A minimum is the bits of both orders: they are the same number, or the two zeros, of which one has
a sign if any has, or NaN and a number, which is NaN with whatever bits. A maximum is the negative
of the minimum of the negatives, and takes in as it is what another one is the negative of. Those
that a loop combines, one after the other, stay as they are: LLVM makes vectors of a reduction that
it has a word for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, scf, vector
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.constants import number_on_lanes
from teenyir.dialects.lanes import like
from teenyir.lowering.uop_to_llvm.arithmetic import ARITHMETIC
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Result, Rule
from teenyir.lowering.uop_to_llvm.types import fast_math, width
from teenyir.lowering.uop_to_llvm.vectors import VECTORS

_OF_NUMBERS = stock.FastMathAttr([FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS])

Extremum: TypeAlias = arith.MaximumfOp | arith.MinimumfOp


def _extremum(
    build: Callable[..., Operation], predicate: str, sign: float, *, both_orders: bool
) -> Callable[[Emitter, Extremum], SSAValue]:
    """The rule of an op that gives `x` where this holds of it and a number; of zeros it has to be
    the one of this sign. What else there is the machine's op gets, or comparisons in both orders.
    """

    def rule(emitter: Emitter, op: Extremum) -> SSAValue:
        is_plain = not op.fastmath.data
        for x, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            number = number_on_lanes(other)
            if number is None:
                continue
            is_plain = False
            if math.isnan(number) or (number == 0 and math.copysign(1.0, number) != sign):
                continue
            left, right = emitter.of(x), emitter.of(other)
            flag = stock.FCmpPredicateFlag(predicate)
            chosen = emitter.value(llvm.FCmpOp(left, right, flag, stock.FastMathAttr(None)))
            return emitter.select(chosen, left, right)
        left, right = emitter.all(op.operands)
        if both_orders and is_plain and not _is_carried(emitter, op):
            return _of_both_orders(emitter, left, right, is_maximum=sign > 0)
        return emitter.value(build(left, right, fast_math=fast_math(op.fastmath)))

    return rule


def _of_both_orders(
    emitter: Emitter, left: SSAValue, right: SSAValue, *, is_maximum: bool
) -> SSAValue:
    if not is_maximum:
        return _either(emitter, *_ordered(emitter, "olt", left, right))
    if any(isinstance(each.owner, stock.FNegOp) for each in (left, right)):
        pair = _ordered(emitter, "olt", _negated(emitter, left), _negated(emitter, right))
    else:  # LLVM takes negations out of the comparisons, and finds no minimum then
        p, q = _ordered(emitter, "ogt", left, right)
        pair = _negated(emitter, p), _negated(emitter, q)
    return _negated(emitter, _either(emitter, *pair))


def _ordered(
    emitter: Emitter, predicate: str, left: SSAValue, right: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """The one of two floats for which this holds, the second one if it holds of neither, and so in
    the other order."""
    flag = stock.FCmpPredicateFlag(predicate)
    pairs = (left, right), (right, left)
    first = [emitter.value(llvm.FCmpOp(*pair, flag, stock.FastMathAttr(None))) for pair in pairs]
    p, q = (emitter.select(each, *pair) for each, pair in zip(first, pairs, strict=True))
    return p, q


def _either(emitter: Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    """The bits that either of two floats has."""
    bits = like(left.type, IntegerType(width(left.type)))
    p, q = (emitter.value(stock.BitcastOp(each, bits)) for each in (left, right))
    return emitter.value(stock.BitcastOp(emitter.value(stock.OrOp(p, q)), left.type))


def _negated(emitter: Emitter, value: SSAValue) -> SSAValue:
    if isinstance(value.owner, stock.FNegOp):
        return value.owner.arg
    return emitter.value(stock.FNegOp(value))


def _is_carried(emitter: Emitter, op: Extremum) -> bool:
    """Whether an extremum is a step of those that a loop carries from iteration to iteration."""
    if op not in emitter.carried:
        waiting, together, found = [op], {op}, False
        while waiting:
            each = waiting.pop()
            near = [operand.owner for operand in each.operands]
            near += [use.operation for use in each.result.uses]
            for other in near:
                if isinstance(other, Block | scf.YieldOp):
                    found = True
                elif isinstance(other, type(op)) and other not in together:
                    together.add(other)
                    waiting.append(other)
        emitter.carried |= dict.fromkeys(together, found)
    return emitter.carried[op]


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


def _rules(*, both_orders: bool) -> dict[type[Operation], Rule]:
    return {
        arith.MaximumfOp: _extremum(llvm.MaximumOp, "ugt", 1.0, both_orders=both_orders),
        arith.MinimumfOp: _extremum(llvm.MinimumOp, "ult", -1.0, both_orders=both_orders),
        arith.MaxnumfOp: _of_numbers("ogt"),
        arith.MinnumfOp: _of_numbers("olt"),
        vector.ReductionOp: _of_lanes,
    }


EXTREMA = _rules(both_orders=False)
"""The rules of a CPU: a GPU has instructions for both ops."""

COMPARED = _rules(both_orders=True)
"""Those of a CPU that has no instruction for a maximum of which either may be NaN."""
