"""The LLVM text: every row is parsed and verified by LLVM, and small functions run."""

import ctypes
import math
import struct
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from llvmlite import binding
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    ModuleOp,
)

from teenyir.diagnostics import CompileError
from teenyir.lowering.render.llvm_rows import CONSTANTS, ROWS
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.render.llvm_types import number_text
from teenyir.pipeline.ir import parse_module, print_module, verify_module
from teenyir.runtime.jit import compile_object, load
from teenyir.runtime.lowered import lower

RunTool = Callable[..., str]

EVERY_OP = (Path(__file__).parent / "Inputs" / "every_op.mlir").read_text()


def opcodes(function: binding.ValueRef) -> list[str]:
    return [i.opcode for block in function.blocks for i in block.instructions]


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    module = parse_module(EVERY_OP, "every_op.mlir")
    verify_module(module)
    return module


def test_sample_has_every_row(module: ModuleOp) -> None:
    missing = {*ROWS, *CONSTANTS} - {type(op) for op in module.walk()}
    assert not missing


def test_round_trip(module: ModuleOp) -> None:
    for generic in (False, True):
        text = print_module(module, generic=generic)
        assert print_module(parse_module(text, "again.mlir"), generic=generic) == text


def test_llvm_takes_every_row(module: ModuleOp) -> None:
    parsed = binding.parse_assembly(llvm_text(module))
    parsed.verify()


def test_mlir_takes_the_generic_form(module: ModuleOp, mlir_tool: RunTool) -> None:
    generic = print_module(module, generic=True)
    mlir_tool("mlir-opt", "-", text=generic)
    theirs = binding.parse_assembly(
        mlir_tool("mlir-translate", "--mlir-to-llvmir", "-", text=generic)
    )
    ours = binding.parse_assembly(llvm_text(module))
    for function in ours.functions:
        # Of two edges between the same blocks MLIR detours both, we the second.
        if not function.is_declaration and function.name != "pick":
            # The same instructions in the same order as MLIR's own translation.
            assert opcodes(function) == opcodes(theirs.get_function(function.name))


CHAIN = """
func.func @main(%x: tensor<?x4xbf16, #graph.dims<[N, 4]>> {graph.name = "x"}) ->
    tensor<?x4xbf16, #graph.dims<[N, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %b = graph.broadcast %c axes [1] : tensor<4xbf16> -> tensor<?x4xbf16, #graph.dims<[N, 4]>>
  %e = graph.erf %x : tensor<?x4xbf16, #graph.dims<[N, 4]>>
  %s = graph.reduce add %e axes [1]
    : tensor<?x4xbf16, #graph.dims<[N, 4]>> -> tensor<?xbf16, #graph.dims<[N]>>
  %t = graph.broadcast %s axes [0]
    : tensor<?xbf16, #graph.dims<[N]>> -> tensor<?x4xbf16, #graph.dims<[N, 4]>>
  %d = graph.div %b, %t : tensor<?x4xbf16, #graph.dims<[N, 4]>>
  func.return %d : tensor<?x4xbf16, #graph.dims<[N, 4]>>
}
"""


def test_mlir_takes_a_whole_program(mlir_tool: RunTool) -> None:
    lowered = lower(parse_module(CHAIN, "chain.mlir"))
    generic = print_module(lowered.module, generic=True)
    text = mlir_tool("mlir-translate", "--mlir-to-llvmir", "-", text=generic)
    theirs, ours = binding.parse_assembly(text), binding.parse_assembly(lowered.llvmir)
    for function in ours.functions:
        assert opcodes(function) == opcodes(theirs.get_function(function.name))


def test_functions_run(module: ModuleOp) -> None:
    library = load(compile_object(llvm_text(module)), ["sum_to", "pick"])
    sum_to = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library.address("sum_to"))
    assert [sum_to(n) for n in (-1, 0, 1, 10)] == [0, 0, 1, 55]
    pick = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_bool)(library.address("pick"))
    assert [pick(True), pick(False)] == [7, 9]


INTERESTING = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    0.1,
    65504.0,
    65520.0,
    1e-45,
    3.4e38,
    1e39,
    -1e300,
    6e-8,
    9e-41,
]


@pytest.mark.parametrize("value", [*INTERESTING, math.inf, -math.inf, math.nan])
def test_float_constants_are_exact(value: float) -> None:
    with np.errstate(over="ignore"):
        half, brain = np.float16(value), ml_dtypes.bfloat16(value)
        single = np.float32(value)
    assert number_text(value, Float16Type()) == f"0xH{half.view(np.uint16):04X}"
    assert number_text(value, BFloat16Type()) == f"0xR{brain.view(np.uint16):04X}"
    assert number_text(value, Float64Type()) == f"0x{struct.pack('>d', value).hex().upper()}"
    widened = struct.pack(">d", float(single)).hex().upper()
    assert number_text(value, Float32Type()) == f"0x{widened}"


def test_bfloat16_rounds_once() -> None:
    # 1 + 2^-8 is a tie for bfloat16; a hair above it must round up, though f32 cannot tell.
    above = 1.0 + 2.0**-8 + 2.0**-40
    assert number_text(above, BFloat16Type()) == "0xR3F81"
    assert number_text(1.0 + 2.0**-8, BFloat16Type()) == "0xR3F80"
    assert FloatAttr(above, BFloat16Type()) is not None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("func.func @f() { func.return }", "func.func is not of the machine floor"),
        (
            "llvm.func @f(%x: f32) { %0 = arith.addf %x, %x : f32 llvm.return }",
            "arith.addf has no form in LLVM IR",
        ),
        (
            "llvm.func @f(%x: f32 {llvm.frobnicate}) { llvm.return }",
            "no LLVM parameter attribute for llvm.frobnicate",
        ),
    ],
)
def test_what_has_no_form_is_a_diagnostic(source: str, message: str) -> None:
    with pytest.raises(CompileError, match=message) as caught:
        llvm_text(parse_module(source, "bad.mlir"))
    assert caught.value.diagnostics[0].location is not None
