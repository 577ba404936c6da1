"""Sorts on every floor against numpy's stable order: extents, axes, keys, what is beside them."""

from __future__ import annotations

import time
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from floors import on_every_floor
from matrix import in_order_of
from numpy.typing import NDArray
from random_graphs import Sample
from test_casts import EVERY

import teenyir as ty
from teenyir.dialects import graph
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.lowered import lower

Array = NDArray[Any]

RANDOM = np.random.default_rng(0)


def picked(x: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    """An array in order, and the indices that it comes from."""
    order = in_order_of(x, axis, descending)
    return np.take_along_axis(x, order, axis), order


DYNAMIC = """
func.func @main(%x: tensor<?x?xf32, #graph.dims<[M, N]>>)
    -> (tensor<?x?xf32, #graph.dims<[M, N]>>, tensor<?x?xi64, #graph.dims<[M, N]>>,
        tensor<?x?xf32, #graph.dims<[min(M, 3), N]>>)
    attributes {graph.symbols = #graph.symbols<[M in 0.., N in 0..]>} {
  %i = graph.iota axis 1 : tensor<?x?xi64, #graph.dims<[M, N]>>
  %0, %1 = graph.sort(%x, %i) keys 1 axis 1
  %2 = graph.sort(%x) keys 1 axis 0 descending first min(M, 3)
  func.return %0, %1, %2 : tensor<?x?xf32, #graph.dims<[M, N]>>,
    tensor<?x?xi64, #graph.dims<[M, N]>>, tensor<?x?xf32, #graph.dims<[min(M, 3), N]>>
}
"""
SIZES = [(0, 5), (5, 0), (1, 1), (3, 1), (1, 2), (2, 3), (9, 17), (33, 4), (2, 1000), (700, 2)]


def dynamic(m: int, n: int) -> tuple[Array, list[Array]]:
    """Numbers with ties, NaN and zeros of both signs, and the three results for them."""
    x = RANDOM.integers(-4, 5, (m, n)).astype(np.float32) * np.float32(-0.5)
    x[RANDOM.random((m, n)) < 0.1] = np.nan
    return x, [*picked(x, 1, False), picked(x, 0, True)[0][:3]]


def assert_same(found: Array, expected: Array) -> None:
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("floor", EVERY)
def test_one_program_for_every_extent(floor: str):
    module = parse_module(DYNAMIC, "test.mlir")
    sizes = SIZES if floor != "c" else SIZES[1::4]
    for m, n in sizes if floor != "uop, legalised" else SIZES[:7]:
        x, expected = dynamic(m, n)
        sample = Sample(module.clone(), [x], [], {})
        for found, wanted in zip(EVERY[floor](sample), expected, strict=True):
            assert_same(found, wanted)


def test_one_compile_for_every_extent():
    compiled = lower(parse_module(DYNAMIC, "test.mlir"), "cpu").compile(cache=False)
    for m, n in [*SIZES, (1, 4097), (3, 65536), (65537, 1)]:
        x, expected = dynamic(m, n)
        for found, wanted in zip(compiled(x), expected, strict=True):
            assert_same(found, wanted)


@pytest.mark.parametrize("count", [*range(1, 40), 127, 128, 129, 1000])
def test_every_number_of_elements_kept(count: int):
    """Merging keeps as much of a run as is wanted, whatever is left of it."""
    x = RANDOM.integers(0, 50, (3, 1000)).astype(np.int32)
    values, indices = ty.trace(lambda x: ty.top_k(x, count), x).lower(target="cpu").compile()(x)
    expected, order = picked(x, 1, True)
    np.testing.assert_array_equal(values, expected[:, :count])
    np.testing.assert_array_equal(indices, order[:, :count])


@pytest.mark.parametrize("first", [1, 3])
def test_no_merge_reads_what_was_not_kept_of_a_run(first: int):
    """The second of two runs may not be there, and the first may have been shortened before."""
    text = f"""
      func.func @main(%x: tensor<?xi32, #graph.dims<[N]>>) -> tensor<{first}xi32>
          attributes {{graph.symbols = #graph.symbols<[N in {first}..]>}} {{
        %0 = graph.sort(%x) keys 1 axis 0 descending first {first}
        func.return %0 : tensor<{first}xi32>
      }}"""
    module = parse_module(text, "test.mlir")
    PassManager.parse("graph-to-kernel,kernel-to-uop,expand-sort").run(module)
    for n in range(first, 36):
        x = RANDOM.integers(-9, 10, n).astype(np.int32)
        np.testing.assert_array_equal(run(module, [x])[0], np.sort(x)[::-1][:first])


@pytest.mark.parametrize("n", [16, 1000, 100_000])
@pytest.mark.parametrize("name", ["sort", "argsort", "top_k"])
def test_a_sort_is_one_launch_of_a_kernel_without_large_local_memory(n: int, name: str):
    functions = {
        "sort": lambda x: ty.sort(x, descending=True),
        "argsort": ty.argsort,
        "top_k": lambda x: ty.top_k(x, 10),
    }
    lowered = ty.trace(functions[name], ty.Spec((n,), ty.float32)).lower(target="cpu")
    text = lowered.as_text("uop")
    assert text.count("program.launch") == text.count("uop.func") == 1
    assert "uop.local" not in text
    x = RANDOM.standard_normal(n).astype(np.float32)
    expected, order = picked(x, 0, name != "argsort")
    found = lowered.compile()(x)
    if name == "top_k":
        np.testing.assert_array_equal(found[0], expected[:10])
        np.testing.assert_array_equal(found[1], order[:10])
    else:
        np.testing.assert_array_equal(found, order if name == "argsort" else expected)


def test_narrow_types_go_along():
    """Types that are for storage have no order, and are put into that of others."""
    keys = np.array([3, 1, 2, 1], np.int8)
    four = np.array([-8, 7, 0, 3], ml_dtypes.int4)
    float4 = np.array([6, -0.5, 1, 0], ml_dtypes.float4_e2m1fn)
    module = parse_module(
        """func.func @main(%k: tensor<4xi8>, %a: tensor<4xi4>, %b: tensor<4xf4E2M1FN>)
            -> (tensor<4xi4>, tensor<4xf4E2M1FN>) {
          %0, %1, %2 = graph.sort(%k, %a, %b) keys 1 axis 0
          func.return %1, %2 : tensor<4xi4>, tensor<4xf4E2M1FN>
        }""",
        "test.mlir",
    )
    a, b = on_every_floor(module, [keys, four, float4])
    assert a.view(np.uint8).tolist() == four[[1, 3, 2, 0]].view(np.uint8).tolist()
    assert b.astype(np.float32).tolist() == [-0.5, 0, 1, 6]


def test_what_is_sorted_is_computed_in_the_kernel_of_the_sort():
    x = RANDOM.standard_normal((5, 60)).astype(np.float32)
    lowered = ty.trace(lambda x: ty.argsort(-x * 2.0 + 1.0), x).lower(target="cpu")
    assert lowered.as_text("kernel").count("kernel.func") == 1
    np.testing.assert_array_equal(lowered.compile()(x), np.argsort(-x * 2 + 1, kind="stable"))


def test_rows_that_are_staged_are_sorted():
    x = RANDOM.standard_normal((5, 60)).astype(np.float32)
    found = ty.trace(lambda x: ty.sort(ty.softmax(x)) + ty.sort(x), x).lower("cpu").compile()(x)
    soft = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(found, np.sort(soft) + np.sort(x), rtol=1e-5)


def test_a_sort_in_a_loop_has_its_scratch_for_each_iteration():
    def rounds(x: ty.Tensor):
        return ty.fori_loop(0, 3, lambda _, y: ty.sort(y * -1.0), x)

    x = RANDOM.standard_normal(50).astype(np.float32)
    expected = np.sort(-np.sort(-np.sort(-x)))
    np.testing.assert_array_equal(ty.trace(rounds, x).lower("cpu").compile()(x), expected)


def test_infinities_of_both_signs_and_every_nan():
    bits = np.array([0xFF800000, 0x7FC00001, 0xFFC00000, 0x7F800000, 0x80000000, 0, 1], np.uint32)
    x = np.concatenate([bits.view(np.float32), np.array([-1, 1], np.float32)])
    module = parse_module(
        """func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
          %0 = graph.sort(%x) keys 1 axis 0
          func.return %0 : tensor<9xf32>
        }""",
        "test.mlir",
    )
    (found,) = on_every_floor(module, [x])
    # NaN with what it has beside its being one, in the order of the input
    wanted = [0xFF800000, 0xBF800000, 0x80000000, 0, 1, 0x3F800000, 0x7F800000]
    assert found.view(np.uint32).tolist() == [*wanted, 0x7FC00001, 0xFFC00000]


@pytest.mark.long
def test_a_large_sort_takes_no_longer_than_that_of_numpy():
    x = RANDOM.standard_normal(100_000).astype(np.float32)
    compiled = ty.trace(ty.sort, x).lower(target="cpu").compile()

    def best(run: Any) -> float:
        times: list[float] = []
        for _ in range(15):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)

    ours, numpys = best(lambda: compiled(x)), best(lambda: np.sort(x, kind="stable"))
    print(f"\n100,000 f32: {ours * 1e3:.2f} ms, numpy {numpys * 1e3:.2f} ms")
    assert ours < 2 * numpys


