"""exp, log, sin and their like from + - * /, comparisons and the bits of floats.

All are in f32, for every number of the type (`math_formulas_f64` has those of f64): NaN gives NaN,
infinities and zeros what C's Annex F says, denormal numbers are neither flushed nor lost. How near
the result comes is stated in `docs/c.md`, and tested. `pow`, and `sin` and `cos` before they are in
the first quarter, compute in f64.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf, nan
from typing import Protocol, TypeAlias

from xdsl.dialects import math, scf, vector
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import InsertPoint

from teenyir.dialects.lanes import element, lanes
from teenyir.dialects.lanewise import LdexpOp
from teenyir.passes.uop import math_tables as table
from teenyir.passes.uop.numbers import Number
from teenyir.rewriting.locations import LocatedBuilder

Formula: TypeAlias = Callable[..., Number]

ROUNDING: dict[Attribute, tuple[float, int]] = {
    f32: (1.5 * 2.0**23, 0x4B400000),
    f64: (1.5 * 2.0**52, 0x4338000000000000),
}
"""A number whose last digit is 1, and its bits: a sum with it is rounded to an integer."""

DIGITS = 23
"""Digits of an f32 behind the point."""

BIAS = 127
"""What the exponent of an f32 is stored with."""

SMALLEST_NORMAL = 2.0**-126
SIGN = -(1 << 31)
"""The sign bit of an f32."""


def nearest(x: Number) -> tuple[Number, Number]:
    """The nearest integer, as a float and as an integer; right for |x| below 2^22."""
    shift, bits = ROUNDING[element(x.type)]
    moved = x + shift
    return moved - shift, moved.bits() - bits


def power_of_two(k: Number) -> Number:
    """2^k of an i32, -126 <= k <= 127."""
    return ((k + BIAS) << DIGITS).from_bits()


# --- exponentials ---------------------------------------------------------------------------------


def two_factors(x: Number) -> tuple[Number, Number, Number]:
    """n, the integer nearest to x, and two factors whose product is 2^n / `OF_TWO`.

    They are normal numbers, or infinite, where 2^n times a number near 1 is not 0 when it is
    rounded: from -150 on. Below, down to -152, one of them is 0, so that no processor takes a
    hundred cycles to find that a product is too small.
    """
    shift = ROUNDING[f32][0] + 152
    moved = x + shift
    bits = moved.bits()
    half = (bits >> 1) << DIGITS
    return moved - shift, half.from_bits(), ((bits << DIGITS) - half).from_bits()


OF_TWO = 2.0 ** (2 * BIAS - 152)
"""What two factors lack."""


def one_factor(x: Number) -> tuple[Number, Number]:
    """n, the integer nearest to x, and 2^n / `OF_ONE`, infinite for 104 and 0 for -151."""
    shift = ROUNDING[f32][0] + 151
    moved = x + shift
    return moved - shift, (moved.bits() << DIGITS).from_bits()


OF_ONE = 2.0 ** (BIAS - 151)
"""What one factor lacks."""


def ldexp(x: Number, k: Number) -> Number:
    """x * 2^k, where the power may be no f32 but the result is: rounded once."""
    return x.op(LdexpOp(x.value, k.value))


def exp(x: Number) -> Number:
    bounded = x.clamped(-105.0, 89.0)
    n, half, other = two_factors(bounded * table.LOG2_E)
    return _exp_of_rest(bounded, n, OF_TWO) * half * other


def exp_of_nonpositive(x: Number) -> Number:
    return _exp_by_one_factor(x.compare("olt", -104.7).select(-104.7, x))


def exp_of_nonpositive_if_finite(x: Number) -> Number:
    return _exp_by_one_factor(x.clamped(-104.7, 72.0))


def _exp_by_one_factor(bounded: Number) -> Number:
    n, power = one_factor(bounded * table.LOG2_E)
    return _exp_of_rest(bounded, n, OF_ONE) * power


def exp_by_instruction(x: Number) -> Number:
    bounded = x.clamped(-105.0, 89.0)
    n, k = nearest(bounded * table.LOG2_E)
    return ldexp(_exp_of_rest(bounded, n), k)


def _exp_of_rest(x: Number, n: Number, factor: float = 1.0) -> Number:
    """exp(r) times a power of two, of x = n ln(2) + r, |r| <= ln(2)/2."""
    r = (x - n * table.LN2_HI) - n * table.LN2_LO
    return r.polynomial([factor * c for c in (1.0, 1.0, *table.EXP)])


def one_plus_exp(x: Number) -> Number:
    # what is below 2^-25 makes no difference; from 89 on it is infinite
    bounded = x.clamped(-20.0, 89.0)
    n, power = half_power(bounded * table.LOG2_E)
    return _exp_of_rest(bounded, n, 2.0) * power + 1.0


def half_power(x: Number) -> tuple[Number, Number]:
    """n, the integer nearest to x, and 2^n / 2, -125 <= n <= 128."""
    shift = ROUNDING[f32][0] + (BIAS - 1)
    moved = x + shift
    return moved - shift, (moved.bits() << DIGITS).from_bits()


def exp2(x: Number) -> Number:
    bounded = x.clamped(-152.0, 129.0)
    n, half, other = two_factors(bounded)
    return _exp2_of_rest(bounded - n, OF_TWO) * half * other


def exp2_by_instruction(x: Number) -> Number:
    bounded = x.clamped(-152.0, 129.0)
    n, k = nearest(bounded)
    return ldexp(_exp2_of_rest(bounded - n), k)


def _exp2_of_rest(r: Number, factor: float = 1.0) -> Number:
    """2^r times a power of two, |r| <= 1/2."""
    return r.polynomial([factor * c for c in (1.0, *table.EXP2)])


def tanh(x: Number) -> Number:
    return tanh_by(_tanh_of_large, x)


def tanh_by(of_large: Formula, x: Number) -> Number:
    """`tanh` by a function that is it from 0.625 on."""
    # a + a^3 P(a^2) where it is small
    a = x.absolute()
    square = a * a
    small = a + a * square * square.polynomial(table.TANH)
    return a.compare("olt", 0.625).select(small, of_large(a)).signed_as(x)


def _tanh_of_large(a: Number) -> Number:
    # 1 - 2 / (exp(2a) + 1) with 2a = k ln(2) + 2r, |r| <= ln(2)/4
    bounded = a.compare("ogt", 10.0).select(10.0, a)
    n, k = nearest(bounded * (2 * table.LOG2_E))
    r = bounded - n * (table.LN2 / 2)
    return 1.0 - 2.0 / (r.polynomial((1.0, *table.EXP_OF_TWICE)) * power_of_two(k) + 1.0)


def one_plus_tanh(x: Number) -> Number:
    # 2 / (1 + exp(-2x)) with 2x = -n ln(2) + 2r, |r| <= ln(2)/4; from 20 on it is 2
    bounded = x.clamped(-44.5, 20.0)
    n, power = half_power(bounded * (-2 * table.LOG2_E))
    r = bounded + n * (table.LN2 / 2)
    twice = [2.0 * c * (-1) ** k for k, c in enumerate((1.0, *table.EXP_OF_TWICE))]
    return 2.0 / (r.polynomial(twice) * power + 1.0)


def one_minus_tanh(x: Number) -> Number:
    # 2 / (1 + exp(2x)) with 2x = n ln(2) + 2r
    bounded = x.clamped(-20.0, 44.5)
    n, power = half_power(bounded * (2 * table.LOG2_E))
    r = bounded - n * (table.LN2 / 2)
    twice = [2.0 * c for c in (1.0, *table.EXP_OF_TWICE)]
    return 2.0 / (r.polynomial(twice) * power + 1.0)


def erf(x: Number) -> Number:
    # 1 - exp(-(a + y)), where y = a P(a); from 3.925 on it is 1
    a = x.absolute()
    a = a.compare("ogt", 3.925).select(3.925, a)
    y = a * a.polynomial_by_pairs(table.ERFC, a * a)
    # a + y = k ln(2) + r, |r| <= ln(2)/2
    n, k = nearest((a + y) * table.LOG2_E)
    most = a - n * table.LN2
    r = most + y
    # 1 - exp(-r) is r - r^2 E(-r); most of r is added last, so that no digit of a small one is lost
    square = r * r
    rest = most + (y - square * (-r).polynomial_by_pairs(table.EXP, square))
    power = power_of_two(-k)
    return (power * rest + (1.0 - power)).signed_as(x)


# --- logarithms -----------------------------------------------------------------------------------


def _log_parts(x: Number) -> tuple[Number, Number, Number]:
    """`e`, `f` and `y` with log(x) = e ln(2) + (f + y), 1 + f in sqrt(1/2)..sqrt(2), |y| << |f|."""
    tiny = x.compare("olt", SMALLEST_NORMAL)
    bits = tiny.select(x * 2.0**DIGITS, x).bits()
    # the exponent, counted from where the rest is sqrt(1/2)
    k = (bits - 0x3F3504F3).halved(DIGITS)
    f = (bits - (k << DIGITS)).from_bits() - 1.0
    e = k.as_float(f32)
    e = tiny.select(e - float(DIGITS), e)
    square = f * f
    return e, f, f * square * f.polynomial(table.LOG) - square * 0.5


def log_domain(x: Number, result: Number) -> Number:
    """The logarithm where there is one; what it is at infinity, for NaN, at 0 and below."""
    result = x.compare("olt", inf).select(result, x)
    result = x.compare("oeq", 0.0).select(-inf, result)
    return x.compare("olt", 0.0).select(nan, result)


def log(x: Number) -> Number:
    e, f, y = _log_parts(x)
    return log_domain(x, ((e * table.LN2_LO + y) + f) + e * table.LN2_HI)


def log2(x: Number) -> Number:
    e, f, y = _log_parts(x)
    rest = y * table.LOG2_E_LESS_1 + f * table.LOG2_E_LESS_1
    return log_domain(x, ((rest + y) + f) + e)


# --- the circle -----------------------------------------------------------------------------------

LARGE_ANGLE = 2.0**DIGITS
"""From here on an angle is an integer, and is reduced in integers."""


def _quarter_of_large(a: Number) -> tuple[Number, Number]:
    """As `_quarter`, of LARGE_ANGLE <= a < inf: Payne and Hanek's reduction.

    a is m 2^s with an integer m of 24 digits. Of 2/pi, those digits that make whole turns are
    left out, and 96 of those that follow are multiplied by m: quarters are the two digits before
    the point, and 62 stand behind it.
    """
    bits = a.bits()
    m = ((bits & 0x7FFFFF) | 0x800000).widened(i64)
    s = (bits >> DIGITS) - (BIAS + DIGITS)
    word, shift = s >> 5, (s & 31).widened(i64)
    reached = [word.compare("uge", k) for k in (1, 2, 3)]

    def pick(first: int) -> Number:
        found = m.like(table.TWO_OVER_PI_WORDS[first])
        for k, condition in enumerate(reached, 1):
            found = condition.select(table.TWO_OVER_PI_WORDS[first + k], found)
        return found

    words = [pick(k) for k in range(4)]
    high, middle, low = ((((a << 32) | b) << shift) >> 32 for a, b in pairwise(words))
    product = ((m * high) << 32) + m * middle + ((m * low) >> 32)
    quarters = (product + (1 << 61)) >> 62
    rest = (product - (quarters << 62)).as_float(f64) * (table.QUARTER * 2.0**-62)
    return rest, quarters.narrowed(i32)


def _quarter_of_small(a: Number) -> tuple[Number, Number]:
    """As `_quarter`, of a < LARGE_ANGLE."""
    wide = a.extended_to(f64)
    n, k = nearest(wide * table.TWO_OVER_PI)
    return (wide - n * table.QUARTER_HI) - n * table.QUARTER_LO, k.narrowed(i32)


def _quarter(a: Number) -> tuple[Number, Number]:
    """`r` in f32 and `q` with a = q pi/2 + r, |r| <= pi/4; `a` is not negative."""
    small = _quarter_of_small(a)
    is_large = a.compare("oge", LARGE_ANGLE) & a.compare("olt", inf)
    r, q = either_by_branch(is_large, a, _quarter_of_large, small)
    return r.rounded_to(f32), q


def either_by_branch(
    is_large: Number,
    a: Number,
    large: Callable[[Number], tuple[Number, ...]],
    small: tuple[Number, ...],
) -> tuple[Number, ...]:
    """`large` of `a` where the condition holds, else `small`; what is large is computed only where
    the condition holds, for vectors on any lane."""
    condition = is_large
    if lanes(a.type) is not None:
        kind = CombiningKindAttr(CombiningKindFlag.OR)
        condition = is_large.op(vector.ReductionOp(is_large.value, kind))
    branch, other = Region(Block()), Region(Block())
    inside = LocatedBuilder(InsertPoint.at_end(branch.block), a.builder.location)
    found = large(Number(inside, a.value))
    mask = Number(inside, is_large.value)
    chosen = [mask.select(x, Number(inside, y.value)) for x, y in zip(found, small, strict=True)]
    branch.block.add_op(scf.YieldOp(*(number.value for number in chosen)))
    other.block.add_op(scf.YieldOp(*(number.value for number in small)))
    results = scf.IfOp(condition.value, [number.type for number in small], branch, other)
    a.builder.insert(results)
    return tuple(Number(a.builder, result) for result in results.results)


def _sine_of_quarter(r: Number, q: Number) -> Number:
    """sin(q pi/2 + r)."""
    square = r * r
    sine = r + r * square * square.polynomial(table.SIN)
    cosine = (square * square * square.polynomial(table.COS) - square * 0.5) + 1.0
    even = (q & 1).compare("eq", 0).select(sine, cosine)
    return (even.bits() ^ ((q & 2) << 30)).from_bits()


def sin(x: Number) -> Number:
    # sin(-a) = -sin(a), zeros included
    r, q = _quarter(x.absolute())
    return (_sine_of_quarter(r, q).bits() ^ (x.bits() & SIGN)).from_bits()


def cos(x: Number) -> Number:
    r, q = _quarter(x.absolute())
    return _sine_of_quarter(r, q + 1)


class Circle(Protocol):
    """A table of numbers for `atan2`, in the type that it is computed in."""

    ATAN: table.Polynomial
    """(atan(a) - a) / a^3 of a^2."""
    PI_HI: float
    PI_LO: float
    HALF_PI_HI: float
    HALF_PI_LO: float


def atan2(y: Number, x: Number) -> Number:
    return atan2_by(table, y, x)


def atan2_by(table: Circle, y: Number, x: Number) -> Number:
    """`atan2` by the numbers of a table."""
    ay, ax = y.absolute(), x.absolute()
    steep = ay.compare("ogt", ax)
    low, high = steep.select(ax, ay), steep.select(ay, ax)
    # of two zeros it is that of 0, of two infinities that of 1
    ratio = high.compare("oeq", 0.0).select(0.0, low / high)
    ratio = low.compare("oeq", inf).select(1.0, ratio)
    square = ratio * ratio
    angle = ratio + ratio * square * square.polynomial(table.ATAN)
    angle = steep.select(table.HALF_PI_HI - (angle - table.HALF_PI_LO), angle)
    behind = x.bits().compare("slt", 0)
    angle = behind.select(table.PI_HI - (angle - table.PI_LO), angle)
    return x.compare("uno", y).select(nan, angle.signed_as(y))


# --- powers ---------------------------------------------------------------------------------------


def rsqrt(x: Number) -> Number:
    return 1.0 / x.root()


def _log2_in_f64(a: Number) -> Number:
    """log2 of an f64 that is a positive f32."""
    bits = a.bits()
    k = (bits - 0x3FE6A09E667F3BCD).halved(52)
    m = (bits - (k << 52)).from_bits()
    s = (m - 1.0) / (m + 1.0)
    return s * (s * s).polynomial(table.POW_LOG2) + k.as_float(f64)


def _exp2_to_f32(t: Number) -> Number:
    """2^t of an f64, rounded once to an f32."""
    bounded = t.clamped(-151.0, 129.0)
    n, k = nearest(bounded)
    p = (bounded - n).polynomial(table.POW_EXP2)
    return (p * ((k + 1023) << 52).from_bits()).rounded_to(f32)


def _size_of_power(a: Number, y: Number) -> Number:
    """a^y of a number that is not negative; NaN where it is 0 times an infinity."""
    wide = y.extended_to(f64)
    logarithm = _log2_in_f64(a.extended_to(f64))
    logarithm = a.compare("oeq", 0.0).select(-inf, logarithm)
    logarithm = a.compare("olt", inf).select(logarithm, a.extended_to(f64))
    return _exp2_to_f32(logarithm * wide)


def pow(x: Number, y: Number) -> Number:
    return pow_by(_size_of_power, x, y)


def pow_by(size_of: Callable[[Number, Number], Number], x: Number, y: Number) -> Number:
    """`pow` by a function that is right for x > 0, and there but for y = 0 and x = 1."""
    ax = x.absolute()
    size = size_of(ax, y)
    # of a negative number: NaN where y is no integer, the other sign where it is odd
    whole = y.floor().compare("oeq", y)
    half = y * 0.5
    odd = half.floor().compare("une", half) & whole
    size = (x.compare("olt", 0.0) & x.compare("ogt", -inf) & whole.compare("eq", 0)).select(
        nan, size
    )
    result = odd.select(size.signed_as(x), size)
    # whatever y is, and whatever x is
    ones = x.compare("oeq", 1.0) | y.compare("oeq", 0.0)
    ones = ones | (ax.compare("oeq", 1.0) & y.absolute().compare("oeq", inf))
    return ones.select(1.0, result)


FORMULAS: dict[type[Operation], Formula] = {
    math.ExpOp: exp,
    math.Exp2Op: exp2,
    math.LogOp: log,
    math.Log2Op: log2,
    math.SinOp: sin,
    math.CosOp: cos,
    math.TanhOp: tanh,
    math.ErfOp: erf,
    math.PowFOp: pow,
    math.RsqrtOp: rsqrt,
    math.Atan2Op: atan2,
}
"""The formula of each op."""

ONE_PLUS: dict[type[Operation], Formula] = {
    math.ExpOp: one_plus_exp,
    math.TanhOp: one_plus_tanh,
}
"""The formulas of 1 and an op: less work than the op, as small results need no digits."""

ONE_MINUS: dict[type[Operation], Formula] = {math.TanhOp: one_minus_tanh}
"""Those of 1 less the op."""

BY_INSTRUCTION: dict[type[Operation], Formula] = {
    math.ExpOp: exp_by_instruction,
    math.Exp2Op: exp2_by_instruction,
}
"""The formulas of ops that have another one where one instruction multiplies with powers of two."""
