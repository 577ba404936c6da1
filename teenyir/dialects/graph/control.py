"""Control flow: what is computed depends on a value, or goes on until one says stop.

A region sees the values around it. It ends in `graph.yield`, and what it yields decides the types
of the results, which are the same whichever way the program goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import AnyTensorTypeConstr, i1
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.graph.attributes import tensor
from teenyir.dialects.graph.base import Value
from teenyir.dialects.graph.checks import check_tensor
from teenyir.dialects.graph.regions import YieldOp, parse_tensor

CONDITION = tensor(i1, ())
"""The type of a condition."""


@irdl_op_definition
class IfOp(IRDLOperation):
    """One of two branches: `%y, %z = graph.if %cond { .. graph.yield } else { .. graph.yield }`.

    Only the branch that is taken is computed. Both yield values of the same types.
    """

    name = "graph.if"

    condition = operand_def(AnyTensorTypeConstr)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    outputs = var_result_def(AnyTensorTypeConstr)

    traits = traits_def(Pure())

    def __init__(self, condition: Value, then: Region, otherwise: Region):
        """The results have the types that `then` yields."""
        super().__init__(
            operands=[SSAValue.get(condition)],
            result_types=[yielded_types(then)],
            regions=[then, otherwise],
        )

    @property
    def branches(self) -> tuple[Region, Region]:
        """What is computed where the condition holds, and where it does not."""
        return self.then, self.otherwise

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parse_tensor(parser)
        then = parser.parse_region(())
        parser.parse_keyword("else")
        return cls(condition, then, parser.parse_region(()))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        printer.print_string(" ")
        printer.print_region(self.then, print_empty_block=False)
        printer.print_string(" else ")
        printer.print_region(self.otherwise, print_empty_block=False)

    def verify_(self) -> None:
        if self.condition.type != CONDITION:
            raise VerifyException(f"the condition is to be {CONDITION}, got {self.condition.type}")
        then, otherwise = map(yield_of, self.branches)
        for branch in self.branches:
            if branch.block.args:
                raise VerifyException("a branch takes no arguments")
        _verify_results(self.outputs, then, "the branch gives")
        if len(otherwise.values) != len(then.values):
            raise VerifyAt(
                otherwise,
                f"one branch gives {len(then.values)} values, the other {len(otherwise.values)}",
            )
        pairs = zip(then.values.types, otherwise.values.types, strict=True)
        for position, (one, other) in enumerate(pairs):
            if one != other:
                raise VerifyAt(
                    otherwise, f"value {position} is {one} in one branch, {other} in the other"
                )


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop that carries tensors:

        %x, %n = graph.while (%a = %x0, %b = %n0) cond { .. graph.yield %go }
                                                  do { .. graph.yield %a1, %b1 }

    Both regions take what is carried. While `cond` yields true, `do` gives the next values; their
    types are those of the first ones. The results are the values for which `cond` yields false.
    """

    name = "graph.while"

    initial = var_operand_def(AnyTensorTypeConstr)
    cond = region_def("single_block")
    body = region_def("single_block")
    outputs = var_result_def(AnyTensorTypeConstr)

    traits = traits_def(Pure())

    def __init__(self, initial: Sequence[Value], cond: Region, body: Region):
        """`cond` and `body` have one block each, with one argument for each of `initial`."""
        values = [SSAValue.get(value) for value in initial]
        super().__init__(
            operands=[values],
            result_types=[[value.type for value in values]],
            regions=[cond, body],
        )

    @staticmethod
    def block(initial: Sequence[Value]) -> Block:
        """An empty block with the arguments that a loop over these values needs."""
        values = [SSAValue.get(value) for value in initial]
        block = Block(arg_types=[value.type for value in values])
        for argument, value in zip(block.args, values, strict=True):
            argument.name_hint = value.name_hint
        return block

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        initial: list[SSAValue] = []

        def parse_carried() -> Parser.Argument:
            name = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            initial.append(parse_tensor(parser))
            return name.resolve(initial[-1].type)

        carried = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_carried)
        parser.parse_keyword("cond")
        cond = parser.parse_region(carried)
        parser.parse_keyword("do")
        return cls(initial, cond, parser.parse_region(carried))

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        arguments = self.cond.block.args
        # of an op that may not verify: what has no counterpart is not shown
        pairs = list(zip(arguments, self.initial, strict=False))
        for position, (argument, value) in enumerate(pairs):
            printer.print_string(", " if position else "")
            printer.print_block_argument(argument, print_type=False)
            printer.print_string(" = ")
            printer.print_operand(value)
        names = printer._ssa_values  # pyright: ignore[reportPrivateUsage]
        for argument, other in zip(arguments, self.body.block.args, strict=False):
            names[other] = names[argument]  # both regions know what is carried by one name
        printer.print_string(") cond ")
        printer.print_region(self.cond, print_entry_block_args=False, print_empty_block=False)
        printer.print_string(" do ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        types = list(self.initial.types)
        for region, what in ((self.cond, "condition"), (self.body, "body")):
            if list(region.block.arg_types) != types:
                raise VerifyException(
                    f"the {what} is to take what is carried, {_listed(types)}, "
                    f"and takes {_listed(region.block.arg_types)}"
                )
        going = yield_of(self.cond)
        if list(going.values.types) != [CONDITION]:
            raise VerifyAt(
                going,
                f"the condition is to yield {CONDITION}, got {_listed(going.values.types)}",
            )
        _verify_carried(types, yield_of(self.body))
        _verify_results(self.outputs, yield_of(self.body), "the loop carries")


def yield_of(region: Region) -> YieldOp:
    """How a region ends. Raises VerifyException where it is not by `graph.yield`."""
    last = region.block.last_op
    if isinstance(last, YieldOp):
        return last
    if last is None:
        raise VerifyException("a region is to end in graph.yield, and is empty")
    raise VerifyAt(last, "a region is to end in graph.yield")


def yielded_types(region: Region) -> Sequence[Attribute]:
    """The types of what a region yields; none where it does not."""
    last = region.block.last_op if region.blocks else None
    return last.values.types if isinstance(last, YieldOp) else ()


def _verify_carried(types: Sequence[Attribute], last: YieldOp) -> None:
    if len(last.values) != len(types):
        raise VerifyAt(last, f"carries {len(types)} values, and the body yields {len(last.values)}")
    for position, (carried, given) in enumerate(zip(types, last.values.types, strict=True)):
        if carried != given:
            raise VerifyAt(
                last, f"value {position} is carried as {carried}, and the body yields {given}"
            )


def _verify_results(results: Sequence[SSAValue], last: YieldOp, what: str) -> None:
    if not results:
        raise VerifyException("gives nothing")
    for type in last.values.types:
        check_tensor(type)
    if [result.type for result in results] != list(last.values.types):
        stated = _listed([result.type for result in results])
        raise VerifyException(f"{what} {_listed(last.values.types)}, the results are {stated}")


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


CONTROL_OPS = (IfOp, WhileOp)
