"""Scalar arithmetic on arrays: one row for each op of arith and vector; `mathematics` has math's.

A row is `function(lanes, op, *operands)`. Integers are signless, so an op that needs the other
sign views them so; i1 is bool, whose signed reading is 0 and -1. What LLVM leaves undefined, such
as a division by zero, is a fault in an active lane, not a silent value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith, vector
from xdsl.ir import Operation

from teenyir.dialects.arith import RemfOp
from teenyir.dialects.lanewise import (
    ApproximateOp,
    CastOp,
    CmpFOp,
    CmpIOp,
    LdexpOp,
    LookupOp,
    SelectOp,
)
from teenyir.dialects.rounding import to_float
from teenyir.interpreter import combine, functions
from teenyir.interpreter.arrays import (
    Array,
    DType,
    constant_array,
    dtype_of,
    unsigned,
    vector_shape,
)
from teenyir.interpreter.convert import fits_integer, to_integer
from teenyir.interpreter.functions import through_float32
from teenyir.interpreter.lanes import Lanes
from teenyir.interpreter.memory import widened

Row: TypeAlias = Callable[..., Array | tuple[Array, ...]]


def plain(function: Callable[..., Array]) -> Row:
    """A row of a function of the operands alone."""

    def row(lanes: Lanes, op: Operation, *operands: Array) -> Array:
        return np.asarray(function(*operands))

    return row


# --- integers -------------------------------------------------------------------------------------


def as_signed(values: Array) -> Array:
    """Integers as numbers with a sign: a bool is 0 or -1."""
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def as_unsigned(values: Array) -> Array:
    """Integers as numbers without a sign: a bool is 0 or 1."""
    return values.view(np.uint8) if values.dtype == np.bool_ else unsigned(values)


def truncated(values: Array, dtype: DType) -> Array:
    """The lowest bits of integers."""
    if dtype == np.bool_:
        return (values & values.dtype.type(1)) != 0
    return values.astype(f"u{dtype.itemsize}", copy=False).view(dtype)


def signed(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of numbers with a sign on signless ones."""

    def run(*operands: Array) -> Array:
        return truncated(np.asarray(function(*map(as_signed, operands))), operands[0].dtype)

    return run


