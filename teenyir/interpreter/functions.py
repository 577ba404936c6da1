"""Functions of real numbers as all floors compute them: through a wider type, rounded once.

f16 and bf16 go through f32 for what IEEE 754 has, and everything narrower than f64 through f64 for
the rest, so that a result is the nearest float but for the rare tie of the wider one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from teenyir.dialects.rounding import to_float
from teenyir.interpreter.arrays import Array, is_float

Function: TypeAlias = Callable[..., Array]


def through_float32(function: Function) -> Function:
    """A function that f16 and bf16 compute in f32: enough for +, -, *, / and the square root."""

    def widened(*values: Array) -> Array:
        dtype = values[0].dtype
        if not is_float(dtype) or dtype.itemsize > 2:
            return np.asarray(function(*values))
        return to_float(np.asarray(function(*(v.astype(np.float32) for v in values))), dtype)

    return widened


def through_float64(function: Function) -> Function:
    """A function that every narrower float computes in f64."""

    def widened(*values: Array) -> Array:
        dtype = values[0].dtype
        if dtype == np.float64:
            return np.asarray(function(*values))
        return to_float(np.asarray(function(*(v.astype(np.float64) for v in values))), dtype)

    return widened


def maximum(a: Array, b: Array) -> Array:
    """The greater; NaN where either is; +0.0 over -0.0."""
    result = np.maximum(a, b)
    return _settle_zeros(result, a, b, 1) if is_float(result.dtype) else result


def minimum(a: Array, b: Array) -> Array:
    """The lesser; NaN where either is; -0.0 under +0.0."""
    result = np.minimum(a, b)
    return _settle_zeros(result, a, b, -1) if is_float(result.dtype) else result


def _settle_zeros(result: Array, a: Array, b: Array, sign: int) -> Array:
    if not (result == 0).any():
        return result
    # of two zeros, the sum is -0.0 just where both are
    of_zeros = a + b if sign > 0 else -(-a - b)
    return np.where((a == 0) & (b == 0), of_zeros, result)


def reduce_maximum(values: Array, axis: tuple[int, ...], initial: Array) -> Array:
    """`maximum` along axes, `initial` of nothing."""
    result = np.maximum.reduce(values, axis=axis, initial=initial)
    return _settle_reduced(result, values, axis, 1) if is_float(values.dtype) else result


def reduce_minimum(values: Array, axis: tuple[int, ...], initial: Array) -> Array:
    """`minimum` along axes, `initial` of nothing."""
    result = np.minimum.reduce(values, axis=axis, initial=initial)
    return _settle_reduced(result, values, axis, -1) if is_float(values.dtype) else result


def _settle_reduced(result: Array, values: Array, axis: tuple[int, ...], sign: int) -> Array:
    return with_zeros(result, np.any(winning_zeros(values, sign), axis=axis), sign)


def winning_zeros(values: Array, sign: int) -> Array:
    """Where +0.0 is, which wins over -0.0 in a maximum, for a `sign` of 1; else where -0.0 is."""
    return (values == 0) & (np.signbit(values) != (sign > 0))


def with_zeros(result: Array, won: Array, sign: int) -> Array:
    """A maximum (`sign` 1) or minimum (-1) whose zeros have the sign that wins where one was there
    to win, the other elsewhere."""
    zero = np.where(won == (sign > 0), 0.0, -0.0).astype(result.dtype)
    return np.where(result == 0, zero, result)


def sign(values: Array) -> Array:
    """-1, 0 or 1; zeros and NaN stay themselves."""
    return np.where(values == 0, values, np.sign(values).astype(values.dtype))


def divide_floor(a: Array, b: Array) -> Array:
    """The quotient rounded toward minus infinity; an integer by zero gives 0."""
    return np.floor_divide(a, b)


def remainder(a: Array, b: Array) -> Array:
    """The remainder with the sign of the divisor; of an integer by zero 0."""
    return np.remainder(a, b)


def rsqrt(values: Array) -> Array:
    """1 over the square root."""
    return 1.0 / np.sqrt(values)


def shift_left(a: Array, b: Array) -> Array:
    """`a` shifted left by `b`, read as unsigned; 0 from the width on."""
    count, out = _shift_count(b)
    return np.where(out, a.dtype.type(0), np.left_shift(a, count))


def shift_right(a: Array, b: Array) -> Array:
    """`a` shifted right, filled with its sign if it has one; all fill from the width on."""
    count, out = _shift_count(b)
    fill = -(a < 0).astype(a.dtype)
    return np.where(out, fill, np.right_shift(a, count))


def _shift_count(b: Array) -> tuple[Array, Array]:
    width = 8 * b.dtype.itemsize
    out = (b < 0) | (b >= width)
    return np.where(out, b.dtype.type(0), b), out


# erf and erfc after W. J. Cody, "Rational Chebyshev approximations for the error function",
# Mathematics of Computation 23 (1969): three ranges, each a quotient of polynomials; coefficients
# of the SPECFUN library. Within 4 ulp of f64.
_ERF_P = (3.16112374387056560e00, 1.13864154151050156e02, 3.77485237685302021e02,
          3.20937758913846947e03, 1.85777706184603153e-1)  # fmt: skip
_ERF_Q = (2.36012909523441209e01, 2.44024637934444173e02, 1.28261652607737228e03,
          2.84423683343917062e03)  # fmt: skip
_ERFC_P = (5.64188496988670089e-1, 8.88314979438837594e00, 6.61191906371416295e01,
           2.98635138197400131e02, 8.81952221241769090e02, 1.71204761263407058e03,
           2.05107837782607147e03, 1.23033935479799725e03, 2.15311535474403846e-8)  # fmt: skip
_ERFC_Q = (1.57449261107098347e01, 1.17693950891312499e02, 5.37181101862009858e02,
           1.62138957456669019e03, 3.29079923573345963e03, 4.36261909014324716e03,
           3.43936767414372164e03, 1.23033935480374942e03)  # fmt: skip
_FAR_P = (3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
          1.60837851487422766e-2, 6.58749161529837803e-4, 1.63153871373020978e-2)  # fmt: skip
_FAR_Q = (2.56852019228982242e00, 1.87295284992346725e00, 5.27905102951428412e-1,
          6.05183413124413191e-2, 2.33520497626869185e-3)  # fmt: skip


def _rational(x: Array, p: tuple[float, ...], q: tuple[float, ...]) -> Array:
    numerator, denominator = p[-1] * x, x
    for a, b in zip(p[:-2], q[:-1], strict=True):
        numerator, denominator = (numerator + a) * x, (denominator + b) * x
    return (numerator + p[-2]) / (denominator + q[-1])


def erf(values: Array) -> Array:
    """The error function of f64 values."""
    x = np.abs(values)
    near = values * _rational(np.where(x < 0.5, x * x, 0.0), _ERF_P, _ERF_Q)
    middle = np.clip(x, 0.46875, 4.0)
    far = np.clip(x, 4.0, 6.0)
    inverse = 1.0 / (far * far)
    tail = inverse * _rational(inverse, _FAR_P, _FAR_Q)
    erfc_far = (1.0 / np.sqrt(np.pi) - tail) / far
    rest = np.where(x <= 4.0, _rational(middle, _ERFC_P, _ERFC_Q), erfc_far)
    square = np.clip(x, 0.46875, 6.0) ** 2
    away = np.copysign(1.0 - np.exp(-square) * rest, values)
    return np.where(x <= 0.46875, near, np.where(np.isnan(values), values, away))
