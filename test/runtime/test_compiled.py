"""Compiled programs: right results, errors that name the input, and calls from several threads."""

import threading
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError, RunError
from teenyir.pipeline.ir import parse_module
from teenyir.runtime.compiled import Compiled
from teenyir.runtime.lowered import lower

ROWS = "tensor<?x4xf32, #graph.dims<[N, 4]>>"
AFFINE = f"""
func.func @main(
    %x: {ROWS} {{graph.name = "x"}}, %w: tensor<4xf32> {{graph.name = "w", graph.parameter}}
) -> {ROWS} attributes {{graph.symbols = #graph.symbols<[N in 1..64 step 2]>}} {{
  %b = graph.broadcast %w axes [1] : tensor<4xf32> -> {ROWS}
  %y = graph.add %x, %b : {ROWS}
  func.return %y : {ROWS}
}}
"""

# Two products in a row, so that there is a temporary in the arena.
SQUARE = "tensor<?x?xf32, #graph.dims<[N, N]>>"
CHAIN = f"""
func.func @main(%x: {SQUARE} {{graph.name = "x"}}) -> {SQUARE}
    attributes {{graph.symbols = #graph.symbols<[N in 0..]>}} {{
  %a = graph.dot %x, %x contract [1] x [0] : ({SQUARE}, {SQUARE}) -> {SQUARE}
  %b = graph.dot %a, %x contract [1] x [0] : ({SQUARE}, {SQUARE}) -> {SQUARE}
  func.return %b : {SQUARE}
}}
"""


def compiled(text: str, parameters: dict[str, Any] | None = None) -> Compiled:
    return lower(parse_module(text, "program.mlir"), "cpu", parameters).compile(cache=False)


@pytest.fixture(scope="module")
def affine() -> Compiled:
    return compiled(AFFINE, {"w": np.arange(4, dtype=np.float32)})


def unaligned(array: Any) -> Any:
    room = np.zeros(array.nbytes + 1, np.uint8)
    view = room[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


X = np.arange(8, dtype=np.float32).reshape(2, 4)
WANT = X + np.arange(4, dtype=np.float32)


@pytest.mark.parametrize(
    "x",
    [
        pytest.param(X, id="as it is"),
        pytest.param(np.asfortranarray(X), id="column-major"),
        pytest.param(np.repeat(X, 2, axis=0)[::2], id="strided"),
        pytest.param(X[::-1][::-1], id="negative strides undone"),
        pytest.param(X.tolist(), id="lists"),
        pytest.param(
            np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 4),
            id="unaligned",
        ),
    ],
)
def test_inputs_of_all_kinds(affine: Compiled, x: Any) -> None:
    np.testing.assert_array_equal(affine(x), WANT)
    np.testing.assert_array_equal(affine(x=x), WANT)


def test_read_only_input(affine: Compiled) -> None:
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(affine(x), WANT)


