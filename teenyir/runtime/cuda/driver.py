"""The GPU of this process: pycuda's driver, the primary context, one stream, memory.

Other libraries of the process use the primary context too, so addresses mean the same to all.
pycuda gives things back only while the context is current in the thread that lets them go, which is
not what Python's collector sees to: what is held here is given back in `Session.entered`.
"""

from __future__ import annotations

import importlib
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teenyir.diagnostics import CompileError, RunError, error, note
from teenyir.forking import renewed, tell_child, wait_for
from teenyir.runtime.cuda import libcuda
from teenyir.targets.cuda import Cuda

Array: TypeAlias = NDArray[Any]

NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING: the stream does not wait for the default one."""

WAY_OUT = note("the target 'cuda-emulated' runs the program without a GPU")


def load_driver() -> Any:
    """pycuda's driver module, initialised. Raises CompileError that says what is missing."""
    try:
        driver = importlib.import_module("pycuda.driver")
    except ModuleNotFoundError as problem:
        name = (problem.name or "").split(".")[0]
        who = "the target 'cuda'" if name == "pycuda" else "pycuda"
        how = note("pip install 'teenyir[cuda]' builds it, with CUDA: see docs/cuda.md")
        missing = error(f"{who} needs {name}, which is not installed", None, how, WAY_OUT)
        raise CompileError(missing) from None
    except ImportError as problem:  # of libcuda.so.1, or a symbol of it
        raise CompileError(
            error(
                f"pycuda cannot be loaded: {problem}",
                None,
                note("the driver of the GPU is missing, or older than the CUDA that pycuda is of"),
                WAY_OUT,
            )
        ) from None
    try:
        driver.init()
        count = driver.Device.count()
    except driver.Error as problem:
        raise CompileError(error(f"there is no GPU: {problem}", None, WAY_OUT)) from None
    if not count:
        raise CompileError(error("there is no GPU of NVIDIA here", None, WAY_OUT))
    return driver


class Session:
    """A GPU, its primary context, and the stream that all work of ours goes into."""

    def __init__(self, driver: Any, ordinal: int = 0):
        """`ordinal` is the GPU's number among those that the process sees."""
        self.driver = driver
        self.ordinal = ordinal
        self.device = driver.Device(ordinal)
        self.context = self.device.retain_primary_context()
        self.lock = threading.RLock()
        """Held while work that must stay together goes into the stream."""
        tell_child(self)
        with self.entered():
            self.stream = driver.Stream(NON_BLOCKING)
            self.capturing = driver.Stream(NON_BLOCKING)
            """What graphs are captured on: nothing in it ever runs."""
        self._lent: deque[tuple[libcuda.Event, Any]] = deque()
        """Arrays of others that the stream reads or writes up to an event, oldest first."""
        # Else pycuda would detach it as one that it made; what is left in it goes with it.
        weakref.finalize(self, self.context.detach)

    def forked(self) -> None:
        """CUDA says in the child of a fork that it is not there; it is not to be waited for."""
        self.lock = renewed(self.lock)

    @property
    def handle(self) -> int:
        """The stream's handle, as other libraries know it."""
        return self.stream.handle

    @contextmanager
    def entered(self) -> Generator[None]:
        """The context is current in a `with` block; its driver's errors become RunErrors."""
        try:
            self.context.push()
            try:
                yield
            finally:
                self.context.pop()
        except self.driver.MemoryError as problem:
            raise RunError(f"the GPU has too little memory: {problem}") from None
        except self.driver.Error as problem:
            raise RunError(f"the GPU's driver: {problem}") from None

    def synchronize(self) -> None:
        """Wait for everything in the stream. Raises RunError where something of it failed."""
        with self.entered():
            self.stream.synchronize()
            self._give_back()

    def keep(self, arrays: Any, streams: Iterable[int]) -> None:
        """Keep arrays of others for as long as what is in the stream by now may use them, and have
        streams of theirs wait for it; the context is current.

        Else their memory could be given to somebody else, or they could write into it meanwhile.
        """
        for stream in streams:
            libcuda.wait(stream, self.handle)
        with self.lock:
            self._lent.append((libcuda.Event(self.handle), arrays))
        self._give_back()

    def _give_back(self) -> None:
        with self.lock:
            while self._lent and self._lent[0][0].is_done():
                event, _ = self._lent.popleft()
                event.free()

    def upload(self, array: Array, address: int) -> None:
        """Put the copy of a host array's elements into the stream; pageable memory is read at once,
        pinned memory later."""
        if array.size:
            self.driver.memcpy_htod_async(address, as_bytes(array), self.stream)

    def download(self, address: int, array: Array) -> None:
        """Put the copy of elements into a row-major host array into the stream."""
        if array.size:
            self.driver.memcpy_dtoh_async(as_bytes(array), address, self.stream)

    def load(self, ptx: str, gpu: Cuda) -> Any:
        """pycuda's module of PTX. Raises CompileError where this GPU or driver cannot run it."""
        check_capability(gpu, self.device.compute_capability(), self.device.name())
        try:
            return self.driver.module_from_buffer(ptx.encode())
        except self.driver.Error as problem:
            version = self.driver.get_driver_version()
            raise CompileError(
                error(
                    f"the driver refuses the PTX: {str(problem).strip()}",
                    None,
                    note(f"the driver is of CUDA {version // 1000}.{version % 1000 // 10}"),
                    note(f"the PTX is of version {gpu.ptx / 10}; `ptx-version` asks for another"),
                )
            ) from None


