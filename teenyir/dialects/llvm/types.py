"""Types and constraints that the ops of the machine floor share."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
    LLVMPointerType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    base,
    eq,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.lanes import lanes

Vector = VectorType[Attribute]
POINTER = LLVMPointerType()
NO_FAST_MATH = FastMathAttr(None)

FLOAT = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGER = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
MASK = VectorType.constr(eq(i1))
BOOL = eq(i1) | MASK
ADDRESS = base(LLVMPointerType) | VectorType.constr(LLVMPointerType)
FUNCTIONAL = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


def same_lanes(what: str, *types: Attribute) -> None:
    if len({lanes(type) for type in types}) > 1:
        listed = ", ".join(str(type) for type in types)
        raise VerifyException(f"{what} must agree in their number of elements, got {listed}")
