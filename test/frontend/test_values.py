"""What traced functions compute, on the interpreter, against numpy.

Most of the table is one function applied to both: `xp` is numpy in one run and `ty` in the other.
"""

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir import nn
from teenyir.interpreter import run

RNG = np.random.default_rng(0)
F = RNG.normal(size=(5, 4)).astype(np.float32)
G = RNG.normal(size=(5, 4)).astype(np.float32)
K = RNG.integers(-9, 9, (5, 4)).astype(np.int32)
J = RNG.integers(1, 5, (5, 4)).astype(np.int32)
U = RNG.integers(0, 200, (5, 4)).astype(np.uint8)
B = F > 0
T = RNG.normal(size=(2, 3, 4)).astype(np.float32)


def traced(function: Callable[..., Any], *arrays: np.ndarray, dynamic: bool) -> Any:
    """The result of the traced function; `dynamic` makes the first extent of each input a dim."""
    specs = []
    for array in arrays:
        shape: list[Any] = list(array.shape)
        if dynamic and shape:
            shape[0] = ty.Dim(f"N{array.shape[0]}", min=1)
        specs.append(ty.Spec(shape, array.dtype))
    program = ty.trace(lambda *xs: function(ty, *xs), *specs)
    given = dict(zip(program.input_names, arrays, strict=True)) | program.parameters
    outputs = run(ty.parse(program.as_text()).module, given)
    ty.PassManager.parse("optimize-graph").run(program.module)
    for before, after in zip(outputs, run(program.module, given), strict=True):
        np.testing.assert_array_equal(after, before)  # to the bit, but for the sign of NaN
    return program.outputs.build(outputs)


