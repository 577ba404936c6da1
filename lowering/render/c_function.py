"""One kernel as a function of C: names, lines, and which values are variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IndexType,
    IntegerAttr,
    IntegerType,
    NameLoc,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.analysis.places import fused_members
from teenyir.dialects import uop
from teenyir.dialects.lanes import element, lanes
from teenyir.lowering.render.c_helpers import NAMES, Helpers
from teenyir.lowering.render.c_language import Language
from teenyir.lowering.render.c_rows import Operands, Row, Text, literal
from teenyir.lowering.render.c_types import (
    Names,
    Unprintable,
    c_type,
    comment,
    constant_literal,
)
from teenyir.rewriting.base import fail

LONGEST_INLINE = 64
"""Characters of an expression that is written where it is used; a longer one gets a variable."""

MOST_PLACES = 4
"""Places of the source that a comment names."""

LANE = "lane"
"""The variable of loops over the lanes of a vector."""


@dataclass
class File:
    """What the functions of a file share."""

    language: Language
    symbols: dict[str, str] = field(default_factory=dict[str, str])
    """The names in the file of the functions of the module."""

    def __post_init__(self) -> None:
        language = self.language
        self.helpers = Helpers(language.inline, language.inline_index, language.helpers)
        self.names = Names({*NAMES, LANE}, language.reserved)


@dataclass
class FunctionText:
    """The text of one kernel."""

    file: File
    texts: dict[SSAValue, Text] = field(default_factory=dict[SSAValue, Text])
    """Each value as an expression: its variable, a literal, or what computes it."""
    constants: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The integers that values are known to be, on every lane."""
    splats: set[SSAValue] = field(default_factory=set[SSAValue])
    """Vectors whose text is that of every lane."""
    read_only: set[SSAValue] = field(default_factory=set[SSAValue])
    """Pointers that nothing is stored through: when a load of them happens makes no difference."""
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1

    def __post_init__(self) -> None:
        self.names = Names(self.file.names.taken, self.file.language.reserved)

    def print(self, func: uop.FuncOp, private: bool) -> str:
        """The function's definition, with a comment before it; the file alone calls a private
        one."""
        parameters = [self._parameter(mode, value) for mode, value in func.buffers]
        self.read_only = {value for mode, value in func.buffers if mode == "in"}
        for name, value in func.extents.items():
            parameters.append(f"int64_t {self.name(value, name)}")
        for argument in func.body.block.args:
            self.expect_use(argument)
        self.block(func.body.block)
        name = func.sym_name.data
        found = ", ".join(places(func))
        language = self.file.language
        head = language.kernel(func, private)
        origin = f"{f', from {found}' if found else ''}{language.note(func)}"
        return "\n".join(
            [
                f"/* Kernel @{comment(name)}{origin} */",
                f"{head} {self.file.symbols[name]}({', '.join(parameters) or 'void'}) {{",
                *self.lines,
                "}\n",
            ]
        )

    def _parameter(self, mode: str, value: SSAValue) -> str:
        assert isinstance(value.type, uop.PtrType)
        constant = "const " if mode == "in" else ""
        type, restrict = c_type(value.type.element).memory, self.file.language.restrict
        return f"{constant}{type} *{restrict} {self.name(value)}"

    # --- names and lines --------------------------------------------------------------------------

    def name(self, value: SSAValue, otherwise: str | None = None) -> str:
        """A new variable for a value, named as it is or `otherwise`."""
        plain = "at" if isinstance(value.type, IndexType) else "v"
        name = self.names.new(value.name_hint or otherwise or plain)
        self.texts[value] = Text(name)
        return name

    def line(self, text: str, op: Operation | None = None) -> None:
        """A line of the function; with `op`, the place that it comes from behind it."""
        place = list(places(op))[:1] if op is not None else []
        note = f"  // {place[0]}" if place else ""
        self.lines.append(f"{'    ' * self.depth}{text}{note}")

    def expect_use(self, value: SSAValue) -> None:
        """Tell the compiler of C that a variable which nothing reads is no mistake."""
        if value.first_use is None:
            self.line(f"(void){self.texts[value].code};")

    def declare(self, value: SSAValue, otherwise: str | None = None) -> str:
        """The declaration of a variable that is assigned later, without the semicolon."""
        type = c_type(value.type).value
        count = lanes(value.type)
        return f"{type} {self.name(value, otherwise)}" + ("" if count is None else f"[{count}]")

    def define(self, value: SSAValue, text: Text, otherwise: str | None = None) -> None:
        """A variable with its value; of a vector, the text of a lane."""
        if lanes(value.type) is None:
            self.line(f"const {self.declare(value, otherwise)} = {text.code};")
        else:
            self.line(f"{self.declare(value, otherwise)};")
            self.assign(value, text)
        self.expect_use(value)

    def assign(self, variable: SSAValue, text: Text) -> None:
        """Set a variable; of a vector, each lane to the text of a lane."""
        name = self.texts[variable].code
        if (count := lanes(variable.type)) is None:
            self.line(f"{name} = {text.code};")
        else:
            self.over_lanes(count, f"{name}[{LANE}] = {text.code};")

    def over_lanes(self, count: int, statement: str) -> None:
        """A statement for each lane."""
        self.line(f"for (int {LANE} = 0; {LANE} < {count}; ++{LANE}) {statement}")

    # --- values -----------------------------------------------------------------------------------

    def scalar(self, value: SSAValue) -> Text:
        """A value as an expression; a vector's, as its element at the current lane."""
        return self.texts[value] if lanes(value.type) is None else self.lane(value, LANE)

    def lane(self, value: SSAValue, at: str | int) -> Text:
        """An element of a vector."""
        text = self.texts[value]
        return text if value in self.splats else Text(f"{text.code}[{at}]")

    def operands(self, op: Operation) -> Operands:
        """The operands of an op as its row sees them."""
        texts = tuple(map(self.scalar, op.operands))
        return Operands(op, texts, self.file.helpers, self.constants)

    # --- ops --------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Print the ops of a block, but for its terminator."""
        for op in block.ops:
            if not isinstance(op, scf.YieldOp):
                self.op(op)

    def nested(self, block: Block) -> None:
        """Print the ops of a block one level deeper."""
        self.depth += 1
        self.block(block)
        self.depth -= 1

    def op(self, op: Operation) -> None:
        """Print an op. Raises PassError where the language has no form for it."""
        language = self.file.language
        try:
            if (row := language.rows.get(op.__class__)) is not None:
                self._expression(op, row)
            elif (statement := language.statements.get(op.__class__)) is not None:
                statement(self, op)
            else:
                raise Unprintable(f"{language.name} has no row for {op.name}")
        except Unprintable as problem:
            raise fail(op, str(problem)) from None

    def _expression(self, op: Operation, row: Row) -> None:
        (result,) = op.results
        self.inline_or_define(result, row(self.operands(op)))

    def inline_or_define(self, value: SSAValue, text: Text, otherwise: str | None = None) -> None:
        """Keep an expression for where its value is used, or make it a variable."""
        if len(text.code) <= LONGEST_INLINE and is_inline(value):
            self.texts[value] = text
        else:
            self.define(value, text, otherwise)

    def constant(self, op: arith.ConstantOp) -> None:
        """A constant is a literal where it is used; a vector of unlike numbers is a variable."""
        value, result = op.value, op.result
        if isinstance(value, IntegerAttr):
            self.constants[result] = cast("IntegerAttr[Any]", value).value.data
        if not isinstance(value, DenseIntOrFPElementsAttr):
            self.texts[result] = literal(constant_literal(value))
            return
        dense = cast("DenseIntOrFPElementsAttr[Any]", value)
        literals = [constant_literal(attribute) for attribute in elements(dense)]
        if dense.is_splat():
            self.texts[result] = literal(literals[0])
            self.splats.add(result)
            if is_integer(result.type):
                self.constants[result] = int(dense.get_values()[0])
            return
        self.line(f"const {self.declare(result)} = {{{', '.join(literals)}}};")
        self.expect_use(result)


