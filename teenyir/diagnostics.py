"""Diagnostics: what every part of the house says to its user when something is wrong.

A diagnostic is a severity, a message, a place, and notes. Rendered, it reads as compilers' users
expect, with the source line and a caret under the place:

    gelu.mlir:3:8: error: expected '(' after the function's name
      func.func @gelu %x
                      ^~
    note: in pass canonicalize (#2)

Errors travel as `CompileError` and its subclasses, each carrying structured diagnostics; the
commands render them and turn them into exit codes. Nothing here depends on xDSL, so that a
package run without a compiler still reports errors in the one family.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["error", "warning", "remark", "note"]

SOURCE_WINDOW = 160
"""Columns of a source line shown around the caret; longer lines are cut at both ends."""

LARGEST_SOURCE = 64 * 1024 * 1024
"""Bytes; a larger file named by a location is not opened to show a line of it."""

_COLOURS: dict[str, str] = {"error": "31", "warning": "35", "remark": "34", "note": "36"}


@dataclass(frozen=True)
class Location:
    """A place in a source file."""

    file: str
    line: int
    """Counted from 1."""
    col: int
    """Counted from 1, in characters."""
    text: str | None = None
    """The source line, where whoever made the location had it at hand."""
    length: int = 1
    """How many characters are meant; the caret is drawn this wide."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"

    @staticmethod
    def in_text(file: str, text: str, offset: int, length: int = 1) -> Location:
        """The location of the character at `offset` (from 0) of `text`."""
        offset = min(offset, len(text))
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        line = text[start : end if end >= 0 else len(text)]
        length = max(1, min(length, len(line) - (offset - start)))
        return Location(
            file,
            text.count("\n", 0, start) + 1,
            offset - start + 1,
            line.removesuffix("\r"),
            length,
        )


@dataclass(frozen=True)
class Diagnostic:
    """One message to the user."""

    severity: Severity
    message: str
    location: Location | None = None
    notes: tuple[Diagnostic, ...] = ()

    def with_notes(self, *notes: Diagnostic) -> Diagnostic:
        """The same diagnostic with further notes at its end."""
        return replace(self, notes=(*self.notes, *notes))

    def render(self, sources: Mapping[str, str] | None = None, *, colour: bool = False) -> str:
        """The text for a terminal or a log, without a final newline.

        `sources` maps file names to texts that are not on disk (standard input, strings).
        """
        place = f"{self.location}: " if self.location is not None else ""
        severity = self.severity
        if colour:
            place = f"\x1b[1m{place}\x1b[0m" if place else ""
            severity = f"\x1b[1;{_COLOURS[self.severity]}m{severity}\x1b[0m"
        lines = [f"{place}{severity}: {_printable(self.message)}"]
        if self.location is not None:
            lines += _excerpt(self.location, sources or {})
        lines += [note.render(sources, colour=colour) for note in self.notes]
        return "\n".join(lines)


def error(message: str, location: Location | None = None, *notes: Diagnostic) -> Diagnostic:
    """A diagnostic of severity `error`."""
    return Diagnostic("error", message, location, notes)


def warning(message: str, location: Location | None = None, *notes: Diagnostic) -> Diagnostic:
    """A diagnostic of severity `warning`."""
    return Diagnostic("warning", message, location, notes)


def note(message: str, location: Location | None = None) -> Diagnostic:
    """A diagnostic of severity `note`."""
    return Diagnostic("note", message, location)


class CompileError(Exception):
    """Something that the user has to be told: the root of the family.

    `diagnostics` holds at least one diagnostic of severity `error`.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, *diagnostics: Diagnostic | str) -> None:
        self.diagnostics = tuple(error(d) if isinstance(d, str) else d for d in diagnostics)
        super().__init__(*self.diagnostics)

    def __str__(self) -> str:
        return self.render()

    def render(self, sources: Mapping[str, str] | None = None, *, colour: bool = False) -> str:
        """Every diagnostic as text, one after the other."""
        return "\n".join(d.render(sources, colour=colour) for d in self.diagnostics)

    def with_notes(self, *notes: Diagnostic) -> CompileError:
        """The same error with `notes` after each of its diagnostics."""
        return type(self)(*(d.with_notes(*notes) for d in self.diagnostics))


class InputError(CompileError):
    """A file that cannot be read or written, or is not what it should be."""


class ParseError(CompileError):
    """Text that is not IR."""


class VerifyError(CompileError):
    """IR that breaks a rule of its dialects."""


class PipelineError(CompileError):
    """A pipeline that cannot be built: an unknown pass, a wrong option, bad syntax."""


class PassError(CompileError):
    """A pass that cannot do its work on this IR."""


class RunError(CompileError):
    """A program that cannot run: inputs that do not suit it, or a fault met while it runs."""


class DifferenceError(CompileError):
    """A program that no longer means what it meant: exit code 3."""


class InternalError(CompileError):
    """A fault of the compiler itself, not of its input."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name`, as a user gave it, was probably meant to be, or None."""
    from difflib import get_close_matches

    matches = get_close_matches(str(name), list(candidates), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest candidate, or the empty string."""
    match = nearest(name, candidates)
    return f"; did you mean '{match}'?" if match is not None else ""


def _excerpt(location: Location, sources: Mapping[str, str]) -> list[str]:
    """The source line of a location and the caret line under it; nothing if it has no source."""
    line = location.text
    if line is None:
        line = _line_of(location, sources)
    if line is None or not line.strip():
        return []
    at = max(0, min(location.col - 1, len(line)))
    start = max(0, at - SOURCE_WINDOW // 2) if len(line) > SOURCE_WINDOW else 0
    shown = line[start : start + SOURCE_WINDOW]
    before = shown[: at - start]
    width = max(1, min(location.length, len(shown) - len(before)))
    lead = "".join("\t" if c == "\t" else " " for c in before)
    return [f"  {_printable(shown)}", f"  {lead}^{'~' * (width - 1)}"]


def _printable(text: str) -> str:
    """Text that is safe on a terminal, one character for each of the original's."""
    return "".join(
        c if c in "\t\n" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _line_of(location: Location, sources: Mapping[str, str]) -> str | None:
    """The text of a location's line from `sources` or, if it names a regular file, from disk."""
    text = sources.get(location.file)
    if text is None:
        text = _read_source(location.file)
    if text is None or location.line < 1:
        return None
    lines = text.split("\n", location.line)
    return lines[location.line - 1].removesuffix("\r") if len(lines) >= location.line else None


def _read_source(file: str) -> str | None:
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SOURCE:
            return None
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except (OSError, ValueError):
        return None
