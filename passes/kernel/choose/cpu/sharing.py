"""Which loops of a kernel threads share, and which reductions they would share in parts."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.analysis.indices import KERNEL_INDICES
from teenyir.analysis.nests import NEST
from teenyir.analysis.work import Work
from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.part_reduction import why_not
from teenyir.rewriting.base import Session

WAKE = 10_000_000
"""Picoseconds that it takes to wake a thread and to wait for it."""

SHARE = 2 * WAKE
"""Picoseconds of work that a thread is woken for."""


MANY = 64
"""Iterations from which on a reduction is worth parts."""


def work_of(func: kernel.FuncOp, threads: int, session: Session) -> Work | None:
    """What a kernel does, for so many threads to share; None where one thread alone is to do it,
    or several do it already."""
    ranges = (op for op in func.body.block.ops if isinstance(op, kernel.RangeOp))
    if threads < 2 or any(map(kernel.runs_at_once, ranges)):
        return None
    return Work(func, session.analysis(NEST, func), session.analysis(KERNEL_INDICES, func))


@dataclass(frozen=True)
class Choice:
    """Loops to share, loops to share in parts, and the picoseconds that all of it saves."""

    saved: int = 0
    loops: tuple[kernel.Loop, ...] = ()
    parts: tuple[kernel.Loop, ...] = ()


@dataclass
class Chooser:
    """Finds the loops of a kernel to share."""

    work: Work
    threads: int
    in_parts: bool = False
    """Whether loops that are reduced may be shared in parts."""

    def __post_init__(self) -> None:
        self.taken = frozenset[kernel.RangeOp]().union(
            *(_combined(op, self.work.nest) for op in self.work.nest.ops)
        )

    def best(self) -> Choice:
        """The best choice for the kernel."""
        return self._of(self.work.nest.root, 1)

    def _of(self, loop: kernel.Loop, entries: int) -> Choice:
        """The best choice of a loop or of loops in it; the loop is entered so many times."""
        trips = self.work.number(self.work.trips(loop))
        inner = self._within(loop, entries * max(trips, 0))
        range_ = loop.range
        each = self.work.number(self.work.iteration(loop))
        if range_ is None or range_.how != "loop" or trips < 2 or each * trips < 2 * SHARE:
            return inner
        if range_ not in self.taken:
            rounds = -(-trips // self.threads)
            own = Choice(entries * (each * (trips - rounds) - WAKE), (loop,))
        elif self.in_parts and trips >= MANY and why_not(range_, self.work.nest) is None:
            saved = each * trips * (self.threads - 1) // self.threads
            # (what parts give is waited for and reduced; each has to be worth a thread even then)
            own = Choice(entries * (saved - 2 * SHARE), (), (loop,))
        else:
            return inner
        return own if own.saved > max(inner.saved, 0) else inner

    def _within(self, loop: kernel.Loop, entries: int) -> Choice:
        parts = [self._of(item, entries) for item in loop.body if isinstance(item, kernel.Loop)]
        return Choice(
            sum(part.saved for part in parts),
            tuple(found for part in parts for found in part.loops),
            tuple(found for part in parts for found in part.parts),
        )


def _combined(op: Operation, nest: kernel.Nest) -> frozenset[kernel.RangeOp]:
    """The ranges whose iterations an op takes in one after the other."""
    if isinstance(op, kernel.StageOp):
        return kernel.accumulated_by(op)
    if isinstance(op, kernel.ScatterOp):
        return nest.operand_dependences[op]
    return kernel.closed_by(op) | kernel.scanned_by(op)


def as_time(picoseconds: int) -> str:
    """A time as a remark tells it."""
    return f"{picoseconds / 1e6:.4g} us"