_SCALARS = {True: IntegerAttr, False: FloatAttr}


def elements(dense: DenseIntOrFPElementsAttr[Any]) -> Iterator[Attribute]:
    """The elements of a dense constant as scalar constants; one if all are alike."""
    scalar = dense.get_element_type()
    build = cast(Callable[[Any, Attribute], Attribute], _SCALARS[is_integer(scalar)])
    for number in dense.get_values()[: 1 if dense.is_splat() else None]:
        yield build(number, scalar)


def is_integer(type: Attribute) -> bool:
    """Whether a value, or each element of it, is an integer."""
    return isinstance(element(type), IntegerType | IndexType)


def is_inline(value: SSAValue) -> bool:
    """Whether an expression is written where its value is used.

    Not where it has a name or several uses, or where it would be computed more often than once.
    """
    use = value.get_user_of_unique_use()
    if use is None or value.name_hint is not None or lanes(value.type) is not None:
        return False
    if not isinstance(value.owner, Operation) or use.parent is not value.owner.parent:
        return False
    if any(lanes(v.type) is not None for v in (*use.operands, *use.results)):
        return False
    if isinstance(use, scf.YieldOp):  # what one value yields must not change what another reads
        return len(use.operands) == 1
    return not isinstance(use, scf.ForOp) or value not in (use.ub, use.step)


# --- places ---------------------------------------------------------------------------------------


def places(op: Operation) -> list[str]:
    """Where an op comes from, `model.py:12`, each place once, the first few."""
    found = dict.fromkeys(_places(op.location))
    return list(found)[:MOST_PLACES]


def _places(location: Attribute) -> Iterator[str]:
    match location:
        case FileLineColLoc():
            file = PurePath(location.filename.data).name
            yield comment(f"{file}:{location.line.data}")
        case NameLoc():
            yield from _places(location.location)
        case CallSiteLoc():
            yield from _places(location.caller)
        case FusedLoc():
            for member in fused_members(location):
                yield from _places(member)
        case _:
            pass
