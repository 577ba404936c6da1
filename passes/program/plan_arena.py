"""Place a program's temporary buffers in one arena.

A buffer lives from the statement that first writes it to the last that touches it; what is touched
inside a branch or a loop lives for all of it. Two buffers overlap only if their lives do not meet.
Sizes are expressions over named extents, compared over the ranges of the names; where a comparison
is not certain, the buffers lie apart.

Buffers are placed one after the other, each at the lowest place that is free for its life: a place
is the start of the arena or the end of a buffer that lives at the same time. The order matters,
so several are tried (the largest first, the longest-lived first, as they begin), and the smallest
arena is taken; how large arenas are, where that depends on extents, is weighed at their maxima.
Every offset is a multiple of 64 bytes, a cache line and the widest vector register.

    program.func @main(..) {                    program.func @main(..) arena(N * 256 + 64) {
      %a = program.alloc : buf<[N, 64] x f32>     %a = program.alloc at 0 : ..
      %b = program.alloc : buf<[3] x f32>    -->  %b = program.alloc at N * 256 : ..

A launch never has an input and an output in one place, since kernels are told that their buffers do
not alias: what may be one place is one buffer, since `write-in-place`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.ir import Operation

from teenyir.analysis.bounds import lower_bound
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.dialects.program import AllocOp, FuncOp
from teenyir.passes.program.lives import TYPICAL, Life, buffer_bytes, lives, meet, peak, typical
from teenyir.rewriting.base import Pass, Session, fail

ALIGNMENT = 64
"""Bytes that every offset is a multiple of."""


@dataclass(frozen=True)
class PlanArena(Pass):
    """Give each temporary buffer of a program its offset in one arena."""

    name = "plan-arena"
    anchor: ClassVar[str | None] = "program.func"

    reuse: bool = True
    """Whether buffers whose lives do not meet may share a place."""

    def run(self, op: Operation, session: Session) -> None:
        if not isinstance(op, FuncOp):
            raise fail(op, f"{self.name} runs on a program.func, not on {op.name}")
        plan = best_plan(op, self.reuse)
        for buffer, place in plan.places.items():
            buffer.offset = ExprAttr(place.start)
        op.arena = ExprAttr(plan.size)
        session.count("buffers", len(plan.places))
        session.count("bytes, at the maxima of extents", plan.typical_size)
        session.count("bytes that are in use at once", plan.least)


@dataclass(frozen=True)
class Place:
    """A part of the arena."""

    start: Expr
    end: Expr
    typical_start: int
    """Where it starts with the extents that arenas are weighed at."""
    typical_end: int


@dataclass(frozen=True)
class Plan:
    """A place for each buffer."""

    places: Mapping[AllocOp, Place]
    size: Expr
    typical_size: int
    least: int
    """No arena is smaller, with the extents that arenas are weighed at."""


Key: TypeAlias = Callable[[int, Life], tuple[int, ...]]

ORDERS: tuple[Key, ...] = (
    lambda size, life: (-size, life[0]),
    lambda size, life: (life[0], -size),
    lambda size, life: (life[0] - life[1], -size),
    lambda size, life: (-size * (life[1] - life[0] + 1), life[0]),
    lambda size, life: (-life[1], -size),
)
"""In which buffers are placed, by their bytes and lives."""


def best_plan(func: FuncOp, reuse: bool) -> Plan:
    """The smallest arena that is found."""
    planner = Planner(func, reuse)
    plans: list[Plan] = []
    for key in ORDERS:
        order = sorted(planner.lives, key=lambda op: key(planner.typical[op], planner.lives[op]))
        plans.append(planner.plan(order))
        if not reuse or plans[-1].typical_size == plans[-1].least:
            break
    return min(plans, key=lambda plan: plan.typical_size)


class Planner:
    """Places the buffers of one program."""

    def __init__(self, func: FuncOp, reuse: bool) -> None:
        self.reuse = reuse
        self.lives = lives(func)
        self.ranges = {dim.name: dim for dim in func.dims.data}
        self.sizes = {op: _aligned(buffer_bytes(op)) for op in self.lives}
        extents = typical(func.dims.data)
        self.typical = {op: size.evaluate(extents) for op, size in self.sizes.items()}
        self._certain: dict[Expr, bool] = {}

    def plan(self, order: Sequence[AllocOp]) -> Plan:
        """Place the buffers one after the other, each as low as it goes."""
        places: dict[AllocOp, Place] = {}
        for op in order:
            around = [places[o] for o in places if self._meets(op, o)]
            around.sort(key=lambda place: place.typical_start)
            places[op] = next(filter(None, (self._at(op, p, around) for p in _starts(around))))
        ends = {place.end: place.typical_end for place in places.values()}
        last = max(ends.values(), default=0)
        least = peak(self.lives, self.typical)
        return Plan(places, self._greatest(list(ends)), last, least)

    def _meets(self, a: AllocOp, b: AllocOp) -> bool:
        return not self.reuse or meet(self.lives[a], self.lives[b])

    def _at(self, op: AllocOp, start: tuple[Expr, int] | None, around: list[Place]) -> Place | None:
        """The place of a buffer that starts there, if it is certainly free; None for after all."""
        if start is None:
            ends = [place.end for place in around]
            start = (self._greatest(ends), max(place.typical_end for place in around))
            return Place(*_with_end(start, self.sizes[op], self.typical[op]))
        place = Place(*_with_end(start, self.sizes[op], self.typical[op]))
        return place if all(self._apart(place, other) for other in around) else None

    def _apart(self, a: Place, b: Place) -> bool:
        if a.typical_end <= b.typical_start:
            return self._at_least(b.start, a.end)
        return a.typical_start >= b.typical_end and self._at_least(a.start, b.end)

    def _at_least(self, larger: Expr, smaller: Expr) -> bool:
        difference = larger - smaller
        if (number := difference.constant) is not None:
            return number >= 0
        if difference not in self._certain:
            self._certain[difference] = at_least(larger, smaller, self.ranges)
        return self._certain[difference]

    def _greatest(self, values: list[Expr]) -> Expr:
        """The greatest of some sizes, without those that another one is never below."""
        kept: list[Expr] = []
        for value in values:
            if not any(self._at_least(other, value) for other in kept):
                kept = [other for other in kept if not self._at_least(value, other)]
                kept.append(value)
        return Expr.maximum(*kept) if kept else ZERO


def _aligned(size: Expr) -> Expr:
    return size.ceildiv(ALIGNMENT) * ALIGNMENT


def _starts(around: Sequence[Place]) -> Iterator[tuple[Expr, int] | None]:
    """Where a place may start, lowest first: at the bottom, after one of others, after all."""
    yield ZERO, 0
    ends = {place.end: place.typical_end for place in around}
    yield from sorted(ends.items(), key=lambda end: end[1])
    yield None


def _with_end(start: tuple[Expr, int], size: Expr, typical: int) -> tuple[Expr, Expr, int, int]:
    return start[0], start[0] + size, start[1], start[1] + typical


def at_least(larger: Expr, smaller: Expr, ranges: Mapping[str, DimRange]) -> bool:
    """Whether `larger >= smaller` is certain for all extents in their ranges."""
    difference = larger - smaller
    if any(difference.evaluate(extents) < 0 for extents in _corners(ranges)):
        return False
    low = lower_bound(difference, ranges)
    return low is not None and low >= 0


def _corners(ranges: Mapping[str, DimRange]) -> Iterator[dict[str, int]]:
    """Extents that refute most of what is not certain: the least, but for one that is large."""
    least = {name: -(-dim.min // dim.step) * dim.step for name, dim in ranges.items()}
    yield least
    for name, dim in ranges.items():
        most = least[name] + TYPICAL * dim.step if dim.max is None else dim.max
        yield {**least, name: most // dim.step * dim.step}
