"""Ops without operands: constant and iota."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.graph.attributes import NUMBER, Tensor
from teenyir.dialects.graph.base import (
    INT,
    Clause,
    GraphOp,
    IntClause,
    OneTypeOp,
    Properties,
    get_int,
)
from teenyir.dialects.graph.checks import check_axes, check_kind, check_tensor

Dense = DenseIntOrFPElementsAttr[Any]


class ConstantOp(GraphOp, name="graph.constant"):
    """`graph.constant dense<[1.0, 2.0]> : T`, T without named extents."""

    value = prop_def(DenseIntOrFPElementsAttr)

    def __init__(self, value: Dense):
        super().__init__([], {"value": value})

    @classmethod
    def of(cls, type: Tensor, values: Sequence[int | float | bool]) -> Self:
        """A constant of one value for every element (row-major), or a single one for all."""
        ranked = cast(TensorType[AnyFloat | IntegerType], type)
        dense = DenseIntOrFPElementsAttr.from_list(ranked, values)  # pyright: ignore
        return cls(cast(Dense, dense))

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        value = cast(Dense, properties["value"])
        type = check_tensor(value.get_type())
        count = math.prod(type.get_shape())
        if count != len(value):
            raise VerifyException(f"{len(value)} values for the {count} elements of {type}")
        return type

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected dense<...> : tensor<...>", start, parser.pos)
        return cls.create(
            result_types=[value.get_type()],
            properties={"value": cast(Dense, value)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


class IotaOp(OneTypeOp, name="graph.iota"):
    """`graph.iota axis 0 : T`: each element is its index along the axis, wrapped or rounded."""

    axis_attr = prop_def(INT, prop_name="axis")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntClause("axis"),)

    def __init__(self, type: Tensor, axis: int):
        super().__init__([], {"axis": IntegerAttr(axis, i64)}, stated=type)

    @property
    def axis(self) -> int:
        """The axis that is counted along."""
        return self.axis_attr.value.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        assert stated is not None
        check_kind(NUMBER, stated)
        check_axes("axis", [get_int(properties, "axis")], stated)
        return stated

    @classmethod
    def all_types(cls, printed: Attribute, count: int) -> tuple[list[Attribute], Attribute]:
        return [printed] * count, printed


CREATION_OPS: tuple[type[GraphOp], ...] = (ConstantOp, IotaOp)
