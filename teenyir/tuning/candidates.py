"""The schedules that a kernel could have, each with what the cost model thinks of it.

They are the ones of the choosers in `passes/kernel/choose`, with their parameters free: for sums of
products the register tile (rows, vectors, lanes), what is packed, the order of the loops over tiles
and the steps of the sum that are written side by side; for sums along rows the tile; for rows that
are staged between products the vectors of rows in a block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.block_rows import MOST_VECTORS, BlockRows
from teenyir.passes.kernel.choose.products import Product, find_product
from teenyir.passes.kernel.choose.registers import LATENCY, LOAD_SHARE, PORTS, Tile, tiles
from teenyir.passes.kernel.choose.staged_products import find_staged
from teenyir.passes.kernel.choose.tile_dots import schedule_dots
from teenyir.passes.kernel.choose.tile_products import MOST_BYTES, Packed, schedule_product
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.targets import cpu

STEPS = (1, 2, 4)
"""Steps of a sum that are written side by side."""


@dataclass(frozen=True)
class Candidate:
    """A schedule."""

    schedule: str
    """Its primitives, as text."""
    cycles: float
    """What the cost model takes it for."""
    traits: tuple[Hashable, ...]
    """The parameters that it has; those that differ in one are neighbours."""

    def is_beside(self, other: Candidate) -> bool:
        """Whether another candidate differs in one parameter."""
        if len(self.traits) != len(other.traits):
            return False
        return sum(a != b for a, b in zip(self.traits, other.traits, strict=True)) == 1


def candidates(func: kernel.FuncOp) -> list[Candidate]:
    """What is worth trying for a kernel, best first; nothing where no chooser knows its kind."""
    for kind in _KINDS:
        ranked = sorted(kind(func), key=lambda each: each.cycles)
        found: dict[str, Candidate] = {}
        for each in ranked:
            found.setdefault(each.schedule, each)
        if found:
            return list(found.values())
    return []


def _blocks_of_rows(func: kernel.FuncOp) -> Iterator[Candidate]:
    staged = find_staged(func)
    if staged is None:
        return
    rules = BlockRows()
    widest = _lanes(staged.element_bytes)
    for vectors in range(1, MOST_VECTORS + 1):
        block = vectors * widest
        text = as_text(rules.schedule(staged, widest, vectors))
        yield Candidate(text, -(-staged.rows // block) * block, (vectors,))


def _products(func: kernel.FuncOp) -> Iterator[Candidate]:
    product = find_product(func)
    if product is None or product.sizes[0] < 2:
        return
    for tile in tiles(_lanes(product.element_bytes), cpu.host().vector_registers):
        for packed in _packings(product):
            for rows_outside in (False, True):
                for steps in _steps(product):
                    schedule = schedule_product(
                        product, tile, packed, rows_outside=rows_outside, steps=steps
                    )
                    yield Candidate(
                        as_text(schedule),
                        _cycles_of_product(product, tile, packed, rows_outside),
                        (tile.rows, tile.vectors, tile.lanes, packed, rows_outside, steps),
                    )


def _packings(product: Product) -> tuple[Packed, ...]:
    _, n, k = product.sizes
    if not product.is_bounded or k * n * product.element_bytes > MOST_BYTES:
        return ("",)
    return ("", "block", "whole")


def _steps(product: Product) -> Iterator[int]:
    """Numbers of steps that the sum is a multiple of; of several ranges the last is not known."""
    for steps in STEPS:
        if steps == 1 or (len(product.steps) == 1 and product.sizes[2] % steps == 0):
            yield steps


def _cycles_of_product(product: Product, tile: Tile, packed: Packed, rows_outside: bool) -> float:
    """Cycles of the tiles, and of copying or of loading from further away.

    Packed for each tile of rows anew where the rows are outside; not packed, a vector comes from
    beyond the first cache, or element by element where the columns lie across memory.
    """
    m, n, k = product.sizes
    cycles = tile.cycles(m, n) * k
    copied = k * n / (tile.lanes if product.is_along_columns else 1)
    if packed:
        again = -(-m // tile.rows) if packed == "block" and rows_outside else 1
        return cycles + 2 * copied * again
    loads = -(-m // tile.rows) * k * n / tile.lanes
    if not product.is_along_columns:
        return cycles + loads * tile.lanes / PORTS
    far = k * n * product.element_bytes > cpu.host().l1
    return cycles + (loads * LOAD_SHARE if far else 0)


def _dots(func: kernel.FuncOp) -> Iterator[Candidate]:
    product = find_product(func, columns=False)
    if product is None or not product.is_along_rows or product.sizes[2] < 2:
        return
    m, _, k = product.sizes
    for tile in tiles(_lanes(product.element_bytes), cpu.host().vector_registers):
        sums = tile.rows * tile.vectors
        loads = sums + tile.vectors
        step = max(sums / PORTS + loads * LOAD_SHARE, loads / PORTS, LATENCY)
        # at the end the lanes of each row are summed
        cycles = -(-m // tile.rows) * (-(-k // tile.columns) * step + tile.rows * LATENCY)
        text = as_text(schedule_dots(product, tile))
        yield Candidate(text, cycles, (tile.rows, tile.columns))


def _lanes(element_bytes: int) -> int:
    return max(cpu.host().vector_bits // 8 // element_bytes, 1)


_KINDS: tuple[Callable[[kernel.FuncOp], Iterator[Candidate]], ...] = (
    _blocks_of_rows,
    _products,
    _dots,
)
"""In the order in which the choosers run."""
