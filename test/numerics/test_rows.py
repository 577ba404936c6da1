"""Rows on the CPU, in vectors and blocks: zeros with signs, NaN, ties and odd sizes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty

Array = NDArray[Any]


def compiled(function: Callable[[Any], Any], array: Array) -> ty.Compiled:
    spec = ty.Spec(array.shape, getattr(ty, array.dtype.name))
    return ty.trace(function, spec).lower(target="cpu").compile()


def extremes(x: Array) -> tuple[Array, Array]:
    """The maxima and minima of rows; +0 is greater than -0."""
    found: list[tuple[float, float]] = []
    for row in x:
        if np.isnan(row).any():
            found.append((math.nan, math.nan))
            continue
        ordered = sorted(row.tolist(), key=lambda each: (each, math.copysign(1, each)))
        found.append((ordered[-1], ordered[0]))
    greatest, least = np.array(found, x.dtype).T
    return greatest, least


SPECIAL: dict[str, list[float]] = {
    "zeros": [0.0, -0.0],
    "zeros and less": [0.0, -0.0, -1.0, -0.0, -1e-40],
    "zeros and more": [0.0, -0.0, 1.0, 1e-40],
    "negative zeros": [-0.0, -0.0, -0.0, -3.0],
    "infinities": [math.inf, -math.inf, 0.0, -0.0],
    "nothing else": [-math.inf],
}


@pytest.mark.parametrize("columns", [1, 7, 64, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_maxima_keep_signs_and_nan(columns: int, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    call = compiled(
        lambda x: (ty.max(x, axis=1), ty.min(x, axis=1)), np.zeros((64, columns), dtype)
    )
    for values in SPECIAL.values():
        x = rng.choice(np.array(values, dtype), (64, columns))
        x[::3][rng.random((22, columns)) < 2 / columns] = rng.choice([math.nan, -math.nan])
        for got, exact in zip(call(x), extremes(x), strict=True):
            np.testing.assert_array_equal(got, exact)
            zeros = exact == 0
            np.testing.assert_array_equal(np.signbit(got)[zeros], np.signbit(exact)[zeros])


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 20, 33, 40, 64, 85, 100, 515])
def test_powers_of_rows(columns: int) -> None:
    """NaN arrives by way of the sum, and a zero has the sign that it has in exact arithmetic."""
    rng = np.random.default_rng(0)
    call = compiled(
        lambda x: (ty.logsumexp(x, axis=1), ty.log_softmax(x, axis=1), ty.softmax(x, axis=1)),
        np.zeros((64, columns), np.float32),
    )
    for values in SPECIAL.values():
        x = rng.choice(np.array(values, np.float32), (64, columns))
        x[::3][rng.random((22, columns)) < 2 / columns] = rng.choice([math.nan, -math.nan])
        with np.errstate(all="ignore"):
            m = extremes(x)[0].astype(float)[:, None]
            s = np.exp(x - m).sum(1, keepdims=True)
            finite = np.where(np.isfinite(m), m, 0)
            sums = np.log(np.exp(x - finite).sum(1, keepdims=True)) + finite
            exact = (sums[:, 0], x - m - np.log(s), np.exp(x - m) / s)
            results = call(x)
        for got, expected in zip(results, exact, strict=True):
            np.testing.assert_allclose(got, expected, rtol=2e-6)
            zeros = expected == 0
            np.testing.assert_array_equal(np.signbit(got)[zeros], np.signbit(expected)[zeros])


@pytest.mark.parametrize("columns", [5, 33, 144, 203, 256, 300, 1000])
@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.float16, np.int32, np.uint8, np.int64]
)
def test_places_of_extremes(columns: int, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    call = compiled(
        lambda x: (ty.argmax(x, axis=1), ty.argmin(x, axis=1), ty.argmax(x, axis=0)),
        np.zeros((64, columns), dtype),
    )
    inputs = [rng.integers(0, 250, (64, columns)).astype(dtype) for _ in range(2)]
    if np.issubdtype(dtype, np.floating):
        inputs[1][rng.random((64, columns)) < 0.01] = math.nan
        inputs.append(np.full((64, columns), -math.inf, dtype))
        inputs.append(rng.choice(np.array([0.0, -0.0], dtype), (64, columns)))
    for x in inputs:
        for got, exact in zip(call(x), (x.argmax(1), x.argmin(1), x.argmax(0)), strict=True):
            np.testing.assert_array_equal(got, exact)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_places_of_extremes_in_a_long_row(dtype: Any) -> None:
    """Whose lanes are put together in each block; the last block begins among the one before."""
    x = np.random.default_rng(0).integers(0, 250, (70_003,)).astype(dtype)
    call = compiled(lambda x: (ty.argmax(x), ty.argmin(x)), x)
    for place, number in ((69_999, 500), (70_002, 500), (0, -7), (66_000, math.nan)):
        x[place] = number
        for got, exact in zip(call(x), (x.argmax(), x.argmin()), strict=True):
            np.testing.assert_array_equal(got, exact)


@pytest.mark.parametrize(
    ("shape", "order", "dtype"),
    [
        ((160, 208), (1, 0), np.float32),
        ((201, 333), (1, 0), np.float32),
        ((144, 96), (1, 0), np.float64),
        ((512, 256), (1, 0), np.uint8),
        ((3, 48, 32, 16), (0, 2, 3, 1), np.float32),
        ((3, 48, 32, 17), (0, 3, 1, 2), np.int32),
        ((17, 9, 65), (2, 0, 1), np.float16),
        ((1031, 9), (1, 0), np.float32),
        ((5, 4099), (1, 0), np.float32),
        ((4099, 7), (1, 0), np.int64),
        ((70001, 3), (1, 0), np.uint8),
        ((3, 70001), (1, 0), np.uint8),
    ],
)
def test_transpositions(shape: tuple[int, ...], order: tuple[int, ...], dtype: Any) -> None:
    x = np.random.default_rng(0).integers(0, 250, shape).astype(dtype)
    call = compiled(lambda x: ty.permute_dims(x, order), x)
    np.testing.assert_array_equal(call(x), x.transpose(order))
