"""Products that are tiled, packed and widened give on every floor what the graph gives."""

import re
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir.interpreter import run
from teenyir.pipeline.ir import verify_module
from teenyir.pipeline.manager import PassManager

rng = np.random.default_rng(8)

VECTORS = "vector-bits=256 registers=16"
CPU = f"{VECTORS} l1=1024 l1-ways=8 l2=8192 last=32768"
"""A machine on which even small matrices are packed."""

STEPS = (
    "graph-to-kernel",
    f"kernel.func(simplify-kernel,tile-products{{{CPU}}},tile-dots{{{VECTORS}}})",
    "canonicalize,cse",
    "kernel-to-uop",
    "canonicalize,cse,legalize-floats,floats-to-bytes,expand-math,cse",
    "locals-to-arena{most-bytes=1024}",
    "plan-arena",
)

N = ty.Dim("N", min=1, max=64)


def numbers(dtype: Any, *shape: int) -> Any:
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(-9, 9, shape).astype(dtype)


def check(function: Any, *arrays: Any, specs: Any = None, tolerance: float = 1e-4) -> None:
    """On each floor and natively; where there is a tile to choose, it was chosen."""
    specs = specs or [ty.Spec(a.shape, getattr(ty, str(a.dtype))) for a in arrays]
    traced = ty.trace(function, *specs)
    expected = run(traced.module, arrays)
    native = traced.lower(target="cpu").compile()(*arrays)
    for step in STEPS:
        manager = PassManager.parse(step)
        manager.run(traced.module)
        verify_module(traced.module)
        for got, want in zip(run(traced.module, arrays), expected, strict=True):
            assert_close(got.view(want.dtype), want, tolerance)
    assert_close(np.asarray(native), expected[0], tolerance)


