"""What the driver can do and pycuda does not say: graphs, and waiting for a foreign stream.

Streams are their handles, as numbers. The functions are those of the CUDA Driver API, by ctypes.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

from teenyir.diagnostics import RunError

RELAXED = 2
"""CU_STREAM_CAPTURE_MODE_RELAXED: Python's collector may give memory back meanwhile."""

DISABLE_TIMING = 2
"""CU_EVENT_DISABLE_TIMING."""

NOT_READY = 600
"""CUDA_ERROR_NOT_READY."""

DEVICE_ORDINAL = 9
"""CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL."""

LEGACY = 1
"""CU_STREAM_LEGACY: the default stream, which torch and others work in unless they are told to use
another."""


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
    check(name, getattr(library(), name)(*arguments))


def check(name: str, code: int) -> None:
    """Raises RunError with what the driver says of a code that a function returned."""
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
        except BaseException:  # what it leaves is no graph; what it says is what was wrong
            library().cuStreamEndCapture(handle, ctypes.byref(graph))
            if graph:
                library().cuGraphDestroy(graph)
            raise
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


class Event:
    """What is in a stream by now."""

    def __init__(self, stream: int):
        self.handle = ctypes.c_void_p()
        call("cuEventCreate", ctypes.byref(self.handle), DISABLE_TIMING)
        try:
            call("cuEventRecord", self.handle, ctypes.c_void_p(stream))
        except RunError:
            self.free()
            raise

    def is_done(self) -> bool:
        """Whether it has all run. Raises RunError where something of it failed."""
        code = library().cuEventQuery(self.handle)
        if code != NOT_READY:
            check("cuEventQuery", code)
        return code == 0

    def free(self) -> None:
        """Give it up."""
        call("cuEventDestroy_v2", self.handle)


def wait(waiting: int, other: int) -> None:
    """Have a stream wait for what is in another one by now."""
    if waiting == other:
        return
    event = Event(other)
    try:
        call("cuStreamWaitEvent", ctypes.c_void_p(waiting), event.handle, 0)
    finally:
        event.free()


@contextmanager
def relaxed() -> Generator[None]:
    """Whatever is done in a `with` block leaves alone the graphs that other libraries capture:
    Python's collector may have it done at any time."""
    mode = ctypes.c_int(RELAXED)
    call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    try:
        yield
    finally:
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))


def device_of(address: int) -> int:
    """The number of the GPU that an address is of. Raises RunError where it is of none."""
    ordinal = ctypes.c_int()
    pointer = ctypes.c_uint64(address)
    call("cuPointerGetAttribute", ctypes.byref(ordinal), DEVICE_ORDINAL, pointer)
    return ordinal.value
