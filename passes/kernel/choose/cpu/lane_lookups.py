"""Choose vectors for loops with functions whose coefficients are looked up.

    for j in 0..1024:                 for blocks of 16 of j:
      y[i, j] = tanh(x[i, j])  -->      y[i, lanes of j] = tanh(x[i, lanes of j])

`expand-math` has formulas for `erf` and `tanh` of 16 lanes, and `erf` of 8, that take less time
than those for one number, of which LLVM makes vectors. Elsewhere it knows better than a schedule
which vectors to make, and is left to it.

Done for rows of whole vectors of f32, under the conditions of `stream-results`, which comes before
and does the same to what it streams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import math
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.stream_results import Stream, find_streams, schedule_vectors
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

LOOKED_UP: dict[int, tuple[type[Operation], ...]] = {
    16: (math.ErfOp, math.TanhOp),
    8: (math.ErfOp,),
}
"""The functions that there are such formulas for, by lanes."""

LANE = 4
"""Bytes of a lane."""


@dataclass(frozen=True)
class LaneLookups(Pass):
    """Make vectors of what looks coefficients up."""

    name = "lane-lookups"
    anchor: ClassVar[str | None] = "kernel.func"

    lanes: int | None = None
    """Lanes of the vectors that there is an instruction for, 0 if there is none; the machine's if
    they are not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        count = cpu.host().lookup_lanes if self.lanes is None else self.lanes
        found = _find(op, count, session)
        if not found:
            session.preserve_all()
            return
        schedule = schedule_vectors(op, found, count * LANE)
        if not apply(schedule, op, session):
            return
        session.count("loops", len({stream.along for stream in found}))
        if session.wants_remarks:
            session.remark("passed", op, f"coefficients looked up: {as_text(schedule)}")


def _find(func: kernel.FuncOp, count: int, session: Session) -> list[Stream]:
    """The stores in loops with functions that are looked up by so many lanes."""
    functions = LOOKED_UP.get(count, ())
    if not any(isinstance(op, functions) for op in func.walk()):
        return []
    nest = session.analysis(NEST, func)
    found = find_streams(func, nest, beyond=0, vector=count * LANE)
    return [stream for stream in found if _looks_up(stream, functions, nest)]


def _looks_up(stream: Stream, functions: tuple[type[Operation], ...], nest: kernel.Nest) -> bool:
    return stream.store.value.type == f32 and any(
        isinstance(op, functions) and stream.along in nest.operand_dependences[op]
        for op in nest.ops
    )
