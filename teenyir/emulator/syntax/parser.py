"""PTX text to a `Program`: directives, declarations with their scopes, and function bodies."""

from __future__ import annotations

import re
from dataclasses import replace

from teenyir.diagnostics import Diagnostic, Location, error, note
from teenyir.emulator.errors import ParseError
from teenyir.emulator.syntax.lexer import Token, tokenise
from teenyir.emulator.syntax.program import (
    Function,
    Initialiser,
    Instruction,
    Program,
    Register,
    SourceLine,
    Special,
    Symbol,
    Variable,
)
from teenyir.emulator.syntax.statements import StatementReader
from teenyir.emulator.types import TYPES, ScalarType

_SPACES = ("global", "shared", "const", "local", "param", "tex")
_LINKAGE = (".visible", ".extern", ".weak", ".common")
_SIZED = (
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnreg",
    ".maxnctapersm",
    ".reqnctapercluster",
    ".maxclusterrank",
)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', re.MULTILINE)
_MOST_SCOPES, _MOST_REGISTERS, _MOST_ELEMENTS = 64, 1 << 20, 1 << 40
"""Bounds on blocks inside blocks, on one `<n>`, and on an array: beyond what a GPU takes."""

_LARGEST_ALIGNMENT = 1 << 16

_FLAGS = (".noreturn", ".explicitcluster", ".blocksareclusters")
_OPAQUE = {"texref": "b64", "samplerref": "b64", "surfref": "b64"}


def parse(text: str, filename: str = "<ptx>") -> Program:
    """Parse PTX text; raises `ParseError` with a caret at the first thing that is not PTX."""
    parser = Parser(text, filename)
    try:
        return parser.program()
    except RecursionError:
        parser.fail("this is nested too deeply")


