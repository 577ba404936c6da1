"""Vectors, loops with several carried values, branches and gates, on the machine and in C."""

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.dialects import uop
from teenyir.lowering.render.c_rows import ROWS
from teenyir.lowering.render.c_statements import STATEMENTS
from teenyir.lowering.render.cuda_c import CUDA_C
from teenyir.lowering.uop_to_llvm.lower import RULES
from teenyir.lowering.uop_to_llvm.threads import THREADS as CPU_THREADS
from teenyir.lowering.uop_to_nvvm.threads import THREADS

Native = Callable[..., Callable[..., None]]

IN_CUDA_C = True


def run(native: Native, body: str, out: Any, *inputs: Any, dims: str = "") -> Any:
    """The output of a kernel: `out` is an array of the right size that it fills."""
    types = {"f": "f32", "d": "f64", "i": "i32", "b": "i8", "?": "i1", "l": "i64"}
    arguments = "".join(
        f", in %a{k}: !uop.ptr<{types[array.dtype.char]}>" for k, array in enumerate(inputs)
    )
    text = f"""
uop.func @k(out %out: !uop.ptr<{types[out.dtype.char]}>{arguments}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
{body}
}}
"""
    native(text)(out, *inputs)
    return out


def test_carried_values_change_at_once(native: Native) -> None:
    body = """
  %x = uop.load %a0[%c0] : f32
  %y = uop.load %a0[%c1] : f32
  %p, %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    %s = arith.addf %a, %b : f32
    scf.yield %b, %s : f32, f32
  }
  uop.store %p, %out[%c0]
  uop.store %q, %out[%c1]
"""
    got = run(native, body, np.zeros(2, np.float32), np.array([1, 1], np.float32))
    assert got.tolist() == [5, 8]


def test_carried_values_swap(native: Native) -> None:
    body = """
  %x = uop.load %a0[%c0] : vector<2xf32>
  %y = arith.addf %x, %x : vector<2xf32>
  %c3 = arith.constant 3 : index
  %p, %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y)
      -> (vector<2xf32>, vector<2xf32>) {
    scf.yield %b, %a : vector<2xf32>, vector<2xf32>
  }
  %c2 = arith.constant 2 : index
  uop.store %p, %out[%c0]
  uop.store %q, %out[%c2]
"""
    got = run(native, body, np.zeros(4, np.float32), np.array([1, 2], np.float32))
    assert got.tolist() == [2, 4, 1, 2]


def test_branches_yield(native: Native) -> None:
    body = """
  scf.for %i = %c0 to %c4 step %c1 {
    %x = uop.load %a0[%i] : i32
    %z = arith.constant 0 : i32
    %neg = arith.cmpi slt, %x, %z : i32
    %y, %t = scf.if %neg -> (i32, i32) {
      %m = arith.subi %z, %x : i32
      scf.yield %m, %x : i32, i32
    } else {
      %d = arith.addi %x, %x : i32
      scf.yield %d, %z : i32, i32
    }
    %s = arith.muli %y, %t : i32
    %r = arith.addi %y, %s : i32
    uop.store %r, %out[%i] if %neg
  }
"""
    got = run(native, body, np.full(4, 7, np.int32), np.array([-3, 5, 0, -(2**31)], np.int32))
    assert got.tolist() == [3 - 9, 7, 7, -(2**31)]


def test_gated_loads(native: Native) -> None:
    body = """
  scf.for %i = %c0 to %c4 step %c1 {
    %j = arith.subi %i, %c1 : index
    %c2 = arith.constant 2 : index
    %inside = arith.cmpi ult, %j, %c2 : index
    %other = arith.constant -1.5 : f32
    %x = uop.load %a0[%j] if %inside else %other : f32
    uop.store %x, %out[%i]
  }
"""
    got = run(native, body, np.zeros(4, np.float32), np.array([1, 2], np.float32))
    assert got.tolist() == [-1.5, 1, 2, -1.5]


