"""A program as functions of C: the entry, and what a caller must know to call it.

    void NAME(void *const *buffers, const int64_t *dims, void *arena);

`buffers` are the program's arguments and `dims` its named extents, each in order; `arena` is
memory of `NAME_arena_bytes(dims)` bytes, aligned to 64, and not null unless that is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, StringAttr
from xdsl.ir import Operation, Region, SSAValue

from teenyir.dialects import program
from teenyir.dialects.expr import Atom, Expr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.lowering.render.c_function import File, elements, places
from teenyir.lowering.render.c_rows import PRODUCT, SUM, UNARY, Text
from teenyir.lowering.render.c_types import (
    INDEX,
    Names,
    Unprintable,
    c_type,
    comment,
    constant_literal,
    integer_literal,
)
from teenyir.rewriting.base import fail

ALIGNMENT = 64
"""Bytes: where constants start, and what the arena is aligned to."""

WIDEST = 96
"""Characters of a line of numbers."""


def entry_text(func: program.FuncOp, file: File) -> str:
    """The constants of a program, its entry, and the functions that tell sizes.

    Raises PassError before `plan-arena` has run, and for an element type that C lacks.
    """
    return Entry(func, file).text()


def exported_names(name: str) -> tuple[str, ...]:
    """The functions that a program of a name brings with it."""
    return tuple(f"{name}_{what}" for what in _QUESTIONS)


_PARAMETERS = ("buffers", "dims", "arena", "buffer")

_QUESTIONS = ("buffer_count", "dim_count", "buffer_bytes", "arena_bytes")


@dataclass
class Entry:
    """A program in the making; a language of the family that is not C overrides what differs."""

    func: program.FuncOp
    file: File
    lines: list[str] = field(default_factory=list[str])
    globals: list[str] = field(default_factory=list[str])
    values: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    depth: int = 0
    """How many branches and loops are open."""

    def text(self) -> str:
        """All of it. Raises PassError for an element type that there is none for."""
        try:
            return self.print()
        except Unprintable as problem:
            raise fail(self.func, str(problem)) from None

    def print(self) -> str:
        """The comment, the constants, and the functions."""
        self.read()
        return "\n".join([self.comment(), *self.globals, *self.questions(), *self.entry()])

    def read(self) -> None:
        """Go through the program: names, constants, and the statements of the entry."""
        self.symbol = self.file.symbols[self.func.sym_name.data]
        self.names = Names(
            {*self.file.names.taken, *_PARAMETERS},
            self.file.language.reserved,
        )
        self.extents = {name: self.names.new(name) for name in self.func.dims.names}
        for number, (mode, argument) in enumerate(self.func.buffers):
            self.pointer(argument, f"buffers[{number}]", "const " if mode == "in" else "")
        self._statements(self.func.body)

    # --- the parts --------------------------------------------------------------------------------

    def comment(self) -> str:
        """What a caller must know: the buffers and the named extents in order."""
        where = ", ".join(places(self.func))
        name = comment(self.func.sym_name.data)
        lines = [f"/* Program @{name}{f', from {where}' if where else ''}", " *"]
        stated = self.func.attributes.get(program.NAMES)
        known = cast("ArrayAttr[Any]", stated).data if isinstance(stated, ArrayAttr) else ()
        for number, (mode, argument) in enumerate(self.func.buffers):
            named = known[number] if number < len(known) else None
            hint = named.data if isinstance(named, StringAttr) else argument.name_hint or ""
            text = f"buffers[{number}]  {mode:3}  {hint}: {argument.type}"
            lines.append(f" * {comment(text)}")
        for number, dim in enumerate(self.func.dims.data):
            lines.append(f" * dims[{number}]  {comment(str(dim))}")
        lines += [f" * {comment(line)}".rstrip() for line in self.remarks()]
        return "\n".join([*lines, " */"])

    def remarks(self) -> Iterable[str]:
        """Further lines of the comment."""
        return ()

    def signature(self) -> str:
        """The entry's head."""
        return f"void {self.symbol}(void *const *buffers, const int64_t *dims, void *arena)"

    def questions(self) -> list[str]:
        """The functions that tell sizes, after what declares all functions."""
        func, name = self.func, self.symbol
        if func.arena is None:
            raise fail(func, "this program's buffers have no places yet: run plan-arena before")
        sizes = [buffer_type(argument) for _, argument in func.buffers]
        cases = [
            f"        case {number}: return {self.bytes(type)};"
            for number, type in enumerate(sizes)
        ]
        used = frozenset[str]().union(*(type.size.names for type in sizes))
        return [
            f"int64_t {name}_buffer_count(void);",
            f"int64_t {name}_dim_count(void);",
            f"int64_t {name}_buffer_bytes(int64_t buffer, const int64_t *dims);",
            f"int64_t {name}_arena_bytes(const int64_t *dims);",
            f"{self.signature()};",
            "",
            f"int64_t {name}_buffer_count(void) {{ return {len(func.modes)}; }}",
            f"int64_t {name}_dim_count(void) {{ return {len(func.dims.data)}; }}",
            "",
            f"int64_t {name}_buffer_bytes(int64_t buffer, const int64_t *dims) {{",
            *self._read_extents(used),
            "    switch (buffer) {",
            *cases,
            "        default: return 0;",
            "    }",
            "}",
            "",
            f"int64_t {name}_arena_bytes(const int64_t *dims) {{",
            *self._read_extents(func.arena.data.names),
            f"    return {self.expression(func.arena.data).code};",
            "}",
            "",
        ]

    def entry(self) -> list[str]:
        """The entry's definition."""
        used: set[str] = set()
        for op in self.func.body.walk():
            if isinstance(op, program.LaunchOp):
                used.update(op.callee().dims.names)
            elif isinstance(op, program.ViewOp):
                used |= op.offset.data.names | buffer_type(op.target).size.names
            elif isinstance(op, program.AllocOp) and op.offset is not None:
                used.update(op.offset.data.names)
        has_arena = any(isinstance(op, program.AllocOp) for op in self.func.body.block.ops)
        unused = [
            *([] if self.func.modes.data else ["    (void)buffers;"]),
            *([] if has_arena else ["    (void)arena;"]),
        ]
        head = f"{self.signature()} {{"
        return [head, *unused, *self.opening(), *self._read_extents(used), *self.lines, *self.end()]

    def opening(self) -> Iterable[str]:
        """Lines of the entry before all others."""
        return ()

    def end(self) -> Iterable[str]:
        """The last lines of the entry."""
        return ("}\n",)

    def _read_extents(self, used: Iterable[str]) -> list[str]:
        lines = [
            f"    const int64_t {variable} = dims[{number}];"
            for number, (name, variable) in enumerate(self.extents.items())
            if name in set(used)
        ]
        return lines or ["    (void)dims;"]

    def bytes(self, type: BufferType) -> str:
        """The size of a buffer as an expression."""
        return self.expression(type.size * c_type(type.element).bytes).code

    # --- statements -------------------------------------------------------------------------------

    def _statements(self, region: Region) -> None:
        for op in region.block.ops:
            _STATEMENTS[op.__class__](self, op)

    def line(self, code: str) -> None:
        """A statement of the entry."""
        self.lines.append("    " * (self.depth + 1) + code)

    def _inside(self, region: Region) -> None:
        self.depth += 1
        self._statements(region)
        self.depth -= 1

    def pointer(self, value: SSAValue, address: str, constant: str = "") -> None:
        """A variable for a buffer that is at an address."""
        name = self.names.new(value.name_hint or "buffer")
        self.values[value] = name
        type = c_type(buffer_type(value).element).memory
        address = self.converted(address, f"{constant}{type} *")
        self.lines.append(f"    {constant}{type} *const {name} = {address};")
        if value.first_use is None:
            self.lines.append(f"    (void){name};")

    def converted(self, address: str, type: str) -> str:
        """A `void *` as a pointer of a type: in C it becomes one by itself."""
        return address

    def alloc(self, op: program.AllocOp) -> None:
        """A temporary buffer is a place in the arena."""
        if op.offset is None:
            raise fail(op, "this allocation has no place yet: run plan-arena before")
        offset = self.expression(op.offset.data).at(SUM)
        self.pointer(op.result, f"(void *)((unsigned char *)arena + {offset})")

    def constant(self, op: program.ConstantOp) -> None:
        """A constant is a static array; C has none without elements."""
        data = cast("DenseIntOrFPElementsAttr[Any]", op.data)
        literals = [_in_memory(constant_literal(value)) for value in elements(data)]
        size = buffer_type(op.result).size.constant or 0
        if data.is_splat():
            literals = literals * size
        name = self.names.new(op.result.name_hint or "constant")
        name = self.file.names.new(f"{self.symbol}_{name}")
        type = c_type(data.get_element_type()).memory
        head = self.constant_head(type, f"{name}[{max(size, 1)}]")
        self.globals += [f"{head} = {{", *_filled(literals or ["0"]), "};"]
        self.values[op.result] = name

    def constant_head(self, type: str, declared: str) -> str:
        """The declaration of a constant array."""
        return f"static _Alignas({ALIGNMENT}) const {type} {declared}"

    def launch(self, op: program.LaunchOp) -> None:
        """A call of the kernel."""
        callee = op.callee()
        arguments = [self.values[buffer] for buffer in op.buffers]
        arguments += [self.extents[name] for name in callee.dims.names]
        self.line(f"{self.file.symbols[callee.sym_name.data]}({', '.join(arguments)});")

    def view(self, op: program.ViewOp) -> None:
        """Nothing, where the caller has placed the output on what it shows; else a copy."""
        target, source = self.values[op.target], self.values[op.source]
        start = self.expression(op.offset.data).at(SUM)
        size = self.bytes(buffer_type(op.target))
        self.line(f"if ({target} != {source} + {start})")
        self.line(f"    memcpy({target}, {source} + {start}, (size_t)({size}));")

    def branch(self, op: program.IfOp) -> None:
        """An if, by the byte that holds the condition."""
        self.line(f"if ({self.condition(op.condition)}) {{")
        self._inside(op.then)
        if op.otherwise.block.ops:
            self.line("} else {")
            self._inside(op.otherwise)
        self.line("}")

    def loop(self, op: program.WhileOp) -> None:
        """A loop that is left once the condition, computed in each iteration, is false."""
        self.line("for (;;) {")
        self._inside(op.cond)
        self.depth += 1
        self.line(f"if (!{self.condition(op.condition)}) break;")
        self.depth -= 1
        self._inside(op.body)
        self.line("}")

    def condition(self, buffer: SSAValue) -> str:
        """Whether a buffer of one bool holds true."""
        return f"*{self.values[buffer]}"

    # --- expressions ------------------------------------------------------------------------------

    def expression(self, expr: Expr) -> Text:
        """An expression over the program's extents."""
        total: Text | None = None
        for monomial, coefficient in expr.terms:
            factors = [self._atom(atom).at(UNARY) for atom in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.append(integer_literal(abs(coefficient), INDEX))
            term = Text(" * ".join(factors), PRODUCT)
            if total is None:
                total = term if coefficient > 0 else Text(f"-{term.code}", PRODUCT)
            else:
                sign = "+" if coefficient > 0 else "-"
                total = Text(f"{total.code} {sign} {term.code}", SUM)
        return Text("0") if total is None else total

    def _atom(self, atom: Atom) -> Text:
        if isinstance(atom, str):
            return Text(self.extents[atom])
        helper = self.file.helpers.need(_ATOMS[atom.kind], "index")
        first, *others = (self.expression(arg).code for arg in atom.args)
        for other in others:
            first = f"{helper}({first}, {other})"
        return Text(first)


_ATOMS: dict[str, str] = {"floordiv": "floordivsi", "mod": "mod", "min": "minsi", "max": "maxsi"}

_STATEMENTS: dict[type[Operation], Callable[[Entry, Any], None]] = {
    program.AllocOp: lambda entry, op: entry.alloc(op),
    program.ConstantOp: lambda entry, op: entry.constant(op),
    program.LaunchOp: lambda entry, op: entry.launch(op),
    program.ViewOp: lambda entry, op: entry.view(op),
    program.IfOp: lambda entry, op: entry.branch(op),
    program.WhileOp: lambda entry, op: entry.loop(op),
}


def buffer_type(value: SSAValue) -> BufferType:
    """The type of a buffer of a program."""
    assert isinstance(value.type, BufferType)  # the verifier has seen to it
    return value.type


def _in_memory(code: str) -> str:
    """A bool's literal as a byte."""
    return {"true": "1", "false": "0"}.get(code, code)


def _filled(literals: Sequence[str]) -> list[str]:
    """Numbers on lines of about one width."""
    lines, line = list[str](), "   "
    for code in literals:
        if len(line) + len(code) > WIDEST:
            lines.append(line)
            line = "   "
        line += f" {code},"
    return [*lines, line]
