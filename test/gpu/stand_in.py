"""What stands in for pycuda's driver module and libcuda where there is no GPU, for tests.

It has the functions that `teenyir.runtime.cuda` calls, with pycuda's names and arguments, and holds
the caller to pycuda's rules: the context is current in each call. Streams are lazy: what is put
into one runs when somebody waits for it and no sooner, in order, kernels in the PTX emulator. So a
wait that is missing shows as a wrong result. Memory starts as garbage.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from teenyir import emulator
from teenyir.runtime.cuda import driver as ours
from teenyir.runtime.cuda import libcuda

FIRST = 0x7F00_0000_0000
"""The address of the first allocation: no extent is as large."""


class Error(Exception):
    """As pycuda's `driver.Error`."""


class MemoryError_(Error):
    """As pycuda's `driver.MemoryError`."""


@dataclass
class Work:
    """Something in a stream, and what must be done before."""

    do: Callable[[], None]
    after: list[Work]
    is_done: bool = False

    def finish(self) -> None:
        if not self.is_done:
            for work in self.after:
                work.finish()
            self.is_done = True
            self.do()


@dataclass
class StandIn:
    """The state of the machine that is made believe."""

    capability: tuple[int, int] = (8, 0)
    bytes_of_memory: int = 1 << 28
    refusal: str = ""
    """Why PTX is refused; empty if it is not."""
    memory: dict[int, np.ndarray] = field(default_factory=dict)
    """By address."""
    pinned: list[np.ndarray] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    streams: dict[int, Stream] = field(default_factory=dict)
    captured: dict[int, list[Callable[[], None]]] = field(default_factory=dict)
    """Graphs and what can be launched, by handle."""
    launches: list[tuple[str, tuple[int, ...], tuple[int, ...], bytes]] = field(
        default_factory=list
    )
    """Each launch that ran: kernel, grid, block, parameters."""
    graph_launches: int = 0
    capture_mode: int = 0
    """Of the thread: what it may do while somebody captures; 0 forbids the most."""
    elsewhere: set[int] = field(default_factory=set)
    """Addresses of another GPU."""
    numbers: Any = field(default_factory=lambda: itertools.count(16))

    def need_context(self) -> None:
        if not self.contexts:
            raise Error("no currently active context?")

    def finish_all(self) -> None:
        for stream in self.streams.values():
            stream.tail.finish()

    def at(self, address: int, size: int) -> np.ndarray:
        """The bytes at an address, which must be in one allocation."""
        for base, memory in self.memory.items():
            if base <= address and address + size <= base + len(memory):
                return memory[address - base : address - base + size]
        raise Error(f"illegal address {address:#x}, {size} bytes")

    def is_pinned(self, array: np.ndarray) -> bool:
        return any(np.may_share_memory(array, memory) for memory in self.pinned)


class Stream:
    def __init__(self, machine: StandIn, handle: int):
        self.machine, self.handle = machine, handle
        self.tail = Work(lambda: None, [])
        self.recording: list[Callable[[], None]] | None = None
        machine.streams[handle] = self

    def put(self, do: Callable[[], None], *after: Work) -> None:
        if self.recording is not None:
            self.recording.append(do)
        else:
            self.tail = Work(do, [self.tail, *after])

    def synchronize(self) -> None:
        self.machine.need_context()
        if self.recording is not None:
            raise Error("operation not permitted when stream is capturing")
        self.tail.finish()


class Allocation:
    def __init__(self, machine: StandIn, size: int):
        machine.need_context()
        if size < 1:
            raise Error("invalid value")
        if sum(map(len, machine.memory.values())) + size > machine.bytes_of_memory:
            raise MemoryError_("cuMemAlloc failed: out of memory")
        self.machine, self.size = machine, size
        self.address = FIRST + (next(machine.numbers) << 28)
        machine.memory[self.address] = np.full(size, 0xA5, np.uint8)

    def __int__(self) -> int:
        return self.address

    def free(self) -> None:
        self.machine.need_context()
        assert self.machine.capture_mode == libcuda.RELAXED
        self.machine.finish_all()
        del self.machine.memory[self.address]


