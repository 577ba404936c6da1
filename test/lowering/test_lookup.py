"""`uop.lookup`: numbers of tables, by scalars and by lanes, in the interpreter and natively."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, f32
from xdsl.utils.exceptions import VerifyException

from teenyir.diagnostics import CompileError
from teenyir.dialects import uop
from teenyir.dialects.lanewise import LookupOp
from teenyir.interpreter.memory import Buffer
from teenyir.interpreter.uop import run_uop
from teenyir.lowering.render.cuda_c import cuda_c_text
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.lower import UopToLLVM
from teenyir.pipeline.ir import make_context, parse_module
from teenyir.runtime.jit import assembly
from teenyir.targets.cpu import named

Array = NDArray[Any]
Native = Callable[..., Callable[..., None]]

NUMBERS = [0.5, -0.0, 3.0e38, 1.0e-45, -7.0, 0.1, 1.5e-39, 2.0, *(k / 3 for k in range(8))]


def kernel(lanes: int, numbers: list[float]) -> str:
    """`lanes` of 48 at once, 1 for scalars."""
    of = "{}" if lanes == 1 else f"vector<{lanes}x{{}}>"
    text = ", ".join(f"{number:.9e}" for number in numbers)
    return f"""
uop.func @k(out %y: !uop.ptr<f32>, in %x: !uop.ptr<i32>) {{
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %step = arith.constant {lanes} : index
  scf.for %i = %c0 to %c48 step %step {{
    %k = uop.load %x[%i] : {of.format("i32")}
    %v = uop.lookup %k of array<f32: {text}> : {of.format("i32")}
    uop.store %v, %y[%i]
  }}
}}
"""


@pytest.mark.parametrize("lanes, count", [(1, 16), (1, 1), (16, 16), (8, 16), (4, 2)])
def test_lookup_is_modulo_the_length(native: Native, lanes: int, count: int) -> None:
    text, index = kernel(lanes, NUMBERS[:count]), np.arange(-24, 24, dtype=np.int32)
    index[:3] = -(1 << 31), (1 << 31) - 1, 1 << 20
    wanted = np.array(NUMBERS, np.float32)[index % count]
    got = np.empty(48, np.float32)
    native(text)(got, index)
    assert got.tobytes() == wanted.tobytes()
    assert interpreted(text, index).tobytes() == wanted.tobytes()


def interpreted(text: str, index: Array) -> Array:
    module = parse_module(text)
    (func,) = module.body.ops
    assert isinstance(func, uop.FuncOp)
    output = Buffer.fresh("%y", index.shape, np.dtype(np.float32))
    run_uop(module, func, [output, Buffer.of("%x", index)], {})
    return output.array


@pytest.mark.parametrize(
    "lanes, cpu, features", [(16, "sapphirerapids", "+avx512f"), (8, "znver3", "+avx2")]
)
def test_lookup_in_as_many_as_there_are_lanes_is_one_instruction(
    lanes: int, cpu: str, features: str
) -> None:
    module = parse_module(kernel(lanes, NUMBERS[:lanes]))
    UopToLLVM().apply(make_context(), module)
    text = assembly(llvm_text(module), named(cpu, features=features))
    assert text.count("vpermps") == 1


def test_a_table_is_of_finite_numbers() -> None:
    index = arith.ConstantOp.from_int_and_width(0, 32)
    table = DenseArrayBase.from_list(f32, [1.0, float("inf")])
    with pytest.raises(VerifyException, match="a table's numbers are finite"):
        LookupOp(index.result, table).verify()


def test_cuda_c_has_no_tables() -> None:
    with pytest.raises(CompileError, match="CUDA C has no table in an expression"):
        cuda_c_text(parse_module(kernel(1, NUMBERS)))
