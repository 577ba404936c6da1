"""What all graph ops share: inference in constructor and verifier, and one assembly grammar.

    graph.NAME WORD? OPERANDS CLAUSES ATTRIBUTES? `:` TYPES

A clause is a keyword with a property: `axes [1, 2]`, `groups 1`, `contract [1] x [0]`.
TYPES are `T` where one type says all (elementwise), otherwise `T -> U` or `(T, U) -> V`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeAlias, cast

from xdsl.dialects.builtin import (
    I64,
    AnyTensorTypeConstr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import fill, integers
from teenyir.dialects.checks import of_types
from teenyir.dialects.expr import parse_expr, parse_extents
from teenyir.dialects.graph.attributes import (
    DimsAttr,
    Extents,
    Tensor,
    as_text,
)
from teenyir.dialects.graph.checks import check_tensor

Value: TypeAlias = SSAValue | Operation
Properties: TypeAlias = Mapping[str, Attribute]
Ints: TypeAlias = tuple[int, ...]

INTS = DenseArrayBase.constr(i64)
"""Constraint of a property that holds a list of integers."""
INT = IntegerAttr.constr(i64)
"""Constraint of a property that holds one integer."""


def ints_attr(values: Sequence[int]) -> DenseArrayBase[I64]:
    """A property that holds a list of integers."""
    return cast(DenseArrayBase[I64], integers(i64, tuple(map(int, values))))


def get_ints(properties: Properties, name: str) -> Ints:
    """The integers of a list property."""
    return cast(DenseArrayBase[I64], properties[name]).get_values()


def get_int(properties: Properties, name: str) -> int:
    """The integer of a property."""
    return cast(IntegerAttr[I64], properties[name]).value.data


def get_exprs(properties: Properties, name: str) -> Extents:
    """The expressions of a `#graph.dims` property."""
    return cast(DimsAttr, properties[name]).data


def get_word(properties: Properties, name: str) -> str:
    """The text of a property that holds one word."""
    return cast(StringAttr, properties[name]).data


class Clause(Protocol):
    """One piece of an op's assembly: parses into and prints from its properties."""

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None: ...

    def print(self, printer: Printer, properties: Properties) -> None: ...


@dataclass(frozen=True)
class WordClause:
    """One of a few words, before the operands: `add`."""

    property: str
    choices: Sequence[str]

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        context = f" (one of {', '.join(self.choices)})"
        properties[self.property] = StringAttr(parser.parse_keyword_in(self.choices, context))

    def print(self, printer: Printer, properties: Properties) -> None:
        printer.print_string(f" {get_word(properties, self.property)}")


@dataclass(frozen=True)
class IntClause:
    """A keyword and one integer: `groups 1`."""

    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        parser.parse_keyword(self.property)
        properties[self.property] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)

    def print(self, printer: Printer, properties: Properties) -> None:
        printer.print_string(f" {self.property} {get_int(properties, self.property)}")


@dataclass(frozen=True)
class FlagClause:
    """A keyword that is there or not: `reverse`."""

    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        if parser.parse_optional_keyword(self.property):
            properties[self.property] = UnitAttr()

    def print(self, printer: Printer, properties: Properties) -> None:
        if self.property in properties:
            printer.print_string(f" {self.property}")


@dataclass(frozen=True)
class OptionalIntsClause:
    """A keyword and a list of integers, or nothing: `input_dilation [2, 2]`."""

    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        if parser.parse_optional_keyword(self.property):
            properties[self.property] = ints_attr(parse_ints(parser))

    def print(self, printer: Printer, properties: Properties) -> None:
        if self.property in properties:
            printer.print_string(f" {self.property} {list(get_ints(properties, self.property))}")


@dataclass(frozen=True)
class IntsClause:
    """A keyword, which may be empty, and a list of integers: `axes [1, 2]`."""

    keyword: str
    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        if self.keyword:
            parser.parse_keyword(self.keyword)
        properties[self.property] = ints_attr(parse_ints(parser))

    def print(self, printer: Printer, properties: Properties) -> None:
        keyword = f" {self.keyword}" if self.keyword else ""
        printer.print_string(f"{keyword} {list(get_ints(properties, self.property))}")


@dataclass(frozen=True)
class CrossClause:
    """Axes of two operands that go together, left out where there are none: `batch [0] x [0]`."""

    keyword: str
    lhs: str
    rhs: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        lhs, rhs = Ints(), Ints()
        if parser.parse_optional_keyword(self.keyword):
            lhs = parse_ints(parser)
            parser.parse_keyword("x")
            rhs = parse_ints(parser)
        properties[self.lhs], properties[self.rhs] = ints_attr(lhs), ints_attr(rhs)

    def print(self, printer: Printer, properties: Properties) -> None:
        lhs, rhs = get_ints(properties, self.lhs), get_ints(properties, self.rhs)
        if lhs or rhs:
            printer.print_string(f" {self.keyword} {list(lhs)} x {list(rhs)}")


@dataclass(frozen=True)
class PairsClause:
    """A keyword and a list of pairs, kept flat: `pad [[1, 1], [0, 0]]`."""

    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        parser.parse_keyword(self.property)
        start = parser.pos
        pairs = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_ints(parser)
        )
        if any(len(pair) != 2 for pair in pairs):
            parser.raise_error("expected pairs such as [[1, 1], [0, 0]]", start, parser.pos)
        properties[self.property] = ints_attr([value for pair in pairs for value in pair])

    def print(self, printer: Printer, properties: Properties) -> None:
        flat = list(get_ints(properties, self.property))  # of an op that may not verify
        pairs = [flat[k : k + 2] for k in range(0, len(flat), 2)]
        printer.print_string(f" {self.property} {pairs}")


