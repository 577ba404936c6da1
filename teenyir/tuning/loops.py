"""Schedules of kernels that are no products: copies across memory, reductions, and what is left.

Copies in blocks of any size; reductions along memory in lanes, several rows at once, and in parts
that threads can share; and vectors along what is stored, with short reductions written out and
steps of long ones side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.products import UNKNOWN_EXTENT, is_plain, moves_by_one
from teenyir.passes.kernel.choose.registers import LATENCY, PORTS
from teenyir.passes.kernel.choose.tile_transposes import find_transposition, schedule_blocks
from teenyir.passes.kernel.schedule.part_reduction import PartReduction
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.tuning.candidate import STEPS, Candidate, lanes_of

SIDES = (4, 8, 16, 32)
"""Of a block that is copied across memory."""

MOST_COPIES = 256
"""Elements of a block that is written out."""

ROWS = (1, 2, 4, 8)
"""That are reduced at once."""

VECTORS = (1, 2, 4, 8)
"""Side by side."""

PARTS = (1, 4, 8, 16, 32, 64)
"""Of a reduction."""

FEW_PART = 4096
"""Elements of a part that is worth one."""

SHORT = 32
"""Steps of a reduction that may be written out."""


def transposes(func: kernel.FuncOp) -> Iterator[Candidate]:
    """Copies across memory in blocks."""
    found = find_transposition(func)
    if found is None:
        return
    for high in SIDES:
        for wide in SIDES:
            if high * wide <= MOST_COPIES:
                # a line is read once and written once where a block has all of it
                lines = 64 / found.element_bytes
                cycles = found.elements * (max(1, lines / high) + max(1, lines / wide))
                text = as_text(schedule_blocks(found, high, wide))
                yield Candidate(text, cycles, (high, wide))


# --- reductions along memory ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Loop:
    """A range of a kernel."""

    name: str
    size: int
    """Its extent; the greatest that it may be."""
    is_known: bool
    """Whether it is always that."""


def rows(func: kernel.FuncOp) -> Iterator[Candidate]:
    """Reductions along memory: several rows at once, each in vectors, or in parts."""
    reductions = [op for op in func.body.block.ops if isinstance(op, kernel.ReduceOp)]
    if len(reductions) != 1 or any(isinstance(op, _FOREIGN) for op in func.body.block.ops):
        return
    (reduction,) = reductions
    if len(reduction.over) != 1:
        return
    nest, loops = kernel.Nest(func), _loops(func)
    (along,) = kernel.closed_by(reduction)
    around = nest.in_text_order(nest.open_around(reduction))
    loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
    loads = [op for op in loads if along in nest.operand_dependences[op]]
    if along not in loops or not loads or not all(moves_by_one(op, along) for op in loads):
        return
    k, lanes = loops[along], lanes_of(SCALAR_BYTES[reduction.value.type])
    i = loops.get(around[-1]) if around else None
    for parts in PARTS:
        if parts > 1 and k.size < parts * FEW_PART:
            continue
        for count in ROWS if i is not None and parts == 1 else (1,):
            for vectors in (0, *VECTORS):
                schedule = _rows(i, k, count, vectors * lanes, parts)
                if schedule:
                    cycles = (
                        k.size / lanes / max(1, vectors) * max(count * vectors / PORTS, LATENCY)
                    )
                    yield Candidate(as_text(schedule), cycles / count, (parts, count, vectors))


def _rows(i: _Loop | None, k: _Loop, count: int, width: int, parts: int) -> list[Primitive]:
    """So many rows at once, each in a vector of that width, or what is summed in parts."""
    steps: list[Primitive] = []
    name = k.name
    if parts > 1:
        steps.append(PartReduction(range=name, parts=parts))
        name = f"{name}i"
    if i is not None and count > 1:
        steps += [
            SplitRange(range=i.name, by=count, outer=f"{i.name}o", inner=f"{i.name}u"),
            SetKind(range=f"{i.name}u", kind="unroll"),
        ]
    if width:
        steps += [
            SplitRange(range=name, by=width, outer=f"{name}o", inner=f"{name}v"),
            SetKind(range=f"{name}v", kind="vector"),
            SplitReduction(over=(f"{name}o",)),
        ]
    return steps


# --- vectors along what is stored -----------------------------------------------------------------


def columns(func: kernel.FuncOp) -> Iterator[Candidate]:
    """Vectors along what is stored, and steps of reductions side by side."""
    stores = [op for op in func.body.block.ops if isinstance(op, kernel.StoreOp)]
    if not stores or any(isinstance(op, _FOREIGN) for op in func.body.block.ops):
        return
    loops = _loops(func)
    closed = {r for op in func.body.block.ops for r in kernel.closed_by(op) if op not in stores}
    along = next((r for r in loops if moves_by_one(stores[0], r) and r not in closed), None)
    if along is None:
        return
    column, lanes = loops[along], lanes_of(SCALAR_BYTES[stores[0].value.type])
    inner = [loops[r] for r in loops if r in closed]
    for unrolled in _unrolled(inner):
        for width in dict.fromkeys((lanes, max(lanes // 2, 1))):
            for vectors in (0, *VECTORS):
                schedule = [*_side_by_side(unrolled), *_in_lanes(column, vectors, width)]
                if schedule:
                    block = max(vectors, 1) * width
                    each = max(vectors / PORTS, LATENCY if inner else 1) + 1
                    cycles = -(-column.size // block) * each
                    yield Candidate(as_text(schedule), cycles, (unrolled, width, vectors))


def _unrolled(loops: Sequence[_Loop]) -> Iterator[tuple[tuple[str, int], ...]]:
    """Ranges of reductions, each with the steps that are side by side, 0 for all of them."""
    yield ()
    short = [loop for loop in loops if loop.is_known and loop.size <= SHORT]
    for count in range(1, len(short) + 1):
        yield tuple((loop.name, 0) for loop in short[-count:])
    for loop in loops[-1:]:
        for steps in STEPS[1:]:
            if loop.is_known and loop.size > SHORT and loop.size % steps == 0:
                yield ((loop.name, steps),)


def _side_by_side(unrolled: Sequence[tuple[str, int]]) -> Iterator[Primitive]:
    for name, steps in unrolled:
        if steps:
            yield SplitRange(range=name, by=steps, outer=f"{name}o", inner=f"{name}u")
        yield SetKind(range=f"{name}u" if steps else name, kind="unroll")


def _in_lanes(column: _Loop, vectors: int, lanes: int) -> Iterator[Primitive]:
    name = column.name
    if vectors:
        block = vectors * lanes
        yield SplitRange(range=name, by=block, outer=f"{name}o", inner=f"{name}n", loads="clamped")
        yield SplitRange(range=f"{name}n", by=lanes, outer=f"{name}u", inner=f"{name}v")
        yield SetKind(range=f"{name}u", kind="unroll")
        yield SetKind(range=f"{name}v", kind="vector")


_FOREIGN = (kernel.ScanOp, kernel.ScatterOp, kernel.SortOp, kernel.MmaOp, kernel.AllReduceOp)


def _loops(func: kernel.FuncOp) -> dict[kernel.RangeOp, _Loop]:
    """The plain loops of a kernel, in the order of the text."""
    names, facts = kernel.range_names(func), kernel_indices(func).facts
    found: dict[kernel.RangeOp, _Loop] = {}
    for op in func.body.block.ops:
        if isinstance(op, kernel.RangeOp) and is_plain(op, names):
            least, most = facts.interval(op.extent)
            found[op] = _Loop(names[op], most or UNKNOWN_EXTENT, least == most)
    return found
