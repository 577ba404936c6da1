"""The kernel floor's interpreter: kernels written by hand, against plain numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from teenyir.diagnostics import CompileError, Diagnostic
from teenyir.interpreter import kernel as kernel_floor
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module, verify_module

Array = NDArray[Any]
f32 = np.dtype("f4")

PRODUCT = """
kernel.func @product(out %o: !kernel.buf<[M, N] x f32>, in %x: !kernel.buf<[M, K] x f32>,
                     in %w: !kernel.buf<[K, N] x f32>)
    dims(M in 0..1024, N in 0..1024, K in 0..1024) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to N
  %k = kernel.range 0 to K
  %a = kernel.load %x[%i, %k]
  %b = kernel.load %w[%k, %j]
  %m = arith.mulf %a, %b : f32
  %s = kernel.reduce %m over(%k) {kind = "add"}
  kernel.store %s, %o[%i, %j]
}"""

SOFTMAX = """
kernel.func @softmax(out %o: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>)
    dims(N in 1..64) {
  %i = kernel.range 0 to N
  %jm = kernel.range 0 to 50
  %v = kernel.load %x[%i, %jm]
  %m = kernel.reduce %v over(%jm) {kind = "max"}
  %jp = kernel.range 0 to 50
  %v1 = kernel.load %x[%i, %jp]
  %d = arith.subf %v1, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%jp] over(%jp) : !kernel.buf<[50] x f32, local>
  %s = kernel.reduce %e over(%jp) {kind = "add"}
  %j = kernel.range 0 to 50
  %e1 = kernel.load %row[%j]
  %y = arith.divf %e1, %s : f32
  kernel.store %y, %o[%i, %j]
}"""

CONVOLUTION = """
kernel.func @conv(out %o: !kernel.buf<[N, 4, 7, 7] x f32>, in %x: !kernel.buf<[N, 3, 7, 7] x f32>,
                  in %w: !kernel.buf<[4, 3, 3, 3] x f32>) dims(N in 1..8) {
  %n = kernel.range 0 to N
  %c = kernel.range 0 to 4
  %h = kernel.range 0 to 7
  %v = kernel.range 0 to 7
  %i = kernel.range 0 to 3
  %a = kernel.range 0 to 3
  %b = kernel.range 0 to 3
  %zero = arith.constant 0.0 : f32
  %low = kernel.index 0
  %high = kernel.index 6
  %y = kernel.index %h + %a - 1
  %z = kernel.index %v + %b - 1
  %g0 = arith.cmpi sle, %low, %y : index
  %g1 = arith.cmpi sle, %y, %high : index
  %g2 = arith.cmpi sle, %low, %z : index
  %g3 = arith.cmpi sle, %z, %high : index
  %g01 = arith.andi %g0, %g1 : i1
  %g23 = arith.andi %g2, %g3 : i1
  %g = arith.andi %g01, %g23 : i1
  %p = kernel.load %x[%n, %i, %y, %z] if %g else %zero
  %q = kernel.load %w[%c, %i, %a, %b]
  %m = arith.mulf %p, %q : f32
  %s = kernel.reduce %m over(%i, %a, %b) {kind = "add"}
  kernel.store %s, %o[%n, %c, %h, %v]
}"""

TRIANGLE = """
kernel.func @triangle(out %o: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N, N] x f32>)
    dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range %i to min(%i + 5, N)
  %v = kernel.load %x[%i, %j]
  %s = kernel.reduce %v over(%j) {kind = "max"}
  kernel.store %s, %o[%i]
}"""


def compute(text: str, *inputs: Array, **keywords: Any) -> list[Array]:
    module = parse_module(text, "kernel.mlir")
    verify_module(module)
    return run(module, inputs, **keywords)


def normal(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(f32)


@pytest.fixture(params=["whole", "in blocks", "one by one"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all loops as axes, some in blocks, or none at all."""
    most = {"whole": 1 << 22, "in blocks": 37, "one by one": 1}[request.param]
    monkeypatch.setattr(kernel_floor, "MOST_ELEMENTS", most)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(("m", "n", "k"), [(3, 4, 5), (1, 1, 1), (0, 4, 5), (3, 4, 0), (13, 7, 11)])
