"""Correct rounding on float64 arrays: error-free sums and products, and rounding in any mode.

An exact real number is carried as a pair (s, e): `s` is its float64 nearest value, and `e` has the
sign of what is missing. From a pair every rounding mode of a format of at most 53 bits follows.
The sum is Knuth's TwoSum, the product Dekker's with Veltkamp's splitting; a fused multiply-add is
the pair of Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, ldexp
from typing import Any

import numpy as np

from teenyir.emulator.types import Array

MODES = ("rn", "rz", "rm", "rp", "rna")
"""Nearest even, towards zero, down, up, nearest with ties away from zero."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format: significand bits with the hidden one, exponent range."""

    precision: int
    least: int
    """Exponent of the smallest normal number."""
    largest: float
    """The largest finite value."""
    infinite: bool = True


FORMATS: dict[str, Format] = {
    "f16": Format(11, -14, 65504.0),
    "bf16": Format(8, -126, float.fromhex("0x1.fep127")),
    "tf32": Format(11, -126, float.fromhex("0x1.ffcp127")),
    "f32": Format(24, -126, float.fromhex("0x1.fffffep127")),
    "e4m3": Format(4, -6, 448.0, infinite=False),
    "e5m2": Format(3, -14, 57344.0),
}


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b as (nearest, exact error)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _split(a: Array) -> tuple[Array, Array]:
    c = a * 134217729.0
    high = c - (c - a)
    return high, a - high


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a * b as (nearest, exact error), away from overflow and underflow."""
    p = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def to_odd(s: Array, e: Array) -> Array:
    """Round the pair to odd, so that a second, coarser rounding is correct."""
    bits = s.view(np.int64)
    move = (e != 0) & (bits & 1 == 0) & np.isfinite(s)
    if not move.any():
        return s
    outward = (e > 0) == (s > 0)
    return np.where(move, bits + np.where(outward, 1, -1), bits).view(np.float64)


def directed(result: Array, error: Array, mode: str) -> Array:
    """Move the nearest value `result` to where a directed mode puts it.

    `error` has the sign of (exact value - result).
    """
    if mode == "rm":
        move, towards = error < 0, -np.inf
    elif mode == "rp":
        move, towards = error > 0, np.inf
    else:
        move, towards = (error != 0) & ((error < 0) == (result > 0)) & (result != 0), 0.0
    if not move.any():
        return result
    return np.where(move, np.nextafter(result, result.dtype.type(towards)), result)


def narrow(s: Array, e: Array, mode: str) -> Array:
    """The pair as float32 in a rounding mode."""
    if mode == "rn":
        return to_odd(s, e).astype(np.float32)
    result = s.astype(np.float32)
    back = result.astype(np.float64)
    missing = np.where(np.isfinite(s), s - back, 0.0)
    sign = np.where(missing != 0, missing, np.where(np.isfinite(s), e, 0.0))
    return directed(result, sign, mode)


def exact_zero_sign(result: Array, exact_zero: Array, a: Array, b: Array, mode: str) -> Array:
    """A sum of opposite numbers is -0 when rounding down, unless both are +0."""
    if mode != "rm":
        return result
    negative = exact_zero & ~((a == 0) & (b == 0) & ~np.signbit(a) & ~np.signbit(b))
    return np.where(negative, -np.zeros(1, result.dtype), result)


def round_to(values: Array, name: str, mode: str = "rn", *, saturate: bool = False) -> Array:
    """float64 values rounded to a format, still as float64; NaN stays NaN.

    Beyond the largest finite value: infinity, or the largest where the mode rounds towards it,
    with `saturate`, or where the format has no infinity (NaN there unless saturating).
    """
    form = FORMATS[name]
    _, exponent = np.frexp(values)
    step = np.maximum(exponent - 1, form.least) - (form.precision - 1)
    scaled = np.ldexp(values, -step)
    result = np.ldexp(_to_integer(scaled, mode), step)
    result = np.where(np.isfinite(values), result, values)
    over = np.abs(result) > form.largest
    if over.any():
        result = np.where(over, _overflow(result, values, form, mode, saturate), result)
    return result


def _to_integer(values: Array, mode: str) -> Array:
    if mode == "rna":
        return np.copysign(np.floor(np.abs(values) + 0.5), values)
    table: dict[str, Any] = {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil}
    return table[mode](values)


def _overflow(result: Array, values: Array, form: Format, mode: str, saturate: bool) -> Array:
    largest = np.copysign(form.largest, values)
    if saturate:
        return largest
    infinity = np.copysign(np.inf if form.infinite else np.nan, values)
    if mode in ("rn", "rna"):
        return infinity
    towards_largest = {
        "rz": np.ones(values.shape, np.bool_),
        "rm": values > 0,
        "rp": values < 0,
    }[mode]
    return np.where(towards_largest & np.isfinite(values), largest, infinity)


# Double precision, where no wider format helps


def exact_fma(a: Array, b: Array, c: Array, mode: str) -> Array:
    """a * b + c in float64, rounded once."""
    with_product, product_error = two_product(a, b)
    if not _safe(a, b, c):
        return _fma_slowly(a, b, c, mode)
    uh, ul = with_product, product_error
    th, tl = two_sum(c, ul)
    vh, vl = two_sum(uh, th)
    z = to_odd(*two_sum(tl, vl))
    s, e = two_sum(vh, z)
    if mode == "rn":
        return s
    result = directed(s, e, mode)
    return exact_zero_sign(result, (s == 0) & (e == 0), a * b, c, mode)


def exact_quotient(a: Array, b: Array, mode: str) -> Array:
    """a / b in float64, rounded once."""
    q = a / b
    if mode == "rn":
        return q
    if not _safe(a, b):
        result = q.copy()
        for lane, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            if isfinite(x) and isfinite(y) and x != 0 and y != 0:
                result[lane] = round_fraction(Fraction(x) / Fraction(y), mode)
        return result
    p, e = two_product(q, b)
    rest = ((a - p) - e) * np.sign(b)
    return directed(q, np.where(np.isfinite(rest), rest, 0.0), mode)


def exact_root(a: Array, mode: str) -> Array:
    """The square root in float64, rounded once."""
    mantissa, exponent = np.frexp(a)
    odd = exponent % 2 != 0
    x = np.where(odd, mantissa * 2, mantissa)
    q = np.sqrt(x)
    p, e = two_product(q, q)
    rest = (x - p) - e
    q = directed(q, np.where(np.isfinite(rest), rest, 0.0), mode)
    return np.ldexp(q, (exponent - odd) // 2)


def _safe(*arrays: Array) -> bool:
    """Whether magnitudes are far from overflow and underflow in products and errors."""
    for array in arrays:
        magnitude = np.abs(array)
        inside = ((magnitude < 2.0**400) & (magnitude > 2.0**-400)) | (magnitude == 0)
        if not inside.all():
            return False
    return True


def _fma_slowly(a: Array, b: Array, c: Array, mode: str) -> Array:
    """Lane by lane, in rational arithmetic where the numbers are finite."""
    plain = a * b + c
    result = plain.copy()
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    for lane, (x, y, z) in enumerate(rows):
        if not (isfinite(x) and isfinite(y)):
            continue
        if not isfinite(z):
            result[lane] = z  # the exact product is finite, whatever float64 makes of it
            continue
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact == 0:
            zero = x * y + z if x == 0 or y == 0 else 0.0
            result[lane] = -0.0 if mode == "rm" and x != 0 and y != 0 else zero
        else:
            result[lane] = round_fraction(exact, mode)
    return result


def round_fraction(exact: Fraction, mode: str) -> float:
    """A rational number as a float64 in a rounding mode."""
    sign = -1 if exact < 0 else 1
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    step = max(exponent, -1022) - 52
    scaled = magnitude / Fraction(2) ** step
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1 == 1),
        "rz": False,
        "rm": rest > 0 and sign < 0,
        "rp": rest > 0 and sign > 0,
    }[mode]
    whole += int(up)
    if whole.bit_length() + step > 1024:
        finite = mode == "rz" or (mode == "rm" and sign > 0) or (mode == "rp" and sign < 0)
        return sign * (float.fromhex("0x1.fffffffffffffp1023") if finite else float("inf"))
    return sign * ldexp(whole, step)
