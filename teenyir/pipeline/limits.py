"""How deep IR may nest, and how often memory is searched for garbage while it is worked on.

The parser, the printer and the verifiers are recursive, xDSL's and ours. Text that nests deeper
than `DEEPEST_NESTING` regions is refused with a diagnostic; up to there the work is done under a
recursion limit that is high enough for it and low enough for the C stack of a main thread.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import RLock, get_ident
from typing import Generic, TypeVar

from teenyir.forking import renewed, tell_child

T = TypeVar("T")

DEEPEST_NESTING = 256
"""Regions inside regions. Real IR nests a tenth of this."""

RECURSION_LIMIT = 10_000
"""Python frames: a nested region takes about 14 to parse and fewer to print and verify."""

TOO_DEEP = "the IR nests too deeply"
"""The diagnostic where the recursion limit was met in spite of `DEEPEST_NESTING`."""


class _Raised(Generic[T]):
    """A setting of the process that is higher while any thread works: the first to begin raises it,
    and the last to end puts it back."""

    def __init__(
        self, read: Callable[[], T], write: Callable[[T], object], higher: Callable[[T], T]
    ):
        self.read, self.write, self.higher = read, write, higher
        self.lock = RLock()
        self.workers = Counter[int]()
        """How often each thread works under it."""
        self.before = read()
        self.raised: T | None = None
        """What it is while any works."""
        tell_child(self)

    @contextmanager
    def held(self) -> Generator[None]:
        """Work under it."""
        thread = get_ident()
        with self.lock:
            if not self.workers:
                self.before = self.read()
                self.raised = self.higher(self.before)
                self.write(self.raised)
            self.workers[thread] += 1
        try:
            yield
        finally:
            with self.lock:
                self.workers[thread] -= 1
                self.workers += Counter()  # without those that are at 0
                self._put_back()

    def _put_back(self) -> None:
        if not self.workers:
            self.write(self.before)
            self.raised = None

    def forked(self) -> None:
        """Whoever else worked under it does not do so in the child of a fork, and has perhaps been
        about to raise it."""
        self.lock = renewed(self.lock)
        own = self.workers[get_ident()]
        self.workers = Counter({get_ident(): own} if own else {})
        if self.raised is not None and self.read() == self.raised:
            self._put_back()


_RECURSION = _Raised(
    sys.getrecursionlimit, sys.setrecursionlimit, lambda before: max(before, RECURSION_LIMIT)
)


@contextmanager
def deep_recursion() -> Generator[None]:
    """Work under a recursion limit that suits IR of `DEEPEST_NESTING`."""
    with _RECURSION.held():
        yield


NEW_OBJECTS = 100_000
"""Of Python's containers, before those that only hold each other are looked for: IR is made of
small ones that stay, and Python's own 700 would have it searched again and again."""


_THRESHOLDS = _Raised(
    gc.get_threshold,
    lambda thresholds: gc.set_threshold(*thresholds),
    lambda before: (max(before[0], NEW_OBJECTS), *before[1:]) if before[0] else before,
)


@contextmanager
def rare_collections() -> Generator[None]:
    """Have garbage collected rarely, unless it is never collected anyway."""
    with _THRESHOLDS.held():
        yield
