"""Windows that are staged give what windows give, whatever is in them and beyond their edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from in_pairs import in_pairs
from numpy.typing import NDArray

import teenyir as ty
from teenyir.dialects import graph

Array = NDArray[Any]
Pads = Sequence[tuple[int, int]]
Case = tuple[tuple[int, ...], tuple[int, ...], int, int, Pads]

CASES: dict[str, Case] = {
    "half": ((1, 1, 17, 19), (3, 3), 2, 1, ((1, 1), (1, 1))),
    "whole": ((2, 3, 12, 16), (3, 3), 1, 1, ((1, 1), (1, 1))),
    "one-sided": ((2, 3, 12, 16), (3, 3), 1, 1, ((0, 2), (1, 0))),
    "thirds": ((1, 2, 12, 31), (3, 3), 3, 1, ((1, 1), (1, 1))),
    "beyond": ((1, 2, 9, 24), (3, 5), 2, 1, ((5, 4), (6, 7))),
    "dilated": ((1, 2, 12, 30), (3, 3), 1, 2, ((2, 2), (2, 2))),
    "dilated half": ((1, 2, 12, 30), (3, 2), 2, 2, ((2, 1), (1, 2))),
    "sparse": ((1, 2, 12, 30), (2, 3), 3, 2, ((1, 1), (2, 0))),
    "one row": ((1, 2, 1, 20), (3, 3), 1, 1, ((1, 1), (1, 1))),
    "apart": ((1, 2, 20, 20), (4, 2), 4, 1, ((0, 0), (1, 1))),
    "open": ((2, 2, 14, 18), (3, 3), 2, 1, ((0, 0), (0, 0))),
    "line": ((3, 2, 40), (5,), 2, 1, ((2, 2),)),
    "space": ((1, 2, 5, 6, 18), (3, 3, 3), 2, 1, ((1, 1), (0, 1), (1, 1))),
    "few": ((1, 2, 6, 6), (3, 3), 1, 1, ((1, 1), (1, 1))),
    "pairs": ((1, 2, 9, 39), (2, 2), 2, 1, ((0, 0), (0, 0))),
    "vectors": ((1, 2, 9, 43), (3, 3), 2, 1, ((1, 1), (1, 1))),
}

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "u8": np.uint8,
    "i32": np.int32,
    "i64": np.int64,
}

SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float32)


def numbers(shape: Sequence[int], dtype: Any, special: bool = True) -> Array:
    random = np.random.default_rng(sum(shape))
    x = random.integers(-9, 9, shape).astype(dtype)
    if special and np.dtype(dtype).kind not in "iu":
        at = random.random(shape) < 0.1
        x[at] = random.choice(SPECIAL, int(at.sum())).astype(dtype)
    return x


def lowest(kind: str, dtype: Any) -> Any:
    if np.dtype(dtype).kind in "iu":
        return getattr(np.iinfo(dtype), "min" if kind == "max" else "max")
    return -np.inf if kind == "max" else np.inf


def windows(x: Array, case: Case, value: Any) -> Array:
    """The windows of numpy, with their elements along the last axes."""
    _, size, stride, dilation, pads = case
    x = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=value)
    axes = tuple(range(2, x.ndim))
    reach = [(k - 1) * dilation + 1 for k in size]
    found = np.lib.stride_tricks.sliding_window_view(x, reach, axes)
    steps = [slice(None, None, stride)] * len(size), [slice(None, None, dilation)] * len(size)
    return found[(slice(None), slice(None), *steps[0], *steps[1])]


def pooling(kind: str, case: Case, value: Any) -> Callable[[Any], Any]:
    _, size, stride, dilation, pads = case
    rank = len(size)

    def pool(x: Any) -> Any:
        y = ty.pad(x, ((0, 0), (0, 0), *pads), constant_values=value)
        steps = (stride,) * rank, (dilation,) * rank
        found = y.trace.emit(graph.WindowOp, y.value, tuple(range(2, rank + 2)), size, *steps)
        return getattr(ty, kind)(found, axis=tuple(range(-rank, 0)))

    return pool


def depthwise(x: Array, w: Array, case: Case) -> Array:
    found = windows(x, case, 0).astype(np.float64)
    axes = "abc"[: len(case[1])]
    places = "xyz"[: len(case[1])]
    return np.einsum(f"nk{places}{axes},k{axes}->nk{places}", found, w[:, 0].astype(np.float64))


def is_staged(function: Any, *arrays: Array) -> bool:
    text = ty.jit(function).lower(*arrays).as_text("kernel")
    return "%image" in text


@pytest.mark.parametrize(
    ("kind", "name", "beyond"), in_pairs(["max", "min"], [*CASES], ["nothing", "zeros"])
)
def test_extremes(kind: str, name: str, beyond: str) -> None:
    """NaN arrives, and of zeros the sign; beyond an edge there may be what changes a maximum."""
    case = CASES[name]
    x = numbers(case[0], np.float32)
    value = 0.0 if beyond == "zeros" else lowest(kind, np.float32)
    found = ty.jit(pooling(kind, case, value))(x)
    axes = tuple(range(-len(case[1]), 0))
    positive = windows(x, case, value)
    want = getattr(np, kind)(positive, axis=axes)
    np.testing.assert_array_equal(found, want)
    zeros = want == 0  # numpy takes any of the zeros
    sign = np.where(positive == 0, np.signbit(positive), kind == "max")
    is_minus: Array = np.asarray(sign.all(axes) if kind == "max" else sign.any(axes))
    np.testing.assert_array_equal(np.signbit(found)[zeros], is_minus[zeros])


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize(
    ("kind", "case", "name"),
    in_pairs(["max", "min", "sum"], ["half", "one-sided", "dilated", "open", "pairs"], [*DTYPES]),
)
def test_dtypes(kind: str, case: str, name: str) -> None:
    dtype, (shape, size, *_) = DTYPES[name], CASES[case]
    x = numbers(shape, dtype, special=kind != "sum")
    value = 0 if kind == "sum" else lowest(kind, dtype)
    found = ty.jit(pooling(kind, CASES[case], value))(x)
    axes = tuple(range(-len(size), 0))
    with np.errstate(all="ignore"):
        want = getattr(np, kind)(windows(x, CASES[case], value), axis=axes)
    want = want.astype(np.asarray(found).dtype)
    if want.dtype.kind not in "iu":  # numpy knows no NaN of narrow floats
        found, want = np.asarray(found).astype(np.float64), want.astype(np.float64)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_depthwise(case: Case) -> None:
    shape, size, stride, dilation, pads = case
    x, w = (
        numbers(shape, np.float32, special=False),
        numbers((shape[1], 1, *size), np.float32, False),
    )
    x[(0, 0, *(0 for _ in size))] = np.inf

    def conv(x: Any, w: Any) -> Any:
        y = ty.pad(x, ((0, 0), (0, 0), *pads))
        return ty.conv(y, w, stride=stride, dilation=dilation, groups=shape[1])

    with np.errstate(invalid="ignore"):
        want = depthwise(x, w, case)
    np.testing.assert_allclose(ty.jit(conv)(x, w), want, rtol=1e-5)


@pytest.mark.parametrize("name", ["f16", "bf16", "f64", "i32"])
def test_depthwise_dtypes(name: str) -> None:
    case = CASES["whole"]
    x, w = numbers(case[0], DTYPES[name], False), numbers((3, 1, 3, 3), DTYPES[name], False)
    found = ty.jit(products(padding=1, groups=3))(x, w)
    want = depthwise(x, w, case).astype(DTYPES[name])
    np.testing.assert_array_equal(np.asarray(found).astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("n, h, w", [(1, 1, 1), (1, 3, 8), (2, 17, 30), (3, 32, 64)])
def test_named_extents(n: int, h: int, w: int) -> None:
    """Windows of images of any size, and none where an image has none."""
    dims = ty.Dim("N", min=0, max=4), ty.Dim("H", min=1, max=32), ty.Dim("W", min=1, max=64)
    case = CASES["half"]
    x, weights = numbers((n, 2, h, w), np.float32), numbers((2, 1, 3, 3), np.float32, False)
    pool = ty.trace(pooling("max", case, -np.inf), ty.Spec((dims[0], 2, *dims[1:]), ty.float32))
    native = pool.lower(target="cpu").compile()
    for each in (x, x[:0]):
        want = windows(each, case, -np.inf).max((-1, -2)) if each.size else each[:, :, ::2, ::2]
        np.testing.assert_array_equal(native(each), want)
    specs = ty.Spec((dims[0], 2, *dims[1:]), ty.float32), ty.Spec(weights.shape, ty.float32)
    conv = ty.trace(products(padding=1, groups=2), *specs)
    x = numbers(x.shape, np.float32, False)
    whole = (x.shape, (3, 3), 1, 1, ((1, 1), (1, 1)))
    found = conv.lower(target="cpu").compile()(x, weights)
    np.testing.assert_allclose(found, depthwise(x, weights, whole), rtol=1e-5)


def maxima(size: int, **how: Any) -> Callable[[Any], Any]:
    def pool(x: Any) -> Any:
        return ty.max_pool(x, size, **how)

    return pool


def means(**how: Any) -> Callable[[Any], Any]:
    def pool(x: Any) -> Any:
        return ty.avg_pool(x, 3, stride=2, **how)

    return pool


def products(**how: Any) -> Callable[[Any, Any], Any]:
    def conv(x: Any, w: Any) -> Any:
        return ty.conv(x, w, **how)

    return conv


def test_what_is_staged() -> None:
    """Windows with conditions, and such as overlap; not others."""
    x = np.zeros((1, 4, 24, 24), np.float32)
    weights = np.zeros((4, 1, 3, 3), np.float32)
    assert is_staged(maxima(3, stride=2, padding=1), x)
    assert is_staged(maxima(3, stride=2), x)
    assert is_staged(means(padding=1), x)
    assert is_staged(products(padding=1, groups=4), x, weights)
    assert not is_staged(maxima(2), x)
    assert not is_staged(means(), x)
    assert not is_staged(products(groups=4), x, weights)


@pytest.mark.parametrize("rows", [520, 509])
def test_images_beyond_the_cache(rows: int) -> None:
    """Blocks of rows are staged, also where no number of them but one divides the image."""
    case = ((1, 2, rows, 520), (3, 3), 1, 1, ((1, 1), (1, 1)))
    x, w = numbers(case[0], np.float32, False), numbers((2, 1, 3, 3), np.float32, False)
    found = ty.jit(products(padding=1, groups=2))(x, w)
    np.testing.assert_allclose(found, depthwise(x, w, case), rtol=1e-5)


def test_threads_share_channels() -> None:
    """What is staged is of each thread's own channels."""
    case = ((4, 64, 56, 56), (3, 3), 1, 1, ((1, 1), (1, 1)))
    x, w = numbers(case[0], np.float32, False), numbers((64, 1, 3, 3), np.float32, False)
    specs = ty.Spec(x.shape, ty.float32), ty.Spec(w.shape, ty.float32)
    pool = ty.trace(maxima(3, stride=1, padding=1), specs[0]).lower(target="cpu{threads=2}")
    conv = ty.trace(products(padding=1, groups=64), *specs).lower(target="cpu{threads=2}")
    for lowered in (pool, conv):
        text = lowered.as_text("kernel")
        assert "%image" in text and "parallel" in text
    np.testing.assert_array_equal(pool.compile()(x), windows(x, case, -np.inf).max((-1, -2)))
    np.testing.assert_allclose(conv.compile()(x, w), depthwise(x, w, case), rtol=1e-5)
