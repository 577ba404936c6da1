"""The uop floor's interpreter: linear code written by hand, against plain numpy."""

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from teenyir.diagnostics import CompileError
from teenyir.dialects import uop
from teenyir.interpreter.arrays import silent
from teenyir.interpreter.memory import Buffer
from teenyir.interpreter.uop import KNOWN, MOST_ELEMENTS, run_uop
from teenyir.pipeline.ir import parse_module, verify_module

Array = NDArray[Any]
f32 = np.dtype("f4")

MODES = {
    "in lanes": {},
    "in blocks": {"most_elements": 7},
    "in order": {"in_order": True},
}


def compute(
    text: str, shape: tuple[int, ...], *inputs: Array, dtype: Any = f32, **keywords: Any
) -> Array:
    """Run the one kernel of a text, whose only output is its first buffer."""
    dims = {name: keywords.pop(name) for name in list(keywords) if name.isupper()}
    module = parse_module(text, "uop.mlir")
    verify_module(module)
    (func,) = module.body.ops
    assert isinstance(func, uop.FuncOp)
    output = Buffer.fresh("%o", shape, np.dtype(dtype))
    buffers = [output, *(Buffer.of(f"%x{k}", each) for k, each in enumerate(inputs))]
    with silent():
        run_uop(module, func, buffers, dims, **keywords)
    return output.array


@pytest.fixture(params=list(MODES))
def mode(request: pytest.FixtureRequest) -> dict[str, Any]:
    """All parallel iterations as lanes, a few at a time, or one after the other."""
    return MODES[request.param]


