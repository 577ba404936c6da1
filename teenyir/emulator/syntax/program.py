"""The program as parsed: modules, functions, variables, instructions and their operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from teenyir.emulator.types import ScalarType


@dataclass(frozen=True, slots=True)
class Register:
    """A register by its unique name (inner scopes are renamed); `negated` for `!p`.

    `selector` is the part that a video instruction takes, such as `b0`, `h1` or `b3210`.
    """

    name: str
    negated: bool = False
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Special:
    """A special register with its component, such as `%tid.x`."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A literal: an integer, or the bits of a float of the given width (`0f…` 32, `0d…` 64)."""

    value: int
    float_bits: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, function or label, plus a byte offset."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`."""

    base: Register | Symbol | Immediate
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b}`: a vector of registers, or a list of labels."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: two destinations."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Group:
    """`(a, b)`: the arguments or results of a call, or the coordinates inside an address."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a result that is thrown away."""


Operand: TypeAlias = (
    Register | Special | Immediate | Symbol | Address | Vector | Pair | Group | Sink
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where `.loc` says an instruction came from."""

    file: str
    line: int
    column: int
    inlined_at: SourceLine | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        return place if self.inlined_at is None else f"{place}, inlined at {self.inlined_at}"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: `opcode` before the first dot, `modifiers` after it without dots."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Register | None
    line: int
    column: int
    source: SourceLine | None = None

    @property
    def name(self) -> str:
        """The opcode with all its modifiers."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Initialiser:
    """One element of an initialised variable: a number, or the address of a symbol."""

    value: int | float | None = None
    symbol: str | None = None
    offset: int = 0
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a state space; `count` elements of `type`, or None for `[]` (`extern`)."""

    name: str
    space: str
    type: ScalarType
    count: int | None
    align: int
    line: int
    initial: tuple[Initialiser, ...] = ()
    extern: bool = False

    @property
    def bytes(self) -> int:
        """Its size; 0 where the extent is left open."""
        return self.type.bytes * (self.count or 0)


@dataclass(slots=True)
class Function:
    """An entry or a device function; without `instructions` it was only declared."""

    name: str
    entry: bool
    line: int
    parameters: list[Variable] = field(default_factory=list[Variable])
    results: list[Variable] = field(default_factory=list[Variable])
    registers: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    defined: bool = False


@dataclass(slots=True)
class Program:
    """A parsed module."""

    text: str
    filename: str
    version: tuple[int, int] = (0, 0)
    target: tuple[str, ...] = ()
    address_size: int = 32
    """Bits of an address; what the ISA assumes where a module says nothing."""
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def entries(self) -> list[str]:
        """Names of the kernels."""
        return [name for name, function in self.functions.items() if function.entry]
