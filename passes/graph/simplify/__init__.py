"""simplify-graph: sound algebra on tensors, one row at a time.

Comes in: functions on the graph floor. Goes out: the same, with less to compute. Read `table` (what
a row is, and the driver), then the rows: `arithmetic`, `signs`, `integers`, `conditions`, `casts`,
`movement`, `constants`, `one_hot`; what is not sound is in `fast_math`
and `convolutions`.

Sound means for every value: NaN, infinities and the sign of zero stay what they were. So `x + 0.0`
stays (it turns -0.0 into 0.0) and `x + -0.0` goes; `x * 0.0` stays (NaN, infinities, -0.0).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.passes.graph.simplify.arithmetic import ARITHMETIC
from teenyir.passes.graph.simplify.casts import CASTS
from teenyir.passes.graph.simplify.conditions import CONDITIONS
from teenyir.passes.graph.simplify.constants import CONSTANTS
from teenyir.passes.graph.simplify.convolutions import CONVOLUTIONS
from teenyir.passes.graph.simplify.fast_math import FAST_MATH
from teenyir.passes.graph.simplify.integers import INTEGERS
from teenyir.passes.graph.simplify.movement import MOVEMENT
from teenyir.passes.graph.simplify.one_hot import FAST_ONE_HOT, ONE_HOT
from teenyir.passes.graph.simplify.signs import SIGNS
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import Table, rewrite

ROWS = (
    *(*ARITHMETIC, *SIGNS, *INTEGERS, *CONDITIONS),
    *(*CASTS, *MOVEMENT, *CONSTANTS, *ONE_HOT),
)
"""Every row that is sound. The first that matches an op is applied."""

TABLE = Table(*ROWS)
FAST_ROWS = (*FAST_MATH, *FAST_ONE_HOT, *CONVOLUTIONS)
FAST_TABLE = Table(*FAST_ROWS, *ROWS)
"""With what holds of finite floats alone, and of sums and products however they are rounded."""


@dataclass(frozen=True)
class SimplifyGraph(Pass):
    """Simplify tensor programs: neutral elements, casts, movement, small constants."""

    name = "simplify-graph"
    anchor = "func.func"

    fast_math: bool = False
    """Whether floats may be taken to be finite, zeros to have no sign, and products to be formed
    in any order."""

    def run(self, op: Operation, session: Session) -> None:
        if not rewrite(op, FAST_TABLE if self.fast_math else TABLE, session):
            session.preserve_all()
