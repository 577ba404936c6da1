"""An array library of the array API's names that computes at once: `from teenyir import array`.

Each call traces one function of `ty` and runs its graph by the interpreter. So it says what `ty`
means, one op at a time, and its speed is that of a notebook; programs are made by `ty.trace` and
`ty.jit`. Dtypes are `ty`'s, and there are no complex ones.

Read `eager` (the array, and how a function of symbolic tensors becomes one of arrays), then
`namespace` (which functions there are, and those that a traced program cannot have).
"""

from __future__ import annotations

from typing import Any

from teenyir.frontend.array import namespace
from teenyir.frontend.array.eager import Array

__all__ = ["Array"]


def __getattr__(name: str) -> Any:
    if name in namespace.NAMES:
        return namespace.find(name)
    raise AttributeError(f"module 'teenyir.array' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(["Array", *namespace.NAMES])
