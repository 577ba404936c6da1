"""Sums of products around rows that are staged: which range gives the rows, and which columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO
from teenyir.passes.kernel.choose.products import LONGEST, UNKNOWN_EXTENT, moves_by_one

T = TypeVar("T")
Loads = Literal["clamped", "gated"]


@dataclass(frozen=True)
class Columns:
    """A range that a factor of products has for itself."""

    name: str
    size: int
    """Its extent; the greatest that it may be."""
    loads: Loads
    """What loads may do beyond its end."""
    packed: tuple[tuple[str, tuple[str, ...]], ...]
    """Buffers that are read across memory, each with the steps of the sum that it is read along."""


@dataclass(frozen=True)
class StagedProducts:
    """Sums of products that end in rows, and those that read them again."""

    around: tuple[str, ...]
    """The other ranges around what is staged, outermost first; none where they are outside."""
    row: str
    """The range with an iteration for each row."""
    rows: int
    """The number of rows; the greatest that it may be."""
    row_bytes: int
    """What is staged in each iteration."""
    products: int
    """All products that are summed."""
    element_bytes: int
    loads: Loads
    """What loads may do beyond the last row."""
    stored: str
    """The buffer that is stored to."""
    first: tuple[Columns, ...]
    """The columns of each product that ends in a row: the elements of the row. Packed is what has
    the rows."""
    across: tuple[tuple[str, tuple[str, ...]], ...]
    """What else the rows are computed from that lies across memory: buffers, each with the ranges
    that it is read along inside the rows."""
    last: Columns | None
    """The columns of the stored product; None where nothing but the rows is stored. Packed is what
    has the columns."""
    apart: bool
    """Whether what is stored of a row lies apart from what is stored of the next."""


def find_staged(func: kernel.FuncOp) -> StagedProducts | None:
    """The products around the staged rows of a kernel, or None where it is of another kind."""
    ops = list(func.body.block.ops)
    stores = [op for op in ops if isinstance(op, kernel.StoreOp)]
    if len(stores) != 1 or any(isinstance(op, _FOREIGN) for op in ops):
        return None
    stages = [op for op in ops if isinstance(op, kernel.StageOp)]
    running = frozenset[kernel.RangeOp]().union(*map(_run_along, ops))
    if not stages:
        return None
    return _Matcher(func, stores[0], kernel.Nest(func), running).match()


def _run_along(op: Operation) -> frozenset[kernel.RangeOp]:
    """The ranges along which a fold, a scan or a stage that is scaled runs."""
    if isinstance(op, kernel.StageOp):
        return kernel.accumulated_by(op) if op.scale is not None else frozenset()
    is_run = isinstance(op, kernel.FoldOp | kernel.ScanOp)
    return kernel.closed_by(op) | kernel.scanned_by(op) if is_run else frozenset()


_FOREIGN = (kernel.ScatterOp, kernel.SortOp, kernel.MmaOp)


@dataclass(frozen=True)
class _Product:
    """A sum of products with a factor of rows and one without."""

    reduction: kernel.ReduceOp
    left: SSAValue
    right: SSAValue
    columns: tuple[kernel.RangeOp, ...]
    """The ranges that the factor without rows has for itself."""


@dataclass
class _Matcher:
    func: kernel.FuncOp
    store: kernel.StoreOp
    nest: kernel.Nest
    running: frozenset[kernel.RangeOp]
    """The ranges along which something is folded or scaled (see `running-fold`)."""

    def __post_init__(self) -> None:
        self.facts = kernel_indices(self.func).facts
        self.names = kernel.range_names(self.func)
        self.buffers = kernel.buffer_names(self.func)

    def match(self) -> StagedProducts | None:
        for row in reversed(self.nest.in_text_order(self.nest.operand_dependences[self.store])):
            if self._is_blockable(row) and (found := self._around(row)) is not None:
                return found
        return None

    def _around(self, row: kernel.RangeOp) -> StagedProducts | None:
        """The products around what is staged in each iteration of a range."""
        stages = [op for op in self._all(kernel.StageOp) if row in self.nest.open_around(op)]
        products = [p for op in self._all(kernel.ReduceOp) if (p := self._product(op, row))]
        first = {
            p.columns[0]: p
            for p in products
            if len(p.columns) == 1 and any(p.columns[0] in kernel.closed_by(s) for s in stages)
        }
        last = [p for p in products if p not in first.values()]
        stored = self.nest.operand_dependences[self.store]
        around = {r for stage in stages for r in self.nest.open_around(stage)}
        inside = set(stored) - around
        columns = {column for p in last for column in p.columns if column in inside}
        if not stages or not products or len(columns) > 1:
            return None
        if inside != columns and (last or not self.running):
            return None
        if not around - self.running <= stored or not all(map(self._is_plain, around)):
            return None
        if any(not self._is_plain(r) for r in (*first, *columns)):
            return None
        bytes_ = [SCALAR_BYTES[s.value.type] * (s.target.size.constant or 1) for s in stages]
        outside = self.nest.in_text_order(around - self.running)
        return StagedProducts(
            () if outside[-1] is row else tuple(self.names[r] for r in outside if r is not row),
            self.names[row],
            self._size(row),
            sum(bytes_),
            sum(map(self._count, products)),
            max(SCALAR_BYTES[p.reduction.value.type] for p in products),
            self._loads(row),
            self.buffers.get(self.store.buffer, ""),
            tuple(
                self._columns(j, tuple(self._packed(p.left, row, p, None)))
                for j, p in first.items()
            ),
            tuple(self._across(row, around, stages, products)),
            next(
                (
                    self._columns(c, tuple(q for p in last for q in self._packed(p.right, c, p, c)))
                    for c in columns
                ),
                None,
            ),
            not moves_by_one(self.store, row),
        )

    def _all(self, kind: type[T]) -> list[T]:
        return [op for op in self.nest.ops if isinstance(op, kind)]

    def _is_blockable(self, row: kernel.RangeOp) -> bool:
        """Whether a range is a loop that nothing but stores close, and no other's bounds need."""
        return self._is_plain(row) and not any(
            row in kernel.closed_by(op) | kernel.scanned_by(op)
            or (isinstance(op, kernel.RangeOp) and row in self.nest.operand_dependences[op])
            for op in self.nest.ops
        )

    def _is_plain(self, range_: kernel.RangeOp) -> bool:
        return (
            range_.how == "loop"
            and range_.lower.data == ZERO
            and not range_.values
            and list(self.names.values()).count(self.names[range_]) == 1
        )

    def _product(self, op: kernel.ReduceOp, row: kernel.RangeOp) -> _Product | None:
        """A sum of products of which one factor has the rows."""
        multiply = op.value.owner
        if op.kind.data != "add" or not isinstance(multiply, arith.MulfOp | arith.MuliOp):
            return None
        closed = kernel.closed_by(op)
        lhs, rhs = multiply.operands
        for left, right in ((lhs, rhs), (rhs, lhs)):
            has, other = self.nest.dependences[left], self.nest.dependences[right]
            if row in has - other and closed <= has & other:
                columns = self.nest.in_text_order(other - has - self.running)
                return _Product(op, left, right, tuple(columns))
        return None

    def _columns(
        self, range_: kernel.RangeOp, packed: tuple[tuple[str, tuple[str, ...]], ...]
    ) -> Columns:
        return Columns(self.names[range_], self._size(range_), self._loads(range_), packed)

    def _packed(
        self,
        factor: SSAValue,
        range_: kernel.RangeOp,
        product: _Product,
        along: kernel.RangeOp | None,
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What a factor loads from arguments in a range, but for what moves along memory."""
        closed = kernel.closed_by(product.reduction)
        steps = self.nest.in_text_order(closed)
        if any(self.facts.interval(step.extent)[1] is None for step in steps):
            return  # there is no room for all of them
        for op in self._read(factor, range_):
            if along is not None and moves_by_one(op, along):
                continue
            read = [self.names[s] for s in steps if s in self.nest.dependences[op.result]]
            if read:
                yield self.buffers.get(op.buffer, ""), tuple(read)

    def _across(
        self,
        row: kernel.RangeOp,
        around: set[kernel.RangeOp],
        stages: Sequence[kernel.StageOp],
        products: Sequence[_Product],
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What is loaded for the rows, besides factors, but for what the next row has beside it."""
        factors = {op for p in products for op in self._read(p.left, row)}
        needed = {op: None for stage in stages for op in self._read(stage.value, row)}
        for op in needed:
            if op in factors or moves_by_one(op, row):
                continue
            ranges = self.nest.dependences[op.result]
            along = self.nest.in_text_order(ranges - around)
            bounded = all(self.facts.interval(r.extent)[1] is not None for r in along)
            if along and bounded:
                yield self.buffers.get(op.buffer, ""), tuple(self.names[r] for r in along)

    def _read(self, value: SSAValue, range_: kernel.RangeOp) -> Iterator[kernel.LoadOp]:
        """The loads from arguments, in a range, that a value is computed from without a stage."""
        waiting, seen = [value], set[Operation]()
        while waiting:
            op = waiting.pop().owner
            if not isinstance(op, Operation) or isinstance(op, kernel.RangeOp) or op in seen:
                continue
            seen.add(op)
            if range_ not in self.nest.dependences[op.results[0]] or isinstance(op, kernel.StageOp):
                continue
            if isinstance(op, kernel.LoadOp) and not isinstance(op.buffer.owner, Operation):
                yield op
            waiting += op.operands

    def _loads(self, range_: kernel.RangeOp) -> Loads:
        """Whether loads in a range have it as an index by itself, and so can be clamped."""
        for op in self._all(kernel.LoadOp):
            by_way = any(range_ in self.nest.dependences[value] for value in op.values)
            if by_way and range_.result not in op.values:
                return "gated"
        return "clamped"

    def _size(self, range_: kernel.RangeOp) -> int:
        return min(self.facts.interval(range_.extent)[1] or UNKNOWN_EXTENT, LONGEST)

    def _count(self, product: _Product) -> int:
        ranges = self.nest.operand_dependences[product.reduction]
        return math.prod(map(self._size, ranges))
