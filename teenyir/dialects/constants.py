"""Numbers as constants of the arith dialect, below the graph floor."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue


def constant(value: float | int, type: Attribute) -> arith.ConstantOp:
    """A number of a float, an integer or the index type."""
    if type.__class__ is IntegerType or type.__class__ is IndexType:
        number: Attribute = _integer(int(value), cast("IntegerType | IndexType", type))
    else:
        number = FloatAttr(float(value), cast(AnyFloat, type))
    return arith.ConstantOp.create(result_types=[type], properties={"value": number})


@lru_cache(1024)
def _integer(value: int, type: IntegerType | IndexType) -> IntegerAttr[IntegerType | IndexType]:
    return IntegerAttr(value, type)


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0, to the bit: of floats not -0.0."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp):
        return False
    if isinstance(op.value, IntegerAttr):
        return op.value.value.data == 0
    return isinstance(op.value, FloatAttr) and str(op.value.value.data) == "0.0"
