"""Choose a schedule for copies across memory: small blocks, each of which fits into registers.

    for i:                               for blocks of i, for blocks of j:
      for j:                     -->       rows of x, as wide as the block
        y[i, j] = x[j, i]                  their transposition
                                           rows of y

What is read runs along memory with one range and what is written with another. A row that is read
fills a cache line, so that each line is asked for once; one that is written fills half of one, and
the next block the other half. The block is unrolled, and LLVM makes vectors of its loads and a
transposition in registers of what is between them. Where a block does not divide the extents, the
last one overlaps the one before (`peel-range`).

A result that does not fit into the last cache goes past it, in whole lines: a store into a cache
reads the line first. Several blocks are copied side by side then, so that what is read lies in
fewer pages.

Done for a kernel that only loads, computes and stores once, without gates, more than the first
cache has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.kernel.dependences import CLOSERS
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import is_plain, moves_by_one
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.peel_range import PeelRange
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stream_store import StreamStore
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

WIDEST = 16
"""Elements along a block: its code is as long as half of the square of it."""

NARROW = 4
"""Elements along up to which LLVM puts rows together by itself, in vectors of several rows."""

BESIDE = (16, 8, 4, 2, 1)
"""Blocks side by side across, of which there are as many as divide the extent: each row of them is
read from one page, and is long enough for the processor to fetch ahead in it."""


@dataclass(frozen=True)
class Transposition:
    """A copy whose load runs along memory with another range than its store."""

    across: str
    """The range that the load runs along."""
    along: str
    """The range that the store runs along."""
    around: tuple[str, ...]
    """The other ranges, outermost first."""
    extents: tuple[int, int]
    """Of `across` and `along`."""
    elements: int
    """Of all ranges."""
    element_bytes: int
    buffer: str
    """The result."""
    row: int
    """Elements of a row of the result."""

    def is_in_lines(self, size: int) -> bool:
        """Whether blocks of so many elements are whole, and begin at multiples of it."""
        return all(extent % size == 0 for extent in (*self.extents, self.row))


@dataclass(frozen=True)
class _Part:
    """A range in blocks."""

    extent: int
    most: int
    """Elements of a block, where there are as many."""

    @property
    def block(self) -> int:
        return min(self.most, self.extent)

    @property
    def is_odd(self) -> bool:
        return self.extent % self.block != 0

    def peeled(self, name: str, rest: str) -> PeelRange:
        """The last block for itself: it copies again what is in the one before too."""
        at = self.extent // self.block * self.block
        return PeelRange(range=name, at=at, start=self.extent - self.block, rest=rest)


@dataclass(frozen=True)
class TileTransposes(Pass):
    """Copy across memory in blocks."""

    name = "tile-transposes"
    anchor: ClassVar[str | None] = "kernel.func"

    line: int | None = None
    """Bytes of a cache line; the machine's if it is not given."""
    l1: int | None = None
    """Bytes of the first-level data cache; the machine's if it is not given."""
    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    beyond: int | None = None
    """Bytes of a result from which on it is streamed; what this process has of the last cache if it
    is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = find_transposition(op)
        if found is None:
            session.preserve_all()
            return
        moved = 2 * found.elements * found.element_bytes
        high, wide = found.extents
        if wide <= NARROW:
            session.remark("missed", op, f"rows of {wide} are stored as they are")
            session.preserve_all()
            return
        if moved <= (self.l1 or cpu.host().l1):
            session.remark("missed", op, f"{moved} bytes stay in the first cache")
            session.preserve_all()
            return
        schedule = self.schedule(found)
        if not apply(schedule, op, session):
            return
        session.count("copies")
        if session.wants_remarks:
            text = as_text(schedule)
            session.remark("passed", op, f"a transposition of {high}x{wide}: {text}")

    def schedule(self, found: Transposition) -> list[Primitive]:
        """The primitives that make the copy fast."""
        line = self.line or cpu.host().line
        high = max(min(line // found.element_bytes, WIDEST), 1)
        beyond = cpu.host().last_cache if self.beyond is None else self.beyond
        vector = (self.vector_bits or cpu.host().vector_bits) // 8
        streams = found.elements * found.element_bytes >= beyond
        if streams and vector == line == high * found.element_bytes and found.is_in_lines(high):
            across = found.extents[0]
            beside = next(count for count in BESIDE if across % (high * count) == 0)
            return schedule_streams(found, high, beside)
        return schedule_blocks(found, high, max(high // 2, 1))


def schedule_blocks(found: Transposition, high: int, wide: int) -> list[Primitive]:
    """The primitives that copy in blocks of so many elements across and along, or as many fewer as
    there are."""
    i, j = found.across, found.along
    steps: list[Primitive] = [OrderRanges(order=(*found.around, i, j))]
    across, along = {i: _Part(found.extents[0], high)}, {j: _Part(found.extents[1], wide)}
    if (whole := across[i]).is_odd:
        steps.append(whole.peeled(i, "r"))
        across[f"{i}r"] = _Part(whole.block, whole.block)
        along[f"{j}r"] = along[j]
    for name, part in [*along.items()]:
        if part.is_odd:
            steps.append(part.peeled(name, "e"))
            along[f"{name}e"] = _Part(part.block, part.block)
    for name, part in across.items():
        steps.append(SplitRange(range=name, by=part.block, outer=f"{name}o", inner=f"{name}u"))
        steps.append(SetKind(range=f"{name}u", kind="unroll"))
    for name, part in along.items():
        steps.append(SplitRange(range=name, by=part.block, outer=f"{name}o", inner=f"{name}v"))
        steps.append(SetKind(range=f"{name}v", kind="vector"))
    return steps


def schedule_streams(found: Transposition, size: int, beside: int) -> list[Primitive]:
    """The primitives that copy in square blocks of whole lines, so many side by side, and write
    past the caches."""
    i, j = found.across, found.along
    return [
        SplitRange(range=i, by=size * beside, outer=f"{i}o", inner=f"{i}i"),
        SplitRange(range=f"{i}i", by=size, outer=f"{i}b", inner=f"{i}u"),
        SplitRange(range=j, by=size, outer=f"{j}o", inner=f"{j}v"),
        OrderRanges(order=(*found.around, f"{i}o", f"{j}o", f"{i}b", f"{i}u", f"{j}v")),
        SetKind(range=f"{i}u", kind="unroll"),
        SetKind(range=f"{j}v", kind="vector"),
        StreamStore(buffer=found.buffer),
    ]


def find_transposition(func: kernel.FuncOp) -> Transposition | None:
    """The transposition that a kernel is, or None."""
    ops = list(func.body.block.ops)
    stores = [op for op in ops if isinstance(op, kernel.StoreOp)]
    loads = [op for op in ops if isinstance(op, kernel.LoadOp)]
    others = (*CLOSERS, kernel.ScanOp, kernel.ScatterOp)
    if len(stores) != 1 or any(isinstance(op, others) for op in ops):
        return None
    (store,) = stores
    if any(op.gate is not None for op in (store, *loads)):
        return None
    names = kernel.range_names(func)
    ranges = [op for op in ops if isinstance(op, kernel.RangeOp)]
    if len({*names.values()}) != len(ranges) or not all(is_plain(r, names) for r in ranges):
        return None
    along = next((r for r in ranges if moves_by_one(store, r)), None)
    if along is None:
        return None
    nest = kernel.Nest(func)
    across = [
        r
        for r in ranges
        if r is not along
        and any(moves_by_one(load, r) and along in nest.operand_dependences[load] for load in loads)
    ]
    extents = [r.extent.constant for r in ranges]
    if not across or None in extents:
        return None
    high, wide = (r.extent.constant or 0 for r in (across[-1], along))
    return Transposition(
        names[across[-1]],
        names[along],
        tuple(names[r] for r in ranges if r not in (across[-1], along)),
        (high, wide),
        math.prod(extent for extent in extents if extent is not None),
        SCALAR_BYTES[store.value.type],
        kernel.buffer_names(func)[store.buffer],
        store.target.extents[-1].constant or 0,
    )
