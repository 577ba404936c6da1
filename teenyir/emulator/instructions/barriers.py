"""CTA barriers (`bar`, `barrier`), their reductions, and fences."""

from __future__ import annotations

import numpy as np

from teenyir.emulator.execution.barriers import BARRIERS, Reduction
from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.machine import MIXED, Terminator
from teenyir.emulator.syntax.program import Immediate, Instruction
from teenyir.emulator.types import TYPES, Array, Mask, Operation


def is_barrier(i: Instruction) -> bool:
    """Whether an instruction is a CTA barrier (not `bar.warp`, not a cluster's)."""
    return i.opcode in ("bar", "barrier") and not {"warp", "cluster"} & set(i.modifiers)


def terminator(b: Binder, i: Instruction, following: int) -> Terminator:
    """The end of a block that a barrier makes; lanes go on at block `following`."""
    reduction = _reduction(b, i) if "red" in i.modifiers else None
    operands = i.operands[1:-1] if reduction else i.operands
    waits = "arrive" not in i.modifiers
    if operands and isinstance(operands[0], Immediate) and not 0 <= operands[0].value < BARRIERS:
        b.fail(i, f"a CTA has {BARRIERS} barriers, numbered from 0")
    number = b.source(operands[0], TYPES["u32"]) if operands else np.zeros(b.lanes, np.uint32)
    count = b.source(operands[1], TYPES["u32"]) if len(operands) > 1 else None
    machine, barriers, guard = b.machine, b.image.barriers, b.guard_mask(i)
    fixed = not operands or isinstance(operands[0], Immediate)
    threads = machine.geometry.threads

    def end(mask: Mask) -> int:
        active = guard(mask)
        expected = None
        if count is not None:
            expected = int(count[int(np.argmax(machine.as_array(active)))])
        together = active is True or (active is mask and machine.live_covers(mask))
        if together and fixed and waits and not barriers.open and expected in (None, threads):
            barriers.all_at_once()
            if reduction is not None:
                reduction(machine.as_array(mask), machine.as_array(mask))
            return following
        machine.converged = False
        np.copyto(machine.pc, following, where=mask)
        came = machine.as_array(active)
        for value in np.unique(number[came]).tolist():
            barriers.arrive(int(value), came & (number == value), i, expected, waits, reduction)
        return MIXED

    return end


def _reduction(b: Binder, i: Instruction) -> Reduction:
    """`bar.red`: popc, and, or of a predicate over the lanes that came."""
    condition = b.predicate(i.operands[-1])
    counting = "popc" in i.modifiers
    dest = b.dest(i.operands[0], TYPES["u32" if counting else "pred"])
    function = {"and": np.all, "or": np.any}.get(
        next((m for m in i.modifiers if m in ("and", "or")), ""), np.count_nonzero
    )

    def finish(arrived: Array, lanes: Array) -> None:
        np.copyto(dest, function(condition()[arrived]), where=lanes, casting="unsafe")

    return finish


def fence(b: Binder, i: Instruction) -> Operation:
    """`membar`, `fence`: orders this lane's accesses through strong operations around it."""
    machine = b.machine
    proxy_only = "proxy" in i.modifiers or "mbarrier_init" in i.modifiers
    narrow = "cta" in i.modifiers

    def operation(mask: Mask) -> None:
        if machine.checker is not None and not proxy_only:
            machine.checker.clocks.fence(machine.selected(mask), narrow)

    return operation


TABLE: dict[str, Builder] = {"membar": fence, "fence": fence}
