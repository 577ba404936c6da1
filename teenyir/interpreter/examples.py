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
from teenyir.interpreter.arrays import Array, silent
from teenyir.interpreter.convert import convert, to_float

Shape = tuple[int, ...]
Random = np.random.Generator


def _floats(rng: Random, shape: Shape, dtype: DType) -> Array:
    return to_float(rng.standard_normal(shape), dtype.numpy())


def _integers(rng: Random, shape: Shape, dtype: DType) -> Array:
    return rng.integers(-9, 10, shape).astype(dtype.numpy())


def _naturals(rng: Random, shape: Shape, dtype: DType) -> Array:
    return rng.integers(0, 10, shape).astype(dtype.numpy())


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


def zeros_array(argument: Argument, shape: Shape) -> Array:
    """Nothing but zeros."""
    return np.zeros(shape, argument.dtype.numpy())


def range_array(argument: Argument, shape: Shape) -> Array:
    """0, 1, 2, ... in row-major order, wrapped or rounded; bools are true but for the first."""
    with silent():
        return convert(np.arange(math.prod(shape)).reshape(shape), argument.dtype.numpy())
