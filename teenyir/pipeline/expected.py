"""`--verify-diagnostics`: the diagnostics of a run against those that the input announces.

    // expected-error @below {{'arith.addi': operand}}
    // expected-remark @+2 {{fused}}  expected-note @above {{defined here}}
    %c = foo.bar                       // expected-error {{not registered}}

An annotation means the line it is on, `@+N` and `@-N` lines away, or, with `@below` and `@above`,
the nearest line without annotations. `@unknown` is no place at all. The text in braces has to occur
in the message; with `-re` after the kind, what stands in inner `{{...}}` is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from teenyir.diagnostics import (
    Diagnostic,
    InputError,
    Location,
    Severity,
    did_you_mean,
    error,
)

_START = re.compile(r"expected-(?P<kind>[a-z]+)(?P<re>-re)?\s*(?:@(?P<at>[^\s{]*))?\s*\{\{")
_AT = re.compile(r"unknown|above|below|[+-]\d+")
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "remark": "remark",
    "note": "note",
}


@dataclass(frozen=True)
class Expected:
    """One annotation."""

    severity: Severity
    line: int | None
    """The line it means; None for no place."""
    pattern: re.Pattern[str]
    text: str
    place: Location
    """Where the annotation itself stands."""

    def matches(self, found: Diagnostic, file: str) -> bool:
        line = found.location.line if found.location and found.location.file == file else None
        if found.severity != self.severity or line != self.line:
            return False
        return self.pattern.search(found.message) is not None


def check_expected(text: str, file: str, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What is wrong: an error for each diagnostic not announced, and for each not produced.

    A note without a place (`in pass cse (#2)`) need not be announced.
    """
    open_expectations = list(expectations(text, file))
    wrong: list[Diagnostic] = []
    for diagnostic in _flat(found):
        match = next((e for e in open_expectations if e.matches(diagnostic, file)), None)
        if match is not None:
            open_expectations.remove(match)
        elif diagnostic.severity != "note" or diagnostic.location is not None:
            message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
            wrong.append(error(message, diagnostic.location))
    for missing in open_expectations:
        message = f'expected {missing.severity} "{missing.text}" was not produced'
        wrong.append(error(message, missing.place))
    return wrong


def _flat(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        yield diagnostic
        yield from _flat(diagnostic.notes)


def expectations(text: str, file: str) -> Iterator[Expected]:
    """The annotations of a text, in order."""
    lines = text.split("\n")
    annotated = [_START.search(line) is not None for line in lines]
    for number, line in enumerate(lines, 1):
        at = 0
        while (match := _START.search(line, at)) is not None:
            content, at = _braced(line, match.end())
            place = Location(file, number, match.start() + 1, line, at - match.start())
            if problem := _problem(match, line[:at]):
                raise InputError(error(problem, place))
            yield Expected(
                _SEVERITIES[match["kind"]],
                _line(number, match["at"], annotated),
                _pattern(content, match["re"] is not None),
                content,
                place,
            )


def _problem(match: re.Match[str], text: str) -> str | None:
    """What is wrong with an annotation, which `text` ends with, or None."""
    if match["kind"] not in _SEVERITIES:
        hint = did_you_mean(match["kind"], _SEVERITIES)
        return f"there is no diagnostic of the kind '{match['kind']}'{hint}"
    if match["at"] is not None and not _AT.fullmatch(match["at"]):
        return f"'@{match['at']}' is no line: write @+N, @-N, @above, @below or @unknown"
    if not text.endswith("}}"):
        return "this annotation does not end on its line: '}}' is missing"
    try:
        _pattern(text[match.end() : -2], match["re"] is not None)
    except re.error as e:
        return f"what stands in braces is no regular expression: {e}"
    return None


def _line(number: int, at: str | None, annotated: list[bool]) -> int | None:
    """The line that an annotation on line `number` means."""
    match at:
        case None:
            return number
        case "unknown":
            return None
        case "above" | "below":
            step = 1 if at == "below" else -1
            line = number + step
            while 1 <= line <= len(annotated) and annotated[line - 1]:
                line += step
            return line
        case _:
            return number + int(at)


def _braced(line: str, start: int) -> tuple[str, int]:
    """The text from `start` to the `}}` that closes it, and where the text after it begins."""
    depth, at = 1, start
    while at < len(line):
        two = line[at : at + 2]
        if two == "}}":
            depth -= 1
            if depth == 0:
                return line[start:at], at + 2
            at += 2
        elif two == "{{":
            depth += 1
            at += 2
        else:
            at += 1
    return line[start:], len(line)


def _pattern(content: str, regular: bool) -> re.Pattern[str]:
    if not regular:
        return re.compile(re.escape(content))
    parts = re.split(r"\{\{(.*?)\}\}", content)
    return re.compile("".join(p if i % 2 else re.escape(p) for i, p in enumerate(parts)))