class PagelockedMemory:
    """As the base of an array of `pagelocked_empty`."""

    def __init__(self, machine: StandIn, size: int):
        self.machine, self.bytes = machine, np.full(size, 0x5A, np.uint8)
        self.__array_interface__ = self.bytes.__array_interface__
        machine.pinned.append(self.bytes)

    def free(self) -> None:
        self.machine.need_context()
        self.machine.pinned = [each for each in self.machine.pinned if each is not self.bytes]


class Function:
    def __init__(self, machine: StandIn, module: Any, name: str):
        self.machine, self.module, self.name = machine, module, name

    def _launch_kernel(
        self, grid: tuple[int, ...], block: tuple[int, ...], buffer: bytes, shared: int, stream: Any
    ) -> None:
        self.machine.need_context()
        assert type(grid) is tuple and type(block) is tuple and 0 not in grid
        stream.put(lambda: self.run(grid, block, buffer, shared))

    def run(
        self, grid: tuple[int, ...], block: tuple[int, ...], buffer: bytes, shared: int
    ) -> None:
        """Hand the allocations that the parameters point into to the emulator, and back."""
        self.machine.launches.append((self.name, grid, block, buffer))
        used: dict[int, emulator.Buffer] = {}
        arguments: list[np.uint64] = []
        for (word,) in struct.iter_unpack("=Q", buffer):
            for base, memory in self.machine.memory.items():
                if base <= word < base + len(memory):
                    if base not in used:
                        used[base] = self.module.buffer(memory)
                    word += used[base].address - base
                    break
            arguments.append(np.uint64(word))
        self.module.launch(self.name, grid=grid, block=block, args=arguments, shared=shared)
        for base, lent in used.items():
            self.machine.memory[base][...] = lent.read()
            lent.free()


class Event:
    def __init__(self) -> None:
        self.time = 0

    def record(self, stream: Stream) -> Event:
        self.stream = stream

        def note() -> None:
            self.time = len(stream.machine.launches)

        stream.put(note)
        return self

    def synchronize(self) -> Event:
        self.stream.synchronize()
        return self

    def time_since(self, other: Event) -> float:
        """As many milliseconds as there were launches."""
        return float(self.time - other.time)


class Context:
    def __init__(self, machine: StandIn):
        self.machine = machine

    def push(self) -> None:
        self.machine.contexts.append("primary")

    def pop(self) -> None:
        self.machine.contexts.pop()

    def detach(self) -> None:
        """pycuda lets a primary context go here alone."""


class Device:
    def __init__(self, machine: StandIn):
        self.machine = machine

    def name(self) -> str:
        return "Stand-in"

    def compute_capability(self) -> tuple[int, int]:
        return self.machine.capability

    def retain_primary_context(self) -> Context:
        return Context(self.machine)


class Loaded:
    """A module of PTX."""

    def __init__(self, machine: StandIn, ptx: str):
        self.machine, self.module = machine, emulator.load(ptx)

    def get_function(self, name: str) -> Function:
        return Function(self.machine, self.module, name)


class Driver:
    """What is used of `pycuda.driver`."""

    Error, MemoryError, Event = Error, MemoryError_, Event

    def __init__(self, machine: StandIn):
        self.machine = machine
        self.Device = lambda ordinal: Device(machine)
        self.Device.count = lambda: 1  # type: ignore[attr-defined]
        self.Stream = lambda flags: Stream(machine, next(machine.numbers) << 4)
        self.mem_alloc = lambda size: Allocation(machine, size)

    def init(self) -> None:
        pass

    def get_driver_version(self) -> int:
        return 12040

    def module_from_buffer(self, buffer: bytes) -> Loaded:
        self.machine.need_context()
        if self.machine.refusal:
            raise Error(self.machine.refusal)
        return Loaded(self.machine, buffer.decode())

    def pagelocked_empty(self, size: int, dtype: Any) -> np.ndarray:
        self.machine.need_context()
        assert size > 0 and dtype is np.uint8
        return np.asarray(PagelockedMemory(self.machine, size))

    def memcpy_htod_async(self, address: int, source: np.ndarray, stream: Stream) -> None:
        self.machine.need_context()
        memoryview(source)
        taken = source if self.machine.is_pinned(source) else source.copy()
        target = self.machine.at(address, source.nbytes)
        stream.put(lambda: np.copyto(target, taken))

    def memcpy_dtoh_async(self, target: Any, address: int, stream: Stream) -> None:
        self.machine.need_context()
        view = np.frombuffer(target, np.uint8)
        source = self.machine.at(address, view.nbytes)
        stream.put(lambda: np.copyto(view, source))

    def memcpy_dtod_async(self, target: int, source: int, size: int, stream: Stream) -> None:
        self.machine.need_context()
        to, from_ = self.machine.at(target, size), self.machine.at(source, size)
        stream.put(lambda: np.copyto(to, from_))


