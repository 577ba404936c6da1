"""Types and constraints that the ops of the machine floor share."""

from __future__ import annotations

from typing import cast

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

Vector = VectorType[Attribute]
POINTER = LLVMPointerType()
NO_FAST_MATH = FastMathAttr(None)

FLOAT = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGER = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
MASK = VectorType.constr(eq(i1))
BOOL = eq(i1) | MASK
ADDRESS = base(LLVMPointerType) | VectorType.constr(LLVMPointerType)
FUNCTIONAL = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


def lanes(type: Attribute) -> int | None:
    """The number of elements of a vector type, None for a scalar type."""
    return cast(Vector, type).get_shape()[0] if isinstance(type, VectorType) else None


def element(type: Attribute) -> Attribute:
    """The element type of a vector type, the type itself for a scalar."""
    return cast(Vector, type).element_type if isinstance(type, VectorType) else type


def like(type: Attribute, new_element: Attribute) -> Attribute:
    """`new_element`, or a vector of it as long as the vector type `type`."""
    count = lanes(type)
    return new_element if count is None else VectorType(new_element, [count])


def same_lanes(what: str, *types: Attribute) -> None:
    if len({lanes(type) for type in types}) > 1:
        listed = ", ".join(str(type) for type in types)
        raise VerifyException(f"{what} must agree in their number of elements, got {listed}")