def test_result_is_new_memory(affine: Compiled) -> None:
    first, second = affine(X), affine(X)
    first[:] = 0
    np.testing.assert_array_equal(second, WANT)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(), r"@main takes 1 inputs \(x\), got 0"),
        (lambda f: f(X, X), r"@main takes 1 inputs \(x\), got 2"),
        (lambda f: f(X, x=X), r"input 'x' is given twice"),
        (lambda f: f(y=X), r"no input named 'y'"),
        (lambda f: f(X.astype(np.float64)), r"input 'x': expected float32\[N, 4\], got float64"),
        (lambda f: f(X.astype(">f8")), r"input 'x': expected float32\[N, 4\], got float64"),
        (lambda f: f("text"), r"input 'x': expected float32\[N, 4\], got <U4"),
        (lambda f: f([[1.0], [1.0, 2.0]]), r"input 'x': expected float32\[N, 4\], got what is no"),
        (lambda f: f(X[0]), r"input 'x': expected float32\[N, 4\], got 1 axes"),
        (lambda f: f(X[:, :3]), r"input 'x': .* axis 1 is 3, not 4"),
        (lambda f: f(X[:1]), r"N = 1 is not a multiple of 2 \(from axis 0 of input 'x'\)"),
        (lambda f: f(np.zeros((66, 4), np.float32)), r"N = 66 is outside N in 1..64"),
        (lambda f: f(X, dims={"M": 1}), r"no extent named M"),
        (lambda f: f(X, dims={"N": 4}), r"axis 0 is 2"),
    ],
)
def test_errors_name_what_is_wrong(
    affine: Compiled, call: Callable[[Compiled], Any], message: str
) -> None:
    with pytest.raises(RunError, match=message):
        call(affine)
    np.testing.assert_array_equal(affine(X), WANT)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"v": np.zeros(4, np.float32)}, "no parameter named 'v'"),
        ({"w": np.zeros(4, np.float64)}, r"input 'w': expected float32\[4\], got float64"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compiled(AFFINE, parameters)


def test_parameters_may_be_passed(affine: Compiled) -> None:
    function = compiled(AFFINE)
    np.testing.assert_array_equal(function(X, np.arange(4, dtype=np.float32)), WANT)


def test_one_compile_serves_all_sizes() -> None:
    function = compiled(CHAIN)
    for size in (0, 1, 2, 7, 33):
        x = np.random.default_rng(size).standard_normal((size, size)).astype(np.float32)
        np.testing.assert_allclose(function(x), x @ x @ x, rtol=1e-4, atol=1e-4)


def test_calls_from_several_threads() -> None:
    function = compiled(CHAIN)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(50):
                size = int(rng.integers(1, 40))
                x = rng.standard_normal((size, size)).astype(np.float32)
                np.testing.assert_allclose(function(x), x @ x @ x, rtol=1e-3, atol=1e-3)
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_constants_bools_and_several_outputs() -> None:
    function = compiled("""
func.func @main(%x: tensor<3xi32> {graph.name = "x"}) -> (tensor<3xi1>, tensor<3xi32>) {
  %c = graph.constant dense<[1, 2, 3]> : tensor<3xi32>
  %p = graph.compare lt %x, %c : tensor<3xi32>
  %s = graph.add %x, %c : tensor<3xi32>
  func.return %p, %s : tensor<3xi1>, tensor<3xi32>
}
""")
    less, total = function(np.array([0, 2, 2], np.int32))
    assert less.dtype == np.bool_ and less.tolist() == [True, False, True]
    assert total.tolist() == [1, 4, 5]


@pytest.mark.parametrize(
    ("type", "dtype"),
    [
        *(("ui8", np.uint8), ("ui64", np.uint64), ("i16", np.int16)),
        *(("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f64", np.float64)),
    ],
)
def test_dtypes_come_out_as_they_went_in(type: str, dtype: Any) -> None:
    function = compiled(f"""
func.func @main(%x: tensor<3x{type}> {{graph.name = "x"}}) -> tensor<3x{type}> {{
  %y = graph.mul %x, %x : tensor<3x{type}>
  func.return %y : tensor<3x{type}>
}}
""")
    y = function(np.array([1, 2, 3], dtype))
    assert y.dtype == dtype
    assert y.astype(np.float64).tolist() == [1, 4, 9]


def test_rank_zero() -> None:
    function = compiled("""
func.func @main(%x: tensor<f32> {graph.name = "x"}) -> tensor<f32> {
  %y = graph.add %x, %x : tensor<f32>
  func.return %y : tensor<f32>
}
""")
    y = function(np.float32(1.5))
    assert y.shape == () and y == 3.0
    assert function(1.5) == 3.0


def test_texts() -> None:
    lowered = lower(parse_module(CHAIN, "chain.mlir"))
    words = {
        "graph": "graph.dot",
        "kernel": "kernel.reduce",
        "uop": "scf.for",
        "machine": "llvm.call",
    }
    for floor, word in words.items():
        assert word in lowered.as_text(floor)
    with pytest.raises(CompileError, match="no text of a floor 'kernl'; did you mean 'kernel'"):
        lowered.as_text("kernl")
    function = lowered.compile(cache=False)
    assert "define void @main" in function.asm["llvmir"]
    assert "main:" in function.asm["asm"]
    assert sorted(function.asm) == ["asm", "llvmir"]


def test_kernels_and_costs() -> None:
    lowered = lower(parse_module(CHAIN, "chain.mlir"))
    function = lowered.compile(cache=False)
    first, second = function.kernels
    assert first.name.startswith("dot") and first.name != second.name
    assert str(first.bytes) == "N * N * 8"
    assert first.graph_ops == second.graph_ops == ("graph.dot",)
    assert [str(size) for size in first.grid] == ["1"] and first.block == (1,)
    assert {place.line for place in (*first.sources, *second.sources)} == {4, 5}
    assert "kernel.reduce" in first.as_text() and f"@{second.name}" not in first.as_text()
    assert "scf.for" in first.as_text("uop") and "llvm.func" in first.as_text("machine")
    with pytest.raises(CompileError, match="not on a floor 'uopp'; did you mean 'uop'"):
        first.as_text("uopp")
    n = 1344  # a multiple of any tile: rows and columns beyond the edges would count too
    assert first.flops is not None and first.flops.evaluate({"N": n}) == 2 * n**3
    costs = function.cost_analysis({"N": n})
    assert costs == {"flops": 4 * n**3, "bytes": 20 * n**2, "arena": 4 * n**2, "launches": 2}
    assert function.cost_analysis()["flops"].evaluate({"N": n}) == 4 * n**3


def test_a_kernel_names_its_graph_ops_though_they_share_a_line() -> None:
    def model(x: Any) -> Any:
        return ty.exp(ty.tanh(x) @ x).sum(axis=1) @ x

    compiled = ty.trace(model, ty.Spec((4, 4), ty.float32)).lower().compile(cache=False)
    found = [frozenset(kernel.graph_ops) for kernel in compiled.kernels]
    assert len(found) > 1 and found[-1] == {"graph.dot"}
    every = frozenset[str]().union(*found)
    assert every == {"graph.tanh", "graph.exp", "graph.dot", "graph.reduce"}
    lines = {place.line for kernel in compiled.kernels for place in kernel.sources}
    assert len(lines) == 1
    below = lower(parse_module(lower(parse_module(CHAIN)).as_text("kernel"))).compile(cache=False)
    assert [kernel.graph_ops for kernel in below.kernels] == [(), ()]


def test_an_array_in_the_other_byte_order_is_read_as_it_means(affine: Compiled) -> None:
    assert np.array_equal(affine(X.astype(X.dtype.newbyteorder("S"))), affine(X))


def test_outputs_that_do_not_fit_into_memory_are_an_error() -> None:
    def function(x: Any) -> Any:
        return ty.broadcast_to(x, (1 << 27, 1 << 27))

    compiled = ty.trace(function, ty.Spec((1,), ty.float32)).lower().compile(cache=False)
    with pytest.raises(RunError, match="@main needs too much memory"):
        compiled(np.zeros(1, np.float32))
