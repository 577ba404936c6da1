"""Have sums of products computed by the matrix instructions of tensor cores.

    for i in M                                    for block grid.x, thread in 128 thread.x
      for j in N                                    for kk in ceildiv(K, 16)
        for k in K                        -->         c[r] = mma a[p](i(lane, p), k(lane, p)),
          s += extf(a[i, k]) * extf(b[k, j])                     b[q](k(lane, q), j(lane, q))
        y[i, j] = relu(s)                           y[i(lane, r), j(lane, r)] = relu(c[r])

A kernel whose one closer is such a sum is matched by what its factors depend on, not by how it is
written: the rows are the ranges of the first factor alone, the columns those of the second alone,
and what both have that is not summed over are batches. Each of the three may be several ranges,
permuted or computed with (a convolution is a product with rows n, h, w and a sum over c, u, v);
they are counted through as one. A factor may be any computation on elements that an instruction
takes, and what follows the sum is done on the registers that hold it. Where a size is no multiple
of a tile, factors are zero beyond the edge, and nothing is stored there.

A warp computes 32 by 32 elements of the sum, four warps are a block, or less where there is less.
Which instructions there are is the table `teenyir.targets.tensor_cores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import KERNEL_INDICES
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Expr
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
            row = found.product
            facts = session.analysis(KERNEL_INDICES, op).facts
            session.remark("passed", reduction, f"is summed by {row.shape} of {row.name}")
            session.count("products")
            Rewrite(op, nest, facts, found).run()
            return


# --- what is matched ------------------------------------------------------------------------------

Ranges = list[kernel.RangeOp]

_CASTS = (arith.ExtFOp, arith.ExtSIOp)


@dataclass(frozen=True)
class Match:
    """A sum of products, and the ranges of its matrices, each in the order of the text."""

    sum: kernel.ReduceOp
    product: Product
    a: SSAValue
    """The first factor, before it was cast."""
    b: SSAValue
    rows: Ranges
    columns: Ranges
    batches: Ranges
    depth: Ranges
    """What is summed over."""


def match(reduction: kernel.ReduceOp, nest: kernel.Nest, rows: Sequence[Product]) -> Match | str:
    """How a sum is one of matrix products, or why it is not."""
    others = [op for op in nest.ops if isinstance(op, _CLOSING) and op is not reduction]
    if others:
        return f"the kernel has a {others[0].name.removeprefix('kernel.')} besides it"
    multiply = reduction.value.owner
    if not isinstance(multiply, arith.MulfOp | arith.MuliOp):
        return "what is summed is no product"
    a, b = (_before_cast(factor) for factor in (multiply.lhs, multiply.rhs))
    product = next((row for row in rows if _fits(row, a, b, reduction.result)), None)
    if product is None:
        return _no_row(a, b, rows)
    of_a, of_b = nest.dependences[a], nest.dependences[b]
    depth, around = kernel.closed_by(reduction), nest.dependences[reduction.result]
    if not depth <= of_a or not depth <= of_b:
        return f"{kernel.names(nest.in_text_order(depth))} is not of both factors"
    if refusal := _irregular(nest, depth | around):
        return refusal
    if not of_a - of_b or not of_b - of_a:
        return "one factor has no axis of its own: it is a vector"
    for store in nest.ops:
        if isinstance(store, kernel.StoreOp) and nest.operand_dependences[store] != around:
            return "what is stored is not one element for each sum"
    order = nest.in_text_order
    return Match(
        *(reduction, product, a, b, order(of_a - of_b), order(of_b - of_a)),
        *(order(of_a & of_b & around), order(depth)),
    )


_CLOSING = (
    *(kernel.ReduceOp, kernel.FoldOp, kernel.ScanOp, kernel.StageOp),
    *(kernel.ScatterOp, kernel.SortOp, kernel.MmaOp),
)


def _before_cast(value: SSAValue) -> SSAValue:
    owner = value.owner
    return owner.input if isinstance(owner, _CASTS) else value


def _fits(row: Product, a: SSAValue, b: SSAValue, total: SSAValue) -> bool:
    return (str(a.type), str(b.type), str(total.type)) == (row.factor, row.factor, row.sum)


def _no_row(a: SSAValue, b: SSAValue, rows: Sequence[Product]) -> str:
    if a.type != b.type:
        return f"there is none of {a.type} and {b.type}"
    if a.type == f32:
        return "f32 is multiplied exactly, unless the pipeline says tf32"
    known = ", ".join(dict.fromkeys(row.name for row in rows))
    return f"there is none of {a.type}, only of {known}"


def _irregular(nest: kernel.Nest, ranges: frozenset[kernel.RangeOp]) -> str | None:
    for range_ in nest.in_text_order(ranges):
        if range_.values:
            return f"the bounds of {kernel.names([range_])} depend on other ranges"
        if range_.how not in ("loop", "parallel"):
            return f"{kernel.names([range_])} is of kind `{range_.how}` already"
    return None


# --- tiles ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tile:
    """How many instructions a warp issues side by side, and how many warps there are."""

    high: int
    wide: int
    warps_high: int
    warps_wide: int

    @property
    def threads(self) -> int:
        return WARP * self.warps_high * self.warps_wide


def tile_of(product: Product, rows: int | None, columns: int | None) -> Tile:
    """The tile for a matrix of so many rows and columns at most; None where that is not known."""
    high, warps_high = _cut(product.m, rows, 2)
    wide, warps_wide = _cut(product.n, columns, 4)
    return Tile(high, wide, warps_high, warps_wide)


def _cut(size: int, most: int | None, each: int) -> tuple[int, int]:
    """Instructions side by side in a warp, at most `each`, and warps, at most two."""
    needed = each * 2 if most is None else max(1, -(-most // size))
    return min(needed, each), 2 if needed > each else 1


# --- the rewrite ----------------------------------------------------------------------------------


class Rewrite:
    """Replaces one sum of products."""

    def __init__(self, func: kernel.FuncOp, nest: kernel.Nest, facts: Facts, found: Match):
        self.func, self.nest, self.facts, self.match = func, nest, facts, found
        self.sizes = {
            name: total(ranges, facts)
            for name, ranges in (
                ("rows", found.rows),
                ("columns", found.columns),
                ("depth", found.depth),
            )
        }
        limits = [facts.interval(self.sizes[name])[1] for name in ("rows", "columns")]
        self.tile = tile_of(found.product, *limits)
        first = next(op for op in nest.ops if op in self._ranges)
        self.start = LocatedBuilder(InsertPoint.before(first), found.sum.location)
        self.ids: dict[str, SSAValue] = {}

    def run(self) -> None:
        match, product = self.match, self.match.product
        self._open()
        a = self._factor(match.a, "p", match.rows, self._row("p"), self._depth("p"), "rows")
        b = self._factor(
            match.b, "q", match.columns, self._column("q"), self._depth("q"), "columns"
        )
        builder = LocatedBuilder(InsertPoint.before(match.sum), match.sum.location)
        mma = builder.insert(
            kernel.MmaOp(
                (product.shape, product.name),
                (a, self.ids["p"]),
                (b, self.ids["q"]),
                [self.ids["kk"]],
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

    def _open(self) -> None:
        product, tile = self.match.product, self.tile
        blocks = total(self.match.batches, self.facts) * self._tiles("rows")
        of_a, of_b, of_c = product.counts
        ranges = {
            "block": kernel.RangeOp(0, blocks * self._tiles("columns"), (), "grid.x"),
            "thread": kernel.RangeOp(0, tile.threads, (), "thread.x"),
            "kk": kernel.RangeOp(0, self.sizes["depth"].ceildiv(product.k)),
            "u": kernel.RangeOp(0, tile.high, (), "unroll"),
            "v": kernel.RangeOp(0, tile.wide, (), "unroll"),
            "p": kernel.RangeOp(0, of_a, (), "unroll"),
            "q": kernel.RangeOp(0, of_b, (), "unroll"),
            "r": kernel.RangeOp(0, of_c, (), "unroll"),
        }
        for name, range_ in ranges.items():
            self.ids[name] = self.start.insert(range_).result
            self.ids[name].name_hint = name

    # --- where the elements of a lane are (see teenyir.targets.tensor_cores) ------------------

    def _row(self, element: str) -> Expr:
        """The row of an element of A or C."""
        tile, product = self.tile, self.match.product
        thread, e = Expr.of("thread"), Expr.of(element)
        warp = (thread // WARP) // tile.warps_wide
        register = e // product.packed if element == "p" else e // 2
        inner = (thread % WARP) // 4 + (register % 2 if element == "p" else register) * 8
        block = Expr.of("block") // self._tiles("columns")
        if self.match.batches:
            block = block % self._tiles("rows")
        high = product.m * tile.high
        place = Expr.of("u") * product.m + inner
        return block * self._tile_sizes[0] + (place + warp * high if tile.warps_high > 1 else place)

    def _column(self, element: str) -> Expr:
        """The column of an element of B or C."""
        tile, product = self.tile, self.match.product
        thread, e = Expr.of("thread"), Expr.of(element)
        warp = (thread // WARP) % tile.warps_wide
        lane = thread % WARP
        inner = lane // 4 if element == "q" else lane % 4 * 2 + e % 2
        block = Expr.of("block") % self._tiles("columns")
        wide = product.n * tile.wide
        place = Expr.of("v") * product.n + inner
        return block * self._tile_sizes[1] + (place + warp * wide if tile.warps_wide > 1 else place)

    def _depth(self, element: str) -> Expr:
        """The place along the sum of an element of A or B."""
        product, w = self.match.product, self.match.product.packed
        e, lane = Expr.of(element), Expr.of("thread") % WARP
        register = e // w
        step = register // 2 if element == "p" else register
        return Expr.of("kk") * product.k + lane % 4 * w + e % w + step * (4 * w)

    def _batch(self) -> dict[SSAValue, Expr]:
        tiles = self._tiles("rows") * self._tiles("columns")
        return flattened(self.match.batches, Expr.of("block") // tiles, self.facts)

    # --- factors ------------------------------------------------------------------------------

    def _factor(
        self,
        value: SSAValue,
        element: str,
        ranges: Ranges,
        at: Expr,
        depth: Expr,
        name: str,
    ) -> SSAValue:
        """A copy of a factor at the places of the elements that a lane holds."""
        skipped = {"p": ("v", "q", "r"), "q": ("u", "p", "r")}[element]
        ids = {name: value for name, value in self.ids.items() if name not in skipped}
        exprs = {
            **self._batch(),
            **flattened(ranges, at, self.facts),
            **flattened(self.match.depth, depth, self.facts),
        }
        places = Places(exprs, ids)
        high, wide = self._tile_sizes
        side = self._inside(places, at, name, high if name == "rows" else wide)
        deep = self._inside(places, depth, "depth", self.match.product.k)
        return self._copied(value, places, side, deep)

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
        for op in cone(value, moved, self.nest):
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
        row, column = self._row("r"), self._column("r")
        exprs = {
            **self._batch(),
            **flattened(self.match.rows, row, self.facts),
            **flattened(self.match.columns, column, self.facts),
        }
        ids = {name: v for name, v in self.ids.items() if name not in ("kk", "p", "q")}
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
