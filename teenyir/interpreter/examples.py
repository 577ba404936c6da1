"""Arrays to run a program on where nobody has any: reproducible, small, by element type.

A value depends on the seed, the name and the position alone, so that two floors of one program get
the same, whatever order their arguments are in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from zlib import crc32

import numpy as np

from teenyir.analysis.signature import Argument
from teenyir.dialects.dtypes import DType, Kind
from teenyir.dialects.rounding import to_float
from teenyir.interpreter.arrays import Array, silent
from teenyir.interpreter.convert import convert

Shape = tuple[int, ...]
Random = np.random.Generator


def _floats(rng: Random, shape: Shape, dtype: DType) -> Array:
    values = rng.standard_normal(shape)
    has_sign = dtype.format is None or dtype.format.signed
    return to_float(values if has_sign else np.abs(values), dtype.numpy())


def _integers(rng: Random, shape: Shape, dtype: DType) -> Array:
    return convert(rng.integers(-9, 10, shape), dtype.numpy())


def _naturals(rng: Random, shape: Shape, dtype: DType) -> Array:
    return convert(rng.integers(0, 10, shape), dtype.numpy())


def _bools(rng: Random, shape: Shape, dtype: DType) -> Array:
    return rng.integers(0, 2, shape).astype(np.bool_)


_RANDOM: dict[Kind, Callable[[Random, Shape, DType], Array]] = {
    "float": _floats,
    "int": _integers,
    "uint": _naturals,
    "bool": _bools,
}


def random_array(argument: Argument, shape: Shape, seed: int = 0) -> Array:
    """Floats from the normal distribution, integers from -9 to 9 or, unsigned, 0 to 9."""
    rng = np.random.default_rng([seed, crc32(argument.name.encode())])
    return np.asarray(_RANDOM[argument.dtype.kind](rng, shape, argument.dtype))


def small_array(argument: Argument, shape: Shape, seed: int = 0) -> Array:
    """Integers from 0 to 3, which are indices of most things, and floats like them."""
    rng = np.random.default_rng([seed + 1, crc32(argument.name.encode())])
    limit = 2 if argument.dtype.kind == "bool" else 4
    return convert(rng.integers(0, limit, shape), argument.dtype.numpy())


def edge_array(argument: Argument, shape: Shape, seed: int = 0) -> Array:
    """Of floats NaN, infinities and zeros of both signs, of integers the extremes, among others.

    Arrays of consecutive seeds go through all of them. The largest and the smallest floats are not
    there: what they give depends on the order in which sums and products are formed.
    """
    name, count = crc32(argument.name.encode()), math.prod(shape)
    dtype = argument.dtype.numpy()
    if argument.dtype.kind == "bool":
        return _bools(np.random.default_rng([seed + 2, name]), shape, argument.dtype)
    if argument.dtype.kind == "float":
        edges = to_float(np.array(_FLOAT_EDGES), dtype)
    else:
        bits = argument.dtype.bits
        low = -(1 << (bits - 1)) if argument.dtype.kind == "int" else 0
        # below the least is, wrapped, the greatest; the width matters to shifts
        edges = (low, low - 1, bits, bits - 1, *_INTEGER_EDGES)
        edges = convert(np.array([value % (1 << 64) for value in edges], np.uint64), dtype)
    first = seed * count // len(edges)
    rounds = range(first, (seed + 1) * count // len(edges) + 1)
    drawn = [np.random.default_rng([2, name, number]).permutation(edges) for number in rounds]
    start = seed * count - first * len(edges)
    return np.concatenate(drawn)[start : start + count].reshape(shape)


_FLOAT_EDGES = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 2.5, -3.0, 7.0)
_INTEGER_EDGES = (-7, -2, -1, 0, 1, 2, 3, 7)


def neighbour_array(argument: Argument, shape: Shape, seed: int = 0) -> Array:
    """Numbers of all magnitudes, beside powers of two and beside what types cannot tell apart.

    At one position all arguments have the same number or neighbours of it: what is right for most
    pairs and triples of numbers is wrong for these. Floats among them are beyond what sums of any
    order allow.
    """
    own = np.random.default_rng([seed + 3, crc32(argument.name.encode())])
    common = np.random.default_rng(seed + 3)
    if argument.dtype.kind == "bool":
        return _bools(own, shape, argument.dtype)
    negative = common.integers(0, 2, shape).astype(np.bool_)
    digits = common.choice(_DIGITS, shape)
    if argument.dtype.kind == "float":
        exponents = common.choice(_EXPONENTS, shape).astype(np.float64)
        # a half of the last digit of some type is a tie there; a little beside it there is none
        beside = np.ldexp(own.integers(-1, 2, shape).astype(np.float64), -40)
        numbers = (1.0 + np.ldexp(1.0, -digits) + beside) * np.exp2(exponents)
        has_sign = argument.dtype.format is None or argument.dtype.format.signed
        numbers = np.where(negative & has_sign, -numbers, numbers)
        return np.asarray(to_float(numbers, argument.dtype.numpy()))
    exponents = common.integers(0, argument.dtype.bits, shape)
    one = np.int64(1)
    powers = one << exponents
    ties = np.where(digits <= exponents, one << np.maximum(exponents - digits, 0), 0)
    numbers = powers + np.where(common.integers(0, 2, shape) > 0, ties, 0)
    numbers = np.where(negative, -numbers, numbers) + own.integers(-1, 2, shape)
    return np.asarray(convert(numbers, argument.dtype.numpy()))


_DIGITS = (3, 4, 8, 11, 24, 53)
"""The significant bits of the float types: a number with one more is halfway between two."""
_EXPONENTS = (-1074, -1022, -149, -126, -24, -14, -1, 0, 1, 7, 8, 15, 16, 31, 63, 127, 1023)


def zeros_array(argument: Argument, shape: Shape) -> Array:
    """Nothing but zeros."""
    return np.zeros(shape, argument.dtype.numpy())


def range_array(argument: Argument, shape: Shape) -> Array:
    """0, 1, 2, ... in row-major order, wrapped or rounded; bools are true but for the first."""
    with silent():
        return convert(np.arange(math.prod(shape)).reshape(shape), argument.dtype.numpy())
