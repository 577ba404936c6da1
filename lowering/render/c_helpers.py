"""Functions of C for what is more than an operator: printed only where they are used.

A helper's name is its family and the types it is for: `divsi_i32`, `fptosi_f32_i8`. Each is total:
what C leaves undefined has the meaning that the machine floor gives it too: a quotient or a
remainder by zero is 0, the least integer divided by -1 wraps, a shift by the width or more gives 0
(or the sign), and a float out of an integer's range saturates, NaN to 0.

In a text `{I}` is what the language has before a function that is inlined, `{T}` the type of a
value, `{S}` its signed type, `{N}` its width, and `{name}` the helper's own name; `{F}` and `{FS}`
are a float type and what its literals end with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from teenyir.lowering.render.c_types import TYPES, CType


def _function(parameters: str, body: str, result: str = "{T}") -> str:
    return f"{{I}} {result} {{name}}({parameters}) {{{{\n{body}\n}}}}\n"


def _two(*lines: str, type: str = "{T}") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return _function(f"{type} a, {type} b", body, type)


def _one(*lines: str) -> str:
    return _function("{T} a", "\n".join(f"    {line}" for line in lines))


_BY_ZERO = "if (b == 0) return 0;"
_TOO_FAR = "if (b >= {N}) return 0;"
_QUOTIENT = (
    _BY_ZERO,
    "if (b == ({T})-1) return ({T})(0u - a);",
)
_SIGNED = ("const {S} n = ({S})a, d = ({S})b;",)


def _orders(number: str, unsigned: str) -> dict[str, str]:
    """Comparisons with the least or the greatest number: compilers warn where they see them."""
    return {
        f"{sign}{word}": _function(
            "{T} a, {T} b", f"    return {cast}a {operator} {cast}b;", "bool"
        )
        for sign, cast in (("s", number), ("u", unsigned))
        for word, operator in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
    }


INTEGERS: dict[str, str] = {
    **_orders("({S})", ""),
    "divsi": _two(*_QUOTIENT, "return ({T})(({S})a / ({S})b);"),
    "remsi": _two("if (b == 0 || b == ({T})-1) return 0;", "return ({T})(({S})a % ({S})b);"),
    "divui": _two(_BY_ZERO, "return ({T})(a / b);"),
    "remui": _two(_BY_ZERO, "return ({T})(a % b);"),
    "floordivsi": _two(
        *_QUOTIENT,
        *_SIGNED,
        "return ({T})(n / d - (n % d != 0 && (n < 0) != (d < 0)));",
    ),
    "ceildivsi": _two(
        *_QUOTIENT,
        *_SIGNED,
        "return ({T})(n / d + (n % d != 0 && (n < 0) == (d < 0)));",
    ),
    "ceildivui": _two(_BY_ZERO, "return ({T})(a / b + (a % b != 0));"),
    "minsi": _two("return ({S})a < ({S})b ? a : b;"),
    "maxsi": _two("return ({S})a > ({S})b ? a : b;"),
    "minui": _two("return a < b ? a : b;"),
    "maxui": _two("return a > b ? a : b;"),
    "shli": _two(_TOO_FAR, "return ({T})((uint64_t)a << b);"),
    "shrui": _two(_TOO_FAR, "return ({T})(a >> b);"),
    "shrsi": _two("return ({T})(({S})a >> (b < {N} ? (int)b : {N} - 1));"),
    "absi": _one("if (({S})a < 0) return ({T})(0u - a);", "return a;"),
    "ctpop": _one(
        "int count = 0;",
        "for (; a != 0; a = ({T})(a & (a - 1u))) ++count;",
        "return ({T})count;",
    ),
    "ctlz": _one(
        "int count = {N};",
        "for (; a != 0; a = ({T})(a >> 1)) --count;",
        "return ({T})count;",
    ),
    "cttz": _one(
        "int count = 0;",
        "if (a == 0) return {N};",
        "for (; (a & 1u) == 0; a = ({T})(a >> 1)) ++count;",
        "return ({T})count;",
    ),
}
"""By family, for an integer type."""

INDICES: dict[str, str] = {
    **_orders("", "(uint64_t)"),
    "floordivsi": _two("return a / b - (a % b != 0 && (a < 0) != (b < 0));"),
    "ceildivsi": _two("return a / b + (a % b != 0 && (a < 0) == (b < 0));"),
    "ceildivui": _two(
        "const uint64_t n = (uint64_t)a, d = (uint64_t)b;",
        "return (int64_t)(n / d + (n % d != 0));",
    ),
    "mod": _two("const int64_t r = a % b;", "return r != 0 && (r < 0) != (b < 0) ? r + b : r;"),
    "minsi": _two("return a < b ? a : b;"),
    "maxsi": _two("return a > b ? a : b;"),
    "minui": _two("return (uint64_t)a < (uint64_t)b ? a : b;"),
    "maxui": _two("return (uint64_t)a > (uint64_t)b ? a : b;"),
    "shli": _two("return (uint64_t)b < 64 ? (int64_t)((uint64_t)a << b) : 0;"),
    "shrui": _two("return (uint64_t)b < 64 ? (int64_t)((uint64_t)a >> b) : 0;"),
    "shrsi": _two("return a >> ((uint64_t)b < 64 ? b : 63);"),
}
"""By family, for `index`, whose divisors are never zero."""

FLOATS: dict[str, str] = {
    # NaN if either is, and 0 above -0
    "maximumf": _two(
        "if (isunordered(a, b)) return a + b;",
        "if (a == b) return signbit(a) ? b : a;",
        "return a > b ? a : b;",
    ),
    "minimumf": _two(
        "if (isunordered(a, b)) return a + b;",
        "if (a == b) return signbit(a) ? a : b;",
        "return a < b ? a : b;",
    ),
    "from_bits": _function(
        "uint{N}_t bits",
        "    union {{ uint{N}_t bits; {T} number; }} u;\n    u.bits = bits;\n    return u.number;",
    ),
    "to_bits": _function(
        "{T} number",
        "    union {{ uint{N}_t bits; {T} number; }} u;\n"
        "    u.number = number;\n"
        "    return u.bits;",
        "uint{N}_t",
    ),
}
"""By family, for f32 and f64."""

TO_INTEGER: dict[str, str] = {
    "fptosi": _function(
        "{F} a",
        "    if (isnan(a)) return 0;\n"
        "    if (a < -0x1p+{M}{FS}) return ({T})INT{N}_MIN;\n"
        "    if (a >= 0x1p+{M}{FS}) return ({T})INT{N}_MAX;\n"
        "    return ({T})({S})a;",
    ),
    "fptoui": _function(
        "{F} a",
        "    if (!(a > 0)) return 0;\n"
        "    if (a >= 0x1p+{N}{FS}) return UINT{N}_MAX;\n"
        "    return ({T})a;",
    ),
}
"""By family, from a float type to an integer type."""

CONVERSIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "f32_from_bf16": (
        ("from_bits_f32",),
        "{I} float {name}(uint16_t a) {{\n    return from_bits_f32((uint32_t)a << 16);\n}}\n",
    ),
    # A normal number has its exponent moved; a denormal one is an integer times 2^-24.
    "f32_from_f16": (
        ("from_bits_f32",),
        "{I} float {name}(uint16_t a) {{\n"
        "    const uint32_t sign = (uint32_t)(a & 0x8000u) << 16, size = a & 0x7fffu;\n"
        "    const uint32_t digits = size << 13;\n"
        "    if (size >= 0x7c00u) return from_bits_f32(sign | 0x7f800000u | digits);\n"
        "    if (size >= 0x0400u) return from_bits_f32(sign | (digits + 0x38000000u));\n"
        "    return sign != 0 ? -((float)size * 0x1p-24f) : (float)size * 0x1p-24f;\n"
        "}}\n",
    ),
    # Half to even: what is added carries into the bits that stay exactly when it should. Below
    # the least normal number, adding 0.5 leaves the bits that stay at the end of an f32.
    "f16_from_f32": (
        ("to_bits_f32", "from_bits_f32"),
        "{I} uint16_t {name}(float a) {{\n"
        "    const uint32_t bits = to_bits_f32(a), sign = bits >> 16 & 0x8000u;\n"
        "    const uint32_t size = bits & 0x7fffffffu;\n"
        "    uint32_t result = 0x7c00u;\n"
        "    if (size > 0x7f800000u)\n"
        "        result = 0x7e00u | (size >> 13 & 0x3ffu);\n"
        "    else if (size < 0x38800000u)\n"
        "        result = to_bits_f32(from_bits_f32(size) + 0.5f) - 0x3f000000u;\n"
        "    else if (size < 0x477ff000u)\n"
        "        result = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;\n"
        "    return (uint16_t)(sign | result);\n"
        "}}\n",
    ),
}
"""By name, with the helpers that they call."""

_FLOAT_SUFFIX = {"f32": "f", "f64": ""}
_INTEGER_KEYS = ("i8", "i16", "i32", "i64", "index")

NAMES = frozenset(
    {f"{family}_{key}" for family in (*INTEGERS, *INDICES) for key in _INTEGER_KEYS}
    | {f"{family}_{key}" for family in FLOATS for key in _FLOAT_SUFFIX}
    | {f"{f}_{a}_{b}" for f in TO_INTEGER for a in _FLOAT_SUFFIX for b in _INTEGER_KEYS}
    | set(CONVERSIONS)
)
"""Every name that a helper can have."""

_BY_KEY: dict[str, CType] = {type.key: type for type in TYPES.values()}


@dataclass
class Helpers:
    """The helpers that a file needs."""

    inline: str = "static inline"
    """What stands before a helper's type."""
    inline_index: str = "static inline"
    """The same, for helpers of `index` alone."""
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """By name or by family the texts that a language has in the place of those here."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """By name, callees before their callers."""

    def need(self, family: str, *keys: str) -> str:
        """The name of a helper, which the file will hold."""
        name = "_".join((family, *keys))
        if name not in self.texts:
            text = self._text(name, family, keys)
            self.put(name, text, *keys)
        return name

    def put(self, name: str, text: str, *keys: str) -> None:
        """A helper with its text, for types of these keys."""
        only_index = set(keys) == {"index"}
        fields = {"name": name, "I": self.inline_index if only_index else self.inline}
        if keys:
            type, source = _BY_KEY[keys[-1]], _BY_KEY[keys[0]]
            fields |= {"T": type.value, "S": type.signed, "N": str(type.bits)}
            fields |= {"M": str(type.bits - 1), "F": source.value}
            fields["FS"] = _FLOAT_SUFFIX.get(source.key, "")
        self.texts[name] = text.format(**fields)

    def _text(self, name: str, family: str, keys: tuple[str, ...]) -> str:
        for known in (name, family):
            if known in self.others and "index" not in keys:
                return self.others[known]
        if family in CONVERSIONS:
            callees, text = CONVERSIONS[family]
            for callee in callees:
                self.need(*callee.rsplit("_", 1))
            return text
        if family in TO_INTEGER:
            return TO_INTEGER[family]
        table = FLOATS if keys[-1] in _FLOAT_SUFFIX else INTEGERS
        return (INDICES if keys[-1] == "index" else table)[family]
