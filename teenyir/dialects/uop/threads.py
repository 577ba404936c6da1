"""The uop floor's loops in threads of a CPU: how many, and which one runs an iteration.

    scf.for %i = %a to %b step %c1 {
      %t = uop.thread %i : index
      ..
    } {uop.threads = #uop.threads<2, 4096>}

Any thread may run any iteration, in any order. What one iteration writes no other one touches,
except in memory that is apart for each thread number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntAttr
from xdsl.ir import Attribute, BlockArgument, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.constants import integer_of
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.expr import ONE, Expr, ExprLike, parse_expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.dialects.syntax import parse_typed_operand
from teenyir.targets.cpu import MOST_THREADS

THREADS = "uop.threads"
"""The attribute of an `scf.for` whose iterations threads of a CPU share."""

INDEX = IndexType()


@irdl_attr_definition
class ThreadsAttr(ParametrizedAttribute):
    """How iterations are shared: `#uop.threads<2, 4096>`, over the kernel's named extents."""

    name = "uop.threads"

    most: IntAttr
    grain: ExprAttr

    def __init__(self, most: int = MOST_THREADS, grain: ExprLike = ONE) -> None:
        """`most` threads at most, numbered from 0; none is woken for fewer iterations than
        `grain`, an expression over the kernel's named extents."""
        super().__init__(IntAttr(most), ExprAttr(Expr.of(grain)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            most = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            return (IntAttr(most), ExprAttr(parse_expr(parser)))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.most.data}, {self.grain.data}")

    def verify(self) -> None:
        if not 1 <= self.most.data <= MOST_THREADS:
            raise VerifyException(f"1 to {MOST_THREADS} threads, not {self.most.data}")


def threads_of(op: Operation) -> ThreadsAttr | None:
    """How threads share the iterations of a loop; None where one runs them all."""
    found = op.attributes.get(THREADS)
    return found if isinstance(found, ThreadsAttr) else None


@irdl_op_definition
class ThreadOp(IRDLOperation):
    """The number of the thread that runs an iteration of a loop: `%t = uop.thread %i`."""

    name = "uop.thread"

    iteration = operand_def(INDEX)
    result = result_def(INDEX)

    traits = traits_def(Pure())

    def __init__(self, iteration: SSAValue):
        super().__init__(operands=[iteration], result_types=[INDEX])

    @property
    def threads(self) -> ThreadsAttr | None:
        """How threads share the loop whose iteration it is; None if that is no such loop's."""
        value = self.iteration
        loop = value.block.parent_op() if isinstance(value, BlockArgument) else None
        return threads_of(loop) if isinstance(loop, scf.ForOp) else None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parse_typed_operand(parser, INDEX))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.iteration)

    def verify_(self) -> None:
        if self.threads is None:
            raise VerifyException(f"its operand is no iteration of a loop marked {THREADS}")


def verify_threads(loop: scf.ForOp, names: Sequence[str]) -> None:
    """Check a loop that is marked, in a function with these named extents. Raises VerifyAt."""
    threads = loop.attributes[THREADS]
    if not isinstance(threads, ThreadsAttr):
        raise VerifyAt(loop, f"{THREADS} is #uop.threads<most, grain>, not {threads}")
    if loop.iter_args:
        raise VerifyAt(loop, "a loop in threads cannot carry values")
    if missing := sorted(threads.grain.data.names - set(names)):
        raise VerifyAt(loop, f"the grain names {', '.join(missing)}: not in `dims`")
    if integer_of(loop.step) != 1:
        raise VerifyAt(loop, "a loop in threads has a step of 1")
    around = loop.parent_op()
    while around is not None:
        if THREADS in around.attributes:
            raise VerifyAt(loop, "stands in a loop that is in threads already")
        around = around.parent_op()
