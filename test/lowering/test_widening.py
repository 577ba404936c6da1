"""Ranges of kind `unroll` and `vector`: each kernel means the same on every floor and natively."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module, print_module, verify_module
from teenyir.pipeline.manager import PassManager

Native = Callable[..., Callable[..., None]]
rng = np.random.default_rng(3)


def normal(*shape: int, dtype: Any = np.float32) -> Any:
    return rng.normal(size=shape).astype(dtype)


def test_a_register_tile_of_vectors(native: Native) -> None:
    check(
        native,
        """
kernel.func @k(out %c: !kernel.buf<[8, 32] x f32>, in %a: !kernel.buf<[8, 20] x f32>,
               in %b: !kernel.buf<[20, 32] x f32>) {
  %io = kernel.range 0 to 2
  %k = kernel.range 0 to 20
  %ii = kernel.range 0 to 4 unroll
  %ji = kernel.range 0 to 2 unroll
  %jv = kernel.range 0 to 16 vector
  %x = kernel.load %a[%io * 4 + %ii, %k]
  %y = kernel.load %b[%k, %ji * 16 + %jv]
  %p = arith.mulf %x, %y fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %c[%io * 4 + %ii, %ji * 16 + %jv]
}""",
        np.empty((8, 32), np.float32),
        a := normal(8, 20),
        b := normal(20, 32),
        expected=a.astype(float) @ b,
    )


def test_packed_panels_with_guards(native: Native) -> None:
    check(
        native,
        """
kernel.func @k(out %c: !kernel.buf<[7, 13] x f32>, in %a: !kernel.buf<[7, 5] x f32>,
               in %b: !kernel.buf<[5, 13] x f32>) {
  %zero = arith.constant 0.0 : f32
  %c7 = kernel.index 7
  %c13 = kernel.index 13
  %kp = kernel.range 0 to 5
  %jp = kernel.range 0 to 2
  %jl = kernel.range 0 to 8 vector
  %jx = kernel.index %jp * 8 + %jl
  %jin = arith.cmpi ult, %jx, %c13 : index
  %bv = kernel.load %b[%kp, %jx] if %jin else %zero
  %panel = kernel.stage %bv[%jp, %kp, %jl] over(%jp, %kp, %jl) : !kernel.buf<[2, 5, 8] x f32, local>
  %io = kernel.range 0 to 2
  %jo = kernel.range 0 to 2
  %k = kernel.range 0 to 5
  %ii = kernel.range 0 to 4 unroll
  %ji = kernel.range 0 to 8 vector
  %i = kernel.index %io * 4 + %ii
  %j = kernel.index %jo * 8 + %ji
  %gi = arith.cmpi ult, %i, %c7 : index
  %gj = arith.cmpi ult, %j, %c13 : index
  %g = arith.andi %gi, %gj : i1
  %x = kernel.load %a[%i, %k] if %gi else %zero
  %y = kernel.load %panel[%jo, %k, %ji]
  %p = arith.mulf %x, %y fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %c[%i, %j] if %g
}""",
        np.empty((7, 13), np.float32),
        a := normal(7, 5),
        b := normal(5, 13),
        expected=a.astype(float) @ b,
    )


@pytest.mark.parametrize("kind", ["vector", "unroll"])
@pytest.mark.parametrize("loop", ["", "%o = kernel.range 0 to 3"])
def test_what_is_closed_is_combined_at_the_end(native: Native, kind: str, loop: str) -> None:
    over, at = ("%o, %v", "%o * 8 + %v") if loop else ("%v", "%v")
    x = normal(5, 24)
    x[2, 5] = np.nan
    check(
        native,
        f"""
kernel.func @k(out %y: !kernel.buf<[5] x f32>, in %x: !kernel.buf<[5, 24] x f32>) {{
  %i = kernel.range 0 to 5
  {loop}
  %v = kernel.range 0 to 8 {kind}
  %e = kernel.load %x[%i, {at}]
  %s = kernel.reduce %e over({over}) {{kind = "max"}}
  kernel.store %s, %y[%i]
}}""",
        np.empty(5, np.float32),
        x,
        expected=x[:, : 24 if loop else 8].max(axis=1),
    )


def test_lanes_use_what_closes_them(native: Native) -> None:
    x = normal(5, 8).astype(float)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    check(
        native,
        """
