"""A schedule for products of many steps: the steps are summed a block at a time.

    for j in blocks:                            pack all of b, by blocks of k and columns
      pack b[.., j]                             for blocks of rows:
      for i in tiles:                    -->      sums = 0
        tile = sum over k of                      for k in blocks:
               a[i, k] * b[k, j]                    pack a[rows, k]
        y[i, j] = tile                              for j in blocks, i in tiles of the rows:
                                                      sums[i, j] += tile over the block
                                                  y[rows, ..] = sums

On the left all rows are read again for each block of columns, and the columns of a tile come from
the second cache again and again. On the right a block of columns stays in the first cache while the
rows of a block go by, from the second cache, where they lie beside each other, however far apart
they are in memory. Factors are copied for that, and sums go to memory and back: it takes less time
where the rows have no room in the last cache either. Blocks have room for whole tiles, so that no
tile has an edge.
"""

from __future__ import annotations

from dataclasses import dataclass

from teenyir.passes.kernel.choose.cpu.registers import Tile, choose_tile
from teenyir.passes.kernel.choose.cpu.traffic import Caches
from teenyir.passes.kernel.choose.products import Product
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stage_result import StageResult

MOST_BYTES = 1 << 26
"""The largest panel of a right factor."""

VECTORS = 2
"""Of a tile: its columns leave half of the first cache to the rows that go by."""

FEWEST_TILES = 8
"""Tiles of rows, and of columns, from which on copies of the factors are little beside them."""

STEPS_MORE = 6
"""Steps that a block of them takes longer: its sums go to memory and back."""

ROWS_MORE = 2
"""Rows that a block of them takes longer: its columns come from beyond the second cache."""

SHARES = 2
"""Blocks of rows for each thread: one may be held up."""


@dataclass(frozen=True)
class StepBlocks:
    """A product by blocks: its tile, and the rows and steps of a block."""

    tile: Tile
    rows: int
    steps: int

    @classmethod
    def of(
        cls, product: Product, lanes: int, registers: int, caches: Caches, threads: int
    ) -> StepBlocks | None:
        """How to sum a product; None where another way is better."""
        m, n, k = product.sizes
        size = product.element_bytes
        if not product.is_plain or m * k * size <= caches.last // 2 or k * n * size > MOST_BYTES:
            return None
        tile = choose_tile(m, n, lanes, registers, VECTORS)
        steps = caches.l1 // 2 // (tile.columns * size)
        if k <= steps or m < FEWEST_TILES * tile.rows or n < FEWEST_TILES * tile.columns:
            return None
        steps = _blocks(k, steps, STEPS_MORE)
        rows = min(caches.l2 // (steps * size), -(-m // (SHARES * threads)))
        return cls(tile, _blocks(m, rows, ROWS_MORE, tile.rows), steps)

    def schedule(self, product: Product) -> list[Primitive]:
        """The primitives that sum it so."""
        i, j, (k,) = product.row_name, product.column_name, product.steps
        tile = self.tile
        return [
            SplitRange(range=i, by=self.rows, outer=f"{i}b", inner=f"{i}i", loads="clamped"),
            SplitRange(range=f"{i}i", by=tile.rows, outer=f"{i}o", inner=f"{i}u"),
            SplitRange(range=j, by=tile.columns, outer=f"{j}o", inner=f"{j}n"),
            SplitRange(range=f"{j}n", by=tile.lanes, outer=f"{j}u", inner=f"{j}v"),
            SplitRange(range=k, by=self.steps, outer=f"{k}o", inner=f"{k}i"),
            SetKind(range=f"{i}u", kind="unroll"),
            SetKind(range=f"{j}u", kind="unroll"),
            SetKind(range=f"{j}v", kind="vector"),
            StageResult(
                over=(f"{j}o", f"{i}o", f"{i}u", f"{j}u", f"{j}v"), accumulating=(f"{k}o",)
            ),
            SetKind(range=f"{i}ur", kind="loop"),
            PackBuffer(buffer=product.right, over=(f"{k}o", f"{j}o", f"{k}i", f"{j}u", f"{j}v")),
            PackBuffer(buffer=product.left, over=(f"{i}o", f"{i}u", f"{k}i"), scalar=True),
            OrderRanges(
                order=(
                    *product.around,
                    *(f"{i}b", f"{k}o", f"{j}o", f"{i}o"),
                    *(f"{i}or", f"{i}ur", f"{j}or"),
                )
            ),
        ]


def _blocks(count: int, most: int, extra: int, multiple: int = 1) -> int:
    """The size of blocks, a multiple and no more than `most`, where each takes `extra` more."""
    sizes = range(multiple, max(most, multiple) + 1, multiple)
    return min(sizes, key=lambda size: (-(-count // size) * (size + extra), size))