class Library:
    """What is used of libcuda, by ctypes; each function returns a code, 0 where it worked."""

    def __init__(self, machine: StandIn):
        self.machine = machine
        self.events: dict[int, Work] = {}
        Stream(machine, 1)  # the default one

    def cuStreamBeginCapture_v2(self, stream: Any, mode: int) -> int:
        found = self.machine.streams[stream.value]
        assert found.recording is None
        found.recording = []
        return 0

    def cuStreamEndCapture(self, stream: Any, graph: Any) -> int:
        found = self.machine.streams[stream.value]
        graph._obj.value = next(self.machine.numbers)
        self.machine.captured[graph._obj.value] = found.recording or []
        found.recording = None
        return 0

    def cuGraphInstantiateWithFlags(self, made: Any, graph: Any, flags: Any) -> int:
        made._obj.value = next(self.machine.numbers)
        self.machine.captured[made._obj.value] = self.machine.captured[graph.value]
        return 0

    def cuGraphLaunch(self, made: Any, stream: Any) -> int:
        self.machine.need_context()
        self.machine.graph_launches += 1
        for do in self.machine.captured[made.value]:
            self.machine.streams[stream.value].put(do)
        return 0

    def cuGraphDestroy(self, graph: Any) -> int:
        del self.machine.captured[graph.value]
        return 0

    cuGraphExecDestroy = cuGraphDestroy

    def cuThreadExchangeStreamCaptureMode(self, mode: Any) -> int:
        mode._obj.value, self.machine.capture_mode = self.machine.capture_mode, mode._obj.value
        return 0

    def cuPointerGetAttribute(self, data: Any, attribute: int, pointer: Any) -> int:
        assert attribute == libcuda.DEVICE_ORDINAL
        if pointer.value in self.machine.elsewhere:
            data._obj.value = 1
            return 0
        try:
            self.machine.at(pointer.value, 1)
        except Error:
            return 1  # CUDA_ERROR_INVALID_VALUE
        data._obj.value = 0
        return 0

    def cuEventCreate(self, event: Any, flags: int) -> int:
        self.machine.need_context()
        event._obj.value = next(self.machine.numbers)
        return 0

    def cuEventQuery(self, event: Any) -> int:
        return 0 if self.events[event.value].is_done else libcuda.NOT_READY

    def cuEventRecord(self, event: Any, stream: Any) -> int:
        self.events[event.value] = self.machine.streams[stream.value].tail
        return 0

    def cuStreamWaitEvent(self, stream: Any, event: Any, flags: int) -> int:
        if stream.value not in self.machine.streams:
            return 400  # CUDA_ERROR_INVALID_HANDLE
        self.machine.streams[stream.value].put(lambda: None, self.events[event.value])
        return 0

    def cuEventDestroy_v2(self, event: Any) -> int:
        del self.events[event.value]
        return 0

    def cuGetErrorString(self, code: int, text: Any) -> int:
        text._obj.value = ctypes.c_char_p(b"invalid resource handle").value
        return 0


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine with one GPU, for the length of a test."""
    made = StandIn()
    package: Any = ModuleType("pycuda")
    package.driver = Driver(made)
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", package.driver)
    library = Library(made)
    monkeypatch.setattr(libcuda, "library", lambda: library)
    ours.opened.cache_clear()
    yield made
    ours.opened.cache_clear()
    gc.collect()  # what is held by nothing but itself is given back to this machine
    assert not made.contexts
