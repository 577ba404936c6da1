"""Binding: an instruction's operands to numpy arrays, once a launch, for all lanes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

import numpy as np

from teenyir.diagnostics import error
from teenyir.emulator.errors import UnsupportedError, at_instruction, notes_of
from teenyir.emulator.execution.frame import Frame
from teenyir.emulator.execution.image import Image
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.syntax.program import (
    Immediate,
    Instruction,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Vector,
)
from teenyir.emulator.types import TYPES, Array, Compute, Mask, Operation, ScalarType, unsigned

Builder: TypeAlias = "Callable[[Binder, Instruction], Operation]"
"""Turns an instruction into an operation on bound arrays."""


def described(operand: Operand) -> str:
    """An operand for a message."""
    if isinstance(operand, Special):
        return f"'{operand.name}', which is no declared register,"
    name = getattr(operand, "name", getattr(operand, "value", ""))
    return f"{type(operand).__name__.lower()} {name}".rstrip()


class Binder:
    """Binds the instructions of one function."""

    def __init__(self, machine: Machine, image: Image, frame: Frame) -> None:
        self.machine, self.image, self.frame = machine, image, frame
        self.function = frame.function
        self.lanes = machine.lanes
        self.checked = machine.checker is not None

    def fail(self, instruction: Instruction, message: str) -> NoReturn:
        """Raise an `UnsupportedError` at an instruction."""
        location = at_instruction(self.machine.program, instruction)
        raise UnsupportedError(error(message, location, *notes_of(instruction)))

    # Types

    def type(self, instruction: Instruction, index: int = -1) -> ScalarType:
        """The `index`-th type among the modifiers (default: the last)."""
        names = [m for m in instruction.modifiers if m in TYPES]
        if not names:
            self.fail(instruction, f"'{instruction.name}' has no type")
        return TYPES[names[index]]

    def types(self, instruction: Instruction) -> list[ScalarType]:
        """All types among the modifiers, in order."""
        return [TYPES[m] for m in instruction.modifiers if m in TYPES]

    # Operands

    def source(self, operand: Operand, kind: ScalarType) -> Array:
        """An operand as an array of shape (lanes,), or (lanes, n) for packed types."""
        if isinstance(operand, Register):
            return self.view(self.frame.register(operand.name), kind)
        if isinstance(operand, Immediate):
            return self.constant(operand, kind)
        if isinstance(operand, Special):
            return self._fit(self.image.special(operand.name), kind)
        if isinstance(operand, Symbol):
            address = self.image.address(self.function, operand)
            return np.full(self.lanes, address, np.uint64).astype(kind.dtype)
        raise TypeError(f"{described(operand)} is no source")

    def view(self, array: Array, kind: ScalarType) -> Array:
        """Raw bits seen as a type; of a wider register the low bits."""
        if kind.kind == "p":
            if array.dtype != np.bool_:
                raise TypeError("a predicate is needed, not a register of bits")
            return array
        if array.ndim == 2:
            return array if kind.bits == 128 else array[:, 0].view(kind.dtype)
        if array.dtype == np.bool_ or array.itemsize * 8 < kind.bits:
            held = (
                "predicate" if array.dtype == np.bool_ else f"register of {array.itemsize * 8} bits"
            )
            raise TypeError(f"a {held} cannot hold .{kind.name}")
        if array.itemsize * 8 == kind.bits and kind.elements == 1:
            return array.view(kind.dtype)
        parts = array.view(kind.dtype).reshape(len(array), -1)
        return parts[:, 0] if kind.elements == 1 else parts[:, : kind.elements]

    def _fit(self, array: Array, kind: ScalarType) -> Array:
        """A special register in another width; it may change from CTA to CTA."""
        if kind.kind == "p" or array.itemsize * 8 >= kind.bits:
            return self.view(array, kind)
        wide = np.zeros(array.shape, unsigned(kind.bits))
        self.machine.on_start.append(lambda: np.copyto(wide, array))
        return wide.view(kind.dtype)

    def constant(self, operand: Immediate, kind: ScalarType) -> Array:
        """A literal in all lanes."""
        if kind.kind == "p":
            return np.full(self.lanes, bool(operand.value))
        if kind.bits == 128:
            low, high = operand.value & (2**64 - 1), operand.value >> 64 & (2**64 - 1)
            return np.tile(np.array([low, high], np.uint64), (self.lanes, 1))
        bits = self._literal_bits(operand, kind)
        storage = unsigned(kind.bits)
        array = np.full(self.lanes, bits & (2 ** (storage.itemsize * 8) - 1), storage)
        return self.view(array, kind)

    def _literal_bits(self, operand: Immediate, kind: ScalarType) -> int:
        if not operand.float_bits or operand.float_bits == kind.bits:
            return operand.value
        source = np.array(operand.value, unsigned(operand.float_bits))
        value = source.view(TYPES[f"f{operand.float_bits}"].dtype)
        if not kind.is_float or kind.elements > 1:
            return operand.value
        return int(value.astype(kind.dtype).view(unsigned(kind.bits)))

    def predicate(self, operand: Operand) -> Callable[[], Array]:
        """A predicate operand, with its negation."""
        array = self.source(operand, TYPES["pred"])
        if isinstance(operand, Register) and operand.negated:
            return lambda: ~array
        return lambda: array

    def dest(self, operand: Operand, kind: ScalarType) -> Array:
        """Where a result goes; integers in wider registers are extended."""
        if isinstance(operand, Sink):
            return self.scratch(kind)
        if not isinstance(operand, Register):
            raise TypeError(f"{described(operand)} is no destination")
        array = self.frame.register(operand.name)
        wider = array.ndim == 1 and array.itemsize * 8 > kind.bits and kind.elements == 1
        if kind.kind in "usb" and wider:
            signed = array.dtype.name.removeprefix("u")
            return array.view(signed) if kind.kind == "s" else array
        return self.view(array, kind)

    def scratch(self, kind: ScalarType) -> Array:
        """An array that nobody reads."""
        shape = (self.lanes,) if kind.elements == 1 else (self.lanes, kind.elements)
        return np.zeros(shape, kind.dtype)

    def pair(self, operand: Operand) -> tuple[Operand, Operand | None]:
        """`d|p` as (d, p); a lone `d` as (d, None)."""
        if isinstance(operand, Pair):
            return operand.first, operand.second
        return operand, None

    def items(self, operand: Operand) -> tuple[Operand, ...]:
        """The elements of a vector operand; a scalar is a vector of one."""
        return operand.items if isinstance(operand, Vector) else (operand,)

    # Operations

    def apply(self, function: Compute, dest: Array, sources: list[Array]) -> Operation:
        """`dest = function(*sources)` for the lanes of the mask."""
        check_arity(function, len(sources))
        packed = dest.ndim == 2
        compute: Any = function
        if isinstance(function, np.ufunc) and not packed:
            same = all(s.dtype == dest.dtype for s in sources)
            if same and len(sources) == 2 and dest.dtype.kind != "V":
                return _binary(function, dest, sources[0], sources[1])

        def operation(mask: Mask) -> None:
            where = mask[:, None] if packed and not isinstance(mask, bool) else mask
            np.copyto(dest, compute(*sources), where=where, casting="unsafe")

        return operation

    def guard_mask(self, instruction: Instruction) -> Callable[[Mask], Mask]:
        """Which lanes of a mask the instruction's guard lets execute it."""
        guard = instruction.guard
        if guard is None:
            return lambda mask: mask
        predicate = self.frame.register(guard.name)
        negated = guard.negated

        def run(mask: Mask) -> Mask:
            active = ~predicate if negated else predicate
            return active.copy() if mask is True else active & mask

        return run

    def guarded(self, operation: Operation, guard: Register) -> Operation:
        """The operation under `@p` or `@!p`."""
        predicate = self.frame.register(guard.name)
        negated, lanes = guard.negated, self.lanes

        def run(mask: Mask) -> None:
            active = ~predicate if negated else predicate
            if mask is not True:
                active = active & mask
            count = np.count_nonzero(active)
            if count == lanes:
                operation(True)
            elif count:
                operation(active)

        return run


def check_arity(function: Any, count: int) -> None:
    """Raise `TypeError` if a function does not take so many arrays."""
    if isinstance(function, np.ufunc):
        takes = function.nin
    else:
        code = function.__code__
        takes = count if code.co_flags & inspect.CO_VARARGS else code.co_argcount
    if takes != count:
        raise TypeError(f"it takes {takes} sources, not {count}")


def _binary(function: Any, dest: Array, left: Array, right: Array) -> Operation:
    def operation(mask: Mask) -> None:
        function(left, right, out=dest, where=mask)

    return operation
