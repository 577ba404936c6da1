"""Scalar or vector arithmetic written as Python's: what formulas are made of.

    number * number + 1.0     arith.mulf, arith.constant, arith.addf

A number knows where it is built. Ops are those of its type: floats add as floats do, integers
modulo their width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects import lanewise
from teenyir.dialects.building import made, on_one_type
from teenyir.dialects.lanes import element, lanes, like
from teenyir.dialects.lanewise import compare_floats, compare_integers, select
from teenyir.rewriting.locations import LocatedBuilder

Scalar: TypeAlias = "Number | float | int"

_BITS: dict[Attribute, IntegerType] = {f32: i32, f64: i64}
_FLOATS: dict[Attribute, Attribute] = {i32: f32, i64: f64}


@dataclass(frozen=True)
class Number:
    """A value that is being computed, with Python's operators."""

    builder: LocatedBuilder
    value: SSAValue

    @property
    def type(self) -> Attribute:
        return self.value.type

    @property
    def is_float(self) -> bool:
        return not isinstance(element(self.type), IntegerType)

    def like(self, number: Scalar) -> Number:
        """A number as it is, a Python one as a constant of this one's type, on every lane."""
        if isinstance(number, Number):
            return number
        return constant(self.builder, number, self.type)

    def op(self, op: Operation) -> Number:
        """The result of an op on numbers."""
        self.builder.insert(op)
        return Number(self.builder, op.results[0])

    def _pair(
        self,
        a: Scalar,
        b: Scalar,
        float_op: type[Operation],
        integer_op: type[Operation],
    ) -> Number:
        return self.like(a)._with(float_op if self.is_float else integer_op, b)

    def _with(self, kind: type[Operation], *others: Scalar) -> Number:
        """An op of a kind whose operands and result are of one type."""
        values = [self.like(other).value for other in others]
        return self.op(on_one_type(kind, self.value, *values))

    # --- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: Scalar) -> Number:
        return self._pair(self, other, arith.AddfOp, arith.AddiOp)

    def __radd__(self, other: Scalar) -> Number:
        return self._pair(other, self, arith.AddfOp, arith.AddiOp)

    def __sub__(self, other: Scalar) -> Number:
        return self._pair(self, other, arith.SubfOp, arith.SubiOp)

    def __rsub__(self, other: Scalar) -> Number:
        return self._pair(other, self, arith.SubfOp, arith.SubiOp)

    def __mul__(self, other: Scalar) -> Number:
        return self._pair(self, other, arith.MulfOp, arith.MuliOp)

    def __rmul__(self, other: Scalar) -> Number:
        return self._pair(other, self, arith.MulfOp, arith.MuliOp)

    def __truediv__(self, other: Scalar) -> Number:
        return self._with(arith.DivfOp, other)

    def __rtruediv__(self, other: Scalar) -> Number:
        return self.like(other)._with(arith.DivfOp, self)

    def __neg__(self) -> Number:
        return self._with(arith.NegfOp) if self.is_float else 0 - self

    def __and__(self, other: Scalar) -> Number:
        return self._with(arith.AndIOp, other)

    def __or__(self, other: Scalar) -> Number:
        return self._with(arith.OrIOp, other)

    def __xor__(self, other: Scalar) -> Number:
        return self._with(arith.XOrIOp, other)

    def __lshift__(self, other: Scalar) -> Number:
        return self._with(arith.ShLIOp, other)

    def __rshift__(self, other: Scalar) -> Number:
        """To the right, zeros coming in."""
        return self._with(arith.ShRUIOp, other)

    def halved(self, times: int) -> Number:
        """To the right, the sign coming in."""
        return self._with(arith.ShRSIOp, times)

    # --- functions of floats ----------------------------------------------------------------------

    def absolute(self) -> Number:
        return self._with(math.AbsFOp)

    def fused(self, factor: Scalar, summand: Scalar) -> Number:
        """self * factor + summand, rounded once."""
        return self._with(math.FmaOp, factor, summand)

    def saturated_fma(self, factor: Scalar, summand: Scalar) -> Number:
        """`fused` between 0 and 1; NaN is 0."""
        values = self.value, self.like(factor).value, self.like(summand).value
        return self.op(lanewise.SaturatedFmaOp(*values))

    def root(self) -> Number:
        return self._with(math.SqrtOp)

    def floor(self) -> Number:
        return self._with(math.FloorOp)

    def signed_as(self, other: Number) -> Number:
        """This size with that sign."""
        return self._with(math.CopySignOp, other)

    # --- comparisons ------------------------------------------------------------------------------

    def compare(self, predicate: str, other: Scalar) -> Number:
        """An `arith` predicate, as cmpf or cmpi has it."""
        compare = compare_floats if self.is_float else compare_integers
        return self.op(compare(self.value, self.like(other).value, predicate))

    def select(self, yes: Scalar, no: Number) -> Number:
        """Of a condition: `yes` where it holds, `no` where it does not."""
        return self.op(select(self.value, no.like(yes).value, no.value))

    def clamped(self, low: float, high: float) -> Number:
        """The number itself where it is between two others, or NaN; the nearer one elsewhere."""
        below = self.compare("olt", low).select(low, self)
        return below.compare("ogt", high).select(high, below)

    # --- conversions ------------------------------------------------------------------------------

    def _convert(self, op: type[Operation], scalar: Attribute) -> Number:
        return self.op(lanewise.cast(op, self.value, like(self.type, scalar)))

    def bits(self) -> Number:
        """A float's bits as an integer of its width."""
        return self._convert(arith.BitcastOp, _BITS[element(self.type)])

    def from_bits(self) -> Number:
        """The float that an integer's bits are."""
        return self._convert(arith.BitcastOp, _FLOATS[element(self.type)])

    def rounded_to(self, scalar: Attribute) -> Number:
        """An f64 as an f32."""
        return self._convert(arith.TruncFOp, scalar)

    def extended_to(self, scalar: Attribute) -> Number:
        """An f32 as an f64."""
        return self._convert(arith.ExtFOp, scalar)

    def as_float(self, scalar: Attribute) -> Number:
        """The float nearest to a signed integer."""
        return self._convert(arith.SIToFPOp, scalar)

    def narrowed(self, scalar: Attribute) -> Number:
        """The low bits of an integer."""
        return self._convert(arith.TruncIOp, scalar)

    def widened(self, scalar: Attribute) -> Number:
        """An integer without a sign, in a wider type."""
        return self._convert(arith.ExtUIOp, scalar)

    # --- polynomials ------------------------------------------------------------------------------

    def polynomial(self, coefficients: Sequence[Scalar]) -> Number:
        """The polynomial's value here, by Horner's rule; constant term first."""
        *rest, last = coefficients
        total = self.like(last)
        for coefficient in reversed(rest):
            total = total * self + coefficient
        return total

    def polynomial_by_pairs(self, coefficients: Sequence[Scalar], square: Number) -> Number:
        """The same by Estrin's scheme: half as many steps wait for each other."""
        pairs: list[Scalar] = [
            low + self * high
            for low, high in zip(coefficients[::2], coefficients[1::2], strict=False)
        ]
        return square.polynomial([*pairs, *coefficients[2 * len(pairs) :]])


def constant(builder: LocatedBuilder, number: float, type: Attribute) -> Number:
    """A constant of a scalar type, or of a vector type on every lane."""
    scalar = element(type)
    if isinstance(scalar, IntegerType):
        bits = scalar.bitwidth
        wrapped = (int(number) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        attribute: Attribute = IntegerAttr(wrapped, cast("IntegerType", scalar))
    else:
        attribute = FloatAttr(number, cast(AnyFloat, scalar))
    op = made(arith.ConstantOp, (), [element(type)], {"value": attribute})
    builder.insert(op)
    result = Number(builder, op.results[0])
    if lanes(type) is None:
        return result
    return result.op(made(vector.BroadcastOp, op.results, [type]))


def is_f64(type: Attribute) -> bool:
    """Whether a value is an f64 or a vector of them."""
    return isinstance(element(type), Float64Type)


def is_f32(type: Attribute) -> bool:
    """Whether a value is an f32 or a vector of them."""
    return isinstance(element(type), Float32Type)
