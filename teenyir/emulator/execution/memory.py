"""All memory of a device in one array of bytes, its allocations, and a shadow byte for each byte.

An address is an index into that array, so that generic addresses need no translation: shared
memory is a window at a fixed place, and a lane's local memory lies inside one allocation. The
bytes around allocations belong to nobody, which is how accesses out of bounds are found.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.emulator.errors import LaunchError
from teenyir.emulator.types import Array

SHARED_BASE = 0x10000
"""Where the window of shared memory begins."""

SHARED_SIZE = 256 * 1024
"""Bytes of the window: more than any machine has."""

HEAP_BASE = 0x100000
"""Where global, constant, parameter and local memory begin."""

ALLOCATED, INITIALISED, IN_FLIGHT, READ_ONLY = 1, 2, 4, 8
"""Bits of a shadow byte. In flight: an asynchronous copy to the byte was not waited for."""

_GAP = 256
_NEAR = 1 << 19
"""Bytes from an allocation within which an address out of bounds is put down to it."""
_ALIGN = 256


@dataclass(slots=True)
class Allocation:
    """A named range of addresses. `space`: global, shared, const, param, local or heap."""

    name: str
    space: str
    base: int
    size: int
    freed: bool = False

    def distance(self, address: int) -> int:
        """How many bytes an address lies outside."""
        return max(self.base - address, address - (self.base + self.size - 1), 0)

    def describe(self, address: int) -> str:
        """Where an address lies as seen from this allocation."""
        what = f"{self.space} '{self.name}' ({self.size} bytes)"
        offset = address - self.base
        if self.freed:
            return f"byte {offset} of freed {what}"
        if offset < 0:
            return f"{-offset} bytes before {what}"
        if offset >= self.size:
            return f"{offset - self.size} bytes past the end of {what}"
        return f"byte {offset} of {what}"


class Memory:
    """The bytes (`data`), their shadow, and who owns them."""

    def __init__(self, capacity: int = HEAP_BASE + (1 << 20)) -> None:
        self.data: Array = np.zeros(capacity, np.uint8)
        self.shadow: Array = np.zeros(capacity, np.uint8)
        self.allocations: list[Allocation] = []
        self._bases: list[int] = []
        self._top = HEAP_BASE

    @property
    def top(self) -> int:
        """The first address above every allocation."""
        return self._top

    @property
    def size(self) -> int:
        """How many bytes there are, owned or not."""
        return len(self.data)

    def reserve(self, size: int) -> None:
        """Make room for `size` further bytes, so that the arrays stay where they are meanwhile."""
        needed = self._top + size + 2 * _GAP + _ALIGN
        if needed <= len(self.data):
            return
        capacity = -(-max(needed, len(self.data) * 3 // 2) // 4096) * 4096
        try:
            self.data, self.shadow = _grown(self.data, capacity), _grown(self.shadow, capacity)
        except (MemoryError, ValueError):  # of numpy, which has two words for it
            raise LaunchError(f"there is no room for {size} more bytes of memory") from None

    def allocate(
        self,
        name: str,
        space: str,
        size: int,
        *,
        align: int = _ALIGN,
        initialised: bool = True,
        read_only: bool = False,
    ) -> Allocation:
        """A new range above all others; addresses are not used twice while a launch lasts."""
        align = max(align, _ALIGN)
        self.reserve(size + align)
        base = -(-(self._top + _GAP) // align) * align
        self._top = base + size
        self._mark(base, size, initialised, read_only)
        return self._record(Allocation(name, space, base, size))

    def place_shared(self, name: str, offset: int, size: int) -> Allocation:
        """Name a part of the shared window."""
        return self._record(Allocation(name, "shared", SHARED_BASE + offset, size))

    def clear_shared(self, size: int, extent: int) -> None:
        """Start a CTA: `size` bytes of shared memory exist, all uninitialised, up to `extent`."""
        self.shadow[SHARED_BASE : SHARED_BASE + extent] = 0
        self.shadow[SHARED_BASE : SHARED_BASE + size] = ALLOCATED

    def _record(self, allocation: Allocation) -> Allocation:
        index = bisect_right(self._bases, allocation.base)
        self._bases.insert(index, allocation.base)
        self.allocations.insert(index, allocation)
        return allocation

    def _mark(self, base: int, size: int, initialised: bool, read_only: bool) -> None:
        bits = ALLOCATED | (INITIALISED if initialised else 0) | (READ_ONLY if read_only else 0)
        self.shadow[base : base + size] = bits

    def free(self, allocation: Allocation) -> None:
        """Give a range up; it is remembered, so that later uses can be named."""
        allocation.freed = True
        self.shadow[allocation.base : allocation.base + allocation.size] = 0

    def release(self, mark: int) -> None:
        """Forget every allocation at or above an address, and all of shared memory."""
        keep = [a for a in self.allocations if HEAP_BASE <= a.base < mark]
        self.shadow[mark : self._top] = 0
        self.shadow[SHARED_BASE : SHARED_BASE + SHARED_SIZE] = 0
        self.allocations = keep
        self._bases = [a.base for a in keep]
        self._top = mark

    def find(self, address: int) -> Allocation | None:
        """The allocation that holds an address, or else the nearest one."""
        index = bisect_right(self._bases, address)
        near = self.allocations[max(index - 1, 0) : index + 1]
        if not near:
            return None
        return min(near, key=lambda a: a.distance(address))

    def describe(self, address: int) -> str:
        """An address in words, for reports."""
        allocation = self.find(address)
        if allocation is None or allocation.distance(address) > _NEAR:
            return f"address {address:#x}, which is near no allocation"
        return f"address {address:#x}, {allocation.describe(address)}"

    def rows(self, width: int, dtype: np.dtype[Any]) -> Array:
        """The memory as rows of `width` bytes, of shape (size / width, width / itemsize)."""
        usable = len(self.data) // width * width
        return self.data[:usable].view(dtype).reshape(-1, width // dtype.itemsize)

    def shadow_rows(self, width: int) -> Array:
        """The shadow of each row of `width` bytes as unsigned integers of up to 8 bytes."""
        usable = len(self.shadow) // width * width
        dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}.get(width, np.uint64)
        return self.shadow[:usable].view(dtype).reshape(-1, width // np.dtype(dtype).itemsize)

    def write(self, address: int, data: bytes | Array) -> None:
        """Copy bytes in from the host."""
        array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        self.data[address : address + len(array)] = array

    def read(self, address: int, size: int) -> Array:
        """The bytes of a range, not copied."""
        return self.data[address : address + size]

    def text(self, address: int) -> str:
        """A zero-terminated string."""
        end = address
        while end < len(self.data) and self.data[end]:
            end += 1
        return self.data[address:end].tobytes().decode("utf-8", "replace")


def _grown(array: Array, capacity: int) -> Array:
    grown = np.zeros(capacity, np.uint8)
    grown[: len(array)] = array
    return grown