def assert_close(got: Any, want: Any, tolerance: float) -> None:
    tolerance = 0 if want.dtype.kind in "iub" else tolerance
    np.testing.assert_allclose(
        got.astype(float), want.astype(float), rtol=tolerance, atol=tolerance * 10
    )


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 40, 200),
        (7, 13, 100),
        (13, 33, 20),
        (33, 7, 40),
        (100, 50, 1),
        (64, 64, 64),
        (5, 1, 99),
        (60, 40, 30),
    ],
    ids=str,
)
def test_products_of_odd_sizes(sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    check(ty.matmul, numbers("float32", m, k), numbers("float32", k, n))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64", "int8", "bfloat16"])
def test_products_of_other_types(dtype: str) -> None:
    a, b = numbers("float32", 25, 30), numbers("float32", 30, 21)
    if dtype != "bfloat16":
        a, b = (3 * a).astype(dtype), (3 * b).astype(dtype)
        check(ty.matmul, a, b, tolerance=2e-2 if dtype == "float16" else 1e-4)
        return

    def product(a: Any, b: Any) -> Any:
        return (a.astype(ty.bfloat16) @ b.astype(ty.bfloat16)).astype(ty.float32)

    check(product, a, b, tolerance=2e-2)


@pytest.mark.parametrize("shape", [(3, 7, 40), (2, 5, 33), (4, 1, 8)], ids=str)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sums_of_what_other_reductions_across_memory_give(shape: Any, axis: int) -> None:
    def softmax(x: Any) -> Any:
        return ty.softmax(x, axis=axis)

    x = numbers("float32", *shape)
    weights = np.exp(x.astype(float) - x.max(axis, keepdims=True))
    native = ty.trace(softmax, ty.Spec(shape, ty.float32)).lower(target="cpu").compile()(x)
    assert_close(np.asarray(native), weights / weights.sum(axis, keepdims=True), 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int8"])
@pytest.mark.parametrize("columns", [16, 45, 61])
def test_columns_in_lanes(dtype: str, columns: int) -> None:
    def extremes(x: Any) -> Any:
        return x.max(axis=0), x.min(axis=0), ty.argmax(x, axis=0)

    x = (9 * numbers("float32", 7, columns)).astype(dtype)
    if x.dtype.kind == "f":
        x[3, 5], x[2, 7], x[4:, 9] = np.nan, np.inf, -np.inf
    for rows in (7, ty.Dim("rows", min=1)):
        spec = ty.Spec((rows, columns), getattr(ty, dtype))
        found = ty.trace(extremes, spec).lower(target="cpu").compile()(x)
        for got, want in zip(found, (x.max(0), x.min(0), x.argmax(0)), strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("rows", [1, 5, 12, 37])
def test_an_extent_that_is_known_at_the_call(rows: int) -> None:
    def layer(x: Any, w: Any, b: Any) -> Any:
        return ty.maximum(x @ w + b, 0.0)

    specs = [
        ty.Spec((N, 40), ty.float32),
        ty.Spec((40, 33), ty.float32),
        ty.Spec((33,), ty.float32),
    ]
    arrays = [numbers("float32", *shape) for shape in ((rows, 40), (40, 33), (33,))]
    check(layer, *arrays, specs=specs)


def test_factors_that_are_transposed() -> None:
    def product(a: Any, b: Any) -> Any:
        return a.T @ b.T

    check(product, numbers("float32", 30, 26), numbers("float32", 37, 30))
    check(product, numbers("float32", 30, 130), numbers("float32", 37, 30))


@pytest.mark.parametrize("rows", [1, 3, 140])
def test_weights_that_are_transposed(rows: int) -> None:
    def layer(x: Any, w: Any) -> Any:
        return x @ w.T

    check(layer, numbers("float32", rows, 70), numbers("float32", 25, 70))


@pytest.mark.parametrize("sizes", [(8, 600), (100, 70), (37, 129)], ids=str)
def test_a_matrix_times_a_vector(sizes: tuple[int, int]) -> None:
    check(ty.matmul, numbers("float32", *sizes), numbers("float32", sizes[1]))
    check(ty.matmul, numbers("int32", *sizes), numbers("int32", sizes[1]))


def test_a_sum_of_any_length() -> None:
    length = ty.Dim("L", min=1)
    arrays = numbers("float32", 90, 77), numbers("float32", 77, 100)
    specs = [ty.Spec((90, length), ty.float32), ty.Spec((length, 100), ty.float32)]
    check(ty.matmul, *arrays, specs=specs)


def test_products_in_a_batch() -> None:
    check(ty.matmul, numbers("float32", 3, 20, 18), numbers("float32", 3, 18, 35))


def test_what_stands_before_and_after_a_product() -> None:
    def layer(a: Any, b: Any, c: Any) -> Any:
        return ty.tanh(ty.exp(a) @ b) * c

    arrays = [numbers("float32", *shape) for shape in ((20, 18), (18, 35), (20, 35))]
    check(layer, *arrays)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_convolution(stride: int) -> None:
    def convolution(x: Any, w: Any) -> Any:
        return ty.conv(x, w, padding=1, stride=stride)

    check(convolution, numbers("float32", 2, 5, 9, 20), numbers("float32", 7, 5, 3, 3))


WINDOWS = {
    "columns of one row, two apart": ((1, 3, 37, 41), (16, 3, 7, 7), {"stride": 2, "padding": 3}),
    "rows that do not run on": ((2, 16, 29, 29), (32, 16, 3, 3), {"stride": 2, "padding": 1}),
    "of small images": ((1, 32, 13, 13), (48, 32, 3, 3), {"stride": 2, "padding": 1}),
    "of one pixel": ((1, 64, 28, 28), (64, 64, 1, 1), {"stride": 2}),
    "three apart": ((1, 8, 50, 50), (16, 8, 3, 3), {"stride": 3, "padding": 1}),
    "with gaps": ((1, 8, 24, 33), (16, 8, 3, 3), {"dilation": 2, "padding": 2}),
    "with gaps, two apart": ((1, 8, 24, 40), (16, 8, 3, 3), {"dilation": 2, "stride": 2}),
    "in groups": ((1, 16, 30, 30), (32, 8, 3, 3), {"groups": 2, "stride": 2, "padding": 1}),
    "wide": ((1, 8, 20, 40), (16, 8, 1, 11), {"padding": (0, 5)}),
    "of sound": ((1, 24, 99), (32, 24, 5), {"stride": 2, "padding": 2}),
}


@pytest.mark.parametrize("batch", ["known", pytest.param("named", marks=pytest.mark.long)])
@pytest.mark.parametrize("case", WINDOWS)
def test_windows_of_a_convolution(case: str, batch: str) -> None:
    """Against the same sums in float64."""
    shape, weights, options = WINDOWS[case]

    def convolution(x: Any, w: Any) -> Any:
        return ty.relu(ty.conv(x, w, **options))

    x, w = numbers("float32", *shape), numbers("float32", *weights)
    specs = [ty.Spec(each, ty.float64) for each in (shape, weights)]
    traced = ty.trace(convolution, *specs)
    (wanted,) = run(traced.module, [x.astype(np.float64), w.astype(np.float64)])
    first = N if batch == "named" else shape[0]
    spec = ty.Spec((first, *shape[1:]), ty.float32)
    native = ty.trace(convolution, spec, ty.Spec(weights, ty.float32)).lower().compile()
    assert_close(np.asarray(native(x, w)), wanted, 1e-5)


def test_a_panel_is_told_from_an_argument_of_its_name() -> None:
    """Columns become one range in a panel, and are packed from there."""
    tiled = "kernel.func(simplify-kernel,tile-products{vector-bits=512 registers=32 l1=32768})"

    def text(convolution: Any) -> str:
        specs = ty.Spec((1, 48, 9, 9), ty.float32), ty.Spec((256, 48, 3, 3), ty.float32)
        module = ty.trace(convolution, *specs).module
        PassManager.parse(f"graph-to-kernel,{tiled}").run(module)
        return str(module)

    plain = text(lambda x, w: ty.conv(x, w))
    named = text(lambda x, x_panel: ty.conv(x, x_panel))
    assert "%x_panel_panel = kernel.stage" in plain
    assert re.sub(r"x_panel\b", "w", named).replace("x_panel2", "x_panel") == plain


def test_a_product_whose_columns_lie_beside_others_in_one_index() -> None:
    """Heads of 4 columns each, put together: a tile is wider than a head."""
    batch, length = ty.Dim("B", min=1), ty.Dim("L", min=1)

    def mixed(x: Any, weights: Any) -> Any:
        heads = x.reshape((batch, length, 2, 4)).permute_dims(0, 2, 1, 3)
        return (weights @ heads).permute_dims(0, 2, 1, 3).reshape((batch, length, 8))

    specs = ty.Spec((batch, length, 8)), ty.Spec((batch, 2, length, length))
    compiled = ty.trace(mixed, *specs).lower().compile()
    for size in (1, 3, 70):
        x = rng.standard_normal((2, size, 8), np.float32)
        weights = rng.standard_normal((2, 2, size, size), np.float32)
        wanted = np.einsum("bhij,bjhc->bihc", weights, x.reshape(2, size, 2, 4))
        got = compiled(x, weights)
        np.testing.assert_allclose(got, wanted.reshape(2, size, 8), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("sizes", [(37, 41, 53), (29, 18, 73), (40, 100, 60)], ids=str)
def test_last_columns(sizes: tuple[int, int, int], dtype: str) -> None:
    m, n, k = sizes
    a, b = numbers(dtype, m, k), numbers(dtype, k, n)
    if dtype != "int32":
        a[3, 5], a[7, 2], b[9, n - 1], b[11, 0] = np.nan, np.inf, -np.inf, -0.0
    check(ty.matmul, a, b)
    if dtype == "float32":
        check(lambda x, w, c: ty.gelu(x @ w + c), numbers(dtype, m, k), b, numbers(dtype, n))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_blocks_of_steps(dtype: str) -> None:
    a, b = numbers(dtype, 70, 131), numbers(dtype, 131, 200)
    if dtype != "int32":
        a[3, 5], a[69, 130], b[9, 199], b[11, 0] = np.nan, np.inf, -np.inf, -0.0
    check(ty.matmul, a, b)
    if dtype == "float32":
        square = numbers(dtype, 150, 150)
        check(lambda x: x @ x, square)
        image = numbers(dtype, 70, 200)
        check(lambda x, w, r: ty.gelu(x @ w + r), numbers(dtype, 70, 131), b, image)
