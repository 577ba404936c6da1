"""Reading one instruction: guard, opcode with its modifiers, operands."""

from __future__ import annotations

from teenyir.emulator.syntax.constants import ConstantReader
from teenyir.emulator.syntax.lexer import Token, number
from teenyir.emulator.syntax.program import (
    Address,
    Group,
    Immediate,
    Instruction,
    Operand,
    Pair,
    Program,
    Register,
    Sink,
    SourceLine,
    Special,
    Symbol,
    Vector,
)

_COMPONENTS = {"x": "x", "y": "y", "z": "z", "w": "w", "r": "x", "g": "y", "b": "z", "a": "w"}


class StatementReader(ConstantReader):
    """Instructions and their operands; names are resolved by the parser."""

    def __init__(self, tokens: list[Token], result: Program) -> None:
        super().__init__(tokens, result)
        self.vectors: dict[str, int] = {}

    def resolve(self, name: str) -> Register | Special | Symbol:
        """What a name stands for."""
        raise NotImplementedError

    def instruction(self, source: SourceLine | None) -> Instruction:
        """One instruction up to and with its semicolon."""
        guard: Register | None = None
        if self.accept("@"):
            negated = self.accept("!")
            name = self.expect_kind("word")
            register = self.resolve(name.text)
            if not isinstance(register, Register):
                self.fail(f"guard '{name.text}' is not a declared predicate", name)
            guard = Register(register.name, negated)
        opcode = self.expect_kind("word")
        line, column = self.position(opcode)
        modifiers: list[str] = []
        while self.token.kind == "dotted":
            modifiers.append(self.advance().text[1:])
        operands: list[Operand] = []
        if self.token.text != ";":
            operands.append(self._operand())
            while self.accept(","):
                operands.append(self._operand())
        self.expect(";")
        return Instruction(
            opcode.text, tuple(modifiers), tuple(operands), guard, line, column, source
        )

    def _operand(self) -> Operand:
        first = self._single()
        if self.accept("|"):
            return Pair(first, self._single())
        return first

    def _single(self) -> Operand:
        text = self.token.text
        if text == "{":
            return Vector(self._list("{", "}"))
        if text == "(":
            return Group(self._list("(", ")"))
        if text == "[":
            return self._address()
        if text == "!":
            self.advance()
            name = self.expect_kind("word")
            register = self.resolve(name.text)
            if not isinstance(register, Register):
                self.fail(f"'{name.text}' is not a declared predicate", name)
            return Register(register.name, True)
        if text == "_":
            self.advance()
            return Sink()
        if self.token.kind == "word":
            return self._named()
        return self._literal()

    def _list(self, opening: str, closing: str) -> tuple[Operand, ...]:
        self.expect(opening)
        items: list[Operand] = []
        while not self.accept(closing):
            items.append(self._operand())
            if not self.accept(","):
                self.expect(closing)
                break
        return tuple(items)

    def _literal(self) -> Immediate:
        index = self.index + (self.token.text in ("-", "+"))
        token = self.tokens[index]
        if token.kind == "number":
            bits, width = number(token.text)
            if width:
                negative = self.accept("-")
                self.accept("+")
                self.advance()
                return Immediate(bits ^ (1 << (width - 1)) if negative else bits, width)
        return Immediate(self.constant())

    def _named(self) -> Operand:
        token = self.advance()
        found = self.resolve(token.text)
        if isinstance(found, Special):
            while self.token.kind == "dotted":
                found = Special(found.name + self.advance().text)
            return found
        if isinstance(found, Register) and self.token.kind == "dotted":
            return Register(found.name, selector=self.advance().text[1:])
        if isinstance(found, Symbol) and found.name in self.vectors:
            return self._vector(found.name)
        if isinstance(found, Symbol) and self.token.text in ("+", "-"):
            return Symbol(found.name, self.constant())
        return found

    def _vector(self, name: str) -> Operand:
        if self.token.kind == "dotted":
            component = self.expect_kind("dotted").text[1:]
            if component not in _COMPONENTS:
                self.fail(f"unknown vector component '.{component}'")
            return Register(f"{name}.{_COMPONENTS[component]}")
        width = self.vectors[name]
        return Vector(tuple(Register(f"{name}.{component}") for component in "xyzw"[:width]))

    def _address(self) -> Operand:
        self.expect("[")
        first = self._address_base()
        if self.accept(","):
            items: list[Operand] = [first, self._operand()]
            while self.accept(","):
                items.append(self._operand())
            self.expect("]")
            return Group(tuple(items))
        self.expect("]")
        return first

    def _address_base(self) -> Address:
        if self.token.kind != "word":
            return Address(Immediate(self.constant()))
        token = self.advance()
        base = self.resolve(token.text)
        if isinstance(base, Special):
            self.fail(f"'{token.text}' is not a declared register or variable", token)
        offset = 0
        if self.token.text in ("+", "-"):
            self.accept("+")
            offset = self.constant()
        if self.accept("["):
            offset += self.constant()
            self.expect("]")
        return Address(base, offset)
