"""Numbers as constants of the arith dialect, below the graph floor."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa


def constant(value: float | int, type: Attribute) -> arith.ConstantOp:
    """A number of a float, an integer or the index type."""
    if isa(type, IntegerType) or isinstance(type, IndexType):
        return arith.ConstantOp(IntegerAttr(int(value), type))
    return arith.ConstantOp(FloatAttr(float(value), cast(AnyFloat, type)))
