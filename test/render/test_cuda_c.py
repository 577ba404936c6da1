"""CUDA C: NVRTC and nvcc have nothing to say, the emulator runs it, the host launches it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from small_models import MODELS, element_types

import teenyir as ty
from teenyir import emulator
from teenyir.diagnostics import CompileError, InternalError
from teenyir.dialects.dtypes import DType
from teenyir.lowering.render.cuda_c import cuda_c_text
from teenyir.pipeline.build import build_target_pipeline
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime import cuda_tools, nvrtc
from teenyir.runtime.object_cache import ObjectCache
from teenyir.targets import cuda

HERE = Path(__file__).parent
GOLDENS = ("cuda_program", "cuda_matrix", "cuda_wide")
CAPABILITIES = ("sm_80", "sm_90", "sm_100")
QUICK_MODEL = ("file type", "bfloat16")
RANDOM = np.random.default_rng(5)


def cuda_c_of(name: str) -> str:
    module = parse_module((HERE / f"{name}.mlir").read_text(), f"{name}.mlir")
    PassManager(build_target_pipeline("cuda-c", None)).run(module)
    return cuda_c_text(module)


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("name", GOLDENS)
def test_nvrtc_has_nothing_to_say(name: str, capability: str) -> None:
    answer = nvrtc.ask(cuda_c_of(name), cuda.find(capability))
    assert (answer.get("refused"), answer.get("log")) == (None, "")
    assert ".maxntid" in answer["ptx"]


MODEL_CASES = [
    pytest.param(
        *(name, dtype, capability),
        id=f"{name}-{dtype}-{capability}",
        marks=() if (name, dtype.name) == QUICK_MODEL else pytest.mark.long,
    )
    for name, model in MODELS.items()
    for dtype in element_types(model)
    for capability in CAPABILITIES
]


@pytest.mark.parametrize(("name", "dtype", "capability"), MODEL_CASES)
def test_nvrtc_has_nothing_to_say_of_models(name: str, dtype: DType, capability: str) -> None:
    target = f"cuda-c{{capability={capability}}}"
    text = cuda_c_text(MODELS[name].traced(dtype).lower(target=target).module)
    answer = nvrtc.ask(text, cuda.find(capability))
    assert (answer.get("refused"), answer.get("log")) == (None, "")


@pytest.fixture
def nvcc() -> str:
    """nvcc, which needs a compiler of C++ for what is the host's."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    try:
        return cuda_tools.find_tool("nvcc")
    except CompileError:
        pytest.skip("nvcc is not installed (pip install 'teenyir[ptx]')")


FLAGS = ("--fmad=false", "-std=c++17", "-Xcompiler", "-Wall,-Wextra", "-cudart", "none")


def compiled_by_nvcc(nvcc: str, text: str, object: Path) -> tuple[int, str]:
    """What nvcc says of CUDA C for all capabilities at once, the host's part too."""
    source = object.with_suffix(".cu")
    source.write_text(text)
    codes = [f"-gencode=arch=compute_{c[3:]},code={c}" for c in CAPABILITIES]
    done = subprocess.run(
        [nvcc, *FLAGS, *codes, "-c", str(source), "-o", str(object)],
        capture_output=True,
        text=True,
        env={**os.environ, "NVCC_APPEND_FLAGS": ""},
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["cuda_matrix", "cuda_wide"])
def test_nvcc_has_nothing_to_say(nvcc: str, tmp_path: Path, name: str) -> None:
    assert compiled_by_nvcc(nvcc, cuda_c_of(name), tmp_path / "p.o") == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_nvcc_has_nothing_to_say_of_models(nvcc: str, tmp_path: Path, name: str) -> None:
    """In the narrowest type that they are run in."""
    *_, dtype = element_types(MODELS[name])
    text = cuda_c_text(MODELS[name].traced(dtype).lower(target="cuda-c").module)
    assert compiled_by_nvcc(nvcc, text, tmp_path / "p.o") == (0, "")


