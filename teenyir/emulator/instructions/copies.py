"""`cp.async`: copies from global to shared memory that arrive when they are waited for.

The source is read when the copy is issued and the destination written when the lane waits for its
group, the latest moment that the ISA allows; a program that forgets to wait sees stale values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teenyir.emulator.checking.checker import Site
from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.instructions.access import address_of, make_site
from teenyir.emulator.syntax.program import Immediate, Instruction, Register
from teenyir.emulator.types import TYPES, Array, Mask, Operation


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


def copy_async(b: Binder, i: Instruction) -> Operation:
    """`cp.async.ca|cg.shared.global [d], [s], size{, source size | ignore}`."""
    size_operand = i.operands[2]
    if not isinstance(size_operand, Immediate):
        b.fail(i, "the size of a cp.async must be a literal")
    size = size_operand.value
    to = address_of(b, i.operands[0], "shared")
    origin = address_of(b, i.operands[1], "global")
    limit = _source_size(b, i, size)
    write_site = make_site(b, i, "shared", size, "copy")
    read_site = make_site(b, i, "global", size, "load")
    machine, copies = b.machine, b.image.copies
    table = machine.memory.rows(size, np.dtype(np.uint8))
    checker = machine.checker
    columns = np.arange(size)

    def operation(mask: Mask) -> None:
        targets, sources = to(), origin()
        if checker is not None and write_site is not None and read_site is not None:
            mask = checker.access(write_site, mask, targets)
            reading = _reading(machine, mask, limit)
            if reading is not False:
                checker.access(read_site, reading, sources)
        if mask is False:
            return
        lanes = machine.selected(mask)
        count = limit[lanes].astype(np.int64)
        rows = np.where(count > 0, sources[lanes] // size, 0)
        data = table[rows]
        if (count < size).any():
            data = np.where(columns < count[:, None], data, np.uint8(0))
        copies.uncommitted.append(Copy(lanes, targets[lanes].copy(), data, write_site))
        if checker is not None:
            checker.set_in_flight(targets[lanes], size, flying=True)

    return operation


def _reading(machine: Machine, mask: Mask, limit: Array) -> Mask:
    """The lanes that read anything at all: zero-filled copies need no valid source."""
    reading = machine.as_array(mask) & (limit > 0)
    return reading if reading.any() else False


def _source_size(b: Binder, i: Instruction, size: int) -> Array:
    """Bytes that each lane reads; the rest are zeros."""
    if len(i.operands) < 4:
        return np.full(b.lanes, size, np.uint32)
    operand = i.operands[3]
    if isinstance(operand, Register):
        kind = b.function.registers[operand.name]
        if kind.kind == "p":
            b.fail(i, "the ignore-src form of cp.async is not supported")
        if kind.bits == 64:
            return np.full(b.lanes, size, np.uint32)  # a cache policy
    return b.source(operand, TYPES["u32"])


def commit_group(b: Binder, i: Instruction) -> Operation:
    """`cp.async.commit_group`."""
    return b.image.copies.commit


def wait_group(b: Binder, i: Instruction) -> Operation:
    """`cp.async.wait_group n`."""
    copies = b.image.copies
    operand = i.operands[0]
    pending = operand.value if isinstance(operand, Immediate) else 0
    return lambda mask: copies.wait(mask, pending)


def wait_all(b: Binder, i: Instruction) -> Operation:
    """`cp.async.wait_all`."""
    return b.image.copies.wait_all


TABLE: dict[str, Builder] = {
    "cp.async": copy_async,
    "cp.async.commit_group": commit_group,
    "cp.async.wait_group": wait_group,
    "cp.async.wait_all": wait_all,
}
