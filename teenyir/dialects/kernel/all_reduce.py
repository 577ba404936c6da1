"""The all-reduce: what threads of a block have, combined, and known to all of them."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.kernel.combiners import COMBINERS, Combiner
from teenyir.dialects.kernel.ops import INDEX, FuncOp, RangeOp
from teenyir.dialects.kernel.syntax import parse_kind, verify_combiner
from teenyir.dialects.syntax import parse_defined_operand, parse_operand_list, print_operand_list
from teenyir.targets.cuda import WARP

_GROUPS = [1 << n for n in range(1, WARP.bit_length())]


@irdl_op_definition
class AllReduceOp(IRDLOperation):
    """Combines a value over all threads along an axis of the block; each of them has the result.

    `%m = kernel.all_reduce %v across(%t) {kind = "max"}`

    The range stays open: what comes after it in a thread may use the result. It is the same in all
    threads, so that a store of it that names no thread is one store, which the first of them does.

    `across(%t) lanes(4)` combines groups of so many neighbouring threads, a power of two: the lanes
    of a warp that hold one row of a matrix instruction's sum. Each group has a result of its own.
    """

    name = "kernel.all_reduce"

    value = operand_def()
    thread = operand_def(INDEX)
    kind = prop_def(StringAttr)
    lanes = opt_prop_def(IntAttr)
    result = result_def()

    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(self, kind: str, value: SSAValue, thread: SSAValue, lanes: int | None = None):
        super().__init__(
            operands=[value, thread],
            properties={
                "kind": StringAttr(kind),
                "lanes": None if lanes is None else IntAttr(lanes),
            },
            result_types=[value.type],
        )

    @property
    def combiner(self) -> Combiner:
        """What combines two values. The verifier has made sure that there is one."""
        return COMBINERS[self.kind.data]

    @property
    def across(self) -> RangeOp:
        """The range of the threads. The verifier has made sure that it is one."""
        assert isinstance(self.thread.owner, RangeOp)
        return self.thread.owner

    @property
    def group(self) -> int:
        """How many threads combine what they have. The verifier has made sure that it is known."""
        if self.lanes is not None:
            return self.lanes.data
        return self.across.extent.evaluate({})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_keyword("across")
        start = parser.pos
        threads = parse_operand_list(parser)
        if len(threads) != 1:
            parser.raise_error("expected one range of threads", start, parser.pos)
        lanes = None
        if parser.parse_optional_keyword("lanes"):
            with parser.in_parens():
                lanes = parser.parse_integer(allow_boolean=False, allow_negative=False)
        kind, attributes = parse_kind(parser)
        op = cls(kind, value, threads[0], lanes)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" across")
        print_operand_list(printer, [self.thread])
        printer.print_string(" " if self.lanes is None else f" lanes({self.lanes.data}) ")
        printer.print_attr_dict({"kind": self.kind, **self.attributes})

    def verify_(self) -> None:
        verify_combiner(self.kind.data, self.value.type)
        if self.result.type != self.value.type:
            raise VerifyException(f"reduces {self.value.type} to {self.result.type}")
        owner = self.thread.owner
        if not isinstance(owner, RangeOp) or owner.how != "thread.x":
            raise VerifyException("is across a range of kind `thread.x`")
        if self.lanes is not None and self.lanes.data not in _GROUPS:
            raise VerifyException(f"combines groups of 2, 4, .. {WARP} lanes, not {self.group}")
