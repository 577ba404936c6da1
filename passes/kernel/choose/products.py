"""What a sum of products is to a schedule: which range gives it rows, and which columns."""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.analysis.work import ops_of
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.kernel.dependences import CLOSERS
from teenyir.dialects.syntax import placeholder

FEWEST_PRODUCTS = 4096
"""Fewer products are summed before a schedule pays."""

UNKNOWN_EXTENT = 1024
"""What an extent without a maximum is taken for."""

MANY_STEPS = 32
"""The least steps along memory that are worth vectors."""

LONGEST = 1 << 20
"""What a longer extent is taken for."""

SHORT = 8
"""Steps that may be written out: the sides of windows."""


@dataclass(frozen=True)
class Product:
    """A sum of products, whose two factors are read from a buffer each."""

    reduction: kernel.ReduceOp
    columns: SSAValue
    """The factor without the rows."""
    left: str
    """The buffer of the first factor."""
    right: str
    """That of the second one, without the rows."""
    row_name: str
    """The range that the first factor alone depends on."""
    column_name: str
    """The range that the second factor alone depends on; empty if there is none."""
    steps: tuple[str, ...]
    """The ranges of the sum, outermost first."""
    gated_steps: tuple[str, ...]
    """Those of them that a gate of the second factor depends on."""
    short_step: str
    """The last of these, if it is short enough to be written out; empty if not."""
    around: tuple[str, ...]
    """The other ranges around it, outermost first."""
    sizes: tuple[int, int, int]
    """Rows, columns and steps; the greatest that they may be."""
    element_bytes: int
    loads_of_rows: Literal["clamped", "gated"]
    """What loads may do beyond the last row."""
    is_along_rows: bool
    """Whether the next step of the sum reads the next element of the first factor."""
    is_along_columns: bool
    """Whether the next column is the next element of the second factor."""
    has_constant_columns: bool
    """Whether there are always so many columns."""
    is_constant: bool
    """Whether there are always so many rows, columns and steps."""
    is_bounded: bool
    """Whether every step's extent has a maximum, so that all steps fit into memory."""
    is_transposed: bool
    """Whether the next step is it, for many steps: the columns would do as rows."""
    ops_after: int
    """How many ordinary ops what is computed from a sum is worth, up to what is stored."""
    row_bytes: int | None
    """Bytes from a row of the first factor to the next; None if they vary."""
    images: int
    """What is loaded for each element of the result, beside the factors."""

    @property
    def is_plain(self) -> bool:
        """Whether it is one of two matrices: its extents are numbers, and its loads have no gates
        but for rows beyond the last one."""
        return (
            self.is_constant
            and self.is_along_columns
            and self.loads_of_rows == "clamped"
            and len(self.steps) == 1
            and not self.gated_steps
        )


def find_product(func: kernel.FuncOp, nest: kernel.Nest, *, columns: bool = True) -> Product | None:
    """The sum of products that a kernel is, or None; with columns along memory, or without them.

    Without columns all ranges but the rows are loops around.
    """
    products = find_products(func, nest, columns=columns)
    return products[0] if len(products) == 1 else None


def find_products(func: kernel.FuncOp, nest: kernel.Nest, *, columns: bool = True) -> list[Product]:
    """The sums of products that a kernel is, all of them over the same rows and columns, as in
    `a @ b + c @ d`; none where it is anything else."""
    ops = list(func.body.block.ops)
    closers = [op for op in ops if type(op) in CLOSERS]
    stores = [op for op in ops if type(op) is kernel.StoreOp]
    scans = [op for op in ops if type(op) is kernel.ScanOp or type(op) is kernel.ScatterOp]
    sums = [op for op in closers if isinstance(op, kernel.ReduceOp) and op.kind.data == "add"]
    if not sums or sums != closers or len(stores) != 1 or scans:
        return []
    matcher = _Matcher(func, stores[0], nest)
    found = [matcher.match(op, columns) for op in sums]
    products = [product for product in found if product is not None]
    alike = {(each.row_name, each.column_name, each.around) for each in products}
    return products if len(products) == len(found) and len(alike) == 1 else []


