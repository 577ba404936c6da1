"""Ops on one value an element: casts, float and integer intrinsics, comparison, selection."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
    FCmpPredicateFlag,
    GenericCastOp,
    LLVMPointerType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
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
from teenyir.dialects.lanes import lanes, like
from teenyir.dialects.llvm.types import (
    BOOL,
    FLOAT,
    FUNCTIONAL,
    INTEGER,
    NO_FAST_MATH,
    same_lanes,
)

# --- casts ---------------------------------------------------------------------------------------


class NumberCastOp(GenericCastOp, ABC):
    """A cast of numbers, elementwise on vectors."""

    def verify_(self) -> None:
        same_lanes("operand and result of a cast", self.arg.type, self.result.type)


@irdl_op_definition
class FPToSIOp(NumberCastOp):
    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(NumberCastOp):
    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(NumberCastOp):
    name = "llvm.uitofp"


@irdl_op_definition
class AddrSpaceCastOp(GenericCastOp):
    """A pointer into another address space, where it points to the same memory."""

    name = "llvm.addrspacecast"

    def verify_(self) -> None:
        for type in (self.arg.type, self.result.type):
            if not isinstance(type, LLVMPointerType):
                raise VerifyException(f"casts pointers, not {type}")


# --- intrinsics on floats ------------------------------------------------------------------------


class FloatIntrinsicOp(IRDLOperation, ABC):
    """An elementwise float intrinsic with fast-math flags: operands and result have one type."""

    T: ClassVar = VarConstraint("T", FLOAT)

    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTIONAL

    def __init__(self, *operands: SSAValue | Operation, fast_math: FastMathAttr = NO_FAST_MATH):
        values = [SSAValue.get(operand) for operand in operands]
        fill(self, values, [values[0].type], {"fastmathFlags": fast_math})


class FloatUnaryOp(FloatIntrinsicOp, ABC):
    arg = operand_def(FloatIntrinsicOp.T)
    res = result_def(FloatIntrinsicOp.T)


class FloatBinaryOp(FloatIntrinsicOp, ABC):
    lhs = operand_def(FloatIntrinsicOp.T)
    rhs = operand_def(FloatIntrinsicOp.T)
    res = result_def(FloatIntrinsicOp.T)


@irdl_op_definition
class FTruncOp(FloatUnaryOp):
    name = "llvm.intr.trunc"


@irdl_op_definition
class RoundOp(FloatUnaryOp):
    name = "llvm.intr.round"


@irdl_op_definition
class RoundEvenOp(FloatUnaryOp):
    name = "llvm.intr.roundeven"


@irdl_op_definition
class RintOp(FloatUnaryOp):
    name = "llvm.intr.rint"


@irdl_op_definition
class Log10Op(FloatUnaryOp):
    name = "llvm.intr.log10"


@irdl_op_definition
class TanOp(FloatUnaryOp):
    name = "llvm.intr.tan"


@irdl_op_definition
class AsinOp(FloatUnaryOp):
    name = "llvm.intr.asin"


@irdl_op_definition
class AcosOp(FloatUnaryOp):
    name = "llvm.intr.acos"


@irdl_op_definition
class AtanOp(FloatUnaryOp):
    name = "llvm.intr.atan"


@irdl_op_definition
class SinhOp(FloatUnaryOp):
    name = "llvm.intr.sinh"


@irdl_op_definition
class CoshOp(FloatUnaryOp):
    name = "llvm.intr.cosh"


@irdl_op_definition
class TanhOp(FloatUnaryOp):
    name = "llvm.intr.tanh"


@irdl_op_definition
class Atan2Op(FloatBinaryOp):
    """The angle of the point (rhs, lhs)."""

    name = "llvm.intr.atan2"


@irdl_op_definition
class MaximumOp(FloatBinaryOp):
    """The larger operand; NaN if one is NaN, +0 above -0 (IEEE 754-2019 maximum)."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryOp):
    """The smaller operand; NaN if one is NaN, -0 below +0 (IEEE 754-2019 minimum)."""

    name = "llvm.intr.minimum"


@irdl_op_definition
class FMulAddOp(FloatIntrinsicOp):
    """a * b + c, fused where the machine does that fast."""

    name = "llvm.intr.fmuladd"

    a = operand_def(FloatIntrinsicOp.T)
    b = operand_def(FloatIntrinsicOp.T)
    c = operand_def(FloatIntrinsicOp.T)
    res = result_def(FloatIntrinsicOp.T)


# --- intrinsics on integers ----------------------------------------------------------------------


class IntegerIntrinsicOp(IRDLOperation, ABC):
    """An elementwise integer intrinsic: operands and result have one type."""

    T: ClassVar = VarConstraint("T", INTEGER)

    traits = traits_def(Pure())
    assembly_format = FUNCTIONAL

    def __init__(self, *operands: SSAValue | Operation):
        super().__init__(operands=list(operands), result_types=[SSAValue.get(operands[0]).type])