kernel.func @k(out %y: !kernel.buf<[5, 8] x f64>, in %x: !kernel.buf<[5, 8] x f64>) {
  %i = kernel.range 0 to 5
  %v = kernel.range 0 to 8 vector
  %a = kernel.load %x[%i, %v]
  %m = kernel.reduce %a over(%v) {kind = "max"}
  %d = arith.subf %a, %m : f64
  %e = math.exp %d : f64
  %s = kernel.reduce %e over(%v) {kind = "add"}
  %q = arith.divf %e, %s : f64
  kernel.store %q, %y[%i, %v]
}""",
        np.empty((5, 8)),
        x,
        expected=e / e.sum(axis=1, keepdims=True),
    )


def test_accesses_of_every_stride(native: Native) -> None:
    x, k = normal(40), rng.integers(0, 40, 16).astype(np.int32)
    at = np.arange(8)
    check(
        native,
        """
kernel.func @k(out %y: !kernel.buf<[2, 8] x f32>, in %x: !kernel.buf<[40] x f32>,
               in %k: !kernel.buf<[16] x i32>) {
  %o = kernel.range 0 to 2
  %v = kernel.range 0 to 8 vector
  %n = kernel.load %k[%o * 8 + %v]
  %at = arith.index_cast %n : i32 to index
  %a = kernel.load %x[%at]
  %b = kernel.load %x[%v * 3 + %o]
  %c = kernel.load %x[%o]
  %d = kernel.load %x[15 - %v]
  %e = kernel.load %x[(%v + %o) mod 4 * 2 + %v floordiv 3]
  %two = kernel.index %v * 2 + %o
  %i = arith.index_cast %two : index to i32
  %f = arith.sitofp %i : i32 to f32
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %0, %c : f32
  %2 = arith.addf %1, %d : f32
  %3 = arith.addf %2, %e : f32
  %4 = arith.addf %3, %f : f32
  kernel.store %4, %y[%o, %v]
}""",
        np.empty((2, 8), np.float32),
        x,
        k,
        expected=np.stack(
            [
                x[k[o * 8 : o * 8 + 8]].astype(float)
                + x[at * 3 + o]
                + x[o]
                + x[15 - at]
                + x[(at + o) % 4 * 2 + at // 3]
                + (at * 2 + o)
                for o in range(2)
            ]
        ),
    )


def test_a_store_with_a_stride_and_a_gate(native: Native) -> None:
    x = normal(4, 8)
    expected = np.full((8, 4), 9.0, np.float32)
    expected[x.T > 0] = x.T[x.T > 0]
    check(
        native,
        """
kernel.func @k(out %y: !kernel.buf<[8, 4] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %nine = arith.constant 9.0 : f32
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %v = kernel.range 0 to 8 vector
  %a = kernel.load %x[%i, %v]
  %g = arith.cmpf ogt, %a, %zero : f32
  %h = arith.cmpf ule, %a, %zero : f32
  %b = kernel.load %x[%i, %v] if %g else %nine
  kernel.store %b, %y[%v, %i] if %g
  kernel.store %b, %y[%v, %i] if %h
}""",
        np.empty((8, 4), np.float32),
        x,
        expected=expected,
    )


def test_selections_of_lanes_and_truth_values(native: Native) -> None:
    x, y = rng.integers(-9, 9, 16), rng.integers(-9, 9, 16)
    check(
        native,
        """
kernel.func @k(out %o: !kernel.buf<[16] x i1>, in %x: !kernel.buf<[16] x i64>,
               in %y: !kernel.buf<[16] x i64>) {
  %c = arith.constant 3 : i64
  %u = kernel.range 0 to 2 unroll
  %v = kernel.range 0 to 8 vector
  %a = kernel.load %x[%u * 8 + %v]
  %b = kernel.load %y[%u * 8 + %v]
  %less = arith.cmpi slt, %a, %b : i64
  %m = arith.select %less, %a, %c : i64
  %even = arith.cmpi sge, %m, %c : i64
  %x1 = arith.xori %less, %even : i1
  kernel.store %x1, %o[%u * 8 + %v]
}""",
        np.empty(16, np.bool_),
        x,
        y,
        expected=(x < y) ^ (np.where(x < y, x, 3) >= 3),
    )


def test_a_fold_across_lanes(native: Native) -> None:
    x = rng.integers(0, 5, (3, 16)).astype(np.int32)
    check(
        native,
        """
