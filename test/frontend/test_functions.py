"""Functions that are made of the graph floor's ops, against numpy, on every floor.

`xp` is numpy in one run and `ty` in the other; of the second extent of each input the graph floor
is run once more as a named one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from floors import on_every_floor

import teenyir as ty
from teenyir.interpreter import run

Array = np.ndarray
RNG = np.random.default_rng(1)
F = RNG.normal(size=(4, 6)).astype(np.float32)
G = RNG.normal(size=(4, 6)).astype(np.float32)
K = RNG.integers(-9, 9, (4, 6)).astype(np.int32)
J = RNG.integers(-4, 5, (4, 6)).astype(np.int32)
B = F > 0
ROWS = np.array([3, 0, -1, 2, 0], np.int32)
COLUMNS = np.array([[5], [-6]], np.int64)
VECTOR = RNG.normal(size=9).astype(np.float32)
SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.5, 1e-8, -1e-8, 3.5, -20.0, 88.0, -104.0, 1e30, -1e30),
        *(math.inf, -math.inf, math.nan),
    ],
    np.float32,
)
PAIRS = tuple(np.ascontiguousarray(m).reshape(-1) for m in np.meshgrid(SPECIAL, SPECIAL))


def outputs_of(result: Any) -> list[Array]:
    found = result if isinstance(result, tuple | list) else [result]
    return [np.asarray(each) for each in found]


def traced(function: Callable[..., Any], *arrays: Array, dynamic: bool) -> list[Array]:
    specs = []
    for array in arrays:
        shape: list[Any] = list(array.shape)
        if dynamic and len(shape) > 1:
            shape[1] = ty.Dim(f"N{shape[1]}", min=1)
        specs.append(ty.Spec(shape, array.dtype))
    program = ty.trace(function, *specs)
    given = dict(zip(program.input_names, arrays, strict=True)) | program.parameters
    if dynamic:
        return run(program.module, given)
    return on_every_floor(program.module, given, exact=False)


def agree(actual: list[Array], expected: list[Array], tolerance: float = 4e-6) -> None:
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected, strict=True):
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


UNARY = ["expm1", "log1p", "sinh", "cosh", "tan", "asin", "acos", "atan"]
UNARY += ["asinh", "acosh", "atanh", "log10"]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_transcendental_functions(dtype: Any):
    grid = np.concatenate([SPECIAL, np.linspace(-4, 4, 81), np.geomspace(1e-7, 80, 40)])
    with np.errstate(all="ignore"):
        x = grid.astype(dtype)
        x = (
            x[np.abs(x) < 1e4] if dtype == np.float16 else x
        )  # of sines of larger ones little is left
        x = x[(np.abs(x) < 1e5) | ~np.isfinite(x)]
        expected = [getattr(np, name)(x.astype(np.float64)).astype(dtype) for name in UNARY]
    actual = traced(lambda x: [getattr(ty, name)(x) for name in UNARY], x, dynamic=False)
    for name, got, wanted in zip(UNARY, actual, expected, strict=True):
        assert got.dtype == wanted.dtype
        wide = 8 if name != "tan" else 64
        with np.errstate(all="ignore"):
            close = np.abs(got - wanted) <= wide * np.spacing(np.abs(wanted))
        same = close | (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        assert same.all(), (name, x[~same][:5], got[~same][:5], wanted[~same][:5])
        zero = wanted == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]), name)


def test_functions_of_two_floats():
    names = ["hypot", "logaddexp", "fmod", "copysign", "nextafter"]
    with np.errstate(all="ignore"):
        expected = [getattr(np, name)(*PAIRS) for name in names]
    actual = traced(lambda a, b: [getattr(ty, name)(a, b) for name in names], *PAIRS, dynamic=False)
    for name, got, wanted in zip(names, actual, expected, strict=True):
        exact = name in ("fmod", "copysign", "nextafter")
        np.testing.assert_allclose(got, wanted, rtol=0 if exact else 1e-6, err_msg=name)
        if exact:
            known = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(wanted)[known], name)


def test_signs_and_bits():
    x = np.array([0.0, -0.0, 1.0, -math.inf, math.nan, -math.nan], np.float32)
    (signs, bits, back) = traced(
        lambda x: (ty.signbit(x), x.view(ty.uint32), x.view(ty.int32).view(ty.float32)),
        x,
        dynamic=False,
    )
    np.testing.assert_array_equal(signs, np.signbit(x))
    np.testing.assert_array_equal(bits, x.view(np.uint32))
    np.testing.assert_array_equal(back, x)


SAME: dict[str, tuple[Callable[..., Any], tuple[Array, ...]]] = {
    "fmod of integers": (lambda xp, a, b: (xp.fmod(a, b | 1), xp.fmod(b, 3)), (K, J)),
    "take": (
        lambda xp, x, i: (xp.take(x, i, axis=0), xp.take(x, i, axis=-1), xp.take(x[0], i)),
        (F, ROWS),
    ),
    "take of a matrix": (lambda xp, x, i: xp.take(x, i, axis=1), (F, COLUMNS)),
    "take_along_axis": (
        lambda xp, x, i: (
            xp.take_along_axis(x, i, axis=0),
            xp.take_along_axis(x, abs(i) % 3, axis=1),
            xp.take_along_axis(x, i[:1], axis=0),
        ),
        (F, np.clip(J, -4, 3).astype(np.int64)),
    ),
    "index by integers": (
        lambda xp, x, i: (x[i], x[:, i], x[i, 1], x[1, i], x[i, 1:4], x[i[:2], None, i[1:3]]),
        (F, np.array([3, 0, -1, 2], np.int64)),
    ),
    "index by a matrix": (
        lambda xp, x, i, j: (x[i, j], x[None, i], x[..., j], x[i, ::-2], x[::2, j]),
        (F, np.array([1, -1], np.int8), np.array([[2], [0], [5]], np.uint8)),
    ),
    "index by a list": (lambda xp, x: (x[[0, 2]], x[[[1], [0]], [0, -1]]), (F,)),
    "cumulative": (
        lambda xp, x: (
            xp.cumulative_sum(x, axis=0),
            xp.cumulative_sum(x, axis=1, include_initial=True),
            xp.cumulative_prod(x, axis=1),
            xp.cumsum(x),
            xp.cumprod(x, axis=0),
            x.cumsum(axis=1),
        ),
        (F,),
    ),
    "cumulative of integers": (
        lambda xp, x: (xp.cumulative_sum(x, axis=0), xp.cumprod(x, axis=1), xp.cumsum(x > 0)),
        (J,),
    ),
    "diff": (
        lambda xp, x: (
            xp.diff(x),
            xp.diff(x, axis=0, n=2),
            xp.diff(x, axis=0, prepend=x[:1], append=x[1:3]),
        ),
        (F,),
    ),
    "searchsorted": (
        lambda xp, x, v: (xp.searchsorted(x, v), xp.searchsorted(x, v, side="right")),
        (np.sort(VECTOR), np.concatenate([F, np.resize(VECTOR, (1, 6))])),
    ),
    "moveaxis": (lambda xp, x: xp.moveaxis(x[None], (0, 1), (-1, 0)), (F,)),
    "argmax": (
        lambda xp, x: (xp.argmax(x), x.argmin(axis=0), xp.argmax(x, axis=1, keepdims=True)),
        (J,),
    ),
    "argmax of booleans": (lambda xp, x: (xp.argmax(x), xp.argmin(x, axis=1)), (B,)),
    "argmax of NaN": (
        lambda xp, x: (xp.argmax(x, axis=1), xp.argmin(x, axis=1), xp.argmax(x), xp.argmin(x)),
        (np.stack([np.roll(SPECIAL, k) for k in (0, 3, 7)] + [np.full(16, -np.inf, "f4")]),),
    ),
    "count_nonzero": (lambda xp, x: (xp.count_nonzero(x, axis=1), xp.count_nonzero(x)), (J,)),
    "repeat": (lambda xp, x: (xp.repeat(x, 3, axis=1), xp.repeat(x, 2), xp.repeat(x, 0)), (F,)),
    "tile": (lambda xp, x: (xp.tile(x, 2), xp.tile(x, (3, 1, 2)), xp.tile(x, (2, 2))), (F,)),
    "roll": (
        lambda xp, x: (xp.roll(x, 2), xp.roll(x, -7, axis=1), xp.roll(x, (1, 2), axis=(0, 1))),
        (F,),
    ),
    "tril triu": (
        lambda xp, x: (xp.tril(x), xp.triu(x), xp.tril(x, k=-1), xp.triu(x, k=2)),
        (F,),
    ),
    "unstack": (lambda xp, x: [*xp.unstack(x)], (F,)),
    "split": (lambda xp, x: [*xp.split(x, 2), *xp.split(x, [1, 3])], (F,)),
    "swapaxes": (lambda xp, x: xp.swapaxes(x[None], 0, -1), (F,)),
    "meshgrid": (
        lambda xp, x, y: [*xp.meshgrid(x, y), *xp.meshgrid(x, y, x, indexing="ij")],
        (VECTOR[:3], VECTOR[:4]),
    ),
    "linspace": (
        lambda xp, x: (
            x[0, 0] + xp.linspace(0, 1, 7, dtype=xp.float32),
            xp.linspace(-3, 5, 4, endpoint=False, dtype=xp.float64),
            xp.linspace(2, 3, 1, dtype=xp.float32),
        ),
        (F,),
    ),
    "eye": (lambda xp, x: (x[:, :4] * xp.eye(4, dtype=xp.float32), xp.eye(2, 3, k=1)), (F,)),
    "diagonal": (lambda xp, x: (x.diagonal(), x.diagonal(1), x.diagonal(-2)), (F,)),
    "broadcast_arrays": (lambda xp, x: [*xp.broadcast_arrays(x, x[0], x[:, :1])], (F,)),
    "isclose": (lambda xp, x, y: xp.isclose(x, y), PAIRS),
    "vecdot": (
        lambda xp, x, y: (xp.vecdot(x, y), xp.vecdot(x, y, axis=0), xp.vecdot(x, y[0])),
        (F, G),
    ),
    "outer": (lambda xp, x, y: xp.outer(x, y), (VECTOR, VECTOR[:3])),
}
STATIC = {"diagonal", "index by integers", "index by a matrix", "eye"}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("case", SAME)
def test_as_numpy(case: str, dynamic: bool):
    function, arrays = SAME[case]
    with np.errstate(all="ignore"):
        expected = outputs_of(function(np, *arrays))
    if case == "diagonal":
        function = lambda xp, x: (  # noqa: E731
            ty.diagonal(x),
            ty.diagonal(x, offset=1),
            ty.diagonal(x, offset=-2),
        )
    actual = traced(lambda *xs: function(ty, *xs), *arrays, dynamic=dynamic and case not in STATIC)
    if case == "eye":
        expected[1] = expected[1].astype(np.float32)  # numpy's default is float64
    agree(actual, expected)


EINSUMS = [
    ("ij->ji", [(3, 4)]),
    ("ij->", [(3, 4)]),
    ("ii->i", [(4, 4)]),
    ("ii", [(4, 4)]),
    ("ij,jk", [(3, 4), (4, 5)]),
    ("ij,jk->ki", [(3, 4), (4, 5)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,i->i", [(3,), (3,)]),
    ("i,i->", [(3,), (3,)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
    ("i...->...", [(3, 4, 5)]),
    ("ijk,k->ji", [(2, 3, 4), (4,)]),
    ("iij,jj->i", [(3, 3, 4), (4, 4)]),
    (" i j , k -> k j ", [(2, 3), (4,)]),
]


@pytest.mark.parametrize(("text", "shapes"), EINSUMS)
def test_einsum(text: str, shapes: list[tuple[int, ...]]):
    arrays = [RNG.normal(size=shape).astype(np.float32) for shape in shapes]
    actual = traced(lambda *xs: ty.einsum(text, *xs), *arrays, dynamic=False)
    agree(actual, outputs_of(np.einsum(text.replace(" ", ""), *arrays)), 1e-5)


def test_out_of_range_picks_zeros_and_writes_nothing():
    indices = np.array([4, -5, 0, 99], np.int64)
    picked, written = traced(lambda x, i: (x[i], x.at[i].set(7.0)), F, indices, dynamic=False)
    np.testing.assert_array_equal(picked, np.where(indices[:, None] == 0, F[0], 0))
    np.testing.assert_array_equal(written, np.concatenate([np.full((1, 6), 7, "f4"), F[1:]]))


AT: dict[str, Any] = {
    "row": np.s_[1],
    "element": np.s_[-1, 2],
    "slice": np.s_[1:3],
    "block": np.s_[1:3, 2:5],
    "column": np.s_[:, -1],
    "steps": np.s_[::2, 1::2],
    "backward": np.s_[::-1, 4:1:-1],
    "new axis": np.s_[None, 2:, None],
    "ellipsis": np.s_[..., 0],
    "all": np.s_[...],
    "rows": (np.array([2, 0]),),
    "pairs": (np.array([2, 0, 3]), np.array([1, -1, 1])),
    "columns": (slice(None), np.array([4, 0])),
    "rows and a slice": (np.array([[2], [0]]), slice(1, 4)),
    "slice and columns": (slice(1, 3), np.array([4, 0])),
    "a row and columns": (1, np.array([4, 0])),
    "columns apart": (np.array([2, 0]), None, np.array([4, 0])),
}


@pytest.mark.parametrize("key", AT.values(), ids=AT)
def test_functional_writes(key: Any):
    shape = F[key].shape
    values = RNG.normal(size=shape).astype(np.float32)
    actual = traced(
        lambda x, v: (
            x.at[key].set(v),
            x.at[key].add(v),
            x.at[key].multiply(2.0),
            x.at[key].max(v),
            x.at[key].min(0.5),
            x.at[key].get(),
        ),
        F,
        values,
        dynamic=False,
    )
    expected = [F.copy() for _ in range(5)]
    expected[0][key] = values
    expected[1][key] += values
    expected[2][key] *= 2
    expected[3][key] = np.maximum(F[key], values)
    expected[4][key] = np.minimum(F[key], 0.5)
    agree(actual, [*expected, F[key]])


def test_writes_to_one_place_add_up():
    indices = np.array([1, 1, 1, 0], np.int32)
    (total, last) = traced(
        lambda x, i: (x.at[i, 0].add(1.0), x.at[i, 0].set(ty.arange(4, dtype=ty.float32))),
        F,
        indices,
        dynamic=True,
    )
    expected = F.copy()
    np.add.at(expected, (indices, 0), 1)
    np.testing.assert_array_equal(total, expected)
    assert last[1, 0] == 2
    assert last[0, 0] == 3


def test_dynamic_parts():
    start = np.array([2, 9], np.int64)
    part, again, updated = traced(
        lambda x, s: (
            ty.dynamic_slice(x, s, (2, 3)),
            ty.dynamic_slice(x, (s[0], 0), (1, x.shape[1])),
            ty.dynamic_update_slice(x, ty.zeros((2, 3)), s),
        ),
        F,
        start,
        dynamic=False,
    )
    np.testing.assert_array_equal(part, F[2:4, 3:6])
    np.testing.assert_array_equal(again, F[2:3])
    expected = F.copy()
    expected[2:4, 3:6] = 0
    np.testing.assert_array_equal(updated, expected)


def test_one_hot_and_embedding():
    labels = np.array([[0, 2], [-1, 5]], np.int64)
    hot, across, rows = traced(
        lambda i, w: (
            ty.one_hot(i, 3),
            ty.one_hot(i, 3, axis=0, dtype=ty.int8),
            ty.embedding(i, w),
        ),
        labels,
        F,
        dynamic=False,
    )
    expected = (labels[..., None] == np.arange(3)).astype(np.float32)
    np.testing.assert_array_equal(hot, expected)
    np.testing.assert_array_equal(across, np.moveaxis(expected, -1, 0).astype(np.int8))
    np.testing.assert_array_equal(rows[0], F[labels[0]])


@pytest.mark.parametrize("size", [None, 3, 40])
@pytest.mark.parametrize("dynamic", [False, True])
def test_nonzero_with_a_bound(size: int | None, dynamic: bool):
    x = np.where(F > 0.3, F, 0)

    def function(x: Any) -> Any:
        indices, count = ty.nonzero(x, size=size, fill_value=-7)
        return [*indices, count]

    *indices, count = traced(function, x, dynamic=dynamic)
    expected = np.nonzero(x)
    assert count == expected[0].size
    room = x.size if size is None else size
    for got, wanted in zip(indices, expected, strict=True):
        padded = np.full(room, -7)
        padded[: min(room, wanted.size)] = wanted[:room]
        np.testing.assert_array_equal(got, padded)


def test_unravel_index():
    places = np.arange(24)
    actual = traced(lambda i: [*ty.unravel_index(i, (2, 3, 4))], places, dynamic=False)
    agree(actual, [*np.unravel_index(places, (2, 3, 4))])


def test_a_fold_of_several_tensors():
    """Welford's mean and variance in one reduction: a combiner of three values."""

    def welford(x: Any) -> Any:
        def step(n1: Any, mean1: Any, m1: Any, n2: Any, mean2: Any, m2: Any) -> Any:
            n = n1 + n2
            delta = mean2 - mean1
            part = ty.where(n > 0, n2 / ty.maximum(n, 1.0), 0.0)
            return n, mean1 + delta * part, m1 + m2 + delta * delta * n1 * part

        ones = ty.ones_like(x)
        zeros = ty.zeros_like(x)
        count, mean, squares = ty.fold(
            step, [ones, x, zeros], [0.0, 0.0, 0.0], axis=1, keepdims=True
        )
        return mean, squares / count

    mean, var = traced(welford, F, dynamic=False)
    np.testing.assert_allclose(mean, F.mean(axis=1, keepdims=True), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(var, F.var(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32"])
def test_integer_powers(dtype: str):
    base, exponent = (m.reshape(-1) for m in np.meshgrid(np.arange(-5, 6), np.arange(0, 12)))
    base, exponent = base.astype(dtype), exponent.astype(dtype)
    (result,) = traced(lambda a, b: a**b, base, exponent, dynamic=False)
    np.testing.assert_array_equal(result, base**exponent)
    if dtype != "uint16":
        (inverse,) = traced(lambda a: a ** (a - a - 3), base, dynamic=False)
        np.testing.assert_array_equal(inverse, np.where(np.abs(base) == 1, base, 0))


def test_argmax_is_one_fold():
    text = ty.trace(lambda x: ty.argmax(x, axis=1), ty.Spec((3, 4))).as_text()
    assert text.count("graph.fold") == 1
    assert "graph.reduce" not in text


def test_logsumexp():
    x = np.stack([F[0] * 200, np.full(6, -np.inf), np.array([np.inf, 0, 1, 2, 3, 4])])
    x = x.astype(np.float32)
    (one, kept) = traced(
        lambda x: (ty.logsumexp(x, axis=1), ty.logsumexp(x, axis=(0, 1), keepdims=True)),
        x,
        dynamic=False,
    )
    with np.errstate(all="ignore"):
        expected = np.logaddexp.reduce(x.astype(np.float64), axis=1)
    np.testing.assert_allclose(one, expected, rtol=1e-6)
    assert kept.shape == (1, 1)
    assert kept == np.inf


def test_result_type_and_shapes():
    def function(x: Any) -> Any:
        assert ty.result_type(x, ty.float64) == ty.float64
        assert ty.broadcast_shapes((4, 1), (6,)) == (4, 6)
        return x

    ty.trace(function, ty.Spec((2,)))


def test_unique_values_of_every_kind():
    for array in ([3, 1, 3], [True, True, False], [0.5, float("nan"), float("nan"), 0.5]):
        x = np.array(array)
        expected = np.unique_all(x)
        (values, indices, inverse, counts), count = (
            ty.trace(ty.unique_all, x).lower("cpu").compile()(x)
        )
        found = int(count)
        assert found == len(expected.values)
        np.testing.assert_array_equal(values[:found], expected.values)
        np.testing.assert_array_equal(counts[:found], expected.counts)
        np.testing.assert_array_equal(values[inverse][x == x], x[x == x])
        np.testing.assert_array_equal(x[indices[:found]], expected.values)


def test_unique_values_of_bounded_size():
    x = np.array([5, 1, 5, 2, 9], np.int32)
    traced = ty.trace(lambda x: ty.unique_values(x, size=3, fill_value=-1), x)
    values, count = traced.lower("cpu").compile()(x)
    assert values.tolist() == [1, 2, 5]
    assert count == 4
    longer = ty.trace(lambda x: ty.unique_counts(x, size=6, fill_value=-1), x)
    (values, counts), count = longer.lower("cpu").compile()(x)
    assert values.tolist() == [1, 2, 5, 9, -1, -1]
    assert counts.tolist() == [1, 1, 2, 1, 0, 0]


def test_searches_find_nan_last():
    x = np.array([-1, 0, 0, 2, np.nan, np.nan], np.float32)
    v = np.array([np.nan, 0, -5, 3, -0.0], np.float32)
    left, right = (
        ty.trace(lambda x, v, side=side: ty.searchsorted(x, v, side=side), x, v)
        .lower("cpu")
        .compile()(x, v)
        for side in ("left", "right")
    )
    np.testing.assert_array_equal(left, np.searchsorted(x, v))
    np.testing.assert_array_equal(right, np.searchsorted(x, v, side="right"))


def test_there_are_so_many_to_take():
    with pytest.raises(ty.CompileError, match="not for every value are there so many"):
        ty.trace(lambda x: ty.top_k(x, 5), ty.Spec((ty.Dim("N", min=4),)))
    ty.trace(lambda x: ty.top_k(x, 5), ty.Spec((ty.Dim("N", min=5),)))
    with pytest.raises(ty.CompileError, match="has no order"):
        ty.trace(ty.sort, ty.Spec((4,), ty.int4))


def test_a_sorter_names_each_element_once():
    vector, values, sorter = ty.Spec((3,)), ty.Spec((2,)), ty.Spec((4,), ty.int64)
    with pytest.raises(ty.CompileError, match=r"an index for each element: \[4\] of \[3\]"):
        ty.trace(lambda x, v, s: ty.searchsorted(x, v, sorter=s), vector, values, sorter)
