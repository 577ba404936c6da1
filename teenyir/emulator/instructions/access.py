"""Loads, stores, prefetches and address operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from teenyir.emulator.checking.checker import Site
from teenyir.emulator.execution.binder import Binder, Builder, described
from teenyir.emulator.execution.memory import SHARED_BASE
from teenyir.emulator.syntax.program import (
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    Symbol,
)
from teenyir.emulator.types import TYPES, Array, Mask, Operation

SPACES = ("global", "shared", "local", "const", "param")
_STRONG = ("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio")


def space_of(i: Instruction) -> str:
    """The state space of an access; `generic` if none is named."""
    for modifier in i.modifiers:
        base = modifier.split("::")[0]
        if base in SPACES:
            return base
    return "generic"


def address_of(b: Binder, operand: Operand, space: str) -> Callable[[], Array]:
    """An address operand as a function that gives int64 addresses of shape (lanes,)."""
    if isinstance(operand, Symbol):
        operand = Address(operand)
    if not isinstance(operand, Address):
        raise TypeError(f"{described(operand)} is no address")
    base = SHARED_BASE if space == "shared" else 0
    if isinstance(operand.base, Register):
        if base and b.frame.register(operand.base.name).itemsize == 4:
            return _window_address(b, operand.base, operand.offset, base)
        return _register_address(b, operand.base, operand.offset + base)
    if isinstance(operand.base, Immediate):
        fixed = np.full(b.lanes, operand.base.value + operand.offset + base, np.int64)
        return lambda: fixed
    offset = b.image.frame_offset(b.function, operand.base)
    if offset is not None:
        frame, total = b.machine.frame, offset + operand.offset
        return lambda: frame + total
    address = b.image.address(b.function, operand.base)
    fixed = np.full(b.lanes, address + operand.offset + base, np.int64)
    return lambda: fixed


def _register_address(b: Binder, register: Register, offset: int) -> Callable[[], Array]:
    array = b.frame.register(register.name)
    if array.itemsize == 8:
        signed = array.view(np.int64)
        return (lambda: signed + offset) if offset else (lambda: signed)
    if not offset:
        return lambda: array.astype(np.int64)
    return lambda: array.astype(np.int64) + offset


def _window_address(b: Binder, register: Register, offset: int, base: int) -> Callable[[], Array]:
    """Shared memory ends before 32 bits do: what a register of 32 bits and an offset come to
    wraps, as compilers that share an offset between accesses take for granted."""
    array, step = b.frame.register(register.name), np.uint32(offset % (1 << 32))
    return lambda: (array.view(np.uint32) + step).astype(np.int64) + base


def make_site(b: Binder, i: Instruction, space: str, size: int, action: str) -> Site | None:
    """The site of an access, registered with the checker if there is one."""
    checker = b.machine.checker
    if checker is None:
        return None
    names = set(i.modifiers)
    strong = action == "atomic" or any(name in names for name in _STRONG)
    both = "acq_rel" in names
    site = Site(
        i,
        space,
        size,
        action,
        strong,
        both or "release" in names,
        both or "acquire" in names,
        strong and "cta" in names,
    )
    return checker.register(site)


def vector_width(i: Instruction) -> int:
    """The elements of `.v2`, `.v4`, `.v8`; 1 without."""
    for modifier in i.modifiers:
        if modifier in ("v2", "v4", "v8"):
            return int(modifier[1:])
    return 1


def _constant_load(b: Binder, i: Instruction, space: str) -> Operation | None:
    """A kernel parameter at a fixed place: its value is known before the launch starts."""
    operand = i.operands[1]
    if space != "param" or not isinstance(operand, Address):
        return None
    base = operand.base
    if not isinstance(base, Symbol) or b.image.frame_offset(b.function, base) is not None:
        return None
    kind = b.type(i)
    targets = [b.dest(item, kind) for item in b.items(i.operands[0])]
    address = b.image.address(b.function, base) + operand.offset
    size = kind.bytes * len(targets)
    if address % kind.bytes:
        b.fail(i, f"parameter access is not aligned to {kind.bytes} bytes")
    row = b.machine.memory.read(address, size).view(kind.dtype)
    values = [np.full(b.lanes, row[k], kind.dtype) for k in range(len(targets))]

    def operation(mask: Mask) -> None:
        for target, value in zip(targets, values, strict=True):
            np.copyto(target, value, where=mask, casting="unsafe")

    return operation


def load(b: Binder, i: Instruction) -> Operation:
    """`ld`, `ldu`, with vectors, in any space."""
    space = space_of(i)
    constant = _constant_load(b, i, space)
    if constant is not None:
        return constant
    kind = b.type(i)
    targets = [b.dest(item, kind) for item in b.items(i.operands[0])]
    size = kind.bytes * vector_width(i)
    address = address_of(b, i.operands[1], space)
    table = b.machine.memory.rows(size, kind.dtype)
    site = make_site(b, i, space, size, "load")
    checker = b.machine.checker
    wide = kind.bits == 128

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
            if mask is False:
                return
        if mask is True:
            rows = table[where // size]
            if wide:
                targets[0][...] = rows
                return
            for index, target in enumerate(targets):
                target[...] = rows[:, index]
            return
        lanes = np.flatnonzero(mask)
        rows = table[where[lanes] // size]
        for index, target in enumerate(targets):
            target[lanes] = rows if wide else rows[:, index]

    return operation


def store(b: Binder, i: Instruction) -> Operation:
    """`st`, with vectors, in any space."""
    space = space_of(i)
    kind = b.type(i)
    items = b.items(i.operands[1])
    sources = [b.source(item, kind) for item in items]
    size = kind.bytes * vector_width(i)
    address = address_of(b, i.operands[0], space)
    table = b.machine.memory.rows(size, kind.dtype)
    site = make_site(b, i, space, size, "store")
    checker = b.machine.checker
    wide = kind.bits == 128

    def operation(mask: Mask) -> None:
        where = address()
        values = sources[0] if wide else _stack(sources)
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where, values)
            if mask is False:
                return
        if mask is True:
            table[where // size] = values
        else:
            lanes = np.flatnonzero(mask)
            table[where[lanes] // size] = values[lanes]

    return operation


def _stack(sources: list[Array]) -> Array:
    return sources[0][:, None] if len(sources) == 1 else np.stack(sources, axis=1)


def nothing(b: Binder, i: Instruction) -> Operation:
    """Hints to caches, tools and schedulers: nothing that a program can see."""
    return lambda mask: None


def _policy(b: Binder, i: Instruction) -> Operation:
    """`createpolicy`: a cache policy, which nothing reads here."""
    dest = b.dest(i.operands[0], TYPES["b64"])
    return lambda mask: np.copyto(dest, 0, where=mask)


def _own_address(b: Binder, i: Instruction) -> Operation:
    """`mapa`: an address in the shared memory of a CTA of the cluster, which is this one."""
    kind = b.type(i)
    dest, source = b.dest(i.operands[0], kind), b.source(i.operands[1], kind)
    return b.apply(lambda value: value, dest, [source])


def _own_rank(b: Binder, i: Instruction) -> Operation:
    """`getctarank`: a cluster has one CTA here."""
    dest = b.dest(i.operands[0], TYPES["u32"])
    return lambda mask: np.copyto(dest, 0, where=mask)


TABLE: dict[str, Builder] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "prefetch": nothing,
    "prefetchu": nothing,
    "applypriority": nothing,
    "discard": nothing,
    "createpolicy": _policy,
    "pmevent": nothing,
    "brkpt": nothing,
    "nanosleep": nothing,
    "griddepcontrol": nothing,
    "setmaxnreg": nothing,
    "mapa": _own_address,
    "getctarank": _own_rank,
}
