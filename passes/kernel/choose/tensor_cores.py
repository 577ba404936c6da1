"""Have sums of products computed by the matrix instructions of tensor cores.

    for i in M                                    for block grid.x, thread in 256 thread.x
      for j in N                                    for kk in ceildiv(K, 32)
        for k in K                      -->           as[..] = a[i(block, ..), k(kk, ..)]   shared
          s += extf(a[i, k]) * extf(b[k, j])          bs[..] = b[k(kk, ..), j(block, ..)]
        y[i, j] = relu(s)                             for s in 2
                                                        c[r] = mma as[p](..), bs[q](..)
                                                    y[i(lane, r), j(lane, r)] = relu(c[r])

Which sums are products of matrices is told in `contractions`. A factor may be any computation on
elements that an instruction takes, and what follows the sum is done on the registers that hold it.
Where a size is no multiple of a tile, factors are zero beyond the edge, and nothing is stored
there. How factors go by way of shared memory is told in `panels`.

A warp computes 64 by 32 elements of the sum, eight warps are a block, or less where there is less.
Which instructions there are is the table `teenyir.targets.tensor_cores`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.contractions import Match, Ranges, match
from teenyir.passes.kernel.choose.panels import PANEL_BYTES, Factor, Fragment, Panel
from teenyir.passes.kernel.choose.places import (
    GATED,
    Places,
    flattened,
    gate_of,
    gated,
    replace,
    total,
)
from teenyir.passes.kernel.schedule.primitive import cone, erase_unused
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.targets import cuda
from teenyir.targets.cuda import WARP
from teenyir.targets.tensor_cores import Product, products


@dataclass(frozen=True)
class TensorCores(Pass):
    """Have sums of products computed by the matrix instructions of tensor cores."""

    name = "tensor-cores"
    anchor: ClassVar[str | None] = "kernel.func"

    capability: str = "sm_80"
    """The compute capability: `sm_80`, `sm-80` or `80`."""
    tf32: bool = False
    """Whether f32 may be multiplied as tf32, with 10 digits behind the point."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        nest = kernel.Nest(op)
        sums = [o for o in nest.ops if isinstance(o, kernel.ReduceOp) and o.kind.data == "add"]
        for reduction in sums:
            gpu = cuda.find(self.capability)
            found = match(reduction, nest, products(gpu.number, tf32=self.tf32))
            if isinstance(found, str):
                session.remark("missed", reduction, f"no matrix instruction: {found}")
                continue
            rewrite = Rewrite(op, nest, session.analysis(KERNEL_INDICES, op), found)
            if (why := attempt(rewrite.run, op)) is not None:
                session.remark("missed", reduction, f"no matrix instruction: {why}")
                return  # the other sums are ops that are no more
            row = found.product
            session.remark("passed", reduction, f"is summed by {row.shape} of {row.name}")
            session.count("products")
            return


# --- tiles ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tile:
    """How many instructions a warp issues side by side, how many warps there are, and what a block
    has of the sum at a time."""

    high: int
    wide: int
    warps_high: int
    warps_wide: int
    steps: int
    """Instructions along the sum."""

    @property
    def threads(self) -> int:
        return WARP * self.warps_high * self.warps_wide


