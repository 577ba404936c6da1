"""Matrix instructions on warps: `mma`, `ldmatrix`, `stmatrix`, `movmatrix`.

Products of floating types are summed in float64 and rounded once to the accumulator's type; the
machine's own order of summation is not documented.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.machine import WARP, Machine
from teenyir.emulator.execution.memory import SHARED_BASE
from teenyir.emulator.instructions.access import address_of, make_site, space_of
from teenyir.emulator.instructions.fragments import (
    BITS,
    Layout,
    decode,
    encode,
    layout_a,
    layout_b,
    layout_c,
    volta_a,
    volta_b,
    volta_c,
)
from teenyir.emulator.syntax.program import Instruction, Operand
from teenyir.emulator.types import TYPES, Array, Mask, Operation

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")


def shape_of(b: Binder, i: Instruction) -> tuple[int, int, int]:
    """M, N and K from the modifier."""
    for modifier in i.modifiers:
        match = _SHAPE.match(modifier)
        if match:
            return int(match[1]), int(match[2]), int(match[3])
    b.fail(i, f"'{i.name}' has no shape")


def element_types(i: Instruction) -> list[str]:
    """The element types among the modifiers, in order."""
    return [m for m in i.modifiers if m in BITS]


class Registers:
    """The registers of one fragment: read as (lanes, n) words, written under a mask."""

    def __init__(self, b: Binder, operand: Operand, kind: str, *, dest: bool = False) -> None:
        width = TYPES["b64" if kind == "f64" else "b32"]
        bind = b.dest if dest else b.source
        self.arrays = [bind(item, width) for item in b.items(operand)]

    def read(self) -> Array:
        """The words."""
        return np.stack(self.arrays, axis=1)

    def write(self, words: Array, mask: Mask) -> None:
        """Set the words for the lanes of the mask."""
        for index, array in enumerate(self.arrays):
            np.copyto(array, words[:, index], where=mask)


def collect(values: Array, layout: Layout, warps: int) -> Array:
    """Elements of shape (lanes, n) to matrices of shape (warps, batches, rows, columns)."""
    return values.reshape(warps, -1)[:, layout.gather]


def distribute(matrices: Array, layout: Layout, warps: int) -> Array:
    """The inverse of `collect`: (lanes, n)."""
    return matrices.reshape(warps, -1)[:, layout.scatter].reshape(warps * WARP, -1)


def multiply(a: Array, b: Array, c: Array, kinds: list[str], modifiers: tuple[str, ...]) -> Array:
    """D = A B + C on matrices (…, M, K), (…, K, N), (…, M, N), before rounding to D's type."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    if kinds[1] == "b1" and "xor" in modifiers:
        both = left @ right
        total = left.sum(axis=-1, keepdims=True) + right.sum(axis=-2, keepdims=True)
        return (total - 2 * both).astype(np.int64) + c
    product = left @ right
    if kinds[0] != "s32":
        return product + c
    result = product.astype(np.int64) + c
    return np.clip(result, -(2**31), 2**31 - 1) if "satfinite" in modifiers else result


@dataclass(frozen=True, slots=True)
class _Layouts:
    a: Layout
    b: Layout
    c: Layout
    d: Layout


def _layouts(b: Binder, i: Instruction, kinds: list[str]) -> _Layouts:
    m, n, k = shape_of(b, i)
    d_kind, a_kind, b_kind, c_kind = kinds
    if (m, n, k) == (8, 8, 4) and a_kind == "f16":
        major = [modifier == "row" for modifier in i.modifiers if modifier in ("row", "col")]
        c, d = volta_c(BITS[c_kind]), volta_c(BITS[d_kind])
        return _Layouts(volta_a(major[0]), volta_b(major[1]), c, d)
    if n != 8 or m not in (8, 16):
        b.fail(i, f"shape m{m}n{n}k{k} is not supported")
    c = layout_c(m)
    return _Layouts(layout_a(m, k, BITS[a_kind]), layout_b(k, BITS[b_kind]), c, c)


def mma(b: Binder, i: Instruction) -> Operation:
    """`mma.sync` of every shape and type up to sm_89."""
    kinds = element_types(i)
    if len(kinds) == 3:  # m8n8k4 in f64 may leave types out in old text
        kinds = [*kinds, kinds[0]]
    if len(kinds) != 4:
        b.fail(i, f"the types of '{i.name}' are not supported")
    layouts = _layouts(b, i, kinds)
    dest = Registers(b, i.operands[0], kinds[0], dest=True)
    left, right, addend = (
        Registers(b, operand, kind)
        for operand, kind in zip(i.operands[1:4], kinds[1:], strict=True)
    )
    warps, modifiers = b.machine.warps, i.modifiers
    for registers, layout, kind in ((left, layouts.a, kinds[1]), (right, layouts.b, kinds[2])):
        expected = layout.rows.shape[1] * BITS[kind] // (64 if kind == "f64" else 32)
        if len(registers.arrays) != expected:
            b.fail(i, f"a fragment of {len(registers.arrays)} registers, expected {expected}")

    def operation(mask: Mask) -> None:
        a = collect(decode(left.read(), kinds[1]), layouts.a, warps)
        bb = collect(decode(right.read(), kinds[2]), layouts.b, warps)
        c = collect(decode(addend.read(), kinds[3]), layouts.c, warps)
        wide = np.int64 if kinds[3] == "s32" else np.float64
        result = multiply(a, bb, c.astype(wide), kinds, modifiers)
        dest.write(encode(distribute(result, layouts.d, warps), kinds[0]), mask)

    return operation


