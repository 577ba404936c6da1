"""Long sums of f32 are formed in blocks: what is off stays within a few units on every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from in_pairs import in_pairs

import teenyir as ty

LONG = 1 << 20
CASES: dict[str, tuple[Callable[[ty.Tensor], ty.Tensor], tuple[int, ...]]] = {
    "sum": (ty.sum, (LONG,)),
    "variance": (ty.var, (LONG,)),
    "square": (lambda x: x @ x, (LONG,)),
    "over two axes": (ty.sum, (1024, 1024)),
    "over the middle one": (lambda x: ty.sum(x, axis=1), (4, LONG // 4, 3)),
    "softmax": (lambda x: ty.softmax(x)[:3], (LONG // 4,)),
}
N = ty.Dim("N")


def off(found: Any, expected: Any) -> float:
    return float(np.max(np.abs(np.asarray(found, np.float64) - expected) / np.abs(expected)))


@pytest.mark.parametrize("target", ["cpu", "c"])
@pytest.mark.parametrize("name", CASES)
def test_errors_do_not_pile_up(name: str, target: str):
    function, shape = CASES[name]
    x = (np.random.default_rng(0).random(shape) + 1).astype(np.float32)
    wide = ty.trace(function, ty.Spec(shape, ty.float64)).lower(target="interpret").compile()
    found = ty.trace(function, x).lower(target=target).compile()(x)
    assert off(found, wide(x.astype(np.float64))) < 2e-6


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 1025, 3000, 70_001])
def test_every_number_is_in_one_block(n: int):
    """Whole numbers are exact in any order."""
    x = np.random.default_rng(n).integers(-9, 9, n).astype(np.float32)
    for target in ("cpu", "c"):
        compiled = ty.trace(ty.sum, ty.Spec((N,))).lower(target=target).compile()
        assert compiled(x) == x.astype(np.float64).sum()


@pytest.mark.parametrize(
    ("dtype", "rows", "target"),
    in_pairs(
        [np.float32, np.float64, np.int32, np.int8],
        [1, 2, 7, 8, 12, 64, 65],
        ["cpu{threads=1}", "cpu{threads=2}", "c"],
    ),
)
def test_columns_of_several_rows_at_a_time(dtype: Any, rows: int, target: str):
    x = np.random.default_rng(rows).integers(-3, 4, (rows, 50)).astype(dtype)
    spec = ty.Spec(x.shape, getattr(ty, x.dtype.name))
    found = ty.trace(lambda x: ty.sum(x, axis=0), spec).lower(target=target).compile()(x)
    np.testing.assert_array_equal(found, x.sum(0).astype(found.dtype))


@pytest.mark.parametrize(
    ("reduce", "columns", "threads"),
    in_pairs(["sum", "max", "min", "argmax", "mean"], [4096, 4100, 8192], [1, 2]),
)
def test_rows_that_are_read_in_several_streams(reduce: str, columns: int, threads: int):
    x = np.random.default_rng(columns).integers(-99, 99, (160, columns)).astype(np.float32)
    x[3, 5], x[4] = np.nan, -0.0
    function = getattr(ty, reduce)
    traced = ty.trace(lambda x: (function(x, axis=1), function(x[5:])), ty.Spec(x.shape))
    rows, whole = traced.lower(target=f"cpu{{threads={threads}}}").compile()(x)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(rows, getattr(wide, reduce)(1), rtol=1e-6)
    np.testing.assert_allclose(whole, getattr(wide[5:], reduce)(), rtol=1e-6)
