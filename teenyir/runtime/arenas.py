"""Memory for the temporaries of programs, kept between calls, and for their results.

Large arenas sit on huge pages where the system has them: a panel that is read across its rows would
miss the table of small ones again and again.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

ALIGNMENT = 64
"""Bytes: what an arena is aligned to."""

HUGE = 1 << 21
"""Bytes of a huge page."""

LARGE = 1 << 20
"""Bytes of a result from which on it is aligned, as streaming stores ask for; below, the time that
takes would show."""

ENOUGH = 2 * HUGE
"""Bytes of an arena from which on it is aligned to huge pages."""


@dataclass
class ArenaPool:
    """Memory for temporaries, kept between calls. Taking and giving back are atomic."""

    free: list[tuple[int, int, Array]] = field(default_factory=list[tuple[int, int, Array]])
    """Bytes, aligned address, and what keeps the memory alive."""

    def take(self, size: int) -> tuple[int, int, Array]:
        """Memory of at least `size` bytes: the one last used if it is large enough, or new."""
        try:
            arena = self.free.pop()
        except IndexError:
            return self._allocate(size)
        return arena if arena[0] >= size else self._allocate(size)

    def give_back(self, arena: tuple[int, int, Array]) -> None:
        self.free.append(arena)

    def _allocate(self, size: int) -> tuple[int, int, Array]:
        if size < ENOUGH:
            memory, alignment = np.empty(size + ALIGNMENT, np.uint8), ALIGNMENT
        else:
            memory, alignment = _huge(size + HUGE), HUGE
        start = address(memory)
        return size, start + -start % alignment, memory


def _huge(size: int) -> Array:
    """Memory that the system is asked to put on huge pages. Raises MemoryError."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return np.empty(size, np.uint8)
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError, ValueError) as problem:
        raise MemoryError(str(problem)) from problem
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # of a system without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, np.uint8)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array with whatever is in its memory; a large one begins at a multiple of ALIGNMENT."""
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -address(memory) % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


_from_buffer: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
_addressof = ctypes.addressof


def address(array: Array) -> int:
    """Where the elements of an array begin."""
    try:
        # Four times as fast as `array.ctypes.data`, where the buffer can be asked for.
        return _addressof(_from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return array.ctypes.data
