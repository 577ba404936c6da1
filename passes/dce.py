"""dce: what nobody can notice goes, on any floor."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.analysis.dominance import DOMINANCE
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.dce import eliminate_dead_code


@dataclass(frozen=True)
class EliminateDeadCode(Pass):
    """Remove unused operations without effects, cycles of them too, and unreachable blocks."""

    name = "dce"

    def run(self, op: Operation, session: Session) -> None:
        removed = eliminate_dead_code(op)
        session.count("operations removed", removed)
        if removed:
            session.preserve(DOMINANCE)
        else:
            session.preserve_all()
