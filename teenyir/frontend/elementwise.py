"""Functions of one element at a time, under the array API's names.

Operands are promoted (`dtypes.promote`) and broadcast; what the op beneath does not take is
refused at the user's line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from teenyir.dialects import dtypes, graph
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcast_extents,
    broadcasted,
    cast_to,
    promoted,
)
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Unary: TypeAlias = "Callable[[ArrayLike], Tensor]"
Binary: TypeAlias = "Callable[[ArrayLike, ArrayLike], Tensor]"


def _document(function: Callable[..., Tensor], name: str, doc: str | None) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc


def _unary(name: str, op: type[graph.UnaryOp]) -> Unary:
    def function(x: ArrayLike, /) -> Tensor:
        tensor = as_tensor(x)
        return tensor.trace.emit(op, tensor.value)

    _document(function, name, op.__doc__)
    return function


def _binary(name: str, op: type[graph.BinaryOp]) -> Binary:
    def function(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
        a, b = broadcasted(*promoted(x1, x2))
        return a.trace.emit(op, a.value, b.value)

    _document(function, name, op.__doc__)
    return function


def _comparison(name: str, predicate: str) -> Binary:
    def function(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
        a, b = broadcasted(*promoted(x1, x2))
        return a.trace.emit(graph.CompareOp, predicate, a.value, b.value)

    _document(function, name, f"Where the comparison `{predicate}` holds, as booleans.")
    return function


def _logical(name: str, op: Binary) -> Binary:
    def function(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
        return op(_boolean(name, x1), _boolean(name, x2))

    _document(function, name, f"`{op.__name__}` of booleans.")
    return function


def _boolean(name: str, x: ArrayLike) -> Tensor:
    tensor = as_tensor(x)
    if tensor.dtype != dtypes.BOOL:
        fail(f"{name} takes booleans, got {tensor.dtype}; compare first: x != 0")
    return tensor


negative = _unary("negative", graph.NegOp)
abs = _unary("abs", graph.AbsOp)
sign = _unary("sign", graph.SignOp)
exp = _unary("exp", graph.ExpOp)
exp2 = _unary("exp2", graph.Exp2Op)
log = _unary("log", graph.LogOp)
log2 = _unary("log2", graph.Log2Op)
sqrt = _unary("sqrt", graph.SqrtOp)
rsqrt = _unary("rsqrt", graph.RsqrtOp)
sin = _unary("sin", graph.SinOp)
cos = _unary("cos", graph.CosOp)
tanh = _unary("tanh", graph.TanhOp)
erf = _unary("erf", graph.ErfOp)
bitwise_invert = _unary("bitwise_invert", graph.NotOp)

add = _binary("add", graph.AddOp)
subtract = _binary("subtract", graph.SubOp)
multiply = _binary("multiply", graph.MulOp)
floor_divide = _binary("floor_divide", graph.FloorDivOp)
remainder = _binary("remainder", graph.ModOp)
maximum = _binary("maximum", graph.MaxOp)
minimum = _binary("minimum", graph.MinOp)
atan2 = _binary("atan2", graph.Atan2Op)
bitwise_and = _binary("bitwise_and", graph.AndOp)
bitwise_or = _binary("bitwise_or", graph.OrOp)
bitwise_xor = _binary("bitwise_xor", graph.XorOp)
bitwise_left_shift = _binary("bitwise_left_shift", graph.ShlOp)
bitwise_right_shift = _binary("bitwise_right_shift", graph.ShrOp)

equal = _comparison("equal", "eq")
not_equal = _comparison("not_equal", "ne")
less = _comparison("less", "lt")
less_equal = _comparison("less_equal", "le")
greater = _comparison("greater", "gt")
greater_equal = _comparison("greater_equal", "ge")

logical_and = _logical("logical_and", bitwise_and)
logical_or = _logical("logical_or", bitwise_or)
logical_xor = _logical("logical_xor", bitwise_xor)

_divide = _binary("divide", graph.DivOp)
_pow = _binary("pow", graph.PowOp)


def logical_not(x: ArrayLike, /) -> Tensor:
    """The negation of booleans."""
    return bitwise_invert(_boolean("logical_not", x))


def divide(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The quotient of floats. Integers are refused: use `//`, or convert."""
    a, b = promoted(x1, x2)
    if a.dtype.kind != "float":
        fail(f"/ takes floats, got {a.dtype}; use // or x.astype(ty.float32)")
    return _divide(a, b)


