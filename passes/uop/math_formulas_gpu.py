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
from xdsl.ir import Operation

from teenyir.dialects.lanewise import ApproximateOp
from teenyir.passes.uop import math_tables as table
from teenyir.passes.uop.math_formulas import BIAS, DIGITS, FORMULAS, Formula, tanh_by
from teenyir.passes.uop.numbers import Number

SHIFT = 1.5 * 2.0**DIGITS + BIAS
"""A sum with it is rounded to an integer, which its lowest bits are, biased as an exponent is."""


def approximate(function: str, x: Number) -> Number:
    return x.op(ApproximateOp(function, x.value))


def exp(x: Number) -> Number:
    # x log2(e) = n + r: 2^n is made of bits, 2^r is approximated; where n has no room r has the
    # rest, and the product is infinite, denormal or 0
    n = x.fused(table.LOG2_E, SHIFT)
    n = n.op(arith.MaxnumfOp(n.value, n.like(SHIFT - 126).value))
    n = n.op(arith.MinnumfOp(n.value, n.like(SHIFT + 127).value))
    r = x.fused(table.LOG2_E_LO, x.fused(table.LOG2_E, SHIFT - n))
    return approximate("exp2", r) * (n.bits() << DIGITS).from_bits()


def exp2(x: Number) -> Number:
    # a result that is denormal is a normal one, made smaller
    small = x.compare("olt", -126.0)
    power = approximate("exp2", small.select(x + float(DIGITS + 1), x))
    return small.select(power * 2.0 ** -(DIGITS + 1), power)


def tanh(x: Number) -> Number:
    return tanh_by(_tanh_of_large, x)


def _tanh_of_large(a: Number) -> Number:
    # 1 - 2 / (exp(2a) + 1), of which an error of the exponential that grows with a is a small part
    power = approximate("exp2", a * (2 * table.LOG2_E))
    return approximate("reciprocal", power + 1.0).fused(-2.0, 1.0)


def rsqrt(x: Number) -> Number:
    return approximate("rsqrt", x)


FORMULAS_GPU: dict[type[Operation], Formula] = {
    **FORMULAS,
    math.ExpOp: exp,
    math.Exp2Op: exp2,
    math.TanhOp: tanh,
    math.RsqrtOp: rsqrt,
}
"""The formula of each op."""