def test_nvcc_has_nothing_to_say_and_the_host_launches_what_the_table_lists(
    nvcc: str, tmp_path: Path
) -> None:
    object, command = tmp_path / "p.o", tmp_path / "p"
    text = cuda_c_of("cuda_program")
    assert compiled_by_nvcc(nvcc, text, object) == (0, "")
    runtime = HERE / "Inputs" / "cuda_runtime.cpp"
    subprocess.run(["g++", "-std=c++17", str(runtime), str(object), "-o", str(command)], check=True)

    def launched(extent: int, condition: int) -> list[str]:
        done = subprocess.run(
            [str(command), str(extent), str(condition)], capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    sums = "sums grid 3 1 1 block 4 1 1"
    largest = "teeny_max grid 1 1 1 block 1 1 1"
    before = ["arena 128", "copy 24", sums, largest, sums, "copy 1", "wait"]
    assert launched(3, 0) == before
    assert launched(3, 1) == [*before, sums]
    assert launched(0, 1) == ["arena 64", "copy 0", largest, "copy 1", "wait"]
    listed = text[text.index("Launches in their order") :]
    assert listed.index("copy buffers[0]") < listed.index("sums grid [N] block [4]")


def test_wide_accesses_are_instructions_of_16_bytes() -> None:
    ptx = nvrtc.compile_cuda_c(cuda_c_of("cuda_wide"), cuda.find("sm_80"))
    for instruction in ("ld.global.nc.v4", "st.shared.v4", "ld.shared.v4", "st.global.v4"):
        assert instruction in ptx
    x = RANDOM.standard_normal(3 * 128 + 4).astype(np.float32)
    y = np.zeros(3 * 128, np.float32)
    args = [y.view(np.uint32), x.view(np.uint32), np.int64(3)]
    emulator.load(ptx).launch("wide", grid=3, block=32, args=args)
    np.testing.assert_array_equal(y, x[:384] + x[1:385])


# --- programs -------------------------------------------------------------------------------------

N = ty.Dim("N", min=0, max=400)


def _softmax(x: Any, w: Any) -> Any:
    return ty.softmax(x @ w), ty.sum(x)


def _mixed(x: Any, k: Any, m: Any) -> Any:
    scores = ty.softmax(x.astype(ty.float32) * ty.asarray([0.5, -1.5, 2.0, 1.0]), axis=-1)
    return scores.astype(ty.bfloat16), ty.where(m, k * k, k - 7) // 3, ty.argmax(x, axis=0)


def _floats(x: Any) -> Any:
    return ty.exp(x), ty.sin(x * 1e9), ty.pow(ty.abs(x), x), ty.astype(x, ty.int8)


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...], tuple[np.ndarray, ...]]] = {
    "softmax of a product": (
        _softmax,
        (ty.Spec((N, 50), ty.float16), ty.Spec((50, 20), ty.float16)),
        tuple(RANDOM.standard_normal(s).astype(np.float16) for s in ((20, 50), (50, 20))),
    ),
    "several types": (
        _mixed,
        (ty.Spec((N, 4), ty.float16), ty.Spec((N,), ty.int32), ty.Spec((N,), ty.bool)),
        (
            RANDOM.standard_normal((9, 4)).astype(np.float16),
            RANDOM.integers(-(2**31), 2**31, 9).astype(np.int32),
            RANDOM.random(9) < 0.5,
        ),
    ),
    "f64": (_floats, (ty.Spec((N,), ty.float64),), (RANDOM.uniform(-9, 9, 40),)),
    "a product of integers": (
        lambda a, b: a.astype(ty.int32) @ b.astype(ty.int32),
        (ty.Spec((N, 33), ty.int8), ty.Spec((33, 9), ty.int8)),
        tuple(RANDOM.integers(-128, 128, s).astype(np.int8) for s in ((20, 33), (33, 9))),
    ),
    "a product of 8-bit floats": (
        lambda a, b: a.astype(ty.float32) @ b.astype(ty.float32),
        (ty.Spec((N, 33), ty.float8_e4m3fn), ty.Spec((33, 9), ty.float8_e4m3fn)),
        tuple(
            RANDOM.standard_normal(s).astype(ml_dtypes.float8_e4m3fn) for s in ((20, 33), (33, 9))
        ),
    ),
    "a product in tf32": (
        lambda a, b: a @ b,
        (ty.Spec((N, 33), ty.float32), ty.Spec((33, 9), ty.float32)),
        tuple(RANDOM.standard_normal(s).astype(np.float32) for s in ((20, 33), (33, 9))),
    ),
    "an order": (lambda x: ty.sort(x, axis=0), (ty.Spec((N,), ty.int32),), (np.arange(70)[::-1],)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_to_the_bit_what_llvms_ptx_gives(name: str) -> None:
    """Both are run by the emulator, which finds no race and no stray access in either."""
    function, specs, inputs = PROGRAMS[name]
    inputs = tuple(
        np.ascontiguousarray(a).astype(s.dtype.numpy()) for a, s in zip(inputs, specs, strict=True)
    )
    traced = ty.trace(function, *specs)
    options = "{capability=sm_89 tf32=true}" if "product" in name else ""
    ours, theirs = (
        traced.lower(target=f"{target}{options}").compile(cache=False)
        for target in ("cuda-c-emulated", "cuda-emulated")
    )
    if "product" in name:
        assert "mma.sync" in ours.asm["ptx"] and "mma_m16n8k" in ours.asm["cuda-c"]
    found, expected = ours(*inputs), theirs(*inputs)
    found, expected = (r if isinstance(r, tuple) else (r,) for r in (found, expected))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"))


# --- what can go wrong ----------------------------------------------------------------------------


def test_without_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(CompileError, match=r"NVRTC is not installed") as caught:
        nvrtc.compile_cuda_c("", cuda.find())
    assert "pip install 'teenyir[ptx]'" in caught.value.render()


def test_text_that_is_no_cuda_c() -> None:
    with pytest.raises(InternalError, match=r"(?s)NVRTC refuses.*expected an identifier"):
        nvrtc.compile_cuda_c("void (", cuda.find())


def test_a_gpu_that_nvrtc_does_not_know() -> None:
    with pytest.raises(CompileError, match="NVRTC here makes no PTX for sm_101") as problem:
        nvrtc.compile_cuda_c("", cuda.find("sm_101"))
    (diagnostic,) = problem.value.diagnostics
    assert "sm_75, " in diagnostic.notes[0].message and "sm_110, " in diagnostic.notes[0].message


def test_ptx_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects, text = ObjectCache(tmp_path), 'extern "C" __global__ void k() {}'
    first = nvrtc.compile_cuda_c(text, cuda.find(), objects)
    monkeypatch.setattr(nvrtc, "ask", lambda text, gpu: pytest.fail("it was compiled again"))
    assert nvrtc.compile_cuda_c(text, cuda.find(), objects) == first


def test_what_nothing_here_runs() -> None:
    lowered = ty.trace(lambda x: x + 1, ty.Spec((3,), ty.float32)).lower(target="cuda-c")
    with pytest.raises(CompileError, match="nothing here runs what the target 'cuda-c'"):
        lowered.compile()
