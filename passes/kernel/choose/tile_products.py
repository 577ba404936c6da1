"""Choose a schedule for sums of products: a register tile, over panels that are packed.

    for i, j:                         for blocks of j:
      s = 0                             pack the right factor's columns of the block
      for k:                            for blocks of i:
        s += a[i, k] * b[k, j]   -->      rows x vectors accumulators = 0
      y[i, j] = s                         for k: each += element of a * vector of b
                                          store the tile

The rules: which tile (`registers` has the costs), and whether the right factor is packed. What is
chosen is a list of schedule primitives, which a remark prints as it could be written by hand.

Done for a kernel with one sum of products, over whatever index expressions, where one range occurs
in one factor alone and moves along the result's contiguous axis, and another in the other factor
alone. Further ranges stay loops around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO
from teenyir.dialects.kernel.nest import CLOSERS
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.registers import Tile, choose_tile
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

FEWEST_PRODUCTS = 4096
"""A sum of fewer products is over before a schedule pays."""

FEWEST_ROWS = 2
"""With one row there is nothing to share the loads of a vector with."""

UNKNOWN_EXTENT = 1024
"""What an extent without a maximum is taken for."""


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

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        product = find_product(op)
        if product is None:
            session.preserve_all()
            return
        m, n, k = product.sizes
        if m < FEWEST_ROWS or m * n * k < FEWEST_PRODUCTS:
            session.remark("missed", product.reduction, f"{m}x{n}x{k} is too small for a tile")
            session.preserve_all()
            return
        schedule = self.schedule(product)
        for primitive in schedule:
            primitive.rewrite(op)
        session.count("products")
        if session.wants_remarks:
            text = ",".join(f"{each.name}{{{_options(each)}}}" for each in schedule)
            session.remark("passed", op, f"a product of {m}x{n}x{k}: {text}")

    def schedule(self, product: Product) -> list[Primitive]:
        """The primitives that make the product fast."""
        m, n, _ = product.sizes
        bits = self.vector_bits or cpu.host().vector_bits
        registers = self.registers or cpu.host().vector_registers
        lanes = max(bits // 8 // product.element_bytes, 1)
        tile = choose_tile(m, n, lanes, registers)
        i, j = product.row_name, product.column_name
        steps: list[Primitive] = [
            SplitRange(
                range=i,
                by=tile.rows,
                outer=f"{i}o",
                inner=f"{i}u",
                loads="clamped" if product.rows_are_direct else "gated",
            ),
            SplitRange(range=j, by=tile.columns, outer=f"{j}o", inner=f"{j}n"),
            SplitRange(range=f"{j}n", by=tile.lanes, outer=f"{j}u", inner=f"{j}v"),
            SetKind(range=f"{i}u", kind="unroll"),
            SetKind(range=f"{j}u", kind="unroll"),
            SetKind(range=f"{j}v", kind="vector"),
        ]
        if self._packs_right(product, tile):
            over = (*product.steps, f"{j}u", f"{j}v")
            steps.append(PackBuffer(buffer=product.right, over=over))
        steps.append(OrderRanges(order=(*product.around, f"{j}o", f"{i}o")))
        return steps

    def _packs_right(self, product: Product, tile: Tile) -> bool:
        """Columns that several tiles of rows read, out of a matrix that the first cache has not."""
        m, n, k = product.sizes
        l1 = self.l1 or cpu.host().l1
        return m >= 4 * tile.rows and k * n * product.element_bytes > l1 // 2


def _options(primitive: Primitive) -> str:
    """The options of a primitive as text."""
    given: dict[str, int | str | tuple[str, ...]] = vars(primitive)
    texts = {
        name: ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in given.items()
        if value
    }
    return " ".join(f"{name}={text}" for name, text in texts.items())


# --- what a product is ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Product:
    """A sum of products, whose two factors are read from a buffer each."""

    reduction: kernel.ReduceOp
    right: str
    """The buffer of the factor with the columns."""
    row_name: str
    column_name: str
    steps: tuple[str, ...]
    """The ranges of the sum, outermost first."""
    around: tuple[str, ...]
    """The other ranges around it, outermost first."""
    sizes: tuple[int, int, int]
    """Rows, columns and steps; the greatest that they may be."""
    element_bytes: int
    rows_are_direct: bool
    """Whether every load that depends on the row names it, and through no other value."""


def find_product(func: kernel.FuncOp) -> Product | None:
    """The sum of products that a kernel is, or None."""
    closers = [op for op in func.body.block.ops if isinstance(op, CLOSERS)]
    stores = [op for op in func.body.block.ops if isinstance(op, kernel.StoreOp)]
    scans = [op for op in func.body.block.ops if isinstance(op, kernel.ScanOp | kernel.ScatterOp)]
    if len(closers) != 1 or len(stores) != 1 or scans:
        return None
    reduction, store = closers[0], stores[0]
    if not isinstance(reduction, kernel.ReduceOp) or reduction.kind.data != "add":
        return None
    multiply = reduction.value.owner
    if not isinstance(multiply, arith.MulfOp | arith.MuliOp):
        return None
    return _Matcher(func, reduction, store, multiply).match()


@dataclass
class _Matcher:
    func: kernel.FuncOp
    reduction: kernel.ReduceOp
    store: kernel.StoreOp
    multiply: arith.MulfOp | arith.MuliOp

    def match(self) -> Product | None:
        nest = kernel.Nest(self.func)
        facts = kernel_indices(self.func).facts
        names = kernel.range_names(self.func)
        around, closed = nest.open_around(self.reduction), kernel.closed_by(self.reduction)
        ranges = nest.in_text_order(around | closed)
        if len(names) != len({*names.values()}) or any(not _is_plain(r, names) for r in ranges):
            return None
        lhs, rhs = self.multiply.operands
        for factors in ((lhs, rhs), (rhs, lhs)):
            left, right = (nest.dependences[factor] for factor in factors)
            columns = [r for r in right - left - closed if self._is_contiguous_store(r)]
            rows = nest.in_text_order(left - right - closed)
            loads = [_only_load(factor, nest) for factor in factors]
            if not columns or not rows or not all(loads) or not closed <= left & right:
                continue
            row, column = rows[-1], columns[0]
            steps = nest.in_text_order(closed)
            size = [
                min(facts.interval(r.extent)[1] or UNKNOWN_EXTENT, 1 << 20)
                for r in (row, column, *steps)
            ]
            total = 1
            for extent in size[2:]:
                total *= extent
            read = loads[1]
            assert read is not None
            return Product(
                self.reduction,
                read.buffer.name_hint or "",
                names[row],
                names[column],
                tuple(names[r] for r in steps),
                tuple(names[r] for r in nest.in_text_order(around - {row, column})),
                (size[0], size[1], total),
                SCALAR_BYTES[self.reduction.value.type],
                self._is_direct(row, nest),
            )
        return None

    def _is_direct(self, row: kernel.RangeOp, nest: kernel.Nest) -> bool:
        loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
        touched = [op for op in loads if row in nest.operand_dependences[op]]
        return all(row.result in op.values for op in touched)

    def _is_contiguous_store(self, range_: kernel.RangeOp) -> bool:
        return _moves_by_one(self.store, range_)


def _is_plain(range_: kernel.RangeOp, names: dict[kernel.RangeOp, str]) -> bool:
    return (
        range_.how == "loop" and range_.lower.data == ZERO and not range_.values and range_ in names
    )


def _only_load(value: SSAValue, nest: kernel.Nest) -> kernel.LoadOp | None:
    """The load from an argument that a factor is, but for casts and the like; None if none."""
    loads: list[kernel.LoadOp] = []
    waiting = [value]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, kernel.LoadOp):
            loads.append(op)
        elif isinstance(op, Operation) and not op.name.startswith("kernel."):
            waiting += [v for v in op.operands if nest.dependences.get(v)]
        else:
            return None
    if len(loads) != 1:
        return None
    (load,) = loads
    uses = list(load.buffer.uses)
    return load if len(uses) == 1 and load.buffer.name_hint else None


def _moves_by_one(op: kernel.LoadOp | kernel.StoreOp, range_: kernel.RangeOp) -> bool:
    """Whether the next iteration of a range is at the next element of memory."""
    exprs, values = kernel.written_out(op.exprs, op.index_values)
    names = {placeholder(k) for k, value in enumerate(values) if value is range_.result}
    if not names or not exprs:
        return False
    (name,) = names
    *outer, last = exprs
    if any(name in expr.names for expr in outer):
        return False
    step = last.substitute({name: 1}) - last.substitute({name: 0})
    return step.constant == 1 and last.is_polynomial
