"""What a product of matrices has to fetch from beyond the caches, by the order of its tiles.

    for blocks of columns:                       pack all columns of the right factor
      pack the right factor's columns            for blocks of rows:
      for blocks of rows:                 or       for blocks of columns:
        a tile                                       a tile

On the left each tile reads other rows of the left factor, all of them again for each block of
columns, and the result, and what is added to it, is gone through across memory. On the right rows
are read once and the result in its order, but the whole panel again for each block of rows. A
factor that the second cache holds costs nothing. Threads share the outermost loop: on the left each
packs what it reads; on the right one packs for all, which wait for it and get it from its cache.

What the rows of one tile cost depends on the cache too: each is a stream of its own, and where they
are a power of two apart all want the same few sets of the first cache.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from teenyir.passes.kernel.choose.cpu.registers import LOAD_SHARE, Loads, Tile
from teenyir.passes.kernel.choose.products import Product
from teenyir.targets.cpu import Cpu

ROOM = 0.75
"""The share of the second cache that a panel may have: some is for the rows of a tile."""

ACROSS = 8
"""What a line that is reached across memory costs, in lines in a row, which are fetched ahead."""

HANDED_ON = 10
"""What a line costs that one thread packs and others read, in lines in a row."""

FAR_ROW = 0.3
"""Cycles of a load of a row whose matrix the second cache has not: 4 bytes, some 14 a cycle."""

FAR_COLUMN = 0.375
"""Cycles of a load of a vector of a panel that the first cache has not."""

WAYS_OF_COLUMNS = 2
"""Ways of the first cache's sets that columns go through, beside the rows of a tile."""


@dataclass(frozen=True)
class Caches:
    """The levels of data cache."""

    l1: int
    """Bytes."""
    ways: int
    """Lines of the first level that have the same place in a way of it."""
    l2: int
    """Bytes."""
    last: int
    """Bytes of the last level that may be counted on."""
    line: int = 64

    @classmethod
    def of(cls, cpu: Cpu) -> Caches:
        """Those of a machine."""
        return cls(cpu.l1, cpu.l1_ways, cpu.l2, cpu.last_cache, cpu.line)

    def loads(self, products: Sequence[Product], lanes: int) -> Loads:
        """How factors come to a tile."""
        most = [self._most_rows(each) for each in products]
        rows = [count for count in most if count is not None]
        column = sum(each.sizes[2] * each.element_bytes for each in products)
        return Loads(
            FAR_ROW if sum(map(_rows_bytes, products)) > self.l2 else LOAD_SHARE,
            FAR_COLUMN if column * lanes > self.l1 // 4 else LOAD_SHARE,
            min(rows, default=None),
            int(ROOM * self.l2 / column),
        )

    def _most_rows(self, product: Product) -> int | None:
        """The most rows whose lines are in the first cache at once."""
        if product.row_bytes is None or not product.is_along_rows:
            return None
        way = max(self.l1 // self.ways, self.line)
        places = way // max(math.gcd(product.row_bytes, way), self.line)
        return max(places, 1) * max(self.ways - WAYS_OF_COLUMNS, 1)

    def fetched(
        self, products: Sequence[Product], tile: Tile, *, rows_outside: bool, threads: int
    ) -> int:
        """Bytes from beyond the second cache, of equal cost; 0 where all is in it."""
        m, n, _ = products[0].sizes
        blocks = -(-n // tile.columns)
        rows = sum(map(_rows_bytes, products))
        panel = sum(p.sizes[2] * p.element_bytes for p in products) * blocks * tile.columns
        if rows_outside:
            is_shared = 1 < threads <= blocks // 2  # else there are too few columns to share
            handed_on = HANDED_ON * panel if is_shared else 0
            return handed_on + (panel * -(-m // tile.rows) if panel > ROOM * self.l2 else 0)
        result = m * n * products[0].element_bytes * (1 + products[0].images)
        again = rows * blocks if rows > self.l2 else 0
        return again + (ACROSS * result if rows + panel + result > self.l2 else 0)


def _rows_bytes(product: Product) -> int:
    m, _, k = product.sizes
    return m * k * product.element_bytes
