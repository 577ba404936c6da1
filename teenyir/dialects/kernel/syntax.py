"""Pieces of assembly and checks that ops of the kernel floor share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr
from teenyir.dialects.kernel.combiners import COMBINERS
from teenyir.dialects.syntax import ValueNames, print_expr


def parse_indices(parser: Parser) -> tuple[list[Expr], list[SSAValue]]:
    """Parse `[%i, %k + N]`: the expressions, and the values that are left in them."""
    names = ValueNames(parser)
    exprs = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, names.parse_expr, " in the indices"
    )
    return names.used_by(exprs)


def print_indices(printer: Printer, exprs: Iterable[Expr], values: Sequence[SSAValue]) -> None:
    printer.print_string("[")
    printer.print_list(exprs, lambda expr: print_expr(printer, expr, values))
    printer.print_string("]")


def parse_kind(parser: Parser) -> tuple[str, dict[str, Attribute]]:
    """Parse `{kind = "add"}`: the kind, and the other attributes."""
    start = parser.pos
    attributes = parser.parse_optional_attr_dict()
    kind = attributes.pop("kind", None)
    if not isinstance(kind, StringAttr):
        parser.raise_error('expected {kind = "add"} or another combiner', start, parser.pos)
    return kind.data, attributes


def verify_combiner(kind: str, type: Attribute) -> None:
    """A kind is the name of a combiner that takes values of a type."""
    combiner = COMBINERS.get(kind)
    if combiner is None or combiner.op(type) is None:
        fitting = [word for word, c in COMBINERS.items() if c.op(type)]
        raise VerifyException(f"no combiner {kind!r} on {type}; there are {fitting}")
