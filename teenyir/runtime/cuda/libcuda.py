"""What the driver can do and pycuda does not say: graphs, and waiting for a foreign stream.

Streams are their handles, as numbers. The functions are those of the CUDA Driver API, by ctypes.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from teenyir.diagnostics import RunError

RELAXED = 2
"""CU_STREAM_CAPTURE_MODE_RELAXED: Python's collector may give memory back meanwhile."""

DISABLE_TIMING = 2
"""CU_EVENT_DISABLE_TIMING."""


@cache
def library() -> Any:
    """The driver's library. Raises RunError where there is none."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as problem:
        raise RunError(f"the driver of the GPU cannot be loaded: {problem}") from None


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver. Raises RunError with what the driver says."""
    code = getattr(library(), name)(*arguments)
    if code:
        said = ctypes.c_char_p()
        library().cuGetErrorString(code, ctypes.byref(said))
        text = said.value.decode() if said.value else f"error {code}"
        raise RunError(f"{name}: {text}")


class Graph:
    """Launches that the driver knows as one: what `issue` put into a stream while it was made."""

    def __init__(self, stream: int, issue: Callable[[], None]):
        """`stream` is one that nothing else uses meanwhile, `issue` launches into it."""
        handle, graph = ctypes.c_void_p(stream), ctypes.c_void_p()
        call("cuStreamBeginCapture_v2", handle, RELAXED)
        try:
            issue()
        finally:
            call("cuStreamEndCapture", handle, ctypes.byref(graph))
        self._handle = ctypes.c_void_p()
        flags = ctypes.c_ulonglong(0)
        try:
            call("cuGraphInstantiateWithFlags", ctypes.byref(self._handle), graph, flags)
        finally:
            call("cuGraphDestroy", graph)

    def launch(self, stream: int) -> None:
        """Put all of it into a stream."""
        call("cuGraphLaunch", self._handle, ctypes.c_void_p(stream))

    def free(self) -> None:
        """Give it up; it may not be launched any more."""
        call("cuGraphExecDestroy", self._handle)


def wait(waiting: int, other: int) -> None:
    """Have a stream wait for what is in another one by now."""
    if waiting == other:
        return
    event = ctypes.c_void_p()
    call("cuEventCreate", ctypes.byref(event), DISABLE_TIMING)
    try:
        call("cuEventRecord", event, ctypes.c_void_p(other))
        call("cuStreamWaitEvent", ctypes.c_void_p(waiting), event, 0)
    finally:
        call("cuEventDestroy_v2", event)
