"""A kernel made ready to run: symbols placed, functions cut into blocks, instructions bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn, TypeVar

import numpy as np

from teenyir.diagnostics import Diagnostic
from teenyir.emulator.errors import UnsupportedError
from teenyir.emulator.execution.binder import Binder, Frame
from teenyir.emulator.execution.callgraph import function_addresses, is_recursive, reachable
from teenyir.emulator.execution.machine import Block, Gate, Machine, Terminator
from teenyir.emulator.execution.memory import SHARED_BASE
from teenyir.emulator.execution.special import dynamic_specials, static_specials
from teenyir.emulator.instructions import barriers as barrier_module
from teenyir.emulator.instructions.barriers import Barriers
from teenyir.emulator.instructions.calls import BUILTINS, CallSite, call_terminator
from teenyir.emulator.instructions.control import TERMINATORS
from teenyir.emulator.instructions.copies import AsyncCopies
from teenyir.emulator.instructions.modifiers import complaint
from teenyir.emulator.instructions.stack import DYNAMIC_BYTES
from teenyir.emulator.instructions.table import builder_of, lookup_name
from teenyir.emulator.instructions.textures import Handles
from teenyir.emulator.instructions.warp import member_operand, warp_gate
from teenyir.emulator.syntax.program import Function, Instruction, Symbol
from teenyir.emulator.types import TYPES, Array, Mask, Operation

Hook = Callable[[Binder, Instruction, Operation], Operation]
"""Wraps an operation, for the debugger."""


@dataclass(slots=True)
class Layout:
    """Where a function's local and parameter variables lie in its frame."""

    offsets: dict[str, int] = field(default_factory=dict[str, int])
    size: int = 0


