"""The process that has NVRTC make PTX of CUDA C: run as a script, it answers requests on standard
input.

A request is a line of JSON, `{"library": .., "text": .., "options": ".. .."}`, and so is the
answer: `{"ptx": .., "log": ..}`, or `{"refused": ..}` with what NVRTC says, to which `"known"` adds
the GPUs that there are where an option is wrong. It needs ctypes alone.

Source: CUDA Toolkit 13, "NVRTC", the section on its API.
"""

from __future__ import annotations

import ctypes
import json
import sys
from functools import cache
from typing import Any

COMPILATION = 6
"""NVRTC_ERROR_COMPILATION: the log tells what is wrong."""


class Refused(Exception):
    """A call did not do what it should; the message is what NVRTC says."""


class Nvrtc:
    """The library, its calls checked."""

    def __init__(self, path: str):
        self._library = ctypes.CDLL(path)
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function. Raises Refused where it fails."""
        if code := getattr(self._library, name)(*arguments):
            said: bytes = self._library.nvrtcGetErrorString(code)
            raise Refused(f"{name}: {said.decode()}")

    def text(self, what: str, program: ctypes.c_void_p) -> str:
        """The PTX or the program's log."""
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, buffer)
        return buffer.value.decode(errors="replace")

    def architectures(self) -> list[str]:
        """The GPUs that it makes PTX for: `sm_80`."""
        count = ctypes.c_int()
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        numbers = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", numbers)
        return [f"sm_{number}" for number in numbers]

    def compile(self, text: str, options: list[str]) -> dict[str, str]:
        """The answer to a request."""
        program = ctypes.c_void_p()
        name = b"program.cu"
        self.call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), name, 0, None, None)
        try:
            given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            code = self._library.nvrtcCompileProgram(program, len(options), given)
            log = self.text("ProgramLog", program).strip()
            if code == COMPILATION:
                return {"refused": log}
            if code:
                said: bytes = self._library.nvrtcGetErrorString(code)
                refused = f"{said.decode()}\n{log}".strip()
                return {"refused": refused, "known": ", ".join(self.architectures())}
            return {"ptx": self.text("PTX", program), "log": log}
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))


library = cache(Nvrtc)


def main() -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = library(request["library"]).compile(
                request["text"], request["options"].split()
            )
        except (OSError, Refused) as problem:
            answer = {"refused": str(problem)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
