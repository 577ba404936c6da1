"""Arrays in a GPU's memory: ours, and those of other libraries, taken as they lie."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.diagnostics import RunError
from teenyir.runtime.cuda import libcuda
from teenyir.runtime.cuda.dlpack import CUDA, CUDA_MANAGED, VERSION, Described, described, lent
from teenyir.runtime.cuda.driver import Array, Memory, Session
from teenyir.targets.cuda import BUFFER_ALIGNMENT


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """A row-major array in a GPU's memory. What computes it may still be under way: whatever reads
    it by way of its methods or protocols waits for that."""

    session: Session
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    address: int
    owner: Any
    """What keeps the memory."""
    writable: bool = True
    source: Any = None
    """The array of another library that this is, if it is one."""
    lender: int = libcuda.LEGACY
    """The stream that the other library works in, as far as it tells."""

    @property
    def size(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes they take."""
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype}{list(self.shape)} on GPU {self.session.ordinal})"

    def numpy(self) -> Array:
        """A copy on the host, when what computes it is done."""
        result = np.empty(self.shape, self.dtype)
        with self.session.entered():
            self.session.download(self.address, result)
            self.session.synchronize()
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("an array of a GPU cannot be seen by numpy without a copy")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA Array Interface, version 3. Of element types that numpy itself has not, such as
        bfloat16, it cannot speak: DLPack can."""
        if self.dtype.kind not in "biuf":
            raise AttributeError(f"the CUDA array interface has no {self.dtype}")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address if self.size else 0, not self.writable),
            "version": 3,
            "strides": None,
            "stream": self.session.handle,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.session.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule of this memory; the consumer's stream waits for what is in ours by now.

        Raises BufferError where it would have to be copied, and for what may only be read, such as
        a part of an input, where the consumer takes no capsule of DLPack 1.
        """
        device = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(dl_device) != device):
            raise BufferError("DLPack hands this array out where it lies alone")
        array = Described(self.address, self.shape, None, self.dtype, device, self.writable)
        capsule = lent(self, array, max_version is not None and tuple(max_version) >= VERSION)
        if stream != -1:
            with self.session.entered():
                # 1 is the legacy default stream, 2 that of the thread, as in the driver
                libcuda.wait(libcuda.LEGACY if stream is None else stream, self.session.handle)
        return capsule


def empty(session: Session, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
    """An array with nothing in it yet; the context is current."""
    memory = Memory(session, math.prod(shape) * dtype.itemsize)
    return DeviceArray(session, shape, dtype, memory.address, memory)


def upload(session: Session, array: Array) -> DeviceArray:
    """A copy of a row-major host array, finished; the context is current."""
    made = empty(session, array.shape, array.dtype)
    session.upload(array, made.address)
    session.stream.synchronize()
    return made


def is_on_gpu(value: Any) -> bool:
    """Whether a value is an array in a GPU's memory, by one of the two protocols."""
    if isinstance(value, np.ndarray | np.generic | int | float | list | tuple):
        return False
    if isinstance(value, DeviceArray):
        return True
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED)
    return hasattr(value, "__cuda_array_interface__")


def adopt(session: Session, value: Any) -> DeviceArray:
    """An array where it lies; our stream waits for what another library computes of it.

    Raises RunError for one on another GPU, of an unknown element type, not row-major, or at a place
    that kernels cannot take, as a part of an input may be.
    """
    array = value if isinstance(value, DeviceArray) else _adopted(session, value)
    if array.address % BUFFER_ALIGNMENT and array.size:
        raise RunError(f"its place is no multiple of {BUFFER_ALIGNMENT} bytes: hand over a copy")
    return array


def _adopted(session: Session, value: Any) -> DeviceArray:
    with session.entered():
        if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
            found, owner, lender = *_by_dlpack(session, value), libcuda.LEGACY
        else:
            found, owner, lender = _by_interface(session, value)
    if found.device[1] != session.ordinal:
        raise RunError(f"it is on GPU {found.device[1]}, and programs run on GPU {session.ordinal}")
    if found.strides is not None and not _is_row_major(found.shape, found.strides):
        raise RunError("its elements do not lie in row-major order: hand over a contiguous copy")
    return DeviceArray(
        *(session, found.shape, found.dtype, found.address, owner, found.writable, value, lender)
    )


def _by_dlpack(session: Session, value: Any) -> tuple[Described, Any]:
    try:
        try:
            capsule = value.__dlpack__(stream=session.handle, max_version=VERSION)
        except TypeError:  # it is older than DLPack 1
            capsule = value.__dlpack__(stream=session.handle)
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise RunError(f"it cannot be handed over: {problem}") from None
    return described(capsule), capsule


def _by_interface(session: Session, value: Any) -> tuple[Described, Any, int]:
    """What the CUDA Array Interface says, what keeps the memory, and the stream that it names."""
    interface = value.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise RunError("some of its elements are masked")
    dtype = np.dtype(interface["typestr"])
    address, read_only = interface["data"]
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    if strides is not None:
        if any(step % dtype.itemsize for step in strides):
            raise RunError("its elements do not lie next to each other: hand over a copy")
        strides = tuple(step // dtype.itemsize for step in strides)
    if (stream := interface.get("stream")) is not None:
        if stream == 0:
            raise RunError("it names the stream 0, which may be one of two default streams")
        libcuda.wait(session.handle, stream)
    ordinal = libcuda.device_of(address) if address and 0 not in shape else session.ordinal
    found = Described(address or 0, shape, strides, dtype, (CUDA, ordinal), not read_only)
    return found, value, stream or libcuda.LEGACY


def lenders(arrays: Iterable[DeviceArray]) -> tuple[list[DeviceArray], set[int]]:
    """Those of some arrays that other libraries have lent, and the streams of these."""
    foreign = [array for array in arrays if array.source is not None]
    return foreign, {array.lender for array in foreign}


def _is_row_major(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return 0 in shape
        step *= extent
    return True
