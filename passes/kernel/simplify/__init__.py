"""simplify-kernel: sound algebra on ranges, indices, gates and reductions, one row at a time.

Comes in: a kernel. Goes out: the same, with less to compute in its loops. Read `known` (what is
known of index values, and what a row is), then the rows: `indices`, `gates`, `ranges`,
`reductions`, `closed_forms`. The arithmetic of index expressions itself, quotients and remainders,
is in `teenyir/analysis/divisions.py` and `rejoining.py`.

Sound means for every value: NaN, infinities and the sign of zero stay what they were, but for the
order in which a reduction combines. What would need more is done under `fast-math` alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.passes.kernel.simplify.closed_forms import CLOSED_FORMS, FAST_CLOSED_FORMS
from teenyir.passes.kernel.simplify.gates import GATES
from teenyir.passes.kernel.simplify.indices import INDICES
from teenyir.passes.kernel.simplify.known import Known, table_of
from teenyir.passes.kernel.simplify.ranges import RANGES
from teenyir.passes.kernel.simplify.reductions import REDUCTIONS
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import rewrite

ROWS = (*INDICES, *GATES, *RANGES, *REDUCTIONS, *CLOSED_FORMS)
"""Every row that is sound. The first that fits an op is applied."""


@dataclass(frozen=True)
class SimplifyKernel(Pass):
    """Simplify kernels: index arithmetic, gates, ranges that do nothing, sums with closed forms."""

    name = "simplify-kernel"
    anchor = "kernel.func"

    fast_math: bool = False
    """Whether floats may be taken to be finite: a product with 0 is then 0."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        rows = (*ROWS, *FAST_CLOSED_FORMS) if self.fast_math else ROWS
        if not rewrite(op, table_of(rows, Known(op)), session):
            session.preserve_all()
