"""Passes with faults in them, for the semantic check to find."""

from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

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


@dataclass(frozen=True)
class AddForSubtract(Pass):
    """Take subtraction for addition, in machine code."""

    name = "wrong-add"

    def run(self, op: Operation, session: Session) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, llvm.FSubOp):
                Rewriter.replace_op(inner, llvm.FAddOp(inner.lhs, inner.rhs))


@dataclass(frozen=True)
class Rename(Pass):
    """Give functions another name."""

    name = "wrong-rename"
    anchor = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        op.properties["sym_name"] = StringAttr("other")


PASSES = [SwapOperands, ShiftLoads, AddForSubtract, Rename]
