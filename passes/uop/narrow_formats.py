"""The numbers of 8-bit and narrower floats from and to f32, by integer arithmetic on their bits.

A format has a sign, an exponent biased by B and M digits behind the point. Its normal numbers are
an f32's with fewer digits and another bias; its subnormal ones are an integer times 2^(1 - B - M).
Rounded is to nearest, ties to even. What is too large becomes infinite, or NaN where there are no
infinities, or the greatest number where there is neither; NaN becomes -0.0 there.

f8E8M0FNU is unlike the others: a power of two without sign, digits or zero. Zero, what is negative
or too large, and NaN become NaN; what is small becomes 2^-127.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    Float8E8M0FNUType,
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    ReducedPrecisionFloatType,
    f32,
    i8,
    i32,
)

from teenyir.passes.uop.numbers import Number

INFINITY = 0x7F800000
"""The bits of f32's, which are those of the greatest finite numbers and one more."""
NAN = 0x7FC00000
SIZE = 0x7FFFFFFF
"""All bits of an f32 but the sign."""


def to_f32(byte: Number, type: ReducedPrecisionFloatType) -> Number:
    """The f32 that is the number in an i8, exactly."""
    bits = byte.widened(i32)
    if isinstance(type, Float8E8M0FNUType):
        normal = bits.compare("eq", 0).select(1 << 22, bits << 23)
        return bits.compare("eq", 0xFF).select(NAN, normal).from_bits()
    format = type.SEMANTICS
    shift = 23 - format.mantissa_bits
    size = bits & ((1 << format.sign_shift) - 1)
    sign = (bits & (1 << format.sign_shift)) << (31 - format.sign_shift)
    normal = (size << shift) + (127 - format.exponent_bias << 23)
    unit = 2.0 ** (1 - format.exponent_bias - format.mantissa_bits)
    small = (size.as_float(f32) * unit).bits()
    result = size.compare("ult", 1 << format.mantissa_bits).select(small, normal)
    result = _special(bits, size, result, type)
    return (result | sign).from_bits()


def _special(bits: Number, size: Number, result: Number, type: ReducedPrecisionFloatType) -> Number:
    """An f32's bits with infinities and NaN where a format has them."""
    format = type.SEMANTICS
    match format.nonfinite, format.nan_encoding:
        case FloatNonfiniteBehavior.FINITE_ONLY, _:
            return result
        case FloatNonfiniteBehavior.IEEE, _:
            infinity = format.max_exponent << format.mantissa_bits
            result = size.compare("eq", infinity).select(INFINITY, result)
            return size.compare("ugt", infinity).select(NAN, result)
        case _, FloatNanEncoding.NEGATIVE_ZERO:
            return bits.compare("eq", 1 << format.sign_shift).select(NAN, result)
        case _:
            return size.compare("eq", (1 << format.sign_shift) - 1).select(NAN, result)


def from_f32(number: Number, type: ReducedPrecisionFloatType) -> Number:
    """The i8 with the number of a format that is nearest to an f32."""
    bits = number.bits()
    if isinstance(type, Float8E8M0FNUType):
        return _power_of_two(bits).narrowed(i8)
    format = type.SEMANTICS
    shift = 23 - format.mantissa_bits
    size = bits & SIZE
    last = (size >> shift) & 1
    rebased = size - (127 - format.exponent_bias << 23)
    # half to even: what is added carries into the digits that stay exactly when it should
    normal = (rebased + ((1 << shift - 1) - 1) + last) >> shift
    # the sum has its last digit where the format's subnormal numbers have theirs
    magic = 2.0 ** (24 - format.exponent_bias - format.mantissa_bits)
    sum = size.from_bits() + magic
    small = sum.bits() - sum.like(magic).bits()
    result = size.compare("ult", 128 - format.exponent_bias << 23).select(small, normal)
    return _signed(bits, size, result, type).narrowed(i8)


def _signed(bits: Number, size: Number, result: Number, type: ReducedPrecisionFloatType) -> Number:
    """A format's bits with the sign, and with what stands for infinities, NaN and large numbers."""
    format = type.SEMANTICS
    negative = 1 << format.sign_shift
    sign = (bits >> (31 - format.sign_shift)) & negative
    is_nan = size.compare("ugt", INFINITY)
    greatest = type.encode_bits(float("inf"))
    match format.nonfinite, format.nan_encoding:
        case FloatNonfiniteBehavior.FINITE_ONLY, _:
            result = result.compare("ugt", greatest).select(greatest, result)
            return is_nan.select(negative, result | sign)
        case FloatNonfiniteBehavior.IEEE, _:
            result = result.compare("ugt", greatest).select(greatest, result)
            return is_nan.select(type.encode_bits(float("nan")), result) | sign
        case _, FloatNanEncoding.NEGATIVE_ZERO:
            signed = result.compare("eq", 0).select(0, result | sign)
            return result.compare("uge", negative).select(negative, signed)
        case _:
            nan = negative - 1
            return result.compare("ugt", nan).select(nan, result) | sign


def _power_of_two(bits: Number) -> Number:
    # ties go up: of 2^n and 2^(n+1), the latter has the even digit after n's 1
    rounded = (bits + (1 << 22)) >> 23
    # a subnormal f32 is 2^-126 or 2^-127, whose halfway is 1.5 * 2^-127
    result = bits.compare("ult", 0x600000).select(0, rounded)
    number = (bits - 1).compare("ult", INFINITY - 1)
    return number.select(result, result.like(0xFF))