def tile_of(product: Product, rows: int | None, columns: int | None, depth: int | None) -> Tile:
    """The tile for matrices of at most so many rows and columns; None where that is not known."""
    high, warps_high = _cut(product.m, rows, 4, 2)
    wide, warps_wide = _cut(product.n, columns, 4, 4)
    most = PANEL_BYTES * 8 // product.bits // product.k
    needed = most if depth is None else _power(-(-depth // product.k))
    return Tile(high, wide, warps_high, warps_wide, min(most, needed))


def _cut(size: int, most: int | None, each: int, warps: int) -> tuple[int, int]:
    """Instructions side by side in a warp, at most `each`, and warps, at most `warps`."""
    needed = each * warps if most is None else _power(-(-most // size))
    return min(needed, each), min(warps, -(-needed // each))


def _power(number: int) -> int:
    """The least power of two that is not less."""
    return 1 << max(0, number - 1).bit_length()


# --- the rewrite ----------------------------------------------------------------------------------


class Rewrite:
    """Replaces one sum of products."""

    def __init__(self, func: kernel.FuncOp, nest: kernel.Nest, named: KernelIndices, found: Match):
        self.func, self.nest, self.named, self.match = func, nest, named, found
        self.facts = named.facts
        self.sizes = {
            name: total(ranges, self.facts)
            for name, ranges in (
                ("rows", found.rows),
                ("columns", found.columns),
                ("depth", found.depth),
            )
        }
        limits = [self.facts.interval(size)[1] for size in self.sizes.values()]
        self.tile = tile_of(found.product, *limits)
        first = next(op for op in nest.ops if op in self._ranges)
        self.start = LocatedBuilder(InsertPoint.before(first), found.sum.location)
        self.ids: dict[str, SSAValue] = {}

    def run(self) -> None:
        match, product = self.match, self.match.product
        high, wide = self._tile_sizes
        rows = self._panel(match.a, match.rows, "rows", high)
        columns = self._panel(match.b, match.columns, "columns", wide)
        self._open(rows, columns)
        a = self._factor(match.a, rows, self._fragment_of_a(rows))
        b = self._factor(match.b, columns, self._fragment_of_b(columns))
        builder = LocatedBuilder(InsertPoint.before(match.sum), match.sum.location)
        mma = builder.insert(
            kernel.MmaOp(
                (product.shape, product.name),
                (a, self.ids["p"]),
                (b, self.ids["q"]),
                [self.ids["kk"], self.ids["s"]],
                self.ids["r"],
            )
        )
        replace(match.sum, mma)
        self._erase_unused()
        self._finish()
        for range_ in (*match.batches, *match.rows, *match.columns, *match.depth):
            range_.detach()
            range_.erase()

    # --- ranges -------------------------------------------------------------------------------

    def _tiles(self, name: str) -> Expr:
        high, wide = self._tile_sizes
        return self.sizes[name].ceildiv(high if name == "rows" else wide)

    @property
    def _tile_sizes(self) -> tuple[int, int]:
        """Rows and columns that a block computes."""
        tile, product = self.tile, self.match.product
        return (
            product.m * tile.high * tile.warps_high,
            product.n * tile.wide * tile.warps_wide,
        )

    @property
    def _deep(self) -> int:
        """What a block has of the sum at a time."""
        return self.match.product.k * self.tile.steps

    @property
    def _paired(self) -> int:
        """Instructions side by side whose second factor is loaded at once."""
        return min(2, self.tile.wide)

    def _panel(self, value: SSAValue, ranges: Ranges, name: str, side: int) -> Panel:
        match = self.match
        return Panel.of(
            Factor(value, tuple(ranges), tuple(match.depth), self.sizes[name], self.sizes["depth"]),
            (side, self._deep, self.tile.threads),
            self.nest,
            self.named,
            prefix="a" if name == "rows" else "b",
        )

    def _open(self, *panels: Panel) -> None:
        product, tile = self.match.product, self.tile
        blocks = total(self.match.batches, self.facts) * self._tiles("rows")
        of_a, of_b, of_c = product.counts
        ranges = {
            "block": kernel.RangeOp(0, blocks * self._tiles("columns"), (), "grid.x"),
            "thread": kernel.RangeOp(0, tile.threads, (), "thread.x"),
            "kk": kernel.RangeOp(0, self.sizes["depth"].ceildiv(self._deep)),
        }
        for panel in panels:
            ranges |= panel.ranges()
        ranges |= {
            "s": kernel.RangeOp(0, tile.steps, (), "unroll"),
            "u": kernel.RangeOp(0, tile.high, (), "unroll"),
            "v": kernel.RangeOp(0, tile.wide // self._paired, (), "unroll"),
            "w": kernel.RangeOp(0, self._paired, (), "unroll"),
            "p": kernel.RangeOp(0, of_a, (), "unroll"),
            "q": kernel.RangeOp(0, of_b, (), "unroll"),
            "r": kernel.RangeOp(0, of_c, (), "unroll"),
        }
        for name, range_ in ranges.items():
            self.ids[name] = self.start.insert(range_).result
            self.ids[name].name_hint = name

    # --- where the elements of a lane are (see teenyir.targets.tensor_cores) ------------------

    @property
    def _high(self) -> Expr:
        """The first row of a warp's instruction in a block's tile."""
        tile, product = self.tile, self.match.product
        warp = (Expr.of("thread") // WARP) // tile.warps_wide
        place = Expr.of("u") * product.m
        return place + warp * (product.m * tile.high) if tile.warps_high > 1 else place

    @property
    def _wide(self) -> Expr:
        """The first column of a warp's pair of instructions in a block's tile."""
        tile, product = self.tile, self.match.product
        warp = (Expr.of("thread") // WARP) % tile.warps_wide
        place = Expr.of("v") * (product.n * self._paired)
        return place + warp * (product.n * tile.wide) if tile.warps_wide > 1 else place

    @property
    def _along(self) -> Expr:
        """How far an instruction is along what a block has of the sum."""
        return Expr.of("s") * self.match.product.k

    def _row(self) -> Expr:
        """The row of an element of C."""
        block = Expr.of("block") // self._tiles("columns")
        if self.match.batches:
            block = block % self._tiles("rows")
        inner = (Expr.of("thread") % WARP) // 4 + Expr.of("r") // 2 * 8
        return block * self._tile_sizes[0] + (self._high + inner)

    def _column(self) -> Expr:
        """The column of an element of C."""
        product = self.match.product
        inner = Expr.of("thread") % WARP % 4 * 2 + Expr.of("r") % 2
        block = Expr.of("block") % self._tiles("columns")
        place = self._wide + Expr.of("w") * product.n + inner
        return block * self._tile_sizes[1] + place

    def _start_of(self, name: str) -> Expr:
        """The first row or column of a block's tile."""
        high, wide = self._tile_sizes
        block = Expr.of("block")
        if name == "columns":
            return block % self._tiles("columns") * wide
        block = block // self._tiles("columns")
        return (block % self._tiles("rows") if self.match.batches else block) * high

    def _batch(self) -> dict[SSAValue, Expr]:
        tiles = self._tiles("rows") * self._tiles("columns")
        return flattened(self.match.batches, Expr.of("block") // tiles, self.facts)

    # --- factors ------------------------------------------------------------------------------

    def _fragment_of_a(self, panel: Panel) -> Fragment:
        w, e, lane = self.match.product.packed, Expr.of("p"), Expr.of("thread") % WARP
        register, registers = e // w, self.match.product.counts[0] // w
        return Fragment(
            panel,
            (self._high, self._along),
            place=(
                self._high + lane // 4 + register % 2 * 8,
                self._along + lane % 4 * w + e % w + register // 2 * (4 * w),
            ),
            # matrices of 8 rows: the lower half of the rows comes second, then what is further on
            halves=(lane // 8 % 2, lane // 16 % (registers // 2)),
            opened=("p",),
        )

    def _fragment_of_b(self, panel: Panel) -> Fragment:
        product = self.match.product
        w, e, lane = product.packed, Expr.of("q"), Expr.of("thread") % WARP
        registers = product.counts[1] // w
        return Fragment(
            panel,
            (self._wide, self._along),
            place=(
                self._wide + Expr.of("w") * product.n + lane // 4,
                self._along + lane % 4 * w + e % w + e // w * (4 * w),
            ),
            halves=(lane // (8 * registers) % self._paired, lane // 8 % registers),
            opened=("w", "q"),
        )

    def _factor(self, value: SSAValue, panel: Panel, fragment: Fragment) -> SSAValue:
        """The elements of a factor that a lane has, by way of memory that the block shares."""
        name = "rows" if panel.prefix == "a" else "columns"
        side, depth = panel.place_in_tile()
        at, along = side + self._start_of(name), depth + Expr.of("kk") * self._deep
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
        deep = self._inside(places, along.substitute(first), "depth", self._deep)
        copied = self._copied(value, places, inside, deep)
        builder = LocatedBuilder(InsertPoint.before(self.match.sum), self.match.sum.location)
        stage = builder.insert(panel.staged(copied, self.ids))
        stage.result.name_hint = f"{panel.prefix}s"
        return builder.insert(fragment.load(stage.result, self.ids)).results[0]

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
        copies: dict[SSAValue, SSAValue] = {}
        moved = [v.owner for v in places.exprs if isinstance(v.owner, kernel.RangeOp)]
        for op in cone([value], moved, self.nest):
            builder = LocatedBuilder(InsertPoint.before(self.match.sum), op.location)
            for operand in op.operands:
                if operand in places.exprs and not isinstance(op, kernel.IndexedOp):
                    copies[operand] = builder.insert(places.index(places.exprs[operand])).result
            copy = builder.insert(op.clone(copies))
            if isinstance(copy, kernel.IndexedOp):
                gate = gate_of(copy)
                if isinstance(copy, GATED) and both is not None:
                    gate = gated(copy, gate, both)
                moved = builder.insert(places.rebuilt(copy, gate))
                replace(copy, moved)
                copy = moved
            for old, new in zip(op.results, copy.results, strict=True):
                new.name_hint = old.name_hint
                copies[old] = new
        result = copies.get(value, value)
        if deep is None or _is_plain_load(value):
            return result
        # what is not just loaded may be anything beyond the end of the sum
        builder = LocatedBuilder(InsertPoint.before(self.match.sum), self.match.sum.location)
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

    def _finish(self) -> None:
        """Have the rest of the kernel at the places of the elements of the sum."""
        row, column = self._row(), self._column()
        exprs = {
            **self._batch(),
            **flattened(self.match.rows, row, self.facts),
            **flattened(self.match.columns, column, self.facts),
        }
        ids = {name: self.ids[name] for name in ("block", "thread", "u", "v", "w", "r")}
        places = Places(exprs, ids)
        high, wide = self._tile_sizes
        sides = (
            self._inside(places, row, "rows", high),
            self._inside(places, column, "columns", wide),
        )
        both = next((side for side in sides if side is not None), None)
        if None not in sides and sides[0] is not None and sides[1] is not None:
            both = self.start.insert(arith.AndIOp(sides[0], sides[1])).result
        for op in self.nest.ops:
            if op.parent is None or op in self._ranges:
                continue
            if isinstance(op, kernel.IndexedOp):
                self._move(op, places, both)
        for value, expr in exprs.items():
            if value.first_use is not None:
                value.replace_all_uses_with(self.start.insert(places.index(expr)).result)

    def _move(self, op: kernel.IndexedOp, places: Places, both: SSAValue | None) -> None:
        gate = gate_of(op)
        named = any(value in places.exprs for value in op.index_values)
        if isinstance(op, GATED) and both is not None and (named or isinstance(op, kernel.StoreOp)):
            gate = gated(op, gate, both)
        if named or gate != gate_of(op):
            builder = LocatedBuilder(InsertPoint.before(op), op.location)
            replace(op, builder.insert(places.rebuilt(op, gate)))


def _is_plain_load(value: SSAValue) -> bool:
    return isinstance(value.owner, kernel.LoadOp) and value.owner.gate is None
