"""Ops that look inside a vector: elements and horizontal reductions."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    SignlessIntegerConstraint,
    VectorType,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
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

from teenyir.dialects.building import fill
from teenyir.dialects.lanes import element
from teenyir.dialects.llvm.types import (
    FUNCTIONAL,
    NO_FAST_MATH,
)


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    name = "llvm.extractelement"

    vector = operand_def(VectorType)
    position = operand_def(SignlessIntegerConstraint)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation, position: SSAValue | Operation):
        vector = SSAValue.get(vector)
        fill(self, [vector, SSAValue.get(position)], [element(vector.type)])

    def verify_(self) -> None:
        if self.res.type != element(self.vector.type):
            raise VerifyException(f"an element of {self.vector.type} is no {self.res.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ExtractElementOp:
        vector = parser.parse_unresolved_operand()
        parser.parse_characters("[")
        index = parser.parse_unresolved_operand()
        parser.parse_characters(":")
        index_type = parser.parse_type()
        parser.parse_characters("]")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_characters(":")
        op = cls(
            parser.resolve_operand(vector, parser.parse_type()),
            parser.resolve_operand(index, index_type),
        )
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.vector)
        printer.print_string("[")
        printer.print_ssa_value(self.position)
        printer.print_string(" : ")
        printer.print_attribute(self.position.type)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


class VectorReductionOp(IRDLOperation, ABC):
    """All elements of a vector combined to one."""

    vector = operand_def(VectorType)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation):
        vector = SSAValue.get(vector)
        super().__init__(operands=[vector], result_types=[element(vector.type)])

    def verify_(self) -> None:
        if self.res.type != element(self.vector.type):
            raise VerifyException(f"a reduction of {self.vector.type} gives no {self.res.type}")


class FloatVectorReductionOp(VectorReductionOp, ABC):
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTIONAL


@irdl_op_definition
class VectorReduceAddOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.add"


@irdl_op_definition
class VectorReduceMulOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.mul"


@irdl_op_definition
class VectorReduceAndOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.and"


@irdl_op_definition
class VectorReduceOrOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.or"


@irdl_op_definition
class VectorReduceXorOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.xor"


@irdl_op_definition
class VectorReduceSMaxOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.smax"


@irdl_op_definition
class VectorReduceSMinOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.smin"


@irdl_op_definition
class VectorReduceUMaxOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.umax"


@irdl_op_definition
class VectorReduceUMinOp(VectorReductionOp):
    name = "llvm.intr.vector.reduce.umin"


@irdl_op_definition
class VectorReduceFMaxOp(FloatVectorReductionOp):
    name = "llvm.intr.vector.reduce.fmax"


@irdl_op_definition
class VectorReduceFMinOp(FloatVectorReductionOp):
    name = "llvm.intr.vector.reduce.fmin"


@irdl_op_definition
class VectorReduceFMaximumOp(FloatVectorReductionOp):
    name = "llvm.intr.vector.reduce.fmaximum"


@irdl_op_definition
class VectorReduceFMinimumOp(FloatVectorReductionOp):
    name = "llvm.intr.vector.reduce.fminimum"
