"""Products of few rows or columns, and of a matrix with itself, however they are tiled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from in_pairs import in_pairs

import teenyir as ty

DTYPES = [np.float32, np.float64, np.int32]
SKINNY = [
    (1, 100, 70),
    (2, 64, 96),
    (3, 33, 48),
    (7, 50, 17),
    (2, 264, 2048),
    (7, 512, 1024),
    (9, 200, 500),
]


@pytest.mark.parametrize(
    ("n", "left", "dtype", "transposed"),
    in_pairs([1, 2, 3, 5, 8, 9], [(9, 33), (70, 100), (64, 256)], DTYPES, [False, True]),
)
def test_few_columns(n: int, left: tuple[int, int], dtype: Any, transposed: bool) -> None:
    check(*left, n, dtype, transposed)


@pytest.mark.parametrize(
    ("shape", "dtype", "transposed"), in_pairs(SKINNY, DTYPES, [False, True]), ids=str
)
def test_few_rows(shape: tuple[int, int, int], dtype: Any, transposed: bool) -> None:
    check(*shape, dtype, transposed)


def check(m: int, k: int, n: int, dtype: Any, transposed: bool) -> None:
    rng = np.random.default_rng(m * k * n)
    a = (rng.normal(size=(m, k)) * 10).astype(dtype)
    b = (rng.normal(size=(n, k) if transposed else (k, n)) * 10).astype(dtype)

    def product(x: Any, y: Any) -> Any:
        return ty.matmul(x, y.T if transposed else y)

    specs = [ty.Spec(each.shape, getattr(ty, dtype.__name__)) for each in (a, b)]
    got = ty.trace(product, *specs).lower("cpu{tuned=none}").compile()(a, b)
    want = a.astype(float) @ (b.T if transposed else b).astype(float)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-2 if dtype == np.float32 else 1e-8)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, tanh: x @ x,
        lambda x, tanh: x @ x.T,
        lambda x, tanh: x.T @ x,
        lambda x, tanh: x @ x + x,
        lambda x, tanh: tanh(x) @ x - x.T,
        lambda x, tanh: x @ x[:, :3],
        lambda x, tanh: x[:5] @ x,
    ],
    ids=["square", "gram", "inner", "plus", "tanh", "columns", "rows"],
)
@pytest.mark.parametrize("size", [7, 64, 101])
def test_both_factors_are_of_one_matrix(function: Callable[..., Any], size: int) -> None:
    x = np.random.default_rng(size).normal(size=(size, size)).astype(np.float32)
    traced = ty.trace(lambda x: function(x, ty.tanh), ty.Spec(x.shape, ty.float32))
    got = traced.lower("cpu{tuned=none}").compile()(x)
    np.testing.assert_allclose(got, function(x.astype(float), np.tanh), rtol=1e-4, atol=1e-3)
