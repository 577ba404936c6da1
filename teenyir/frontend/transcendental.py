"""Transcendental functions made of the graph floor's own ones.

Each is computed in float32 or wider and rounded once, within a few units in the last place of what
`exp`, `log`, `sqrt`, `sin`, `cos` and `atan2` of the target give.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

from teenyir.frontend.bits import copysign
from teenyir.frontend.core import ArrayLike, as_tensor, broadcasted, cast_to, promoted
from teenyir.frontend.elementwise import (
    abs,
    add,
    atan2,
    cos,
    divide,
    equal,
    exp,
    greater,
    isinf,
    less,
    log,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    sin,
    sqrt,
    subtract,
    where,
)
from teenyir.frontend.errors import fail

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

LOG2 = math.log(2)
_FAR = 2.0**28
"""From here on `1 + x*x` is `x*x` in every dtype."""


def _widened(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of floats of one dtype, computed in float32 or wider."""

    @wraps(function)
    def run(*operands: ArrayLike) -> Tensor:
        tensors = broadcasted(*promoted(*operands))
        dtype = tensors[0].dtype
        if dtype.kind != "float":
            name = function.__name__
            fail(f"{name} takes floats, got {dtype}; convert: x.astype(ty.float32)")
        wide = (cast_to(tensor, dtype.accumulator) for tensor in tensors)
        return cast_to(function(*wide), dtype)

    return run


@_widened
def expm1(x: ArrayLike, /) -> Tensor:
    """`exp(x) - 1` without its cancellation near 0."""
    # Kahan's: the error of u - 1 and that of log(u) cancel
    u = exp(x)
    less_one = subtract(u, 1.0)
    near = multiply(less_one, divide(x, log(u)))
    far = logical_or(isinf(u), equal(less_one, -1.0))
    return where(equal(u, 1.0), x, where(far, less_one, near))


@_widened
def log1p(x: ArrayLike, /) -> Tensor:
    """`log(1 + x)` without its cancellation near 0."""
    u = add(x, 1.0)
    near = multiply(log(u), divide(x, subtract(u, 1.0)))
    return where(equal(u, 1.0), x, where(equal(u, math.inf), u, near))


@_widened
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """`log(exp(x1) + exp(x2))` without its overflow."""
    most = maximum(x1, x2)
    apart = log1p(exp(negative(abs(subtract(x1, x2)))))
    return add(most, where(equal(x1, x2), LOG2, apart))


@_widened
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """`sqrt(x1**2 + x2**2)` without its overflow; infinite where either is."""
    a, b = abs(x1), abs(x2)
    most, least = maximum(a, b), minimum(a, b)
    ratio = divide(least, most)
    found = multiply(most, sqrt(add(multiply(ratio, ratio), 1.0)))
    found = where(equal(most, 0.0), most, found)
    return where(logical_or(isinf(a), isinf(b)), math.inf, found)


@_widened
def sinh(x: ArrayLike, /) -> Tensor:
    """The hyperbolic sine."""
    size = abs(x)
    e = expm1(size)
    near = multiply(add(e, divide(e, add(e, 1.0))), 0.5)
    half = exp(multiply(size, 0.5))  # whose square overflows where the result does
    far = multiply(multiply(half, 0.5), half)
    return copysign(where(less(size, 20.0), near, far), x)


@_widened
def cosh(x: ArrayLike, /) -> Tensor:
    """The hyperbolic cosine."""
    half = exp(multiply(abs(x), 0.5))  # whose square overflows where the result does
    return add(multiply(multiply(half, 0.5), half), divide(divide(0.5, half), half))


@_widened
def asinh(x: ArrayLike, /) -> Tensor:
    """The inverse hyperbolic sine."""
    size = abs(x)
    square = multiply(size, size)
    near = log1p(add(size, divide(square, add(sqrt(add(square, 1.0)), 1.0))))
    far = add(log(size), LOG2)
    return copysign(where(greater(size, _FAR), far, near), x)


@_widened
def acosh(x: ArrayLike, /) -> Tensor:
    """The inverse hyperbolic cosine; NaN below 1."""
    t = subtract(x, 1.0)
    near = log1p(add(t, sqrt(add(multiply(t, 2.0), multiply(t, t)))))
    far = add(log(x), LOG2)
    return where(less(x, 1.0), math.nan, where(greater(x, _FAR), far, near))


@_widened
def atanh(x: ArrayLike, /) -> Tensor:
    """The inverse hyperbolic tangent; NaN beyond -1 and 1, where it is infinite."""
    size = abs(x)
    found = log1p(divide(multiply(size, 2.0), subtract(1.0, size)))
    return copysign(multiply(found, 0.5), x)


def _leg(x: ArrayLike) -> Tensor:
    return sqrt(multiply(subtract(1.0, x), add(x, 1.0)))


@_widened
def asin(x: ArrayLike, /) -> Tensor:
    """The angle in radians whose sine is `x`; NaN beyond -1 and 1."""
    return atan2(x, _leg(x))


@_widened
def acos(x: ArrayLike, /) -> Tensor:
    """The angle in radians whose cosine is `x`; NaN beyond -1 and 1."""
    return atan2(_leg(x), x)


@_widened
def atan(x: ArrayLike, /) -> Tensor:
    """The angle in radians whose tangent is `x`."""
    return atan2(x, as_tensor(x).trace.constant(1, as_tensor(x).dtype))


@_widened
def tan(x: ArrayLike, /) -> Tensor:
    """The tangent of an angle in radians, as sine over cosine."""
    return divide(sin(x), cos(x))


@_widened
def log10(x: ArrayLike, /) -> Tensor:
    """The logarithm to base 10, as the natural one times a constant."""
    return multiply(log(x), 1 / math.log(10))


arccos, arccosh = acos, acosh
arcsin, arcsinh = asin, asinh
arctan, arctanh = atan, atanh