class Parser(StatementReader):
    """Recursive descent over the tokens of one module."""

    def __init__(self, text: str, filename: str) -> None:
        self.result = Program(text, filename)
        for match in _FILE.finditer(text):  # nvcc writes the table after the code that uses it
            self.result.files[int(match[1])] = match[2]
        super().__init__(tokenise(text, filename), self.result)
        self._source: SourceLine | None = None
        self._function: Function | None = None
        self._scopes: list[dict[str, str]] = []
        self._scope_count = 0

    # Module level

    def program(self) -> Program:
        """The whole module."""
        while self.token.kind != "end":
            self._module_item()
        return self.result

    def _module_item(self) -> None:
        text = self.token.text
        if text == ";":
            self.advance()
        elif text == ".version":
            self._version()
        elif text == ".target":
            self.advance()
            self.result.target = tuple(self._comma_words())
        elif text == ".address_size":
            self._address_size()
        elif text == ".file":
            self._file()
        elif text == ".section":
            self._skip_section()
        elif text == ".loc":
            self._loc()
        elif text == ".pragma":
            self._skip_statement()
        elif text == ".alias":
            self._alias()
        else:
            self._declaration()

    def _version(self) -> None:
        self.advance()
        token = self.expect_kind("number")
        major, _, minor = token.text.partition(".")
        if not (major + minor).isdecimal():
            self.fail("a version is two numbers with a dot between", token)
        self.result.version = (int(major), int(minor or 0))

    def _address_size(self) -> None:
        self.advance()
        token = self.token
        self.result.address_size = self.integer()
        if self.result.address_size not in (32, 64):
            self.fail("addresses have 32 or 64 bits", token)

    def _comma_words(self) -> list[str]:
        words = [self.expect_kind("word").text]
        while self.accept(","):
            words.append(self.expect_kind("word").text)
        return words

    def _file(self) -> None:
        self.advance()
        self.integer()
        self.expect_kind("string")
        while self.accept(","):
            self.integer()

    def _skip_section(self) -> None:
        self.advance()
        while self.token.text != "{" and self.token.kind != "end":
            self.advance()
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.token.text, 0)
            if self.token.kind == "end":
                self.fail("section without an end")
            self.advance()
            if depth == 0:
                return

    def _skip_statement(self) -> None:
        while not self.accept(";"):
            if self.token.kind == "end":
                self.fail("expected ';'")
            self.advance()

    def _alias(self) -> None:
        self.advance()
        name = self.expect_kind("word").text
        self.expect(",")
        self.result.aliases[name] = self.expect_kind("word").text
        self.expect(";")

    def _loc(self) -> None:
        """`.loc file line column[, function_name label[+n], inlined_at file line column]`."""
        self.advance()
        source = self._source_line()
        while self.accept(","):
            if self.expect_kind("word").text == "inlined_at":
                source = replace(source, inlined_at=self._source_line())
            else:
                self.expect_kind("word")
                if self.accept("+"):
                    self.integer()
        self._source = source

    def _source_line(self) -> SourceLine:
        file, line, column = self.integer(), self.integer(), self.integer()
        name = self.result.files.get(file, f"<file {file}>")
        return SourceLine(name, line, column)

    def _declaration(self) -> None:
        extern = False
        while self.token.text in _LINKAGE:
            extern = extern or self.token.text == ".extern"
            self.advance()
        text = self.token.text
        if text in (".entry", ".func"):
            self._function_item(entry=text == ".entry")
        elif text[1:] in _SPACES:
            for variable in self._variables(extern):
                self.result.variables[variable.name] = variable
        else:
            self.fail(f"expected a directive, found {self.described()}")

    # Functions

    def _function_item(self, *, entry: bool) -> None:
        self.advance()
        results: list[Variable] = []
        self._scopes = [{}]
        self._scope_count = 0
        function = Function("", entry, self.line_of(self.token))
        self._function = function
        while self.token.text in _FLAGS:
            self.advance()
        if self.token.text == "(":
            results = self._parameters()
        name = self.expect_kind("word")
        function.name = name.text
        function.results = results
        if self.token.text == "(":
            function.parameters = self._parameters()
        self._function_directives(function)
        if self.accept(";"):
            self.result.functions.setdefault(function.name, function)
        else:
            self.expect("{")
            known = self.result.functions.get(function.name)
            if known is not None and known.defined:
                self.fail(f"'{function.name}' is defined twice", name)
            function.defined = True
            self._source = None
            self.result.functions[function.name] = function
            self._body()
            self._check_labels(function)
        self._function = None

    def _function_directives(self, function: Function) -> None:
        while True:
            text = self.token.text
            if text in _SIZED:
                self.advance()
                sizes = [self.integer()]
                while self.accept(","):
                    sizes.append(self.integer())
                function.directives[text[1:]] = tuple(sizes)
            elif text in _FLAGS or text.startswith(".abi_preserve"):
                self.advance()
                if self.token.kind == "number":
                    self.advance()
            elif text == ".pragma":
                self._skip_statement()
            else:
                return

    def _parameters(self) -> list[Variable]:
        self.expect("(")
        parameters: list[Variable] = []
        while not self.accept(")"):
            if self.token.text == ".reg":
                self.advance()
                kind = self._type()
                name = self.expect_kind("word")
                self._declare(name.text)
                self._current().registers[name.text] = kind
                variable = Variable(name.text, "reg", kind, 1, kind.bytes, self.line_of(name))
            elif self.token.text == ".param":
                variable = next(iter(self._variables(False, end=False)))
                self._declare(variable.name)
                self._current().variables[variable.name] = variable
            else:
                self.fail(f"expected '.param' or '.reg', found {self.described()}")
            parameters.append(variable)
            if not self.accept(","):
                self.expect(")")
                break
        return parameters

    def _current(self) -> Function:
        assert self._function is not None
        return self._function

    # Variables

    def _type(self) -> ScalarType:
        token = self.expect_kind("dotted")
        name = _OPAQUE.get(token.text[1:], token.text[1:])
        if name not in TYPES:
            self.fail(f"unknown type '{token.text}'", token)
        return TYPES[name]

    def _variables(self, extern: bool, *, end: bool = True) -> list[Variable]:
        """`.space [.align n] [.v2|.v4] .type name[n] = …, …;`"""
        space = self.expect_kind("dotted").text[1:]
        align, width = 0, 1
        while self.token.text in (".align", ".attribute", ".ptr", ".v2", ".v4", ".unified"):
            align, width = self._variable_attribute(align, width)
        if self.token.text[1:] in _SPACES:
            space = self.advance().text[1:]
        kind = self._type()
        while self.token.text in (".ptr", ".align") or self.token.text[1:] in _SPACES:
            # `.param .u64 .ptr .global .align 16 p`: a promise about the pointer, not the variable.
            if self.advance().text == ".align":
                self.integer()
        variables = [self._variable(space, kind, width, align, extern)]
        while end and self.accept(","):
            variables.append(self._variable(space, kind, width, align, extern))
        if end:
            self.expect(";")
        return variables

    def _variable_attribute(self, align: int, width: int) -> tuple[int, int]:
        text = self.advance().text
        if text == ".align":
            token = self.token
            align = self.integer()
            if align.bit_count() != 1 or align > _LARGEST_ALIGNMENT:
                self.fail(f"{align} is no alignment", token)
            return align, width
        if text == ".attribute":
            self.expect("(")
            while not self.accept(")"):
                if self.token.kind == "end":
                    self.fail("expected ')'")
                self.advance()
        elif text in (".v2", ".v4"):
            return align, int(text[2:])
        return align, width

    def _variable(
        self, space: str, kind: ScalarType, width: int, align: int, extern: bool
    ) -> Variable:
        name = self.expect_kind("word")
        count: int | None = width
        while self.accept("["):
            if self.accept("]"):
                count = None
                continue
            extent = self._at_most(_MOST_ELEMENTS)
            count = None if count is None else count * extent
            self.expect("]")
        initial: tuple[Initialiser, ...] = ()
        if self.accept("="):
            initial = tuple(self.initialiser())
            if count is None:
                count = len(initial)
        align = align or kind.bytes * width
        return Variable(name.text, space, kind, count, align, self.line_of(name), initial, extern)

    def _at_most(self, limit: int) -> int:
        """A constant expression that counts something."""
        token = self.token
        count = self.constant()
        if not 0 <= count <= limit:
            self.fail(f"{count} is not between 0 and {limit}", token)
        return count

    # Bodies

    def _declare(self, name: str) -> str:
        """Enter a name in the innermost scope; its unique name."""
        scope = self._scopes[-1]
        depth = len(self._scopes)
        unique = name if depth == 1 else f"{name}@{self._scope_count}"
        scope[name] = unique
        return unique

    def resolve(self, name: str) -> Register | Special | Symbol:
        """What a name in a body stands for."""
        function = self._current()
        for scope in reversed(self._scopes):
            if name in scope:
                unique = scope[name]
                if unique in function.registers:
                    return Register(unique)
                return Symbol(unique)
        if name.startswith("%") or name == "WARP_SZ":
            return Special(name)
        return Symbol(name)

    def _body(self) -> None:
        depth = 1
        while True:
            if self.token.kind == "end":
                self.fail("function body without an end")
            if self.accept("{"):
                depth += 1
                if depth > _MOST_SCOPES:
                    self.fail("this is nested too deeply")
                self._scope_count += 1
                self._scopes.append(self._labels_ahead())
            elif self.accept("}"):
                depth -= 1
                if depth == 0:
                    return
                self._scopes.pop()
            else:
                self._body_item()

    def _labels_ahead(self) -> dict[str, str]:
        """Labels of the block that begins here: they may be used before they are seen."""
        labels: dict[str, str] = {}
        depth, index = 1, self.index
        while depth and self.tokens[index].kind != "end":
            text = self.tokens[index].text
            depth += {"{": 1, "}": -1}.get(text, 0)
            if depth == 1 and text == ":" and self.tokens[index - 1].kind == "word":
                name = self.tokens[index - 1].text
                labels[name] = f"{name}@{self._scope_count}"
            index += 1
        return labels

    def _body_item(self) -> None:
        token = self.token
        function = self._current()
        if token.kind == "word" and self.tokens[self.index + 1].text == ":":
            self._label()
        elif token.text == ".reg":
            self._registers()
        elif token.text == ".loc":
            self._loc()
        elif token.text in (".pragma", ".callprototype", ".branchtargets", ".calltargets"):
            self._skip_statement()
        elif token.text in _LINKAGE or token.text[1:] in _SPACES:
            extern = token.text == ".extern"
            if token.text in _LINKAGE:
                self.advance()
            for variable in self._variables(extern):
                unique = self._declare(variable.name)
                function.variables[unique] = variable
        elif token.kind == "dotted":
            self.fail(f"unknown directive '{token.text}'")
        elif not self.accept(";"):
            function.instructions.append(self._guarded(self.instruction(self._source), token))

    def _guarded(self, instruction: Instruction, start: Token) -> Instruction:
        guard = instruction.guard
        if guard is not None and self._current().registers[guard.name].kind != "p":
            self.fail(f"guard '{guard.name}' is not a predicate", start)
        return instruction

    def _label(self) -> None:
        token = self.advance()
        self.advance()
        function = self._current()
        if self.token.text in (".branchtargets", ".calltargets"):
            self.advance()
            names = self._comma_words()
            self.expect(";")
            function.tables[token.text] = tuple(self._scopes[-1].get(name, name) for name in names)
        elif self.token.text == ".callprototype":
            self._skip_statement()
            function.tables[token.text] = ()
        else:
            unique = self._scopes[-1].get(token.text, token.text)
            if unique in function.labels:
                self.fail(f"label '{token.text}' defined twice", token)
            function.labels[unique] = len(function.instructions)

    def _registers(self) -> None:
        self.advance()
        width = 1
        if self.token.text in (".v2", ".v4", ".v8"):
            width = int(self.advance().text[2:])
        kind = self._type()
        while True:
            token = self.expect_kind("word")
            name = token.text
            names = [name]
            if self.accept("<"):
                names = [f"{name}{index}" for index in range(self._register_count())]
                self.expect(">")
            registers = self._current().registers
            for each in names:
                unique = self._declare(each)
                if unique in registers:
                    self.fail(f"register '{each}' is declared twice", token)
                if width == 1:
                    registers[unique] = kind
                else:
                    self.vectors[unique] = width
                    for component in "xyzw"[:width]:
                        registers[f"{unique}.{component}"] = kind
            if not self.accept(","):
                break
        self.expect(";")

    def _register_count(self) -> int:
        token = self.token
        count = self.integer()
        if count > _MOST_REGISTERS:
            self.fail(f"{count} registers are too many", token)
        return count

    def _check_labels(self, function: Function) -> None:
        """Every branch must name a label; all that do not are reported together."""
        wrong = [
            self._undefined(instruction)
            for instruction in function.instructions
            if instruction.opcode == "bra" and self._target(instruction) not in function.labels
        ]
        if wrong:
            raise ParseError(*wrong)

    def _target(self, instruction: Instruction) -> str:
        target = instruction.operands[0] if instruction.operands else None
        return target.name if isinstance(target, Symbol) else ""

    def _undefined(self, instruction: Instruction) -> Diagnostic:
        lines = self.result.text.split("\n")
        text = lines[instruction.line - 1]
        location = Location(self.result.filename, instruction.line, instruction.column, text)
        return error(
            f"branch to an undefined label '{self._target(instruction)}'",
            location,
            note("labels of an inner block are not visible outside it"),
        )
