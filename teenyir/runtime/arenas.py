"""Memory for the temporaries of programs, kept between calls, and for their results.

Large arenas sit on huge pages where the system has them: a panel that is read across its rows would
miss the table of small ones again and again.

Results of some size are memory that earlier ones had, once nobody has these any more. What is freed
else goes back to the system, and each page of the next result is asked for and zeroed again, which
can take longer than computing it.
"""

from __future__ import annotations

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

LARGE = 1 << 19
"""Bytes of a result from which on its memory is kept for others, and it is aligned, as streaming
stores ask for; below, the time that takes would show, and free memory stays with the process."""

LARGEST = 1 << 25
"""Bytes of the largest result whose memory is kept."""

MOST_KEPT = 1 << 26
"""Bytes of all memory that is kept for results and that nobody uses."""

SPARE = 4
"""Of memory that is kept a result leaves at most one part of so many unused."""

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


class _Memory:
    """Memory of results, of one after the other."""

    __slots__ = ("bytes", "interface", "size")

    def __init__(self, size: int):
        self.size = size
        self.bytes = _aligned(np.empty(size + ALIGNMENT, np.uint8), size, ALIGNMENT)
        self.interface = dict(self.bytes.__array_interface__)


class _Lent:
    """Memory that an array and all that are parts of it refer to; the last one gives it back."""

    __slots__ = ("_give_back", "_memory")

    def __init__(self, memory: _Memory, give_back: Callable[[_Memory], None]):
        self._memory, self._give_back = memory, give_back

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._memory.interface

    def __del__(self) -> None:
        self._give_back(self._memory)


@dataclass
class ResultPool:
    """Memory of results that nobody has any more, oldest first.

    Arrays may end in any thread, and while anything else is done here: there is no lock, and each
    step is atomic.
    """

    free: list[_Memory] = field(default_factory=list[_Memory])

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Array:
        """An array of so many bytes with whatever is in its memory."""
        lent = np.asarray(_Lent(self._take(size), self._give_back))
        return np.ndarray(shape, dtype, lent)

    def _take(self, size: int) -> _Memory:
        for memory in reversed(tuple(self.free)):
            if size <= memory.size <= size + size // SPARE:
                with suppress(ValueError):  # another thread was faster
                    self.free.remove(memory)
                    return memory
        return _Memory(size)

    def _give_back(self, memory: _Memory) -> None:
        self.free.append(memory)
        while sum(each.size for each in tuple(self.free)) > MOST_KEPT:
            with suppress(IndexError):
                self.free.pop(0)


_RESULTS = ResultPool()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array with whatever is in its memory; a large one begins at a multiple of ALIGNMENT.

    Raises MemoryError, or numpy's ValueError for more than can be addressed.
    """
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    if size <= LARGEST:
        return _RESULTS.empty(shape, dtype, size)
    memory = np.empty(size + ALIGNMENT, np.uint8)
    return _aligned(memory, size, ALIGNMENT).view(dtype).reshape(shape)
