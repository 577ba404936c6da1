"""`wmma`: loading, storing and multiplying whole fragments, in a layout of our own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.access import address_of, make_site, space_of
from teenyir.emulator.instructions.fragments import BITS, Layout, decode, encode, linear
from teenyir.emulator.instructions.matrix import (
    Registers,
    collect,
    distribute,
    element_types,
    multiply,
    shape_of,
)
from teenyir.emulator.syntax.program import Immediate, Instruction, Operand
from teenyir.emulator.types import TYPES, Array, Mask, Operation


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A fragment's registers, its layout, and the extents of its matrix."""

    layout: Layout
    rows: int
    columns: int
    per_register: int
    registers: int


def _fragment(role: str, shape: tuple[int, int, int], kind: str, registers: int) -> _Fragment:
    m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    per_register = max(1, 32 // BITS[kind])
    if BITS[kind] < 8:
        # Registers hold runs along k, the only direction in which sub-byte matrices may lie.
        layout = _runs(role, rows, columns, per_register)
    else:
        layout = linear(rows, columns, registers * per_register)
    return _Fragment(layout, rows, columns, per_register, registers)


def _runs(role: str, rows: int, columns: int, run: int) -> Layout:
    units = linear(rows, columns // run, 1) if role == "a" else linear(rows // run, columns, 1)
    j = np.arange(run)[None, :]
    if role == "a":
        r, c = units.rows + 0 * j, units.columns * run + j
    else:
        r, c = units.rows * run + j, units.columns + 0 * j
    flat = np.arange(r.size).reshape(r.shape)
    gather = np.zeros((1, rows, columns), np.int64)
    gather[0, r, c] = flat
    return Layout(r, c, gather, r * columns + c)


def _row_major(i: Instruction) -> bool:
    return "row" in i.modifiers


def _offsets(fragment: _Fragment, row_major: bool, stride: Array) -> Array:
    """Element offsets of shape (lanes, elements)."""
    warps = len(stride) // 32
    rows, columns = (
        np.tile(x, (warps, 1)) for x in (fragment.layout.rows, fragment.layout.columns)
    )
    if row_major:
        return rows * stride[:, None] + columns
    return columns * stride[:, None] + rows


def load_fragment(b: Binder, i: Instruction) -> Operation:
    """`wmma.load.a|b|c`."""
    return _transfer(b, i, i.operands[0], i.operands[1], load=True)


def store_fragment(b: Binder, i: Instruction) -> Operation:
    """`wmma.store.d`."""
    return _transfer(b, i, i.operands[1], i.operands[0], load=False)


def _transfer(
    b: Binder, i: Instruction, fragment_operand: Operand, address_operand: Operand, *, load: bool
) -> Operation:
    role, kind = i.modifiers[1], element_types(i)[-1]
    registers = Registers(b, fragment_operand, kind, dest=load)
    fragment = _fragment(role, shape_of(b, i), kind, len(registers.arrays))
    space = space_of(i)
    address = address_of(b, address_operand, space)
    major = _row_major(i)
    stride_operand = i.operands[2] if len(i.operands) > 2 else None
    default = fragment.columns if major else fragment.rows
    if stride_operand is None:
        stride = np.full(b.lanes, default, np.uint32)
    elif isinstance(stride_operand, Immediate):
        stride = np.full(b.lanes, stride_operand.value, np.uint32)
    else:
        stride = b.source(stride_operand, TYPES["u32"])
    bits = BITS[kind]
    size = max(bits // 8, 4 if bits < 8 else 1)
    step = fragment.per_register if bits < 8 else 1
    site = make_site(b, i, space, size, "load" if load else "store")
    machine, checker = b.machine, b.machine.checker
    table = machine.memory.rows(size, np.dtype(f"u{size}"))[:, 0]

    def operation(mask: Mask) -> None:
        offsets = _offsets(fragment, major, stride.astype(np.int64))[:, ::step]
        places = address()[:, None] + offsets * bits // 8
        chosen = np.ones(places.shape, np.bool_)
        chosen &= machine.as_array(mask)[:, None]
        slots = places.shape[1] if load else fragment.rows * fragment.columns // 32
        for slot in range(min(slots, places.shape[1])):
            if checker is not None and site is not None:
                allowed = checker.access(site, mask, places[:, slot])
                chosen[:, slot] &= machine.as_array(allowed)
        if load:
            values = np.zeros(places.shape, table.dtype)
            values[chosen] = table[places[chosen] // size]
            registers.write(_as_registers(values), mask)
        else:
            words = registers.read()
            values = np.ascontiguousarray(words).view(table.dtype).reshape(places.shape)
            table[places[chosen] // size] = values[chosen]

    return operation


def _as_registers(values: Array) -> Array:
    if values.dtype.itemsize >= 4:
        return values
    return np.ascontiguousarray(values).view(np.uint32)


def multiply_fragments(b: Binder, i: Instruction) -> Operation:
    """`wmma.mma`."""
    kinds = element_types(i)
    if len(kinds) == 2:  # the f16 form names only D and C
        kinds = [kinds[0], "f16", "f16", kinds[1]]
    elif len(kinds) == 1:
        kinds = [kinds[0]] * 4
    shape = shape_of(b, i)
    roles = ("d", "a", "b", "c")
    parts = [
        Registers(b, operand, kind, dest=index == 0)
        for index, (operand, kind) in enumerate(zip(i.operands, kinds, strict=True))
    ]
    fragments = [
        _fragment(role, shape, kind, len(part.arrays))
        for role, kind, part in zip(roles, kinds, parts, strict=True)
    ]
    warps, modifiers = b.machine.warps, i.modifiers

    def matrix(index: int) -> Array:
        values = decode(parts[index].read(), kinds[index])
        return collect(values, fragments[index].layout, warps)

    def operation(mask: Mask) -> None:
        wide = np.int64 if kinds[3] == "s32" else np.float64
        result = multiply(matrix(1), matrix(2), matrix(3).astype(wide), kinds, modifiers)
        spread = distribute(result, fragments[0].layout, warps)
        parts[0].write(encode(spread, kinds[0]), mask)

    return operation


TABLE: dict[str, Builder] = {
    "wmma.load": load_fragment,
    "wmma.store": store_fragment,
    "wmma.mma": multiply_fragments,
}