def test_gated_vectors(native: Native) -> None:
    body = """
  %no = arith.constant false
  %yes = arith.constant true
  %other = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %x = uop.load %a0[%c0] if %no else %other : vector<4xf32>
  %y = uop.load %a0[%c0] if %yes else %other : vector<4xf32>
  uop.store %x, %out[%c0] if %yes
  uop.store %y, %out[%c4] if %yes
  uop.store %y, %out[%c0] if %no
"""
    got = run(native, body, np.zeros(8, np.float32), np.array([5, 6, 7, 8], np.float32))
    assert got.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_parts_of_a_vector_without_a_lane_are_not_loaded(native: Native) -> None:
    """Of sixteen lanes, two registers for AVX2, a window takes four, if its row is there at all."""
    for lanes in (range(4), range(8, 12), range(15, 16), (0, 7), (0, 15)):
        numbers = ", ".join("true" if lane in lanes else "false" for lane in range(16))
        body = f"""
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %some = arith.constant dense<[{numbers}]> : vector<16xi1>
  scf.for %i = %c0 to %c4 step %c1 {{
    %h = uop.load %a1[%i] : i1
    %row = vector.broadcast %h : i1 to vector<16xi1>
    %mask = arith.andi %row, %some : vector<16xi1>
    %v = uop.load %a0[%c0] if %mask else %zero : vector<16xf32>
    %c16 = arith.constant 16 : index
    %at = arith.muli %i, %c16 : index
    uop.store %v, %out[%at]
  }}
"""
        around = np.full(16, np.nan, np.float32)
        around[[*lanes]] = 3
        rows = np.array([True, False, False, True])
        got = run(native, body, np.ones((4, 16), np.float32), around, rows)
        assert np.array_equal(got, np.where(rows[:, None], np.nan_to_num(around), 0))


def test_vector_ops(native: Native) -> None:
    body = """
  %v = uop.load %a0[%c0] : vector<4xf32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  %d = arith.mulf %v, %two : vector<4xf32>
  %s = arith.minnumf %d, %two : vector<4xf32>
  %e = vector.extract %v[3] : f32 from vector<4xf32>
  %b = vector.broadcast %e : f32 to vector<4xf32>
  %f = vector.fma %s, %b, %v : vector<4xf32>
  %i = vector.insert %e, %f[0] : f32 into vector<4xf32>
  %h = vector.shuffle %i, %two [0, 5, 2, 1] : vector<4xf32>, vector<4xf32>
  %sum = vector.reduction <add>, %h : vector<4xf32> into f32
  %c8 = arith.constant 8 : index
  uop.store %h, %out[%c0]
  uop.store %f, %out[%c4]
  uop.store %sum, %out[%c8]
"""
    v = np.array([1, 2, 3, 4], np.float32)
    f = np.fmin(v * 2, 2) * 4 + v
    h = [4, 2, f[2], f[1]]
    got = run(native, body, np.zeros(9, np.float32), v)
    assert got.tolist() == [*h, *f.tolist(), sum(h)]


def test_reductions_of_vectors(native: Native) -> None:
    kinds = ("add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor")
    lines = [
        f"  %r{k} = vector.reduction <{kind}>, %v, %acc : vector<4xi8> into i8\n"
        f"  %o{k} = arith.constant {k} : index\n"
        f"  uop.store %r{k}, %out[%o{k}]"
        for k, kind in enumerate(kinds)
    ]
    body = """
  %v = uop.load %a0[%c0] : vector<4xi8>
  %acc = uop.load %a0[%c4] : i8
""" + "\n".join(lines)
    values = np.array([100, -7, 5, 90, 77], np.int8)
    got = run(native, body, np.zeros(len(kinds), np.int8), values)
    u = values.view(np.uint8)
    wanted = [
        *(values.sum(dtype=np.int8), values.prod(dtype=np.int8), values.min(), values.max()),
        *(u.min().astype(np.int8), u.max().astype(np.int8)),
        *(f.reduce(values) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)),
    ]
    assert got.tolist() == [int(w) for w in wanted]


def test_bytes_that_are_not_0_or_1_are_true(native: Native) -> None:
    body = """
  %v = uop.load %a0[%c0] : vector<4xi1>
  %t = arith.constant dense<true> : vector<4xi1>
  %n = arith.xori %v, %t : vector<4xi1>
  uop.store %n, %out[%c0]
"""
    raw = np.array([0, 1, 2, 255], np.uint8)
    got = run(native, body, np.zeros(4, np.bool_), raw.view(np.bool_))
    assert got.view(np.uint8).tolist() == [1, 0, 0, 0]


def test_local_memory(native: Native) -> None:
    body = """
  %m = uop.local [4] : !uop.ptr<f64, local>
  scf.for %i = %c0 to %c4 step %c1 {
    %x = uop.load %a0[%i] : f64
    uop.store %x, %m[%i]
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %c3 = arith.constant 3 : index
    %j = arith.subi %c3, %i : index
    %x = uop.load %m[%j] : f64
    uop.store %x, %out[%i]
  }
"""
    got = run(native, body, np.zeros(4), np.array([1.0, 2, 3, 4]))
    assert got.tolist() == [4, 3, 2, 1]


def test_both_ways_out_have_the_same_ops() -> None:
    assert set(ROWS) | set(STATEMENTS) == set(RULES) | set(CPU_THREADS)


def test_cuda_c_has_what_ptx_has() -> None:
    in_threads_of_a_cpu = {uop.ThreadOp}
    has = set(CUDA_C.rows) | set(CUDA_C.statements)
    assert set(RULES) | set(THREADS) == has - in_threads_of_a_cpu
