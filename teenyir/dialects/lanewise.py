"""Comparisons, selections and casts lane by lane: xDSL's `arith` has these for scalars alone.
And powers of two as factors, what a GPU approximates, and tables, of scalars too.

`compare_integers`, `compare_floats`, `select` and `cast` build the op that fits their operands:
`arith`'s for scalars, `uop.cmpi`, `uop.cmpf`, `uop.select` and `uop.cast` for vectors.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import ClassVar, Self
from typing import cast as cast_type

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float32Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import fill, made
from teenyir.dialects.lanes import element, lanes, like
from teenyir.dialects.syntax import parse_defined_operand

BOOL = IntegerType(1)


def _parse_operands(parser: Parser, count: int) -> list[SSAValue]:
    """`%a, %b : type`: so many operands, and a type that they say already."""
    operands = [parse_defined_operand(parser)]
    for _ in range(count - 1):
        parser.parse_punctuation(",")
        operands.append(parse_defined_operand(parser))
    parser.parse_punctuation(":")
    parser.parse_type()
    return operands


def _print_operands(printer: Printer, op: IRDLOperation, type: Attribute) -> None:
    """Print what `_parse_operands` reads."""
    printer.print_list(op.operands, printer.print_operand)
    printer.print_string(" : ")
    printer.print_attribute(type)


class _Comparison(IRDLOperation, ABC):
    """A comparison of two vectors of one type: a vector of i1."""

    PREDICATES: ClassVar[tuple[str, ...]]

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    predicate = prop_def(IntegerAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: str):
        number = IntegerAttr(self.PREDICATES.index(predicate), i64)
        fill(self, [lhs, rhs], [like(lhs.type, BOOL)], {"predicate": number})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        predicate = parser.parse_keyword_in(cls.PREDICATES)
        parser.parse_punctuation(",")
        lhs, rhs = _parse_operands(parser, 2)
        return cls(lhs, rhs, predicate)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.PREDICATES[self.predicate.value.data]}, ")
        _print_operands(printer, self, self.lhs.type)

    def verify_(self) -> None:
        if self.lhs.type != self.rhs.type:
            raise VerifyException(f"cannot compare {self.lhs.type} with {self.rhs.type}")
        if self.result.type != like(self.lhs.type, BOOL):
            raise VerifyException(f"a comparison of {self.lhs.type} gives no {self.result.type}")
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(f"no predicate has the number {self.predicate.value.data}")


@irdl_op_definition
class CmpIOp(_Comparison):
    """`arith.cmpi` of vectors: `%m = uop.cmpi ult, %a, %b : vector<16xi32>`."""

    name = "uop.cmpi"

    PREDICATES: ClassVar[tuple[str, ...]] = tuple(arith.CMPI_COMPARISON_OPERATIONS)


@irdl_op_definition
class CmpFOp(_Comparison):
    """`arith.cmpf` of vectors: `%m = uop.cmpf olt, %a, %b : vector<16xf32>`."""

    name = "uop.cmpf"

    PREDICATES: ClassVar[tuple[str, ...]] = tuple(arith.CMPF_COMPARISON_OPERATIONS)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`arith.select` with a condition a lane: `%v = uop.select %m, %a, %b : vector<16xf32>`."""

    name = "uop.select"

    cond = operand_def(VectorType)
    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, cond: SSAValue, lhs: SSAValue, rhs: SSAValue):
        fill(self, [cond, lhs, rhs], [lhs.type])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(*_parse_operands(parser, 3))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_operands(printer, self, self.result.type)

    def verify_(self) -> None:
        if self.cond.type != like(self.result.type, BOOL):
            raise VerifyException(f"{self.cond.type} does not choose lanes of {self.result.type}")
        if not self.lhs.type == self.rhs.type == self.result.type:
            raise VerifyException("selects among values of one type, and gives one")


CASTS: dict[str, type[Operation]] = {
    op.name.removeprefix("arith."): op
    for op in (
        *(arith.SIToFPOp, arith.UIToFPOp, arith.FPToSIOp, arith.FPToUIOp),
        *(arith.TruncIOp, arith.ExtSIOp, arith.ExtUIOp, arith.IndexCastOp),
    )
}
"""The casts that `arith` has for scalars alone, by their names there."""


