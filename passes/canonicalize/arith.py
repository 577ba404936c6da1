"""Rows for arith's binary operations on integers: what xDSL's folder and patterns do.

They are most of what there is to fold in index arithmetic, so they ask for no more than a look at
the operands; xDSL's build and compare attributes to find a neutral element. Rows have the names of
xDSL's patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.arith import (
    AddiOp,
    AndIOp,
    CeilDivSIOp,
    CeilDivUIOp,
    ConstantOp,
    DivSIOp,
    DivUIOp,
    FloorDivSIOp,
    MuliOp,
    OrIOp,
    ShLIOp,
    ShRSIOp,
    ShRUIOp,
    SignlessIntegerBinaryOperation,
    SubiOp,
    XOrIOp,
)
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import Commutative, ConstantLike

from teenyir.rewriting.engine import Replacement, Rewriter, Row
from teenyir.rewriting.locations import is_constant
from teenyir.rewriting.surgery import operands_of

_RIGHT_UNITS: dict[type[SignlessIntegerBinaryOperation], int] = {
    AddiOp: 0,  # x + 0 -> x
    SubiOp: 0,  # x - 0 -> x
    MuliOp: 1,  # x * 1 -> x
    DivUIOp: 1,  # x / 1 -> x
    DivSIOp: 1,
    FloorDivSIOp: 1,
    CeilDivSIOp: 1,
    CeilDivUIOp: 1,
    OrIOp: 0,  # x | 0 -> x
    XOrIOp: 0,  # x ^ 0 -> x
    ShLIOp: 0,  # x << 0 -> x
    ShRUIOp: 0,  # x >> 0 -> x
    ShRSIOp: 0,
}
_RIGHT_ZEROS: dict[type[SignlessIntegerBinaryOperation], int] = {
    MuliOp: 0,  # x * 0 -> 0
    AndIOp: 0,  # x & 0 -> 0
}


@dataclass(frozen=True)
class _Algebra:
    """The rows of a kind of operation, and what they know of it."""

    kind: type[SignlessIntegerBinaryOperation]
    unit: int | None
    zero: int | None
    commutative: bool

    def fold(self, op: Operation, rewriter: Rewriter) -> Replacement:
        """c1 . c2 -> c, x . unit -> x and, if the order does not matter, unit . x -> x"""
        lhs, rhs = operands_of(op)
        left, right = _integer(lhs), _integer(rhs)
        if left is not None and right is not None:
            result = self.kind.py_operation(left, right)
            if result is not None:
                return _constant(result, op.results[0].type)
        if self._is_unit(right, rhs):
            return lhs
        return rhs if self.commutative and self._is_unit(left, lhs) else None

    def constant_to_the_right(self, op: Operation, rewriter: Rewriter) -> Replacement:
        """c . x -> x . c"""
        lhs, rhs = operands_of(op)
        if _integer(lhs) is None or _integer(rhs) is not None:
            return None
        return self.kind.create(
            operands=(rhs, lhs),
            result_types=(op.results[0].type,),
            properties=op.properties,
            attributes=op.attributes,
        )

    def absorb(self, op: Operation, rewriter: Rewriter) -> Replacement:
        """x . zero -> zero"""
        rhs = operands_of(op)[1]
        return rhs if _integer(rhs) == self.zero else None

    def _is_unit(self, number: int | None, value: SSAValue) -> bool:
        if number == self.unit:
            return number is not None
        # One bit that is set is written as -1, and is 1.
        return number == -1 and self.unit == 1 and value.type == IntegerType(1)


def arith_rows(kind: type[Operation]) -> tuple[Row, ...] | None:
    """The rows of a kind of operation on integers; None for a kind that is not of here."""
    if kind.dialect_name() != "arith" or not issubclass(kind, SignlessIntegerBinaryOperation):
        return None
    algebra = _Algebra(
        kind, _RIGHT_UNITS.get(kind), _RIGHT_ZEROS.get(kind), kind.has_trait(Commutative)
    )
    rewrites = {f"fold {kind.name}": algebra.fold}
    if algebra.commutative:
        rewrites["SignlessIntegerBinaryOperationConstantProp"] = algebra.constant_to_the_right
    if algebra.zero is not None:
        rewrites["SignlessIntegerBinaryOperationZeroOrUnitRight"] = algebra.absorb
    return tuple(
        Row(name, (kind,), rewrite, needs_constant=True, local=True)
        for name, rewrite in rewrites.items()
    )


def _integer(value: SSAValue) -> int | None:
    """The number that an integer constant is, or None."""
    if type(value) is not OpResult:
        return None
    kind = type(value.op)
    if kind is ConstantOp:
        attribute = value.op.properties["value"]
    elif is_constant(kind):
        attribute = ConstantLike.get_constant_value(value)
    else:
        return None
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def _constant(number: int, of: Attribute) -> Operation:
    type = cast(IntegerType | IndexType, of)
    return ConstantOp.from_int_and_width(number, type, truncate_bits=True)
