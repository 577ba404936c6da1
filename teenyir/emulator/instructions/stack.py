"""`alloca`, `stacksave`, `stackrestore`: a lane's stack grows above the frames of its calls."""

from __future__ import annotations

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.frame import DYNAMIC_BYTES
from teenyir.emulator.syntax.program import Immediate, Instruction
from teenyir.emulator.types import Mask, Operation


def allocate(b: Binder, i: Instruction) -> Operation:
    """`alloca.type p, size{, align}`."""
    kind = b.type(i)
    dest, size = b.dest(i.operands[0], kind), b.source(i.operands[1], kind)
    given = i.operands[2] if len(i.operands) > 2 else None
    align = given.value if isinstance(given, Immediate) else 8
    machine = b.machine

    def operation(mask: Mask) -> None:
        top = machine.stack_top - size.astype(np.int64)
        top &= ~np.int64(align - 1)
        lanes = machine.selected(mask)
        short = top[lanes] < machine.stack_base[lanes] + machine.stack_size - DYNAMIC_BYTES
        if short.any():
            lane = int(lanes[int(np.argmax(short))])
            machine.stop(i, f"alloca beyond {DYNAMIC_BYTES} bytes", lane)
        np.copyto(machine.stack_top, top, where=mask)
        np.copyto(dest, top, where=mask, casting="unsafe")

    return operation


def save(b: Binder, i: Instruction) -> Operation:
    """`stacksave`."""
    machine = b.machine
    return b.apply(lambda: machine.stack_top, b.dest(i.operands[0], b.type(i)), [])


def restore(b: Binder, i: Instruction) -> Operation:
    """`stackrestore`."""
    machine = b.machine
    source = b.source(i.operands[0], b.type(i))

    def operation(mask: Mask) -> None:
        np.copyto(machine.stack_top, source, where=mask, casting="unsafe")

    return operation


TABLE: dict[str, Builder] = {"alloca": allocate, "stacksave": save, "stackrestore": restore}
