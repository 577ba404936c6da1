"""How matrices lie in the registers of a warp, and how registers decode to numbers.

The layouts are those of the PTX ISA's sections on `mma` fragments. For every shape but Volta's
m8n8k4 one rule holds, whatever the element: with g = lane / 4 and t = lane % 4, and e elements in a
32-bit register, register r of A holds row g + 8 (r mod M/8), columns t e … + 4 e (r div M/8);
register r of B rows t e … + 4 e r, column g; elements 2 k, 2 k + 1 of C and D row g + 8 k, columns
2 t, 2 t + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from teenyir.emulator.types import Array

BITS = {
    "f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16,
    "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
"""Bits of each element type of a matrix; tf32 takes a whole register."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Of each lane's elements (32, n), the row and column; `batches` matrices in a warp.

    `gather[batch, row, column]` is the flat index lane * n + element that holds an entry.
    """

    rows: Array
    columns: Array
    gather: Array
    scatter: Array


def _finish(rows: Array, columns: Array, shape: tuple[int, int], batch: Array) -> Layout:
    batches = int(batch.max()) + 1
    gather = np.zeros((batches, *shape), np.int64)
    flat: Array = np.arange(int(rows.size))
    batch = np.broadcast_to(batch, rows.shape)
    gather[batch, rows, columns] = flat.reshape(rows.shape)
    scatter = (batch * shape[0] + rows) * shape[1] + columns
    return Layout(rows, columns, gather, scatter)


def _lanes() -> tuple[Array, Array]:
    lane = np.arange(32)[:, None]
    return lane // 4, lane % 4


@lru_cache
def layout_a(m: int, k: int, bits: int) -> Layout:
    """A of `mma` with n = 8."""
    g, t = _lanes()
    e = max(1, 32 // bits)
    tall = m // 8
    index = np.arange(m * k // 32)[None, :]
    register, j = index // e, index % e
    rows = g + 8 * (register % tall)
    columns = t * e + j + register // tall * 4 * e
    return _finish(rows, columns, (m, k), np.zeros((1, 1), np.int64))


@lru_cache
def layout_b(k: int, bits: int) -> Layout:
    """B of `mma` with n = 8."""
    g, t = _lanes()
    e = max(1, 32 // bits)
    index = np.arange(k * 8 // 32)[None, :]
    rows = t * e + index % e + index // e * 4 * e
    columns = np.broadcast_to(g, rows.shape)
    return _finish(rows, columns, (k, 8), np.zeros((1, 1), np.int64))


@lru_cache
def layout_c(m: int) -> Layout:
    """C and D of `mma` with n = 8."""
    g, t = _lanes()
    index = np.arange(m * 8 // 32)[None, :]
    rows, columns = g + 8 * (index // 2), t * 2 + index % 2
    return _finish(rows, columns, (m, 8), np.zeros((1, 1), np.int64))


def _quad(rows: Array, columns: Array, shape: tuple[int, int]) -> Layout:
    """Volta's m8n8k4: four matrices, each in the lanes 4 q … 4 q + 3 and 16 above."""
    lane = np.arange(32)[:, None]
    return _finish(rows, columns, shape, lane % 16 // 4)


@lru_cache
def volta_a(row_major: bool) -> Layout:
    """A (8 by 4) of m8n8k4 in f16."""
    lane, i = np.arange(32)[:, None], np.arange(4)[None, :]
    half = np.where(lane >= 16, 4, 0)
    if row_major:
        return _quad(lane % 4 + half + 0 * i, i + 0 * lane, (8, 4))
    return _quad(i + half, lane % 4 + 0 * i, (8, 4))


@lru_cache
def volta_b(row_major: bool) -> Layout:
    """B (4 by 8) of m8n8k4 in f16."""
    lane, i = np.arange(32)[:, None], np.arange(4)[None, :]
    half = np.where(lane >= 16, 4, 0)
    if row_major:
        return _quad(lane % 4 + 0 * i, i + half, (4, 8))
    return _quad(i + 0 * lane, lane % 4 + half + 0 * i, (4, 8))


@lru_cache
def volta_c(bits: int) -> Layout:
    """C and D (8 by 8) of m8n8k4 in f16, by the bits of their elements."""
    lane, i = np.arange(32)[:, None], np.arange(8)[None, :]
    half = np.where(lane >= 16, 4, 0)
    if bits == 16:
        return _quad(lane % 4 + half + 0 * i, i + 0 * lane, (8, 8))
    rows = (lane & 1) + (i & 2) + half
    columns = (i & 4) + (lane & 2) + (i & 1)
    return _quad(rows, columns, (8, 8))


@lru_cache
def linear(rows: int, columns: int, elements: int) -> Layout:
    """`wmma` fragments, whose layout PTX leaves open: entry f in lane f % 32, slot f / 32.

    Fragments with more slots than entries hold copies, as the machine's do.
    """
    per_lane = rows * columns // 32
    lane, slot = np.arange(32)[:, None], np.arange(elements)[None, :] % per_lane
    flat = slot * 32 + lane
    return _finish(flat // columns, flat % columns, (rows, columns), np.zeros((1, 1), np.int64))


def decode(words: Array, kind: str) -> Array:
    """Registers of shape (lanes, n), uint32 or uint64, to numbers of shape (lanes, n * e)."""
    lanes = words.shape[0]
    words = np.ascontiguousarray(words)
    if kind in ("s4", "u4"):
        raw = words.view(np.uint8)
        nibbles = np.stack([raw & 15, raw >> 4], axis=2).reshape(lanes, -1).astype(np.int64)
        return np.where(nibbles > 7, nibbles - 16, nibbles) if kind == "s4" else nibbles
    if kind == "b1":
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    if kind == "bf16":
        return (words.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if kind == "tf32":
        return (words & np.uint32(0xFFFFE000)).view(np.float32)
    return words.view(_DTYPES[kind])


_DTYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "s32": np.dtype(np.int32),
    "f16": np.dtype(np.float16),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "e4m3": np.dtype("float8_e4m3fn"),
    "e5m2": np.dtype("float8_e5m2"),
}


def encode(numbers: Array, kind: str) -> Array:
    """Numbers of shape (lanes, n * e), float64 or int64, to registers."""
    if kind == "s32":
        return numbers.astype(np.int64).astype(np.uint32)
    values = np.ascontiguousarray(numbers.astype(_DTYPES[kind]))
    return values.view(np.uint64 if kind == "f64" else np.uint32)
