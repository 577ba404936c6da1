"""Whether two ranges of a product's columns should be one, as the pixels of an image.

    for j in 0 to 7:                     for p in 0 to 49:
      for k in 0 to 7:            -->      y[i, p] = sum of w[i, l] * x[l, p]
        y[i, j, k] = sum of w[i, l] * x[l, j, k]

Vectors of 16 hold 7 columns, or 49 of 64. What is stored, and what is loaded for it, has to run on
from one row to the next in memory. A second factor that does so but for the edges, where it is
gated, is packed, in vectors of which lanes are gated off: a convolution whose image is as large as
its result. One that does not, as where the windows have a stride, is copied into a panel that does,
one by one, if that pays: the cycles of the tiles and of the copies say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.products import Product, is_plain
from teenyir.passes.kernel.choose.registers import choose_tile
from teenyir.passes.kernel.schedule.fuse_ranges import FuseRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive, cone

COPY = 3
"""Cycles that copying an element takes, with its gate and one by one."""

COPY_LANE = 0.5
"""Cycles that it takes in a vector, with its gate."""

MOST_COPIED = 1 << 22
"""Bytes of a panel that is copied as a whole: more is not in a cache when it is used."""

Factor = Literal["flat", "gated", "scattered"]
"""How a second factor lies in memory: one row after the other, or so but for gates, or not."""


@dataclass(frozen=True)
class Flat:
    """How columns are made one range, and the products then."""

    steps: list[Primitive]
    products: list[Product]
    copied: list[bool]
    """Which products have their second factor in a panel already."""


def flat_columns(
    func: kernel.FuncOp, products: Sequence[Product], lanes: int, registers: int
) -> Flat | None:
    """How to make one range of the columns and the range around them; None if it does not pay."""
    pair = _pair(func, products[0])
    if pair is None:
        return None
    (outer, rows), (inner, columns) = pair
    names = kernel.range_names(func)
    fused = f"{names[outer]}{names[inner]}"
    nest = kernel.Nest(func)
    rights = [cone([each.columns], (outer, inner), nest) for each in products]
    apart = {op for ops in rights for op in ops}
    others = [op for op in nest.ops if op not in apart and not isinstance(op, kernel.RangeOp)]
    if fused in names.values() or not _runs_on(others, outer, inner, columns, nest):
        return None
    kinds = [_kind(ops, outer, inner, columns, nest) for ops in rights]
    m, n = products[0].sizes[0], rows * columns
    copies = 0.0
    for each, kind in zip(products, kinds, strict=True):
        elements = each.sizes[2] * n
        if kind == "flat":
            continue
        if not each.is_bounded:
            return None
        if kind == "scattered" and elements * each.element_bytes > MOST_COPIED:
            return None
        copies += elements * (COPY if kind == "scattered" else COPY_LANE)
    steps = sum(each.sizes[2] for each in products)

    def cycles(n: int) -> float:
        return choose_tile(m, n, lanes, registers).cycles(m, n)

    if steps * cycles(n) + copies >= rows * steps * cycles(columns):
        return None
    packs: list[Primitive] = [
        PackBuffer(buffer=each.right, over=(*each.steps, names[outer], names[inner]))
        for each, kind in zip(products, kinds, strict=True)
        if kind == "scattered"
    ]
    fuse = FuseRanges(outer=names[outer], inner=names[inner], fused=fused)
    flat = [
        replace(
            each,
            column_name=fused,
            around=tuple(name for name in each.around if name != names[outer]),
            sizes=(m, n, each.sizes[2]),
            is_along_columns=kind != "gated",
        )
        for each, kind in zip(products, kinds, strict=True)
    ]
    return Flat([*packs, fuse], flat, [kind == "scattered" for kind in kinds])


def _pair(
    func: kernel.FuncOp, product: Product
) -> tuple[tuple[kernel.RangeOp, int], tuple[kernel.RangeOp, int]] | None:
    """The range just outside of the columns, and that of the columns, with their extents."""
    names = kernel.range_names(func)
    ranges = {name: range_ for range_, name in names.items()}
    inner = ranges[product.column_name]
    path = kernel.Nest(func).path(frozenset({inner}))
    if len(path) < 2 or names[path[-2]] not in product.around or not is_plain(path[-2], names):
        return None
    rows, columns = path[-2].extent.constant, inner.extent.constant
    return None if rows is None or columns is None else ((path[-2], rows), (inner, columns))


def _kind(
    ops: Sequence[Operation],
    outer: kernel.RangeOp,
    inner: kernel.RangeOp,
    columns: int,
    nest: kernel.Nest,
) -> Factor:
    if _runs_on(ops, outer, inner, columns, nest):
        return "flat"
    loads = [op for op in ops if isinstance(op, kernel.LoadOp)]
    return "gated" if all(_is_flat(op, outer, inner, columns) for op in loads) else "scattered"


def _runs_on(
    ops: Sequence[Operation],
    outer: kernel.RangeOp,
    inner: kernel.RangeOp,
    columns: int,
    nest: kernel.Nest,
) -> bool:
    """Whether ops go to the next row of columns as they go to the next column."""
    pair = {outer, inner}
    for op in ops:
        if isinstance(op, kernel.LoadOp | kernel.StoreOp):
            indices = [op.gate] if op.gate is not None else []
            if pair & nest.operand_dependences[op] and not _is_flat(op, outer, inner, columns):
                return False
        else:
            indices = [value for value in op.operands if isinstance(value.type, IndexType)]
        if any(not pair.isdisjoint(nest.dependences[value]) for value in indices):
            return False
    return True


def _is_flat(
    op: kernel.LoadOp | kernel.StoreOp,
    outer: kernel.RangeOp,
    inner: kernel.RangeOp,
    columns: int,
) -> bool:
    """Whether what an op accesses is `outer * columns + inner` elements on from something."""
    exprs, values = kernel.written_out(op.exprs, op.index_values)
    names = {value: placeholder(k) for k, value in enumerate(values)}
    if outer.result not in names or inner.result not in names:
        return False
    address, stride = ZERO, ONE
    for expr, extent in zip(reversed(exprs), reversed(op.target.extents), strict=True):
        address, stride = address + expr * stride, stride * extent
    moved = Expr.of(names[outer.result]) * columns + names[inner.result]
    return (address - moved).names.isdisjoint({names[outer.result], names[inner.result]})
