"""Calls under way: what is handed over, what comes back, and where lanes go on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from teenyir.emulator.execution.frame import Frame
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.execution.memory import Memory
from teenyir.emulator.types import Array


@dataclass(slots=True)
class CallSite:
    """One call instruction: what is handed over, what comes back, and where lanes go on."""

    machine: Machine
    number: int
    block: int
    caller: Frame
    frame_size: int
    recursive: bool
    transfers: dict[int, Transfer] = field(default_factory=dict[int, "Transfer"])
    callee_of: Array | None = None
    saved: dict[int, dict[str, Array]] = field(default_factory=dict[int, "dict[str, Array]"])

    def give_back(self, lanes: Array) -> None:
        """Return these lanes to the caller: restore its registers, then take the results."""
        machine = self.machine
        machine.frame[lanes] -= self.frame_size
        if self.recursive:
            for depth in np.unique(machine.depth[lanes]).tolist():
                chosen = lanes[machine.depth[lanes] == depth]
                for name, values in self.saved[depth].items():
                    self.caller.arrays[name][chosen] = values[chosen]
        machine.pc[lanes] = self.block
        assert self.callee_of is not None
        which = self.callee_of[lanes]
        for callee in np.unique(which).tolist():
            self.transfers[callee].take(lanes[which == callee])

    def save(self, lanes: Array) -> None:
        """Keep the caller's registers of these lanes, for a callee that may come back here."""
        machine = self.machine
        for depth in np.unique(machine.depth[lanes]).tolist():
            chosen = lanes[machine.depth[lanes] == depth]
            kept = self.saved.setdefault(depth, {})
            for name, values in self.caller.arrays.items():
                kept.setdefault(name, np.zeros_like(values))[chosen] = values[chosen]


@dataclass(slots=True)
class Transfer:
    """Arguments and results between one call and one callee."""

    memory: Memory
    frame: Array
    entry: int
    frame_size: int
    callee_size: int
    arguments: list[tuple[Array, Array]]
    argument_bytes: list[tuple[int, int, int]]
    results: list[tuple[Array, Array]]
    result_bytes: list[tuple[int, int, int]]

    def hand_over(self, lanes: Array) -> None:
        """Copy the arguments; the frame pointer is still the caller's."""
        for source, dest in self.arguments:
            dest[lanes] = source[lanes]
        for source, dest, size in self.argument_bytes:
            self._copy(lanes, source, dest + self.frame_size, size)

    def take(self, lanes: Array) -> None:
        """Copy the results; the frame pointer is the caller's again."""
        for source, dest in self.results:
            dest[lanes] = source[lanes]
        for source, dest, size in self.result_bytes:
            self._copy(lanes, source + self.frame_size, dest, size)

    def _copy(self, lanes: Array, source: int, dest: int, size: int) -> None:
        span = self.frame[lanes][:, None] + np.arange(size)
        self.memory.data[span + dest] = self.memory.data[span + source]
