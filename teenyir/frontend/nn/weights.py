"""Initial weights: random ones from one generator, and of one value."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from threading import RLock

import numpy as np

from teenyir.dialects.dtypes import DType
from teenyir.dialects.rounding import to_float
from teenyir.forking import wait_for
from teenyir.frontend.core import Array
from teenyir.frontend.dtypes import DTypeLike, as_dtype, rounded
from teenyir.frontend.errors import fail

Shape = tuple[int, ...]

_GENERATOR: list[np.random.Generator] = [np.random.default_rng(0)]


def manual_seed(seed: int) -> None:
    """Start the generator of initial weights anew. It starts with seed 0."""
    _GENERATOR[0] = np.random.default_rng(seed)


_LOCK = RLock()
wait_for(_LOCK)
"""What draws numbers has it: the generator has a lock of its own, which no fork waits for."""


def uniform(bound: float, shape: Shape, dtype: DType) -> Array:
    """Initial weights, evenly distributed over `[-bound, bound)`."""
    check_room([shape])
    with _LOCK:
        drawn = _GENERATOR[0].uniform(-bound, bound, shape)
    return _of_dtype(drawn, dtype)


def normal(shape: Shape, dtype: DType) -> Array:
    """Initial weights, of the normal distribution with mean 0 and variance 1."""
    check_room([shape])
    with _LOCK:
        drawn = np.asarray(_GENERATOR[0].standard_normal(shape))
    return _of_dtype(drawn, dtype)


def filled(value: float, shape: Shape, dtype: DTypeLike) -> Array:
    """Weights that all are one value."""
    check_room([shape])
    wanted = as_dtype(dtype)
    held = rounded(value, wanted) if wanted.kind == "float" else value
    return np.full(shape, held, wanted.numpy())


def _of_dtype(values: Array, dtype: DType) -> Array:
    """Numbers of a dtype, rounded once where it is one of floats."""
    if dtype.kind != "float":
        return values.astype(dtype.numpy())
    return np.asarray(to_float(values, dtype.numpy()))


def check_room(shapes: Iterable[Shape], times: int = 1) -> None:
    """Raises TraceError where so many arrays of these extents are more than the machine holds.

    Elements count as float64, which random ones are drawn in.
    """
    each = list(shapes)
    wanted = 8 * times * sum(math.prod(shape) for shape in each)
    if wanted > (memory := _memory()):
        texts = ", ".join(map(str, each[:4])) + ", ..." * (len(each) > 4)
        many = f"{times} times " if times > 1 else ""
        fail(f"weights of extents {many}{texts} do not fit into the {memory} bytes of this machine")


def _memory() -> float:
    """Bytes of memory; any number where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return math.inf