class Image:
    """Everything that the binder asks about the program; and the blocks it makes."""

    def __init__(
        self,
        machine: Machine,
        kernel: Function,
        addresses: dict[str, int],
        parameters: dict[str, int],
        handles: Handles,
        hook: Hook | None = None,
    ) -> None:
        self.machine, self.kernel = machine, kernel
        self.program = machine.program
        self.addresses, self.parameters, self.hook = addresses, parameters, hook
        self.wide = self.program.address_size == 64
        self.barriers = Barriers(machine)
        self.copies = AsyncCopies(machine)
        self.handles = handles
        self.sites: list[CallSite] = []
        self.refused: list[Diagnostic] = []
        self.functions = reachable(self.program, kernel)
        self.layouts = {f.name: _layout(f) for f in self.functions}
        self.entries: dict[str, int] = {}
        self.function_addresses = function_addresses(self.program)
        self._frames = {f.name: Frame(f, machine.lanes) for f in self.functions}
        self._static = static_specials(machine)
        self._dynamic = dynamic_specials(machine)
        self._constants = [
            (addresses[v.name], addresses[v.name] + v.bytes)
            for v in self.program.variables.values()
            if v.space == "const" and v.name in addresses
        ]
        machine.on_start.append(self._clear_registers)

    def _clear_registers(self) -> None:
        for frame in self._frames.values():
            for array in frame.arrays.values():
                array.fill(0)

    # Symbols

    def frame(self, name: str) -> Frame:
        """The registers of a function."""
        return self._frames[name]

    def address(self, function: Function, symbol: Symbol) -> int:
        """The address of a symbol in its own space (shared: an offset in the window)."""
        found = self.addresses.get(f"{function.name}::{symbol.name}")
        if found is None and function.entry:
            found = self.parameters.get(symbol.name)
        if found is None:
            name = self.program.aliases.get(symbol.name, symbol.name)
            found = self.addresses.get(name, self.function_addresses.get(name))
        if found is None:
            raise KeyError(symbol.name)
        return found + symbol.offset

    def frame_offset(self, function: Function, symbol: Symbol) -> int | None:
        """The offset in the frame of a local variable or a device function's parameter."""
        offset = self.layouts[function.name].offsets.get(symbol.name)
        return None if offset is None else offset + symbol.offset

    def space_base(self, space: str) -> int | None:
        """What `cvta` adds to an address of a space; None for nothing."""
        return SHARED_BASE if space == "shared" else None

    def special(self, name: str) -> Array:
        """A special register that does not change while a CTA runs."""
        return self._static[name]

    def dynamic_special(self, name: str) -> Callable[[Mask], Array] | None:
        """A special register that is read anew each time."""
        return self._dynamic.get(name)

    def is_constant(self, addresses: Array) -> Array:
        """Which addresses lie in constant variables."""
        inside = np.zeros(addresses.shape, np.bool_)
        for low, high in self._constants:
            inside |= (addresses >= low) & (addresses < high)
        return inside

    @property
    def stack_bytes(self) -> int:
        """Bytes of local memory a lane needs: every frame once, more where calls recurse."""
        total = sum(layout.size for layout in self.layouts.values())
        recursive = any(is_recursive(self.program.functions, f) for f in self.functions)
        dynamic = any(i.opcode == "alloca" for f in self.functions for i in f.instructions)
        static = -(-max(total * (64 if recursive else 1), 16) // 16) * 16
        return static + (DYNAMIC_BYTES if dynamic else 0)

    # Blocks

    def build(self) -> int:
        """Bind every reachable function; the block at which the kernel starts."""
        pending: list[tuple[Function, list[tuple[int, int]], int]] = []
        count = 0
        for function in self.functions:
            spans = _cut(function)
            self.entries[function.name] = count
            pending.append((function, spans, count))
            count += len(spans)
        for function, spans, first in pending:
            self._build_function(function, spans, first)
        return self.entries[self.kernel.name]

    def _build_function(self, function: Function, spans: list[tuple[int, int]], first: int) -> None:
        binder = Binder(self.machine, self, self.frame(function.name))
        starts = {start: first + index for index, (start, _) in enumerate(spans)}
        labels = {name: starts[at] for name, at in function.labels.items()}
        for start, end in spans:
            body = function.instructions[start:end]
            block = Block(starts[start], body)
            following = starts.get(end, -1)
            last = body[-1] if body else None
            terminator: Terminator | None = None
            if last is not None:
                terminator = self._terminator(binder, last, labels, following)
            else:  # the end of the body stands for a `ret`
                terminator = TERMINATORS["ret"](binder, _RETURN, labels, following)
            if terminator is None:
                terminator = _fall_through(following)
            else:
                body = body[:-1]
            block.operations = [self._bind(binder, i) for i in body]
            if self.hook is not None and len(body) < len(block.instructions):
                block.operations.append(self.hook(binder, block.instructions[-1], _nothing))
            block.terminator = terminator
            if block.instructions:
                block.gate = self._gate(binder, block)
            self.machine.blocks.append(block)

    def _gate(self, b: Binder, block: Block) -> Gate | None:
        first = block.instructions[0]
        if not needs_gate(first):
            return None
        operand = member_operand(first)
        members: Array | None = None
        if operand is not None:
            try:
                members = _attempt(lambda binder, i: binder.source(operand, TYPES["u32"]), b, first)
            except UnsupportedError:
                return None  # the instruction itself refuses with the same words
        return warp_gate(self.machine, block.index, members)

    def _terminator(
        self, b: Binder, i: Instruction, labels: dict[str, int], following: int
    ) -> Terminator | None:
        if not ends_block(i, self.program.functions):
            return None

        def build(binder: Binder, instruction: Instruction) -> Terminator:
            if barrier_module.is_barrier(i):
                return barrier_module.terminator(binder, instruction, following)
            if i.opcode == "call":
                return call_terminator(binder, instruction, following)
            return TERMINATORS[i.opcode](binder, instruction, labels, following)

        try:
            return _attempt(build, b, i)
        except UnsupportedError as caught:
            self.refused += caught.diagnostics
            return _refusing(caught)

    def _bind(self, b: Binder, i: Instruction) -> Operation:
        try:
            operation = self._operation(b, i)
        except UnsupportedError as caught:
            self.refused += caught.diagnostics
            operation = _refusing(caught)
        if i.guard is not None:
            operation = b.guarded(operation, i.guard)
        return operation if self.hook is None else self.hook(b, i, operation)

    def _operation(self, b: Binder, i: Instruction) -> Operation:
        if i.opcode == "call":
            return _attempt(BUILTINS[_callee(i)], b, i)
        builder = builder_of(i)
        if builder is None:
            known = lookup_name(i) is not None
            what = "is not supported" if known else "is not an instruction of PTX 9.0"
            b.fail(i, f"'{i.name}' {what}")
        return _attempt(builder, b, i)


_RETURN = Instruction("ret", (), (), None, 0, 0)

Bound = TypeVar("Bound")


def _attempt(build: Callable[[Binder, Instruction], Bound], b: Binder, i: Instruction) -> Bound:
    """Build, and turn what a builder cannot take into a diagnostic at the instruction."""
    name = lookup_name(i)
    wrong = None if name is None else complaint(b.function, name, i)
    if wrong is not None:
        b.fail(i, wrong)
    try:
        return build(b, i)
    except KeyError as missing:
        b.fail(i, f"unknown name {missing} in '{i.name}'")
    except TypeError as caught:
        b.fail(i, f"this form of '{i.name}' is not supported: {caught}")
    except (IndexError, StopIteration, ValueError, AssertionError):
        b.fail(i, f"this form of '{i.name}' is not supported")


def _refusing(caught: UnsupportedError) -> Callable[[Mask], NoReturn]:
    """An operation or terminator that says so when it is about to run."""

    def refuse(mask: Mask) -> NoReturn:
        raise caught

    return refuse


def _nothing(mask: Mask) -> None:
    """Stands for an instruction that ends a block, for the hook."""


def _fall_through(following: int) -> Terminator:
    return lambda mask: following


def _callee(i: Instruction) -> str:
    for operand in i.operands:
        if isinstance(operand, Symbol):
            return operand.name
    return ""


def ends_block(i: Instruction, functions: dict[str, Function]) -> bool:
    """Whether control may go elsewhere after an instruction."""
    if i.opcode == "call":
        name = _callee(i)
        function = functions.get(name)
        return not (name in BUILTINS and (function is None or not function.defined))
    return i.opcode in TERMINATORS or barrier_module.is_barrier(i)


_COLLECTIVE = ("mma", "wmma", "ldmatrix", "stmatrix", "movmatrix", "elect")


def needs_gate(i: Instruction) -> bool:
    """Whether lanes of a warp must come to an instruction together."""
    if i.opcode in _COLLECTIVE:
        return True
    if i.opcode == "bar":
        return "warp" in i.modifiers
    return "sync" in i.modifiers and i.opcode in ("shfl", "vote", "match", "redux")


def _cut(function: Function) -> list[tuple[int, int]]:
    """Basic blocks as ranges of instructions; an empty one at the end catches the fall-through."""
    code = function.instructions
    leaders = {0, len(code), *function.labels.values()}
    for index, i in enumerate(code):
        if i.opcode in TERMINATORS or i.opcode == "call" or barrier_module.is_barrier(i):
            leaders.add(index + 1)
        if needs_gate(i):
            leaders.add(index)
    ordered = sorted(leaders)
    return [*pairwise(ordered), (len(code), len(code))]


def _layout(function: Function) -> Layout:
    layout = Layout()
    variables = list(function.variables.items())
    for name, variable in variables:
        formal = any(p.name == name for p in (*function.parameters, *function.results))
        if variable.space == "local" or (
            variable.space == "param" and not (formal and function.entry)
        ):
            align = max(variable.align, 1)
            layout.size = -(-layout.size // align) * align
            layout.offsets[name] = layout.size
            layout.size += max(variable.bytes, variable.type.bytes)
    layout.size = -(-layout.size // 16) * 16
    return layout
