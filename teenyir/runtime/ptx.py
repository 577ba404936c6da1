"""LLVM IR to PTX, by LLVM's NVPTX target in a process of its own.

LLVM ends its process at what a target cannot do; what it said then becomes an error.
"""

from __future__ import annotations

from pathlib import Path

from teenyir.diagnostics import CompileError, InternalError, error, note
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.runtime.worker import Ended, Worker
from teenyir.targets.cuda import TRIPLE, Cuda

LEVEL = 3
"""How much LLVM optimises, as in `-O3`."""

_VERSION = "llvmlite 0.50, short addresses"
_WORKER = Worker(Path(__file__).with_name("ptx_worker.py"))


def compile_ptx(text: str, gpu: Cuda, objects: ObjectCache | None = None) -> str:
    """PTX of LLVM IR text, optimised for a GPU; looked up in `objects` first, if given.

    Raises CompileError where LLVM has no instructions for it, InternalError where it refuses the
    text itself.
    """
    key = key_of((text, _VERSION, gpu.cpu, gpu.features, str(LEVEL)))
    if objects is not None and (known := objects.get(key)) is not None:
        return known.decode()
    request: dict[str, str | int] = {"text": text, "triple": TRIPLE, "level": LEVEL}
    request |= {"cpu": gpu.cpu, "features": gpu.features}
    try:
        answer = _WORKER.ask(request)
    except Ended as end:
        said = str(end).removeprefix("LLVM ERROR: ")
        raise CompileError(
            error(
                f"LLVM cannot make PTX of this for {gpu.cpu}: {said}",
                None,
                note("its code generator ended; `--to=llvmir` shows what it was given"),
            )
        ) from None
    if "refused" in answer:
        raise InternalError(f"LLVM refuses the code made for it: {answer['refused']}")
    if objects is not None:
        objects.put(key, answer["ptx"].encode())
    return answer["ptx"]