def test_constructor_refuses_what_does_not_fit():
    module = parse_module("func.func @main(%x: tensor<4xf32>) { func.return }", "test.mlir")
    (x,) = next(iter(module.body.block.ops)).regions[0].block.args
    with pytest.raises(Exception, match="axis 1 is outside"):
        graph.SortOp([x], 1)


HAND_WRITTEN = """
kernel.func @order(out %y: !kernel.buf<[N] x i32>, in %x: !kernel.buf<[N] x i32>,
                   scratch %s: !kernel.buf<[2, N] x i32>) dims(N in 0..) {
  %j = kernel.range 0 to N
  %v = kernel.load %x[%j]
  %t = kernel.sort(%v) by [sgt] over(%j) in(%s)[]
  %k = kernel.range 0 to N
  %e = kernel.load %t[%k]
  kernel.store %e, %y[%k]
}
"""


def test_a_kernel_with_scratch_is_called_by_hand():
    def twice(x: ty.Tensor):
        return ty.custom_call(HAND_WRITTEN, x) + 1

    traced = ty.trace(twice, ty.Spec((ty.Dim("N"),), ty.int32))
    x = RANDOM.integers(-99, 99, 30).astype(np.int32)
    (found,) = on_every_floor(traced.module, [x])
    np.testing.assert_array_equal(found, np.sort(x)[::-1] + 1)
    (alone,) = run(parse_module(HAND_WRITTEN, "order.mlir"), [x])
    np.testing.assert_array_equal(alone, np.sort(x)[::-1])
