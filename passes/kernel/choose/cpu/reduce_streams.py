"""Choose several streams for reductions along memory that wait for it.

    for k in 0..4096:               for k in 0..1024:
      s += x[k]                       s0 += x[k], s1 += x[k + 1024], s2 += x[k + 2048], ..
                          -->       s = s0 + s1 + s2 + s3

Processors fetch ahead within a page, and for several pages at once: four that are read side by side
come faster than one after the other, and each has its own accumulator.

Done where little is computed of one value that is loaded, more than the second cache has in all,
and where each stream has whole pages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import is_plain, moves_by_one
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text, cone
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

STREAMS = 4
"""Pages that are read side by side: more are no faster."""

PAGE = 4096
"""Bytes, of the smallest pages that there are."""

MOST_OPS = 3
"""Operations on a value before it is taken in: with more, the processor is what is waited for."""

CHEAP = {
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.AddiOp, arith.SubiOp, arith.MuliOp),
    *(arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp, arith.SIToFPOp),
}
"""What takes less time than a load."""


@dataclass(frozen=True)
class Along:
    """A reduction along memory."""

    name: str
    """The range that it runs along."""
    extent: int
    bytes: int
    """Of the buffer that is read."""


@dataclass(frozen=True)
class ReduceStreams(Pass):
    """Read several parts of what is reduced side by side."""

    name = "reduce-streams"
    anchor: ClassVar[str | None] = "kernel.func"

    l2: int | None = None
    """Bytes of the second-level cache; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        l2 = self.l2 or cpu.host().l2
        found = [
            each for each in find_reductions(op, session.analysis(NEST, op)) if each.bytes > l2
        ]
        schedule = [step for each in found for step in self.schedule(each)]
        if not schedule:
            session.preserve_all()
            return
        if not apply(schedule, op, session):
            return
        session.count("reductions", len(found))
        if session.wants_remarks:
            session.remark("passed", op, f"{STREAMS} streams: {as_text(schedule)}")

    def schedule(self, found: Along) -> list[Primitive]:
        """The primitives that read the parts side by side."""
        k = found.name
        return [
            SplitRange(range=k, by=found.extent // STREAMS, outer=f"{k}p", inner=f"{k}q"),
            SetKind(range=f"{k}p", kind="unroll"),
            SplitReduction(over=(f"{k}q",)),
        ]


def find_reductions(func: kernel.FuncOp, nest: kernel.Nest) -> list[Along]:
    """The reductions of a kernel that run along memory, each alone in its loop."""
    names = kernel.range_names(func)
    closers = [
        op for op in nest.ops if isinstance(op, kernel.ReduceOp | kernel.FoldOp | kernel.StageOp)
    ]
    found: list[Along] = []
    for op in closers:
        if not isinstance(op, kernel.ReduceOp):
            continue
        along = nest.in_text_order(kernel.closed_by(op))[-1]
        alone = sum(along in kernel.closed_by(other) for other in closers) == 1
        loaded = _loaded(op, along, nest)
        extent = along.extent.constant
        if not alone or loaded is None or extent is None or not is_plain(along, names):
            continue
        width = SCALAR_BYTES[loaded.result.type]
        sizes = [size.constant for size in loaded.target.extents]
        if None not in sizes and extent * width % (STREAMS * PAGE) == 0:
            found.append(Along(names[along], extent, math.prod(s or 0 for s in sizes) * width))
    return found


def _loaded(op: kernel.ReduceOp, along: kernel.RangeOp, nest: kernel.Nest) -> kernel.LoadOp | None:
    """The one load along memory whose value a reduction takes in, if little is done to it."""
    inside = cone([op.value], {along}, nest)
    loads = [each for each in inside if isinstance(each, kernel.LoadOp)]
    others = [each for each in inside if not isinstance(each, kernel.LoadOp | kernel.IndexOp)]
    if len(loads) != 1 or len(others) > MOST_OPS or any(o.__class__ not in CHEAP for o in others):
        return None
    (load,) = loads
    return load if load.gate is None and moves_by_one(load, along) else None
