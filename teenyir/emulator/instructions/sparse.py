"""`mma.sp`: products with a matrix A of which half the elements are zero, by known places.

Of each chunk of four units of a row two are kept (a unit is an element; half of a tf32, two of 4
bits), and four bits of metadata say which. In which lanes and bits these stand follows from how
CUTLASS reorders metadata (`reorder_meta` in its host utilities) for the same instructions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.fragments import (
    BITS,
    decode,
    encode,
    layout_a,
    layout_b,
    layout_c,
)
from teenyir.emulator.instructions.matrix import (
    Registers,
    collect,
    distribute,
    element_types,
    multiply,
    shape_of,
)
from teenyir.emulator.syntax.program import Immediate, Instruction
from teenyir.emulator.types import TYPES, Array, Mask, Operation

_ROWS = 16


@dataclass(frozen=True, slots=True)
class _Metadata:
    """Lane of the warp and shift of the nibble of each row and chunk, of shape (16, chunks)."""

    lanes: Array
    shifts: Array


@lru_cache
def _metadata(chunks: int, bytewise: bool, selector: int) -> _Metadata:
    row, chunk = np.arange(_ROWS)[:, None], np.arange(chunks)[None, :]
    group, half = row % 8 * 4, row // 8
    if bytewise:
        if chunks == 16:
            return _Metadata(group + half + chunk // 8 * 2, chunk % 8 * 4 + 0 * row)
        return _Metadata(group + 2 * selector + half + 0 * chunk, chunk * 4 + 0 * row)
    if chunks == 8:
        return _Metadata(group + 2 * selector + chunk // 4, half * 16 + chunk % 4 * 4)
    return _Metadata(group + selector + 0 * chunk, half * 16 + chunk * 4)


def expand(kept: Array, nibbles: Array, kind: str) -> Array:
    """Kept elements (warps, 16, k / 2) and nibbles (warps, 16, chunks) to (warps, 16, k)."""
    warps, rows, count = kept.shape
    dense = np.zeros((warps, rows, 2 * count), kept.dtype)
    chunks = int(nibbles.shape[2])
    width = 2 * count // chunks
    base: Array = np.arange(chunks) * width
    first, second = (nibbles & 3).astype(np.int64), (nibbles >> 2).astype(np.int64)
    parts = kept.reshape(warps, rows, chunks, -1)
    places: list[Array]
    if kind == "tf32":
        places = [base + (first >> 1)]
    elif BITS[kind] == 4:
        places = [base + 2 * unit + k for unit in (first, second) for k in range(2)]
    else:
        places = [base + first, base + second]
    for index, place in enumerate(places):
        np.put_along_axis(dense, place, parts[..., index], axis=2)
    return dense


def sparse_mma(b: Binder, i: Instruction) -> Operation:
    """`mma.sp`, with ordered metadata or without."""
    kinds = element_types(i)
    m, _, k = shape_of(b, i)
    selector = i.operands[5]
    if len(kinds) != 4 or m != _ROWS or not isinstance(selector, Immediate):
        b.fail(i, f"this form of '{i.name}' is not supported")
    bits = BITS[kinds[1]]
    units = {32: 2 * k, 4: k // 2}.get(bits, k)
    where = _metadata(units // 4, bits <= 8, selector.value)
    left_layout, right_layout = layout_a(m, k // 2, bits), layout_b(k, bits)
    sums = layout_c(m)
    dest = Registers(b, i.operands[0], kinds[0], dest=True)
    left, right, addend = (
        Registers(b, operand, kind)
        for operand, kind in zip(i.operands[1:4], kinds[1:], strict=True)
    )
    words = b.source(i.operands[4], TYPES["b32"])
    warps, modifiers = b.machine.warps, i.modifiers

    def operation(mask: Mask) -> None:
        kept = collect(decode(left.read(), kinds[1]), left_layout, warps)[:, 0]
        nibbles = words.reshape(warps, 32)[:, where.lanes] >> where.shifts.astype(np.uint32) & 15
        a = expand(kept, nibbles, kinds[1])[:, None]
        bb = collect(decode(right.read(), kinds[2]), right_layout, warps)
        c = collect(decode(addend.read(), kinds[3]), sums, warps)
        wide = np.int64 if kinds[3] == "s32" else np.float64
        result = multiply(a, bb, c.astype(wide), kinds, modifiers)
        dest.write(encode(distribute(result, sums, warps), kinds[0]), mask)

    return operation


TABLE: dict[str, Builder] = {"mma.sp": sparse_mma}
