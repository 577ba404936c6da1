"""Numbers as constants of the arith dialect, below the graph floor."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue

from teenyir.dialects.building import made


def constant(value: float | int, type: Attribute) -> arith.ConstantOp:
    """A number of a float, an integer or the index type."""
    if type.__class__ is IntegerType or type.__class__ is IndexType:
        number: Attribute = _integer(int(value), cast("IntegerType | IndexType", type))
    else:
        number = FloatAttr(float(value), cast(AnyFloat, type))
    return made(arith.ConstantOp, (), [type], {"value": number})


@lru_cache(1024)
def _integer(value: int, type: IntegerType | IndexType) -> IntegerAttr[IntegerType | IndexType]:
    return IntegerAttr(value, type)


def number_of(value: SSAValue) -> float | int | None:
    """The number that a value is, if it is a constant: one, not a vector of them."""
    op = value.owner
    found = op.value if isinstance(op, arith.ConstantOp) else None
    return found.value.data if isinstance(found, IntegerAttr | FloatAttr) else None


def number_on_lanes(value: SSAValue) -> float | int | None:
    """The number that a value is, or that it is on all lanes, if it is a constant."""
    op = value.owner
    return number_of(op.source if isinstance(op, vector.BroadcastOp) else value)


def integer_of(value: SSAValue) -> int | None:
    """The number that a value is, if it is a constant of an integer or the index type."""
    number = number_of(value)
    return number if isinstance(number, int) else None


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0, to the bit: of floats not -0.0."""
    return str(number_of(value)) in ("0", "0.0")
