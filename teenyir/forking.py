"""Locks that are free in the child of a fork, and what it inherits half done.

A fork copies the memory of a process, but of its threads only the one that forks: what another one
holds at that moment is held in the child for ever, and what it is about to change stays as it is.

    wait_for(lock)         a fork waits until the lock is free, so that all it guards is whole
    tell_child(owner)      the child calls `owner.forked()` before anything else

Waited for is what is held for a moment, or guards what only its holder can make whole: LLVM's
tables, a conversation with another process. What is held while code of the user's runs is not
waited for, since that may itself wait for the thread that forks: it is put right in the child.
(Python itself waits for no thread that imports, as the first compilation does: a child that needs
the same module waits for ever.)
"""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from _thread import RLock as Lock


class Forked(Protocol):
    """What something is to be done with in the child of a fork."""

    def forked(self) -> None:
        """Be as a process needs it that has this thread alone."""
        ...


_WAITED: list[tuple[int, Lock]] = []
_TAKEN: list[Lock] = []
"""What the fork that is under way has waited for."""
_TOLD: WeakSet[Forked] = WeakSet()


def wait_for(lock: Lock, depth: int = 0) -> None:
    """Have forks wait for a lock that lives as long as the process.

    `depth` is more than that of locks that are held while it is taken.
    """
    _WAITED.append((depth, lock))
    _WAITED.sort(key=lambda each: each[0])


def tell_child(owner: Forked) -> None:
    """Have the children of forks tell an object, as long as it lives, with all locks held."""
    _TOLD.add(owner)


def renewed(lock: Lock) -> Lock:
    """A lock for the child of a fork: a new one if another thread of its parent's has it."""
    if lock.acquire(blocking=False):
        lock.release()
        return lock
    return RLock()


def _before() -> None:
    for _, lock in [*_WAITED]:
        lock.acquire()
        _TAKEN.append(lock)


def _release() -> None:
    while _TAKEN:
        _TAKEN.pop().release()


def _in_child() -> None:
    try:
        for owner in [*_TOLD]:
            owner.forked()
    finally:
        _release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_in_child)