@irdl_op_definition
class CastOp(IRDLOperation):
    """A cast of `arith`, of vectors: `%y = uop.cast sitofp %x : vector<8xi32> to vector<8xf32>`."""

    name = "uop.cast"

    input = operand_def(VectorType)
    kind = prop_def(StringAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, kind: str, value: SSAValue, type: Attribute):
        fill(self, [value], [type], {"kind": StringAttr(kind)})

    @property
    def scalar(self) -> type[Operation]:
        """The op that does this to scalars."""
        return CASTS[self.kind.data]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        kind = parser.parse_keyword_in(tuple(CASTS))
        value = parse_defined_operand(parser)
        parser.parse_punctuation(":")
        parser.parse_type()
        parser.parse_keyword("to")
        return cls(kind, value, parser.parse_type())

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        printer.print_operand(self.input)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if self.kind.data not in CASTS:
            raise VerifyException(f"a cast is one of {', '.join(CASTS)}, not {self.kind.data!r}")
        if lanes(self.input.type) != lanes(self.result.type):
            raise VerifyException(f"cannot cast {self.input.type} to {self.result.type}")


@irdl_op_definition
class LdexpOp(IRDLOperation):
    """A float times a power of two: `%y = uop.ldexp %x, %k : f32`, or of as many lanes.

    It is `x * 2^k` rounded once, with `k` an i32, whatever 2^k is.
    """

    name = "uop.ldexp"

    x = operand_def()
    k = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    def __init__(self, x: SSAValue, k: SSAValue):
        fill(self, [x, k], [x.type])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(*_parse_operands(parser, 2))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_operands(printer, self, self.result.type)

    def verify_(self) -> None:
        if self.result.type != self.x.type or element(self.x.type) not in (f32, f64):
            raise VerifyException(f"scales f32 or f64, and gives one: not {self.x.type}")
        if self.k.type != like(self.x.type, i32):
            raise VerifyException(f"a power of two for {self.x.type} is no {self.k.type}")


NONPOSITIVE = "math.nonpositive"
"""An attribute of an exponential whose operand is known to be no number above 0."""

NONPOSITIVE_IF_FINITE = "math.nonpositive_if_finite"
"""The same but for terms of a sum that +inf or NaN is among (`bounded-powers{infinite=true}`)."""

APPROXIMATED = ("exp2", "gradual_exp2", "reciprocal", "rsqrt")
"""The functions that a GPU has an approximate instruction for."""


@irdl_op_definition
class ApproximateOp(IRDLOperation):
    """A function as a GPU's instruction approximates it: `%y = uop.approximate exp2 %x : f32`, or
    of as many lanes.

    It is within 2.2 ulp (PTX ISA 9.0: `exp2` and `reciprocal` within 2 and 1, `rsqrt` within
    2^-22.9 of itself). `exp2` and `reciprocal` take denormal numbers for zeros, and give zeros for
    them; `gradual_exp2`, which is `exp2` in more instructions, and `rsqrt` do not.
    """

    name = "uop.approximate"

    x = operand_def()
    function = prop_def(StringAttr)
    result = result_def()

    traits = traits_def(Pure())

    def __init__(self, function: str, x: SSAValue):
        super().__init__(
            operands=[x], properties={"function": StringAttr(function)}, result_types=[x.type]
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        function = parser.parse_keyword_in(APPROXIMATED)
        return cls(function, *_parse_operands(parser, 1))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.function.data} ")
        _print_operands(printer, self, self.result.type)

    def verify_(self) -> None:
        if self.function.data not in APPROXIMATED:
            listed = ", ".join(APPROXIMATED)
            raise VerifyException(f"approximates {listed}, not {self.function.data!r}")
        if self.result.type != self.x.type or element(self.x.type) != f32:
            raise VerifyException(f"approximates f32, and gives one: not {self.x.type}")


