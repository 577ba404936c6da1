"""Convolutions that read a padded image give what convolutions give, at its edges and beyond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty

Array = NDArray[Any]

CASES = {
    "whole": ((2, 6, 16, 48), 16, 3, 1, 1),
    "columns": ((1, 5, 9, 29), 12, 3, 1, 1),
    "far": ((1, 4, 12, 24), 9, 5, 1, 4),
    "dilated": ((1, 4, 12, 24), 16, 3, 2, 2),
    "few channels": ((3, 1, 10, 48), 24, 3, 1, 1),
    "one row": ((2, 7, 1, 32), 16, 3, 1, 1),
}

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64, "i32": np.int32}


def numbers(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(dtype)


def convolution(x: Array, w: Array, dilation: int, padding: int) -> Array:
    edges = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    x = np.pad(x.astype(np.float64), edges)
    reach = (w.shape[-1] - 1) * dilation + 1
    found = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), (2, 3))
    return np.einsum("nchwij,fcij->nfhw", found[..., ::dilation, ::dilation], w.astype(np.float64))


def conv(**how: Any) -> Callable[[Any, Any], Any]:
    def convolved(x: Any, w: Any) -> Any:
        return ty.conv(x, w, **how)

    return convolved


def compiled(function: Any, *arrays: Array, threads: int = 1) -> tuple[Any, str]:
    """The function of a CPU, and the text of its kernels."""
    specs = [ty.Spec(each.shape, getattr(ty, each.dtype.name)) for each in arrays]
    lowered = ty.trace(function, *specs).lower(target=f"cpu{{threads={threads}}}")
    return lowered.compile(), lowered.as_text("kernel")


@pytest.mark.filterwarnings("ignore:invalid value encountered in:RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_edges(name: str) -> None:
    """Padding is 0, whatever is beside it in memory."""
    shape, filters, size, dilation, padding = CASES[name]
    x, w = numbers(shape), numbers((filters, shape[1], size, size))
    x[0, 0, 0, -1], x[-1, -1, -1, 0], x[0, 0, 0, 5] = np.inf, np.nan, -0.0
    function, text = compiled(conv(padding=padding, dilation=dilation), x, w)
    assert "%image" in text
    np.testing.assert_allclose(function(x, w), convolution(x, w, dilation, padding), rtol=1e-5)


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name: str) -> None:
    x, w = numbers((1, 3, 8, 32), DTYPES[name]), numbers((16, 3, 3, 3), DTYPES[name])
    function, _ = compiled(conv(padding=1), x, w)
    want = convolution(x, w, 1, 1).astype(DTYPES[name])
    np.testing.assert_array_equal(np.asarray(function(x, w)).astype(float), want.astype(float))


@pytest.mark.parametrize("rows", [60, 59])
def test_threads_have_blocks(rows: int) -> None:
    """Of one image each thread keeps the rows that it reads."""
    x, w = numbers((1, 8, rows, 64)), numbers((16, 8, 3, 3))
    function, text = compiled(conv(padding=1), x, w, threads=2)
    assert "%image" in text and "parallel" in text
    np.testing.assert_array_equal(function(x, w), convolution(x, w, 1, 1))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_named_extents(n: int) -> None:
    images, rows = ty.Dim("N", min=0, max=4), ty.Dim("H", min=1, max=16)
    specs = ty.Spec((images, 4, rows, 32), ty.float32), ty.Spec((16, 4, 3, 3), ty.float32)
    function = ty.trace(conv(padding=1), *specs).lower(target="cpu").compile()
    for height in (1, 2, 16):
        x, w = numbers((n, 4, height, 32)), numbers((16, 4, 3, 3))
        np.testing.assert_array_equal(function(x, w), convolution(x, w, 1, 1))
