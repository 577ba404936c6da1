"""LLVM IR to PTX, by LLVM's NVPTX target in a process of its own.

LLVM ends its process at what a target cannot do. The worker is started at the first request and
kept; where it ends, what it said becomes an error, and the next request starts another.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from teenyir.diagnostics import CompileError, InternalError, error, note
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.targets.cuda import TRIPLE, Cuda

LEVEL = 3
"""How much LLVM optimises, as in `-O3`."""

_VERSION = "llvmlite 0.50"
_SCRIPT = Path(__file__).with_name("ptx_worker.py")


class Worker:
    """A process that makes PTX, one request at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None

    def ask(self, request: dict[str, str | int]) -> dict[str, str]:
        """The answer to a request. Raises CompileError with what LLVM said where it ended."""
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None  # both are pipes
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if line:
                return json.loads(line)
            process.wait()
            said = self._last_words(process.returncode)
            self._end(process)
        raise CompileError(
            error(
                f"LLVM cannot make PTX of this for {request['cpu']}: {said}",
                None,
                note("its code generator ended; `--to=llvmir` shows what it was given"),
            )
        )

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            if self._process is not None:
                self._end(self._process)

    def _end(self, process: subprocess.Popen[str]) -> None:
        for stream in (process.stdin, process.stdout, self._errors):
            assert stream is not None  # all three are ours
            # what was to be written is of no use to a process that has ended
            with suppress(BrokenPipeError):
                stream.close()
        process.wait()
        self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
            self._process = subprocess.Popen(
                [sys.executable, str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
            )
        return self._process

    def _last_words(self, code: int) -> str:
        """The first line about an error that LLVM wrote before it ended."""
        assert self._errors is not None  # opened with the process
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().splitlines() if line.strip()]
        said = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "")
        return said.removeprefix("LLVM ERROR: ") or f"it ended with code {code}"


_WORKER = Worker()
atexit.register(_WORKER.close)


def compile_ptx(text: str, gpu: Cuda, objects: ObjectCache | None = None) -> str:
    """PTX of LLVM IR text, optimised for a GPU; looked up in `objects` first, if given.

    Raises CompileError where LLVM has no instructions for it, InternalError where it refuses the
    text itself.
    """
    key = key_of((text, _VERSION, gpu.cpu, gpu.features, str(LEVEL)))
    if objects is not None and (known := objects.get(key)) is not None:
        return known.decode()
    answer = _WORKER.ask(
        {
            "text": text,
            "triple": TRIPLE,
            "cpu": gpu.cpu,
            "features": gpu.features,
            "level": LEVEL,
        }
    )
    if "refused" in answer:
        raise InternalError(f"LLVM refuses the code made for it: {answer['refused']}")
    if objects is not None:
        objects.put(key, answer["ptx"].encode())
    return answer["ptx"]
