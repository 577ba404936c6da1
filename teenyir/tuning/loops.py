"""Schedules of kernels that are no products: copies across memory, reductions, and what is left.

Copies in blocks of any size; reductions along memory in lanes, several rows at once, and in parts
that threads can share or that are read side by side; windows whose image is staged; and vectors
along what is stored, past the caches or not, with short reductions written out and steps of long
ones side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.cpu.lane_columns import schedule_lanes
from teenyir.passes.kernel.choose.cpu.lane_rows import LaneRows, Rows, find_rows
from teenyir.passes.kernel.choose.cpu.registers import LATENCY, PORTS
from teenyir.passes.kernel.choose.cpu.stage_windows import Windows, find_windows, schedule_windows
from teenyir.passes.kernel.choose.cpu.tile_transposes import (
    BESIDE,
    Transposition,
    find_transposition,
    schedule_blocks,
    schedule_streams,
)
from teenyir.passes.kernel.choose.products import UNKNOWN_EXTENT, is_plain, moves_by_one
from teenyir.passes.kernel.schedule.part_reduction import PartReduction
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.passes.kernel.schedule.stream_store import StreamStore
from teenyir.targets import cpu
from teenyir.tuning.candidate import STEPS, Kind, always, lanes_of

SIDES = (4, 8, 16, 32)
"""Of a block that is copied across memory."""

MOST_COPIES = 256
"""Elements of a block that is written out."""

ROWS = (1, 2, 4, 8)
"""That are reduced at once."""

VECTORS = (0, 1, 2, 4, 8)
"""Side by side; 0 for none, which leaves vectors to LLVM."""

PARTS = (1, 4, 8, 16, 32, 64)
"""Of a reduction."""

FEW_PART = 4096
"""Elements of a part that is worth one."""

STREAMS = (1, 2, 4, 8)
"""Parts of a row that are read side by side."""

SHORT = 32
"""Steps of a reduction that may be written out."""

SHARES = (1, 2, 4, 8, 16, 32)
"""Of the second cache, or of what a row needs at most, an image takes one part of so many."""


# --- copies across memory -------------------------------------------------------------------------


def _copy(found: Transposition, high: int, wide: int, beside: int) -> list[Primitive]:
    if high * wide > MOST_COPIES:
        return []
    if not beside:
        return schedule_blocks(found, high, wide)
    fits = found.is_in_lines(high) and found.extents[0] % (high * beside) == 0
    return schedule_streams(found, high, beside) if high == wide and fits else []


def _cycles_of_copy(found: Transposition, high: int, wide: int, beside: int) -> float:
    """A line is read once and written once where a block has all of it."""
    lines = 64 / found.element_bytes
    is_far = found.elements * found.element_bytes >= cpu.host().last_cache
    written = 1 if beside else 2 if is_far else 1
    return found.elements * (max(1, lines / high) + written * max(1, lines / wide))


TRANSPOSES = Kind(
    "tile-transposes",
    find_transposition,
    {"high": always(*SIDES), "wide": always(*SIDES), "beside": always(0, *BESIDE)},
    _copy,
    _cycles_of_copy,
)
"""Height and width of a block; blocks side by side that are written past the caches, 0 for a block
that is not."""


# --- reductions along memory ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Loop:
    """A range of a kernel."""

    name: str
    size: int
    """Its extent; the greatest that it may be."""
    is_known: bool
    """Whether it is always that."""


@dataclass(frozen=True)
class _Reduction:
    """A reduction along memory."""

    around: _Loop | None
    """The loop around it that is innermost."""
    along: _Loop
    lanes: int


def _find_reduction(func: kernel.FuncOp) -> _Reduction | None:
    reductions = [op for op in func.body.block.ops if isinstance(op, kernel.ReduceOp)]
    if len(reductions) != 1 or any(isinstance(op, _FOREIGN) for op in func.body.block.ops):
        return None
    (reduction,) = reductions
    if len(reduction.over) != 1:
        return None
    nest, loops = kernel.Nest(func), _loops(func)
    (along,) = kernel.closed_by(reduction)
    around = nest.in_text_order(nest.open_around(reduction))
    loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
    loads = [op for op in loads if along in nest.operand_dependences[op]]
    if along not in loops or not loads or not all(moves_by_one(op, along) for op in loads):
        return None
    lanes = lanes_of(SCALAR_BYTES[reduction.value.type])
    return _Reduction(loops.get(around[-1]) if around else None, loops[along], lanes)


def _reduce(
    found: _Reduction, parts: int, rows: int, streams: int, vectors: int
) -> list[Primitive]:
    i, k, name = found.around, found.along, found.along.name
    steps: list[Primitive] = []
    size = k.size // parts
    if parts > 1:
        if k.size < parts * FEW_PART or rows > 1:
            return []
        steps.append(PartReduction(range=name, parts=parts))
        name = f"{name}i"
    if rows > 1:
        if i is None:
            return []
        steps += [
            SplitRange(range=i.name, by=rows, outer=f"{i.name}o", inner=f"{i.name}u"),
            SetKind(range=f"{i.name}u", kind="unroll"),
        ]
    if streams > 1:
        if not k.is_known or k.size % (parts * streams):
            return []
        side, name = name, f"{name}q"
        steps += [
            SplitRange(range=side, by=size // streams, outer=f"{side}p", inner=name),
            SetKind(range=f"{side}p", kind="unroll"),
        ]
    if vectors:
        width = vectors * found.lanes
        steps += [
            SplitRange(range=name, by=width, outer=f"{name}o", inner=f"{name}v"),
            SetKind(range=f"{name}v", kind="vector"),
            SplitReduction(over=(f"{name}o",)),
        ]
    elif streams > 1:
        steps.append(SplitReduction(over=(name,)))
    return steps


def _cycles_of_reduction(
    found: _Reduction, parts: int, rows: int, streams: int, vectors: int
) -> float:
    sums = rows * streams * vectors
    steps = found.along.size / found.lanes / streams / max(1, vectors)
    return steps * max(sums / PORTS, LATENCY) / rows


REDUCTIONS = Kind(
    "reductions",
    _find_reduction,
    {
        "parts": always(*PARTS),
        "rows": always(*ROWS),
        "streams": always(*STREAMS),
        "vectors": always(*VECTORS),
    },
    _reduce,
    _cycles_of_reduction,
)
"""Parts of a reduction, rows at once, parts of a row that are read side by side, and vectors."""


# --- rows that are read twice ---------------------------------------------------------------------


def _find_lane_rows(func: kernel.FuncOp) -> Rows | None:
    found = find_rows(func, kernel.Nest(func), cpu.host().vector_bits // 32)
    return found if found.running else None


def _cycles_of_rows(found: Rows, maxima: int, powers: int, of_numbers: bool) -> float:
    """The maxima of a vector wait for the one before; NaN takes three more instructions."""
    return max(1 if of_numbers else 4, LATENCY / maxima) + abs(powers - 2)


LANE_ROWS = Kind(
    "lane-rows",
    _find_lane_rows,
    {
        "maxima": always(1, 2, 4, 8),
        "powers": always(1, 2, 4),
        "of_numbers": always(True, False),
    },
    LaneRows().schedule,
    _cycles_of_rows,
)
"""Vectors of maxima and of exponentials side by side, and whether maxima leave NaN out."""


# --- windows --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Staged:
    """Windows whose image is staged."""

    func: kernel.FuncOp
    windows: Windows
    column: str
    """The range along memory."""


def _find_windows(func: kernel.FuncOp) -> _Staged | None:
    windows = find_windows(func)
    if windows is None:
        return None
    facts = kernel_indices(func).facts
    if any(axis.why_not(facts) for axis in windows.axes):
        return None
    return _Staged(func, windows, kernel.range_names(func)[windows.axes[-1].range])


def _stage(found: _Staged, share: int, steps: int, vectors: int) -> list[Primitive]:
    facts = kernel_indices(found.func).facts
    room = cpu.host().l2 // share
    lanes = lanes_of(found.windows.element_bytes)
    ours = 1 if vectors else lanes  # of none the rule chooses
    staged = schedule_windows(found.func, found.windows, room, ours, facts, steps)
    if staged is None:
        return []
    return [*staged, *(schedule_lanes(found.column, vectors, lanes) if vectors else ())]


def _cycles_of_windows(found: _Staged, share: int, steps: int, vectors: int) -> float:
    """What is written out runs fastest, LLVM makes the vectors, and half of the cache is enough."""
    return abs(math.log2(share / 2)) + abs(math.log2(steps / SHORT)) + vectors


WINDOWS = Kind(
    "stage-windows",
    _find_windows,
    {
        "share": always(*SHARES),
        "steps": always(1, 8, SHORT, 4 * SHORT),
        "vectors": always(*VECTORS[:-1]),
    },
    _stage,
    _cycles_of_windows,
)
"""How much of an image is staged at once, steps of a window that are written out, and vectors."""


# --- vectors along what is stored -----------------------------------------------------------------


@dataclass(frozen=True)
class _Columns:
    """A loop along what is stored."""

    column: _Loop
    inner: tuple[_Loop, ...]
    """Those of reductions."""
    lanes: int
    is_staged: bool
    """Whether something of each column is staged."""
    large: tuple[str, ...]
    """The results that the second cache has no room for."""


def _find_columns(func: kernel.FuncOp) -> _Columns | None:
    ops = list(func.body.block.ops)
    stores = [op for op in ops if isinstance(op, kernel.StoreOp)]
    if not stores or any(isinstance(op, _FOREIGN) for op in ops):
        return None
    loops, nest = _loops(func), kernel.Nest(func)
    closed = {r for op in ops for r in kernel.closed_by(op) if op not in stores}
    along = next((r for r in loops if moves_by_one(stores[0], r) and r not in closed), None)
    if along is None or _all_lie_across(along, nest):
        return None
    stages = [op for op in ops if isinstance(op, kernel.StageOp)]
    buffers = kernel.buffer_names(func)
    large = [op.buffer for op in stores if op.buffer in buffers and _bytes(op) > cpu.host().l2]
    return _Columns(
        loops[along],
        tuple(loops[r] for r in loops if r in closed),
        lanes_of(SCALAR_BYTES[stores[0].value.type]),
        any(along in nest.open_around(op) for op in stages),
        tuple(buffers[each] for each in dict.fromkeys(large)),
    )


def _all_lie_across(along: kernel.RangeOp, nest: kernel.Nest) -> bool:
    """Whether all that is loaded along a range lies across memory: no vector would be of a row."""
    loads = [op for op in nest.ops if isinstance(op, kernel.LoadOp)]
    moved = [op for op in loads if along in nest.operand_dependences[op]]
    return bool(moved) and not any(map(partial(_moves_last, along), moved))


def _moves_last(along: kernel.RangeOp, load: kernel.LoadOp) -> bool:
    exprs, values = kernel.written_out(load.exprs, load.index_values)
    names = {placeholder(k) for k, value in enumerate(values) if value is along.result}
    return bool(exprs) and not names.isdisjoint(exprs[-1].names)


def _bytes(store: kernel.StoreOp) -> int:
    extents = [extent.constant or 0 for extent in store.target.extents]
    return math.prod(extents) * SCALAR_BYTES[store.value.type]


def _along(
    found: _Columns, unrolled: Sequence[tuple[str, int]], width: int, vectors: int, streams: bool
) -> list[Primitive]:
    lanes = max(found.lanes // width, 1)
    if streams and (not vectors or width > 1 or not found.large):
        return []
    steps = [*_side_by_side(unrolled)]
    if vectors:
        steps += schedule_lanes(found.column.name, vectors, lanes, is_staged=found.is_staged)
    return [*steps, *(StreamStore(buffer=each) for each in found.large if streams)]


def _cycles_along(
    found: _Columns, unrolled: Sequence[tuple[str, int]], width: int, vectors: int, streams: bool
) -> float:
    block = max(vectors, 1) * max(found.lanes // width, 1)
    each = max(vectors / PORTS, LATENCY if found.inner else 1) + 1
    return -(-found.column.size // block) * each


def _unrolled(found: _Columns) -> Iterator[tuple[tuple[str, int], ...]]:
    """Ranges of reductions, each with the steps that are side by side, 0 for all of them."""
    yield ()
    short = [loop for loop in found.inner if loop.is_known and loop.size <= SHORT]
    for count in range(1, len(short) + 1):
        yield tuple((loop.name, 0) for loop in short[-count:])
    for loop in found.inner[-1:]:
        for steps in STEPS[1:]:
            if loop.is_known and loop.size > SHORT and loop.size % steps == 0:
                yield ((loop.name, steps),)


def _side_by_side(unrolled: Sequence[tuple[str, int]]) -> Iterator[Primitive]:
    for name, steps in unrolled:
        if steps:
            yield SplitRange(range=name, by=steps, outer=f"{name}o", inner=f"{name}u")
        yield SetKind(range=f"{name}u" if steps else name, kind="unroll")


COLUMNS = Kind(
    "columns",
    _find_columns,
    {
        "unrolled": _unrolled,
        "width": always(1, 2),
        "vectors": always(*VECTORS),
        "streams": always(False, True),
    },
    _along,
    _cycles_along,
)
"""What of reductions is written out, the part of a register that a vector has (one of so many),
vectors side by side, and whether large results go past the caches."""


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
