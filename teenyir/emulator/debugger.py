"""A debugger in the small: stop before a PTX line, look at registers of lanes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.emulator.errors import LaunchError
from teenyir.emulator.execution.binder import Binder
from teenyir.emulator.syntax.program import Function, Instruction
from teenyir.emulator.types import TYPES, Array, Mask, Operation


@dataclass(frozen=True, slots=True)
class Stop:
    """The state of the running CTA before an instruction."""

    instruction: Instruction
    block: tuple[int, int, int]
    lanes: tuple[int, ...]
    """Linear thread indices of the lanes about to execute it."""
    _binder: Binder

    def register(self, name: str, type: str | None = None) -> Array:
        """A register in all lanes, of shape (lanes,), seen as a PTX type (default: its own)."""
        known = self._binder.function.registers
        if name not in known:
            raise LaunchError(f"no register '{name}' in '{self._binder.function.name}'")
        kind = TYPES[type] if type is not None else known[name]
        return np.array(self._binder.view(self._binder.frame.register(name), kind))

    def value(self, name: str, thread: int | Sequence[int], type: str | None = None) -> Any:
        """A register in one lane, by linear or (x, y, z) thread index."""
        lane = thread if isinstance(thread, int) else self._lane(thread)
        return self.register(name, type)[lane]

    def _lane(self, thread: Sequence[int]) -> int:
        x, y, _ = self._binder.machine.geometry.block
        padded = (*thread, 0, 0)
        return int(padded[0] + x * (padded[1] + y * padded[2]))


def breakpoint_hook(
    breakpoints: Mapping[int, Callable[[Stop], None]], functions: Sequence[Function]
) -> Callable[[Binder, Instruction, Operation], Operation]:
    """A hook that calls a breakpoint's function before each instruction on its line.

    A line without an instruction stands for the next one that has some.
    """
    lines = sorted({i.line for function in functions for i in function.instructions})
    placed: dict[int, Callable[[Stop], None]] = {}
    for line, wanted in breakpoints.items():
        index = bisect_left(lines, line)
        if index == len(lines):
            raise LaunchError(f"no instruction of the kernel at line {line} or after it")
        placed[lines[index]] = wanted

    def hook(b: Binder, i: Instruction, operation: Operation) -> Operation:
        callback = placed.get(i.line)
        if callback is None:
            return operation

        def stopped(mask: Mask) -> None:
            lanes = tuple(b.machine.selected(mask).tolist())
            callback(Stop(i, b.machine.block_index, lanes, b))
            operation(mask)

        return stopped

    return hook
