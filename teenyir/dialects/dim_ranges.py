"""The ranges of named extents, and what they keep an expression from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.parser import AttrParser

from teenyir.dialects.expr import Expr


@dataclass(frozen=True)
class DimRange:
    """What is known of a named extent: `min <= name <= max`, and `step` divides it.

    Printed `N in 1..1024 step 8`; without a maximum `N in 1..`.
    """

    name: str
    min: int = 0
    max: int | None = None
    step: int = 1

    def __str__(self) -> str:
        upper = "" if self.max is None else self.max
        step = "" if self.step == 1 else f" step {self.step}"
        return f"{self.name} in {self.min}..{upper}{step}"

    def refuse(self, value: int) -> str | None:
        """Why `value` is not allowed, or None where it is."""
        if value < self.min or (self.max is not None and value > self.max):
            return f"{self.name} = {value} is outside {self}"
        if value % self.step:
            return f"{self.name} = {value} is not a multiple of {self.step}"
        return None

    def contains(self, other: DimRange) -> bool:
        """Whether every value that `other` allows is allowed here."""
        if other.min < self.min or other.step % self.step:
            return False
        return self.max is None or (other.max is not None and other.max <= self.max)

    def problem(self) -> str | None:
        """Why the range itself makes no sense, or None where it does."""
        if not _NAME.fullmatch(self.name) or self.name in _WORDS:
            return f"an extent cannot be named {self.name!r}"
        if self.min < 0:
            return f"an extent cannot be negative: {self}"
        if self.step < 1:
            return f"the step of {self.name} must be positive: {self}"
        if self.max is not None and self.max < self.min:
            return f"the range of {self.name} is empty: {self}"
        return None


def unsafe_divisor(expr: Expr, ranges: Mapping[str, DimRange]) -> Expr | None:
    """A divisor in an expression that the ranges of names do not keep from being 0, if any."""
    for monomial, _ in expr.terms:
        for atom in monomial:
            if isinstance(atom, str):
                continue
            if atom.kind in ("floordiv", "mod") and not _is_nonzero(atom.args[1], ranges):
                return atom.args[1]
            for arg in atom.args:
                if (found := unsafe_divisor(arg, ranges)) is not None:
                    return found
    return None


def _is_nonzero(divisor: Expr, ranges: Mapping[str, DimRange]) -> bool:
    if (constant := divisor.constant) is not None:
        return constant != 0
    if not divisor.is_polynomial or not divisor.names <= ranges.keys():
        return False
    # over what each name is more than its minimum, which is never negative
    shifted = divisor.substitute({n: Expr.of(n) + ranges[n].min for n in divisor.names})
    return shifted.offset >= 1 and all(coefficient > 0 for _, coefficient in shifted.terms)


_NAME = re.compile(r"(?!_[0-9]+$)[A-Za-z_][A-Za-z0-9_$.]*")
"""What may name an extent: an identifier of MLIR's, but not `_0`, which stands for an index."""

_WORDS = frozenset({"floordiv", "ceildiv", "mod", "min", "max"})
"""What the grammar of expressions reads as an operator."""

_RANGE = re.compile(r"\s*([0-9]+)\s*\.\.\s*([0-9]+)?")


def parse_dim_range(parser: AttrParser) -> DimRange:
    """Parse `N in 1..1024 step 8`. Raises ParseError on anything else or an empty range."""
    start = parser.pos
    name = parser.parse_identifier(context_msg=" as the name of an extent")
    parser.parse_keyword("in")
    # The lexer reads `1..` as a float and a stray dot, so this piece is read as raw text.
    content = parser.lexer.input.content
    if (match := _RANGE.match(content, parser.pos)) is None:
        parser.raise_error("expected a range such as 1..1024")
    parser._resume_from(match.end())  # pyright: ignore[reportPrivateUsage]
    low, high = match.groups()
    step = 1
    if parser.parse_optional_keyword("step"):
        step = parser.parse_integer(allow_boolean=False, allow_negative=False)
    dim = DimRange(name, int(low), None if high is None else int(high), step)
    if problem := dim.problem():
        parser.raise_error(problem, start, parser.pos)
    return dim


def parse_dim_ranges(parser: AttrParser) -> tuple[DimRange, ...]:
    """Parse a comma-separated list of ranges without delimiters; a name occurs once."""
    ranges: list[DimRange] = []
    while True:
        start = parser.pos
        dim = parse_dim_range(parser)
        if any(dim.name == other.name for other in ranges):
            parser.raise_error(f"{dim.name} already has a range", start, parser.pos)
        ranges.append(dim)
        if not parser.parse_optional_punctuation(","):
            return tuple(ranges)
