"""Memory for the temporaries of programs, kept between calls, and for their results.

Large arenas sit on huge pages where the system has them: a panel that is read across its rows would
miss the table of small ones again and again.
"""

from __future__ import annotations

import math
import mmap
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

    free: list[Array] = field(default_factory=list[Array])

    def take(self, size: int) -> Array:
        """Memory of at least `size` bytes: the one last used if it is large enough, or new."""
        try:
            arena = self.free.pop()
        except IndexError:
            return _new_arena(size)
        return arena if arena.size >= size else _new_arena(size)

    def give_back(self, arena: Array) -> None:
        self.free.append(arena)


def _new_arena(size: int) -> Array:
    if size < ENOUGH:
        return _aligned(np.empty(size + ALIGNMENT, np.uint8), size, ALIGNMENT)
    return _aligned(_huge(size + HUGE), size, HUGE)


def _aligned(memory: Array, size: int, alignment: int) -> Array:
    """So much of the memory, which has as much as the alignment to spare."""
    start = -memory.ctypes.data % alignment
    return memory[start : start + size]


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
    return _aligned(memory, size, ALIGNMENT).view(dtype).reshape(shape)
