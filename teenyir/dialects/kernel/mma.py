"""The matrix instruction: a product of small matrices that the lanes of a warp hold together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import StringAttr, f32, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.kernel.ops import INDEX, FuncOp, RangeOp
from teenyir.dialects.syntax import (
    parse_defined_operand,
    parse_operand_list,
    parse_typed_operand,
    print_operand_list,
)
from teenyir.dialects.warp_matrices import ProductOp, parse_product
from teenyir.targets.tensor_cores import named

SUMS: dict[str, Attribute] = {"f32": f32, "i32": i32}


@irdl_op_definition
class MmaOp(ProductOp):
    """Sums of products of two factors, by the matrix instructions of a warp.

    `%c = kernel.mma %a(%p), %b(%q) over(%k) as(%r) {shape = "m16n8k16", type = "f16"}`

    `%p` and `%q` count the elements of the factors that a lane holds, `%r` those of the sum; all
    three are of kind `unroll`. Which element of which matrix that is, is the instruction's layout
    (`teenyir.targets.tensor_cores`); the lane is the thread's id in its warp. The op closes `%p`,
    `%q` and the loops `over`, whose products it sums, and opens `%r`.
    """

    name = "kernel.mma"

    a = operand_def()
    a_elements = operand_def(INDEX)
    b = operand_def()
    b_elements = operand_def(INDEX)
    loops = var_operand_def(INDEX)
    elements = operand_def(INDEX)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(
        self,
        product: tuple[str, str],
        a: tuple[SSAValue, SSAValue],
        b: tuple[SSAValue, SSAValue],
        loops: Sequence[SSAValue],
        elements: SSAValue,
    ):
        """`product` is the shape and the name of the factors' elements; a factor goes with the
        range that counts its elements."""
        row = named(*product)
        super().__init__(
            operands=[*a, *b, loops, elements],
            properties={"shape": StringAttr(product[0]), "type": StringAttr(product[1])},
            result_types=[f32 if row is None else SUMS[row.sum]],
        )

    @property
    def over(self) -> Sequence[SSAValue]:
        """All ranges that it closes."""
        return (self.a_elements, self.b_elements, *self.loops)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        def factor() -> tuple[SSAValue, SSAValue]:
            value = parse_defined_operand(parser)
            with parser.in_parens():
                return value, parse_typed_operand(parser, INDEX)

        a = factor()
        parser.parse_punctuation(",")
        b = factor()
        parser.parse_keyword("over")
        loops = parse_operand_list(parser)
        parser.parse_keyword("as")
        with parser.in_parens():
            elements = parse_typed_operand(parser, INDEX)
        product, attributes = parse_product(parser)
        op = cls(product, a, b, loops, elements)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        for value, elements, end in (
            (self.a, self.a_elements, ", "),
            (self.b, self.b_elements, " over"),
        ):
            printer.print_operand(value)
            print_operand_list(printer, [elements])
            printer.print_string(end)
        print_operand_list(printer, self.loops)
        printer.print_string(" as")
        print_operand_list(printer, [self.elements])
        self.print_product(printer)

    def verify_(self) -> None:
        row = self.verify_product()
        if self.result.type != SUMS[row.sum]:
            raise VerifyException(f"sums in {row.sum}, not in {self.result.type}")
        for value in (self.a, self.b):
            if str(value.type) != row.factor:
                raise VerifyException(f"multiplies {row.factor}, not {value.type}")
        ranges = (self.a_elements, self.b_elements, self.elements)
        for value, count in zip(ranges, row.counts, strict=True):
            owner = value.owner
            if not isinstance(owner, RangeOp) or owner.how != "unroll":
                raise VerifyException("the elements of a lane are counted by ranges of kind unroll")
            if owner.lower.data.constant != 0 or owner.upper.data.constant != count:
                raise VerifyException(f"a lane holds {count} elements, not {owner.extent}")
        for value in self.loops:
            if not isinstance(value.owner, RangeOp):
                raise VerifyException("only the results of kernel.range can be closed")
