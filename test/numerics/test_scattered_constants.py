"""A scatter combines once for each position of its updates, although nothing tells them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from floors import on_every_floor
from numpy.typing import NDArray

import teenyir as ty
from teenyir.pipeline.ir import parse_module

Array = NDArray[Any]

COMBINERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "set": lambda old, new: new,
}
START = np.array([5, -7, 3], np.int16)


@pytest.mark.parametrize("kind", COMBINERS)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_constants_with_a_named_extent(kind: str, count: int):
    module = parse_module(
        f"""
        func.func @main(%t: tensor<3xi16>, %n: tensor<?xi16, #graph.dims<[N]>>) -> tensor<3xi16>
            attributes {{graph.symbols = #graph.symbols<[N in 0..9]>}} {{
          %second = graph.constant dense<1> : tensor<i32>
          %i = graph.broadcast %second axes [] : tensor<i32> -> tensor<?x1xi32, #graph.dims<[N, 1]>>
          %two = graph.constant dense<2> : tensor<i16>
          %u = graph.broadcast %two axes [] : tensor<i16> -> tensor<?xi16, #graph.dims<[N]>>
          %0 = graph.scatter {kind} %t, %i, %u axes [0]
              : (tensor<3xi16>, tensor<?x1xi32, #graph.dims<[N, 1]>>,
                 tensor<?xi16, #graph.dims<[N]>>) -> tensor<3xi16>
          func.return %0 : tensor<3xi16>
        }}
        """,
        "test.mlir",
    )
    (result,) = on_every_floor(module, [START, np.zeros(count, np.int16)])
    np.testing.assert_array_equal(result, scattered(kind, count))


@pytest.mark.parametrize("kind", COMBINERS)
@pytest.mark.parametrize("extents", [(4,), (2, 3), (1, 3), (3, 0), (0, 3)], ids=str)
def test_constants_with_static_extents(kind: str, extents: tuple[int, ...]):
    shape = "".join(f"{n}x" for n in extents)
    module = parse_module(
        f"""
        func.func @main(%t: tensor<3xi16>) -> tensor<3xi16> {{
          %second = graph.constant dense<1> : tensor<i32>
          %i = graph.broadcast %second axes [] : tensor<i32> -> tensor<{shape}1xi32>
          %two = graph.constant dense<2> : tensor<i16>
          %u = graph.broadcast %two axes [] : tensor<i16> -> tensor<{shape}i16>
          %0 = graph.scatter {kind} %t, %i, %u axes [0]
              : (tensor<3xi16>, tensor<{shape}1xi32>, tensor<{shape}i16>) -> tensor<3xi16>
          func.return %0 : tensor<3xi16>
        }}
        """,
        "test.mlir",
    )
    (result,) = on_every_floor(module, [START])
    np.testing.assert_array_equal(result, scattered(kind, int(np.prod(extents))))


def scattered(kind: str, count: int) -> Array:
    """2 combined with the second element as often as it says."""
    expected = START.copy()
    for _ in range(count):
        expected[1] = COMBINERS[kind](expected[1], np.int16(2))
    return expected


@pytest.mark.parametrize("target", ["cpu", "c", "cuda-emulated", "interpret"])
def test_constants_on_every_target(target: str):
    def count(x: Any, rows: Any) -> Any:
        n = rows.shape[0]
        at, ones = ty.zeros((n,), dtype=ty.int32), ty.ones((n,), dtype=ty.float32)
        columns = ty.ones((n, 4), dtype=ty.float32)
        # all of it constant; updates that vary along one axis alone; indices that are data
        return x[0].at[at].add(ones), x.at[at].add(columns * x[0]), x.at[rows].multiply(columns * 2)

    rows = ty.Dim("N", min=0)
    traced = ty.trace(count, ty.Spec((3, 4), ty.float32), ty.Spec((rows,), ty.int32))
    compiled = traced.lower(target=target).compile(cache=False)
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    for n in (0, 1, 7):
        at = (np.arange(n) % 2).astype(np.int32)
        first, row, data = (np.asarray(found) for found in compiled(x, at))
        np.testing.assert_array_equal(first, x[0] + n * np.eye(4, dtype=np.float32)[0])
        np.testing.assert_array_equal(row, np.concatenate([x[:1] * (n + 1), x[1:]]))
        times = np.bincount(at, minlength=3).astype(np.float32)
        np.testing.assert_array_equal(data, x * 2 ** times[:, None])
