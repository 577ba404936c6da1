"""What has data for an index, or runs along an axis, on every floor against numpy."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from floors import on_every_floor
from numpy.typing import NDArray

from teenyir.dialects import dtypes
from teenyir.pipeline.ir import parse_module

Array = NDArray[Any]


def run(text: str, *inputs: Array, exact: bool = True) -> list[Array]:
    """The results of `@main`, the same on every floor."""
    return on_every_floor(parse_module(text, "test.mlir"), inputs, exact=exact)


RANDOM = np.random.default_rng(0)
TABLE = RANDOM.standard_normal((100, 8)).astype(np.float32)

GATHER = """
func.func @main(%t: tensor<100x8xf32>, %i: tensor<?x1xi32, #graph.dims<[N, 1]>>)
    -> tensor<?x8xf32, #graph.dims<[N, 8]>>
    attributes {graph.symbols = #graph.symbols<[N in 0..64]>} {
  %0 = graph.gather %t, %i axes [0]
      : (tensor<100x8xf32>, tensor<?x1xi32, #graph.dims<[N, 1]>>)
      -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  func.return %0 : tensor<?x8xf32, #graph.dims<[N, 8]>>
}
"""


def test_gather_gives_zeros_out_of_range():
    indices = np.array([3, -1, 99, 100, 0, 7, -(2**31), 2**31 - 1], np.int32)
    (rows,) = run(GATHER, TABLE, indices[:, None])
    inside = (indices >= 0) & (indices < 100)
    np.testing.assert_array_equal(rows, np.where(inside[:, None], TABLE[indices * inside], 0))


def test_gather_of_nothing():
    (rows,) = run(GATHER, TABLE, np.zeros((0, 1), np.int32))
    assert rows.shape == (0, 8)


@pytest.mark.parametrize("kind", ["add", "set", "max"])
def test_scatter_combines_in_order_and_drops_what_is_out_of_range(kind: str):
    indices = np.array([[3], [3], [-1], [100], [99]], np.int64)
    updates = RANDOM.standard_normal((5, 8)).astype(np.float32)
    (result,) = run(
        f"""
        func.func @main(%t: tensor<100x8xf32>, %i: tensor<5x1xi64>, %u: tensor<5x8xf32>)
            -> tensor<100x8xf32> {{
          %n = graph.neg %t : tensor<100x8xf32>
          %0 = graph.scatter {kind} %n, %i, %u axes [0]
              : (tensor<100x8xf32>, tensor<5x1xi64>, tensor<5x8xf32>) -> tensor<100x8xf32>
          func.return %0 : tensor<100x8xf32>
        }}
        """,
        TABLE,
        indices,
        updates,
    )
    combine = {"add": np.add, "set": lambda old, new: new, "max": np.maximum}[kind]
    expected = -TABLE
    for (row,), update in zip(indices, updates, strict=True):
        if 0 <= row < 100:
            expected[row] = combine(expected[row], update)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["add", "mul", "min", "max", "and", "or", "set"])
def test_scatter_of_no_updates_changes_nothing(kind: str):
    (result,) = run(
        f"""
        func.func @main(%t: tensor<7xi16>, %i: tensor<3x0x1xi8>, %u: tensor<3x0xi16>)
            -> tensor<7xi16> {{
          %0 = graph.scatter {kind} %t, %i, %u axes [0]
              : (tensor<7xi16>, tensor<3x0x1xi8>, tensor<3x0xi16>) -> tensor<7xi16>
          func.return %0 : tensor<7xi16>
        }}
        """,
        values := np.array([5, -1, 3, 0, 7, 9, -9], np.int16),
        np.zeros((3, 0, 1), np.int8),
        np.zeros((3, 0), np.int16),
    )
    np.testing.assert_array_equal(result, values)


@pytest.mark.parametrize("start", [(4, 2), (99, 7), (2**64 - 1, 0), (0, 0)])
def test_dynamic_parts_are_moved_inside(start: tuple[int, int]):
    update = RANDOM.standard_normal((5, 3)).astype(np.float32)
    part, updated = run(
        """
        func.func @main(%t: tensor<100x8xf32>, %s: tensor<2xui64>, %u: tensor<5x3xf32>)
            -> (tensor<5x3xf32>, tensor<100x8xf32>) {
          %0 = graph.dynamic_slice %t, %s sizes [5, 3]
              : (tensor<100x8xf32>, tensor<2xui64>) -> tensor<5x3xf32>
          %1 = graph.dynamic_update %t, %u, %s
              : (tensor<100x8xf32>, tensor<5x3xf32>, tensor<2xui64>) -> tensor<100x8xf32>
          func.return %0, %1 : tensor<5x3xf32>, tensor<100x8xf32>
        }
        """,
        TABLE,
        np.array(start, np.uint64),
        update,
    )
    row, column = min(start[0], 95), min(start[1], 5)
    np.testing.assert_array_equal(part, TABLE[row : row + 5, column : column + 3])
    expected = TABLE.copy()
    expected[row : row + 5, column : column + 3] = update
    np.testing.assert_array_equal(updated, expected)


def test_scans_of_half_precision_accumulate_in_single():
    x = RANDOM.standard_normal((4, 8)).astype(np.float16)
    backwards, before = run(
        """
        func.func @main(%x: tensor<4x8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>) {
          %0 = graph.scan add %x axis 1 reverse : tensor<4x8xf16> -> tensor<4x8xf16>
          %1 = graph.scan max %x axis 0 exclusive : tensor<4x8xf16> -> tensor<4x8xf16>
          func.return %0, %1 : tensor<4x8xf16>, tensor<4x8xf16>
        }
        """,
        x,
    )
    wide = x.astype(np.float32)[:, ::-1].cumsum(axis=1, dtype=np.float32)[:, ::-1]
    np.testing.assert_array_equal(backwards, wide.astype(np.float16))
    running = np.maximum.accumulate(x, axis=0)[:-1]
    np.testing.assert_array_equal(before, np.vstack([np.full((1, 8), -np.inf), running]))


def test_fold_finds_the_first_maximum():
    x = RANDOM.integers(0, 4, (50, 12)).astype(np.float32)
    (at,) = run(
        """
        func.func @main(%x: tensor<50x12xf32>) -> tensor<50xi64> {
          %k = graph.iota axis 1 : tensor<50x12xi64>
          %low = graph.constant dense<0xff800000> : tensor<f32>
          %zero = graph.constant dense<0> : tensor<i64>
          %most, %at = graph.fold(%x, %k) from(%low, %zero) axes [1] {
          ^bb0(%m: tensor<f32>, %a: tensor<i64>, %m2: tensor<f32>, %a2: tensor<i64>):
            %greater = graph.compare gt %m2, %m : tensor<f32>
            %m3 = graph.select %greater, %m2, %m : tensor<f32>
            %a3 = graph.select %greater, %a2, %a : tensor<i64>
            graph.yield %m3, %a3
          }
          func.return %at : tensor<50xi64>
        }
        """,
        x,
    )
    np.testing.assert_array_equal(at, x.argmax(axis=1))


def test_convolution_of_a_spread_input_is_a_transposed_convolution():
    x = RANDOM.standard_normal((1, 2, 4, 4)).astype(np.float32)
    w = RANDOM.standard_normal((3, 2, 3, 3)).astype(np.float32)
    (y,) = run(
        """
        func.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x9x9xf32> {
          %0 = graph.conv %x, %w stride [1, 1] pad [[2, 2], [2, 2]] dilation [1, 1] groups 1
              input_dilation [2, 2]
              : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x9x9xf32>
          func.return %0 : tensor<1x3x9x9xf32>
        }
        """,
        x,
        w,
        exact=False,
    )
    spread = np.zeros((1, 2, 11, 11), np.float32)
    spread[:, :, 2:9:2, 2:9:2] = x
    windows = np.lib.stride_tricks.sliding_window_view(spread, (3, 3), axis=(2, 3))
    np.testing.assert_allclose(y, np.einsum("nchwij,ocij->nohw", windows, w), rtol=1e-4, atol=1e-5)


def test_bitcast_keeps_the_bits():
    x = np.array([0.0, -0.0, np.inf, np.nan, 1.5], np.float32)
    (bits,) = run(
        """
        func.func @main(%x: tensor<5xf32>) -> tensor<5xi32> {
          %0 = graph.bitcast %x : tensor<5xf32> to tensor<5xi32>
          func.return %0 : tensor<5xi32>
        }
        """,
        x,
    )
    np.testing.assert_array_equal(bits, x.view(np.int32))


def type_of(array: Array) -> str:
    dtype = dtypes.of_numpy(array.dtype)
    assert dtype is not None
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{dtype.element}>"


def check(result: Array, expected: Array, kind: str):
    """numpy takes a NaN of a float8 for another number than itself; a float64 holds all of these"""
    assert result.dtype == expected.dtype
    if dtypes.of_numpy(result.dtype).kind == "float":
        result, expected = result.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(result, expected, kind)


def index_tuples(indices: Array, axes: tuple[int, ...], rank: int):
    """Each index position, and what it picks of a tensor as an index of numpy's."""
    for position in np.ndindex(indices.shape[:-1]):
        at = dict(zip(axes, map(int, indices[position]), strict=True))
        yield position, tuple(at.get(axis, slice(None)) for axis in range(rank)), at


# LLVM 22 aborts where AVX-512 would gather bf16, so that it has the whole rows alone
GATHERED = [
    (axes, dtype)
    for axes, dtype in product([(0,), (2,), (1, 0), (0, 1, 2)], dtypes.COMPUTED)
    if dtype != dtypes.BFLOAT16 or axes == (0,)
]


@pytest.mark.parametrize(("axes", "dtype"), GATHERED, ids=str)
def test_gather_and_scatter_of_every_dtype(axes: tuple[int, ...], dtype: dtypes.DType):
    x = RANDOM.integers(0, 9, (3, 4, 5)).astype(dtype.numpy())
    indices = RANDOM.integers(-1, 5, (2, 3, len(axes))).astype(np.int16)
    picked = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    updates = RANDOM.integers(0, 9, (2, 3, *picked)).astype(dtype.numpy())
    kinds = ["set"]
    kinds += ["add", "mul", "max", "min"] if dtype.kind != "bool" else []
    kinds += ["and", "or"] if dtype.kind != "float" else []
    t, i, u = map(type_of, (x, indices, updates))
    lines = [
        f"%{kind} = graph.scatter {kind} %x, %i, %u axes {list(axes)} : ({t}, {i}, {u}) -> {t}"
        for kind in kinds
    ]
    results = ", ".join(f"%{kind}" for kind in kinds)
    types = ", ".join([u, *[t] * len(kinds)])
    gathered, *scattered = run(
        f"""
        func.func @main(%x: {t}, %i: {i}, %u: {u}) -> ({types}) {{
          %0 = graph.gather %x, %i axes {list(axes)} : ({t}, {i}) -> {u}
          {" ".join(lines)}
          func.return %0, {results} : {types}
        }}
        """,
        x,
        indices,
        updates,
    )
    combine: dict[str, Any] = {
        **{"set": lambda old, new: new, "add": np.add, "mul": np.multiply, "max": np.maximum},
        **{"min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or},
    }
    expected = np.zeros_like(updates)
    written = {kind: x.copy() for kind in kinds}
    for position, key, at in index_tuples(indices, axes, x.ndim):
        if all(0 <= index < x.shape[axis] for axis, index in at.items()):
            expected[position] = x[key]
            for kind, target in written.items():
                target[key] = combine[kind](target[key], updates[position])
    check(gathered, expected, "gather")
    for kind, result in zip(kinds, scattered, strict=True):
        check(result, written[kind], kind)


SCANS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
IDENTITIES = {"add": 0, "mul": 1, "max": -np.inf, "min": np.inf}


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("kind", SCANS)
def test_scans_of_every_direction(kind: str, dtype: str):
    x = RANDOM.integers(1, 4, (3, 5, 2)).astype(dtype)
    t = type_of(x)
    cases = list(product((0, 1, 2), ("", "exclusive"), ("", "reverse")))
    lines = [
        f"%r{k} = graph.scan {kind} %x axis {axis} {exclusive} {reverse} : {t} -> {t}"
        for k, (axis, exclusive, reverse) in enumerate(cases)
    ]
    names, types = ", ".join(f"%r{k}" for k in range(12)), ", ".join([t] * 12)
    results = run(
        f"func.func @main(%x: {t}) -> ({types}) {{ {' '.join(lines)} "
        f"func.return {names} : {types} }}",
        x,
    )
    wide = x.astype(np.float32) if dtype == "bfloat16" else x
    info = np.iinfo(dtype) if x.dtype.kind in "iu" else None
    first = {"max": info.min, "min": info.max}.get(kind) if info else None
    first = IDENTITIES[kind] if first is None else first
    for (axis, exclusive, reverse), result in zip(cases, results, strict=True):
        line = np.moveaxis(wide, axis, 0)[:: -1 if reverse else 1]
        running = SCANS[kind].accumulate(line, axis=0, dtype=wide.dtype)
        if exclusive:
            start = np.full_like(running[:1], first)
            running = np.concatenate([start, running[:-1]])
        expected = np.moveaxis(running[:: -1 if reverse else 1], 0, axis).astype(x.dtype)
        np.testing.assert_array_equal(result, expected, f"{axis} {exclusive} {reverse}")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("extent", ["1", "3", "2000", "?"])
def test_running_sums_start_from_positive_zero(extent: str, dtype: str):
    """As sums do: of -0.0 alone both are 0.0, of one element too."""
    x = np.full((2, 3 if extent == "?" else int(extent)), -0.0).astype(dtype)
    element = type_of(x).rpartition("x")[2].rstrip(">")
    dims = ", #graph.dims<[2, N]>" if extent == "?" else ""
    t = f"tensor<2x{extent}x{element}{dims}>"
    attributes = "attributes {graph.symbols = #graph.symbols<[N in 0..8]>}" if dims else ""
    sums = run(
        f"""
        func.func @main(%x: {t}) -> ({t}, tensor<2x{element}>) {attributes} {{
          %r = graph.scan add %x axis 1 : {t} -> {t}
          %s = graph.reduce add %x axes [1] : {t} -> tensor<2x{element}>
          func.return %r, %s : {t}, tensor<2x{element}>
        }}
        """,
        x,
    )
    for result in sums:
        assert not np.signbit(result).any()


@pytest.mark.parametrize("count", [0, 1, 7])
def test_fold_and_scan_over_a_named_extent(count: int):
    x = RANDOM.standard_normal((3, count)).astype(np.float32)
    t, dims = "tensor<3x?xf32, #graph.dims<[3, N]>>", "#graph.symbols<[N in 0..8]>"
    largest, total, running = run(
        f"""
        func.func @main(%x: {t}) -> (tensor<f32>, tensor<f32>, {t})
            attributes {{graph.symbols = {dims}}} {{
          %low = graph.constant dense<0xff800000> : tensor<f32>
          %zero = graph.constant dense<-0.0> : tensor<f32>
          %m, %s = graph.fold(%x, %x) from(%low, %zero) axes [0, 1] {{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
            %e = graph.max %a, %c : tensor<f32>
            %f = graph.max %b, %d : tensor<f32>
            graph.yield %e, %f
          }}
          %1 = graph.scan max %x axis 1 : {t} -> {t}
          func.return %m, %s, %1 : tensor<f32>, tensor<f32>, {t}
        }}
        """,
        x,
    )
    assert largest == x.max(initial=-np.inf)
    assert total == max(x.max(initial=-np.inf), 0)
    np.testing.assert_array_equal(running, np.maximum.accumulate(x, axis=1))


@pytest.mark.parametrize(
    ("source", "target"),
    [("float16", "int16"), ("uint16", "bfloat16"), ("int8", "uint8"), ("float64", "uint64")],
)
def test_bitcast_of_every_width(source: str, target: str):
    bits = RANDOM.integers(0, 256, 64, np.uint8).view(source)
    found = target if target != "bfloat16" else ml_dtypes.bfloat16
    t, u = type_of(bits), type_of(bits.view(found))
    (result,) = run(
        f"func.func @main(%x: {t}) -> {u} {{ %0 = graph.bitcast %x : {t} to {u} "
        f"func.return %0 : {u} }}",
        bits,
    )
    np.testing.assert_array_equal(result.view(np.uint8), bits.view(np.uint8))