# Matrices between shared memory and registers


def _count(b: Binder, i: Instruction) -> int:
    if "b16" not in i.modifiers or "m8n8" not in i.modifiers:
        b.fail(i, f"'{i.name}': only m8n8 matrices of .b16 are supported")
    for modifier in i.modifiers:
        if modifier in ("x1", "x2", "x4"):
            return int(modifier[1:])
    return b.fail(i, f"'{i.name}' says no number of matrices")


def _row_mask(machine: Machine, mask: Mask, count: int) -> Array:
    """Lanes whose addresses are used: eight for each matrix."""
    return machine.as_array(mask) & (machine.geometry.ids % WARP < 8 * count)


def load_matrix(b: Binder, i: Instruction) -> Operation:
    """`ldmatrix`: lane l of matrix k gets two elements of row l / 4, from the address of lane
    8 k + l / 4; with `.trans`, of column l / 4."""
    count = _count(b, i)
    address = address_of(b, i.operands[1], space_of(i))
    targets = [b.dest(item, TYPES["b32"]) for item in b.items(i.operands[0])]
    site = make_site(b, i, space_of(i), 16, "load")
    machine, checker = b.machine, b.machine.checker
    words = machine.memory.rows(4, np.dtype(np.uint32))[:, 0]
    halves = machine.memory.rows(2, np.dtype(np.uint16))[:, 0]
    lane = machine.geometry.ids % WARP
    base = machine.geometry.ids - lane
    transposed = "trans" in i.modifiers

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            wanted = _row_mask(machine, mask, count)
            allowed = machine.as_array(checker.access(site, wanted, where))
            where = np.where(wanted & ~allowed, SHARED_BASE, where)
        for index, target in enumerate(targets):
            if transposed:
                first = base + 8 * index + lane % 4 * 2
                offset = lane // 4 * 2
                low = halves[(where[first] + offset) >> 1].astype(np.uint32)
                high = halves[(where[first + 1] + offset) >> 1].astype(np.uint32)
                values = low | high << np.uint32(16)
            else:
                row = base + 8 * index + lane // 4
                values = words[(where[row] + lane % 4 * 4) >> 2]
            np.copyto(target, values, where=mask)

    return operation


def store_matrix(b: Binder, i: Instruction) -> Operation:
    """`stmatrix`: the inverse of `ldmatrix`."""
    count = _count(b, i)
    address = address_of(b, i.operands[0], space_of(i))
    sources = [b.source(item, TYPES["b32"]) for item in b.items(i.operands[1])]
    site = make_site(b, i, space_of(i), 16, "store")
    machine, checker = b.machine, b.machine.checker
    halves = machine.memory.rows(2, np.dtype(np.uint16))[:, 0]
    lane = machine.geometry.ids % WARP
    base = machine.geometry.ids - lane
    transposed = "trans" in i.modifiers

    def operation(mask: Mask) -> None:
        where = address()
        active = machine.as_array(mask)
        allowed = _row_mask(machine, mask, count)
        if checker is not None and site is not None:
            allowed = machine.as_array(checker.access(site, allowed, where))
        for index, source in enumerate(sources):
            for part in range(2):
                value = (source >> np.uint32(16 * part)).astype(np.uint16)
                if transposed:
                    row, offset = base + 8 * index + lane % 4 * 2 + part, lane // 4 * 2
                else:
                    row, offset = base + 8 * index + lane // 4, lane % 4 * 4 + 2 * part
                chosen = active & allowed[row]
                halves[((where[row] + offset) >> 1)[chosen]] = value[chosen]

    return operation


def move_matrix(b: Binder, i: Instruction) -> Operation:
    """`movmatrix.trans`: an 8 by 8 matrix of 16-bit elements, transposed across the warp."""
    dest, source = b.dest(i.operands[0], TYPES["b32"]), b.source(i.operands[1], TYPES["b32"])
    lanes = b.lanes

    def operation(mask: Mask) -> None:
        matrices = np.ascontiguousarray(source).view(np.uint16).reshape(-1, 8, 8)
        turned = np.ascontiguousarray(matrices.transpose(0, 2, 1)).reshape(-1)
        np.copyto(dest, turned.view(np.uint32).reshape(lanes), where=mask)

    return operation


TABLE: dict[str, Builder] = {
    "mma": mma,
    "ldmatrix": load_matrix,
    "stmatrix": store_matrix,
    "movmatrix": move_matrix,
}