class IntegerBinaryOp(IntegerIntrinsicOp, ABC):
    lhs = operand_def(IntegerIntrinsicOp.T)
    rhs = operand_def(IntegerIntrinsicOp.T)
    res = result_def(IntegerIntrinsicOp.T)


@irdl_op_definition
class SMaxOp(IntegerBinaryOp):
    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryOp):
    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryOp):
    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryOp):
    name = "llvm.intr.umin"


@irdl_op_definition
class CtPopOp(IntegerIntrinsicOp):
    name = "llvm.intr.ctpop"

    arg = operand_def(IntegerIntrinsicOp.T)
    res = result_def(IntegerIntrinsicOp.T)


class PoisonFlagOp(IRDLOperation, ABC):
    """An integer intrinsic whose last argument says whether one input is poison."""

    T: ClassVar = VarConstraint("T", INTEGER)

    arg = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    FLAG: ClassVar[str]

    def __init__(self, arg: SSAValue | Operation, poison: bool = False):
        super().__init__(
            operands=[arg],
            result_types=[SSAValue.get(arg).type],
            properties={self.FLAG: BoolAttr.from_bool(poison)},
        )


@irdl_op_definition
class AbsOp(PoisonFlagOp):
    """The absolute value; of the least integer itself, unless that is declared poison."""

    name = "llvm.intr.abs"
    FLAG: ClassVar[str] = "is_int_min_poison"
    is_int_min_poison = prop_def(IntegerAttr[I1])


@irdl_op_definition
class CtlzOp(PoisonFlagOp):
    name = "llvm.intr.ctlz"
    FLAG: ClassVar[str] = "is_zero_poison"
    is_zero_poison = prop_def(IntegerAttr[I1])


@irdl_op_definition
class CttzOp(PoisonFlagOp):
    name = "llvm.intr.cttz"
    FLAG: ClassVar[str] = "is_zero_poison"
    is_zero_poison = prop_def(IntegerAttr[I1])


# --- comparison, selection, poison ---------------------------------------------------------------


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """xDSL's `fcmp` takes scalars alone; MLIR's and this one vectors too."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", FLOAT)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(BOOL)
    predicate = prop_def(IntegerAttr)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str,
        fast_math: FastMathAttr = NO_FAST_MATH,
    ):
        values = SSAValue.get(lhs), SSAValue.get(rhs)
        number = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        properties = {"predicate": number, "fastmathFlags": fast_math}
        fill(self, values, [like(values[0].type, i1)], properties)

    def verify_(self) -> None:
        same_lanes("operands and result of a comparison", self.lhs.type, self.res.type)
        if not 0 <= self.predicate.value.data < len(FCmpPredicateFlag):
            raise VerifyException(f"unknown predicate {self.predicate.value.data}")

    @property
    def flag(self) -> FCmpPredicateFlag:
        return FCmpPredicateFlag.from_int(self.predicate.value.data)

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        position = parser.pos
        text = parser.parse_str_literal()
        if text not in set(FCmpPredicateFlag):
            parser.raise_error(f"unknown predicate '{text}'", position, parser.pos)
        lhs = parser.parse_unresolved_operand()
        parser.parse_characters(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_characters(":")
        type = parser.parse_type()
        operands = parser.resolve_operands([lhs, rhs], [type, type], position)
        fast_math = attributes.pop("fastmathFlags", NO_FAST_MATH)
        if not isinstance(fast_math, FastMathAttr):
            parser.raise_error("expected #llvm.fastmath flags", position, parser.pos)
        op = cls(operands[0], operands[1], text, fast_math)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.flag}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        attributes = dict(self.attributes)
        if self.fastmathFlags.data:
            attributes["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """xDSL's `select` takes an `i1` alone; MLIR's and this one a vector of them too."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(BOOL)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(
        self,
        cond: SSAValue | Operation,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
    ):
        values = [SSAValue.get(operand) for operand in (cond, lhs, rhs)]
        fill(self, values, [values[1].type], {"fastmathFlags": NO_FAST_MATH})

    def verify_(self) -> None:
        if lanes(self.cond.type) is not None:
            same_lanes("condition and values of a select", self.cond.type, self.res.type)


@irdl_op_definition
class PoisonOp(IRDLOperation):
    name = "llvm.mlir.poison"

    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, type: Attribute):
        fill(self, (), [type])


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """An arbitrary but fixed value in place of poison."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$val attr-dict `:` type($val)"

    def __init__(self, val: SSAValue | Operation):
        super().__init__(operands=[val], result_types=[SSAValue.get(val).type])


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """The optimiser may take `cond` for true. Operand bundles are left out."""

    name = "llvm.intr.assume"

    cond = operand_def(IntegerType(1))
    op_bundle_sizes = prop_def(
        DenseArrayBase.constr(i32), default_value=DenseArrayBase.from_list(i32, ())
    )

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond attr-dict `:` type($cond)"

    def __init__(self, cond: SSAValue | Operation):
        super().__init__(operands=[cond])
