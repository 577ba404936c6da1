"""What has data for an index, or runs along an axis, as native code against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from teenyir.pipeline.ir import parse_module
from teenyir.runtime.lowered import lower


def run(text: str, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
    """The results of `@main`, compiled for this machine."""
    outputs = lower(parse_module(text, "test.mlir"), "cpu").compile(cache=False)(*inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)


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
