"""Have reductions formed in parts, where no other loop gives threads enough to do.

    for k: s += x[k]   -->   for parts: { p = 0; for k of the part: p += x[k]; part[..] = p }
                             for parts: s += part[..]

The sum of a whole tensor, or of a few long rows, has no loop that threads could share. Its parts
make one, for `parallel-ranges` behind it to find: `part-reduction` says how. There are always as
many parts, so that what comes out is the same in every run, and for every number of threads that
is given parts. Done by the estimate of `analysis/work`, where it saves more than sharing another
loop: three threads take three long rows whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.sharing import Chooser, as_time, work_of
from teenyir.passes.kernel.schedule.part_reduction import PartReduction
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

PARTS = 16
"""Parts of a reduction: enough to share them evenly among a few threads."""

MOST_BYTES = 1 << 20
"""The most that all parts of one reduction may keep."""


@dataclass(frozen=True)
class ShareReductions(Pass):
    """Have reductions formed in parts, where no other loop gives threads enough to do."""

    name = "share-reductions"
    anchor: ClassVar[str | None] = "kernel.func"

    threads: int = 0
    """The number of threads that are there; 0 for the machine's."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        threads = cpu.usable_threads(self.threads)
        if (work := work_of(op, threads, session)) is None:
            session.preserve_all()
            return
        changed = False
        for loop in Chooser(work, threads, in_parts=True).best().parts:
            range_, names = loop.range, kernel.range_names(op)
            if range_ is None or range_ not in names:
                continue
            if _kept(range_, work.nest) * PARTS > MOST_BYTES:
                continue
            primitive = PartReduction(range=names[range_], parts=PARTS)
            time = as_time(work.number(work.iteration(loop) * work.trips(loop)))
            if not apply([primitive], op, session):
                return  # the other loops are of ops that are no more
            session.remark("passed", op, f"{time} of one loop: {as_text([primitive])}")
            session.count("reductions")
            changed = True
        if not changed:
            session.preserve_all()


def _kept(range_: kernel.RangeOp, nest: kernel.Nest) -> int:
    """Bytes of what a part of the reductions over a range keeps."""
    total = 0
    for op in nest.ops:
        if isinstance(op, kernel.StageOp) and range_ in kernel.accumulated_by(op):
            total += (op.target.size.constant or 0) * SCALAR_BYTES[op.target.element]
        elif isinstance(op, kernel.ReduceOp | kernel.FoldOp) and range_ in kernel.closed_by(op):
            total += sum(SCALAR_BYTES[result.type] for result in op.results)
    return total
