"""Names on the machine floor: a function of ours must not take the place of one of the C library.

LLVM turns `llvm.cos` into a call of `cos`, a loop into one of `memset`, and so on; a kernel of that
name would be called instead.
"""

from __future__ import annotations

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
