"""What ops with regions share: how a region ends, and how their operands are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import AnyTensorTypeConstr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.graph.base import Value
from teenyir.dialects.graph.checks import check_tensor
from teenyir.dialects.syntax import parse_defined_operand


@irdl_op_definition
class YieldOp(IRDLOperation):
    """What a region gives to the op that it belongs to: `graph.yield %a, %b`."""

    name = "graph.yield"

    values = var_operand_def(AnyTensorTypeConstr)

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, values: Sequence[Value]):
        super().__init__(operands=[[SSAValue.get(value) for value in values]])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(
            parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parse_defined_operand(parser)
            )
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_operand)


def parse_tensor(parser: Parser) -> SSAValue:
    """Parse `%x`, a tensor whose definition stands above. Raises ParseError at it."""
    start = parser.pos
    value = parse_defined_operand(parser)
    try:
        check_tensor(value.type)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)
    return value


def parse_tensors(parser: Parser) -> list[SSAValue]:
    """Parse `(%x, %y)`, tensors whose definitions stand above. Raises ParseError at one."""
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_tensor(parser))
