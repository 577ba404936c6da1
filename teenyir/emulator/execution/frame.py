"""What a function keeps for each lane: its registers, and its variables in local memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from teenyir.emulator.syntax.program import Function
from teenyir.emulator.types import Array, unsigned

DYNAMIC_BYTES = 16 * 1024
"""Bytes of a lane's stack for `alloca`, where a module uses it."""


class Frame:
    """Registers of a function: name -> raw bits of all lanes."""

    def __init__(self, function: Function, lanes: int) -> None:
        self.function, self.lanes = function, lanes
        self.arrays: dict[str, Array] = {}

    def register(self, name: str) -> Array:
        """The storage of a register: unsigned of its width, bool for predicates."""
        array = self.arrays.get(name)
        if array is None:
            kind = self.function.registers[name]
            if kind.kind == "p":
                array = np.zeros(self.lanes, np.bool_)
            elif kind.bits == 128:
                array = np.zeros((self.lanes, 2), np.uint64)
            else:
                array = np.zeros(self.lanes, unsigned(kind.bits))
            self.arrays[name] = array
        return array


@dataclass(slots=True)
class Layout:
    """Where a function's local and parameter variables lie in its frame."""

    offsets: dict[str, int] = field(default_factory=dict[str, int])
    size: int = 0


def layout_of(function: Function) -> Layout:
    """Place the variables of a function: `.local` ones, and parameters that are not a kernel's."""
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
