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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices, kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.gpu.block_products import BlockProduct
from teenyir.passes.kernel.choose.gpu.contractions import Match, match
from teenyir.passes.kernel.choose.gpu.fragments import fragment_of_a, fragment_of_b, place_of_sum
from teenyir.passes.kernel.choose.gpu.panels import PANEL_BYTES, Panel
from teenyir.rewriting.base import Pass, Session
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
        rows = products(cuda.find(self.capability).number, tf32=self.tf32)
        for reduction in _sums(nest):
            found = match(reduction, nest, partial(_refusal, rows))
            if isinstance(found, str):
                session.remark("missed", reduction, f"no matrix instruction: {found}")
                continue
            row = next(row for row in rows if _fits(row, found.a, found.b, reduction.result))
            rewrite = Rewrite(nest, session.analysis(KERNEL_INDICES, op), found, row)
            if (why := attempt(rewrite.run, op)) is not None:
                session.remark("missed", reduction, f"no matrix instruction: {why}")
                return  # the other sums are ops that are no more
            session.remark("passed", reduction, f"is summed by {row.shape} of {row.name}")
            session.count("products")
            return


def is_by_matrices(func: kernel.FuncOp, capability: str, *, tf32: bool) -> bool:
    """Whether a sum of products of a kernel is computed by matrix instructions."""
    trial = func.clone()
    nest = kernel.Nest(trial)
    rows = products(cuda.find(capability).number, tf32=tf32)
    for reduction in _sums(nest):
        found = match(reduction, nest, partial(_refusal, rows))
        if isinstance(found, Match):
            row = next(row for row in rows if _fits(row, found.a, found.b, reduction.result))
            rewrite = Rewrite(nest, kernel_indices(trial), found, row)
            return attempt(rewrite.run, trial) is None
    return False


def _sums(nest: kernel.Nest) -> list[kernel.ReduceOp]:
    return [op for op in nest.ops if isinstance(op, kernel.ReduceOp) and op.kind.data == "add"]


def _fits(row: Product, a: SSAValue, b: SSAValue, total: SSAValue) -> bool:
    return (str(a.type), str(b.type), str(total.type)) == (row.factor, row.factor, row.sum)


def _refusal(rows: Sequence[Product], a: SSAValue, b: SSAValue, total: SSAValue) -> str | None:
    """Why there is no row for factors and their sum; None where there is one."""
    if any(_fits(row, a, b, total) for row in rows):
        return None
    if a.type != b.type:
        return f"there is none of {a.type} and {b.type}"
    if a.type == f32:
        return "f32 is multiplied exactly, unless the pipeline says tf32"
    known = ", ".join(dict.fromkeys(row.name for row in rows))
    return f"there is none of {a.type}, only of {known}"


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


class Rewrite(BlockProduct):
    """Replaces one sum of products."""

    PLACED = ("u", "v", "w", "r")

    def __init__(self, nest: kernel.Nest, named: KernelIndices, found: Match, product: Product):
        super().__init__(nest, named, found)
        self.product = product
        self.tile = tile_of(product, *self.most())

    @property
    def tile_sizes(self) -> tuple[int, int]:
        tile, product = self.tile, self.product
        return (
            product.m * tile.high * tile.warps_high,
            product.n * tile.wide * tile.warps_wide,
        )

    @property
    def deep(self) -> int:
        return self.product.k * self.tile.steps

    @property
    def threads(self) -> int:
        return self.tile.threads

    @property
    def pairs(self) -> bool:
        return self._paired == 2

    @property
    def _paired(self) -> int:
        """Instructions side by side whose second factor is loaded at once."""
        return min(2, self.tile.wide)

    def opened(self, rows: Panel, columns: Panel) -> dict[str, kernel.RangeOp]:
        tile = self.tile
        of_a, of_b, of_c = self.product.counts
        counts = {
            "s": tile.steps,
            "u": tile.high,
            "v": tile.wide // self._paired,
            "w": self._paired,
            "p": of_a,
            "q": of_b,
            "r": of_c,
        }
        return {name: kernel.RangeOp(0, n, (), "unroll") for name, n in counts.items()}

    def summed(self, a: tuple[Panel, SSAValue], b: tuple[Panel, SSAValue]) -> Operation:
        builder, ids = self.builder(), self.ids
        rows = fragment_of_a(self.product, a[0], self._high, self._along)
        columns = fragment_of_b(self.product, b[0], self._wide, self._along, self._paired)
        of_a = builder.insert(rows.load(a[1], ids)).results[0]
        of_b = builder.insert(columns.load(b[1], ids)).results[0]
        return builder.insert(
            kernel.MmaOp(
                (self.product.shape, self.product.name),
                (of_a, ids["p"]),
                (of_b, ids["q"]),
                [ids["kk"], ids["s"]],
                ids["r"],
            )
        )

    # --- where the elements of a lane are (see teenyir.targets.tensor_cores) ------------------

    @property
    def _high(self) -> Expr:
        """The first row of a warp's instruction in a block's tile."""
        tile, product = self.tile, self.product
        warp = (Expr.of("thread") // WARP) // tile.warps_wide
        place = Expr.of("u") * product.m
        return place + warp * (product.m * tile.high) if tile.warps_high > 1 else place

    @property
    def _wide(self) -> Expr:
        """The first column of a warp's pair of instructions in a block's tile."""
        tile, product = self.tile, self.product
        warp = (Expr.of("thread") // WARP) % tile.warps_wide
        place = Expr.of("v") * (product.n * self._paired)
        return place + warp * (product.n * tile.wide) if tile.warps_wide > 1 else place

    @property
    def _along(self) -> Expr:
        """How far an instruction is along what a block has of the sum."""
        return Expr.of("s") * self.product.k

    def place(self, rows: Panel, columns: Panel) -> tuple[Expr, Expr]:
        return place_of_sum(self.product, self._high, self._wide, pairs=columns.is_of_pairs)
