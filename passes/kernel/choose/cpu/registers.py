"""The register tile of a sum of products: how many rows and vectors a CPU sums at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PORTS = 2
"""Vectors that a core multiplies and adds a cycle, and that it loads a cycle: two on all cores of
the last ten years that are no embedded ones."""

LATENCY = 4
"""Cycles until a multiply-add has its result."""

LOAD_SHARE = 0.125
"""Cycles that a load costs even where arithmetic hides it: not all hit the first cache."""


@dataclass(frozen=True)
class Loads:
    """What loads of a tile's factors cost, and how much of them a tile may have."""

    row: float = LOAD_SHARE
    """Cycles of a load of an element of a row, each row a stream of its own."""
    column: float = LOAD_SHARE
    """Cycles of a load of a vector of columns."""
    most_rows: int | None = None
    """The most rows whose lines have room in the first cache; None if any number has."""
    most_columns: int | None = None
    """The most columns whose panel has room in the second cache; None if any number has."""

    def allow(self, tile: Tile) -> bool:
        """Whether the caches have room for a tile; of columns one vector always has."""
        rows, columns = self.most_rows, self.most_columns
        is_narrow = columns is None or tile.vectors == 1 or tile.columns <= columns
        return is_narrow and (rows is None or tile.rows <= rows)


NEAR = Loads()


@dataclass(frozen=True)
class Tile:
    """Rows times vectors of a result that are summed in registers."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes

    def cycles(self, m: int, n: int, loads: Loads = NEAR) -> float:
        """Cycles for one step of the sums of an m by n result, by its tiles, edges and loads."""
        tiles = -(-m // self.rows) * -(-n // self.columns)
        arithmetic = self.rows * self.vectors / PORTS
        waited = self.rows * loads.row + self.vectors * loads.column
        return tiles * max(arithmetic + waited, (self.rows + self.vectors) / PORTS, LATENCY)


def choose_tile(
    m: int,
    n: int,
    lanes: int,
    registers: int,
    vectors: int | None = None,
    loads: Loads = NEAR,
) -> Tile:
    """The tile that takes the fewest cycles for a result of m by n; of equals the largest.

    `lanes` are those of the widest vector register; all of n are so many `vectors` if that is
    given. The accumulators leave room for a row of vectors and one broadcast element; where there
    are too few for that, the tile is one vector.
    """
    return min(
        (
            t
            for t in tiles(lanes, registers)
            if vectors in (None, t.vectors if t.lanes == lanes else 0) and loads.allow(t)
        ),
        key=lambda tile: (tile.cycles(m, n, loads), -tile.rows * tile.columns, tile.vectors),
        default=Tile(1, 1, lanes),
    )


def tiles(lanes: int, registers: int) -> Iterator[Tile]:
    """The tiles whose accumulators, a row of vectors and one element fit into registers."""
    width = lanes
    while width >= min(lanes, 4):
        for vectors in range(1, 5):
            for rows in range(1, (registers - 1 - vectors) // vectors + 1):
                yield Tile(rows, vectors, width)
        width //= 2