def without_sign(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of numbers without a sign on signless ones."""

    def run(*operands: Array) -> Array:
        return truncated(np.asarray(function(*map(as_unsigned, operands))), operands[0].dtype)

    return run


def _divided(function: Callable[[Array, Array], Array], overflows: bool) -> Row:
    """A division: by zero it is a fault, and with a sign where the quotient has no room."""

    def row(lanes: Lanes, op: Operation, a: Array, b: Array) -> Array:
        lanes.require(op, b != 0, "divides by zero")
        if overflows and b.dtype != np.bool_:
            least = np.iinfo(a.dtype).min
            lanes.require(op, ~((a == least) & (b == -1)), f"overflows: {least} by -1")
        return np.asarray(function(a, b))

    return row


def _quotient(a: Array, b: Array) -> Array:
    return (a - np.fmod(a, b)) // b


def _ceiling(a: Array, b: Array) -> Array:
    quotient = a // b
    return quotient + (quotient * b != a).astype(a.dtype)


def _shifted(function: Callable[[Array, Array], Array]) -> Row:
    """A shift: by the width or more it is a fault."""

    def row(lanes: Lanes, op: Operation, a: Array, b: Array) -> Array:
        width = 1 if a.dtype == np.bool_ else 8 * a.dtype.itemsize
        inside = as_unsigned(b) < width
        lanes.require(op, inside, f"shifts by {width} bits or more")
        return np.asarray(function(a, np.where(inside, b, np.zeros((), b.dtype))))

    return row


def _add_extended(lanes: Lanes, op: Operation, a: Array, b: Array) -> tuple[Array, Array]:
    total = without_sign(np.add)(a, b)
    return total, as_unsigned(total) < as_unsigned(a)


def _multiply_extended(read: Callable[[Array], Array], is_signed: bool) -> Row:
    """The low and the high half of a product."""

    def row(lanes: Lanes, op: Operation, a: Array, b: Array) -> tuple[Array, Array]:
        bits = 1 if a.dtype == np.bool_ else 8 * a.dtype.itemsize
        if bits < 64:
            product = read(a).astype(np.int64) * read(b).astype(np.int64)
            return truncated(product, a.dtype), truncated(product >> bits, a.dtype)
        high = _high_half(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
        if is_signed:
            high = high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)
        return a * b, high

    return row


def _high_half(a: Array, b: Array) -> Array:
    """The high half of the product of two u64, by halves of 32 bits."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    carry = (a0 * b0 >> half) + (a1 * b0 & low) + a0 * b1
    return a1 * b1 + (a1 * b0 >> half) + (carry >> half)


_INTEGER_PREDICATES: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.not_equal,
    *(lambda a, b, f=f: f(as_signed(a), as_signed(b)) for f in (np.less, np.less_equal)),
    *(lambda a, b, f=f: f(as_signed(a), as_signed(b)) for f in (np.greater, np.greater_equal)),
    *(lambda a, b, f=f: f(as_unsigned(a), as_unsigned(b)) for f in (np.less, np.less_equal)),
    *(lambda a, b, f=f: f(as_unsigned(a), as_unsigned(b)) for f in (np.greater, np.greater_equal)),
)
"""By the number of the predicate: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""


def _ordered(a: Array, b: Array) -> Array:
    return (a == a) & (b == b)


_FLOAT_PREDICATES: tuple[Callable[[Array, Array], Array], ...] = (
    lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), np.bool_),
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda a, b: _ordered(a, b) & (a != b),
    _ordered,
    lambda a, b: ~_ordered(a, b) | (a == b),
    lambda a, b: ~(a <= b),
    lambda a, b: ~(a < b),
    lambda a, b: ~(a >= b),
    lambda a, b: ~(a > b),
    np.not_equal,
    lambda a, b: ~_ordered(a, b),
    lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), np.bool_),
)
"""By number: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true."""


def _compare_integers(lanes: Lanes, op: arith.CmpiOp | CmpIOp, a: Array, b: Array) -> Array:
    return _INTEGER_PREDICATES[op.predicate.value.data](a, b)


def _compare_floats(lanes: Lanes, op: arith.CmpfOp | CmpFOp, a: Array, b: Array) -> Array:
    return _FLOAT_PREDICATES[op.predicate.value.data](a, b)


_APPROXIMATED: dict[str, Callable[[Array], Array]] = {
    "exp2": np.exp2,
    "gradual_exp2": np.exp2,
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
_FLUSHED = ("exp2", "reciprocal")
"""What takes denormal numbers for zeros."""


def _approximate(lanes: Lanes, op: ApproximateOp, x: Array) -> Array:
    """To the nearest number, which is within any bound."""
    function = op.function.data
    flush = _without_denormals if function in _FLUSHED else np.asarray
    return flush(_APPROXIMATED[function](flush(x).astype(np.float64)).astype(x.dtype))


def _without_denormals(values: Array) -> Array:
    return np.where(np.abs(values) < np.finfo(values.dtype).tiny, values * 0, values)


def _lookup(lanes: Lanes, op: LookupOp, index: Array) -> Array:
    table = np.array(op.numbers, np.float32)
    return table[index & (len(table) - 1)]


# --- conversions ----------------------------------------------------------------------------------


def _constant(lanes: Lanes, op: arith.ConstantOp) -> Array:
    return lanes.lifted(constant_array(op.value))


def _select(
    lanes: Lanes, op: arith.SelectOp | SelectOp, condition: Array, a: Array, b: Array
) -> Array:
    return np.where(widened(condition, a.ndim), a, b)


def bitcast(values: Array, dtype: DType) -> Array:
    """The same bits read as another type; a vector's last axis grows or shrinks with the width."""
    if np.bool_ in (values.dtype, dtype):
        return values.astype(dtype)
    return np.ascontiguousarray(values).view(dtype)


def _bitcast(lanes: Lanes, op: arith.BitcastOp | vector.BitcastOp, values: Array) -> Array:
    return bitcast(values, dtype_of(op.result.type))


def _resized(read: Callable[[Array], Array]) -> Row:
    """Integers of another width: cut off, or extended as `read` reads them."""

    def row(lanes: Lanes, op: Operation, values: Array) -> Array:
        return truncated(read(values), dtype_of(op.results[0].type))

    return row


