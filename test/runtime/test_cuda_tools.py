"""ptxas and nvdisasm from their wheels: machine code and what it takes, without a GPU."""

import json
import subprocess

import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError, InternalError
from teenyir.runtime import cuda_tools
from teenyir.runtime.ptx import compile_ptx
from teenyir.targets import cuda
from teenyir.tools import teeny_translate

try:
    cuda_tools.find_tool("ptxas")
except CompileError:
    pytest.skip("ptxas is not installed (pip install 'teenyir[ptx]')", allow_module_level=True)

CAPABILITIES = [name for name in cuda.FIRST_PTX if cuda.FIRST_PTX[name] <= 90 and name[:3] != "101"]
"""Those that ptxas 13 assembles for: sm_101 is called sm_110 by now."""


def ptx_of(capability: str) -> str:
    traced = ty.trace(ty.softmax, ty.Spec((40, 50), ty.float32))
    lowered = traced.lower(target=f"cuda{{capability={capability}}}")
    return compile_ptx(lowered.llvmir, cuda.find(capability))


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_ptxas_takes_what_llvm_writes(capability: str) -> None:
    code = cuda_tools.assemble(ptx_of(capability), cuda.find(capability))
    assert code.cubin[:4] == b"\x7fELF"
    (resources,) = code.resources.values()
    assert 0 < resources.registers < 255 and resources.spill_stores == 0


def test_instructions_of_each_kernel() -> None:
    code = cuda_tools.assemble(ptx_of("80"), cuda.find("80"))
    ((name, instructions),) = cuda_tools.mix(cuda_tools.disassemble(code.cubin)).items()
    assert name in code.resources
    assert instructions["LDG"] >= 1 and instructions["STG"] >= 1 and instructions["EXIT"] >= 1


@pytest.mark.parametrize("name", ["exp", "add", "min", "f32"])
def test_kernels_may_have_the_names_of_instructions(name: str) -> None:
    ir = f"define ptx_kernel void @{name}(ptr %y) {{\n  store i32 0, ptr %y\n  ret void\n}}\n"
    assert name in cuda_tools.assemble(compile_ptx(ir, cuda.find()), cuda.find()).resources


def test_what_ptxas_refuses_is_shown() -> None:
    with pytest.raises(InternalError, match="ptxas refuses the PTX"):
        cuda_tools.assemble(".version 8.0\n.target sm_80\nnonsense\n", cuda.find())


def test_a_gpu_that_ptxas_does_not_know_is_no_fault_of_ours() -> None:
    with pytest.raises(CompileError, match="makes no code for sm_101") as problem:
        cuda_tools.assemble(ptx_of("101"), cuda.find("101"))
    assert not isinstance(problem.value, InternalError)
    (diagnostic,) = problem.value.diagnostics
    assert "sm_75, " in diagnostic.notes[0].message and "sm_110, " in diagnostic.notes[0].message


def test_a_missing_tool_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_tools.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CompileError, match=r"pip install 'teenyir\[ptx\]'"):
        cuda_tools.find_tool("ptxas")


MODEL = """
func.func @main(%x: tensor<300xf32> {graph.name = "x"}) -> tensor<300xf32> {
  %0 = graph.exp %x : tensor<300xf32>
  func.return %0 : tensor<300xf32>
}
"""


def test_translate(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    file, cubin = tmp_path / "model.mlir", tmp_path / "model.cubin"
    file.write_text(MODEL)
    assert teeny_translate.main([str(file), "--to=ptx", "--target=cuda{capability=90}"]) == 0
    assert ".target sm_90" in capsys.readouterr().out
    assert teeny_translate.main([str(file), "--to=sass"]) == 0
    assert ".text.exp:" in capsys.readouterr().out
    assert teeny_translate.main([str(file), "--to=sass", "--stats=json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["exp"]["registers"] > 0 and facts["exp"]["instructions"]["STG"] == 1
    assert teeny_translate.main([str(file), "--to=cubin", "--stats=json", "-o", str(cubin)]) == 0
    assert json.loads(capsys.readouterr().out)["exp"]["spill_loads"] == 0
    listing = subprocess.run([cuda_tools.find_tool("nvdisasm"), str(cubin)], capture_output=True)
    assert listing.returncode == 0


def test_statistics_are_for_machine_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert teeny_translate.main(["-", "--to=ptx", "--stats=json"]) != 0
    assert "--stats is for --to=cubin and --to=sass" in capsys.readouterr().err
