"""Functions on the machine floor: their names, and what LLVM may know of their pointers.

A name: a function of ours must not take the place of one of the C library.

LLVM turns `llvm.cos` into a call of `cos`, a loop into one of `memset`, and so on; a kernel of that
name would be called instead.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, UnitAttr
from xdsl.ir import Attribute

_MATHEMATICS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign"),
    *("cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "floor", "fma"),
    *("fmax", "fmaximum", "fmin", "fminimum", "fmod", "frexp", "ldexp", "log", "log10", "log1p"),
    *("log2", "lrint", "lround", "modf", "nearbyint", "pow", "powi", "rint", "round"),
    *("roundeven", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "trunc"),
)

_RESERVED = frozenset(
    {
        *(name + suffix for name in _MATHEMATICS for suffix in ("", "f", "l")),
        *("abort", "bcmp", "calloc", "free", "malloc", "memcmp", "memcpy", "memmove", "memset"),
        *("realloc", "strlen"),
    }
)


def machine_name(name: str) -> str:
    """The symbol of a kernel or program on the machine floor."""
    if name in _RESERVED or name.startswith("__"):
        return f"{name}.function"
    return name


_ACCESS: dict[str, dict[str, Attribute]] = {
    "in": {"llvm.readonly": UnitAttr()},
    "out": {"llvm.writeonly": UnitAttr()},
    "inout": {},
    "scratch": {},
}


def pointer_attributes(mode: str, *, kept: bool = False) -> DictionaryAttr:
    """What LLVM may know of a pointer to memory that no other one is to, by its buffer's mode.

    `kept` is for one that a function hands to other threads.
    """
    words: dict[str, Attribute] = {
        "llvm.noalias": UnitAttr(),
        "llvm.nocapture": UnitAttr(),
        **_ACCESS[mode],
    }
    if kept:
        del words["llvm.nocapture"]
    return DictionaryAttr(words)
