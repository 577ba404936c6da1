"""Tensors put into order along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import AnyTensorTypeConstr, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr, ExprLike, parse_expr
from teenyir.dialects.expr_attributes import ExprAttr
from teenyir.dialects.graph.attributes import Tensor, extents, tensor
from teenyir.dialects.graph.base import INT, Value
from teenyir.dialects.graph.checks import (
    check_axes,
    check_computed,
    check_not_negative,
    check_tensor,
)
from teenyir.dialects.graph.regions import parse_tensors


@irdl_op_definition
class SortOp(IRDLOperation):
    """Several tensors put into one order along an axis, that of the first ones, the keys.

    `%s, %p = graph.sort(%x, %i) keys 1 axis 0 descending first 5`

    Of equal first keys the second ones decide, and so on; what is equal in all keys stays in its
    order. NaN is greater than every number, and equal to NaN; zeros of both signs are equal; false
    is less than true. With `first` the results are only so many elements, those that come first.
    """

    name = "graph.sort"

    inputs = var_operand_def(AnyTensorTypeConstr)
    keys_attr = prop_def(INT, prop_name="keys")
    axis_attr = prop_def(INT, prop_name="axis")
    descending_attr = opt_prop_def(UnitAttr, prop_name="descending")
    first_attr = opt_prop_def(ExprAttr, prop_name="first")
    outputs = var_result_def(AnyTensorTypeConstr)

    traits = traits_def(Pure())

    def __init__(
        self,
        inputs: Sequence[Value],
        axis: int,
        keys: int = 1,
        descending: bool = False,
        first: ExprLike | None = None,
    ):
        """Raises VerifyException for tensors that do not go together, or without the axis."""
        values = [SSAValue.get(value) for value in inputs]
        count = None if first is None else Expr.of(first)
        super().__init__(
            operands=[values],
            result_types=[_sorted([value.type for value in values], keys, axis, count)],
            properties={
                "keys": IntegerAttr(keys, i64),
                "axis": IntegerAttr(axis, i64),
                "descending": UnitAttr() if descending else None,
                "first": None if count is None else ExprAttr(count),
            },
        )

    @property
    def keys(self) -> int:
        """How many of the inputs, the first ones, decide the order."""
        return self.keys_attr.value.data

    @property
    def axis(self) -> int:
        """The axis along which elements change their places."""
        return self.axis_attr.value.data

    @property
    def descending(self) -> bool:
        """Whether the greatest come first."""
        return self.descending_attr is not None

    @property
    def first(self) -> Expr | None:
        """How many elements the results have along the axis; None for all."""
        return None if self.first_attr is None else self.first_attr.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs = parse_tensors(parser)
        numbers: dict[str, int] = {}
        start = parser.pos
        for word in ("keys", "axis"):
            parser.parse_keyword(word)
            numbers[word] = parser.parse_integer(allow_boolean=False)
        descending = parser.parse_optional_keyword("descending") is not None
        first = parse_expr(parser) if parser.parse_optional_keyword("first") else None
        try:
            op = cls(inputs, numbers["axis"], numbers["keys"], descending, first)
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_operand)
        printer.print_string(f" keys {self.keys} axis {self.axis}")
        if self.descending:
            printer.print_string(" descending")
        if self.first is not None:
            printer.print_string(f" first {self.first}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        expected = _sorted(list(self.inputs.types), self.keys, self.axis, self.first)
        if list(self.outputs.types) != expected:
            raise VerifyException("each result is to have its input's type, but for `first`")


def _sorted(inputs: Sequence[Attribute], keys: int, axis: int, first: Expr | None) -> list[Tensor]:
    """The types of the results."""
    types = [check_tensor(type) for type in inputs]
    if not types:
        raise VerifyException("sorts nothing")
    if not 1 <= keys <= len(types):
        raise VerifyException(f"{keys} keys of {len(types)} inputs")
    for key in types[:keys]:
        check_computed(key)
    for type in types:
        check_axes("axis", [axis], type)
        if extents(type) != extents(types[0]):
            raise VerifyException(f"the inputs differ in extents: {types[0]} and {type}")
    if first is None:
        return types
    check_not_negative("first", first)
    extent = extents(types[0])[axis]
    check_not_negative(f"what the first {first} of {extent} elements leave", extent - first)
    after = [first if k == axis else other for k, other in enumerate(extents(types[0]))]
    return [tensor(type.element_type, after) for type in types]