def _to_float(read: Callable[[Array], Array]) -> Row:
    def row(lanes: Lanes, op: Operation, values: Array) -> Array:
        return to_float(read(values), dtype_of(op.results[0].type))

    return row


def _to_integer(is_signed: bool) -> Row:
    """A float to an integer: one that has no room is a fault."""

    def row(lanes: Lanes, op: Operation, values: Array) -> Array:
        target = dtype_of(op.results[0].type)
        if target == np.bool_:
            wide = to_integer(values, np.dtype(np.int64))
            lanes.require(op, np.isin(wide, (0, -1 if is_signed else 1)), "does not fit into i1")
            return wide != 0
        read = target if is_signed else np.dtype(f"u{target.itemsize}")
        lanes.require(op, fits_integer(values, read), f"a value does not fit into {read}")
        return to_integer(values, read).view(target)

    return row


def _cast_lanes(lanes: Lanes, op: CastOp, values: Array) -> Array | tuple[Array, ...]:
    return SCALARS[op.scalar](lanes, op, values)


# --- vectors: the last axis -----------------------------------------------------------------------


def _broadcast(lanes: Lanes, op: vector.BroadcastOp, source: Array) -> Array:
    shape = vector_shape(op.vector.type)
    inner = source.shape[lanes.rank :]
    padded = source.reshape(source.shape[: lanes.rank] + (1,) * (len(shape) - len(inner)) + inner)
    return np.broadcast_to(padded, source.shape[: lanes.rank] + shape)


def _position(
    lanes: Lanes,
    op: vector.ExtractOp | vector.InsertOp,
    shape: tuple[int, ...],
    dynamic: tuple[Array, ...],
) -> list[Array]:
    """The index along each leading axis of a vector, in bounds in the active lanes."""
    waiting = iter(dynamic)
    found: list[Array] = []
    for mixed, extent in zip(op.get_mixed_position(), shape, strict=False):
        index = lanes.lifted(np.array(mixed)) if isinstance(mixed, int) else next(waiting)
        inside = (index >= 0) & (index < extent)
        lanes.require(op, inside, f"a position is outside the {extent} elements")
        found.append(np.where(inside, index, 0))
    return found


def _along_lanes(lanes: Lanes, shape: tuple[int, ...]) -> list[Array]:
    return [lanes.along(axis, np.arange(n)) for axis, n in enumerate(shape)]


def _extract(lanes: Lanes, op: vector.ExtractOp, source: Array, *dynamic: Array) -> Array:
    index = _position(lanes, op, source.shape[lanes.rank :], dynamic)
    full = np.broadcast_shapes(source.shape[: lanes.rank], *(each.shape for each in index))
    wide = np.broadcast_to(source, full + source.shape[lanes.rank :])
    return wide[(*_along_lanes(lanes, full), *index)]


def _insert(
    lanes: Lanes, op: vector.InsertOp, source: Array, target: Array, *dynamic: Array
) -> Array:
    index = _position(lanes, op, target.shape[lanes.rank :], dynamic)
    shapes = (source.shape[: lanes.rank], target.shape[: lanes.rank])
    full = np.broadcast_shapes(*shapes, *(each.shape for each in index))
    result = np.broadcast_to(target, full + target.shape[lanes.rank :]).copy()
    result[(*_along_lanes(lanes, full), *index)] = source
    return result


def _shuffle(lanes: Lanes, op: vector.ShuffleOp, a: Array, b: Array) -> Array:
    lead = np.broadcast_shapes(a.shape[: lanes.rank], b.shape[: lanes.rank])
    parts = [np.broadcast_to(each, lead + each.shape[lanes.rank :]) for each in (a, b)]
    joined = np.concatenate(parts, axis=lanes.rank)
    return np.take(joined, op.mask.get_values(), axis=lanes.rank)


_REDUCTIONS: dict[str, str] = {
    **{"add": "add", "mul": "mul", "and": "and", "or": "or", "xor": "xor"},
    **{"minui": "umin", "maxui": "umax", "minsi": "min", "maxsi": "max"},
    **{"minimumf": "min", "maximumf": "max"},
}
"""The combiners of vector reductions by the kernel floor's names."""

