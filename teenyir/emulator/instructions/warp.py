"""Warp instructions: shuffles, votes, matches, reductions, and which lanes take part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.machine import AT_WARP, EXITED, RUNNING, WARP, Gate, Machine
from teenyir.emulator.syntax.program import Instruction, Operand
from teenyir.emulator.types import TYPES, Array, Mask, Operation

_U32, _PRED = TYPES["u32"], TYPES["pred"]


def warp_gate(machine: Machine, block: int, members: Array | None) -> Gate:
    """Hold lanes back until all that the member mask names (all live lanes without one) are here.

    `members` is the member-mask register of shape (lanes,), or None for `.aligned` instructions.
    """

    def gate(mask: Mask, forced: bool) -> Mask:
        here = machine.as_array(mask)
        if forced:
            return here
        arrived = here | ((machine.state == AT_WARP) & (machine.pc == block))
        live = machine.state != EXITED
        missing = machine.bits(live) & ~machine.bits(arrived)
        wanted = np.repeat(missing, WARP)
        if members is not None:
            wanted = wanted & members
        ready = arrived & (wanted == 0)
        waiting = arrived & ~ready
        if waiting.any():
            machine.pc[waiting] = block
            machine.state[waiting] = AT_WARP
            machine.converged = False
        # Lanes that waited for these are let go with them.
        released = ready & ~here
        if released.any():
            machine.pc[released] = block
            machine.state[released] = RUNNING
        return ready if ready.any() else False

    return gate


def check_members(b: Binder, i: Instruction, members: Array) -> Callable[[Mask], None]:
    """Report lanes that a member mask names but that do not execute the instruction."""
    machine = b.machine
    if not b.checked:
        return lambda mask: None

    def check(mask: Mask) -> None:
        lanes = machine.selected(mask)
        active = np.repeat(machine.bits(mask), WARP)[lanes]
        named = members[lanes].astype(np.uint32)
        inactive = (named & ~active) != 0
        own = (named >> (lanes % WARP).astype(np.uint32)) & 1 == 0
        if inactive.any():
            first = int(np.argmax(inactive))
            absent = int(named[first] & ~active[first])
            lane = int(lanes[first])
            message = f"member mask names lanes that do not execute it: {absent:#010x}"
        elif own.any():
            lane = int(lanes[int(np.argmax(own))])
            message = "the executing lane is not in its own member mask"
        else:
            return
        machine.reports.add(
            "inactive-lane",
            i,
            message,
            thread=machine.geometry.thread(lane),
            block=machine.block_index,
        )

    return check


def _members(b: Binder, i: Instruction, position: int) -> Array:
    """The member mask; all lanes for the forms without `.sync`."""
    if "sync" in i.modifiers:
        return b.source(i.operands[position], _U32)
    return np.full(b.lanes, 0xFFFFFFFF, np.uint32)


def shuffle(b: Binder, i: Instruction) -> Operation:
    """`shfl`: up, down, bfly, idx, with clamp and segment mask."""
    mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    first, flag = b.pair(i.operands[0])
    dest = b.dest(first, _U32)
    predicate = b.dest(flag, _PRED) if flag is not None else None
    source, amount, control = (b.source(operand, _U32) for operand in i.operands[1:4])
    members = _members(b, i, 4)
    check = check_members(b, i, members)
    machine = b.machine
    lane = (machine.geometry.ids % WARP).astype(np.int64)
    base = machine.geometry.ids - lane

    def operation(mask: Mask) -> None:
        check(mask)
        step, limits = amount.astype(np.int64) & 31, control.astype(np.int64)
        clamp, segment = limits & 31, limits >> 8 & 31
        highest = (lane & segment) | (clamp & ~segment & 31)
        lowest = lane & segment
        if mode == "up":
            other = lane - step
            valid = other >= highest
        elif mode == "down":
            other = lane + step
            valid = other <= highest
        elif mode == "bfly":
            other = lane ^ step
            valid = other <= highest
        else:
            other = lowest | (step & ~segment & 31)
            valid = other <= highest
        other = np.where(valid, other, lane)
        index = base + other
        result = source[index]
        if b.checked and mask is not True:
            _check_source(b, i, machine.as_array(mask), index)
        np.copyto(dest, result, where=mask)
        if predicate is not None:
            np.copyto(predicate, valid, where=mask)

    return operation


def _check_source(b: Binder, i: Instruction, active: Array, index: Array) -> None:
    """Report lanes that read a register of a lane that does not take part."""
    wrong = active & ~active[index]
    if wrong.any():
        lane = int(np.argmax(wrong))
        b.machine.reports.add(
            "inactive-lane",
            i,
            f"reads from lane {int(index[lane]) % WARP}, which does not execute the shuffle",
            thread=b.machine.geometry.thread(lane),
            block=b.machine.block_index,
            count=int(np.count_nonzero(wrong)),
        )


def vote(b: Binder, i: Instruction) -> Operation:
    """`vote`: all, any, uni, ballot over the member lanes."""
    mode = next(m for m in i.modifiers if m in ("all", "any", "uni", "ballot"))
    condition = b.predicate(i.operands[1])
    members = _members(b, i, 2)
    check = check_members(b, i, members)
    machine = b.machine
    ballot = mode == "ballot"
    dest = b.dest(i.operands[0], _U32 if ballot else _PRED)

    def operation(mask: Mask) -> None:
        check(mask)
        holds = machine.as_array(condition())
        active = np.repeat(machine.bits(mask), WARP) & members
        votes = np.repeat(machine.bits(holds), WARP) & active
        if ballot:
            result: Array = votes
        elif mode == "all":
            result = votes == active
        elif mode == "any":
            result = votes != 0
        else:
            result = (votes == 0) | (votes == active)
        np.copyto(dest, result, where=mask)

    return operation


def match(b: Binder, i: Instruction) -> Operation:
    """`match`: the member lanes that hold the same value."""
    kind = b.type(i)
    first, flag = b.pair(i.operands[0])
    dest = b.dest(first, _U32)
    predicate = b.dest(flag, _PRED) if flag is not None else None
    source = b.source(i.operands[1], kind)
    members = _members(b, i, 2)
    check = check_members(b, i, members)
    machine, every = b.machine, "all" in i.modifiers
    weights = np.left_shift(np.uint32(1), np.arange(WARP, dtype=np.uint32))

    def operation(mask: Mask) -> None:
        check(mask)
        values = source.reshape(-1, WARP)
        equal = values[:, :, None] == values[:, None, :]
        same = (equal * weights).sum(axis=2, dtype=np.uint32).reshape(-1)
        active = np.repeat(machine.bits(mask), WARP) & members
        same = same & active
        if every:
            agreed = same == active
            same = np.where(agreed, active, 0)
            if predicate is not None:
                np.copyto(predicate, agreed, where=mask)
        np.copyto(dest, same, where=mask)

    return operation


_REDUCE: dict[str, Any] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def reduce(b: Binder, i: Instruction) -> Operation:
    """`redux.sync` over the member lanes."""
    kind = b.type(i)
    name = next(m for m in i.modifiers if m in _REDUCE)
    function = _REDUCE[name]
    dest, source = b.dest(i.operands[0], kind), b.source(i.operands[1], kind)
    members = _members(b, i, 2)
    check = check_members(b, i, members)
    machine = b.machine
    absolute = "abs" in i.modifiers
    if kind.is_float:
        function = {"min": np.fmin, "max": np.fmax}[name]
        if "NaN" in i.modifiers:
            function = {"min": np.minimum, "max": np.maximum}[name]

    def operation(mask: Mask) -> None:
        check(mask)
        values = np.abs(source) if absolute else source
        result = np.zeros_like(values)
        for lanes in groups_of(machine, mask, members):
            result[lanes] = function.reduce(values[lanes])
        np.copyto(dest, result, where=mask)

    return operation


def groups_of(machine: Machine, mask: Mask, members: Array) -> list[Array]:
    """The active lanes as index arrays, one for each warp and member mask in it."""
    lanes = machine.selected(mask)
    keys = (lanes // WARP).astype(np.int64) << 32 | members[lanes].astype(np.int64)
    return [lanes[keys == key] for key in np.unique(keys)]


def active_mask(b: Binder, i: Instruction) -> Operation:
    """`activemask`: the lanes of the warp that execute it together."""
    dest, machine = b.dest(i.operands[0], _U32), b.machine

    def operation(mask: Mask) -> None:
        np.copyto(dest, np.repeat(machine.bits(mask), WARP), where=mask)

    return operation


def elect(b: Binder, i: Instruction) -> Operation:
    """`elect.sync`: the lowest member lane is the leader."""
    first, flag = b.pair(i.operands[0])
    dest = b.dest(first, _U32)
    predicate = b.dest(flag, _PRED) if flag is not None else b.scratch(_PRED)
    members = b.source(i.operands[1], _U32)
    lane = (b.machine.geometry.ids % WARP).astype(np.uint32)
    check = check_members(b, i, members)

    def operation(mask: Mask) -> None:
        check(mask)
        lowest = np.bitwise_count((members & -members) - np.uint32(1)).astype(np.uint32)
        np.copyto(dest, lowest, where=mask)
        np.copyto(predicate, lowest == lane, where=mask)

    return operation


def warp_barrier(b: Binder, i: Instruction) -> Operation:
    """`bar.warp.sync`: orders the memory accesses of the member lanes."""
    members = b.source(i.operands[0], _U32)
    check = check_members(b, i, members)
    machine = b.machine

    def operation(mask: Mask) -> None:
        check(mask)
        if machine.checker is not None:
            machine.checker.clocks.warp_barrier(groups_of(machine, mask, members))

    return operation


def member_operand(i: Instruction) -> Operand | None:
    """The member-mask operand of a `.sync` warp instruction, if it has one."""
    if i.opcode in ("shfl", "vote", "match", "redux") or i.name.startswith("bar.warp"):
        return i.operands[-1]
    if i.opcode == "elect":
        return i.operands[1]
    return None


TABLE: dict[str, Builder] = {
    "shfl": shuffle,
    "vote": vote,
    "match": match,
    "redux": reduce,
    "activemask": active_mask,
    "elect": elect,
    "bar.warp": warp_barrier,
}
