"""The schedules that a kernel could have, each with what the cost model thinks of it.

They are the ones of the choosers in `passes/kernel/choose`, with their parameters free. Kernels of
products are here; the others are in `loops`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.block_rows import MOST_VECTORS, BlockRows
from teenyir.passes.kernel.choose.lane_columns import LaneColumns
from teenyir.passes.kernel.choose.products import Product, find_product
from teenyir.passes.kernel.choose.registers import LATENCY, LOAD_SHARE, PORTS, Tile, tiles
from teenyir.passes.kernel.choose.stage_windows import StageWindows
from teenyir.passes.kernel.choose.staged_products import find_staged
from teenyir.passes.kernel.choose.tile_dots import TileDots, has_few_columns, schedule_dots
from teenyir.passes.kernel.choose.tile_products import (
    MOST_BYTES,
    Packed,
    TileProducts,
    schedule_products,
)
from teenyir.passes.kernel.choose.tile_transposes import TileTransposes
from teenyir.passes.kernel.choose.unroll_windows import UnrollWindows
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.targets import cpu
from teenyir.tuning.candidate import STEPS, Candidate, lanes_of
from teenyir.tuning.loops import columns, rows, transposes

LAST_TILES = 6
"""The tiles of the product that is stored, of blocks of rows, that are worth trying: the best."""

RULES = (
    BlockRows(),
    TileProducts(),
    TileDots(),
    TileTransposes(),
    StageWindows(),
    UnrollWindows(),
    LaneColumns(),
)
"""What chooses without measuring, of the kinds of kernels that there are candidates for."""


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
    lanes, registers = lanes_of(staged.element_bytes), cpu.host().vector_registers
    sizes = [each.size for each in staged.first]
    for vectors in range(1, MOST_VECTORS + 1):
        block = vectors * lanes
        blocks = -(-staged.rows // block)
        last: Sequence[Tile | None] = (None,)
        if staged.last is not None:
            size = staged.last.size
            best = sorted(tiles(lanes, registers), key=lambda tile: tile.cycles(block, size))
            # (blocks have no edges, which could not be told from the next block's rows)
            last = [t for t in best if t.lanes == lanes and block % t.rows == 0][:LAST_TILES]
        for elements in range(1, (registers - 1 - vectors) // vectors + 1 if sizes else 2):
            first = Tile(elements, vectors, lanes)
            for tile in last:
                schedule = rules.schedule(staged, lanes, vectors, elements=elements, last=tile)
                cycles = sum(first.cycles(each, block) for each in sizes)
                if tile is not None and staged.last is not None:
                    cycles += tile.cycles(block, staged.last.size)
                yield Candidate(as_text(schedule), blocks * cycles, (vectors, elements, tile))


def _products(func: kernel.FuncOp) -> Iterator[Candidate]:
    product = find_product(func, kernel.Nest(func))
    if product is None or product.sizes[0] < 2:
        return
    if has_few_columns(product, cpu.host().vector_bits):
        yield from _sums_of(product)
    for tile in tiles(lanes_of(product.element_bytes), cpu.host().vector_registers):
        for packed in _packings(product):
            for rows_outside in (False, True):
                for steps in _steps(product):
                    schedule = schedule_products(
                        [(product, packed)], tile, rows_outside=rows_outside, steps=steps
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
    product = find_product(func, kernel.Nest(func), columns=False)
    if product is not None and product.is_along_rows and product.sizes[2] > 1:
        yield from _sums_of(product)


def _sums_of(product: Product) -> Iterator[Candidate]:
    """Sums along rows, of all columns at once where there are some."""
    m, n, k = product.sizes
    for tile in tiles(lanes_of(product.element_bytes), cpu.host().vector_registers):
        sums = tile.rows * tile.vectors * n
        loads = tile.rows * tile.vectors + tile.vectors * n
        step = max(sums / PORTS + loads * LOAD_SHARE, loads / PORTS, LATENCY)
        # at the end the lanes of each row are summed
        cycles = -(-m // tile.rows) * (-(-k // tile.columns) * step + tile.rows * n * LATENCY)
        text = as_text(schedule_dots(product, tile))
        yield Candidate(text, cycles, (tile.rows, tile.columns))


_KINDS: tuple[Callable[[kernel.FuncOp], Iterator[Candidate]], ...] = (
    _blocks_of_rows,
    _products,
    _dots,
    transposes,
    rows,
    columns,
)
"""In the order in which the choosers run."""
