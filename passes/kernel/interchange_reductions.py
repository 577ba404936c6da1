"""Sum whole rows at once, where the innermost result axis is the contiguous one.

A sum of products whose factor lies across the reduced axis reads memory by columns. With the loop
over the row inside those over the reduced ranges, every access is contiguous, and the row's sums
wait in local memory:

    for i                                   for i
      for j                                   row = 0
        for k                         -->     for k, j
          s += a[i, k] * b[k, j]                row[j] += a[i, k] * b[k, j]
        y[i, j] = s                           for j
                                                y[i, j] = row[j]

Where a step loads one value along the row, several rows are added up at a time, and the sums that
wait are read and written once for all of them:

                                            for k in blocks of 8, j
                                              row[j] += b[k, j] + b[k + 1, j] + ..

Legal, because reductions may be formed in any order. Done where the row has a constant size that
fits the first-level cache beside its operands, what is summed is computed from no other reduction
in the row and staged nowhere, no load is gated (a gate is a branch, which the interchange would put
into the inner loop), and some load runs along the row contiguously but not
along a reduced range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import Expr
from teenyir.dialects.kernel.dependences import CLOSERS
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.schedule.primitive import before, cone, erase_unused
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

MOST_BYTES = 16 * 1024
"""The longest row that is summed at once: half of a usual first-level cache."""

ROWS = (8, 4, 2)
"""How many rows are added up at a time: the first of these that divides how many there are."""


@dataclass(frozen=True)
class InterchangeReductions(Pass):
    """Sum whole rows at once, where the innermost result axis is the contiguous one."""

    name = "interchange-reductions"
    anchor: ClassVar[str | None] = "kernel.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        changed = False
        for reduction in [o for o in op.body.block.ops if isinstance(o, kernel.ReduceOp)]:
            nest = kernel.Nest(op) if changed else session.analysis(NEST, op)
            row = _row(reduction, nest)
            if row is not None:
                why = attempt(partial(_interchange, reduction, row, nest), op)
                if why is not None:
                    session.remark("missed", reduction, f"does not sum rows at once: {why}")
                    return  # the other reductions are ops that are no more
                session.remark("passed", reduction, f"sums rows of {row.extent} at once")
                session.count("rows")
                changed = True
        if not changed:
            session.preserve_all()


_CLOSERS = (*CLOSERS, kernel.ScanOp)


def _row(reduction: kernel.ReduceOp, nest: kernel.Nest) -> kernel.RangeOp | None:
    """The range over the row to sum at once, or None where the order is better as it is."""
    around = nest.place(reduction)
    if not around or reduction.kind.data != "add":
        return None
    row = around[-1]
    extent = row.extent.constant
    if extent is None or row.lower.data.constant != 0 or row.values:
        return None
    if not 8 <= extent <= MOST_BYTES // SCALAR_BYTES[reduction.value.type]:
        return None
    closed = kernel.closed_by(reduction)
    if any(nest.operand_dependences[range_] for range_ in closed):
        return None  # their bounds depend on other ranges
    inner = cone([reduction.value], {row, *closed}, nest)
    if any(isinstance(op, _CLOSERS) for op in inner):
        return None  # its loop would have to be in both places
    stages = [op for op in nest.ops if isinstance(op, kernel.StageOp)]
    if any(not closed.isdisjoint(kernel.closed_by(op)) for op in stages):
        return None  # what is staged along with the sum would be computed twice
    loads = [op for op in inner if isinstance(op, kernel.LoadOp)]
    if any(load.gate is not None for load in loads):
        return None
    along = [load for load in loads if row in _ranges(load)]
    contiguous = all(_is_contiguous(load, row) for load in along)
    across = any(not _is_contiguous(load, k) for load in along for k in closed & _ranges(load))
    return row if contiguous and across else None


def _ranges(load: kernel.LoadOp) -> set[kernel.RangeOp]:
    return {value.owner for value in load.values if isinstance(value.owner, kernel.RangeOp)}


def _is_contiguous(load: kernel.LoadOp, range_: kernel.RangeOp) -> bool:
    """Whether the next iteration of a range reads the next element of memory."""
    names = {placeholder(k) for k, value in enumerate(load.values) if value is range_.result}
    *outer, last = load.exprs or (Expr.of(0),)
    if any(not names.isdisjoint(expr.names) for expr in outer):
        return False
    step = [(m, c) for m, c in last.terms if any(str(atom) in names for atom in m)]
    rest = last - Expr(tuple(step))
    return len(step) == 1 and step[0][1] == 1 and names.isdisjoint(rest.names)


def _interchange(reduction: kernel.ReduceOp, row: kernel.RangeOp, nest: kernel.Nest) -> None:
    closed = nest.in_text_order(kernel.closed_by(reduction))
    inner = cone([reduction.value], {row, *closed}, nest)
    builder = LocatedBuilder(InsertPoint.before(reduction), reduction.location)
    copies: dict[SSAValue, SSAValue] = {}
    for old in (*closed, row):
        copies[old.result] = builder.insert(old.clone()).result
        copies[old.result].name_hint = old.result.name_hint
    over, rows = [copies[range_.result] for range_ in closed], _at_a_time(closed[-1], row, inner)
    if rows is not None:
        over[-1], copies[closed[-1].result] = _block(over[-1], rows)
    for old in inner:
        copy = builder.insert(old.clone(copies))
        for result, copied in zip(old.results, copy.results, strict=True):
            copies[result] = copied
            copied.name_hint = result.name_hint
    value = copies.get(reduction.value, reduction.value)
    if rows is not None:
        value = builder.insert(kernel.ReduceOp("add", value, [rows.result])).result
    buffer = kernel.BufferType([row.extent], value.type, "local")
    stage = builder.insert(
        kernel.StageOp(
            value,
            [placeholder(0)],
            [copies[row.result]],
            [copies[row.result]],
            buffer,
            over,
            reduction.kind.data,
        )
    )
    stage.result.name_hint = "row"
    load = builder.insert(kernel.LoadOp(stage.result, [placeholder(0)], [row.result]))
    load.result.name_hint = reduction.result.name_hint
    reduction.result.replace_all_uses_with(load.result)
    erase_unused([reduction, *reversed(inner), *closed])


def _at_a_time(
    range_: kernel.RangeOp, row: kernel.RangeOp, inner: Sequence[Operation]
) -> kernel.RangeOp | None:
    """A range over the rows that are added up at a time; None for one by one."""
    extent = range_.extent.constant
    along = [op for op in inner if isinstance(op, kernel.LoadOp) and row in _ranges(op)]
    if extent is None or len(along) != 1:
        return None
    count = next((rows for rows in ROWS if extent % rows == 0), None)
    return None if count is None else kernel.RangeOp(0, count, kind="unroll")


def _block(range_: SSAValue, rows: kernel.RangeOp) -> tuple[SSAValue, SSAValue]:
    """A range over blocks of rows in place of one over rows, and the number of a row."""
    old, name = range_.owner, range_.name_hint
    assert isinstance(old, kernel.RangeOp)
    count = rows.extent.constant or 1
    builder = before(old)
    blocks = builder.insert(kernel.RangeOp(0, old.extent.ceildiv(count)))
    builder.insert(rows)
    blocks.result.name_hint, rows.result.name_hint = f"{name}o", f"{name}u"
    index = old.lower.data + Expr.of(placeholder(0)) * count + placeholder(1)
    row = builder.insert(kernel.IndexOp(index, [blocks.result, rows.result])).result
    row.name_hint = name
    old.detach()
    old.erase()
    return blocks.result, row
