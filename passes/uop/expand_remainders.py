"""Compute the remainder of floats in integers, where there is no libm.

    %r = arith.remf %x, %y    -->    the rest of a long division of two integers

A float is an integer m times a power of two, e. With both factors the rest is that of

    m(x) 2^(e(x) - e(y)) mod m(y), times 2^e(y)

and is found one binary digit at a time, in as many steps as the exponents differ. It is exact, as
C's `fmod` is: the sign is that of x, the rest by an infinite y is x, by zero and of infinities NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, f32, f64, i32, i64
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import InsertPoint

from teenyir.dialects.arith import RemfOp
from teenyir.dialects.inside import of_kind
from teenyir.passes.uop.numbers import Number
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class Format:
    """How the bits of a float lie."""

    integer: IntegerType
    digits: int
    """Behind the point."""
    bias: int


FORMATS: dict[Attribute, Format] = {f32: Format(i32, 23, 127), f64: Format(i64, 52, 1023)}


@dataclass(frozen=True)
class ExpandRemainders(Pass):
    """Compute the remainder of floats in integers, without libm."""

    name = "expand-remainders"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        for inner in of_kind(op, RemfOp):
            if inner.result.type in FORMATS:
                _expand(inner)
                session.count("expanded")


def _expand(op: RemfOp) -> None:
    builder = LocatedBuilder(InsertPoint.before(op), op.location)
    x, y = (Number(builder, operand) for operand in op.operands)
    result = remainder(x, y, FORMATS[op.result.type]).value
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()


def remainder(x: Number, y: Number, format: Format) -> Number:
    """C's `fmod` of two scalars."""
    (m, e), (n, f) = (_parts(number.absolute(), format) for number in (x, y))
    # nothing is divided by zero: what that gives is said at the end
    n = n.compare("eq", 0).select(1, n)
    rest = _long_division(m.op(arith.RemUIOp(m.value, n.value)), n, e - f)
    # below the divisor's exponent the dividend is its own rest
    size = e.compare("slt", f).select(x.absolute(), _scaled(rest, f, format))
    size = y.absolute().compare("oeq", inf).select(x.absolute(), size)
    size = y.compare("oeq", 0.0).select(nan, size)
    size = x.absolute().compare("olt", inf).select(size, x.like(nan))
    return x.compare("uno", y).select(nan, size.signed_as(x))


def _parts(size: Number, format: Format) -> tuple[Number, Number]:
    """The integer m and the exponent e of m 2^(e - bias - digits), for a number from 0 on."""
    bits = size.bits()
    stored = bits >> format.digits
    denormal = stored.compare("eq", 0)
    m = bits & ((1 << format.digits) - 1)
    return denormal.select(m, m | (1 << format.digits)), denormal.select(1, stored)


def _long_division(rest: Number, divisor: Number, digits: Number) -> Number:
    """rest * 2^digits mod divisor, where `rest` is below the divisor."""
    builder = rest.builder
    index = IndexType()
    zero, one = (Number(builder, builder.insert(_index(k)).results[0]) for k in (0, 1))
    count = Number(builder, builder.insert(arith.IndexCastOp(digits.value, index)).result)
    body = Block(arg_types=[index, rest.type])
    inside = LocatedBuilder(InsertPoint.at_end(body), builder.location)
    doubled = Number(inside, body.args[1]) << 1
    divisor = Number(inside, divisor.value)
    less = doubled.compare("uge", divisor).select(doubled - divisor, doubled)
    body.add_op(scf.YieldOp(less.value))
    loop = scf.ForOp(zero.value, count.value, one.value, [rest.value], body)
    builder.insert(loop)
    return Number(builder, loop.results[0])


def _index(number: int) -> arith.ConstantOp:
    return arith.ConstantOp.from_int_and_width(number, IndexType())


def _scaled(m: Number, e: Number, format: Format) -> Number:
    """m 2^(e - bias - digits): a number of the format, so that neither product rounds."""
    scalar = next(float for float, other in FORMATS.items() if other is format)
    exponent = e - (format.bias + format.digits)
    half = exponent.halved(1)
    powers = [((k + format.bias) << format.digits).from_bits() for k in (half, exponent - half)]
    return m.as_float(scalar) * powers[0] * powers[1]