_OPENING = threading.RLock()
wait_for(_OPENING)


def session() -> Session:
    """The first GPU that the process sees. Raises CompileError where there is none."""
    with _OPENING:  # two sessions would have two streams
        return opened()


@cache
def opened() -> Session:
    """The session, opened once."""
    return Session(load_driver())


def check_capability(gpu: Cuda, found: tuple[int, int], name: str) -> None:
    """Raises CompileError where a GPU of a compute capability cannot run what is for another."""
    number = found[0] * 10 + found[1]
    suffix = gpu.capability.lstrip("0123456789")
    fits = {"": gpu.number <= number, "a": gpu.number == number}
    fits["f"] = gpu.number // 10 == found[0] and gpu.number <= number
    if not fits[suffix]:
        raise CompileError(
            error(
                f"the program is for {gpu.cpu}, and the GPU here, {name}, is sm_{number}",
                None,
                note(f"target='cuda{{capability=sm_{number}}}' compiles for it"),
            )
        )


def as_bytes(array: Array) -> Array:
    """The elements of a row-major array as bytes: pycuda knows no dtypes of ml_dtypes."""
    return array.reshape(-1).view(np.uint8)


class Memory:
    """Memory of a GPU, given back when nothing refers to this any more."""

    def __init__(self, session: Session, size: int):
        """`size` is in bytes; the context is current. The address is a multiple of 256."""
        allocation = session.driver.mem_alloc(max(size, 1))
        self.size = size
        self.address = int(allocation)
        weakref.finalize(self, give_back, session, allocation.free)


class Pinned:
    """Memory of the host that the GPU reads and writes itself, as an array."""

    def __init__(self, session: Session, shape: tuple[int, ...], dtype: np.dtype[Any]):
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        memory: Any = session.driver.pagelocked_empty(max(size, 1), np.uint8)
        self.array: Array = memory[:size].view(dtype).reshape(shape)
        weakref.finalize(self, give_back, session, memory.base.free)


def give_back(session: Session, free: Callable[[], None]) -> None:
    """Call what gives something back: with the context, when nothing under way can use it. After a
    fault nothing of the context is left, and nothing happens."""
    with suppress(RunError), session.entered(), libcuda.relaxed():
        session.stream.synchronize()
        free()
