"""The nvvm dialect: its text, a stock MLIR's opinion of it, and LLVM's."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from llvmlite import binding
from xdsl.dialects.builtin import ModuleOp

from teenyir import emulator
from teenyir.diagnostics import CompileError
from teenyir.dialects import nvvm
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.render.nvvm_rows import NVVM_ROWS
from teenyir.pipeline.ir import parse_module, print_module, verify_module
from teenyir.runtime.ptx import compile_ptx
from teenyir.targets import cuda

RunTool = Callable[..., str]

PRODUCTS = (
    ("f16", (16, 8, 8), "vector<2xf16>", 2, 1, "f32", 4),
    ("f16", (16, 8, 16), "vector<2xf16>", 4, 2, "f32", 4),
    ("f16", (16, 8, 16), "vector<2xf16>", 4, 2, "vector<2xf16>", 2),
    ("bf16", (16, 8, 16), "i32", 4, 2, "f32", 4),
    ("bf16", (16, 8, 8), "i32", 2, 1, "f32", 4),
    ("tf32", (16, 8, 8), "i32", 4, 2, "f32", 4),
    ("tf32", (16, 8, 4), "i32", 2, 1, "f32", 4),
    ("s8", (16, 8, 32), "i32", 4, 2, "i32", 4),
    ("u8", (16, 8, 16), "i32", 2, 1, "i32", 4),
    ("s4", (16, 8, 64), "i32", 4, 2, "i32", 4),
    ("f64", (8, 8, 4), "f64", 1, 1, "f64", 2),
)
"""Elements, shape, register of a factor, registers of A and B, register of C and their number."""

VALUES = {"vector<2xf16>": "%h", "i32": "%i", "f32": "%v", "f64": "%d"}


def _product(row: tuple) -> str:
    element, (m, n, k), factor, a, b, accumulator, c = row
    values = [VALUES[factor]] * (a + b) + [VALUES[accumulator]] * c
    types = [factor] * (a + b) + [accumulator] * c
    overflow = ""
    if element[0] in "su":
        overflow = "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, "
    return (
        f'"nvvm.mma.sync"({", ".join(values)}) <{{{overflow}layoutA = #nvvm.mma_layout<row>, '
        f"layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<{element}>, "
        f"multiplicandBPtxType = #nvvm.mma_type<{element}>, "
        f"operandSegmentSizes = array<i32: {a}, {b}, {c}>, "
        f"shape = #nvvm.shape<m = {m}, n = {n}, k = {k}>}}> : ({', '.join(types)}) -> "
        f"!llvm.struct<({', '.join([accumulator] * c)})>"
    )


def every_op() -> str:
    text = (Path(__file__).parent / "Inputs" / "nvvm.mlir").read_text()
    registers = [
        f'%{k} = "{op.name}"() : () -> i32' for k, op in enumerate(nvvm.SPECIAL_REGISTERS.values())
    ]
    redux = [
        f'%r{k} = "nvvm.redux.sync"(%i, %i) <{{kind = #nvvm<redux_kind {kind.value}>}}> : '
        "(i32, i32) -> i32"
        for k, kind in enumerate(nvvm.ReduxKind)
    ]
    products = [f"%{k} = {_product(row)}" for k, row in enumerate(PRODUCTS)]
    text = text.replace("SPECIAL_REGISTERS", "\n".join(registers))
    return text.replace("REDUX", "\n".join(redux)).replace("MMA", "\n".join(products))


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    module = parse_module(every_op(), "nvvm.mlir")
    verify_module(module)
    return module


def test_sample_has_every_op(module: ModuleOp) -> None:
    found = {type(op) for op in module.walk()}
    assert not set(NVVM_ROWS) - found
    assert set(nvvm.NVVM.operations) == set(NVVM_ROWS)


def test_round_trip(module: ModuleOp) -> None:
    for generic in (False, True):
        text = print_module(module, generic=generic)
        assert print_module(parse_module(text, "again.mlir"), generic=generic) == text


def _calls(text: str) -> list[str]:
    """The intrinsics that a text of LLVM IR calls, in order, and the types that they give."""
    return re.findall(r"call (?:range\([^)]*\) )?([^@]*@llvm\.nvvm\.[\w.]+)", text)


def test_mlir_takes_it_and_makes_the_same_calls(module: ModuleOp, mlir_tool: RunTool) -> None:
    generic = print_module(module, generic=True)
    mlir_tool("mlir-opt", "-", text=generic)
    theirs = mlir_tool("mlir-translate", "--mlir-to-llvmir", "-", text=generic)
    ours = llvm_text(module)
    assert _calls(ours) == _calls(theirs)
    kernel = re.compile(r'define ptx_kernel void @kernel|"nvvm.reqntid"="256,1,1"')
    assert set(kernel.findall(ours)) == set(kernel.findall(theirs)) != set()


def test_llvm_knows_every_intrinsic(module: ModuleOp) -> None:
    parsed = binding.parse_assembly(llvm_text(module))
    parsed.verify()
    unknown = [f.name for f in parsed.functions if f.is_declaration and not list(f.attributes)]
    assert not unknown  # LLVM gives those that it knows attributes of their own


WAITS = ("%barrier, %state) : (!llvm.ptr<3>, i64)", "%barrier, %zero) : (!llvm.ptr<3>, i32)")


@pytest.mark.parametrize("op", ["test.wait", "try_wait"])
@pytest.mark.parametrize("operands", WAITS)
def test_a_barrier_in_memory_hands_over(op: str, operands: str) -> None:
    """Each warp reads what the other wrote, behind a phase of arrivals and of transactions."""
    text = (Path(__file__).parent / "Inputs" / "mbarrier.mlir").read_text()
    module = parse_module(text.replace("WAIT(", f'{op}"({operands}'), "mbarrier.mlir")
    verify_module(module)
    ptx = compile_ptx(llvm_text(module), cuda.find("sm_90"))
    assert f"mbarrier.{op.replace('.', '_')}" in ptx
    out = np.zeros(64, np.uint32)
    emulator.load(ptx).launch("hand_over", grid=1, block=64, args=[out])
    assert out.tolist() == list(range(63, -1, -1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num = 4 : i32", "num = 3 : i32", "loads 1, 2 or 4 matrices, not 3"),
        ("num = 4 : i32", "num = 2 : i32", "2 matrices are"),
        ("size = 4 : i32", "size = 5 : i32", "copies 4, 8 or 16 bytes, not 5"),
        ("cache_modifier ca", "cache_modifier cg", "`cg` is for copies of 16 bytes, not 4"),
        ("cache_modifier ca", "cache_modifier cs", "no asynchronous copy by way of cs"),
        ("k = 64>", "k = 32>", "A has 4 registers, its shape needs 2"),
        ("m = 8, n = 8>", "n = 8, m = 8>", "unexpected size 'n'"),
        ("fp_rnd_mode<rna>", "fp_rnd_mode<rp>", "a tf32 is rounded by rn, rz, rna, not by rp"),
        ("vote_sync_kind any>", "vote_sync_kind ballot>", "vote ballot gives i32"),
        ("mem_scope<cta>", "mem_scope<gpu>", "a barrier is of a block or a cluster, not gpu"),
        (
            "mem_scope<cluster>}> : (!llvm.ptr<3>, i32) -> ()",
            "mem_scope<sys>}> : (!llvm.ptr<3>, i32) -> ()",
            "a barrier is of a block or a cluster, not sys",
        ),
        ("proxy_kind<async>", "proxy_kind<async.shared>", "`async.shared` has a space"),
        ('inval"(%s) : (!llvm.ptr<3>)', 'inval"(%g) : (!llvm.ptr)', "a barrier is at !llvm.ptr<3>"),
    ],
)
def test_errors(old: str, new: str, message: str) -> None:
    text = every_op()
    assert old in text
    with pytest.raises(CompileError) as caught:
        verify_module(parse_module(text.replace(old, new), "nvvm.mlir"))
    assert message in str(caught.value)
