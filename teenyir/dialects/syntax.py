"""Pieces of custom assembly that the dialects share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from teenyir.dialects.expr import Expr, parse_expr


def parse_defined_operand(parser: Parser) -> SSAValue:
    """Parse `%x`, a value whose definition stands above, and so has a type already."""
    operand = parser.parse_unresolved_operand()
    values = parser.ssa_values.get(operand.operand_name)
    if values is None or operand.index >= len(values):
        parser.raise_error(f"use of undefined value %{operand.operand_name}", operand.span)
    return values[operand.index]


def parse_typed_operand(parser: Parser, type: Attribute) -> SSAValue:
    """Parse `%x` and require its type. Raises ParseError at the operand."""
    start = parser.pos
    value = parse_defined_operand(parser)
    if value.type != type:
        parser.raise_error(f"expected a value of type {type}, got {value.type}", start, parser.pos)
    return value


STREAMING = "streaming"
"""The word for stores past the caches."""


def parse_flag(parser: Parser, word: str) -> UnitAttr | None:
    """Parse a word that may stand there or not."""
    return UnitAttr() if parser.parse_optional_keyword(word) else None


def print_flag(printer: Printer, word: str, given: UnitAttr | None) -> None:
    """Print a word where an attribute is there."""
    if given is not None:
        printer.print_string(f" {word}")


class ValueNames:
    """Collects the SSA values of a parsed expression and names them `_0`, `_1`, ...

    The expressions of an op refer to its operands by these placeholders.
    """

    def __init__(self, parser: Parser):
        self.parser = parser
        self.values: list[SSAValue] = []

    def parse(self) -> str | None:
        if not self.parser.lexer.input.content.startswith("%", self.parser.pos):
            return None
        return self.name(parse_typed_operand(self.parser, IndexType()))

    def name(self, value: SSAValue) -> str:
        for position, known in enumerate(self.values):
            if known is value:
                return placeholder(position)
        self.values.append(value)
        return placeholder(len(self.values) - 1)

    def parse_expr(self) -> Expr:
        return parse_expr(self.parser, self.parse)

    def used_by(self, exprs: Sequence[Expr]) -> tuple[list[Expr], list[SSAValue]]:
        """Parsed expressions as an op keeps them: of `%i - %i + N` nothing is left of `%i`."""
        return locally(exprs, self.values)


def locally(exprs: Sequence[Expr], values: Sequence[SSAValue]) -> tuple[list[Expr], list[SSAValue]]:
    """Expressions over `_k`, `values[k]`, as an op keeps them: renumbered, with their values."""
    names = frozenset[str]().union(*(expr.names for expr in exprs))
    used = sorted(filter(is_placeholder, names), key=lambda name: int(name[1:]))
    counted = {name: placeholder(k) for k, name in enumerate(used)}
    return [expr.substitute(counted) for expr in exprs], [values[int(name[1:])] for name in used]


def placeholder(position: int) -> str:
    """The name by which an op's expressions refer to its index operand number `position`."""
    return f"_{position}"


def is_placeholder(name: str) -> bool:
    return name.startswith("_") and name[1:].isdecimal()


def parse_operand_list(parser: Parser) -> list[SSAValue]:
    """Parse `(%i, %j)`."""
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_defined_operand(parser)
    )


def print_operand_list(printer: Printer, operands: Iterable[SSAValue]) -> None:
    printer.print_string("(")
    printer.print_list(operands, printer.print_operand)
    printer.print_string(")")


_PLACEHOLDER = re.compile(r"(?<![\w$.])_([0-9]+)(?![\w$.])")


def print_expr(printer: Printer, expr: Expr, operands: Sequence[SSAValue]) -> None:
    """Print an expression with its placeholders spelled as the operands they stand for."""
    for position, piece in enumerate(_PLACEHOLDER.split(str(expr))):
        if position % 2:
            printer.print_operand(operands[int(piece)])
        else:
            printer.print_string(piece)


def parse_signature(
    parser: Parser, modes: Sequence[str]
) -> tuple[list[str], list[Parser.Argument]]:
    """Parse `(out %y: type, in %x: type)`; the words are among `modes`."""
    found: list[str] = []

    def parse_argument() -> Parser.Argument:
        found.append(parser.parse_keyword_in(modes))
        return parser.parse_argument()

    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
    return found, arguments


def print_signature(
    printer: Printer, modes: Sequence[str], arguments: Sequence[BlockArgument]
) -> None:
    def print_argument(pair: tuple[str, BlockArgument]) -> None:
        printer.print_string(f"{pair[0]} ")
        printer.print_block_argument(pair[1])

    printer.print_string("(")
    printer.print_list(zip(modes, arguments, strict=True), print_argument)
    printer.print_string(")")


def print_attributes(printer: Printer, op: Operation) -> None:
    printer.print_op_attributes(op.attributes, print_keyword=True)
