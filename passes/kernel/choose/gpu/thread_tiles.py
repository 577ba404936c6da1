"""Have sums of products that no matrix instruction computes summed in tiles of registers.

    for i in M                                    for block grid.x, thread in 256 thread.x
      for j in N                                    for kk in ceildiv(K, 16)
        for k in K                      -->           as[..] = a[i(block, ..), k(kk, ..)]   shared
          s += a[i, k] * b[k, j]                      bs[..] = b[k(kk, ..), j(block, ..)]
        y[i, j] = relu(s)                             for s in 16
                                                        for u in 8, v in 4
                                                          c[u, v] += as[i(thread, u), s] * ..
                                                    y[i(thread, u), j(thread, v)] = relu(c[u, v])

Each element of a factor is read from memory once a block instead of once a thread, and from shared
memory once for all products of a thread with it. f32, f64 and i32 are summed so, in the order that
they had. Which elements a thread has is chosen so that what it reads at once is 16 bytes, and what
its neighbours read at the same time in other banks: groups of 4 bytes times 4 where they lie side
by side in a row of the panel, single ones in neighbouring rows elsewhere.

Where there are fewer rows or columns than a tile is worth, each thread goes on summing its own
elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import f32, f64, i32
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.gpu.block_products import BlockProduct
from teenyir.passes.kernel.choose.gpu.contractions import Match, match
from teenyir.passes.kernel.choose.gpu.panels import PANEL_BYTES, Panel
from teenyir.passes.kernel.choose.places import total
from teenyir.rewriting.base import Pass, Session

ACROSS = 16
"""Threads along the rows of a tile, and along its columns."""

BLOCKS = 64
"""From so many on all of a GPU is busy, or nearly: fewer are made smaller."""

FEWEST = 32
"""Rows or columns from which on a tile is worth it: half of the smallest."""

FEWEST_PRODUCTS = 8
"""Of a sum, from which on it is."""

TYPES: tuple[Attribute, ...] = (f32, f64, i32)


@dataclass(frozen=True)
class ThreadTiles(Pass):
    """Have sums of products computed in tiles of registers."""

    name = "thread-tiles"
    anchor: ClassVar[str | None] = "kernel.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        nest = kernel.Nest(op)
        sums = [o for o in nest.ops if isinstance(o, kernel.ReduceOp) and o.kind.data == "add"]
        for reduction in sums:
            found = match(reduction, nest, _refusal)
            if isinstance(found, str):
                session.remark("missed", reduction, f"no tile of registers: {found}")
                continue
            rewrite = Rewrite(nest, session.analysis(KERNEL_INDICES, op), found)
            why = rewrite.refusal() or attempt(rewrite.run, op)
            if why is not None:
                session.remark("missed", reduction, f"no tile of registers: {why}")
                return  # the other sums may be ops that are no more
            high, wide = rewrite.each
            session.remark("passed", reduction, f"each thread sums {high} by {wide} elements")
            session.count("products")
            return


def _refusal(a: SSAValue, b: SSAValue, total: SSAValue) -> str | None:
    if not a.type == b.type == total.type:
        return f"{a.type} and {b.type} are summed in {total.type}"
    if total.type not in TYPES:
        return f"{total.type} is none of {', '.join(map(str, TYPES))}"
    return None


class Rewrite(BlockProduct):
    """Replaces one sum of products."""

    PLACED = ("u", "v")

    def __init__(self, nest: kernel.Nest, named: KernelIndices, found: Match):
        super().__init__(nest, named, found)
        self.each = (8, 4) if self._fill_blocks(8, 4) else (4, 4)
        """Rows and columns of a thread."""

    def refusal(self) -> str | None:
        """Why there is too little of something."""
        names = ("rows", "columns", "products of a sum")
        for name, most, fewest in zip(
            names, self.most(), (FEWEST, FEWEST, FEWEST_PRODUCTS), strict=True
        ):
            if most is not None and most < fewest:
                return f"there are {most} {name} at most, and not {fewest}"
        return None

    def _fill_blocks(self, high: int, wide: int) -> bool:
        """Whether there may be `BLOCKS` of threads that have so many rows and columns each."""
        rows, columns, _ = self.most()
        if rows is None or columns is None:
            return True
        batches = self.facts.interval(total(self.match.batches, self.facts))[1]
        blocks = -(-rows // (ACROSS * high)) * -(-columns // (ACROSS * wide))
        return batches is None or blocks * batches >= BLOCKS

    @property
    def tile_sizes(self) -> tuple[int, int]:
        high, wide = self.each
        return ACROSS * high, ACROSS * wide

    @property
    def deep(self) -> int:
        return PANEL_BYTES // SCALAR_BYTES[self.match.sum.result.type]

    @property
    def threads(self) -> int:
        return ACROSS * ACROSS

    def opened(self, rows: Panel, columns: Panel) -> dict[str, kernel.RangeOp]:
        high, wide = self.each
        counts = {"s": self.deep, "u": high, "v": wide}
        return {name: kernel.RangeOp(0, n, (), "unroll") for name, n in counts.items()}

    def place(self, rows: Panel, columns: Panel) -> tuple[Expr, Expr]:
        thread = Expr.of("thread")
        return (
            _spread(rows, thread // ACROSS, Expr.of("u")),
            _spread(columns, thread % ACROSS, Expr.of("v")),
        )

    def summed(self, a: tuple[Panel, SSAValue], b: tuple[Panel, SSAValue]) -> Operation:
        builder, ids = self.builder(), self.ids
        row, column = self.place(a[0], b[0])
        along = Expr.of("s")
        factors = [
            builder.insert(panel.element(stage, side, along, ids)).result
            for (panel, stage), side in ((a, row), (b, column))
        ]
        product = self.match.sum.value.owner
        assert isinstance(product, Operation)
        multiplied = builder.insert(
            type(product).create(
                operands=factors,
                properties=dict(product.properties),
                result_types=[self.match.sum.result.type],
            )
        )
        return builder.insert(kernel.ReduceOp("add", multiplied.results[0], [ids["kk"], ids["s"]]))


def _spread(panel: Panel, thread: Expr, element: Expr) -> Expr:
    """The row, or column, of an element of a thread."""
    if not panel.lies_along_side:
        return thread + element * ACROSS
    chunk = panel.chunk
    return thread * chunk + element // chunk * (ACROSS * chunk) + element % chunk
