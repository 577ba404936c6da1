"""simplify-graph: sound algebra on tensors, one row at a time.

Comes in: functions on the graph floor. Goes out: the same, with less to compute. Read `table` (what
a row is, and the driver), then the rows: `arithmetic`, `casts`, `movement`, `constants`.

Sound means for every value: NaN, infinities and the sign of zero stay what they were. So `x + 0.0`
stays (it turns -0.0 into 0.0) and `x + -0.0` goes; `x * 0.0` stays (NaN, infinities, -0.0).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.passes.graph.simplify.arithmetic import ARITHMETIC
from teenyir.passes.graph.simplify.casts import CASTS
from teenyir.passes.graph.simplify.constants import CONSTANTS
from teenyir.passes.graph.simplify.movement import MOVEMENT
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import Table, rewrite

TABLE = Table(*ARITHMETIC, *CASTS, *MOVEMENT, *CONSTANTS)
"""Every row. The first that matches an op is applied."""


@dataclass(frozen=True)
class SimplifyGraph(Pass):
    """Simplify tensor programs: neutral elements, casts, movement, small constants."""

    name = "simplify-graph"
    anchor = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        if not rewrite(op, TABLE, session):
            session.preserve_all()