def test_product(m: int, n: int, k: int) -> None:
    x, w = normal(m, k), normal(k, n)
    (got,) = compute(PRODUCT, x, w)
    np.testing.assert_allclose(got, x @ w, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("blocks")
def test_softmax_with_a_stage() -> None:
    x = normal(9, 50)
    (got,) = compute(SOFTMAX, x)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.usefixtures("blocks")
def test_convolution_with_padding_gates() -> None:
    x, w = normal(2, 3, 7, 7), normal(4, 3, 3, 3)
    (got,) = compute(CONVOLUTION, x, w)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    expected = np.einsum("nihvab,ciab->nchv", windows, w)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("n", (1, 4, 20))
def test_bounds_that_depend_on_ranges(n: int) -> None:
    x = normal(n, n)
    (got,) = compute(TRIANGLE, x)
    expected = [x[i, i : i + 5].max() for i in range(n)]
    np.testing.assert_array_equal(got, np.array(expected, f32))


@pytest.mark.usefixtures("blocks")
def test_an_inner_bound_that_leaves_lanes_empty() -> None:
    text = """
    kernel.func @f(out %o: !kernel.buf<[8] x i32>, in %x: !kernel.buf<[16] x i32>) {
      %i = kernel.range 0 to 8
      %j = kernel.range 0 to %i floordiv 2
      %k = kernel.range %j to %i
      %v = kernel.load %x[%j + %k]
      %s = kernel.reduce %v over(%k) {kind = "add"}
      %t = kernel.reduce %s over(%j) {kind = "add"}
      kernel.store %t, %o[%i]
    }"""
    (got,) = compute(text, np.arange(16, dtype="i4"))
    expected = [sum(j + k for j in range(i // 2) for k in range(j, i)) for i in range(8)]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("add", lambda v: np.add.reduce(v, dtype=v.dtype)),
        ("mul", lambda v: np.multiply.reduce(v, dtype=v.dtype)),
        ("max", np.max),
        ("min", np.min),
        ("umax", lambda v: v.view("u1").max().view("i1")),
        ("umin", lambda v: v.view("u1").min().view("i1")),
        ("and", np.bitwise_and.reduce),
        ("or", np.bitwise_or.reduce),
        ("xor", np.bitwise_xor.reduce),
    ],
)
def test_combiners_reduce_and_scan(kind: str, function: Callable[[Array], Any]) -> None:
    text = f"""
    kernel.func @f(out %o: !kernel.buf<[3] x i8>, out %p: !kernel.buf<[3, 7] x i8>,
                   out %q: !kernel.buf<[3, 7] x i8>, in %x: !kernel.buf<[3, 7] x i8>) {{
      %i = kernel.range 0 to 3
      %j = kernel.range 0 to 7
      %v = kernel.load %x[%i, %j]
      %s = kernel.reduce %v over(%j) {{kind = "{kind}"}}
      kernel.store %s, %o[%i]
      %k = kernel.range 0 to 7
      %u = kernel.load %x[%i, %k]
      %t = kernel.scan %u along %k {{kind = "{kind}"}}
      %e = kernel.scan %u along %k {{kind = "{kind}", exclusive}}
      kernel.store %t, %p[%i, %k]
      kernel.store %e, %q[%i, %k]
    }}"""
    x = np.random.default_rng(5).integers(-128, 128, (3, 7)).astype("i1")
    reduced, inclusive, exclusive = compute(text, x)
    np.testing.assert_array_equal(reduced, [function(row) for row in x])
    expected = [[function(row[: k + 1]) for k in range(7)] for row in x]
    np.testing.assert_array_equal(inclusive, expected)
    np.testing.assert_array_equal(exclusive[:, 1:], np.array(expected)[:, :-1])


@pytest.mark.usefixtures("blocks")
def test_a_fold_finds_the_place_of_the_maximum() -> None:
    text = """
    kernel.func @f(out %o: !kernel.buf<[N] x index>, in %x: !kernel.buf<[N, K] x f32>)
        dims(N in 1..9, K in 0..99) {
      %i = kernel.range 0 to N
      %low = arith.constant 0xFF800000 : f32
      %none = arith.constant 9999 : index
      %j = kernel.range 0 to K
      %v = kernel.load %x[%i, %j]
      %m, %at = kernel.fold(%v, %j) from(%low, %none) over(%j) {
      ^bb0(%a: f32, %ai: index, %b: f32, %bi: index):
        %more = arith.cmpf ogt, %b, %a : f32
        %same = arith.cmpf oeq, %b, %a : f32
        %before = arith.cmpi slt, %bi, %ai : index
        %first = arith.andi %same, %before : i1
        %take = arith.ori %more, %first : i1
        %r = arith.select %take, %b, %a : f32
        %ri = arith.select %take, %bi, %ai : index
        kernel.yield %r, %ri
      }
      kernel.store %at, %o[%i]
    }""".replace("x index>, in", "x i64>, in").replace(
        "kernel.store %at", "%w = arith.index_cast %at : index to i64\n kernel.store %w"
    )
    x = np.random.default_rng(7).integers(0, 6, (5, 23)).astype(f32)
    (got,) = compute(text, x)
    np.testing.assert_array_equal(got, x.argmax(1))
    (got,) = compute(text, np.zeros((2, 0), f32))
    np.testing.assert_array_equal(got, [9999, 9999])


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("kind", ("add", "set", "max"))
def test_scatter(kind: str) -> None:
    text = f"""
    kernel.func @f(inout %o: !kernel.buf<[4] x f32>, in %at: !kernel.buf<[9] x i64>,
                   in %x: !kernel.buf<[9] x f32>) {{
      %i = kernel.range 0 to 9
      %p = kernel.load %at[%i]
      %k = arith.index_cast %p : i64 to index
      %v = kernel.load %x[%i]
      %three = kernel.index 3
      %g = arith.cmpi sle, %k, %three : index
      kernel.scatter %v, %o[%k] if %g over(%i) {{kind = "{kind}"}}
    }}"""
    at = np.array([0, 1, 9, 1, 3, 3, 0, 3, 1])
    x, start = normal(9), normal(4)
    (got,) = compute(text, start, at, x)
    expected = start.copy()
    for k, v in zip(at, x, strict=True):
        if k < 4:
            step = {"add": expected[k] + v, "set": v, "max": max(expected[k], v)}
            expected[k] = step[kind]
    np.testing.assert_array_equal(got, expected)


def failing(text: str, *inputs: Array) -> str:
    with pytest.raises(CompileError) as caught:
        compute(text, *inputs)
    return str(caught.value)


COPY = """
kernel.func @f(out %o: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[LOAD]
  kernel.store %v, %o[STORE]
}"""


@pytest.mark.usefixtures("blocks")
def test_out_of_bounds() -> None:
    text = COPY.replace("LOAD", "%i + 1").replace("STORE", "%i")
    message = failing(text, normal(4))
    assert "kernel.mlir:4:3: error: 'kernel.load': index [4] is out of bounds of %x, " in message
    assert "whose extents are [4] at %i = 3" in message
    text = COPY.replace("LOAD", "%i").replace("STORE", "%i - 2")
    message = failing(text, normal(4))
    assert "kernel.mlir:5:3: error: 'kernel.store': index [-2] is out of bounds of %o" in message


@pytest.mark.usefixtures("blocks")
def test_written_twice() -> None:
    text = COPY.replace("LOAD", "%i").replace("STORE", "%i")
    again = text[: text.rindex("}")] + "  kernel.store %v, %o[N - 1 - %i]\n}"
    fault = "'kernel.store': writes %o[3] a second time, and something else"
    assert fault in failing(again, normal(4))


@pytest.mark.usefixtures("blocks")
def test_loops_that_overlap_write_the_same() -> None:
    """As those do that `peel-range` makes, whatever it is: NaN, or a zero with its sign."""
    text = COPY.replace("LOAD", "%i").replace("STORE", "%i")
    last = "%r = kernel.range 0 to 2\n  %w = kernel.load %x[N - 2 + %r]"
    again = f"{text[: text.rindex('}')]}  {last}\n  kernel.store %w, %o[N - 2 + %r]\n}}"
    x = np.array([1.0, -0.0, np.nan, -0.0], np.float32)
    np.testing.assert_array_equal(compute(again, x)[0].view(np.int32), x.view(np.int32))


def test_what_was_never_written_is_reported_and_is_nan() -> None:
    text = COPY.replace("LOAD", "%i").replace("STORE", "%i").replace("0 to N", "1 to N - 1")
    warnings: list[Diagnostic] = []
    (got,) = compute(text, np.ones(5, f32), warn=warnings.append)
    np.testing.assert_array_equal(np.isnan(got), [True, False, False, False, True])
    (warning,) = warnings
    assert "2 of the 5 elements of %o were never written, the first at [0]" in warning.message


def test_a_stage_is_read_where_it_was_written() -> None:
    text = """
    kernel.func @f(out %o: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
      %j = kernel.range 0 to 4
      %v = kernel.load %x[%j]
      %t = kernel.stage %v[%j] over(%j) : !kernel.buf<[5] x f32, local>
      %i = kernel.range 0 to 4
      %u = kernel.load %t[%i + 1]
      kernel.store %u, %o[%i]
    }"""
    message = failing(text, normal(4))
    assert "'kernel.load': reads %t[4], which nothing has written at %i = 3" in message


def test_division_by_zero_is_a_fault_in_active_lanes_alone() -> None:
    text = """
    kernel.func @f(out %o: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x i32>) {
      %i = kernel.range 0 to 4
      %j = kernel.range 0 to %i
      %v = kernel.load %x[%j]
      %hundred = arith.constant 100 : i32
      %q = arith.divsi %hundred, %v : i32
      %s = kernel.reduce %q over(%j) {kind = "add"}
      kernel.store %s, %o[%i]
    }"""
    (got,) = compute(text, np.array([1, 2, 5, 0], "i4"))
    np.testing.assert_array_equal(got, [0, 100, 150, 170])
    message = failing(text, np.array([1, 0, 5, 0], "i4"))
    assert "'arith.divsi': divides by zero at %i = 2, %j = 1" in message


def test_a_product_of_512_takes_a_fraction_of_a_second() -> None:
    import time

    x = normal(512, 512)
    start = time.perf_counter()
    (got,) = compute(PRODUCT, x, x)
    assert time.perf_counter() - start < 5  # a fifth of a second on an idle core
    np.testing.assert_allclose(got, x @ x, rtol=1e-3, atol=1e-3)
