"""Functions on the machine floor: their names, and what LLVM may know of their pointers.

A name: a function of a program must not take the place of one of the C library, of LLVM's or the
runtime's, or of one that the lowering makes of another function.

LLVM turns `llvm.cos` into a call of `cos`, a loop into one of `memset`, and so on; a kernel of that
name would be called instead.
"""

from __future__ import annotations

import re
from functools import cache

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


_TAKEN = re.compile(r"(__|teenyir_).*|.*\.(function|streaming|(share|task)\.\d+)", re.DOTALL)
"""What is the system's and the runtime's; and what is called after another function."""

_INTRINSICS = ("llvm.", "function.")
"""What the names of LLVM's own functions begin with, and those of a program that would."""


def machine_name(name: str) -> str:
    """The symbol of a kernel or program on the machine floor: two names have two."""
    if name in _RESERVED or _TAKEN.fullmatch(name):
        name = f"{name}.function"
    return f"function.{name}" if name.startswith(_INTRINSICS) else name


_ACCESS: dict[str, dict[str, Attribute]] = {
    "in": {"llvm.readonly": UnitAttr()},
    "out": {"llvm.writeonly": UnitAttr()},
    "inout": {},
    "scratch": {},
}


@cache
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
