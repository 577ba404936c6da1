"""PTX text to tokens."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from teenyir.diagnostics import Location, error
from teenyir.emulator.errors import ParseError


@dataclass(frozen=True, slots=True)
class Token:
    """A token. `kind`: word, dotted (a word after a dot), number, string, punctuation, end."""

    kind: str
    text: str
    offset: int


_PATTERN = re.compile(
    r"""
    (?P<space>[ \t\r\n\f\v]+ | //[^\n]* | /\*.*?\*/ | (?<![^\n])\#[^\n]*)
  | (?P<number>0[fF][0-9a-fA-F]{8}(?![\w$]) | 0[dD][0-9a-fA-F]{16}(?![\w$])
      | \d+\.\d*(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+
      | 0[xX][0-9a-fA-F]+U? | 0[bB][01]+U? | \d+U?)
  | (?P<word>[A-Za-z_$%@][\w$]*(?:::\w+)*)
  | (?P<dotted>\.[\w$]+(?:::[\w$]+(?:\.[0-9]\w*)?)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<punctuation><<|>>|==|!=|<=|>=|&&|\|\||[][{}(),;:=+\-!|<>*/%&^~?])
    """,
    re.VERBOSE | re.DOTALL,
)


_LONGEST_NUMBER = 200


def tokenise(text: str, filename: str) -> list[Token]:
    """The tokens of a PTX text, comments left out, with an `end` token last."""
    return list(_tokens(text, filename))


def _tokens(text: str, filename: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None or (match.group() == "/" and text.startswith("/*", position)):
            message = "comment without an end" if match else f"unexpected {text[position]!r}"
            raise ParseError(error(message, Location.in_text(filename, text, position)))
        kind = match.lastgroup or ""
        if kind == "word" and text[position] == "@":
            # `@` starts a guard; the word after it is the predicate's own token.
            yield Token("punctuation", "@", position)
            position += 1
            continue
        if kind == "number" and len(match.group()) > _LONGEST_NUMBER:
            message = "a number of this length fits no register"
            raise ParseError(error(message, Location.in_text(filename, text, position)))
        if kind != "space":
            yield Token(kind, match.group(), position)
        position = match.end()
    yield Token("end", "", len(text))


def number(text: str) -> tuple[int, int]:
    """A numeric token's value: (integer, 0), or the (bits, width) of a float."""
    prefix = text[:2].lower()
    if prefix == "0f" and len(text) == 10:
        return int(text[2:], 16), 32
    if prefix == "0d" and len(text) == 18:
        return int(text[2:], 16), 64
    plain = text.rstrip("U")
    if prefix in ("0x", "0b"):
        return int(plain, 0), 0
    if "." in plain or "e" in plain.lower():
        return int.from_bytes(struct.pack("<d", float(plain)), "little"), 64
    if len(plain) > 1 and plain.startswith("0") and set(plain) <= set("01234567"):
        return int(plain, 8), 0
    return int(plain), 0
