"""What the languages of C's family differ in: a table that the printer asks, one for each.

Names, lines, types, arithmetic, loops and what is a variable are the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.ir import Operation

from teenyir.dialects import uop
from teenyir.lowering.render.c_rows import Row

Statement: TypeAlias = Callable[[Any, Any], None]
"""Prints an op that is more than an expression: of a `FunctionText` and the op."""


@dataclass(frozen=True)
class Language:
    """One language of the family."""

    name: str
    """What messages call it."""
    head: str
    """What a file starts with."""
    restrict: str
    """The qualifier of a pointer whose memory no other pointer reaches."""
    kernel: Callable[[uop.FuncOp, bool], str]
    """What stands before a kernel's name: of the kernel, and whether the file alone calls it."""
    note: Callable[[uop.FuncOp], str]
    """What a kernel's comment ends with."""
    rows: Mapping[type[Operation], Row]
    """The ops that are expressions."""
    statements: Mapping[type[Operation], Statement]
    """The ops that are more than that."""
    inline: str = "static inline"
    """What stands before a helper's type."""
    inline_index: str = "static inline"
    """The same, for helpers of index arithmetic, which sizes of launches are computed with too."""
    helpers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The texts of helpers that are not C's, by name or by family."""
    reserved: frozenset[str] = frozenset()
    """Names that mean something in the language, besides those of C."""
