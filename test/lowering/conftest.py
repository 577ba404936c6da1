"""Running a uop kernel natively: `run_kernel(text, outputs, inputs)`."""

import ctypes
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from teenyir import emulator
from teenyir.lowering.render.c import c_text
from teenyir.lowering.render.cuda_c import cuda_c_text
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.lower import UopToLLVM
from teenyir.passes.uop.legalize_floats import LegalizeFloats
from teenyir.pipeline.ir import make_context, parse_module, verify_module
from teenyir.runtime.c import Compiler, SharedLibrary, compile_c, load_shared
from teenyir.runtime.jit import CodeOptions, Library, compile_object, load
from teenyir.runtime.nvrtc import compile_cuda_c
from teenyir.targets import cuda

Kernel = Callable[..., None]


def compile_kernel(text: str, options: CodeOptions | None = None) -> Kernel:
    """A native function of the one `uop.func @k` in a text: buffers (arrays), then extents."""
    module = legalized(text)
    UopToLLVM().apply(make_context(), module)
    verify_module(module)
    code = compile_object(llvm_text(module), options=options or CodeOptions())
    return callable_of(load(code, ["k"]))


STRICT = (
    "-std=c11",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
)
# clang's sanitizer has no library that a process which is not clang's own could load.
SANITIZERS = {"gcc": ("-fsanitize=undefined",), "clang": ()}


def compile_kernel_c(text: str, compiler: str) -> Kernel:
    """The same by way of C, any warning an error; undefined behaviour is told on stderr."""
    found = Compiler((compiler,), compiler)
    flags = (*STRICT, *SANITIZERS[compiler])
    return callable_of(load_shared(compile_c(c_text(legalized(text)), found, flags), ["k"]))


def compile_kernel_cuda_c(text: str) -> Kernel:
    """The same by way of CUDA C, NVRTC and the PTX emulator, in one thread."""
    kernels = emulator.load(compile_cuda_c(cuda_c_text(legalized(text)), cuda.find("sm_80")))

    def call(*arguments: Any) -> None:
        # what a kernel sees is memory, and a byte for each bool
        args = [
            a.reshape(-1).view(f"u{a.itemsize}") if isinstance(a, np.ndarray) else np.int64(a)
            for a in arguments
        ]
        kernels.launch("k", grid=1, block=1, args=args)

    return call


def legalized(text: str) -> ModuleOp:
    module = parse_module(text, "kernel.mlir")
    verify_module(module)
    LegalizeFloats().apply(make_context(), module)
    verify_module(module)
    return module


def callable_of(library: Library | SharedLibrary) -> Kernel:
    entry = ctypes.CFUNCTYPE(None)(library.address("k"))

    def call(*arguments: Any) -> None:
        library.address("k")  # keeps the code alive as long as the function
        entry(
            *(
                ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
                for a in arguments
            )
        )

    return call


WAYS = ("llvm", "gcc", pytest.param("clang", marks=pytest.mark.long))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A module whose kernels are few and small says so: NVRTC and the emulator run them too."""
    if "native" in metafunc.fixturenames:
        ways = (*WAYS, "nvrtc") if hasattr(metafunc.module, "IN_CUDA_C") else WAYS
        metafunc.parametrize("native", ways, indirect=True)


@pytest.fixture
def native(request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """What compiles a kernel: LLVM, a compiler of C with its sanitizer, or NVRTC."""
    if request.param in ("llvm", "nvrtc"):
        yield compile_kernel if request.param == "llvm" else compile_kernel_cuda_c
        return
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    yield partial(compile_kernel_c, compiler=request.param)
    assert "runtime error" not in capfd.readouterr().err