@irdl_op_definition
class SaturatedFmaOp(IRDLOperation):
    """A product and a sum between 0 and 1: `%y = uop.saturated_fma %a, %b, %c : f32`, or of as many
    lanes.

    It is `a * b + c`, rounded once, 0 where that is less or NaN, and 1 where it is more: one
    instruction of a GPU.
    """

    name = "uop.saturated_fma"

    a = operand_def()
    b = operand_def()
    c = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    def __init__(self, a: SSAValue, b: SSAValue, c: SSAValue):
        super().__init__(operands=[a, b, c], result_types=[a.type])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(*_parse_operands(parser, 3))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_operands(printer, self, self.result.type)

    def verify_(self) -> None:
        types = {self.result.type, *self.operand_types}
        if len(types) > 1 or element(self.result.type) != f32:
            listed = ", ".join(map(str, self.operand_types))
            raise VerifyException(f"takes three f32, and gives one: not {listed}")


@irdl_op_definition
class LookupOp(IRDLOperation):
    """A number of a table: `%y = uop.lookup %k of array<f32: 1.0, 2.0, 4.0, 8.0> : i32`, or of as
    many lanes.

    It is the one at `k` modulo the table's length, which is a power of two.
    """

    name = "uop.lookup"

    index = operand_def()
    table = prop_def(DenseArrayBase)
    result = result_def()

    traits = traits_def(Pure())

    def __init__(self, index: SSAValue, table: DenseArrayBase[Float32Type]):
        super().__init__(
            operands=[index], properties={"table": table}, result_types=[like(index.type, f32)]
        )

    @property
    def numbers(self) -> tuple[float, ...]:
        """The table."""
        return cast_type("DenseArrayBase[Float32Type]", self.table).get_values()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        index = parse_defined_operand(parser)
        parser.parse_keyword("of")
        start = parser.pos
        table = parser.parse_attribute()
        if not isinstance(table, DenseArrayBase):
            parser.raise_error("expected a table: array<f32: ..>", start, parser.pos)
        parser.parse_punctuation(":")
        parser.parse_type()
        return cls(index, cast_type("DenseArrayBase[Float32Type]", table))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.index)
        printer.print_string(f" of {self.table} : {self.index.type}")

    def verify_(self) -> None:
        count = len(self.table)
        if self.table.elt_type != f32 or count & (count - 1) or not count:
            of = self.table.elt_type
            raise VerifyException(f"a table has 1, 2, 4, 8, .. f32, not {count} {of}")
        if not all(map(math.isfinite, self.numbers)):
            raise VerifyException("a table's numbers are finite")
        if element(self.index.type) != i32 or self.result.type != like(self.index.type, f32):
            raise VerifyException(f"finds f32 by i32, not {self.result.type} by {self.index.type}")


LANEWISE: list[type[Operation]] = [
    *(CmpIOp, CmpFOp, SelectOp, CastOp, LdexpOp, ApproximateOp, SaturatedFmaOp, LookupOp),
]


def cast(op: type[Operation], value: SSAValue, type: Attribute) -> Operation:
    """A cast, by the op of `arith` that does it to scalars, to a type or to vectors of it."""
    if lanes(value.type) is None or op not in CASTS.values():
        return made(op, [value], [type])
    return CastOp(op.name.removeprefix("arith."), value, type)


def compare_integers(lhs: SSAValue, rhs: SSAValue, predicate: str) -> Operation:
    """A comparison of integers or of vectors of them."""
    op = arith.CmpiOp if lanes(lhs.type) is None else CmpIOp
    return op(lhs, rhs, predicate)


def compare_floats(lhs: SSAValue, rhs: SSAValue, predicate: str) -> Operation:
    """A comparison of floats or of vectors of them."""
    op = arith.CmpfOp if lanes(lhs.type) is None else CmpFOp
    return op(lhs, rhs, predicate)


def select(cond: SSAValue, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """A choice by one condition, or by one for each lane."""
    op = arith.SelectOp if lanes(cond.type) is None else SelectOp
    return op(cond, lhs, rhs)
