"""Functions of a program may be called as they like: nothing else is called by their names."""

from __future__ import annotations

import numpy as np
import pytest

from teenyir.pipeline.ir import parse_module
from teenyir.runtime.lowered import lower

PAIRS = [
    ("f", "f.streaming"),
    ("f", "f.share.0"),
    ("f", "f.streaming.task.0"),
    ("f.streaming", "f.streaming.function"),
    ("cos", "cos.function"),
    ("cos", "cos.streaming"),
    ("teenyir_parallel_for", "memset"),
    ("llvm.memcpy.p0.p0.i64", "function.llvm.memcpy.p0.p0.i64"),
]


def program(first: str, second: str) -> str:
    """A kernel that streams its results, in threads, and another one."""
    buffers = "out %y: !kernel.buf<[64, 4096] x f32>, in %x: !kernel.buf<[64, 4096] x f32>"
    return f"""builtin.module {{
kernel.func @{first}({buffers}) {{
  %i = kernel.range 0 to 64 parallel
  %jo = kernel.range 0 to 256
  %jv = kernel.range 0 to 16 vector
  %a = kernel.load %x[%i, %jo * 16 + %jv]
  %b = arith.addf %a, %a : f32
  kernel.store %b, %y[%i, %jo * 16 + %jv] streaming
}}
kernel.func @{second}({buffers}) {{
  %i = kernel.range 0 to 64 parallel
  %j = kernel.range 0 to 4096
  %a = kernel.load %x[%i, %j]
  %b = arith.mulf %a, %a : f32
  kernel.store %b, %y[%i, %j]
}}
program.func @main(in %x: !kernel.buf<[64, 4096] x f32>, out %y: !kernel.buf<[64, 4096] x f32>,
    out %z: !kernel.buf<[64, 4096] x f32>) attributes {{program.names = ["x", "y", "z"]}} {{
  program.launch @{first}(%y, %x)
  program.launch @{second}(%z, %x)
}}
}}"""


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_two_functions_share_a_name(first: str, second: str) -> None:
    native = lower(parse_module(program(first, second), "names"), "cpu{threads=2}").compile()
    x = np.arange(64 * 4096, dtype=np.float32).reshape(64, 4096)
    doubled, squared = native(x)
    np.testing.assert_array_equal(doubled, x + x)
    np.testing.assert_array_equal(squared, x * x)
