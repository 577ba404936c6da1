"""Attributes that hold expressions and the ranges of their names, below the graph floor.

They belong to the kernel dialect; functions of other dialects over its buffers use them too.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.dim_ranges import DimRange, parse_dim_ranges
from teenyir.dialects.expr import Expr, ExprLike, parse_expr


@irdl_attr_definition
class ExprAttr(Data[Expr]):
    """A symbolic integer, `#kernel.expr<N * 2 + _0>`; `_k` is the op's k-th index operand."""

    name = "kernel.expr"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Expr:
        with parser.in_angle_brackets():
            return parse_expr(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


def expr_array(exprs: Iterable[ExprLike]) -> ArrayAttr[ExprAttr]:
    return ArrayAttr(ExprAttr(Expr.of(expr)) for expr in exprs)


@irdl_attr_definition
class DimsAttr(Data[tuple[DimRange, ...]]):
    """The named extents of a function with their ranges, `#kernel.dims<N in 1..1024 step 8>`."""

    name = "kernel.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[DimRange, ...]:
        with parser.in_angle_brackets():
            empty = parser.lexer.input.content.startswith(">", parser.pos)
            return () if empty else parse_dim_ranges(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.data, lambda dim: printer.print_string(str(dim)))

    def verify(self) -> None:
        for dim in self.data:
            if problem := dim.problem():
                raise VerifyException(problem)
        if len(set(self.names)) != len(self.names):
            raise VerifyException(f"an extent has two ranges: {', '.join(map(str, self.data))}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dim.name for dim in self.data)
