"""Conversions between element types, rounded once: what casts mean on every floor.

Floats round to nearest, ties to even; to integers they lose the fraction and saturate, NaN becomes
0; integers wrap among themselves; to bool, a value is compared with zero. What a float type has no
room for becomes infinite, NaN where the type has no infinities, or the greatest number where it has
neither; NaN becomes -0.0 there.
"""

from __future__ import annotations

import numpy as np

from teenyir.dialects.rounding import E8M0, to_float
from teenyir.interpreter.arrays import PACKED, Array, DType, is_float


def convert(values: Array, dtype: DType) -> Array:
    """Values of any element type in another one."""
    if values.dtype == dtype:
        return values
    if values.dtype in PACKED:
        return convert(unpacked(values), dtype)
    if dtype in PACKED:
        return _to_packed(values, dtype)
    if dtype == np.bool_:
        # of e8m0, which has no zero, the bits of a zero are a number
        values = to_float(values, np.dtype(np.float32)) if values.dtype == E8M0 else values
        return values != np.zeros((), values.dtype)
    if is_float(dtype):
        return to_float(values, dtype)
    if is_float(values.dtype):
        return to_integer(values, dtype)
    return values.astype(dtype)


def unpacked(values: Array) -> Array:
    """Integers narrower than a byte as those of a byte."""
    return values.astype(np.int8 if PACKED[values.dtype].kind == "int" else np.uint8)


def _to_packed(values: Array, dtype: DType) -> Array:
    """Numbers as integers narrower than a byte: floats saturate, integers wrap."""
    packed = PACKED[dtype]
    low = -(1 << packed.bits - 1) if packed.kind == "int" else 0
    high = low + (1 << packed.bits) - 1
    if is_float(values.dtype):
        values = np.clip(to_integer(values, np.dtype(np.int16)), low, high)
    mask = np.uint8((1 << packed.bits) - 1)
    return (values.astype(np.uint8) & mask).view(dtype)


def odd_sum(a: Array, b: Array) -> Array:
    """`a + b` of f64 rounded to odd, so that rounding it to a narrower type rounds once."""
    total = np.asarray(a + b)
    part = total - a
    # the exact error of the sum (Knuth's two-sum)
    error = (a - (total - part)) + (b - part)
    bits = total.view(np.int64)
    inexact = np.isfinite(error) & (error != 0)
    away = (error < 0) == (total > 0)
    toward_zero = np.where(away, bits - 1, bits)
    return np.where(inexact, toward_zero | 1, bits).view(np.float64)


def to_integer(values: Array, dtype: DType) -> Array:
    """Floats as integers: the fraction is dropped, what is out of range saturates, NaN is 0."""
    wide = values.astype(np.float64)
    low, high = np.array(np.iinfo(dtype).min, dtype), np.array(np.iinfo(dtype).max, dtype)
    inside = fits_integer(wide, dtype)
    result = np.where(inside, wide, 0.0).astype(np.uint64 if dtype.kind == "u" else np.int64)
    result = result.astype(dtype)
    outside = np.where(wide > 0, high, low)
    return np.where(inside | np.isnan(wide), result, outside)


def fits_integer(values: Array, dtype: DType) -> Array:
    """Where floats, their fraction dropped, are within the range of an integer type."""
    wide = np.trunc(values.astype(np.float64))
    # the least value and one more than the greatest are powers of two: exact
    return (
        (wide >= float(np.iinfo(dtype).min))
        & (wide < float(np.iinfo(dtype).max) + 1.0)
        & (wide < 2.0 ** (8 * dtype.itemsize - (dtype.kind == "i")))
    )