def normal(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(f32)


PRODUCT = """
uop.func @product(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f32>)
    dims(%N: N in 0..1024) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %N step %c1 {
    %row = arith.muli %i, %N : index
    scf.for %j = %c0 to %N step %c1 {
      %s = scf.for %k = %c0 to %N step %c1 iter_args(%acc = %zero) -> (f32) {
        %xo = arith.addi %row, %k : index
        %a = uop.load %x[%xo] : f32
        %wr = arith.muli %k, %N : index
        %wo = arith.addi %wr, %j : index
        %b = uop.load %w[%wo] : f32
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %acc, %m : f32
        scf.yield %t : f32
      }
      %oo = arith.addi %row, %j : index
      uop.store %s, %o[%oo]
    } {uop.parallel}
  } {uop.parallel}
}"""


@pytest.mark.parametrize("n", (0, 1, 5))
def test_product(mode: dict[str, Any], n: int) -> None:
    x, w = normal(n, n), normal(n, n)
    got = compute(PRODUCT, (n, n), x, w, N=n, **mode)
    np.testing.assert_allclose(got, x @ w, rtol=1e-5, atol=1e-6)


def test_a_product_of_512_takes_a_fraction_of_a_second() -> None:
    x = normal(512, 512)
    start = time.perf_counter()
    got = compute(PRODUCT, (512, 512), x, x, N=512)
    assert time.perf_counter() - start < 5  # a fifth of a second on an idle core
    np.testing.assert_allclose(got, x @ x, rtol=1e-3, atol=1e-3)


def test_bounds_and_branches_that_differ_between_lanes(mode: dict[str, Any]) -> None:
    text = """
    uop.func @f(out %o: !uop.ptr<i64>, in %x: !uop.ptr<i64>) dims(%N: N in 1..64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %z = arith.constant 0 : i64
      scf.for %i = %c0 to %N step %c1 {
        %s = scf.for %k = %i to %N step %c2 iter_args(%acc = %z) -> (i64) {
          %v = uop.load %x[%k] : i64
          %odd = arith.trunci %v : i64 to i1
          %t = scf.if %odd -> (i64) {
            %a = arith.addi %acc, %v : i64
            scf.yield %a : i64
          } else {
            %a = arith.subi %acc, %v : i64
            scf.yield %a : i64
          }
          scf.yield %t : i64
        }
        uop.store %s, %o[%i]
      } {uop.parallel}
    }"""
    x = np.arange(3, 14)
    expected = [sum(v if v % 2 else -v for v in x[i::2]) for i in range(11)]
    np.testing.assert_array_equal(compute(text, (11,), x, dtype="i8", N=11, **mode), expected)


def test_a_branch_may_store(mode: dict[str, Any]) -> None:
    text = """
    uop.func @f(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      scf.for %i = %c0 to %N step %c1 {
        %v = uop.load %x[%i] : f32
        %g = arith.cmpf olt, %v, %zero : f32
        scf.if %g {
          %w = arith.negf %v : f32
          uop.store %w, %o[%i]
        } else {
          uop.store %v, %o[%i]
        }
      } {uop.parallel}
    }"""
    x = normal(13)
    np.testing.assert_array_equal(compute(text, (13,), x, N=13, **mode), np.abs(x))


def test_vectors_and_gates(mode: dict[str, Any]) -> None:
    text = """
    uop.func @f(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %two = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
      %one = arith.constant 1.0 : f32
      %ones = vector.broadcast %one : f32 to vector<4xf32>
      scf.for %i = %c0 to %N step %c1 {
        %at = arith.muli %i, %c4 : index
        %last = arith.addi %i, %c1 : index
        %g = arith.cmpi slt, %last, %N : index
        %v = uop.load %x[%at] if %g else %ones : vector<4xf32>
        %w = arith.mulf %v, %two : vector<4xf32>
        %s = vector.reduction <add>, %w : vector<4xf32> into f32
        %sel = arith.select %g, %w, %ones : vector<4xf32>
        %p = vector.insert %s, %sel [0] : f32 into vector<4xf32>
        uop.store %p, %o[%at]
      } {uop.parallel}
    }""".replace("%sel [0]", "%sel[0]")
    x = normal(4, 4)
    got = compute(text, (5, 4), x, N=5, **mode)
    padded = np.concatenate([x, np.ones((1, 4), f32)])
    scaled = padded * np.array([1, 2, 3, 4], f32)
    expected = np.where(np.arange(5)[:, None] < 4, scaled, 1)
    expected[:, 0] = scaled.sum(1)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


LOCAL = """
uop.func @f(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %N step %c1 {
    %t = uop.local [3] : !uop.ptr<f32, local>
    scf.for %k = %c0 to %c3 step %c1 {
      %r = arith.muli %i, %c3 : index
      %at = arith.addi %r, %k : index
      %v = uop.load %x[%at] : f32
      uop.store %v, %t[%k]
    }
    scf.for %k = %c0 to %c3 step %c1 {
      %r = arith.muli %i, %c3 : index
      %at = arith.addi %r, %k : index
      %back = arith.subi %c2, %k : index
      %v = uop.load %t[%back] : f32
      uop.store %v, %o[%at]
    } {uop.parallel}
  } {uop.parallel}
}"""


def test_local_memory_is_each_lanes_own(mode: dict[str, Any]) -> None:
    x = normal(5, 3)
    np.testing.assert_array_equal(compute(LOCAL, (5, 3), x, N=5, **mode), x[:, ::-1])


def test_while(mode: dict[str, Any]) -> None:
    text = """
    uop.func @f(out %o: !uop.ptr<i64>, in %x: !uop.ptr<i64>) dims(%N: N in 1..64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i64
      %limit = arith.constant 100 : i64
      scf.for %i = %c0 to %N step %c1 {
        %v = uop.load %x[%i] : i64
        %r = scf.while (%a = %v) : (i64) -> i64 {
          %g = arith.cmpi slt, %a, %limit : i64
          scf.condition(%g) %a : i64
        } do {
        ^bb0(%a: i64):
          %b = arith.addi %a, %a : i64
          scf.yield %b : i64
        }
        uop.store %r, %o[%i]
      } {uop.parallel}
    }"""
    x = np.array([1, 3, 100, 99, 7])
    got = compute(text, (5,), x, dtype="i8", N=5, **mode)
    np.testing.assert_array_equal(got, [128, 192, 100, 198, 112])


def failing(text: str, shape: tuple[int, ...], *inputs: Array, **keywords: Any) -> str:
    with pytest.raises(CompileError) as caught:
        compute(text, shape, *inputs, **keywords)
    return str(caught.value)


def test_out_of_bounds(mode: dict[str, Any]) -> None:
    message = failing(LOCAL, (5, 3), normal(4, 3), N=5, **mode)
    assert "uop.mlir:12:7: error: 'uop.load': index [12] is out of bounds of %x0" in message
    text = LOCAL.replace("%t[%k]", "%t[%at]")
    message = failing(text, (5, 3), normal(5, 3), N=5, **mode)
    assert "'uop.store': index [3] is out of bounds of %t, whose extents are [3]" in message


def test_reading_what_was_not_written(mode: dict[str, Any]) -> None:
    text = LOCAL.replace("uop.store %v, %t[%k]", "uop.store %v, %t[%c1]")
    message = failing(text, (5, 3), normal(5, 3), N=5, **mode)
    assert "'uop.load': reads %t[2], which nothing has written" in message


RACE = """
uop.func @f(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %N step %c1 {
    %v = uop.load %x[%i] : f32
    %m = arith.remui %i, %c16 : index
    uop.store %v, %o[%m]
  } {uop.parallel}
}"""


@pytest.mark.parametrize("most_elements", (1, 7, MOST_ELEMENTS))
def test_two_iterations_that_write_one_element(most_elements: int) -> None:
    x = normal(20)
    message = failing(RACE, (16,), x, N=20, most_elements=most_elements)
    assert "'uop.store': writes %o[0] in several iterations of a parallel loop" in message
    compute(RACE, (16,), x[:16], N=16, most_elements=most_elements)
    # in order, the last one wins
    got = compute(RACE, (16,), x, N=20, in_order=True)
    np.testing.assert_array_equal(got, np.concatenate([x[16:], x[4:16]]))


def test_a_loop_within_a_loop_in_order_may_write_again() -> None:
    text = RACE.replace(
        "  scf.for %i", "  scf.for %again = %c0 to %c16 step %c1 {\n  scf.for %i"
    ).replace("{uop.parallel}", "{uop.parallel}\n}")
    x = normal(16)
    for most_elements in (1, 5, MOST_ELEMENTS):
        got = compute(text, (16,), x, N=16, most_elements=most_elements)
        np.testing.assert_array_equal(got, x)


def test_no_step() -> None:
    text = RACE.replace("N in 1..64", "N in 0..64").replace("to %N step %c1", "to %c16 step %N")
    message = failing(text, (16,), normal(4), N=0)
    assert "'scf.for': the step of a loop is not positive" in message


SHARED = """
uop.func @shared(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..1024) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = uop.local [2] : !uop.ptr<f32, local>
  scf.for %i = %c0 to %N step %c1 {
    %mine = uop.thread %i
    %v = uop.load %x[%i] : f32
    uop.store %v, %t[%mine]
    %back = uop.load %t[%mine] : f32
    uop.store %back, %o[%i]
  } {uop.parallel, uop.threads = #uop.threads<2, 4096>}
}"""


def test_a_place_for_each_thread_keeps_what_its_iteration_wrote() -> None:
    x = normal(5)
    np.testing.assert_array_equal(compute(SHARED, (5,), x, N=5, in_order=True), x)


def test_every_op_of_the_floor_is_known() -> None:
    ops = {op for op in uop.UOP.operations if op is not uop.FuncOp}
    assert ops <= KNOWN, {op.name for op in ops - KNOWN}
