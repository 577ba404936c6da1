"""Choose a schedule for reductions along columns: neighbouring columns in the lanes of a vector.

    for l:                                    for blocks of l:
      for n: m = max(m, x[n, l])                for n: m = max(m, x[n, lanes of l])
      for k: e[k, l] = exp(x[k, l] - m)  -->    for k: e[k, lanes] = exp(x[k, lanes] - m)
             s += e[k, l]                              s += e[k, lanes]

What is reduced lies across memory, and the loop around it runs along memory: a column at a time
uses one element of each cache line. Several columns at once use vectors of neighbours, and none of
their lanes are ever combined. What is staged of each column is a panel of several (`widen-stages`),
which is to stay in the second-level cache.

Done for a loop around reductions across memory, all of whose accesses run along memory with it or
stay where they are, without gates. A sum that nothing in the loop uses is left to
`interchange-reductions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import UNKNOWN_EXTENT, is_plain, moves_by_one
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.widen_stages import WidenStages
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

MOST_VECTORS = 4
"""Vectors of columns side by side: what one waits for, the others do not, and of each row several
cache lines are read at once."""

MOST_IDLE = 1.5
"""Lanes per column at most: beyond that it is faster without any."""


@dataclass(frozen=True)
class Columns:
    """A loop over columns."""

    name: str
    size: int
    """Its extent; the greatest that it may be."""
    element_bytes: int
    staged_bytes: int
    """What is staged of each column."""


@dataclass(frozen=True)
class LaneColumns(Pass):
    """Reduce along columns with neighbouring columns in lanes."""

    name = "lane-columns"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    l2: int | None = None
    """Bytes of the second-level data cache; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = find_columns(op)
        if found is None:
            session.preserve_all()
            return
        bits = self.vector_bits or cpu.host().vector_bits
        lanes = max(bits // 8 // found.element_bytes, 1)
        text = f"reductions along {found.size} columns"
        if lanes == 1 or MOST_IDLE * found.size < _padded(found.size, lanes):
            session.remark("missed", op, f"{text}: too many of {lanes} lanes would be idle")
            session.preserve_all()
            return
        l2 = cpu.host().l2 if self.l2 is None else self.l2
        fitting = l2 // (found.staged_bytes * lanes) if found.staged_bytes else MOST_VECTORS
        if fitting < 1:
            local = found.staged_bytes * lanes
            session.remark("missed", op, f"{text}: {local} bytes staged of {lanes} are too many")
            session.preserve_all()
            return
        vectors = _vectors(found.size, lanes, min(fitting, MOST_VECTORS))
        schedule = schedule_lanes(found.name, vectors, lanes, is_staged=found.staged_bytes > 0)
        if not apply(schedule, op, session):
            return
        session.count("loops")
        if session.wants_remarks:
            session.remark("passed", op, f"{text}: {as_text(schedule)}")


def schedule_lanes(
    column: str, vectors: int, lanes: int, *, is_staged: bool = False
) -> list[Primitive]:
    """The primitives that put columns into so many vectors of lanes; what is staged of each column
    becomes a panel."""
    i = column
    return [
        SplitRange(range=i, by=vectors * lanes, outer=f"{i}o", inner=f"{i}n", loads="clamped"),
        *([WidenStages(range=f"{i}n")] if is_staged else []),
        SplitRange(range=f"{i}n", by=lanes, outer=f"{i}u", inner=f"{i}v"),
        *([] if is_staged else [SetKind(range=f"{i}u", kind="unroll")]),
        SetKind(range=f"{i}v", kind="vector"),
    ]


def _vectors(size: int, lanes: int, most: int) -> int:
    """Vectors side by side: as many as leave the fewest lanes idle."""
    return min(range(most, 0, -1), key=lambda vectors: _padded(size, vectors * lanes))


def _padded(size: int, block: int) -> int:
    return -(-size // block) * block


def find_columns(func: kernel.FuncOp) -> Columns | None:
    """The loop over columns that reductions of a kernel stand in, or None."""
    ops = list(func.body.block.ops)
    reductions = [op for op in ops if isinstance(op, kernel.ReduceOp)]
    if not reductions or any(isinstance(op, _FOREIGN) for op in ops):
        return None
    if any(isinstance(op, kernel.RangeOp) and op.how != "loop" for op in ops):
        return None
    nest, names = kernel.Nest(func), kernel.range_names(func)
    closed = frozenset[kernel.RangeOp]().union(*map(kernel.closed_by, reductions))
    column = next((r for r in reversed(nest.place(reductions[0])) if r not in closed), None)
    if column is None or not is_plain(column, names):
        return None
    inside = [op for op in reductions if column in nest.place(op)]
    if [op.kind.data for op in inside] == ["add"] and not _is_used(inside[0], nest, column):
        return None
    if not _run_along(nest, column) or not any(_lies_across(op, nest, column) for op in inside):
        return None
    facts = kernel_indices(func).facts
    most = facts.interval(column.extent)[1]
    staged = [op for op in ops if isinstance(op, kernel.StageOp) and column in nest.open_around(op)]
    return Columns(
        names[column],
        UNKNOWN_EXTENT if most is None else most,
        max(SCALAR_BYTES[op.value.type] for op in inside),
        sum(SCALAR_BYTES[s.value.type] * (s.target.size.constant or 1) for s in staged),
    )


_FOREIGN = (
    *(kernel.ScanOp, kernel.ScatterOp, kernel.SortOp),
    *(kernel.MmaOp, kernel.AllReduceOp),
)


def _is_used(op: kernel.ReduceOp, nest: kernel.Nest, column: kernel.RangeOp) -> bool:
    """Whether a further loop along a column uses what is reduced along it."""
    own = set(nest.place(op))
    return any(
        isinstance(store, kernel.StoreOp)
        and column in nest.operand_dependences[store]
        and not nest.operand_dependences[store] <= own
        for store in nest.ops
    )


def _run_along(nest: kernel.Nest, column: kernel.RangeOp) -> bool:
    """Whether all accesses in a loop run along memory with it, or stay where they are."""
    for op in nest.ops:
        if not isinstance(op, kernel.LoadOp | kernel.StoreOp):
            continue
        if op.gate is not None and column in nest.dependences[op.gate]:
            return False
        if any(column in nest.dependences[value] for value in op.values) and not moves_by_one(
            op, column
        ):
            return False
    return True


def _lies_across(op: kernel.ReduceOp, nest: kernel.Nest, column: kernel.RangeOp) -> bool:
    """Whether some load along the columns does not run along memory with a reduction."""
    closed = kernel.closed_by(op)
    return any(
        isinstance(load, kernel.LoadOp)
        and moves_by_one(load, column)
        and any(r in nest.operand_dependences[load] for r in closed)
        for load in nest.ops
    )
