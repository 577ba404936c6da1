"""Calls of device functions, direct and through addresses, and the functions that we provide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from teenyir.diagnostics import error
from teenyir.emulator.errors import ExecutionError, at_instruction
from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.callgraph import is_recursive
from teenyir.emulator.execution.calls import CallSite, Transfer
from teenyir.emulator.execution.machine import MIXED, Machine, Terminator
from teenyir.emulator.execution.memory import Allocation, Memory
from teenyir.emulator.syntax.program import (
    Function,
    Group,
    Instruction,
    Operand,
    Register,
    Symbol,
)
from teenyir.emulator.types import TYPES, Array, Mask, Operation

_DEEPEST = 4096


@dataclass(frozen=True, slots=True)
class _Parts:
    results: tuple[Operand, ...]
    target: Operand
    arguments: tuple[Operand, ...]
    candidates: str | None


def _parts(i: Instruction) -> _Parts:
    operands = list(i.operands)
    results: tuple[Operand, ...] = ()
    first = operands[0]
    if isinstance(first, Group):
        results = first.items
        operands.pop(0)
    target = operands.pop(0)
    arguments: tuple[Operand, ...] = ()
    following = operands[0] if operands else None
    if isinstance(following, Group):
        arguments = following.items
        operands.pop(0)
    last = operands[0] if operands else None
    return _Parts(results, target, arguments, last.name if isinstance(last, Symbol) else None)


def call_terminator(b: Binder, i: Instruction, following: int) -> Terminator:
    """`call` of functions with bodies."""
    parts = _parts(i)
    image, machine = b.image, b.machine
    callees = _callees(b, i, parts)
    frame_size = image.layouts[b.function.name].size
    recursive = is_recursive(image.program.functions, b.function)
    site = CallSite(machine, len(image.sites), following, b.frame, frame_size, recursive)
    site.callee_of = np.zeros(b.lanes, np.int64)
    image.sites.append(site)
    for address, function in callees.items():
        site.transfers[address] = _transfer(b, i, parts, function, frame_size)
    only = next(iter(callees)) if isinstance(parts.target, Symbol) else None
    target = (
        None if only is not None else b.source(parts.target, TYPES["u64" if image.wide else "u32"])
    )
    guard = b.guard_mask(i)

    def end(mask: Mask) -> int:
        lanes = machine.selected(guard(mask))
        machine.converged = False
        np.copyto(machine.pc, following, where=mask)
        if target is None:
            which = np.full(len(lanes), only, np.int64)
        else:
            which = target[lanes].astype(np.int64)
        _push(machine, i, site, lanes)
        for address in np.unique(which).tolist():
            transfer = site.transfers.get(address)
            if transfer is None:
                machine.stop(i, f"call of address {address:#x}, which is no function")
                return MIXED
            chosen = lanes[which == address]
            transfer.hand_over(chosen)
            machine.pc[chosen] = transfer.entry
        assert site.callee_of is not None
        site.callee_of[lanes] = which
        machine.frame[lanes] += frame_size
        machine.depth[lanes] += 1
        return MIXED

    return end


def _push(machine: Machine, i: Instruction, site: CallSite, lanes: Array) -> None:
    if not len(lanes):
        return
    deepest = int(machine.depth[lanes].max())
    if deepest + 1 >= machine.returns.shape[1]:
        if deepest >= _DEEPEST:
            machine.stop(i, f"more than {_DEEPEST} calls deep")
        machine.returns = np.concatenate([machine.returns, np.zeros_like(machine.returns)], axis=1)
    above = site.frame_size + max((t.callee_size for t in site.transfers.values()), default=0)
    used = machine.frame[lanes] + above - machine.stack_base[lanes]
    if (used > machine.stack_size).any():
        machine.stop(i, f"local stack of {machine.stack_size} bytes a thread exhausted")
    machine.returns[lanes, machine.depth[lanes]] = site.number
    if site.recursive:
        site.save(lanes)


def _callees(b: Binder, i: Instruction, parts: _Parts) -> dict[int, Function]:
    image = b.image
    functions = image.program.functions
    if isinstance(parts.target, Symbol):
        name = image.program.aliases.get(parts.target.name, parts.target.name)
        function = functions.get(name)
        if function is None or not function.defined:
            b.fail(i, f"function '{name}' has no body in this module")
        return {image.function_addresses[name]: function}
    fitting = [f for f in image.functions if not f.entry and _fits(f, parts)]
    return {image.function_addresses[f.name]: f for f in fitting}


def _fits(function: Function, parts: _Parts) -> bool:
    same = len(function.parameters) == len(parts.arguments)
    return same and len(function.results) == len(parts.results)


def _transfer(
    b: Binder, i: Instruction, parts: _Parts, callee: Function, frame_size: int
) -> Transfer:
    image = b.image
    transfer = Transfer(
        b.machine.memory,
        b.machine.frame,
        image.entries[callee.name],
        frame_size,
        image.layouts[callee.name].size,
        [],
        [],
        [],
        [],
    )
    callee_binder = Binder(b.machine, image, image.frame(callee.name))
    offsets = image.layouts[callee.name].offsets
    for operand, formal in zip(parts.arguments, callee.parameters, strict=True):
        if formal.space == "reg":
            dest = callee_binder.dest(Register(formal.name), formal.type)
            transfer.arguments.append((b.source(operand, formal.type), dest))
        else:
            size = max(formal.bytes, formal.type.bytes)
            transfer.argument_bytes.append((_place(b, i, operand), offsets[formal.name], size))
    for operand, formal in zip(parts.results, callee.results, strict=True):
        if formal.space == "reg":
            source = callee_binder.source(Register(formal.name), formal.type)
            transfer.results.append((source, b.dest(operand, formal.type)))
        else:
            size = max(formal.bytes, formal.type.bytes)
            transfer.result_bytes.append((offsets[formal.name], _place(b, i, operand), size))
    return transfer


def _place(b: Binder, i: Instruction, operand: Operand) -> int:
    offset = b.image.frame_offset(b.function, operand) if isinstance(operand, Symbol) else None
    if offset is None:
        b.fail(i, "a call's argument must be a .param variable or a register")
    return offset


# Functions that the device provides


def _read_argument(b: Binder, i: Instruction, index: int, size: int) -> Callable[[], Array]:
    operand = _parts(i).arguments[index]
    if isinstance(operand, Register):
        array = b.source(operand, TYPES[f"u{size * 8}"])
        return lambda: array
    offset = _place(b, i, operand)
    table = b.machine.memory.rows(size, np.dtype(f"u{size}"))
    frame = b.machine.frame
    return lambda: table[(frame + offset) // size, 0]


_CONVERSION = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])")


def format_text(memory: Memory, template: str, address: int) -> str:
    """C's printf on a buffer of arguments, each aligned to its size."""
    place = address

    def take(size: int, code: str) -> int | float:
        nonlocal place
        place = -(-place // size) * size
        value = memory.read(place, size).view(np.dtype(code))[0]
        place += size
        return value.item()

    def one(match: re.Match[str]) -> str:
        flags, width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        width = str(take(4, "<i4")) if width == "*" else width or ""
        if precision == "*":
            precision = str(take(4, "<i4"))
        head = "%" + flags + width + (f".{precision}" if precision is not None else "")
        if kind in "sS":
            return (head + "s") % memory.text(int(take(8, "<u8")))
        if kind == "c":
            return (head + "c") % chr(int(take(4, "<u4")) & 0xFF)
        if kind == "p":
            return hex(int(take(8, "<u8")))
        if kind in "eEfFgGaA":
            return (head + kind.replace("a", "g").replace("A", "G")) % take(8, "<f8")
        size = 8 if length in ("l", "ll", "j", "z", "t") else 4
        signed = "i" if kind in "di" else "u"
        return (head + ("d" if kind in "diu" else kind)) % take(size, f"<{signed}{size}")

    return _CONVERSION.sub(one, template)


def _vprintf(b: Binder, i: Instruction) -> Operation:
    template, arguments = _read_argument(b, i, 0, 8), _read_argument(b, i, 1, 8)
    machine = b.machine

    def operation(mask: Mask) -> None:
        texts, places = template(), arguments()
        for lane in machine.selected(mask):
            text = machine.memory.text(int(texts[lane]))
            machine.output.append(format_text(machine.memory, text, int(places[lane])))

    return operation


def _assert_fail(b: Binder, i: Instruction) -> Operation:
    message, file, line, function = (
        _read_argument(b, i, index, size) for index, size in enumerate((8, 8, 4, 8))
    )
    machine = b.machine

    def operation(mask: Mask) -> None:
        lanes = machine.selected(mask)
        lane = int(lanes[0])
        text = machine.memory.text
        where = f"{text(int(file()[lane]))}:{int(line()[lane])}: {text(int(function()[lane]))}"
        thread, block = machine.geometry.thread(lane), machine.block_index
        raise ExecutionError(
            error(
                f"{where}: assertion '{text(int(message()[lane]))}' failed "
                f"in thread {thread} of block {block}",
                at_instruction(machine.program, i),
            )
        )

    return operation


def _malloc(b: Binder, i: Instruction) -> Operation:
    size = _read_argument(b, i, 0, 8)
    result = _place(b, i, _parts(i).results[0])
    machine = b.machine

    def operation(mask: Mask) -> None:
        sizes = size()
        for lane in machine.selected(mask):
            wanted = int(sizes[lane])
            address = 0
            if machine.memory.top + wanted + 1024 <= machine.memory.size:
                name = f"malloc({wanted}) by thread {machine.geometry.thread(int(lane))}"
                made = machine.memory.allocate(name, "heap", wanted, initialised=False)
                address = made.base
            place = int(machine.frame[lane]) + result
            machine.memory.write(place, address.to_bytes(8, "little"))

    return operation


def _free(b: Binder, i: Instruction) -> Operation:
    pointer = _read_argument(b, i, 0, 8)
    machine = b.machine

    def operation(mask: Mask) -> None:
        places = pointer()
        for lane in machine.selected(mask):
            address = int(places[lane])
            found = machine.memory.find(address) if address else None
            if found is not None and _is_block(found, address):
                machine.memory.free(found)
            elif address and b.checked:
                machine.reports.add(
                    "use-after-free",
                    i,
                    "free of an address that malloc did not give, or gave back before",
                    thread=machine.geometry.thread(int(lane)),
                    block=machine.block_index,
                    allocation=machine.memory.describe(address),
                )

    return operation


def _is_block(allocation: Allocation, address: int) -> bool:
    return allocation.base == address and allocation.space == "heap" and not allocation.freed


BUILTINS: dict[str, Builder] = {
    "vprintf": _vprintf,
    "__assertfail": _assert_fail,
    "malloc": _malloc,
    "free": _free,
}
"""Functions without a body that every device has."""
