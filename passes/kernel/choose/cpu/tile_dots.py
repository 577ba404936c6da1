"""Choose a schedule for sums of products along rows: several rows at once, each in a vector.

    for i:                                 for blocks of i:
      s = 0                                  a vector of 0 for each row of the block
      for k:                                 for blocks of k:
        s += a[i, k] * x[k]          -->       b = x[block]
      y[i] = s                                 each += a[row, block] * b
                                             y[rows] = the sum of each vector's lanes

So what is loaded of `x` serves all rows of a block, and the sums do not wait for each other. Done
for a kernel with one sum of products, in which one factor moves along memory with the sum and has a
range of its own: a matrix times a vector, or times a few rows of a transposed one.

A few columns, fewer than would fill half of a vector, are copies beside the rows; where they do not
lie along memory with the sum, they are packed so that they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.registers import Tile
from teenyir.passes.kernel.choose.products import FEWEST_PRODUCTS, Product, find_product
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

FEWEST_ROWS = 8
"""Of fewer rows a block is not worth it."""

MOST_ROWS_OF_COLUMNS = 4
"""Rows of a block with columns beside them: of more the sums of lanes take as long as the rest."""

MOST_PACKED = 1 << 18
"""Bytes of columns that are packed: what stays in the second cache."""

LONG = 8
"""Vectors in a row from which on two are summed at once."""


@dataclass(frozen=True)
class TileDots(Pass):
    """Sum products along several rows at once."""

    name = "tile-dots"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    registers: int | None = None
    """The number of vector registers; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        bits = self.vector_bits or cpu.host().vector_bits
        nest = session.analysis(NEST, op)
        product = find_product(op, nest)
        if product is None or not has_few_columns(product, bits):
            product = find_product(op, nest, columns=False)
        if product is None or not product.is_along_rows:
            session.preserve_all()
            return
        m, _, k = product.sizes
        lanes = max(bits // 8 // product.element_bytes, 1)
        if m < FEWEST_ROWS or k < 2 * lanes or m * k < FEWEST_PRODUCTS:
            session.remark("missed", product.reduction, f"{m} sums of {k} are too small for a tile")
            session.preserve_all()
            return
        schedule = self.schedule(product, lanes)
        if not apply(schedule, op, session):
            return
        session.count("sums")
        if session.wants_remarks:
            session.remark("passed", op, f"{m} sums of {k} products: {as_text(schedule)}")

    def schedule(self, product: Product, lanes: int) -> list[Primitive]:
        """The primitives that make the sums fast."""
        # with two vectors a row the accumulators take half of the registers
        registers = self.registers or cpu.host().vector_registers
        if product.column_name:
            rows = max(min(registers // 2 // product.sizes[1], MOST_ROWS_OF_COLUMNS), 1)
            return schedule_dots(product, Tile(rows, 1, lanes))
        rows = max(registers // 4, 1)
        vectors = 2 if product.sizes[2] >= LONG * lanes else 1
        return schedule_dots(product, Tile(rows, vectors, lanes))


def has_few_columns(product: Product, vector_bits: int) -> bool:
    """Whether a product of matrices is better summed along its rows, all columns at once."""
    _, n, k = product.sizes
    lanes = vector_bits // 8 // product.element_bytes
    fits = product.is_bounded and k * n * product.element_bytes <= MOST_PACKED
    return (
        product.is_along_rows
        and product.has_constant_columns
        and 2 * n <= lanes
        and k >= 2 * lanes
        and (fits or product.is_transposed)
    )


def schedule_dots(product: Product, tile: Tile) -> list[Primitive]:
    """The primitives that sum so many rows at once, each in so many vectors, and all columns."""
    i, j = product.row_name, product.column_name
    *outer, k = product.steps
    columns: list[Primitive] = []
    if j:
        columns.append(SetKind(range=j, kind="unroll"))
        if not product.is_transposed:
            over = (j, *outer, f"{k}o", f"{k}v")
            columns.append(PackBuffer(buffer=product.right, over=over))
    return [
        SplitRange(
            range=i, by=tile.rows, outer=f"{i}o", inner=f"{i}u", loads=product.loads_of_rows
        ),
        SplitRange(range=k, by=tile.columns, outer=f"{k}o", inner=f"{k}v"),
        SetKind(range=f"{i}u", kind="unroll"),
        SetKind(range=f"{k}v", kind="vector"),
        *columns,
        SplitReduction(over=(*outer, f"{k}o")),
    ]
