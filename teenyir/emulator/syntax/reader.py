"""A cursor over tokens, for the parts of the parser."""

from __future__ import annotations

from typing import NoReturn

from teenyir.diagnostics import Location, error
from teenyir.emulator.errors import ParseError
from teenyir.emulator.syntax.lexer import Token, number
from teenyir.emulator.syntax.program import Program


class TokenReader:
    """A cursor over tokens, with diagnostics at the token."""

    def __init__(self, tokens: list[Token], result: Program) -> None:
        self.tokens = tokens
        self.index = 0
        self.token = tokens[0]
        self.result = result
        self._line = 1
        self._line_offset = 0
        self._line_start = 0

    def advance(self) -> Token:
        """Step over the current token and return it."""
        token = self.token
        if token.kind != "end":
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def accept(self, text: str) -> bool:
        """Step over the current token if it reads so."""
        if self.token.text != text or self.token.kind == "string":
            return False
        self.advance()
        return True

    def expect(self, text: str) -> Token:
        """Step over a token that must read so."""
        if self.token.text != text:
            self.fail(f"expected '{text}', found {self.described()}")
        return self.advance()

    def expect_kind(self, kind: str) -> Token:
        """Step over a token that must be of this kind."""
        if self.token.kind != kind:
            what = {"word": "a name", "dotted": "a type", "number": "a number"}.get(
                kind, f"a {kind}"
            )
            self.fail(f"expected {what}, found {self.described()}")
        return self.advance()

    def integer(self) -> int:
        """A plain number."""
        token = self.expect_kind("number")
        value, width = number(token.text)
        if width:
            self.fail("expected an integer", token)
        return value

    def described(self) -> str:
        """The current token for a message."""
        return "the end of the file" if self.token.kind == "end" else f"'{self.token.text}'"

    def position(self, token: Token) -> tuple[int, int]:
        """Line and column of a token, from 1; fast for tokens in order."""
        text = self.result.text
        if token.offset < self._line_offset:
            self._line, self._line_offset, self._line_start = 1, 0, 0
        self._line += text.count("\n", self._line_offset, token.offset)
        last = text.rfind("\n", self._line_offset, token.offset)
        if last >= 0:
            self._line_start = last + 1
        self._line_offset = token.offset
        return self._line, token.offset - self._line_start + 1

    def line_of(self, token: Token) -> int:
        """The line of a token, from 1."""
        return self.position(token)[0]

    def fail(self, message: str, token: Token | None = None) -> NoReturn:
        """Raise a `ParseError` at a token."""
        token = token or self.token
        location = Location.in_text(
            self.result.filename, self.result.text, token.offset, max(1, len(token.text))
        )
        raise ParseError(error(message, location))
