"""Matrix instructions: the elements that the lanes of a warp hold, as matrices and back."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from teenyir.interpreter.arrays import Array
from teenyir.targets import tensor_cores
from teenyir.targets.cuda import WARP
from teenyir.targets.tensor_cores import Product


@lru_cache
def _places(product: Product) -> tuple[Array, Array, Array]:
    """For each lane and element of A, B and C its place in the row-major matrix."""
    tables = (
        (tensor_cores.place_a, product.k),
        (tensor_cores.place_b, product.n),
        (tensor_cores.place_c, product.n),
    )
    found: list[Array] = []
    for (place, columns), count in zip(tables, product.counts, strict=True):
        places = [[place(product, lane, e) for e in range(count)] for lane in range(WARP)]
        found.append(np.array(places) @ (columns, 1))
    return found[0], found[1], found[2]


def multiply(product: Product, a: Array, b: Array) -> Array:
    """The products of all warps: of elements `[.., threads, elements of A]` and `[.., threads,
    elements of B]`, elements `[.., threads, elements of C]` in f64 or i64."""
    at_a, at_b, at_c = _places(product)
    m, n, k = product.m, product.n, product.k
    left, right = _matrices(product, a, at_a, (m, k)), _matrices(product, b, at_b, (k, n))
    both = left @ right
    spread = both.reshape(*both.shape[:-2], m * n)[..., at_c]
    return spread.reshape(*spread.shape[:-3], -1, spread.shape[-1])


def _matrices(product: Product, elements: Array, places: Array, shape: tuple[int, int]) -> Array:
    warps = _numbers(product, elements).reshape(*elements.shape[:-2], -1, *places.shape)
    flat = np.zeros((*warps.shape[:-2], shape[0] * shape[1]), warps.dtype)
    flat[..., places.reshape(-1)] = warps.reshape(*warps.shape[:-2], -1)
    return flat.reshape(*flat.shape[:-1], *shape)


def _numbers(product: Product, elements: Array) -> Array:
    """The numbers that are multiplied: for tf32 the nearest with 10 digits, ties away from zero."""
    if product.sum == "i32":
        return elements.astype(np.int64)
    if not product.exact:
        bits = np.ascontiguousarray(elements).view(np.uint32)
        rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)
        return np.where(np.isfinite(elements), rounded, elements).astype(np.float64)
    return elements.astype(np.float64)


@lru_cache
def _sources(packed: int, count: int, transposed: bool) -> tuple[Array, Array]:
    """For each lane and element that it gets, the lane whose row it is of, and which of its row."""
    lane, element = np.arange(WARP)[:, None], np.arange(count)[None, :]
    matrix, part = element // packed, element % packed
    row, column = lane // 4, lane % 4 * packed + part
    if transposed:  # units of 16 bits
        unit = packed // 2
        row, column = lane % 4 * 2 + part // unit, lane // 4 * unit + part % unit
    return 8 * matrix + row, column + 0 * matrix


def load_matrices(rows: Array, packed: int, count: int, *, transposed: bool) -> Array:
    """What the lanes of all warps get of rows `[.., threads, elements of 16 bytes]`: `[.., threads,
    count]`, with `packed` elements in a register of 32 bits."""
    source, column = _sources(packed, count, transposed)
    warps = rows.reshape(*rows.shape[:-2], -1, WARP, rows.shape[-1])
    found = warps[..., source, column]
    return found.reshape(*rows.shape[:-1], count)
