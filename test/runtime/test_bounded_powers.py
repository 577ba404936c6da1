"""Softmax and its like where a row's maximum is no finite number, or far above the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teenyir as ty

inf, nan = np.inf, np.nan
ROWS = [
    *([inf, 100, 60, 2], [100, inf, 60, 2], [inf, inf, 0, -inf], [-inf] * 4, [nan, 1, 2, 3]),
    *([nan, inf, 0, 1], [-inf, 0, 1, 2], [200, 60, -60, -200], [0, -100, -104, -90]),
    *([0, -103.9, -103.97, -87.4], [3e38, -3e38, 0, 1], [-0.0, 0.0, -0.0, 0.0]),
]


def logsumexp(x: Any) -> Any:
    m = x.max(axis=-1)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(x - m[:, None]).sum(axis=-1)) + m


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("target", ["cpu", "cpu{twice=always}"])
@pytest.mark.parametrize("length", [4, 37, "N"])
@pytest.mark.parametrize(
    ("function", "plain"),
    [(ty.logsumexp, logsumexp), (ty.softmax, softmax)],
    ids=["logsumexp", "softmax"],
)
def test_rows_without_a_finite_maximum(
    function: Callable[..., Any], plain: Callable[[Any], Any], length: int | str, target: str
) -> None:
    size = 5000 if length == "N" else int(length)
    x = np.full((len(ROWS), size), -3.0, np.float32)
    x[:, -4:] = np.array(ROWS, np.float32)
    extent = ty.Dim("N", 1, 100_000) if length == "N" else size
    spec = ty.Spec((len(ROWS), extent), ty.float32)
    program = ty.trace(lambda x: function(x, axis=-1), spec).lower(target).compile(cache=False)
    with np.errstate(all="ignore"):
        expected = plain(x.astype(np.float64))
    np.testing.assert_allclose(program(x), expected, rtol=2e-6, atol=1.5e-45)
