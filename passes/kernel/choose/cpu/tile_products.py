"""Choose a schedule for sums of products: a register tile, over panels that are packed.

    for i, j:                         for blocks of j:
      s = 0                             pack the right factor's columns of the block
      for k:                            for blocks of i:
        s += a[i, k] * b[k, j]   -->      rows x vectors accumulators = 0
      y[i, j] = s                         for k: each += element of a * vector of b
                                          store the tile

The rules: which tile (`registers` has the costs); whether columns and the range around them are one
(`flat_columns`), or are read from an image with its edges (`padded_images`); whether the right
factor is packed, and all of it at once, with the loop over rows outside (`traffic`), or is read
once along its rows (`few_rows`); whether the last columns have a loop of their own, so that no
vector is stored in part; whether steps are summed a block at a time, out of copies of both factors
(`step_blocks`); and whether what follows is computed in a loop over the rows of the tile: once for
each accumulator, an error function or another long formula would be most of the code. What is
chosen is a list of schedule primitives, which a remark prints as it could be written by hand.

Done for a kernel with a sum of products, over whatever index expressions, where one range occurs in
one factor alone and moves along the result's contiguous axis, and another in the other factor
alone; and for one with several such sums over the same rows and columns. Further ranges stay loops
around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.few_rows import FewRows
from teenyir.passes.kernel.choose.cpu.flat_columns import Factor, Flat, flat_columns
from teenyir.passes.kernel.choose.cpu.padded_images import padded_image
from teenyir.passes.kernel.choose.cpu.registers import Tile, choose_tile
from teenyir.passes.kernel.choose.cpu.step_blocks import StepBlocks
from teenyir.passes.kernel.choose.cpu.tile_dots import FEWEST_ROWS as FEWEST_ROWS_OF_SUMS
from teenyir.passes.kernel.choose.cpu.tile_dots import has_few_columns
from teenyir.passes.kernel.choose.cpu.traffic import Caches
from teenyir.passes.kernel.choose.products import (
    FEWEST_PRODUCTS,
    MANY_STEPS,
    Product,
    find_products,
)
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.peel_range import PeelRange
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stage_result import StageResult
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

ENOUGH_TO_TRANSPOSE = 128
"""Rows from which on it pays to pack a factor whose columns lie across memory."""

MOST_BYTES = 1 << 24
"""The largest panel: beyond any cache it is not worth its memory."""

Packed = Literal["", "block", "whole"]
"""What of the right factor is packed at once: nothing, the columns of a tile, or all columns."""

MOST_OPS_AFTER = 16
"""Ordinary ops that may be written out for each accumulator: fewer than a transcendental is."""

MASKS = 64
"""Bytes of vectors of which processors store some lanes about as fast as all of them."""

MASKED_STORE = 12
"""Cycles of a store of some lanes of a shorter vector."""

EDGE = 0.03
"""The share of all cycles from which on such stores are worth a loop of their own."""

FEWEST_ROWS = 2
"""With one row there is nothing to share the loads of a vector with."""


@dataclass(frozen=True)
class TileProducts(Pass):
    """Sum products in register tiles over packed panels."""

    name = "tile-products"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    registers: int | None = None
    """The number of vector registers; the machine's if it is not given."""
    l1: int | None = None
    """Bytes of the first-level data cache; the machine's if it is not given."""
    l1_ways: int | None = None
    """Ways of it; the machine's if it is not given."""
    l2: int | None = None
    """Bytes of the second-level cache; the machine's if it is not given."""
    last: int | None = None
    """Bytes of the last cache that are counted on; the machine's if it is not given."""
    threads: int = 0
    """The number of threads that are there; 0 for the machine's."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        nest = session.analysis(NEST, op)
        products = find_products(op, nest)
        if not products:
            session.preserve_all()
            return
        product = products[0]
        m, n, _ = product.sizes
        k = sum(each.sizes[2] for each in products)
        if m < FEWEST_ROWS or m * n * k < FEWEST_PRODUCTS:
            session.remark("missed", product.reduction, f"{m}x{n}x{k} is too small for a tile")
            session.preserve_all()
            return
        if product.is_transposed and m < ENOUGH_TO_TRANSPOSE:
            session.remark("missed", product.reduction, f"{m} rows do not pay for a transposition")
            session.preserve_all()
            return
        bits = self.vector_bits or cpu.host().vector_bits
        registers = self.registers or cpu.host().vector_registers
        lanes = max(bits // 8 // product.element_bytes, 1)
        loads = self._caches.loads(products, lanes)
        flat = flat_columns(op, nest, products, lanes, registers, loads)
        few = len(products) == 1 and m >= FEWEST_ROWS_OF_SUMS and has_few_columns(product, bits)
        if flat is None and few:
            session.remark("missed", product.reduction, f"{n} columns fill no half of a vector")
            session.preserve_all()
            return
        if flat is None and len(products) == 1:
            threads = cpu.usable_threads(self.threads)
            flat = padded_image(op, nest, product, self._caches.l2, threads)
        flat = flat or Flat([], [(each, "flat") for each in products])
        tile = choose_tile(*flat.sizes, lanes, registers, loads=loads)
        few = self._few_rows(flat, tile, registers)
        schedule = few or self._step_blocks(flat, lanes, registers) or self._schedule(flat, tile)
        if not apply(schedule, op, session):
            return
        session.count("products")
        if session.wants_remarks:
            what = "few rows by a matrix" if few else "a product"
            session.remark("passed", op, f"{what} of {m}x{n}x{k}: {as_text(schedule)}")

    @property
    def _caches(self) -> Caches:
        known = Caches.of(cpu.host())
        given = {"l1": self.l1, "ways": self.l1_ways, "l2": self.l2, "last": self.last}
        return replace(known, **{name: value for name, value in given.items() if value})

    def _few_rows(self, flat: Flat, tile: Tile, registers: int) -> list[Primitive]:
        """What sums few rows by a large matrix; nothing where that is not what it is."""
        (product, factor), *others = flat.products
        if others or flat.steps or self._packing(product, factor, tile):
            return []
        threads = cpu.usable_threads(self.threads)
        few = FewRows.of(product, tile.lanes, registers, self._caches, threads)
        return few.schedule(product) if few is not None else []

    def _step_blocks(self, flat: Flat, lanes: int, registers: int) -> list[Primitive]:
        """What sums a product a block of steps at a time; nothing where that is not better."""
        (product, _), *others = flat.products
        if others or flat.steps:
            return []
        threads = cpu.usable_threads(self.threads)
        blocks = StepBlocks.of(product, lanes, registers, self._caches, threads)
        return blocks.schedule(product) if blocks is not None else []

    def _schedule(self, flat: Flat, tile: Tile) -> list[Primitive]:
        """The primitives that make the products of a kernel fast."""
        packings: list[tuple[Product, Packed]] = [
            (each, self._packing(each, factor, tile)) for each, factor in flat.products
        ]
        outside = self._is_better_rows_outside(packings, tile)
        if outside:
            packings = [(each, "whole") for each, _ in packings]
        parts = self._without_masks(packings, tile)
        if parts is not None:
            return [*flat.steps, *_schedule_in_parts(*packings[0], *parts)]
        return [*flat.steps, *schedule_products(packings, tile, rows_outside=outside)]

    def _without_masks(
        self, packings: Sequence[tuple[Product, Packed]], tile: Tile
    ) -> tuple[Tile, Tile] | None:
        """The tiles of the first columns and of the last ones, where these had better have a loop
        of their own: there are as many in it as in whole vectors, some of them once more."""
        (product, packed), *others = packings
        m, n, k = product.sizes
        lanes = tile.lanes
        if others or packed == "whole" or n % tile.columns == 0 or n < lanes:
            return None
        if lanes * product.element_bytes >= MASKS or not product.is_along_columns:
            return None
        if not product.is_constant or product.gated_steps:
            return None
        stores = -(-m // tile.rows) * tile.rows * tile.vectors
        if stores * MASKED_STORE < EDGE * k * tile.cycles(m, n):
            return None
        registers = self.registers or cpu.host().vector_registers
        loads = self._caches.loads([product], lanes)

        def of(vectors: int) -> Tile:
            return choose_tile(m, vectors * lanes, lanes, registers, vectors, loads)

        first = tile if n > tile.columns else of(n // lanes)
        rest = n % first.columns
        return (first, of(-(-rest // lanes))) if rest else None

    def _is_better_rows_outside(
        self, packings: Sequence[tuple[Product, Packed]], tile: Tile
    ) -> bool:
        """Whether all of the columns are better packed at once, for one block of rows at a time."""
        products = [each for each, _ in packings]
        _, n, _ = products[0].sizes
        if n <= tile.columns or any(packed != "block" for _, packed in packings):
            return False
        if any(p.sizes[2] * n * p.element_bytes > MOST_BYTES for p in products):
            return False
        threads = cpu.usable_threads(self.threads)
        inside, outside = (
            self._caches.fetched(products, tile, rows_outside=outside, threads=threads)
            for outside in (False, True)
        )
        return outside < inside

    def _packing(self, product: Product, factor: Factor, tile: Tile) -> Packed:
        """Columns that several tiles of rows read, out of a matrix that the first cache has not."""
        if factor == "gated":
            return "block"
        if factor == "kept":
            return ""
        m, n, k = product.sizes
        l1 = self._caches.l1
        if not product.is_bounded or k * tile.columns * product.element_bytes > MOST_BYTES:
            return ""
        if not product.is_along_columns:
            return "block"
        return "block" if m >= 4 * tile.rows and k * n * product.element_bytes > l1 // 2 else ""


def schedule_products(
    products: Sequence[tuple[Product, Packed]],
    tile: Tile,
    *,
    rows_outside: bool = False,
    steps: int = 1,
) -> list[Primitive]:
    """The primitives that sum products over the same rows and columns in tiles.

    `rows_outside` has the loop over blocks of rows outside that over blocks of columns; so many
    `steps` of the innermost sum, which its extent is a multiple of, are written side by side.
    """
    product, _ = products[0]
    i, j = product.row_name, product.column_name
    schedule: list[Primitive] = [
        SplitRange(
            range=i,
            by=tile.rows,
            outer=f"{i}o",
            inner=f"{i}u",
            loads=product.loads_of_rows,
        ),
        SplitRange(range=j, by=tile.columns, outer=f"{j}o", inner=f"{j}n"),
        SplitRange(range=f"{j}n", by=tile.lanes, outer=f"{j}u", inner=f"{j}v"),
        SetKind(range=f"{i}u", kind="unroll"),
        SetKind(range=f"{j}u", kind="unroll"),
        SetKind(range=f"{j}v", kind="vector"),
    ]
    for each, packed in products:
        summed = each.steps
        if steps > 1:
            *outer, k = summed
            schedule.append(SplitRange(range=k, by=steps, outer=f"{k}o", inner=f"{k}u"))
            schedule.append(SetKind(range=f"{k}u", kind="unroll"))
            summed = (*outer, f"{k}o", f"{k}u")
        if packed:
            blocks = (f"{j}o",) if packed == "whole" else ()
            over = (*blocks, *summed, f"{j}u", f"{j}v")
            schedule.append(_packed(each, over))
    tiles = (f"{i}o", f"{j}o") if rows_outside else (f"{j}o", f"{i}o")
    if len(products) == 1 and product.ops_after > MOST_OPS_AFTER and product.sizes[2] >= MANY_STEPS:
        schedule.append(StageResult(over=(f"{i}u", f"{j}u", f"{j}v")))
        schedule.append(SetKind(range=f"{i}ur", kind="loop"))
    schedule.append(OrderRanges(order=(*product.around, *tiles)))
    return schedule


def _schedule_in_parts(
    product: Product, packed: Packed, first: Tile, last: Tile
) -> list[Primitive]:
    """The primitives that sum the last columns, those of one tile, in a loop of their own."""
    i, j = product.row_name, product.column_name
    m, n, k = product.sizes
    rest = replace(
        product,
        row_name=f"{i}e",
        column_name=f"{j}e",
        steps=tuple(f"{step}e" for step in product.steps),
        sizes=(m, last.columns, k),
    )
    return [
        OrderRanges(order=(*product.around, j, i)),
        PeelRange(range=j, at=n - n % first.columns, start=n - last.columns, rest="e"),
        *schedule_products([(product, packed)], first),
        *schedule_products([(rest, packed)], last),
    ]


def _packed(product: Product, over: tuple[str, ...]) -> PackBuffer:
    """A panel of a right factor; what gates it is worked out outside of the loops over the rest."""
    short = product.short_step
    return PackBuffer(
        buffer=product.right,
        over=over,
        outside=tuple(step for step in product.gated_steps if step in over and step != short),
        unroll=(short,) if short in over else (),
    )
