"""Extents of inputs: what names in a model mean, and which of them an operator has to know.

A program serves all extents that its inputs may have. Where an operator cannot be made for all of
them, the names that it is about become numbers, and there is a program for each that occurs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from teenyir.analysis.binding import linear
from teenyir.diagnostics import CompileError, Diagnostic, note
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import Array
from teenyir.frontend.dims import Dim, Extent, Spec, ranges_of, to_expr
from teenyir.frontend.errors import TraceError
from teenyir.frontend.onnx.values import UnknownExtent

_TOKEN = re.compile(r"\s*(//|[+*()]|(?<=\s)-(?=\s)|[0-9]+|[A-Za-z_][A-Za-z0-9_]*)")
"""A minus stands by itself: `batch-size` is one name."""

_COMBINED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
}

MOST_TOKENS = 32
"""Signs, numbers and names in an expression that is read as one."""

_SUM, _PRODUCT = ("+", "-"), ("*", "//")


class UnsuitedExtent(TraceError):
    """A node cannot be made for all values that names of extents of inputs may stand for."""

    def __init__(self, names: Iterable[str], *diagnostics: Diagnostic | str) -> None:
        super().__init__(*diagnostics)
        self.names = set(names)


def at_fault(problem: CompileError, names: Collection[str]) -> set[str]:
    """Those of the names that a problem is about."""
    if isinstance(problem, UnknownExtent | UnsuitedExtent):
        return problem.names & set(names)
    message = problem.diagnostics[0].message
    for text in (message.rpartition(":")[2], message):  # the end says it best
        if found := set(re.findall(r"\w+", text)) & set(names):
            return found
    return set()


def way_out(problem: CompileError, extents: Mapping[str, Extent]) -> CompileError:
    """The problem with a note that says how the extents are told which it is about."""
    if not isinstance(problem, UnsuitedExtent):
        return problem
    called = [
        key
        for key, extent in extents.items()
        if isinstance(extent, Dim) and extent.expr.names & problem.names
    ]
    listed = ", ".join(f"{key!r}: ..." for key in called)
    first, *rest = problem.diagnostics
    hint = note(f"say what it is, an integer or a ty.Dim in a range: load_onnx(dims={{{listed}}})")
    return UnsuitedExtent(problem.names, first.with_notes(hint), *rest)


def names_of(extents: Iterable[Extent]) -> set[str]:
    """The names in extents."""
    return {name for extent in extents for name in to_expr(extent).names}


def put_in(extents: Mapping[str, Extent], values: Mapping[str, int]) -> dict[str, Extent]:
    """Extents with numbers in the place of some names."""
    return {
        key: Dim.of(to_expr(extent).substitute(dict(values)), ranges_of(extent))
        for key, extent in extents.items()
    }


def bound(
    specs: Mapping[str, Spec], arrays: Mapping[str, Array], stated: Mapping[str, int]
) -> dict[str, int]:
    """What the names in extents of inputs are in a call, as far as its arrays fit."""
    values = dict(stated)
    equations = [
        (to_expr(extent), size)
        for name, spec in specs.items()
        if name in arrays and arrays[name].ndim == len(spec.shape)
        for extent, size in zip(spec.shape, arrays[name].shape, strict=True)
    ]
    for _ in equations:  # each of which tells one name at most
        for expr, size in equations:
            left = expr.substitute(values)
            if (found := linear(left)) is not None:
                name, factor = found
                values[name] = max(0, (size - left.offset) // factor)
    return values


# --- what a model writes in the place of an extent ------------------------------------------------


def read_extent(text: str) -> Expr | None:
    """The expression that an exporter has written for an extent, such as `past + new`.

    None where the text is a name, whatever characters are in it.
    """
    tokens = _tokens(text)
    if len(tokens) < 2:
        return None
    try:
        expr = _sum(tokens)
    except (LookupError, ValueError, ZeroDivisionError):
        return None
    return None if tokens or not expr.names else expr


def _tokens(text: str) -> list[str]:
    """The parts of an expression, in order; none where it is no expression."""
    found: list[str] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        if (match := _TOKEN.match(text, place)) is None or len(found) == MOST_TOKENS:
            return []
        found.append(match[1])
        place = match.end()
    return found


def _sum(tokens: list[str]) -> Expr:
    return _combined(tokens, _SUM, lambda: _combined(tokens, _PRODUCT, lambda: _atom(tokens)))


def _combined(tokens: list[str], signs: Collection[str], part: Callable[[], Expr]) -> Expr:
    found = part()
    while tokens and tokens[0] in signs:
        found = _COMBINED[tokens.pop(0)](found, part())
    return found


def _atom(tokens: list[str]) -> Expr:
    """A number, a name or a sum in parentheses. Raises LookupError or ValueError on others."""
    token = tokens.pop(0)
    if token == "(":
        found = _sum(tokens)
        if tokens.pop(0) != ")":
            raise ValueError
        return found
    if token.isdecimal():
        return Expr.of(int(token))
    if not token.isidentifier():
        raise ValueError
    return Expr.of(token)
