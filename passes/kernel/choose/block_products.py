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

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.contractions import Match, Ranges
from teenyir.passes.kernel.choose.copied import copied, is_zero_beyond, move
from teenyir.passes.kernel.choose.panels import Factor, Panel
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
        a = rows, self._staged(match.a, rows)
        b = columns, self._staged(match.b, columns)
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

    def _staged(self, value: SSAValue, panel: Panel) -> SSAValue:
        """The elements of a factor in memory that the block shares."""
        name = "rows" if panel.prefix == "a" else "columns"
        side, depth = panel.place_in_tile()
        at, along = side + self._start_of(name), depth + Expr.of("kk") * self.deep
        own = panel.names
        ids = {k: v for k, v in self.ids.items() if k in own or k in ("block", "kk")}
        exprs = {
            **self._batch(),
            **flattened(panel.factor.ranges, at, self.facts),
            **flattened(panel.factor.depth, along, self.facts),
        }
        places = Places(exprs, ids)
        first = {own[2]: 0}
        inside = self._inside(places, at.substitute(first), name, panel.side)
        deep = self._inside(places, along.substitute(first), "depth", self.deep)
        copied = self._copied(value, places, inside, deep)
        stage = self.builder().insert(panel.staged(copied, self.ids))
        stage.result.name_hint = f"{panel.prefix}s"
        return stage.result

    def _inside(self, places: Places, at: Expr, name: str, tile: int) -> SSAValue | None:
        """Whether a place is inside a matrix; None if it always is."""
        if self.facts.divisor(self.sizes[name]) % tile == 0:
            return None
        index = self.start.insert(places.index(at)).result
        size = self.start.insert(kernel.IndexOp(self.sizes[name])).result
        return self.start.insert(arith.CmpiOp(index, size, "slt")).result

    def _copied(
        self, value: SSAValue, places: Places, side: SSAValue | None, deep: SSAValue | None
    ) -> SSAValue:
        both = side if deep is None else deep
        if side is not None and deep is not None:
            both = self.start.insert(arith.AndIOp(side, deep)).result
        result = copied(value, places, self.nest, self.match.sum, both)
        if deep is None or is_zero_beyond(value):
            return result
        # what is not just loaded may be anything beyond the end of the sum
        builder = self.builder()
        zero = builder.insert(constant(0, result.type)).result
        return builder.insert(arith.SelectOp(deep, result, zero)).result

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
        sides = (
            self._inside(places, row, "rows", high),
            self._inside(places, column, "columns", wide),
        )
        both = next((side for side in sides if side is not None), None)
        if None not in sides and sides[0] is not None and sides[1] is not None:
            both = self.start.insert(arith.AndIOp(sides[0], sides[1])).result
        left = [op for op in self.nest.ops if op.parent is not None and op not in self._ranges]
        move(left, places, both, self.start)
