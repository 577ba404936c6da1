"""CUDA C to PTX, by NVIDIA's NVRTC in a process of its own: no GPU and no driver needed.

ptx = compile_cuda_c(text, gpu)

NVRTC comes with its wheel, `nvidia-cuda-nvrtc`, or with an installed CUDA.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
from pathlib import Path

from teenyir.diagnostics import CompileError, InternalError, error, note
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.runtime.worker import Ended, Worker
from teenyir.targets.cuda import Cuda

OPTIONS = "--fmad=false --std=c++17"
"""No two operations are fused that the IR has apart."""

PATTERNS = ("*/lib/libnvrtc.so*", "*/bin/nvrtc64_*.dll", "*/bin/*/nvrtc64_*.dll")
"""Where the wheels of the several versions of CUDA have the library, below `nvidia`."""

MOST_LINES = 12
"""Lines of what NVRTC says that an error repeats."""

_WORKER = Worker(Path(__file__).with_name("nvrtc_worker.py"))


def find_nvrtc() -> str:
    """The path or the name of the library. Raises CompileError, with what to install."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in PATTERNS:
            found = sorted(path for path in Path(folder).glob(pattern) if "alt" not in path.name)
            if found:
                return str(found[-1])
    if (installed := ctypes.util.find_library("nvrtc")) is not None:
        return installed
    raise CompileError(
        error(
            "NVRTC is not installed",
            None,
            note("pip install 'teenyir[ptx]', or nvidia-cuda-nvrtc alone"),
        )
    )


def ask(text: str, gpu: Cuda) -> dict[str, str]:
    """What NVRTC answers: `ptx` and the `log`, or `refused` with the log, and where an option is
    wrong the GPUs that are `known`.

    Raises CompileError where NVRTC is not installed, or ends its process.
    """
    options = f"--gpu-architecture=compute_{gpu.capability} {OPTIONS}"
    try:
        return _WORKER.ask({"library": find_nvrtc(), "text": text, "options": options})
    except Ended as end:
        raise CompileError(f"NVRTC ended without an answer: {end}") from None


def compile_cuda_c(text: str, gpu: Cuda, objects: ObjectCache | None = None) -> str:
    """PTX of CUDA C for a GPU; looked up in `objects` first, if given.

    Raises CompileError where NVRTC is not installed or does not know the GPU, InternalError where
    it refuses the text.
    """
    library = find_nvrtc()
    size = Path(library).stat().st_size if Path(library).exists() else 0
    key = key_of((text, gpu.capability, OPTIONS, library, str(size)))
    if objects is not None and (known := objects.get(key)) is not None:
        return known.decode()
    answer = ask(text, gpu)
    if (said := answer.get("refused")) is not None:
        if "known" in answer and "gpu-architecture" in said:
            there = note(f"it does for {answer['known']}")
            raise CompileError(error(f"the NVRTC here makes no PTX for {gpu.cpu}", None, there))
        told = "\n".join(said.splitlines()[:MOST_LINES])
        raise InternalError(f"NVRTC refuses the code made for it: {told}")
    if objects is not None:
        objects.put(key, answer["ptx"].encode())
    return answer["ptx"]
