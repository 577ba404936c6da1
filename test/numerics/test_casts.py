"""Casts: every value of the types of 16 bits and fewer, and of the wider ones every tie.

On every floor and target they give what `reference` works out, to the bit (NaN aside), and that is
what ml_dtypes and numpy give where those round once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from random_graphs import Sample
from reference import converted, midpoints, numbers
from test_floors import FLOORS, by_c, interpreted
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

import teenyir as ty
from teenyir.diagnostics import RunError
from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.frontend.dtypes import rounded

Array = NDArray[np.generic]

NARROW = [dtype for dtype in dtypes.DTYPES if dtype.bits <= 8]
HALVES = [dtype for dtype in dtypes.DTYPES if dtype.bits == 16]
WIDE = [dtype for dtype in dtypes.DTYPES if dtype.bits > 16]
SMALL_FLOATS = [dtype for dtype in dtypes.DTYPES if dtype.format and dtype.bits <= 16]

EVERY: dict[str, Callable[[Sample], list[Array]]] = {"graph": interpreted, **FLOORS, "c": by_c}


@cache
def values_of(dtype: DType) -> Array:
    """Every value of a type; of the wide ones those around every tie, and random ones."""
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.bits <= 16:
        return np.arange(1 << dtype.bits, dtype=f"u{dtype.bytes}").view(dtype.numpy())
    random = np.random.default_rng(dtype.bits)
    bits = random.integers(0, 1 << 64, 20_000, np.uint64)
    if dtype.kind == "float":
        drawn = (bits >> np.uint64(64 - dtype.bits)).astype(f"u{dtype.bytes}")
        return np.concatenate([drawn.view(dtype.numpy()), _around_ties(dtype)])
    # of every size, so that all narrower floats round some
    shifted = bits >> random.integers(0, 64, bits.size, np.uint64)
    places = np.uint64(1) << np.arange(64, dtype=np.uint64)
    ties = np.concatenate([places + places // np.uint64(1 << k) for k in range(2, 14)])
    ties = np.concatenate([ties + np.uint64(step) for step in (-1 % 2**64, 0, 1)])
    chosen = np.concatenate([shifted, -shifted, ties, -ties])
    return chosen.astype(f"u{dtype.bytes}").view(dtype.numpy())


def _around_ties(dtype: DType) -> Array:
    found = [midpoints(narrow) for narrow in SMALL_FLOATS]
    found += [numbers(narrow)[0] for narrow in SMALL_FLOATS if narrow.bits <= 8]
    found += [np.array([0.0, 0.5, 1.5, np.inf, np.nan]), 2.0 ** np.arange(-3, 66)]
    ties = np.unique(np.concatenate(found))
    if dtype == dtypes.FLOAT64:
        ties = np.concatenate([ties, np.float64(2) ** np.arange(-1074, 1024)])
    ties = ties.astype(dtype.numpy())
    with np.errstate(over="ignore"):
        sides = [np.nextafter(ties, ties.dtype.type(limit)) for limit in (-np.inf, np.inf)]
    if dtype == dtypes.FLOAT64:  # so near to a tie that an f32 would be on it
        sides += [ties * (1 - 2.0**-40), ties * (1 + 2.0**-40)]
    around = np.concatenate([ties, *sides])
    return np.concatenate([around, -around])


def sample_of(source: DType) -> Sample:
    """A function that casts a tensor to every type."""
    values = values_of(source)
    block = Block(arg_types=[graph.tensor(source.element, values.shape)])
    ops = [graph.CastOp(block.args[0], target.element) for target in dtypes.DTYPES]
    results = [op.result for op in ops]
    block.add_ops([*ops, ReturnOp(*results)])
    types = ([block.args[0].type], [result.type for result in results])
    return Sample(ModuleOp([FuncOp("main", types, Region(block))]), [values], [], {})


def same(a: Array, b: Array) -> Array:
    """Where two arrays have the same bits, or NaN both."""
    if a.dtype.itemsize == b.dtype.itemsize:
        b = b.view(a.dtype)
    bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    if dtypes.of_numpy(a.dtype).kind != "float":
        return bits
    with np.errstate(invalid="ignore"):
        return bits | (np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))


def check(source: DType, floor: str) -> None:
    sample = sample_of(source)
    (values,) = sample.inputs
    for target, got in zip(dtypes.DTYPES, EVERY[floor](sample), strict=True):
        expected = converted(values, target) if target != source else values
        right = same(expected, got)
        first = [(values[k], got.view(expected.dtype)[k], expected[k]) for k in np.where(~right)[0]]
        assert right.all(), f"{source} to {target}, (value, got, expected): {first[:3]}"


@pytest.mark.parametrize("floor", EVERY)
@pytest.mark.parametrize("source", NARROW, ids=str)
def test_every_value_of_a_byte(source: DType, floor: str):
    check(source, floor)


@pytest.mark.parametrize("floor", ["graph", "native"])
@pytest.mark.parametrize("source", [*HALVES, *WIDE], ids=str)
def test_every_value_of_two_bytes_and_every_tie(source: DType, floor: str):
    check(source, floor)


@pytest.mark.long
@pytest.mark.parametrize("floor", sorted({*EVERY} - {"graph", "native"}))
@pytest.mark.parametrize("source", [*HALVES, *WIDE], ids=str)
def test_every_value_of_two_bytes_and_every_tie_everywhere(source: DType, floor: str):
    check(source, floor)


ONCE = [*(d for d in SMALL_FLOATS), dtypes.FLOAT32]
"""The floats from which ml_dtypes rounds to narrower ones once: f64 it rounds to f32 before, up to
0.6."""


@pytest.mark.parametrize("target", SMALL_FLOATS, ids=str)
@pytest.mark.parametrize("source", ONCE, ids=str)
def test_ml_dtypes_says_the_same(source: DType, target: DType):
    values = values_of(source)
    with np.errstate(all="ignore"):
        single = values.astype(np.float32)
        kept = np.ones(values.shape, np.bool_)
        if target.format and not target.format.nan:  # a NaN's sign counts there, backwards
            kept = ~np.isnan(single)
        if target == dtypes.FLOAT8_E8M0FNU:
            kept = (single <= LEAST) | (single >= 1.5 * LEAST) | np.isnan(single)
        found = single.astype(target.numpy())
    assert same(converted(values, target), found)[kept].all()


LEAST = 2.0**-127
"""e8m0's least number, above which ml_dtypes has f32's subnormal ones go up instead of down."""


ML_DTYPES = tuple(map(int, ml_dtypes.__version__.split(".")[:2]))


def test_ml_dtypes_rounds_f64_twice_up_to_0_6():
    """What is a little above a tie of e5m2 is a tie in f32, and goes down; here it goes up."""
    value = np.array([1.125 + 2.0**-40])
    assert value.astype(ml_dtypes.float8_e5m2) == (1.0 if ML_DTYPES < (0, 7) else 1.25)
    assert converted(value, dtypes.FLOAT8_E5M2) == 1.25


@pytest.mark.parametrize("target", SMALL_FLOATS, ids=str)
def test_what_comes_from_python_is_rounded_once(target: DType):
    """A number in a program, weights, and a list that is an input: whatever ml_dtypes does."""
    ties = midpoints(target)[-20:-1]
    values = np.concatenate([ties, ties * (1 + 2.0**-40), ties * (1 - 2.0**-40)])
    expected = converted(values, target)
    spec = ty.Spec(values.shape, target)
    listed = ty.trace(lambda x: ty.where(x == x, x, x) if not target.storage else x, spec)
    assert same(listed.lower("interpret").compile()(values.tolist()), expected).all()
    kept = ty.nn.Module()
    kept.weight = values.copy()
    assert same(kept.astype(target).weight, expected).all()
    numbers = np.array([rounded(value, target) for value in values.tolist()])
    assert same(converted(numbers, target), expected).all()


@pytest.mark.parametrize(
    "dtype, wrong", [(ty.int4, [3, 9]), (ty.int4, [3.0, 9.0]), (ty.uint2, [-1])]
)
def test_lists_that_narrow_integers_cannot_hold(dtype: DType, wrong: list[float]):
    program = ty.trace(lambda x: x.astype(ty.int8), ty.Spec((len(wrong),), dtype))
    with pytest.raises(RunError, match=r"expected u?int"):
        program.lower("interpret").compile()(wrong)
    right = np.array(program.lower("interpret").compile()([1] * len(wrong)))
    np.testing.assert_array_equal(right, 1)
