"""Passes with faults in them, for the semantic check to find."""

from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.dialects import graph, kernel
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class SwapOperands(Pass):
    """Take subtraction for commutative."""

    name = "wrong-swap-operands"
    anchor = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        for inner in op.walk():
            if isinstance(inner, graph.SubOp):
                inner.operands = tuple(reversed(inner.operands))


@dataclass(frozen=True)
class ShiftLoads(Pass):
    """Load from one further on."""

    name = "wrong-shift-loads"
    anchor = "kernel.func"

    def run(self, op: Operation, session: Session) -> None:
        for inner in op.walk():
            if isinstance(inner, kernel.LoadOp):
                shifted = [expr + 1 for expr in inner.exprs]
                inner.properties["indices"] = kernel.LoadOp(
                    inner.buffer, shifted, inner.values
                ).indices


PASSES = [SwapOperands, ShiftLoads]
