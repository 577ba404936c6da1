"""The syntax of pipelines: MLIR's.

    pipeline ::= element (`,` element)*
    element  ::= name options?                      a pass or a named pipeline
               | anchor `(` pipeline? `)`           passes for the operations named `anchor`
    options  ::= `{` (key (`=` value)?)* `}`        separated by spaces
    value    ::= a string in quotes, or text up to a space or `}`, in which brackets and quotes nest

An anchor is the name of an operation, or `any`. The tree of a text keeps where each part stands,
so that whatever is wrong with it later is reported in the user's own string. Between elements and
options, space and line breaks do not matter, and `//` begins a comment up to the end of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from teenyir.diagnostics import Location, PipelineError, error, note

PIPELINE_FILE = "<pipeline>"
"""What stands for the file in the locations of a pipeline given as a string."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_SPACE = re.compile(r"(?:\s|//[^\n]*)*")
_CLOSING = {"{": "}", "[": "]", "(": ")", "<": ">"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.+\-*/:@%#$!?~^|&;]+")


@dataclass(frozen=True)
class Span:
    """A part of a pipeline's text."""

    source: str
    start: int
    end: int
    file: str = PIPELINE_FILE

    @property
    def location(self) -> Location:
        return Location.in_text(self.file, self.source, self.start, self.end - self.start)


@dataclass(frozen=True)
class OptionText:
    """`key` or `key=value`, the value as it was written."""

    key: str
    value: str | None
    span: Span


@dataclass(frozen=True)
class ElementText:
    """One element: a pass with options, or an anchor with the elements nested in it."""

    name: str
    span: Span
    """Where the name stands."""
    options: tuple[OptionText, ...] = ()
    nested: tuple[ElementText, ...] | None = None
    """None for a pass or a named pipeline."""


def parse_pipeline_text(text: str, file: str = PIPELINE_FILE) -> tuple[ElementText, ...]:
    """The elements of a pipeline. Raises `PipelineError` with a caret in `text`, of `file`."""
    if not isinstance(cast(object, text), str):
        raise PipelineError(error(f"a pipeline is a text, got {type(text).__name__}"))
    return _parsed(text, file)


@lru_cache(64)
def _parsed(text: str, file: str) -> tuple[ElementText, ...]:
    return _PipelineParser(text, file).parse()


class _PipelineParser:
    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._at = 0

    def _span(self, start: int, end: int) -> Span:
        return Span(self._text, start, end, self._file)

    def parse(self) -> tuple[ElementText, ...]:
        elements = self._elements("")
        if self._at < len(self._text):
            raise self._error(f"expected ',' or the end, not '{self._text[self._at]}'")
        return elements

    def _elements(self, closing: str) -> tuple[ElementText, ...]:
        """Elements up to `closing` (or the end of the text, if it is empty), which is left."""
        elements: list[ElementText] = []
        if self._peek() == closing:
            return ()
        while True:
            elements.append(self._element())
            if self._peek() != ",":
                return tuple(elements)
            self._at += 1

    def _element(self) -> ElementText:
        self._skip_space()
        match = _NAME.match(self._text, self._at)
        if match is None:
            raise self._error("expected the name of a pass or an operation")
        span = self._span(match.start(), match.end())
        self._at = match.end()
        options = self._options() if self._peek() == "{" else ()
        if self._peek() != "(":
            return ElementText(match.group(), span, options)
        if options:
            raise self._error("an anchor takes no options", options[0].span)
        opened = self._at
        self._at += 1
        nested = self._elements(")")
        self._expect(")", opened)
        return ElementText(match.group(), span, nested=nested)

    def _options(self) -> tuple[OptionText, ...]:
        opened = self._at
        self._at += 1
        options: list[OptionText] = []
        while self._peek() not in ("}", ""):
            options.append(self._option())
        self._expect("}", opened)
        return tuple(options)

    def _option(self) -> OptionText:
        start = self._at
        match = _NAME.match(self._text, start)
        if match is None:
            raise self._error("expected the name of an option")
        self._at = match.end()
        value = None
        if self._text[self._at : self._at + 1] == "=":
            self._at += 1
            value = self._value()
        return OptionText(match.group(), value, self._span(start, self._at))

    def _value(self) -> str:
        """Text up to a space or an unmatched bracket."""
        start = self._at
        open_brackets: list[tuple[str, int]] = []
        while self._at < len(self._text):
            c = self._text[self._at]
            if c == '"':
                self._string()
                continue
            if not open_brackets and (c.isspace() or c in "}"):
                break
            if c in _CLOSING:
                open_brackets.append((_CLOSING[c], self._at))
            elif open_brackets and c == open_brackets[-1][0]:
                open_brackets.pop()
            self._at += 1
        if open_brackets:
            closing, opened = open_brackets[-1]
            raise self._unclosed(closing, opened)
        return self._text[start : self._at]

    def _string(self) -> None:
        """Move past a string in quotes."""
        start = self._at
        self._at += 1
        while self._at < len(self._text):
            if self._text[self._at] == "\\":
                self._at += 2
            elif self._text[self._at] == '"':
                self._at += 1
                return
            else:
                self._at += 1
        raise self._unclosed('"', start)

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at

    def _peek(self) -> str:
        """The next character that is not a space; the empty string at the end."""
        self._skip_space()
        return self._text[self._at : self._at + 1]

    def _expect(self, closing: str, opened: int) -> None:
        found = self._peek()
        if found == closing:
            self._at += 1
        elif found == "":
            raise self._unclosed(closing, opened)
        else:
            raise self._error(f"expected '{closing}', not '{found}'")

    def _error(self, message: str, span: Span | None = None) -> PipelineError:
        span = span or self._span(self._at, self._at + 1)
        return PipelineError(error(message, span.location))

    def _unclosed(self, closing: str, opened: int) -> PipelineError:
        end = self._span(len(self._text), len(self._text) + 1)
        opening = note("it was opened here", self._span(opened, opened + 1).location)
        return PipelineError(error(f"expected '{closing}'", end.location, opening))


def unquote(value: str) -> str:
    """The text that a value stands for: without quotes and escapes, if it is in quotes."""
    if len(value) >= 2 and value[0] == '"' and value[-1] == '"':
        return _ESCAPE.sub(r"\1", value[1:-1])
    return value


def quote(value: str) -> str:
    """A value that stands for `value`: itself if it is plain, otherwise in quotes."""
    if _PLAIN_VALUE.fullmatch(value) or _is_element(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_element(value: str) -> bool:
    """Whether `value` reads as a name with options in braces, such as `cuda{capability=sm_80}`."""
    if not value.endswith("}") or '"' in value:
        return False
    try:
        (element,) = parse_pipeline_text(value)
    except (PipelineError, ValueError):
        return False
    return element.nested is None and not any(c.isspace() for c in value)


def split_commas(value: str) -> Iterator[str]:
    """The parts of a value between the commas that are in no quotes and no brackets."""
    start = depth = at = 0
    while at < len(value):
        c = value[at]
        if c == '"':
            at = _end_of_string(value, at)
            continue
        if c in "{[(<":
            depth += 1
        elif c in "}])>":
            depth -= 1
        elif c == "," and depth == 0:
            yield value[start:at]
            start = at + 1
        at += 1
    yield value[start:]


def _end_of_string(value: str, at: int) -> int:
    at += 1
    while at < len(value) and value[at] != '"':
        at += 2 if value[at] == "\\" else 1
    return at + 1
