"""The functions of `math_formulas` in f64, for machines that have no libm.

A sum or product that must be known better than f64 is a pair: a number and what it lacks. Pairs
come of sums by the algorithms of Dekker and Knuth, of products by fused multiply-adds, and are
right whether or not a product and the sum that follows are fused (T. J. Dekker, "A floating-point
technique for extending the available precision", 1971; D. E. Knuth, "The Art of Computer
Programming", volume 2, 4.2.2).
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TypeAlias

from xdsl.dialects import math
from xdsl.dialects.builtin import f64
from xdsl.ir import Operation

from teenyir.passes.uop import math_tables_f64 as table
from teenyir.passes.uop.math_formulas import (
    Formula,
    atan2_by,
    either_by_branch,
    log_domain,
    nearest,
    pow_by,
    rsqrt,
)
from teenyir.passes.uop.numbers import Number

Pair: TypeAlias = tuple[Number, Number]
"""A number and what is to be added to it."""

DIGITS = 52
"""Digits of an f64 behind the point."""

BIAS = 1023
"""What the exponent of an f64 is stored with."""

SMALLEST_NORMAL = 2.0**-1022
SIGN = -(1 << 63)
"""The sign bit of an f64."""

HIGH_HALF = -(1 << 32)
"""The bits of an f64 that leave 20 digits behind the point."""


def power_of_two(k: Number) -> Number:
    """2^k of an i64, -1022 <= k <= 1023."""
    return ((k + BIAS) << DIGITS).from_bits()


def scaled(x: Number, k: Number) -> Number:
    """x * 2^k, where the power may be no f64 but the result is: rounded once."""
    half = k.halved(1)
    return x * power_of_two(half) * power_of_two(k - half)


# --- pairs ----------------------------------------------------------------------------------------


def quick_sum(a: Number, b: Number) -> Pair:
    """a + b as a pair, where `a` is 0 or not smaller than `b`."""
    total = a + b
    return total, b - (total - a)


def difference(a: Number, b: Number) -> Pair:
    """a - b as a pair."""
    total = a - b
    part = total - a
    return total, (a - (total - part)) - (b + part)


def product(a: Number, b: Number | float) -> Pair:
    """a * b as a pair."""
    total = a * b
    return total, a.fused(b, -total)


# --- exponentials ---------------------------------------------------------------------------------


def _exp_parts(x: Number) -> Pair:
    """`p` and `k` with exp(x) = (1 + p) * 2^k; |x| below 2^11."""
    # x = k ln(2) + r, |r| <= ln(2)/2
    n, k = nearest(x * table.LOG2_E)
    r = (x - n * table.LN2_HI) - n * table.LN2_LO
    return r + r * r * r.polynomial(table.EXP), k


def exp(x: Number) -> Number:
    # beyond these it is 0 or infinite
    p, k = _exp_parts(x.clamped(-746.0, 710.0))
    return scaled(p + 1.0, k)


def _exp2_of(n: Number, k: Number, r: Number) -> Number:
    """2^(n + r), of an integer and its bits."""
    return scaled(r * r.polynomial(table.EXP2) + 1.0, k)


def exp2(x: Number) -> Number:
    bounded = x.clamped(-1076.0, 1025.0)
    n, k = nearest(bounded)
    return _exp2_of(n, k, bounded - n)


def tanh(x: Number) -> Number:
    # t / (t + 2) with t = exp(2a) - 1, which is 2^k p + (2^k - 1); from 22 on it is 1
    a = x.absolute()
    bounded = a.compare("ogt", 22.0).select(22.0, a)
    p, k = _exp_parts(bounded + bounded)
    power = power_of_two(k)
    t = p * power + (power - 1.0)
    return (t / (t + 2.0)).signed_as(x)


def erf(x: Number) -> Number:
    # a + a P(a^2) where it is small, 1 - exp(-Q(a)) elsewhere; from 6 on it is 1
    a = x.absolute()
    small = a + a * (a * a).polynomial(table.ERF)
    bounded = a.compare("ogt", 6.0).select(6.0, a)
    near, far = bounded.polynomial(table.ERFC), bounded.polynomial(table.ERFC_FAR)
    p, k = _exp_parts(-bounded.compare("olt", 2.5).select(near, far))
    large = 1.0 - (p + 1.0) * power_of_two(k)
    return a.compare("olt", 0.9).select(small, large).signed_as(x)


# --- logarithms -----------------------------------------------------------------------------------


def _exponent_and_rest(x: Number) -> Pair:
    """`e` and `m` in sqrt(1/2)..sqrt(2) with x = 2^e m, of a positive number."""
    tiny = x.compare("olt", SMALLEST_NORMAL)
    bits = tiny.select(x * 2.0**54, x).bits()
    # the exponent, counted from where the rest is sqrt(1/2)
    k = (bits - 0x3FE6A09E667F3BCD).halved(DIGITS)
    e = k.as_float(f64)
    return tiny.select(e - 54.0, e), (bits - (k << DIGITS)).from_bits()


def _log_parts(x: Number) -> tuple[Number, Number, Number, Number]:
    """`e`, `f`, `h` and `y` with log(x) = e ln(2) + (f - h + y), h = f^2 / 2, |y| << |f|."""
    e, m = _exponent_and_rest(x)
    f = m - 1.0
    s = f / (f + 2.0)
    square, half = s * s, f * f * 0.5
    return e, f, half, s * (half + square * square.polynomial(table.LOG))


def log(x: Number) -> Number:
    e, f, half, y = _log_parts(x)
    return log_domain(x, e * table.LN2_HI - ((half - (y + e * table.LN2_LO)) - f))


def log2(x: Number) -> Number:
    # the logarithm as a pair, whose first number has few digits, times log2(e) as a pair
    e, f, half, y = _log_parts(x)
    high = ((f - half).bits() & HIGH_HALF).from_bits()
    low = ((f - high) - half) + y
    first = high * table.LOG2_E_HI
    rest = (low + high) * table.LOG2_E_LO + low * table.LOG2_E_HI
    total, lacks = quick_sum(e, first)
    return log_domain(x, (lacks + rest) + total)


# --- the circle -----------------------------------------------------------------------------------

LARGE_ANGLE = 2.0**30
"""From here on an angle is reduced in integers."""

WORDS = 6
"""Words of 1/tau that an angle is multiplied with: 53 digits, and 139 behind the point."""

LEADING = 32
"""Digits of zero that stand before 1/tau in its table, so that no place in it is negative."""


def _window(place: Number) -> list[Number]:
    """Words of 1/tau from a place in its table on, in digits: so many and one more."""
    word, found = place >> 5, [place.like(w) for w in table.TURN_WORDS]
    for step in (16, 8, 4, 2, 1):
        moves = (word & step).compare("ne", 0)
        # those that may still be asked for
        found = [moves.select(found[k + step], found[k]) for k in range(WORDS + step)]
    return found


def _quarter_of_large(a: Number) -> tuple[Number, ...]:
    """As `_quarter`, of LARGE_ANGLE <= a < inf: Payne and Hanek's reduction.

    a is m 2^s with an integer m of 53 digits. Of 1/tau, those digits that make whole turns are left
    out, and 192 of those that follow are multiplied by m, in columns of 32: what is behind the
    point is the part of a turn, its first two digits are quarters.
    """
    bits = a.bits()
    m = (bits & ((1 << DIGITS) - 1)) | (1 << DIGITS)
    place = (bits >> DIGITS) - (BIAS + DIGITS - LEADING)
    window, shift = _window(place), place & 31
    words = [(((high << 32) | low) << shift) >> 32 for high, low in pairwise(window)]
    mask = (1 << 32) - 1
    m0, m1 = m & mask, m >> 32
    lower, upper = [m0 * w for w in words], [m1 * w for w in words]
    carry, columns = None, list[Number]()
    for k in reversed(range(WORDS - 1)):
        column = (lower[k] & mask) + (lower[k + 1] >> 32) + (upper[k + 1] & mask)
        if k + 2 < WORDS:
            column = column + (upper[k + 2] >> 32)
        if carry is not None:
            column = column + carry
        carry = column >> 32
        columns.insert(0, column & mask)
    high, low = (columns[0] << 32) | columns[1], (columns[2] << 32) | columns[3]
    quarters = (high + (1 << 61)) >> 62
    rest = high - (quarters << 62)
    # exact pieces of 32 digits
    first = rest.halved(32).as_float(f64) * 2.0**-32
    second = (rest & mask).as_float(f64) * 2.0**-64
    third = (low >> 32).as_float(f64) * 2.0**-96
    turn, lacks = quick_sum(first, second)
    turn, lacks = quick_sum(turn, lacks + (third + (low & mask).as_float(f64) * 2.0**-128))
    r, error = product(turn, table.TAU)
    return r, error + (turn * table.TAU_LO + lacks * table.TAU), quarters


def _quarter_of_small(a: Number) -> tuple[Number, ...]:
    """As `_quarter`, of a < LARGE_ANGLE, in which pi/2 is three numbers."""
    n, k = nearest(a * table.TWO_OVER_PI)
    # exact: what is left is below 1 and a multiple of what the first number ends with
    near = (-n).fused(table.QUARTER, a)
    second, error = product(n, table.QUARTER_LO)
    r, lacks = difference(near, second)
    return r, lacks - (error + n * table.QUARTER_LOWEST), k


def _quarter(a: Number) -> tuple[Number, ...]:
    """`r`, `y` and `q` with a = q pi/2 + r + y, |r| <= pi/4, |y| << |r|; `a` is not negative."""
    is_large = a.compare("oge", LARGE_ANGLE) & a.compare("olt", inf)
    small = _quarter_of_small(a)
    return either_by_branch(is_large, a, _quarter_of_large, small)


def _sine_of_quarter(r: Number, y: Number, q: Number) -> Number:
    """sin(q pi/2 + r + y)."""
    square = r * r
    cube = square * r
    odd = square.polynomial(table.SIN[1:])
    sine = r - ((square * (y * 0.5 - cube * odd) - y) - cube * table.SIN[0])
    half = square * 0.5
    near = 1.0 - half
    even = square * square * square.polynomial(table.COS)
    cosine = near + (((1.0 - near) - half) + (even - r * y))
    chosen = (q & 1).compare("eq", 0).select(sine, cosine)
    return (chosen.bits() ^ ((q & 2) << 62)).from_bits()


def sin(x: Number) -> Number:
    # sin(-a) = -sin(a), zeros included
    size = _sine_of_quarter(*_quarter(x.absolute()))
    return (size.bits() ^ (x.bits() & SIGN)).from_bits()


def cos(x: Number) -> Number:
    r, y, q = _quarter(x.absolute())
    return _sine_of_quarter(r, y, q + 1)


def atan2(y: Number, x: Number) -> Number:
    return atan2_by(table, y, x)


# --- powers ---------------------------------------------------------------------------------------


def _log2_pair(a: Number) -> Pair:
    """log2 of a positive number, to about 66 digits.

    With m = (1 + s) / (1 - s) it is e + (2 s + 2/3 s^3 + s^5 Q(s^2)) / ln(2); all but Q is pairs.
    """
    e, m = _exponent_and_rest(a)
    upper, (lower, lacks) = m - 1.0, quick_sum(m.like(1.0), m)
    s = upper / lower
    t = ((-s).fused(lower, upper) - s * lacks) / lower
    square, square_lacks = product(s, s)
    square_lacks = square_lacks + s * t * 2.0
    inner, inner_lacks = quick_sum(
        m.like(table.LOG2_CUBE_HI), square * square.polynomial(table.POW_LOG2)
    )
    inner_lacks = inner_lacks + table.LOG2_CUBE_LO
    cube, cube_lacks = product(square, inner)
    cube_lacks = cube_lacks + (square * inner_lacks + square_lacks * inner)
    outer, outer_lacks = quick_sum(m.like(table.LOG2_FIRST_HI), cube)
    outer_lacks = outer_lacks + (cube_lacks + table.LOG2_FIRST_LO)
    result, result_lacks = product(s, outer)
    result_lacks = result_lacks + (s * outer_lacks + t * outer)
    total, total_lacks = quick_sum(e, result)
    return total, total_lacks + result_lacks


def _size_of_power(a: Number, y: Number) -> Number:
    """a^y of a number that is not negative; NaN where it is 0 times an infinity."""
    high, low = _log2_pair(a)
    high = a.compare("oeq", 0.0).select(-inf, high)
    high = a.compare("olt", inf).select(high, a)
    exponent = high * y
    bounded = exponent.clamped(-1080.0, 1030.0)
    inside = bounded.compare("oeq", exponent)
    n, k = nearest(bounded)
    # (inside, `n` is so near that the difference is rounded once, below 1)
    exact = high.fused(y, -n) + low * y
    return _exp2_of(n, k, inside.select(exact, bounded - n))


def pow(x: Number, y: Number) -> Number:
    return pow_by(_size_of_power, x, y)


FORMULAS_F64: dict[type[Operation], Formula] = {
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
