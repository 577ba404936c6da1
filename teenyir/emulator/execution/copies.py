"""Copies under way in the running CTA.

The source is read when a copy is issued and the destination written when the lane waits for its
group, the latest moment that the ISA allows; a program that forgets to wait sees stale values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teenyir.emulator.checking.checker import Site
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.types import Array, Mask


@dataclass(slots=True)
class Copy:
    """One issued copy: lanes, destinations and data of shape (n, size)."""

    lanes: Array
    addresses: Array
    data: Array
    site: Site | None


@dataclass(slots=True)
class Batch:
    """A group: its copies and the lanes that have yet to wait for it."""

    copies: list[Copy]
    lanes: Array


class AsyncCopies:
    """The copies under way in the running CTA."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.uncommitted: list[Copy] = []
        self.groups: list[Batch] = []
        machine.on_start.append(self._clear)
        machine.on_finish.append(self._finish)

    def _clear(self) -> None:
        self.uncommitted.clear()
        self.groups.clear()

    def _finish(self) -> None:
        """The CTA has ended: what nobody waited for arrives unseen."""
        self._clear()

    def commit(self, mask: Mask) -> None:
        """Close the group of each lane of the mask."""
        chosen = self.machine.as_array(mask).copy()
        if mask is True or all(chosen[copy.lanes].all() for copy in self.uncommitted):
            copies, self.uncommitted = self.uncommitted, []
        else:
            copies: list[Copy] = []
            rest: list[Copy] = []
            for copy in self.uncommitted:
                inside = chosen[copy.lanes]
                copies.append(_part(copy, inside))
                rest.append(_part(copy, ~inside))
            self.uncommitted = [copy for copy in rest if len(copy.lanes)]
        self.groups.append(Batch(copies, chosen))

    def wait(self, mask: Mask, pending: int) -> None:
        """Let all but the `pending` newest groups of each lane of the mask arrive."""
        chosen = self.machine.as_array(mask)
        newer = np.zeros(self.machine.lanes, np.int64)
        for group in reversed(self.groups):
            done = group.lanes & chosen & (newer >= pending)
            newer += group.lanes
            if done.any():
                self._arrive(group, done)
        self.groups = [group for group in self.groups if group.lanes.any()]

    def wait_all(self, mask: Mask) -> None:
        """Everything that the lanes of the mask issued arrives."""
        self.commit(mask)
        self.wait(mask, 0)

    def _arrive(self, group: Batch, done: Array) -> None:
        rest: list[Copy] = []
        for copy in group.copies:
            inside = done[copy.lanes]
            if inside.all():
                self._write(copy)
            else:
                self._write(_part(copy, inside))
                rest.append(_part(copy, ~inside))
        group.copies = rest
        group.lanes = group.lanes & ~done

    def _write(self, copy: Copy) -> None:
        if not len(copy.lanes):
            return
        size = copy.data.shape[1]
        self.machine.memory.rows(size, np.dtype(np.uint8))[copy.addresses // size] = copy.data
        checker = self.machine.checker
        if checker is not None and copy.site is not None:
            checker.set_in_flight(copy.addresses, size, flying=False)
            checker.race(copy.site, copy.lanes, copy.addresses)


def _part(copy: Copy, which: Array) -> Copy:
    return Copy(copy.lanes[which], copy.addresses[which], copy.data[which], copy.site)
