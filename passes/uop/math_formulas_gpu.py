"""exp and its like by what a GPU's instructions approximate, in the place of polynomials.

`uop.approximate exp2` is within 2 ulp, for arguments of any size: with the argument in two parts,
so that x log2(e) is rounded once and not by its size, that is what an exponential costs. As
`math_formulas` has it, NaN gives NaN, infinities and zeros what C's Annex F says, and denormal
numbers are neither flushed nor lost. Logarithms stay polynomials: near 1, where the result is near
0, the instruction for them is right to an absolute error alone. How near the results come is stated
in `docs/cuda.md`, and tested.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from teenyir.dialects.lanes import element
from teenyir.dialects.lanewise import NONPOSITIVE, ApproximateOp, CastOp
from teenyir.passes.uop import math_tables as table
from teenyir.passes.uop.math_formulas import BIAS, DIGITS, FORMULAS, Formula, tanh_by
from teenyir.passes.uop.numbers import Number

LEAST, MOST = -126, 127
"""The exponents of normal numbers."""

SHIFT = 1.5 * 2.0**DIGITS + BIAS
"""A sum with it is rounded to an integer, which its lowest bits are, biased as an exponent is."""

LOG2_E_MORE = float.fromhex("0x1.71547ap+0")
"""More than log2(e) by so much that a product with it is, when it is rounded."""

LN2_REST = float.fromhex("-0x1.05c61p-29")
"""What `table.LN2` lacks of ln(2)."""


def approximate(function: str, x: Number) -> Number:
    return x.op(ApproximateOp(function, x.value))


def exp(x: Number) -> Number:
    # x log2(e) = n + r: 2^n is made of bits, 2^r is approximated; where n has no room r has the
    # rest, and the product is infinite, denormal or 0. That is where n, counted from the least
    # exponent on in the most that it can be, is not between 0 and 1
    room = float(MOST - LEAST)
    n = x.saturated_fma(table.LOG2_E / room, -LEAST / room).fused(room, SHIFT + LEAST)
    r = x.fused(table.LOG2_E_LO, x.fused(table.LOG2_E, SHIFT - n))
    return approximate("exp2", r) * (n.bits() << DIGITS).from_bits()


def exp_of_nonpositive(x: Number) -> Number:
    # exp(x) = 2^h exp(c) with h near x log2(e), and below it: c = x - h ln(2), 0 <= c < 2^-15, is
    # nearly 0, and exp(c) is 1 + c. Of -inf, c would be NaN and is 0
    h = x * LOG2_E_MORE
    power = approximate("gradual_exp2", h)
    c = h.fused(-table.LN2, x)
    return power.fused(h.saturated_fma(-LN2_REST, c), power)


def exp_to_16_bits(x: Number) -> Number:
    # the product is wrong by 2^-24 of itself, and so the result by 2^-17 of itself at most
    return approximate("gradual_exp2", x * table.LOG2_E)


def exp_of_weights(x: Number) -> Number:
    # the same; and denormal numbers are 0
    return approximate("exp2", x * table.LOG2_E)


def exp2_of_weights(x: Number) -> Number:
    return approximate("exp2", x)


def exp2(x: Number) -> Number:
    return approximate("gradual_exp2", x)


def tanh(x: Number) -> Number:
    return tanh_by(_tanh_of_large, x)


def _tanh_of_large(a: Number) -> Number:
    # 1 - 2 / (exp(2a) + 1), of which an error of the exponential that grows with a is a small part
    power = approximate("exp2", a * (2 * table.LOG2_E))
    return approximate("reciprocal", power + 1.0).fused(-2.0, 1.0)


def rsqrt(x: Number) -> Number:
    return approximate("rsqrt", x)


_FORMULAS: dict[type[Operation], Formula] = {
    **FORMULAS,
    math.ExpOp: exp,
    math.Exp2Op: exp2,
    math.TanhOp: tanh,
    math.RsqrtOp: rsqrt,
}
"""The formula of each op, for all numbers."""


def formula_of(op: Operation) -> Formula:
    """The formula of an op of f32: one for all numbers, or for what is known of its operand or its
    result."""
    match op:
        case math.ExpOp() if FastMathFlag.APPROX_FUNC in op.fastmath.data:
            return exp_of_weights
        case math.Exp2Op() if FastMathFlag.APPROX_FUNC in op.fastmath.data:
            return exp2_of_weights
        case math.ExpOp() if _is_rounded(op.result):
            return exp_to_16_bits
        case math.ExpOp() if NONPOSITIVE in op.attributes:
            return exp_of_nonpositive
        case _:
            return _FORMULAS[op.__class__]


def _is_rounded(value: SSAValue) -> bool:
    """Whether a value is rounded to f16 or bf16, wherever it is used."""
    return all(
        _is_truncation(use.operation)
        and isinstance(element(use.operation.results[0].type), Float16Type | BFloat16Type)
        for use in value.uses
    )


def _is_truncation(op: Operation) -> bool:
    is_cast = isinstance(op, CastOp) and op.kind.data == "truncf"
    return is_cast or isinstance(op, arith.TruncFOp)
