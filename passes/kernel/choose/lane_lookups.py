"""Choose vectors for loops with functions whose coefficients are looked up.

    for j in 0..1024:                 for blocks of 16 of j:
      y[i, j] = tanh(x[i, j])  -->      y[i, lanes of j] = tanh(x[i, lanes of j])

`expand-math` has formulas for `erf` and `tanh` of 16 lanes that take half of the time of those for
one number, of which LLVM makes vectors. Elsewhere it knows better than a schedule which vectors to
make, and is left to it.

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
from teenyir.passes.kernel.choose.stream_results import Stream, find_streams, schedule_vectors
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

LOOKED_UP = (math.ErfOp, math.TanhOp)
"""The functions that there are such formulas for."""

VECTOR = 64
"""Bytes of the 16 lanes that they are for."""


@dataclass(frozen=True)
class LaneLookups(Pass):
    """Make vectors of what looks coefficients up."""

    name = "lane-lookups"
    anchor: ClassVar[str | None] = "kernel.func"

    lookup: bool | None = None
    """Whether there is an instruction for it; the machine's answer if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = self._find(op, session)
        if not found:
            session.preserve_all()
            return
        schedule = schedule_vectors(op, found, VECTOR)
        if not apply(schedule, op, session):
            return
        session.count("loops", len({stream.along for stream in found}))
        if session.wants_remarks:
            session.remark("passed", op, f"coefficients looked up: {as_text(schedule)}")

    def _find(self, func: kernel.FuncOp, session: Session) -> list[Stream]:
        """The stores in loops with such functions."""
        looks_up = cpu.host().looks_up if self.lookup is None else self.lookup
        if not looks_up or not any(isinstance(op, LOOKED_UP) for op in func.walk()):
            return []
        nest = session.analysis(NEST, func)
        found = find_streams(func, nest, beyond=0, vector=VECTOR)
        return [stream for stream in found if _looks_up(stream, nest)]


def _looks_up(stream: Stream, nest: kernel.Nest) -> bool:
    return stream.store.value.type == f32 and any(
        isinstance(op, LOOKED_UP) and stream.along in nest.operand_dependences[op]
        for op in nest.ops
    )
