"""What conversions give, worked out without any cast of numpy's or ml_dtypes' to a narrow type.

A float format is the list of its numbers. What lies between two of them goes to the nearer one,
halfway to the one with even bits. numpy's longdouble holds every f64 and every 64-bit integer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType

Array = NDArray[Any]
WIDE = np.longdouble
assert np.finfo(WIDE).nmant >= 63


@cache
def numbers(dtype: DType) -> tuple[Array, Array]:
    """The finite numbers from zero up of a float of 16 bits or fewer, and their bits."""
    bits = np.arange(1 << dtype.bits, dtype=f"u{dtype.bytes}")
    with np.errstate(invalid="ignore"):  # of NaN
        values = bits.view(dtype.numpy()).astype(np.float64)
    kept = np.isfinite(values) & ~np.signbit(values)
    order = np.argsort(values[kept], kind="stable")
    return values[kept][order], bits[kept][order]


def midpoints(dtype: DType) -> Array:
    """Halfway between each two neighbours, and to where the next one would be; exact in f64."""
    values, _ = numbers(dtype)
    gap = values[-1] - values[-2]
    if dtype.format is not None and dtype.format.digits == 1:  # the next power of two
        gap = values[-1]
    return np.append(values[:-1] + np.diff(values) / 2, values[-1] + gap / 2)


def special(dtype: DType, number: float) -> Array:
    """The bits of NaN or infinity in a format that has it (ml_dtypes and numpy know them)."""
    return np.array(number).astype(dtype.numpy()).view(f"u{dtype.bytes}")


def to_float(values: Array, dtype: DType) -> Array:
    """Numbers as floats of 16 bits or fewer."""
    format = dtype.format
    assert format is not None
    wide = values.astype(WIDE)
    size, negative, is_nan = np.abs(wide), np.signbit(wide), np.isnan(wide)
    finite, bits = numbers(dtype)
    middle = midpoints(dtype).astype(WIDE)
    above = np.searchsorted(middle, size, side="left")
    tie = size == middle[np.minimum(above, middle.size - 1)]
    # after the greatest number come the bits of infinity, or of what stands for it
    following = np.append(bits, bits[-1] + 1)
    # a format of powers of two has no digit that could be even: halfway goes up
    odd = following[np.minimum(above, bits.size - 1)] & 1 if format.digits > 1 else 1
    above = above + (tie & (odd == 1))
    too_large = above > finite.size - 1
    result = following[np.minimum(above, finite.size - 1)]
    sign = np.uint64(1 << dtype.bits - 1).astype(result.dtype)
    if format.nan:
        overflow = special(dtype, np.inf)
        is_nan |= too_large & (not format.infinities)
    else:
        overflow = bits[-1]
    result = np.where(too_large, overflow, result)
    if format.signed:
        has_sign = negative & ((format.zeros == 2) | (result != 0))
        result = np.where(has_sign, result | sign, result)
    else:
        is_nan |= negative | (wide == 0)
    nan = special(dtype, np.nan) if format.nan else sign
    return np.where(is_nan, nan, result).astype(f"u{dtype.bytes}").view(dtype.numpy())


def to_integer(values: Array, dtype: DType) -> Array:
    """Numbers as integers: floats are cut and saturate, NaN is 0; integers wrap."""
    source = dtypes.of_numpy(values.dtype)
    assert source is not None
    low = -(1 << dtype.bits - 1) if dtype.kind == "int" else 0
    high = low + (1 << dtype.bits) - 1
    if source.kind == "float":
        wide = np.trunc(values.astype(WIDE))
        inside = (wide >= low) & (wide <= high)
        kept = np.where(inside, wide, 0)
        chosen = kept.astype(np.uint64 if dtype.kind == "uint" else np.int64).astype(np.uint64)
        chosen = np.where(wide < low, np.uint64(low % (1 << 64)), chosen)
        chosen = np.where(wide > high, np.uint64(high), chosen)
    else:
        signed = source.kind == "int"
        read = values if source.bits >= 8 or source.kind == "bool" else values.astype(np.int8)
        chosen = read.astype(np.int64 if signed else np.uint64).astype(np.uint64)
    chosen = chosen & np.uint64((1 << dtype.bits) - 1)
    return chosen.astype(f"u{dtype.bytes}").view(dtype.numpy())


def converted(values: Array, dtype: DType) -> Array:
    """What a cast of values to a type gives."""
    with np.errstate(all="ignore"):
        return _converted(values, dtype)


def _converted(values: Array, dtype: DType) -> Array:
    if dtype.kind == "bool":
        return values.astype(WIDE) != 0
    if dtype.kind != "float":
        return to_integer(values, dtype)
    if dtype.bits <= 16:
        return to_float(values, dtype)
    return values.astype(WIDE).astype(dtype.numpy())
