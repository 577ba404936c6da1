"""Functions to blocks of bound instructions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NoReturn, TypeAlias, TypeVar

from teenyir.diagnostics import Diagnostic
from teenyir.emulator.errors import UnsupportedError
from teenyir.emulator.execution.binder import Binder
from teenyir.emulator.execution.image import Image
from teenyir.emulator.execution.machine import Block, Gate, Terminator
from teenyir.emulator.instructions import barriers
from teenyir.emulator.instructions.calls import BUILTINS, call_terminator
from teenyir.emulator.instructions.control import TERMINATORS
from teenyir.emulator.instructions.modifiers import complaint
from teenyir.emulator.instructions.table import builder_of, lookup_name
from teenyir.emulator.instructions.warp import member_operand, warp_gate
from teenyir.emulator.syntax.program import Function, Instruction, Symbol
from teenyir.emulator.types import TYPES, Array, Mask, Operation

Hook: TypeAlias = Callable[[Binder, Instruction, Operation], Operation]
"""Wraps an operation, for the debugger."""


class BlockBuilder:
    """Makes the blocks of every function that a kernel reaches."""

    def __init__(self, image: Image, hook: Hook | None = None) -> None:
        self.image, self.machine, self.hook = image, image.machine, hook
        self.refused: list[Diagnostic] = []

    def build(self) -> int:
        """Bind every reachable function; the block at which the kernel starts."""
        pending: list[tuple[Function, list[tuple[int, int]], int]] = []
        count = 0
        for function in self.image.functions:
            spans = _cut(function)
            self.image.entries[function.name] = count
            pending.append((function, spans, count))
            count += len(spans)
        for function, spans, first in pending:
            self._build_function(function, spans, first)
        return self.image.entries[self.image.kernel.name]

    def _build_function(self, function: Function, spans: list[tuple[int, int]], first: int) -> None:
        binder = Binder(self.machine, self.image, self.image.frame(function.name))
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
        if not ends_block(i, self.image.program.functions):
            return None

        def build(binder: Binder, instruction: Instruction) -> Terminator:
            if barriers.is_barrier(i):
                return barriers.terminator(binder, instruction, following)
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
    return i.opcode in TERMINATORS or barriers.is_barrier(i)


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
        if i.opcode in TERMINATORS or i.opcode == "call" or barriers.is_barrier(i):
            leaders.add(index + 1)
        if needs_gate(i):
            leaders.add(index)
    ordered = sorted(leaders)
    return [*pairwise(ordered), (len(code), len(code))]
