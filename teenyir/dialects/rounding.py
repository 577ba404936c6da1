"""Numbers in a float type, rounded once, to nearest and halfway to even.

numpy does so, but ml_dtypes up to 0.6 rounds to f32 first what f32 does not hold, and goes its own
ways where a format has no NaN, or between the least number of e8m0 and half as much more.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teenyir.dialects import dtypes

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]

_FORMATS = {each.numpy(): each.format for each in dtypes.DTYPES if each.format is not None}
E8M0 = dtypes.FLOAT8_E8M0FNU.numpy()
_WIDER_THAN_FLOAT32 = tuple(map(np.dtype, ("float64", "int32", "uint32")))


def to_float(values: Array, dtype: DType) -> Array:
    """Numbers, but for integers narrower than a byte, as floats."""
    if values.dtype == dtype:
        return values
    if values.dtype in _FORMATS and values.dtype.itemsize < 4:
        values = values.astype(np.float32)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and dtype != np.float64:
        values = _sticky(values).astype(np.float64)
    if dtype.itemsize < 4 and dtype != np.float16 and values.dtype in _WIDER_THAN_FLOAT32:
        values = _odd_float32(values.astype(np.float64))
    if values.dtype == np.bool_:
        values = values.astype(np.float32)
    if values.dtype in _FORMATS and not _FORMATS[dtype].nan:
        # ml_dtypes gives a zero of the sign that the NaN has not; a NaN's sign means nothing
        values = np.where(np.isnan(values), -0.0, values).astype(values.dtype)
    if dtype == E8M0:
        # ml_dtypes has subnormal f32 above the least number go up
        values = np.where((values > 0) & (values < 1.5 * 2.0**-127), 2.0**-127, values)
    return values.astype(dtype)


def _sticky(values: Array) -> Array:
    """64-bit integers with as many bits as f64 has, on the same side of all that is rounded to.

    The lowest 12 bits of a large one become a single one: a value that is no tie stays none.
    """
    low = values & values.dtype.type(0xFFF)
    short = (values - low) | (low != 0).astype(values.dtype) << values.dtype.type(11)
    limit = values.dtype.type(1 << 53)
    small = values < limit
    if values.dtype.kind == "i":
        small &= values > -limit
    return np.where(small, values, short)


def _odd_float32(values: Array) -> Array:
    """f64 as f32, rounded to odd: an inexact value goes to the neighbour with an odd last bit.

    To round that once more to a narrower type is to round once (Boldo and Melquiond, "When double
    rounding is odd", 2005).
    """
    with np.errstate(over="ignore"):
        near = np.asarray(values.astype(np.float32))
    back = near.astype(np.float64)
    bits = near.view(np.int32)
    inexact = (back != values) & ~np.isnan(values)
    toward_zero = np.where(np.abs(back) > np.abs(values), bits - 1, bits)
    return np.where(inexact, toward_zero | 1, bits).astype(np.int32).view(np.float32)