kernel.func @k(out %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[3, 16] x i32>) {
  %low = arith.constant -1 : i32
  %none = arith.constant 99 : i32
  %i = kernel.range 0 to 3
  %o = kernel.range 0 to 2
  %v = kernel.range 0 to 8 vector
  %a = kernel.load %x[%i, %o * 8 + %v]
  %j = kernel.index %o * 8 + %v
  %n = arith.index_cast %j : index to i32
  %m, %at = kernel.fold(%a, %n) from(%low, %none) over(%o, %v) {
  ^bb0(%m0: i32, %a0: i32, %m1: i32, %a1: i32):
    %more = arith.cmpi sgt, %m1, %m0 : i32
    %same = arith.cmpi eq, %m1, %m0 : i32
    %first = arith.cmpi slt, %a1, %a0 : i32
    %tie = arith.andi %same, %first : i1
    %take = arith.ori %more, %tie : i1
    %m2 = arith.select %take, %m1, %m0 : i32
    %a2 = arith.select %take, %a1, %a0 : i32
    kernel.yield %m2, %a2
  }
  kernel.store %at, %y[%i]
}""",
        np.empty(3, np.int32),
        x,
        expected=x.argmax(axis=1),
    )


@pytest.mark.parametrize("kinds", [("vector", ""), ("", "vector"), ("unroll", "vector")])
def test_a_stage_that_accumulates(native: Native, kinds: tuple[str, str]) -> None:
    x = normal(6, 8)
    check(
        native,
        f"""
kernel.func @k(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[6, 8] x f32>) {{
  %i = kernel.range 0 to 6 {kinds[0]}
  %j = kernel.range 0 to 8 {kinds[1]}
  %a = kernel.load %x[%i, %j]
  %r = kernel.stage %a[%j] over(%j) accumulating(%i) {{kind = "add"}}
      : !kernel.buf<[8] x f32, local>
  %v = kernel.range 0 to 8 vector
  %b = kernel.load %r[7 - %v]
  kernel.store %b, %y[%v]
}}""",
        np.empty(8, np.float32),
        x,
        expected=x.astype(float).sum(axis=0)[::-1],
    )


def test_a_scan_beside_lanes_and_a_scatter_of_copies(native: Native) -> None:
    x = rng.integers(0, 9, (5, 8))
    sums = x.cumsum(axis=0)
    expected = np.zeros(4, np.int64)
    np.add.at(expected, np.arange(8) // 2, sums[-1])
    check(
        native,
        """
kernel.func @k(out %y: !kernel.buf<[5, 8] x i64>, in %x: !kernel.buf<[5, 8] x i64>) {
  %v = kernel.range 0 to 8 vector
  %i = kernel.range 0 to 5
  %a = kernel.load %x[%i, %v]
  %s = kernel.scan %a along %i {kind = "add"}
  kernel.store %s, %y[%i, %v]
}""",
        np.empty((5, 8), np.int64),
        x,
        expected=sums,
    )


ARGUMENT = re.compile(r"\b(in|out) (%\w+: !kernel\.buf<[^>]*>)")


def check(native: Native, text: str, out: Any, *inputs: Any, expected: Any) -> None:
    """The kernel @k, whose first argument is its output, gives what is expected on every floor."""
    arguments = [match.groups() for match in ARGUMENT.finditer(text)]
    signature = ", ".join(f"{mode} {argument}" for mode, argument in (*arguments[1:], arguments[0]))
    passed = ", ".join(argument.split(":")[0] for _, argument in arguments)
    launch = f"\nprogram.func @main({signature}) {{\n  program.launch @k({passed})\n}}"
    module = parse_module(text + launch, "kernel.mlir")
    tolerance = {4: 1e-5, 8: 1e-12}[out.itemsize] if out.dtype.kind == "f" else 0
    for step in ("dce", "kernel-to-uop", "canonicalize,cse"):
        PassManager.parse(step).run(module)
        verify_module(module)
        (got,) = run(module, inputs)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    PassManager.parse("expand-math").run(module)
    native(print_module(next(iter(module.body.ops))))(out, *inputs)
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
