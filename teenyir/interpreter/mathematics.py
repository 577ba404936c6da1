"""The ops of the math dialect on arrays, one row each (see `scalars` for what a row is).

Floats narrower than f64 are computed in f64 and rounded once; f64 itself is as accurate as numpy's
functions, within a few ulp.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import math, vector
from xdsl.ir import Operation

from teenyir.dialects.lanewise import SaturatedFmaOp
from teenyir.dialects.rounding import to_float
from teenyir.interpreter import functions
from teenyir.interpreter.arrays import Array, bits_of
from teenyir.interpreter.convert import odd_sum
from teenyir.interpreter.functions import through_float32, through_float64
from teenyir.interpreter.lanes import Lanes
from teenyir.interpreter.scalars import Row, as_unsigned, plain, truncated


def _round_half_away(values: Array) -> Array:
    whole = np.trunc(values)
    return np.where(np.abs(values - whole) >= 0.5, whole + np.copysign(1.0, values), whole)


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c`, rounded once in the types narrower than f64; f64 within 1 ulp of that."""
    if a.dtype == np.float64:
        return _fused_float64(a, b, c)
    wide = [each.astype(np.float64) for each in (a, b, c)]
    # the product of two f32 is exact in f64
    return to_float(odd_sum(wide[0] * wide[1], wide[2]), a.dtype)


def _saturated_fma(a: Array, b: Array, c: Array) -> Array:
    """What is between 0 and 1 of `a * b + c`; NaN is 0."""
    return np.fmin(np.fmax(fused_multiply_add(a, b, c), 0), 1).astype(a.dtype)


def _fused_float64(a: Array, b: Array, c: Array) -> Array:
    """By exact product and sum of pairs (Dekker 1971); plain where that leaves the range."""
    product = a * b
    high_a, high_b = (each * 134217729.0 - (each * 134217729.0 - each) for each in (a, b))
    low_a, low_b = a - high_a, b - high_b
    product_error = low_a * low_b - (product - high_a * high_b - low_a * high_b - high_a * low_b)
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part) + product_error
    return np.where(np.isfinite(error), total + error, total)


def _power_of_integer(lanes: Lanes, op: math.FPowIOp, base: Array, exponent: Array) -> Array:
    result = np.power(base.astype(np.float64), exponent.astype(np.float64))
    return to_float(np.asarray(result), base.dtype)


def _integer_power(lanes: Lanes, op: math.IPowIOp, base: Array, exponent: Array) -> Array:
    lanes.require(op, (base != 0) | (exponent >= 0), "raises zero to a negative power")
    unit = np.where(base == -1, 1 - 2 * (exponent & 1), (base == 1).astype(base.dtype))
    result, factor = np.ones_like(base + exponent), base + np.zeros_like(exponent)
    left = np.maximum(exponent, 0)
    while left.any():
        result = np.where(left & 1, result * factor, result)
        factor, left = factor * factor, left >> 1
    return np.where(exponent < 0, unit, result).astype(base.dtype)


def _count_ones(lanes: Lanes, op: Operation, values: Array) -> Array:
    return truncated(np.bitwise_count(as_unsigned(values)), values.dtype)


def _count_leading_zeros(lanes: Lanes, op: Operation, values: Array) -> Array:
    smeared, bits = as_unsigned(values), bits_of(op.results[0].type)
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < bits:
            smeared = smeared | smeared >> smeared.dtype.type(shift)
    return truncated(bits - np.bitwise_count(smeared).astype(np.int64), values.dtype)


def _count_trailing_zeros(lanes: Lanes, op: Operation, values: Array) -> Array:
    if values.dtype == np.bool_:
        return ~values
    below = as_unsigned(values & -values) - values.view(f"u{values.dtype.itemsize}").dtype.type(1)
    return truncated(np.bitwise_count(below), values.dtype)


MATHEMATICS: dict[type[Operation], Row] = {
    math.AbsFOp: plain(np.abs),
    math.AbsIOp: plain(np.abs),
    math.AcosOp: plain(through_float64(np.arccos)),
    math.AcoshOp: plain(through_float64(np.arccosh)),
    math.AsinOp: plain(through_float64(np.arcsin)),
    math.AsinhOp: plain(through_float64(np.arcsinh)),
    math.AtanOp: plain(through_float64(np.arctan)),
    math.AtanhOp: plain(through_float64(np.arctanh)),
    math.Atan2Op: plain(through_float64(np.arctan2)),
    math.CbrtOp: plain(through_float64(np.cbrt)),
    math.CeilOp: plain(through_float32(np.ceil)),
    math.CopySignOp: plain(np.copysign),
    math.CosOp: plain(through_float64(np.cos)),
    math.CoshOp: plain(through_float64(np.cosh)),
    math.CountLeadingZerosOp: _count_leading_zeros,
    math.CountTrailingZerosOp: _count_trailing_zeros,
    math.CtPopOp: _count_ones,
    math.ErfOp: plain(through_float64(functions.erf)),
    math.Exp2Op: plain(through_float64(np.exp2)),
    math.ExpM1Op: plain(through_float64(np.expm1)),
    math.ExpOp: plain(through_float64(np.exp)),
    math.FPowIOp: _power_of_integer,
    math.FloorOp: plain(through_float32(np.floor)),
    math.FmaOp: plain(fused_multiply_add),
    SaturatedFmaOp: plain(_saturated_fma),
    math.IPowIOp: _integer_power,
    math.Log10Op: plain(through_float64(np.log10)),
    math.Log1pOp: plain(through_float64(np.log1p)),
    math.Log2Op: plain(through_float64(np.log2)),
    math.LogOp: plain(through_float64(np.log)),
    math.PowFOp: plain(through_float64(np.power)),
    math.RoundEvenOp: plain(through_float32(np.rint)),
    math.RoundOp: plain(through_float32(_round_half_away)),
    math.RsqrtOp: plain(through_float64(functions.rsqrt)),
    math.SinOp: plain(through_float64(np.sin)),
    math.SinhOp: plain(through_float64(np.sinh)),
    math.SqrtOp: plain(through_float32(np.sqrt)),
    math.TanOp: plain(through_float64(np.tan)),
    math.TanhOp: plain(through_float64(np.tanh)),
    math.TruncOp: plain(through_float32(np.trunc)),
    vector.FMAOp: plain(fused_multiply_add),
}