def pow(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """`x1` to the power `x2`; integers wrap, and to a negative one they are 0 but for 1 and -1."""
    if type(x2) is int and not isinstance(x1, int | float):
        base = as_tensor(x1)
        if base.dtype.kind in ("int", "uint"):
            return _integer_power(base, x2)
        if x2 == 2:  # pow(x, 2) is x * x, correctly rounded
            return multiply(base, base)
    a, b = promoted(x1, x2)
    if a.dtype.kind in ("int", "uint"):
        return _integer_powers(*broadcasted(a, b))
    return _pow(a, b)


def _integer_powers(base: Tensor, exponent: Tensor) -> Tensor:
    """By squaring, one step for each bit that an exponent can have."""
    signed = base.dtype.kind == "int"
    result = base.trace.constant(1, base.dtype, base.extents)
    power = base
    for bit in range(base.dtype.bits - signed):
        counts = not_equal(bitwise_and(exponent, 1 << bit), 0)
        result = where(counts, multiply(result, power), result)
        power = multiply(power, power)
    if not signed:
        return result
    alternating = subtract(1, multiply(bitwise_and(exponent, 1), 2))
    inverse = where(equal(base, 1), 1, where(equal(base, -1), alternating, 0))
    return where(less(exponent, 0), inverse, result)


def _integer_power(base: Tensor, exponent: int) -> Tensor:
    if exponent < 0:
        fail(f"{base.dtype} to the power {exponent} is no integer; convert: x.astype(ty.float32)")
    result: Tensor | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else multiply(result, base)
        exponent >>= 1
        if exponent:
            base = multiply(base, base)
    if result is None:
        return base.trace.constant(1, base.dtype, base.extents)
    return result


def _rounding(name: str, op: type[graph.UnaryOp]) -> Unary:
    def function(x: ArrayLike, /) -> Tensor:
        tensor = as_tensor(x)
        if tensor.dtype.kind in ("int", "uint"):  # already whole, as in the array API
            return tensor
        return tensor.trace.emit(op, tensor.value)

    _document(function, name, f"{op.__doc__} Integers stay themselves.")
    return function


floor = _rounding("floor", graph.FloorOp)
ceil = _rounding("ceil", graph.CeilOp)
round = _rounding("round", graph.RoundOp)
trunc = _rounding("trunc", graph.TruncOp)


def positive(x: ArrayLike, /) -> Tensor:
    """The same tensor."""
    return as_tensor(x)


def square(x: ArrayLike, /) -> Tensor:
    """`x * x`."""
    return multiply(x, x)


def reciprocal(x: ArrayLike, /) -> Tensor:
    """`1 / x`."""
    return divide(1, x)


def isnan(x: ArrayLike, /) -> Tensor:
    """Where an element is NaN."""
    return not_equal(x, x)


def isinf(x: ArrayLike, /) -> Tensor:
    """Where an element is infinite."""
    tensor = as_tensor(x)
    if tensor.dtype.format is None or not tensor.dtype.format.infinities:
        return less(tensor, tensor)
    return equal(abs(tensor), math.inf)


def isfinite(x: ArrayLike, /) -> Tensor:
    """Where an element is neither infinite nor NaN."""
    tensor = as_tensor(x)
    if tensor.dtype.format is None or not tensor.dtype.format.infinities:
        return equal(tensor, tensor)
    return less(abs(tensor), math.inf)


def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """`x1` where the boolean `condition` is true, elsewhere `x2`; all three broadcast."""
    chosen = _boolean("where", condition)
    a, b = promoted(x1, x2)
    extents = broadcast_extents(chosen.extents, a.extents, b.extents)
    values = [x.trace.broadcast(x, extents).value for x in (chosen, a, b)]
    return chosen.trace.emit(graph.SelectOp, *values)


def clip(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Tensor:
    """`x` kept between `min` and `max`, either of which may be left out; NaN stays NaN."""
    result = as_tensor(x)
    if min is not None:
        result = maximum(result, min)
    if max is not None:
        result = minimum(result, max)
    return result


def astype(x: ArrayLike, dtype: DTypeLike, /) -> Tensor:
    """`x` in another dtype: floats round to nearest even; to integers they lose the fraction,
    saturate, and NaN becomes 0; integers wrap; to bool a value is compared with zero."""
    return cast_to(as_tensor(x), as_dtype(dtype))


absolute = abs
power = pow
mod = remainder
arctan2 = atan2
invert = bitwise_invert
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
