"""A product of matrices by blocks of threads: which elements a block has, how factors get into the
memory that it shares, and what follows the sum.

    for i in M                                    for block grid.x, thread thread.x
      for j in N                                    for kk in ceildiv(K, deep)
        for k in K                      -->           as[..] = a[i(block, ..), k(kk, ..)]   shared
          s += a[i, k] * b[k, j]                      bs[..] = b[k(kk, ..), j(block, ..)]
        y[i, j] = relu(s)                             what threads compute of as[..] and bs[..]
                                                    y[i(block, ..), j(block, ..)] = relu(..)

A factor may be any computation. Where a size is no multiple of a tile, factors are zero beyond the
edge, and nothing is stored there. How factors go by way of shared memory is told in `panels`; what
threads compute of it, and of which elements, the classes that fill in the gaps say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.gpu.contractions import Match, Ranges
from teenyir.passes.kernel.choose.gpu.copied import all_of, factor_in_panel, inside, move
from teenyir.passes.kernel.choose.gpu.panels import Factor, Panel
from teenyir.passes.kernel.choose.places import Places, flattened, replace, total
from teenyir.passes.kernel.schedule.primitive import erase_unused
from teenyir.rewriting.locations import LocatedBuilder


class BlockProduct(ABC):
    """Replaces one sum of products."""

    PLACED: ClassVar[tuple[str, ...]]
    """The ranges that an element of the sum is told by, among `block`, `thread` and its own."""

    def __init__(self, nest: kernel.Nest, named: KernelIndices, found: Match):
        self.nest, self.named, self.match = nest, named, found
        self.facts = named.facts
        self.sizes = {
            name: total(ranges, self.facts)
            for name, ranges in (
                ("rows", found.rows),
                ("columns", found.columns),
                ("depth", found.depth),
            )
        }
        first = next(op for op in nest.ops if op in self._ranges)
        self.start = LocatedBuilder(InsertPoint.before(first), found.sum.location)
        self.ids: dict[str, SSAValue] = {}

    def most(self) -> list[int | None]:
        """The most rows, columns and products of a sum that there are; None where not known."""
        return [self.facts.interval(size)[1] for size in self.sizes.values()]

    # --- what threads do ----------------------------------------------------------------------

    @property
    @abstractmethod
    def tile_sizes(self) -> tuple[int, int]:
        """Rows and columns that a block computes."""

    @property
    @abstractmethod
    def deep(self) -> int:
        """What a block has of the sum at a time."""

    @property
    @abstractmethod
    def threads(self) -> int:
        """The threads of a block."""

    @property
    def pairs(self) -> bool:
        """Whether two columns of elements of 8 bits can be taken as one."""
        return False

    @abstractmethod
    def opened(self, rows: Panel, columns: Panel) -> dict[str, kernel.RangeOp]:
        """The ranges inside the loop along the sum, by name, but for those of panels."""

    @abstractmethod
    def place(self, rows: Panel, columns: Panel) -> tuple[Expr, Expr]:
        """The row and the column, in a block's tile, of an element of the sum."""

    @abstractmethod
    def summed(self, a: tuple[Panel, SSAValue], b: tuple[Panel, SSAValue]) -> Operation:
        """The sum, of the panels of the factors and the memory that they are in."""

    # --- the rewrite --------------------------------------------------------------------------

    def run(self) -> None:
        match = self.match
        high, wide = self.tile_sizes
        rows = self._panel(match.a, match.rows, "rows", high)
        columns = self._panel(match.b, match.columns, "columns", wide)
        self._open(rows, columns)
        a = rows, self._staged(rows)
        b = columns, self._staged(columns)
        replace(match.sum, self.summed(a, b))
        self._erase_unused()
        self._finish(*self.place(rows, columns))
        for range_ in (*match.batches, *match.rows, *match.columns, *match.depth):
            range_.detach()
            range_.erase()

    def builder(self) -> LocatedBuilder:
        """Builds before the sum."""
        return LocatedBuilder(InsertPoint.before(self.match.sum), self.match.sum.location)

    # --- tiles and panels ---------------------------------------------------------------------

    def _tiles(self, name: str) -> Expr:
        high, wide = self.tile_sizes
        return self.sizes[name].ceildiv(high if name == "rows" else wide)

    def _panel(self, value: SSAValue, ranges: Ranges, name: str, side: int) -> Panel:
        match = self.match
        return Panel.of(
            Factor(value, tuple(ranges), tuple(match.depth), self.sizes[name], self.sizes["depth"]),
            (side, self.deep, self.threads),
            self.nest,
            self.named,
            prefix="a" if name == "rows" else "b",
            pairs=self.pairs and name == "columns",
        )

    def _open(self, rows: Panel, columns: Panel) -> None:
        blocks = total(self.match.batches, self.facts) * self._tiles("rows")
        ranges = {
            "block": kernel.RangeOp(0, blocks * self._tiles("columns"), (), "grid.x"),
            "thread": kernel.RangeOp(0, self.threads, (), "thread.x"),
            "kk": kernel.RangeOp(0, self.sizes["depth"].ceildiv(self.deep)),
            **rows.ranges(),
            **columns.ranges(),
            **self.opened(rows, columns),
        }
        for name, range_ in ranges.items():
            self.ids[name] = self.start.insert(range_).result
            self.ids[name].name_hint = name

    def _start_of(self, name: str) -> Expr:
        """The first row or column of a block's tile."""
        high, wide = self.tile_sizes
        block = Expr.of("block")
        if name == "columns":
            return block % self._tiles("columns") * wide
        block = block // self._tiles("columns")
        return (block % self._tiles("rows") if self.match.batches else block) * high

    def _batch(self) -> dict[SSAValue, Expr]:
        tiles = self._tiles("rows") * self._tiles("columns")
        return flattened(self.match.batches, Expr.of("block") // tiles, self.facts)

    # --- factors ------------------------------------------------------------------------------

    def _staged(self, panel: Panel) -> SSAValue:
        """The elements of a factor in memory that the block shares."""
        start = self._start_of("rows" if panel.prefix == "a" else "columns")
        ids = {name: self.ids[name] for name in ("block", "kk", *panel.names)}
        stage = factor_in_panel(
            panel,
            (start, Expr.of("kk") * self.deep),
            Places(self._batch(), ids),
            self.nest,
            self.facts,
            user=self.match.sum,
            gates=self.start,
        )
        stage.result.name_hint = f"{panel.prefix}s"
        return stage.result

    # --- what follows the sum -----------------------------------------------------------------

    def _erase_unused(self) -> None:
        left = [op for op in reversed(self.nest.ops) if op.parent is not None and op.results]
        erase_unused([op for op in left if op not in self._ranges])

    @property
    def _ranges(self) -> set[Operation]:
        match = self.match
        return {*match.rows, *match.columns, *match.batches, *match.depth}

    def _finish(self, row: Expr, column: Expr) -> None:
        """Have the rest of the kernel at the places of the elements of the sum, by their places in
        a block's tile."""
        row, column = row + self._start_of("rows"), column + self._start_of("columns")
        exprs = {
            **self._batch(),
            **flattened(self.match.rows, row, self.facts),
            **flattened(self.match.columns, column, self.facts),
        }
        ids = {name: self.ids[name] for name in ("block", "thread", *self.PLACED)}
        places = Places(exprs, ids)
        high, wide = self.tile_sizes
        holds = all_of(
            self.start,
            inside(places, row, self.sizes["rows"], high, self.facts, self.start),
            inside(places, column, self.sizes["columns"], wide, self.facts, self.start),
        )
        left = [op for op in self.nest.ops if op.parent is not None and op not in self._ranges]
        move(left, places, holds, self.start)
