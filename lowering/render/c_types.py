"""Types, literals and names of C, as the printer of C spells them.

An integer of the IR has no sign, so in C it is unsigned: arithmetic wraps, as it does in the IR,
and where an op reads a sign its operand is cast. `index` is an `int64_t` that never overflows.
f16 and bf16 are their bits. A bool is a byte in memory.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute

from teenyir.dialects.lanes import element


class Unprintable(Exception):
    """A type, constant or op that C has no form for; the message says which."""


# --- types ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CType:
    """A scalar type of the IR in C."""

    key: str
    """What helper functions of this type have in their names."""
    value: str
    """The type of a variable."""
    memory: str
    """The type of an element in memory."""
    bits: int
    signed: str = ""
    """The signed type that an integer is cast to where an op reads its sign."""
    unsigned: str = ""

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)


def _integer(bits: int) -> CType:
    return CType(f"i{bits}", f"uint{bits}_t", f"uint{bits}_t", bits, f"int{bits}_t")


TYPES: dict[Attribute, CType] = {
    IntegerType(1): CType("i1", "bool", "uint8_t", 1, "int"),
    **{IntegerType(bits): _integer(bits) for bits in (8, 16, 32, 64)},
    IndexType(): CType("index", "int64_t", "int64_t", 64, "int64_t", "uint64_t"),
    Float16Type(): CType("f16", "uint16_t", "uint16_t", 16),
    BFloat16Type(): CType("bf16", "uint16_t", "uint16_t", 16),
    Float32Type(): CType("f32", "float", "float", 32),
    Float64Type(): CType("f64", "double", "double", 64),
}


INDEX = TYPES[IndexType()]


def c_type(type: Attribute) -> CType:
    """The C type of a scalar, or of the elements of a vector. Raises Unprintable for others."""
    if (found := TYPES.get(element(type))) is None:
        raise Unprintable(f"C has no type for {type}")
    return found


# --- literals -------------------------------------------------------------------------------------

LONGEST_DECIMAL = 8
"""Characters of a float that is written in decimal, if it is exact so; longer ones are in hex."""


def float_literal(number: float, type: Attribute) -> str:
    """A number of a float type, exactly: decimal where that is exact and short, else hexadecimal.

    f16 and bf16 are their bits, with the number in a comment.
    """
    match type:
        case Float16Type():
            return f"0x{struct.unpack('<H', struct.pack('<e', number))[0]:04x}u /* {number:g} */"
        case BFloat16Type():
            return f"0x{bfloat16_bits(number):04x}u /* {number:g} */"
        case _:
            pass
    suffix = "f" if isinstance(type, Float32Type) else ""
    if math.isnan(number):
        return "NAN"
    if math.isinf(number):
        return "-INFINITY" if number < 0 else "INFINITY"
    plain = repr(number)
    if len(plain) <= LONGEST_DECIMAL and "e" not in plain and Fraction(plain) == Fraction(number):
        return plain + suffix
    mantissa, exponent = number.hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}p{exponent}{suffix}"


def bfloat16_bits(number: float) -> int:
    """The bits of a number that a bf16 holds exactly, or of the bf16 nearest to it."""
    if math.isnan(number):
        return 0x7FC0
    try:
        (bits,) = struct.unpack("<I", struct.pack("<f", number))
    except OverflowError:
        bits = 0xFF800000 if number < 0 else 0x7F800000
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def integer_literal(number: int, type: CType, signed: bool = False) -> str:
    """An integer as a value of a type; with `signed`, of its signed type."""
    if type.bits == 1:
        if signed:
            return str(-(number & 1))
        return "true" if number & 1 else "false"
    if signed or type.key == "index":
        return _signed_literal(_wrapped(number, type.bits), type.bits)
    wrapped = _wrapped(number, type.bits)
    if -(1 << 15) <= wrapped < 0:
        return f"({type.value}){wrapped}"
    return unsigned_literal(wrapped % (1 << type.bits), type.bits)


def unsigned_literal(number: int, bits: int) -> str:
    """A natural number as an unsigned integer of some width; large ones in hexadecimal."""
    digits = str(number) if number < 1 << 16 else hex(number)
    return f"UINT64_C({digits})" if bits == 64 else f"{digits}u"


def _signed_literal(number: int, bits: int) -> str:
    if number == -(1 << (bits - 1)):
        return f"INT{bits}_MIN"
    return str(number) if abs(number) < 1 << 31 else f"INT64_C({number})"


def _wrapped(number: int, bits: int) -> int:
    number %= 1 << bits
    return number - (1 << bits) if number >> (bits - 1) else number


def constant_literal(value: Attribute) -> str:
    """The value of a scalar constant."""
    match value:
        case IntegerAttr():
            integer = cast("IntegerAttr[Any]", value)
            return integer_literal(integer.value.data, c_type(integer.type))
        case FloatAttr():
            number = cast("FloatAttr[Any]", value)
            return float_literal(number.value.data, number.type)
        case _:
            raise Unprintable(f"C has no constant for {value}")


# --- names ----------------------------------------------------------------------------------------


def words(text: str) -> frozenset[str]:
    """The words of a text that are names."""
    return frozenset(text.split())


KEYWORDS = words(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic "
    "_Imaginary _Noreturn _Static_assert _Thread_local"
)
"""C11's, 6.4.1."""

LIBRARY = words(
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 "
    "log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo "
    "rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc"
)
"""math.h's functions of f64 (7.12); those of the other types have `f` and `l` after the name."""

HEADERS = words(
    "main bool true false NAN INFINITY HUGE_VAL isnan isinf isfinite isunordered islessgreater "
    "isless isgreater signbit fpclassify isnormal memcpy memset memmove memcmp strlen abs labs "
    "div exit abort free malloc calloc realloc errno y0 y1 yn j0 j1 jn gamma signgam index linux "
    "unix"
)
"""Further names that headers, compilers or the linker know."""

RESERVED = (
    KEYWORDS | LIBRARY | HEADERS | {name + suffix for name in LIBRARY for suffix in ("f", "l")}
)


def identifier(name: str) -> str:
    """A name with the characters that C allows in one."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return name if name and not name[0].isdigit() else f"v{name}"


class Names:
    """Identifiers that differ from each other, from C's own, and from those of a wider scope."""

    def __init__(self, taken: Iterable[str] = (), reserved: frozenset[str] = frozenset()):
        self.taken = set(taken)
        self.reserved = reserved

    def new(self, wanted: str) -> str:
        """`wanted`, or that with a number behind it where it is taken."""
        base = candidate = identifier(identifier(wanted).lstrip("_"))
        number = 0
        while candidate in self.taken or self._is_reserved(candidate):
            number += 1
            candidate = f"{base}_{number}"
        self.taken.add(candidate)
        return candidate

    def symbol(self, wanted: str) -> str:
        """The name of a function that others see: one of C's own gets `teeny_` before it."""
        name = identifier(wanted)
        return self.new(f"teeny_{name}" if self._is_reserved(name) else name)

    def _is_reserved(self, name: str) -> bool:
        known = name in RESERVED or name in self.reserved
        return known or name.endswith("_t") or name.startswith(("INT", "UINT"))


def comment(text: str) -> str:
    """Text that is safe inside a comment of either kind."""
    return re.sub(r"[^ -~]|[\\?]|(?<=\*)/|(?<=/)[*/]", "_", text)