_NUMBER_REDUCTIONS = {"minnumf": np.fmin, "maxnumf": np.fmax}


def _reduction(
    lanes: Lanes, op: vector.ReductionOp, source: Array, start: Array | None = None
) -> Array:
    kind = op.kind.data.value
    if kind in _NUMBER_REDUCTIONS:
        ufunc = _NUMBER_REDUCTIONS[kind]
        result = ufunc.reduce(source, axis=-1)
        return result if start is None else ufunc(start, result)
    result = combine.reduce(_REDUCTIONS[kind], source, (source.ndim - 1,))
    return result if start is None else combine.combine(_REDUCTIONS[kind], start, result)


# --- the table ------------------------------------------------------------------------------------

SCALARS: dict[type[Operation], Row] = {
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
    SelectOp: _select,
    # integers
    arith.AddiOp: plain(without_sign(np.add)),
    arith.SubiOp: plain(without_sign(np.subtract)),
    arith.MuliOp: plain(without_sign(np.multiply)),
    arith.AddUIExtendedOp: _add_extended,
    arith.MulUIExtendedOp: _multiply_extended(as_unsigned, False),
    arith.MulSIExtendedOp: _multiply_extended(as_signed, True),
    arith.DivUIOp: _divided(without_sign(np.floor_divide), False),
    arith.DivSIOp: _divided(signed(_quotient), True),
    arith.FloorDivSIOp: _divided(signed(np.floor_divide), True),
    arith.CeilDivSIOp: _divided(signed(_ceiling), True),
    arith.CeilDivUIOp: _divided(without_sign(_ceiling), False),
    arith.RemUIOp: _divided(without_sign(np.remainder), False),
    arith.RemSIOp: _divided(signed(np.fmod), True),
    arith.MinUIOp: plain(without_sign(np.minimum)),
    arith.MaxUIOp: plain(without_sign(np.maximum)),
    arith.MinSIOp: plain(signed(np.minimum)),
    arith.MaxSIOp: plain(signed(np.maximum)),
    arith.AndIOp: plain(np.bitwise_and),
    arith.OrIOp: plain(np.bitwise_or),
    arith.XOrIOp: plain(np.bitwise_xor),
    arith.ShLIOp: _shifted(without_sign(np.left_shift)),
    arith.ShRUIOp: _shifted(without_sign(np.right_shift)),
    arith.ShRSIOp: _shifted(signed(np.right_shift)),
    arith.CmpiOp: _compare_integers,
    CmpIOp: _compare_integers,
    CastOp: _cast_lanes,
    # floats
    arith.AddfOp: plain(through_float32(np.add)),
    arith.SubfOp: plain(through_float32(np.subtract)),
    arith.MulfOp: plain(through_float32(np.multiply)),
    arith.DivfOp: plain(through_float32(np.divide)),
    RemfOp: plain(through_float32(np.fmod)),
    arith.NegfOp: plain(np.negative),
    arith.MaximumfOp: plain(functions.maximum),
    arith.MinimumfOp: plain(functions.minimum),
    arith.MaxnumfOp: plain(np.fmax),
    arith.MinnumfOp: plain(np.fmin),
    LdexpOp: plain(np.ldexp),
    ApproximateOp: _approximate,
    LookupOp: _lookup,
    arith.CmpfOp: _compare_floats,
    CmpFOp: _compare_floats,
    # conversions
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _resized(as_signed),
    arith.TruncIOp: _resized(as_signed),
    arith.ExtSIOp: _resized(as_signed),
    arith.ExtUIOp: _resized(as_unsigned),
    arith.SIToFPOp: _to_float(as_signed),
    arith.UIToFPOp: _to_float(as_unsigned),
    arith.ExtFOp: _to_float(lambda values: values),
    arith.TruncFOp: _to_float(lambda values: values),
    arith.FPToSIOp: _to_integer(True),
    arith.FPToUIOp: _to_integer(False),
    # vectors
    vector.BroadcastOp: _broadcast,
    vector.ExtractOp: _extract,
    vector.InsertOp: _insert,
    vector.ShuffleOp: _shuffle,
    vector.ReductionOp: _reduction,
    vector.BitcastOp: _bitcast,
}
