"""Whether two ranges of a product's columns should be one, as the pixels of an image.

    for j in 0 to 7:                     for p in 0 to 49:
      for k in 0 to 7:            -->      y[i, p] = sum of w[i, l] * x[l, p]
        y[i, j, k] = sum of w[i, l] * x[l, j, k]

Vectors of 16 hold 7 columns, or 49 of 64. What is stored, and what is loaded for it, has to run on
from one row to the next in memory. A second factor that does so but for the edges, where it is
gated, is packed, in vectors of which lanes are gated off: a convolution whose image is as large as
its result. One that does not, as where the windows have a stride, is copied into a panel that does,
and from there as any other, if that pays: the cycles of the tiles and of the copies say so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.cpu.registers import NEAR, Loads, choose_tile
from teenyir.passes.kernel.choose.products import Product, is_plain
from teenyir.passes.kernel.schedule.fuse_ranges import FuseRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer, panel_of
from teenyir.passes.kernel.schedule.primitive import Primitive, cone

COPY = 3
"""Cycles that copying an element takes, with its gate and one by one."""

COPY_LANE = 0.1
"""Cycles that it takes in a vector, whose gate is worked out once for many of them."""

MOST_COPIED = 1 << 22
"""Bytes of a panel that is copied as a whole: more is not in a cache when it is used."""

Factor = Literal["flat", "gated", "scattered", "kept"]
"""How a second factor lies in memory: one row after the other, or so but for gates, or not; or in
an image that is kept."""


@dataclass(frozen=True)
class Flat:
    """How columns are made one range, and the products then, each with its second factor."""

    steps: list[Primitive]
    products: list[tuple[Product, Factor]]
    """Those that are scattered are read from panels by then."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        m, n, _ = self.products[0][0].sizes
        return m, n


def flat_columns(
    func: kernel.FuncOp,
    nest: kernel.Nest,
    products: Sequence[Product],
    lanes: int,
    registers: int,
    loads: Loads = NEAR,
) -> Flat | None:
    """How to make one range of the columns and the range around them; None if it does not pay."""
    image = _image(func, nest, products[0])
    if image is None:
        return None
    outer, inner = (image.names[range_] for range_ in image.pair)
    fused = f"{outer}{inner}"
    rights = [cone([each.columns], image.pair, image.nest) for each in products]
    apart = {op for ops in rights for op in ops}
    others = [op for op in image.nest.ops if op not in apart and not isinstance(op, kernel.RangeOp)]
    if fused in image.names.values() or not image.runs_on(others):
        return None
    factors: list[Factor] = [image.factor(ops) for ops in rights]
    m, n = products[0].sizes[0], image.rows * image.columns
    copies = [_copies(p, n, factor) for p, factor in zip(products, factors, strict=True)]
    steps = sum(each.sizes[2] for each in products)

    def cycles(n: int) -> float:
        return steps * choose_tile(m, n, lanes, registers, loads=loads).cycles(m, n, loads)

    if cycles(n) + sum(copies) >= image.rows * cycles(image.columns):
        return None
    flat = [
        replace(
            each,
            column_name=fused,
            around=tuple(name for name in each.around if name != outer),
            sizes=(m, n, each.sizes[2]),
            is_along_columns=True,
            right=panel_of(func, each.right) if factor == "scattered" else each.right,
        )
        for each, factor in zip(products, factors, strict=True)
    ]
    packs = [
        PackBuffer(buffer=each.right, over=(*each.steps, outer, inner))
        for each, factor in zip(products, factors, strict=True)
        if factor == "scattered"
    ]
    fuse = FuseRanges(outer=outer, inner=inner, fused=fused)
    return Flat([*packs, fuse], list(zip(flat, factors, strict=True)))


def _copies(product: Product, columns: int, factor: Factor) -> float:
    """The cycles that it takes to copy a second factor."""
    if factor == "flat":
        return 0.0
    elements = product.sizes[2] * columns
    is_large = factor == "scattered" and elements * product.element_bytes > MOST_COPIED
    if not product.is_bounded or is_large:
        return math.inf
    return elements * (COPY if factor == "scattered" else COPY_LANE)


@dataclass(frozen=True)
class _Image:
    """Rows of columns: the range just outside of the columns, and that of the columns."""

    pair: tuple[kernel.RangeOp, kernel.RangeOp]
    rows: int
    columns: int
    names: dict[kernel.RangeOp, str]
    nest: kernel.Nest

    def factor(self, ops: Sequence[Operation]) -> Factor:
        """How what some ops load and compute lies in memory."""
        if self.runs_on(ops):
            return "flat"
        loads = [op for op in ops if isinstance(op, kernel.LoadOp)]
        return "gated" if all(map(self._is_flat, loads)) else "scattered"

    def runs_on(self, ops: Sequence[Operation]) -> bool:
        """Whether ops go to the next row of columns as they go to the next column."""
        for op in ops:
            if isinstance(op, kernel.LoadOp | kernel.StoreOp):
                if self.nest.operand_dependences[op] & {*self.pair} and not self._is_flat(op):
                    return False
                indices = [op.gate] if op.gate is not None else []
            else:
                indices = [value for value in op.operands if isinstance(value.type, IndexType)]
            if any(not self.nest.dependences[value].isdisjoint(self.pair) for value in indices):
                return False
        return True

    def _is_flat(self, op: kernel.LoadOp | kernel.StoreOp) -> bool:
        """Whether what an op accesses is `row * columns + column` elements on from something."""
        exprs, values = kernel.written_out(op.exprs, op.index_values)
        names = {value: placeholder(k) for k, value in enumerate(values)}
        row, column = (names.get(range_.result) for range_ in self.pair)
        if row is None or column is None:
            return False
        place = Expr.row_major(exprs, op.target.extents)
        return (place - Expr.of(row) * self.columns - column).names.isdisjoint({row, column})


def _image(func: kernel.FuncOp, nest: kernel.Nest, product: Product) -> _Image | None:
    names = kernel.range_names(func)
    inner = next(range_ for range_, name in names.items() if name == product.column_name)
    path = nest.path(frozenset({inner}))
    if len(path) < 2 or names[path[-2]] not in product.around or not is_plain(path[-2], names):
        return None
    outer = path[-2]
    rows, columns = outer.extent.constant, inner.extent.constant
    if rows is None or columns is None:
        return None
    return _Image((outer, inner), rows, columns, names, nest)
