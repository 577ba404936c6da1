"""Reductions of arrays: each combiner on whole axes, on two arrays, and its identity.

The kinds are those of the graph and the kernel floor; `umax` and `umin` read integers as unsigned.
A bool is an integer of one bit: it adds as `xor` does, and its signed maximum is `and`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from teenyir.interpreter.arrays import Array, DType, format_of, is_float, unsigned
from teenyir.interpreter.functions import (
    maximum,
    minimum,
    reduce_maximum,
    reduce_minimum,
    winning_zeros,
    with_zeros,
)

Axes: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class _Combiner:
    pair: Callable[[Array, Array], Array]
    ufunc: np.ufunc
    """What `pair` is but for the signs of zeros, which `zero` says."""
    along: Callable[[Array, Axes, Array], Array]
    identity: Callable[[DType], float | int]
    is_unsigned: bool = False
    zero: int = 0
    """The sign of the zero that wins over the other one of floats: 1, -1, or 0 where none does."""


def _ufunc(ufunc: np.ufunc) -> Callable[[Array, Axes, Array], Array]:
    def along(values: Array, axes: Axes, identity: Array) -> Array:
        return ufunc.reduce(values, axis=axes, dtype=values.dtype)

    return along


def _lowest(dtype: DType) -> float | int:
    return -_highest(dtype) if is_float(dtype) else int(np.iinfo(dtype).min)


def _highest(dtype: DType) -> float | int:
    if not is_float(dtype):
        return int(np.iinfo(dtype).max)
    format = format_of(dtype)
    return np.inf if format.infinities else format.greatest


def _ones(dtype: DType) -> int:
    return -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)


_NUMBERS: dict[str, _Combiner] = {
    "add": _Combiner(np.add, np.add, _ufunc(np.add), lambda dtype: 0),
    "mul": _Combiner(np.multiply, np.multiply, _ufunc(np.multiply), lambda dtype: 1),
    "max": _Combiner(maximum, np.maximum, reduce_maximum, _lowest, zero=1),
    "min": _Combiner(minimum, np.minimum, reduce_minimum, _highest, zero=-1),
    "maxnum": _Combiner(np.fmax, np.fmax, _ufunc(np.fmax), _lowest),
    "minnum": _Combiner(np.fmin, np.fmin, _ufunc(np.fmin), _highest),
    "umax": _Combiner(np.maximum, np.maximum, reduce_maximum, lambda dtype: 0, is_unsigned=True),
    "umin": _Combiner(np.minimum, np.minimum, reduce_minimum, _highest, is_unsigned=True),
    "and": _Combiner(np.bitwise_and, np.bitwise_and, _ufunc(np.bitwise_and), _ones),
    "or": _Combiner(np.bitwise_or, np.bitwise_or, _ufunc(np.bitwise_or), lambda dtype: 0),
    "xor": _Combiner(np.bitwise_xor, np.bitwise_xor, _ufunc(np.bitwise_xor), lambda dtype: 0),
}

_AND = _Combiner(np.logical_and, np.logical_and, _ufunc(np.logical_and), lambda dtype: 1)
_OR = _Combiner(np.logical_or, np.logical_or, _ufunc(np.logical_or), lambda dtype: 0)
_XOR = _Combiner(np.logical_xor, np.logical_xor, _ufunc(np.logical_xor), lambda dtype: 0)

_BOOLS: dict[str, _Combiner] = {
    **{"add": _XOR, "xor": _XOR, "mul": _AND, "and": _AND, "or": _OR},
    **{"max": _AND, "min": _OR, "umax": _OR, "umin": _AND},
}


def _combiner(kind: str, dtype: DType) -> _Combiner:
    return (_BOOLS if dtype == np.bool_ else _NUMBERS)[kind]


def identity(kind: str, dtype: DType) -> Array:
    """What changes nothing, and what a reduction of no elements gives."""
    combiner = _combiner(kind, dtype)
    if combiner.is_unsigned:
        return np.array(combiner.identity(unsigned(np.zeros((), dtype)).dtype)).astype(dtype)
    return np.array(combiner.identity(dtype)).astype(dtype)


def within(kind: str, values: Array, dtype: DType) -> Array:
    """A maximum or minimum formed in f32 as a number of a type without infinities.

    It is infinite where it is of no elements, and would be NaN in that type.
    """
    if kind not in ("max", "min") or not is_float(dtype) or format_of(dtype).infinities:
        return values
    limit = identity(kind, dtype).astype(values.dtype)
    return combine(kind, values, np.broadcast_to(limit, values.shape))


def reduce(kind: str, values: Array, axes: Axes) -> Array:
    """Values combined along axes, which are dropped; the dtype is the values'."""
    combiner = _combiner(kind, values.dtype)
    start = identity(kind, values.dtype)
    if combiner.is_unsigned:
        result = combiner.along(unsigned(values), axes, unsigned(start))
        return np.asarray(result).view(values.dtype)
    return np.asarray(combiner.along(values, axes, start))


