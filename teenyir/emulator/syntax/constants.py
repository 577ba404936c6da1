"""Constant expressions and variables' initialisers."""

from __future__ import annotations

import struct
from collections.abc import Callable

from teenyir.emulator.syntax.lexer import number
from teenyir.emulator.syntax.program import Initialiser
from teenyir.emulator.syntax.reader import TokenReader


def _divide(left: int, right: int) -> int:
    """C's division, towards zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - right * _divide(left, right)


_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: a == b, "!=": lambda a, b: a != b},
    {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    },
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": _divide, "%": _remainder},
)
"""Binary operators, loosest first."""


class ConstantReader(TokenReader):
    """Reads constant expressions at the cursor."""

    def constant(self) -> int:
        """An integer constant expression, with C's operators."""
        value = self._binary(0)
        if self.accept("?"):
            first = self.constant()
            self.expect(":")
            second = self.constant()
            return first if value else second
        return value

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.token.kind == "punctuation" and self.token.text in _LEVELS[level]:
            token = self.advance()
            right = self._binary(level + 1)
            if token.text in "/%" and right == 0:
                self.fail("division by zero in a constant", token)
            if token.text in ("<<", ">>") and not 0 <= right < 64:
                self.fail(f"shift of a constant by {right}", token)
            left = int(_LEVELS[level][token.text](left, right))
        return left

    def _unary(self) -> int:
        text = self.token.text
        if text in ("-", "+", "~", "!"):
            self.advance()
            value = self._unary()
            return {"-": -value, "+": value, "~": ~value, "!": int(not value)}[text]
        if self.accept("("):
            if self.token.kind == "dotted":
                self.advance()
                self.expect(")")
                return self._unary()
            value = self.constant()
            self.expect(")")
            return value
        return self.integer()

    def initialiser(self) -> list[Initialiser]:
        """What stands after `=`: nested braces are flattened."""
        if not self.accept("{"):
            return [self._initial_element()]
        elements: list[Initialiser] = []
        while not self.accept("}"):
            elements += self.initialiser()
            if not self.accept(","):
                self.expect("}")
                break
        return elements

    def _initial_element(self) -> Initialiser:
        if self.token.kind == "word":
            return self._initial_symbol()
        sign = -1 if self.token.text == "-" else 1
        token = self.tokens[self.index + (self.token.text in ("-", "+"))]
        if token.kind == "number" and number(token.text)[1]:
            if self.token.text in ("-", "+"):
                self.advance()
            self.advance()
            bits, width = number(token.text)
            code = "<f" if width == 32 else "<d"
            return Initialiser(sign * struct.unpack(code, bits.to_bytes(width // 8, "little"))[0])
        return Initialiser(self.constant())

    def _initial_symbol(self) -> Initialiser:
        name = self.advance().text
        generic = False
        if name in ("generic", "mask") and self.accept("("):
            generic = name == "generic"
            if name == "mask":
                self.fail("mask() of an address is not supported in an initialiser")
            name = self.expect_kind("word").text
            self.expect(")")
        offset = 0
        if self.token.text in ("+", "-"):
            self.accept("+")
            offset = self.constant()
        return Initialiser(symbol=name, offset=offset, generic=generic)
