"""Rows of any length, in one pass over blocks, give what the plain formulas give in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import in_numpy as np_
import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir.targets import cpu

Array = NDArray[Any]

N = ty.Dim("N", min=1)
BLOCK = 128
"""Of scores; of rows in memory a block is longer."""
LONG = 30_000
INF, NAN = np.inf, np.nan


def rows(length: int) -> dict[str, Array]:
    """Rows that break careless formulas."""
    random = np.random.default_rng(length).standard_normal((2, length)).astype(np.float32)
    found = {
        "random": random,
        "all -inf": np.full_like(random, -INF),
        "rising": np.tile(np.linspace(-3e4, 3e4, length, dtype=np.float32), (2, 1)),
    }
    for name, value in {"-inf": -INF, "inf": INF, "nan": NAN, "far": 1e30}.items():
        for place, at in {"first": 0, "middle": length // 2, "last": length - 1}.items():
            found[f"{name} {place}"] = random.copy()
            found[f"{name} {place}"][1, at] = value
    for name, part in {"first": slice(0, length // 2), "last": slice(length // 2, None)}.items():
        found[f"{name} half -inf"] = random.copy()
        found[f"{name} half -inf"][:, part] = -INF
    return found


def _log_softmax(x: Array) -> Array:
    """Where a softmax would be 0 too."""
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "plain"),
    [(ty.softmax, np_.softmax), (ty.log_softmax, _log_softmax)],
    ids=["softmax", "log_softmax"],
)
def test_rows_of_any_length(function: Any, plain: Any) -> None:
    lowered = ty.trace(function, ty.Spec((2, N), ty.float32)).lower(target="cpu{twice=always}")
    program = lowered.compile(cache=False)
    assert len(lowered.kernels) == 1
    for length in (1, 2, 100, LONG):
        for name, x in rows(length).items():
            want = plain(x.astype(np.float64))
            np.testing.assert_allclose(program(x), want, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_logsumexp_of_any_length() -> None:
    """Infinite where the greatest is, since it is not subtracted then."""
    lowered = ty.trace(lambda x: ty.logsumexp(x, axis=-1), ty.Spec((2, N), ty.float32)).lower()
    program = lowered.compile(cache=False)
    for length in (1, 100, LONG):
        for name, x in rows(length).items():
            want = np.logaddexp.reduce(x.astype(np.float64), axis=-1)
            np.testing.assert_allclose(program(x), want, rtol=1e-5, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_attention_with_masks_over_whole_blocks() -> None:
    """What is masked out has no part, be it whole blocks; of a row without anything left NaN comes
    out by the plain formula, and zeros where that is asked for."""

    def plain(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = ty.where(mask, q @ ty.swapaxes(k, -1, -2) * 0.25, -INF)
        return ty.softmax(scores) @ v, ty.scaled_dot_product_attention(q, k, v, mask)

    random = np.random.default_rng(0)
    for count in (BLOCK - 1, 3 * BLOCK, 3 * BLOCK + 1):
        q, k, v = (random.standard_normal((n, 16)).astype(np.float32) for n in (5, count, count))
        mask = random.random((5, count)) < 0.5
        mask[0] = False
        mask[1, :BLOCK] = False
        mask[2, -BLOCK:] = False
        mask[3] = False
        mask[3, count // 2] = True
        both = program_of(plain)(q, k, v, mask)
        want = np_.attention(*(x.astype(np.float64) for x in (q, k, v)), mask)
        np.testing.assert_allclose(both[0], want, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(both[1], np.nan_to_num(want), rtol=1e-4, atol=1e-5)


PROGRAMS: dict[str, Any] = {}


def program_of(function: Any) -> Any:
    """Compiled once for all numbers of keys."""
    if function.__name__ not in PROGRAMS:
        specs = [ty.Spec((5, 16), ty.float32), *(ty.Spec((N, 16), ty.float32),) * 2]
        lowered = ty.trace(function, *specs, ty.Spec((5, N), ty.bool)).lower()
        PROGRAMS[function.__name__] = lowered.compile(cache=False)
    return PROGRAMS[function.__name__]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_attention_of_half_floats_is_summed_in_float32(dtype: str) -> None:
    narrow = np.dtype(getattr(ml_dtypes, dtype, dtype))
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((n, 16)).astype(narrow) for n in (40, 4100, 4100))
    specs = [ty.Spec((n, 16), getattr(ty, dtype)) for n in (40, 4100, 4100)]
    lowered = ty.trace(ty.scaled_dot_product_attention, *specs).lower()
    assert len(lowered.kernels) == 1
    found = lowered.compile(cache=False)(q, k, v)
    want = np_.attention(*(x.astype(np.float64) for x in (q, k, v)))
    tolerance = float(ml_dtypes.finfo(narrow).eps)
    np.testing.assert_allclose(found.astype(float), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("bits", "kernels"), [(128, 2), (256, 2), (512, 1)])
def test_exponentials_are_computed_twice_in_wide_vectors(
    monkeypatch: pytest.MonkeyPatch, bits: int, kernels: int
) -> None:
    host = replace(cpu.host(), vector_bits=bits)
    monkeypatch.setattr(cpu, "host", lambda: host)
    softmax = ty.trace(ty.softmax, ty.Spec((2, N), ty.float32))
    assert len(softmax.lower(target="cpu").kernels) == kernels


def test_what_is_computed_once_is_one_kernel_in_any_vectors() -> None:
    """Log-sum-exp has no result for each element of a row, attention's exponentials are staged."""

    def logsumexp(x: Any, w: Any) -> Any:
        return ty.logsumexp(x @ w, axis=-1)

    product = ty.trace(logsumexp, ty.Spec((8, 4), ty.float32), ty.Spec((4, N), ty.float32))
    far = ty.Spec((2, N, 16), ty.float32)
    attention = ty.trace(ty.scaled_dot_product_attention, far, far, far)
    for traced in (product, attention):
        assert len(traced.lower(target="cpu{twice=never}").kernels) == 1
