"""The threads that kernels run in.

There is one pool in a process. Its threads live in native code (`pool_code`): they are started when
a kernel first has work for them, and know nothing of Python. Here is what Python has to do with
them: how many there are, and a new pool in the child of a fork, which inherits no thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol

from teenyir.forking import tell_child
from teenyir.lowering.uop_to_llvm.threads import PARALLEL_FOR
from teenyir.runtime.pool_code import RESET, RESIZE, STARTED
from teenyir.targets.cpu import MOST_THREADS, usable_threads


class Code(Protocol):
    """Machine code in this process."""

    def address(self, symbol: str) -> int:
        """Where a function begins."""
        ...


_RESETS = ctypes.CFUNCTYPE(None, ctypes.c_int32)
_RESIZES = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)
_TELLS = ctypes.CFUNCTYPE(ctypes.c_int32)


class Pool:
    """The pool of this process; its code must never be unloaded, since threads run in it."""

    def __init__(self, code: Code) -> None:
        self.parallel_for = code.address(PARALLEL_FOR)
        """Where the function begins that compiled code calls."""
        self._code = code
        self._reset: Callable[[int], None] = _RESETS(code.address(RESET))
        self._resize: Callable[[int], int] = _RESIZES(code.address(RESIZE))
        self._started: Callable[[], int] = _TELLS(code.address(STARTED))
        self.size = usable_threads()
        self._reset(self.size)
        # Threads may wait in the code until the process has ended: nobody may free it before.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
        tell_child(self)

    @property
    def started(self) -> int:
        """How many threads there are besides the callers'."""
        return self._started()

    def resize(self, size: int) -> int:
        """Have kernels run in so many threads, the caller's included; how many it was."""
        before, self.size = self.size, max(1, min(size, MOST_THREADS))
        self._resize(self.size)
        return before

    def forked(self) -> None:
        """The child of a fork inherits no thread."""
        self._reset(self.size)
