"""The op that puts values into order: one collective, which the uop floor expands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import ZERO, Expr, ExprLike, parse_expr
from teenyir.dialects.expr_attributes import ExprAttr, expr_array
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.kernel.closers import verify_closed
from teenyir.dialects.kernel.ops import INDEX, AllocatesResult, FuncOp, IndexedOp, RangeOp
from teenyir.dialects.kernel.syntax import parse_indices, print_indices
from teenyir.dialects.syntax import parse_operand_list, print_operand_list

ORDERS = ("slt", "sgt", "ult", "ugt")
"""What holds between a key and those after it that are not equal, as `arith` names it."""


def verify_orders(orders: Sequence[str], types: Sequence[Attribute]) -> None:
    """Each order is one, of a key's type; the keys are the first of several types."""
    if not 1 <= len(orders) <= len(types):
        raise VerifyException(f"{len(orders)} orders for {len(types)} values")
    for order, type in zip(orders, types, strict=False):
        if order not in ORDERS:
            raise VerifyException(f"no order {order!r}; there are {list(ORDERS)}")
        if not isinstance(type, IntegerType):
            raise VerifyException(f"a key is an integer, not {type}")


def parse_orders(parser: Parser) -> list[str]:
    """Parse `by [slt, ugt]`."""
    parser.parse_keyword("by")
    return list(
        parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_keyword_in(ORDERS)
        )
    )


def print_orders(printer: Printer, orders: Sequence[str]) -> None:
    printer.print_string(f" by [{', '.join(orders)}]")


@irdl_op_definition
class SortOp(IndexedOp):
    """Puts the values of all iterations of a range into order, to be loaded at any index.

    `%s, %t = kernel.sort(%k, %v) by [slt] over(%j) in(%a, %b)[%i] first 5`

    The order is that of the first values, the keys, integers, one for each word of `by`; it is
    stable. The range starts at 0. It works in scratch, `%a` for `%k`: a buffer `[.., 2, N]` has
    rows, which the indices name, with room for two of each value. The results are the elements
    that come first, all unless said otherwise.
    """

    name = "kernel.sort"

    inputs = var_operand_def()
    over = var_operand_def(INDEX)
    scratch = var_operand_def(BufferType)
    values = var_operand_def(INDEX)
    indices = prop_def(ArrayAttr[ExprAttr])
    orders_attr = prop_def(ArrayAttr[StringAttr], prop_name="orders")
    first_attr = prop_def(ExprAttr, prop_name="first")
    outputs = var_result_def(BufferType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(AllocatesResult(), HasParent(FuncOp))

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        orders: Sequence[str],
        over: SSAValue,
        scratch: Sequence[SSAValue],
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue] = (),
        first: ExprLike | None = None,
    ):
        count = _extent(over) if first is None else Expr.of(first)
        super().__init__(
            operands=[inputs, [over], scratch, values],
            properties={
                "indices": expr_array(indices),
                "orders": ArrayAttr(map(StringAttr, orders)),
                "first": ExprAttr(count),
            },
            result_types=[[BufferType([count], value.type, "scratch") for value in inputs]],
        )

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (*(attr.data for attr in self.indices), self.first)

    @property
    def orders(self) -> tuple[str, ...]:
        """One of `ORDERS` for each key."""
        return tuple(order.data for order in self.orders_attr)

    @property
    def first(self) -> Expr:
        """How many elements the results have."""
        return self.first_attr.data

    @property
    def extent(self) -> Expr:
        """How many elements are sorted."""
        return _extent(self.over[0])

    @property
    def row(self) -> Expr:
        """Where the row of scratch starts, in elements from the start of each buffer."""
        type = self.scratch[0].type
        assert isinstance(type, BufferType)
        indices = [attr.data for attr in self.indices]
        return Expr.row_major(indices, type.extents[: len(indices)]) * 2 * self.extent

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs = parse_operand_list(parser)
        orders = parse_orders(parser)
        parser.parse_keyword("over")
        start = parser.pos
        over = parse_operand_list(parser)
        if len(over) != 1 or not isinstance(over[0].owner, RangeOp):
            parser.raise_error("expected the result of a kernel.range", start, parser.pos)
        parser.parse_keyword("in")
        scratch = parse_operand_list(parser)
        indices, values = parse_indices(parser)
        first = parse_expr(parser) if parser.parse_optional_keyword("first") else None
        return cls(inputs, orders, over[0], scratch, indices, values, first)

    def print(self, printer: Printer) -> None:
        print_operand_list(printer, self.inputs)
        print_orders(printer, self.orders)
        printer.print_string(" over")
        print_operand_list(printer, self.over)
        printer.print_string(" in")
        print_operand_list(printer, self.scratch)
        print_indices(printer, [attr.data for attr in self.indices], self.values)
        if self.first != self.extent:
            printer.print_string(f" first {self.first}")

    def verify_(self) -> None:
        verify_closed(self.over)
        if len(self.over) != 1:
            raise VerifyException("sorts over one range")
        range_ = self.over[0].owner
        assert isinstance(range_, RangeOp)  # what is closed is one
        if range_.lower.data != ZERO or range_.values:
            raise VerifyException("the range is to start at 0 and to end at an extent")
        types = [value.type for value in self.inputs]
        verify_orders(self.orders, types)
        self.verify_expressions()
        for what in (self.first, self.extent - self.first):
            if (size := what.constant) is not None and size < 0:
                raise VerifyException(f"the first {self.first} of {self.extent} elements")
        expected = [BufferType([self.first], type, "scratch") for type in types]
        if list(self.outputs.types) != expected:
            raise VerifyException("each result is to be a buffer of its input's type")
        self._verify_scratch(types)

    def _verify_scratch(self, types: Sequence[Attribute]) -> None:
        if len(self.scratch) != len(types):
            raise VerifyException(f"{len(self.scratch)} rows of scratch for {len(types)} values")
        first = self.scratch[0].type
        assert isinstance(first, BufferType)  # no operand is anything else
        leading = first.extents[:-2]
        for type, buffer in zip(types, self.scratch, strict=True):
            wanted = BufferType([*leading, 2, self.extent], type)
            if buffer.type != wanted:
                raise VerifyException(
                    f"the scratch for {type} is to be {wanted}, not {buffer.type}"
                )
        if len(self.indices) != len(leading):
            raise VerifyException(f"{len(self.indices)} indices for the rows of {first}")


def _extent(over: SSAValue) -> Expr:
    assert isinstance(over.owner, RangeOp)
    return over.owner.upper.data
