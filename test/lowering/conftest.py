"""Running a uop kernel natively: `run_kernel(text, outputs, inputs)`."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.lower import UopToLLVM
from teenyir.passes.uop.legalize_floats import LegalizeFloats
from teenyir.pipeline.ir import make_context, parse_module, verify_module
from teenyir.runtime.jit import CodeOptions, compile_object, load

Kernel = Callable[..., None]


def compile_kernel(text: str, options: CodeOptions | None = None) -> Kernel:
    """A native function of the one `uop.func @k` in a text: buffers (arrays), then extents."""
    module = parse_module(text, "kernel.mlir")
    verify_module(module)
    context = make_context()
    for step in (LegalizeFloats(), UopToLLVM()):
        step.apply(context, module)
        verify_module(module)
    code = compile_object(llvm_text(module), options=options or CodeOptions())
    library = load(code, ["k"])
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


@pytest.fixture
def native() -> Callable[..., Kernel]:
    return compile_kernel
