"""Have threads share the iterations of outer loops, where there is enough to do.

    %i = kernel.range 0 to N   -->   %i = kernel.range 0 to N parallel grain(52)

A loop may be shared if nothing but stores and local stages closes it. Of the loops that may, those
are chosen that save most by the estimate of `analysis/work`: an outer loop is entered once, while
each entry of an inner one wakes threads again; but an outer one of few iterations leaves threads
without work: of three iterations two threads take as long as for four. What is to gain must be
more than a wake-up costs, so small work stays in one thread; where extents are not known before
the program runs, the `grain` says it then: no thread is woken for fewer iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from teenyir.analysis.work import Work
from teenyir.dialects import kernel
from teenyir.dialects.dim_ranges import unsafe_divisor
from teenyir.dialects.expr import ONE, Expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.passes.kernel.choose.cpu.sharing import SHARE, Chooser, as_time, work_of
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu


@dataclass(frozen=True)
class ParallelRanges(Pass):
    """Have threads share the iterations of outer loops, where there is enough to do."""

    name = "parallel-ranges"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 0
    """The number of threads that are there; 0 for the machine's."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        threads = cpu.usable_threads(self.threads)
        if (work := work_of(op, threads, session)) is None:
            session.preserve_all()
            return
        chosen = Chooser(work, threads).best()
        for loop in chosen.loops:
            self._share(loop, work, session)
        if not chosen.loops:
            if session.wants_remarks:
                total = work.number(work.iteration(work.nest.root))
                why = "too little" if total < 2 * SHARE else "no loop gains by it or may be shared"
                session.remark("missed", op, f"{as_time(total)} for {threads} threads: {why}")
            session.preserve_all()

    def _share(self, loop: kernel.Loop, work: Work, session: Session) -> None:
        range_ = loop.range
        assert range_ is not None  # the root is not chosen
        each = work.iteration(loop)
        grain = Expr.of(SHARE) // (each + 1) + 1
        if unsafe_divisor(grain, work.indices.facts.dims) is not None:
            grain = Expr.of(SHARE // (work.number(each) + 1) + 1)
        range_.properties["kind"] = StringAttr("parallel")
        if grain != ONE:
            range_.properties["grain"] = ExprAttr(grain)
        session.count("ranges")
        if session.wants_remarks:
            name = kernel.names([range_])
            trips, time = work.number(work.trips(loop)), as_time(work.number(each))
            session.remark(
                "passed",
                range_,
                f"threads share {name}: {trips} iterations of {time}, {grain} a thread at least",
            )