SAME: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "arithmetic": (lambda xp, x, y: (x + y) * 2 - y / 3, (F, G)),
    "reflected": (lambda xp, x: (1 - x, 2 / (3 + x * x), 5 // (x * x + 1), 2.0**x), (F,)),
    "floor and mod": (lambda xp, x, y: (x // y, x % y, x // -2, x % -2), (F, G)),
    "integers": (lambda xp, x, y: (x + y, x * y, x // y, x % y, -x, abs(x), x**3, x**0), (K, J)),
    "integers wrap": (lambda xp, x: (x + x, x * x, -x, ~x), (U,)),
    "bits": (lambda xp, x, y: (x & y, x | y, x ^ y, ~x, x << y, x >> y), (K, J)),
    "bits of scalars": (lambda xp, x: (x & 3, 1 | x, x ^ -1, x << 2, x >> 1), (K,)),
    "booleans": (lambda xp, x, y: (x & y, x | ~y, x ^ (y == x)), (B, ~B[::-1].copy())),
    "comparisons": (lambda xp, x, y: (x < y, x <= 0, x > y, x <= 0, x == x, x != y), (F, G)),
    "unary": (
        lambda xp, x: (xp.exp(x), xp.sin(x), xp.cos(x), xp.tanh(x), xp.exp2(x), xp.tan(x), +x),
        (F,),
    ),
    "positive unary": (
        lambda xp, x: (xp.log(x * x), xp.log2(x * x), xp.log10(x * x), xp.sqrt(x * x)),
        (F,),
    ),
    "rounding": (
        lambda xp, x: (
            xp.floor(x * 2),
            xp.ceil(x),
            xp.round(x * 2) / 2,
            xp.trunc(x * 3),
            xp.sign(x),
        ),
        (F,),
    ),
    "square": (lambda xp, x: (xp.square(x), xp.reciprocal(x), x**2, x**-1), (F,)),
    "extremes": (
        lambda xp, x, y: (xp.maximum(x, y), xp.minimum(x, 0), xp.clip(x, -1, 0.5)),
        (F, G),
    ),
    "where": (lambda xp, x, y: xp.where(x > y, x, 0.0), (F, G)),
    "where broadcasts": (lambda xp, x: xp.where(x[:, :1] > 0, x[0], x), (F,)),
    "logical": (
        lambda xp, x, y: (
            xp.logical_and(x, y),
            xp.logical_or(x, y),
            xp.logical_xor(x, y),
            xp.logical_not(x),
        ),
        (B, ~B),
    ),
    "isnan": (lambda xp, x: (xp.isnan(x / 0), xp.isinf(x / 0), xp.isfinite(x)), (F * B,)),
    "atan2": (lambda xp, x, y: xp.arctan2(x, y), (F, G)),
    "broadcast": (lambda xp, x: x + x[:, :1] * x[0], (F,)),
    "broadcast_to": (lambda xp, x: xp.broadcast_to(x, (3, *x.shape)), (F,)),
    "sum": (lambda xp, x: (x.sum(), x.sum(axis=0), x.sum(axis=(0, -1), keepdims=True)), (F,)),
    "sum of ints": (lambda xp, x: (x.sum(axis=0), x.prod(axis=1)), (J,)),
    "sum of small ints": (lambda xp, x: (x.sum(axis=1), x.prod(axis=0)), (U,)),
    "sum of bools": (lambda xp, x: x.sum(axis=0), (B,)),
    "max": (lambda xp, x: (x.max(), x.min(axis=1), x.max(axis=0, keepdims=True)), (F,)),
    "mean": (lambda xp, x: (x.mean(), x.mean(axis=0), x.mean(axis=1, keepdims=True)), (F,)),
    "var": (lambda xp, x: (x.var(), x.std(axis=0), xp.var(x, axis=1)), (F,)),
    "any all": (lambda xp, x: (x.any(axis=0), x.all(axis=1), xp.all(x | ~x)), (B,)),
    "any of ints": (lambda xp, x: (x.any(axis=0), x.all(axis=1)), (K,)),
    "argmax": (lambda xp, x: (x.argmax(), x.argmin(axis=0), xp.argmax(x, axis=1)), (F,)),
    "argmax of ties": (lambda xp, x: (x.argmax(axis=0), x.argmin()), (J,)),
    "matmul": (lambda xp, x, y: (x @ y.T, x[0] @ y[0], x @ y[0], x[:, 0] @ y), (F, G)),
    "matmul batch": (lambda xp, x: x @ x.mT if xp is ty else x @ x.transpose(0, 2, 1), (T,)),
    "matmul left": (
        lambda xp, x: (x[0] @ xp.permute_dims(x, (0, 2, 1)), x[0, 0] @ x[..., None]),
        (T,),
    ),
    "matmul ints": (lambda xp, x, y: x @ y.T, (K, J)),
    "tensordot": (lambda xp, x: xp.tensordot(x, x, axes=((0, 2), (0, 2))), (T,)),
    "reshape": (
        lambda xp, x: (x.reshape(-1, 2), x.reshape((2, x.shape[0], 2)), x.reshape(-1)),
        (F,),
    ),
    "transpose": (lambda xp, x: (x.T, xp.permute_dims(x, (1, 0)), x.transpose(1, 0)), (F,)),
    "moveaxis": (lambda xp, x: (xp.moveaxis(x, 0, -1), xp.moveaxis(x, 2, 0)), (T,)),
    "expand_dims": (lambda xp, x: xp.expand_dims(x, axis=(0, -1)), (F,)),
    "squeeze": (lambda xp, x: (x[:, :1].squeeze(1), x[None, :, None].squeeze()), (F,)),
    "flip": (lambda xp, x: (xp.flip(x), xp.flip(x, axis=1)), (F,)),
    "concat": (lambda xp, x, y: (xp.concat([x, y]), xp.concat([x, y], axis=-1)), (F, G)),
    "concat flat": (lambda xp, x, y: xp.concat([x, y[0]], axis=None), (F, G)),
    "stack": (lambda xp, x, y: (xp.stack([x, y]), xp.stack([x, y], axis=-1)), (F, G)),
    "pad": (lambda xp, x: (xp.pad(x, 1), xp.pad(x, ((0, 1), (2, 0)), constant_values=7)), (F,)),
    "index": (lambda xp, x: (x[0], x[-1], x[0, 1], x[..., 2], x[:, None], x[()]), (F,)),
    "slice": (lambda xp, x: (x[1:], x[:-1], x[1:-1:2], x[::3], x[2:100], x[-3:-1], x[9:]), (F,)),
    "backward": (lambda xp, x: (x[::-1], x[::-2], x[:, 3:0:-2], x[..., ::-3]), (F,)),
    "full": (lambda xp, x: x + xp.full(x.shape, 2.5, dtype=xp.float32), (F,)),
    "zeros": (lambda xp, x: (xp.zeros_like(x), xp.ones_like(x), xp.full_like(x, 3)), (K,)),
    "arange": (lambda xp, x: xp.arange(x.shape[0], dtype=xp.int32) + x[:, 0], (K,)),
    "constants": (
        lambda xp, x: (
            xp.arange(3, 10, 2),
            xp.arange(5, -5, -3),
            xp.asarray([[1, 2], [3, 4]], dtype=xp.uint8),
            xp.asarray([True, False]),
            xp.arange(0, 1, 0.25, dtype=xp.float64),
        ),
        (F,),
    ),
    "astype": (
        lambda xp, x: (
            x.astype(xp.int32),
            x.astype(xp.float64),
            x.astype(xp.float16),
            x.astype(xp.bool),
        ),
        (F,),
    ),
    "half": (lambda xp, x: (x.astype(xp.float16) * 2 + 1).astype(xp.float32), (F,)),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("case", SAME)
def test_as_numpy(case, dynamic):
    function, arrays = SAME[case]
    with np.errstate(all="ignore"):
        expected = function(np, *arrays)
    actual = traced(function, *arrays, dynamic=dynamic)
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected, strict=True):
        assert got.dtype == np.asarray(wanted).dtype
        assert got.shape == np.shape(wanted)
        np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=2e-6)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normalized(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


WIDE = F.astype(np.float64)
OTHER: dict[str, tuple[Callable[..., Any], Callable[[np.ndarray], np.ndarray]]] = {
    "relu": (ty.relu, lambda x: np.maximum(x, 0)),
    "sigmoid": (ty.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "silu": (ty.silu, lambda x: x / (1 + np.exp(-x))),
    "erf": (ty.erf, lambda x: np.vectorize(erf)(x)),
    "rsqrt": (lambda x: ty.rsqrt(x * x), lambda x: 1 / np.abs(x)),
    "gelu": (ty.gelu, lambda x: x * (1 + np.vectorize(erf)(x / 2**0.5)) / 2),
    "gelu tanh": (
        lambda x: ty.gelu(x, approximate="tanh"),
        lambda x: x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2,
    ),
    "softmax": (lambda x: ty.softmax(x, axis=0), lambda x: softmax(x, 0)),
    "softmax large": (lambda x: ty.softmax(x * 1000), lambda x: softmax(x * 1000, 1)),
    "log_softmax": (ty.log_softmax, lambda x: np.log(softmax(x, 1))),
    "layer_norm": (ty.layer_norm, lambda x: normalized(x, (1,))),
    "layer_norm axes": (lambda x: ty.layer_norm(x, (0, 1)), lambda x: normalized(x, (0, 1))),
    "correction": (lambda x: x.var(axis=0, correction=1), lambda x: x.var(axis=0, ddof=1)),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("case", OTHER)
def test_as_the_formula(case, dtype, dynamic):
    function, formula = OTHER[case]
    x = F.astype(dtype)
    got = traced(lambda _, x: function(x), x, dynamic=dynamic)
    assert got.dtype == dtype
    tolerance = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(got, formula(x.astype(np.float64)), rtol=tolerance, atol=tolerance)


def pooled(x: np.ndarray, size: int, stride: int, combine: Any) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    return combine(windows[:, :, ::stride, ::stride], axis=(-2, -1))


def test_pooling():
    x = RNG.normal(size=(2, 3, 7, 6)).astype(np.float32)
    for dynamic in (False, True):
        got = traced(lambda _, x: ty.max_pool(x, 3, stride=2), x, dynamic=dynamic)
        np.testing.assert_array_equal(got, pooled(x, 3, 2, np.max))
        got = traced(lambda _, x: ty.avg_pool(x, 2), x, dynamic=dynamic)
        np.testing.assert_allclose(got, pooled(x, 2, 2, np.mean), rtol=1e-5, atol=1e-6)
        got = traced(lambda _, x: ty.max_pool(x, 2, padding=1), x, dynamic=dynamic)
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        np.testing.assert_array_equal(got, pooled(padded, 2, 2, np.max))
        ints = (x * 10).astype(np.int8)
        got = traced(lambda _, x: ty.max_pool(x, 2, padding=1), ints, dynamic=dynamic)
        padded = np.pad(ints, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-128)
        np.testing.assert_array_equal(got, pooled(padded, 2, 2, np.max))


def test_conv():
    """Against the definition, written out."""
    x = RNG.normal(size=(2, 4, 7, 6)).astype(np.float32)
    w = RNG.normal(size=(6, 2, 3, 2)).astype(np.float32)
    b = RNG.normal(size=6).astype(np.float32)
    stride, pad, dilation = (2, 1), (1, 2), (1, 2)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)))
    expected = np.zeros((2, 6, 4, 8), np.float32) + b[:, None, None]
    for o, r, c in np.ndindex(6, 4, 8):
        group = slice(2 * (o // 3), 2 * (o // 3) + 2)
        patch = padded[:, group, r * 2 : r * 2 + 3, c : c + 3 : 2]
        expected[:, o, r, c] += (patch * w[o]).sum(axis=(1, 2, 3))
    for dynamic in (False, True):
        got = traced(
            lambda _, x: ty.conv(x, w, b, stride=stride, padding=pad, dilation=dilation, groups=2),
            x,
            dynamic=dynamic,
        )
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_a_model():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 2))
    got = traced(lambda _, x: model(x), F, dynamic=True)
    w = model.state_dict()
    hidden = normalized(np.tanh(F @ w["0.weight"].T + w["0.bias"]), (1,))
    expected = hidden * w["2.weight"] + w["2.bias"]
    np.testing.assert_allclose(got, expected @ w["3.weight"].T + w["3.bias"], rtol=1e-4, atol=1e-5)


def test_argmax_of_nan_is_the_first_one():
    x = F.copy()
    x[2, 1] = x[3, 1] = np.nan
    got = traced(lambda _, x: (x.argmax(axis=0), x.argmin()), x, dynamic=True)
    np.testing.assert_array_equal(got[0], x.argmax(axis=0))
    np.testing.assert_array_equal(got[1], x.argmin())


def test_dims_of_the_call_are_used():
    """One program for all sizes, the empty one too where the range has it."""
    n = ty.Dim("N")
    program = ty.trace(lambda x: (x[1:], x[:3].sum(), x[::-1]), ty.Spec((n,)))
    for size in (0, 1, 2, 5):
        x = np.arange(size, dtype=np.float32)
        outputs = run(program.module, [x])
        for got, wanted in zip(outputs, (x[1:], x[:3].sum(), x[::-1]), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_dims_are_values_too():
    """An expression of extents beside a tensor takes its dtype, as an integer would."""
    n = ty.Dim("N", min=3)
    exprs = (n, n // 2 + 1, n * n - 3 * n, n % 4 - n, -n // 2, ty.Dim("N", min=3) - 5)

    def function(x):
        total = x.sum() / x.shape[0]
        return total, [x[0] * 0 + expr for expr in exprs], ty.asarray(n * 2), x.astype("int8") * n

    program = ty.trace(function, ty.Spec((n,), ty.float32))
    for size in (3, 5, 8):
        x = np.arange(size, dtype=np.float32)
        total, values, double, product = program.outputs.build(run(program.module, [x]))
        assert total == x.mean()
        assert [int(v) for v in values] == [value_of(expr.expr, size) for expr in exprs]
        assert double == 2 * size
        assert double.dtype == np.int64
        np.testing.assert_array_equal(product, x.astype(np.int8) * size)


def value_of(expr: Any, size: int) -> int:
    return expr.evaluate({"N": size})


def test_numbers_are_rounded_to_their_dtype():
    x = np.zeros(1, np.float16)
    got = traced(lambda _, x: (x + 1e10, x + 0.1, x - 10**10), x, dynamic=False)
    np.testing.assert_array_equal(got[0], [np.inf])
    np.testing.assert_array_equal(got[1], [np.float16(0.1)])
    np.testing.assert_array_equal(got[2], [-np.inf])


def test_divmod_and_round():
    got = traced(lambda _, x: (*divmod(x, 2), round(x)), F, dynamic=False)
    for a, b in zip(got, (*np.divmod(F, 2), np.round(F)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_half_sums_do_not_overflow():
    x = np.full((4, 4096), 64, np.float16)
    got = traced(lambda _, x: (x.mean(axis=1), x.var(axis=1)), x, dynamic=False)
    np.testing.assert_array_equal(got[0], np.full(4, 64, np.float16))
    np.testing.assert_array_equal(got[1], np.zeros(4, np.float16))