def combine(kind: str, a: Array, b: Array) -> Array:
    """Two arrays of one dtype combined element by element."""
    combiner = _combiner(kind, a.dtype)
    if combiner.is_unsigned:
        return np.asarray(combiner.pair(unsigned(a), unsigned(b))).view(a.dtype)
    return np.asarray(combiner.pair(a, b))


def accumulate(kind: str, values: Array, axis: int) -> Array:
    """The running combination of values along an axis, each with those before it."""
    combiner = _combiner(kind, values.dtype)
    read = unsigned(values) if combiner.is_unsigned else values
    result = np.asarray(combiner.ufunc.accumulate(read, axis=axis, dtype=read.dtype))
    if combiner.zero and is_float(values.dtype):
        won = np.logical_or.accumulate(winning_zeros(values, combiner.zero), axis=axis)
        return with_zeros(result, won, combiner.zero)
    if kind == "add" and is_float(values.dtype):
        return result + values.dtype.type(0)  # a sum starts from 0.0, and so has no -0.0
    return result.view(values.dtype)


def combine_at(kind: str, target: Array, places: Array, values: Array) -> None:
    """Combine values into the elements of a flat array at places, one after the other."""
    combiner = _combiner(kind, target.dtype)
    view = unsigned(target) if combiner.is_unsigned else target
    settles = combiner.zero != 0 and is_float(target.dtype) and bool((values == 0).any())
    won = winning_zeros(target, combiner.zero) if settles else None
    combiner.ufunc.at(view, places, unsigned(values) if combiner.is_unsigned else values)
    if won is not None:
        np.logical_or.at(won, places, winning_zeros(values, combiner.zero))
        target[...] = with_zeros(target, won, combiner.zero)


def as_last_axis(values: Array, axes: Sequence[int]) -> Array:
    """Values with some axes put together as one at the end, in row-major order."""
    order = [k for k in range(values.ndim) if k not in axes] + sorted(axes)
    kept = [n for k, n in enumerate(values.shape) if k not in axes]
    count = math.prod(values.shape[k] for k in axes)
    return values.transpose(order).reshape(*kept, count)


def fold(
    parts: Sequence[Array], step: Callable[[Sequence[Array]], Sequence[Array]]
) -> list[Array] | None:
    """Arrays combined together along their last axis, in order, by an associative step.

    The step takes one array for each of the parts, then as many again. None of no elements.
    """
    shape = np.broadcast_shapes(*(part.shape for part in parts))
    parts = [np.broadcast_to(part, shape) for part in parts]
    while (n := parts[0].shape[-1]) > 1:
        # associative: neighbours are combined, an odd one at the end waits
        pairs = n // 2 * 2
        halves = [part[..., start:pairs:2] for start in (0, 1) for part in parts]
        half = (*shape[:-1], n // 2)
        combined = [np.broadcast_to(result, half) for result in step(halves)]
        rest = [part[..., pairs:] for part in parts]
        parts = [np.concatenate(pair, -1) for pair in zip(combined, rest, strict=True)]
    return [part[..., 0] for part in parts] if parts[0].shape[-1] else None
