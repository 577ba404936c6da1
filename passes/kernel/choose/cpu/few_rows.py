"""A schedule for few rows by a large matrix: the matrix is read once, along its rows.

    for strips of j:                          for blocks of j:
      for k:                                    tile = 0
        read b[k, strip]               -->      for k in blocks of 8, strips of j in the block:
      y[.., strip] = sums                         tile[.., strip] += sums of a few b[k, strip]
                                                y[.., block] = tile

On the left each row of the matrix is on a page of its own, of which a strip is read at a time:
nothing is fetched ahead, and where rows are a power of two apart, nothing stays in a cache until
the next tile or strip asks for it. Where they are not, and not many, that is as fast. On the right
so few rows are read side by side that processors fetch ahead in each of them; what is summed so far
has room in the first cache. Strips are whole cache lines: rows that are a power of two apart share
so few sets of a cache that half a line would be gone before its other half is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from teenyir.passes.kernel.choose.cpu.registers import Tile, tiles
from teenyir.passes.kernel.choose.cpu.traffic import Caches
from teenyir.passes.kernel.choose.products import Product
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stage_result import StageResult

FEW_PLACES = 4
"""Places in a way of the first cache where rows start: of no more they are in each other's way."""

MANY_ROWS = 1024
"""Rows of the matrix, each on pages of its own, whose addresses a processor does not know all."""

STEPS = (8, 4)
"""Rows of the matrix that are read side by side, the first of these that divides how many there
are. Of more, processors do not fetch ahead in each."""

NEAR_STEPS = (16, *STEPS)
"""The same for a matrix of at most `NEAR` times the second cache, which comes from the last one."""

NEAR = 4

FEWEST_BYTES = 1024
"""The least that is read of a row at once, of which some is in vain: the start of each is not
fetched ahead."""


@dataclass(frozen=True)
class FewRows:
    """Rows by a matrix: its tile, the columns of a block, and how many steps are summed at once."""

    tile: Tile
    block: int
    steps: int

    @classmethod
    def of(
        cls, product: Product, lanes: int, registers: int, caches: Caches, threads: int
    ) -> FewRows | None:
        """How to sum a product whose right factor is not packed; None where another way is
        better."""
        m, n, k = product.sizes
        size = product.element_bytes
        if not product.is_plain or k * n * size <= caches.l2 // 2:
            return None
        way = max(caches.l1 // caches.ways, caches.line)
        if k <= MANY_ROWS and way // max(math.gcd(n * size, way), caches.line) > FEW_PLACES:
            return None
        line = max(caches.line // size, 1)
        fits = [t for t in tiles(lanes, registers) if t.columns % line == 0 and n % t.columns == 0]
        counts = NEAR_STEPS if k * n * size <= NEAR * caches.l2 else STEPS
        steps = next((count for count in counts if k % count == 0), None)
        if not fits or steps is None:
            return None
        tile = min(fits, key=lambda t: (t.cycles(m, n), -t.rows * t.columns, t.vectors))
        least = -(-FEWEST_BYTES // size)
        most = max(min(caches.l1 // 2 // (m * size), n // threads), least)
        blocks = [b for b in range(tile.columns, n + 1, tile.columns) if n % b == 0 and b <= most]
        block = max(blocks, default=0)
        return cls(tile, block, steps) if block >= min(least, n) else None

    def schedule(self, product: Product) -> list[Primitive]:
        """The primitives that sum it so."""
        i, j, (k,) = product.row_name, product.column_name, product.steps
        tile = self.tile
        return [
            SplitRange(range=j, by=self.block, outer=f"{j}b", inner=f"{j}i"),
            SplitRange(range=k, by=self.steps, outer=f"{k}o", inner=f"{k}u"),
            StageResult(over=(i, f"{j}i"), accumulating=(f"{k}o",)),
            SplitRange(range=i, by=tile.rows, outer=f"{i}o", inner=f"{i}u", loads="clamped"),
            SplitRange(range=f"{j}i", by=tile.columns, outer=f"{j}o", inner=f"{j}n"),
            SplitRange(range=f"{j}n", by=tile.lanes, outer=f"{j}u", inner=f"{j}v"),
            SetKind(range=f"{i}u", kind="unroll"),
            SetKind(range=f"{j}u", kind="unroll"),
            SetKind(range=f"{j}v", kind="vector"),
            OrderRanges(order=(*product.around, f"{j}b", f"{k}o", f"{j}o", f"{i}o", f"{i}r")),
        ]