@dataclass
class _Matcher:
    func: kernel.FuncOp
    store: kernel.StoreOp
    nest: kernel.Nest

    def __post_init__(self) -> None:
        self.facts = kernel_indices(self.func).facts
        self.names = kernel.range_names(self.func)
        self.buffers = kernel.buffer_names(self.func)

    def match(self, reduction: kernel.ReduceOp, with_columns: bool) -> Product | None:
        multiply = reduction.value.owner
        if not isinstance(multiply, arith.MulfOp | arith.MuliOp):
            return None
        nest, facts, names = self.nest, self.facts, self.names
        around, closed = nest.open_around(reduction), kernel.closed_by(reduction)
        ranges = nest.in_text_order(around | closed)
        if len(names) != len({*names.values()}) or any(not is_plain(r, names) for r in ranges):
            return None
        lhs, rhs = multiply.operands
        for factors in ((lhs, rhs), (rhs, lhs)):
            left, right = (nest.dependences[factor] for factor in factors)
            columns = [r for r in right - left - closed if self._is_contiguous_store(r)]
            rows = nest.in_text_order(left - right - closed)
            first, second = (_only_load(factor, nest) for factor in factors)
            if with_columns and not columns:
                continue
            if not with_columns:
                columns = []
            if not rows or not closed <= left & right or not first or not second:
                continue
            row, column = rows[-1], columns[0] if columns else None
            steps = nest.in_text_order(closed)
            gated = [r for r in steps if r in _of_gate(second, nest)]
            m, n, *sizes = (
                min(facts.interval(r.extent)[1] or UNKNOWN_EXTENT, LONGEST) if r else 1
                for r in (row, column, *steps)
            )
            return Product(
                reduction,
                factors[1],
                self.buffers[first.buffer],
                self.buffers[second.buffer],
                names[row],
                names[column] if column else "",
                tuple(names[r] for r in steps),
                tuple(names[r] for r in gated),
                names[gated[-1]] if gated and _is_short(gated[-1]) else "",
                tuple(names[r] for r in nest.in_text_order(around - {row, column})),
                (m, n, math.prod(sizes)),
                SCALAR_BYTES[reduction.value.type],
                "clamped" if self._is_direct(row, nest) else "gated",
                moves_by_one(first, steps[-1]),
                column is not None and moves_by_one(second, column),
                column is not None and column.extent.constant is not None,
                all(r.extent.constant is not None for r in (row, column, *steps) if r),
                all(facts.interval(r.extent)[1] is not None for r in steps),
                moves_by_one(second, steps[-1]) and sizes[-1] >= MANY_STEPS,
                sum(map(ops_of, _computed_from(reduction))),
                _row_bytes(first, row),
                self._images(row, column),
            )
        return None

    def _is_direct(self, row: kernel.RangeOp, nest: kernel.Nest) -> bool:
        loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
        touched = [op for op in loads if row in nest.operand_dependences[op]]
        return all(row.result in op.values for op in touched)

    def _images(self, row: kernel.RangeOp, column: kernel.RangeOp | None) -> int:
        dependences = self.nest.operand_dependences
        loads = [op for op in self.nest.ops if isinstance(op, kernel.LoadOp)]
        return sum(row in dependences[op] and column in dependences[op] for op in loads)

    def _is_contiguous_store(self, range_: kernel.RangeOp) -> bool:
        """Whether a range is the last index by itself: beside others, `k * 4 + l`, nobody could
        tell apart what the parts of a tile that reaches beyond its extent write."""
        exprs, _ = _long_axes(self.store)
        return moves_by_one(self.store, range_) and len(exprs[-1].names) == 1


def _of_gate(load: kernel.LoadOp, nest: kernel.Nest) -> AbstractSet[kernel.RangeOp]:
    return nest.dependences[load.gate] if load.gate is not None else frozenset()


def _is_short(range_: kernel.RangeOp) -> bool:
    extent = range_.extent.constant
    return extent is not None and extent <= SHORT


def _computed_from(reduction: Operation) -> set[Operation]:
    found: set[Operation] = set()
    waiting = list(reduction.results)
    while waiting:
        users = {use.operation for use in waiting.pop().uses} - found
        found |= users
        waiting += [result for op in users for result in op.results]
    return found


def is_plain(range_: kernel.RangeOp, names: dict[kernel.RangeOp, str]) -> bool:
    """Whether a range is a loop from 0 to an extent, and has a name."""
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
    return load if load.buffer.name_hint else None


def moves_by_one(op: kernel.LoadOp | kernel.StoreOp, range_: kernel.RangeOp) -> bool:
    """Whether the next iteration of a range is at the next element of memory."""
    exprs, values = _long_axes(op)
    names = {placeholder(k) for k, value in enumerate(values) if value is range_.result}
    if not names or not exprs:
        return False
    (name,) = names
    *outer, last = exprs
    if any(name in expr.names for expr in outer):
        return False
    step = last.substitute({name: 1}) - last.substitute({name: 0})
    return step.constant == 1 and last.is_polynomial


def _row_bytes(load: kernel.LoadOp, row: kernel.RangeOp) -> int | None:
    """Bytes from what is loaded for an iteration of a range to what is for the next."""
    exprs, values = kernel.written_out(load.exprs, load.index_values)
    names = [placeholder(k) for k, value in enumerate(values) if value is row.result]
    place = Expr.row_major(exprs, load.target.extents)
    if len(names) != 1 or not place.is_polynomial:
        return None
    step = place.substitute({names[0]: 1}) - place.substitute({names[0]: 0})
    return None if step.constant is None else step.constant * SCALAR_BYTES[load.result.type]


def _long_axes(op: kernel.LoadOp | kernel.StoreOp) -> tuple[list[Expr], list[SSAValue]]:
    """The indices of an access, and what is in them, without those of axes of one element."""
    exprs, values = kernel.written_out(op.exprs, op.index_values)
    extents = op.target.extents
    return [e for e, extent in zip(exprs, extents, strict=True) if extent.constant != 1], values