@dataclass(frozen=True)
class ExprsClause:
    """A keyword and a list of expressions: `low [0, N mod 4]`."""

    property: str

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        parser.parse_keyword(self.property)
        properties[self.property] = DimsAttr(parse_extents(parser))

    def print(self, printer: Printer, properties: Properties) -> None:
        printer.print_string(f" {self.property} {as_text(get_exprs(properties, self.property))}")


@dataclass(frozen=True)
class SlicesClause:
    """`[start:stop:step, ...]`, kept as the properties starts, stops and steps."""

    def parse(self, parser: Parser, properties: dict[str, Attribute]) -> None:
        def one():
            start = parse_expr(parser)
            parser.parse_punctuation(":")
            stop = parse_expr(parser)
            parser.parse_punctuation(":")
            return start, stop, parser.parse_integer(allow_boolean=False)

        items = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one)
        properties["starts"] = DimsAttr(tuple(start for start, _, _ in items))
        properties["stops"] = DimsAttr(tuple(stop for _, stop, _ in items))
        properties["steps"] = ints_attr([step for _, _, step in items])

    def print(self, printer: Printer, properties: Properties) -> None:
        starts, stops = get_exprs(properties, "starts"), get_exprs(properties, "stops")
        # of an op that may not verify: what has no counterpart is not shown
        items = zip(starts, stops, get_ints(properties, "steps"), strict=False)
        printer.print_string(f" [{', '.join(f'{a}:{b}:{c}' for a, b, c in items)}]")


def get_pairs(properties: Properties, name: str) -> tuple[tuple[int, int], ...]:
    """The pairs of a list property that holds them flat."""
    flat = get_ints(properties, name)
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def parse_ints(parser: Parser) -> Ints:
    """Parse `[1, 2]`."""
    return tuple(
        parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
    )


class GraphOp(IRDLOperation, ABC):
    """A pure op on tensors with one result, whose type it infers."""

    result = result_def(AnyTensorTypeConstr)

    traits = traits_def(Pure())

    WORD: ClassVar[WordClause | None] = None
    CLAUSES: ClassVar[tuple[Clause, ...]] = ()
    ARROW: ClassVar[str] = "->"

    def __init_subclass__(cls, *, name: str | None = None, **keywords: Any) -> None:
        """A subclass with a name is an op; one without is a family that ops derive from."""
        super().__init_subclass__(**keywords)
        if name is not None:
            cls.name = name
            irdl_op_definition(cls)

    def __init__(
        self,
        operands: Sequence[Value],
        properties: Mapping[str, Attribute] | None = None,
        stated: Tensor | None = None,
    ):
        """Raises VerifyException where the operands or properties do not suit the op.

        `stated` is the result type of an op whose operands leave it open (reshape, cast, ...).
        """
        values = [SSAValue.get(operand) for operand in operands]
        held = dict(properties or {})
        try:
            result = self._inferred([value.type for value in values], held, stated)
        except VerifyException as error:
            raise VerifyException(f"{self.name}: {error}") from None
        fill(self, values, [result], held)

    @classmethod
    @abstractmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        """The result type, or VerifyException naming shapes and dtypes (without the op's name)."""

    @classmethod
    def _inferred(
        cls, operands: Sequence[Attribute], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        return cls.infer([check_tensor(type) for type in operands], properties, stated)

    @of_types
    def verify_(self) -> None:
        stated = self.result.type
        check_tensor(stated)
        inferred = self._inferred(self.operand_types, self.properties, stated)
        if inferred != stated:
            raise VerifyException(f"the result is to be {inferred}, got {stated}")

    # --- assembly -----------------------------------------------------------------------------

    @classmethod
    def parse_types(cls, parser: Parser, count: int) -> tuple[list[Attribute], Attribute]:
        """Parse what follows the colon: types of `count` operands, type of the result."""
        if count == 1:
            operands: list[Attribute] = [parser.parse_type()]
        else:
            operands = list(
                parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            )
        if cls.ARROW == "->":
            parser.parse_punctuation("->")
        else:
            parser.parse_keyword(cls.ARROW)
        return operands, parser.parse_type()

    def print_types(self, printer: Printer) -> None:
        """Print what follows the colon."""
        types = self.operand_types
        if len(types) == 1:
            printer.print_attribute(types[0])
        else:
            with printer.in_parens():
                printer.print_list(types, printer.print_attribute)
        printer.print_string(f" {self.ARROW} ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {}
        if cls.WORD:
            cls.WORD.parse(parser, properties)
        unresolved = (
            parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
            )
            or []
        )
        for clause in cls.CLAUSES:
            clause.parse(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types, result = cls.parse_types(parser, len(unresolved))
        operands = parser.resolve_operands(unresolved, types, position)
        return cls.create(
            operands=operands, result_types=[result], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        if self.WORD:
            self.WORD.print(printer, self.properties)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        for clause in self.CLAUSES:
            clause.print(printer, self.properties)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        self.print_types(printer)


class OneTypeOp(GraphOp, ABC):
    """An op whose one printed type gives the types of all operands and of the result."""

    @classmethod
    @abstractmethod
    def all_types(cls, printed: Attribute, count: int) -> tuple[list[Attribute], Attribute]:
        """Operand types and result type from the printed one. It need not be a good one."""

    @property
    def printed_type(self) -> Attribute:
        """The type that is printed: the result's, unless the op says otherwise."""
        return self.result.type

    @classmethod
    def parse_types(cls, parser: Parser, count: int) -> tuple[list[Attribute], Attribute]:
        return cls.all_types(parser.parse_type(), count)

    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.printed_type)
