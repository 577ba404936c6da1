"""`cp.async`: copies from global to shared memory that arrive when they are waited for."""

from __future__ import annotations

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.copies import Copy
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.instructions.access import address_of, make_site
from teenyir.emulator.syntax.program import Immediate, Instruction, Register
from teenyir.emulator.types import TYPES, Array, Mask, Operation


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
