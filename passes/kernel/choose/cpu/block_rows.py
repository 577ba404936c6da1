"""Choose a schedule for rows that are staged between products: blocks of rows at once.

    for i:                                   for blocks of i:
      for j: row[j] = sum of q[i] k[j]         for j: panel[j, lanes of i] = a tile of sums
      m = max of row                 -->       m = max of panel along j, a lane for each i
      for c: y[i, c] = sum of f(row, m) v[c]   for j: panel2[j, lanes of i] = f(panel, m)
                                               y[block, c] = tiles of sums over panel2

A product that ends in a row, in one iteration of `i`, reads its other factor anew for each of them.
For a block of them it is a product of matrices, and so is the one that reads the rows again. What
lies between, maxima, exponentials and sums along the row, runs in lanes without combining any. What
is stored of rows that lie apart from each other has a loop over the rows of its own: in lanes each
number would be stored by itself, under a gate where the block is the last.

The rules: a block is as many vectors of rows as are summed in the fewest cycles, if what is staged
for them stays in the second-level cache; the tiles of the products have the costs in `registers`.
What is chosen is a list of schedule primitives.

Done for a kernel with one store in which a range is closed by nothing else, where a sum of products
with a factor that does not depend on it ends in a stage. `graph-to-kernel` counts on it where it is
told so (its option `blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.registers import Tile, choose_tile
from teenyir.passes.kernel.choose.cpu.staged_products import Columns, StagedProducts, find_staged
from teenyir.passes.kernel.choose.products import FEWEST_PRODUCTS
from teenyir.passes.kernel.schedule.fission_range import FissionRange
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.widen_stages import WidenStages
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

MOST_VECTORS = 4
"""Vectors of rows in a block at most: there are registers for so many, and for several columns."""


@dataclass(frozen=True)
class BlockRows(Pass):
    """Compute rows that products end in and others read in blocks."""

    name = "block-rows"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    registers: int | None = None
    """The number of vector registers; the machine's if it is not given."""
    l2: int | None = None
    """Bytes of the second-level data cache; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        staged = find_staged(op)
        if staged is None:
            session.preserve_all()
            return
        text = f"{staged.rows} rows of {staged.row_bytes} bytes, {staged.products} products"
        if staged.products < FEWEST_PRODUCTS:
            session.remark("missed", op, f"{text} are too few for a block")
            session.preserve_all()
            return
        lanes = max((self.vector_bits or cpu.host().vector_bits) // 8 // staged.element_bytes, 1)
        vectors = self._vectors(staged, lanes)
        schedule = self.schedule(staged, lanes, vectors)
        if not apply(schedule, op, session):
            return
        session.count("kernels")
        if session.wants_remarks:
            local = staged.row_bytes * lanes * vectors
            session.remark("passed", op, f"{text}, {local} bytes a block: {as_text(schedule)}")

    def _vectors(self, staged: StagedProducts, lanes: int) -> int:
        """How many vectors of rows a block has: those with which tiles take the fewest cycles."""
        l2 = self.l2 or cpu.host().l2
        registers = self.registers or cpu.host().vector_registers
        columns = staged.first[0].size if staged.first else 1

        def cycles(vectors: int) -> float:
            block = vectors * lanes
            tile = choose_tile(columns, block, lanes, registers, vectors)
            return -(-staged.rows // block) * tile.cycles(columns, block)

        fitting = max(l2 // (staged.row_bytes * lanes), 1)
        return min(range(1, min(MOST_VECTORS, fitting) + 1), key=cycles)

    def schedule(
        self,
        staged: StagedProducts,
        lanes: int,
        vectors: int,
        *,
        elements: int | None = None,
        last: Tile | None = None,
    ) -> list[Primitive]:
        """The primitives that make blocks of so many vectors of rows.

        So many `elements` of a row are summed at once, and the stored product in tiles like `last`;
        by rules where they are not given.
        """
        registers = self.registers or cpu.host().vector_registers
        i, block = staged.row, lanes * vectors
        rows = f"{i}i"
        steps: list[Primitive] = [
            SplitRange(range=i, by=block, outer=f"{i}o", inner=rows, loads=staged.loads),
            WidenStages(range=rows),
        ]
        if staged.last is not None:
            steps.append(FissionRange(range=rows, buffer=staged.stored, copy=f"{i}r"))
        elif staged.apart:
            buffer, copy = staged.stored, f"{i}r"
            steps.append(FissionRange(range=rows, buffer=buffer, copy=copy, clipped=True))
        steps += [
            SplitRange(range=rows, by=lanes, outer=f"{i}u", inner=f"{i}v"),
            SetKind(range=f"{i}v", kind="vector"),
        ]
        lane = (f"{i}u", f"{i}v")
        split: dict[str, tuple[str, ...]] = {}
        for columns in staged.first:
            count = elements or choose_tile(columns.size, block, lanes, registers, vectors).rows
            if count > 1 and columns.loads == "clamped":
                steps += _row_tile(columns.name, count)
                split[columns.name] = (f"{columns.name}o", f"{columns.name}u")
        packed = [pack for columns in staged.first for pack in columns.packed]
        for buffer, along in (*packed, *staged.across):
            over = [part for name in along for part in split.get(name, (name,))]
            steps.append(PackBuffer(buffer=buffer, over=(*over, *lane), scalar=True))
        if staged.last is not None:
            tile = last or choose_tile(block, staged.last.size, lanes, registers)
            steps += _last_tile(f"{i}r", staged.last, tile)
        return steps


def _row_tile(j: str, count: int) -> list[Primitive]:
    """So many elements of a row are summed at once for a block of rows."""
    return [
        SplitRange(range=j, by=count, outer=f"{j}o", inner=f"{j}u", loads="clamped"),
        SetKind(range=f"{j}u", kind="unroll"),
    ]


def _last_tile(i: str, columns: Columns, tile: Tile) -> list[Primitive]:
    """The tile of the product that is stored."""
    j = columns.name
    return [
        SplitRange(range=i, by=tile.rows, outer=f"{i}o", inner=f"{i}u", loads="clamped"),
        SplitRange(range=j, by=tile.columns, outer=f"{j}o", inner=f"{j}n"),
        SplitRange(range=f"{j}n", by=tile.lanes, outer=f"{j}u", inner=f"{j}v"),
        SetKind(range=f"{i}u", kind="unroll"),
        SetKind(range=f"{j}u", kind="unroll"),
        SetKind(range=f"{j}v", kind="vector"),
        *(PackBuffer(buffer=b, over=(*s, f"{j}u", f"{j}v")) for b, s in columns.packed),
        OrderRanges(order=(f"{j}o", f"{i}o")),
    ]
