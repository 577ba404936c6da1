"""Control flow: branches, returns, exits, traps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from teenyir.emulator.execution.binder import Binder
from teenyir.emulator.execution.machine import MIXED, Terminator
from teenyir.emulator.syntax.program import Instruction, Symbol, Vector
from teenyir.emulator.types import TYPES, Array, Mask

TerminatorBuilder = Callable[[Binder, Instruction, "dict[str, int]", int], Terminator]


def branch(b: Binder, i: Instruction, labels: dict[str, int], following: int) -> Terminator:
    """`bra`, under a guard or without."""
    operand = i.operands[0]
    assert isinstance(operand, Symbol)
    target = labels[operand.name]
    if i.guard is None:
        return lambda mask: target
    machine = b.machine
    predicate = b.frame.register(i.guard.name)
    negated, lanes = i.guard.negated, b.lanes
    uniform = "uni" in i.modifiers

    def end(mask: Mask) -> int:
        taken = ~predicate if negated else predicate
        if mask is True:
            count, total = int(np.count_nonzero(taken)), lanes
        else:
            taken = taken & mask
            count, total = int(np.count_nonzero(taken)), int(np.count_nonzero(mask))
        if count == 0:
            return following
        if count == total:
            return target
        if uniform:
            _check_uniform(b, i, taken, mask)
        machine.converged = False
        np.copyto(machine.pc, np.where(taken, target, following), where=mask)
        return MIXED

    return end


def _check_uniform(b: Binder, i: Instruction, taken: Array, mask: Mask) -> None:
    """`.uni` promises that the lanes of a warp agree."""
    machine = b.machine
    here = machine.as_array(mask)
    yes, no = machine.bits(taken), machine.bits(here & ~taken)
    split = (yes != 0) & (no != 0)
    if b.checked and split.any():
        lane = int(np.argmax(np.repeat(split, 32) & taken))
        machine.reports.add(
            "divergent-uniform",
            i,
            "lanes of a warp disagree at an instruction marked uniform",
            thread=machine.geometry.thread(lane),
            block=machine.block_index,
        )


def branch_indexed(b: Binder, i: Instruction, labels: dict[str, int], following: int) -> Terminator:
    """`brx.idx`: a jump through a table of labels."""
    table = i.operands[1]
    if isinstance(table, Symbol):
        names = b.function.tables[table.name]
    else:
        assert isinstance(table, Vector)
        names = tuple(item.name for item in table.items if isinstance(item, Symbol))
    targets = np.array([labels[name] for name in names], np.int64)
    index = b.source(i.operands[0], TYPES["u32"])
    guard, machine = b.guard_mask(i), b.machine

    def end(mask: Mask) -> int:
        active = machine.as_array(guard(mask))
        if (index[active] >= len(targets)).any():
            machine.stop(i, f"branch index beyond the table of {len(targets)} labels")
        machine.converged = False
        np.copyto(machine.pc, following, where=mask)
        machine.pc[active] = targets[index[active]]
        return MIXED

    return end


def exit_lanes(b: Binder, i: Instruction, labels: dict[str, int], following: int) -> Terminator:
    """`exit`, and `ret` from a kernel."""
    guard, machine = b.guard_mask(i), b.machine

    def end(mask: Mask) -> int:
        np.copyto(machine.pc, following, where=mask)
        return machine.exit_lanes(guard(mask))

    return end


def give_back(b: Binder, i: Instruction, labels: dict[str, int], following: int) -> Terminator:
    """`ret`: back to the caller, or the end of a kernel's lane."""
    if b.function.entry:
        return exit_lanes(b, i, labels, following)
    guard, machine, sites = b.guard_mask(i), b.machine, b.image.sites

    def end(mask: Mask) -> int:
        active = machine.as_array(guard(mask))
        machine.converged = False
        np.copyto(machine.pc, following, where=mask)
        lanes = np.flatnonzero(active)
        machine.depth[lanes] -= 1
        numbers = machine.returns[lanes, machine.depth[lanes]]
        for number in np.unique(numbers).tolist():
            sites[int(number)].give_back(lanes[numbers == number])
        return MIXED

    return end


def trap(b: Binder, i: Instruction, labels: dict[str, int], following: int) -> Terminator:
    """`trap`: ends the launch with an error."""
    guard, machine = b.guard_mask(i), b.machine

    def end(mask: Mask) -> int:
        lanes = machine.selected(guard(mask))
        if len(lanes):
            machine.stop(i, "trap", int(lanes[0]))
        return following

    return end


TERMINATORS: dict[str, TerminatorBuilder] = {
    "bra": branch,
    "brx": branch_indexed,
    "ret": give_back,
    "exit": exit_lanes,
    "trap": trap,
}
"""Opcodes that end a block, beside barriers and calls."""
