"""The machine that runs a launch: lanes, their control state, and the loop over basic blocks.

All lanes of a CTA run together. Each has a program counter (the index of a basic block) and a call
depth; every step picks the deepest, then lowest counter among the lanes that can run, and executes
that block for all lanes there. Blocks are laid out in program order, so lanes that took different
ways meet again where the ways join. Now and then the highest counter is picked instead, so that
lanes spinning in a loop let the others reach what they wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from teenyir.diagnostics import error
from teenyir.emulator.checking.reports import Reports
from teenyir.emulator.checking.statistics import Statistics
from teenyir.emulator.errors import ExecutionError, at_instruction, notes_of
from teenyir.emulator.execution.memory import Memory
from teenyir.emulator.syntax.program import Instruction, Program
from teenyir.emulator.types import Array, Mask, Operation

if TYPE_CHECKING:
    from teenyir.emulator.checking.checker import Checker

RUNNING, AT_BARRIER, AT_WARP, EXITED = 0, 1, 2, 3
"""What a lane is doing."""

MIXED = -1
"""What a terminator returns when its lanes do not all go to one block."""

WARP = 32
_FAIR_PERIOD, _FAIR_BURST = 512, 64
_DEPTH_KEY = 1 << 32

Terminator: TypeAlias = Callable[[Mask], int]
Gate: TypeAlias = Callable[[Mask, bool], Mask]


@dataclass(slots=True)
class Block:
    """A basic block: bound operations, how it ends, and how often it ran.

    A `gate` holds lanes back until all those that must execute the first instruction together
    have come; it returns the lanes that may go on.
    """

    index: int
    instructions: list[Instruction]
    operations: list[Operation] = field(default_factory=list[Operation])
    terminator: Terminator = lambda mask: MIXED
    gate: Gate | None = None
    runs: int = 0
    lanes: int = 0


class Geometry:
    """Sizes of a launch and the index registers of one CTA's lanes, padded to whole warps."""

    def __init__(self, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
        self.grid, self.block = grid, block
        self.threads = block[0] * block[1] * block[2]
        self.warps = -(-self.threads // WARP)
        self.lanes = self.warps * WARP
        self.ids = np.arange(self.lanes)
        x, y = block[0], block[1]
        self.tid = [self.ids % x, self.ids // x % y, self.ids // (x * y)]
        self.present = self.ids < self.threads

    def thread(self, lane: int) -> tuple[int, int, int]:
        """The thread index (x, y, z) of a lane."""
        return int(self.tid[0][lane]), int(self.tid[1][lane]), int(self.tid[2][lane])


class Machine:
    """The state of one launch; CTAs run in it one after the other."""

    def __init__(
        self,
        program: Program,
        memory: Memory,
        geometry: Geometry,
        reports: Reports,
        statistics: Statistics,
        step_limit: int,
    ) -> None:
        self.program, self.memory, self.geometry = program, memory, geometry
        self.reports, self.statistics = reports, statistics
        self.checker: Checker | None = None
        self.blocks: list[Block] = []
        self.output: list[str] = []
        self.step_limit = step_limit
        lanes = geometry.lanes
        self.lanes, self.warps = lanes, geometry.warps
        self.shared_size = 0
        self.dynamic_shared = 0
        self.block_index = (0, 0, 0)
        self.state = np.zeros(lanes, np.int8)
        self.pc = np.zeros(lanes, np.int64)
        self.depth = np.zeros(lanes, np.int64)
        self.returns = np.zeros((lanes, 16), np.int64)
        self.frame = np.zeros(lanes, np.int64)
        self.stack_base = np.zeros(lanes, np.int64)
        self.stack_size = 0
        self.stack_top = np.zeros(lanes, np.int64)
        self.live: Mask = True
        self.converged = True
        self.steps = 0
        self.on_start: list[Callable[[], None]] = []
        self.on_stall: list[Callable[[], bool]] = []
        self.on_finish: list[Callable[[], None]] = []

    # Lanes

    def selected(self, mask: Mask) -> Array:
        """Indices of the lanes of a mask."""
        if mask is True:
            return self.geometry.ids
        return np.flatnonzero(mask)

    def as_array(self, mask: Mask) -> Array:
        """A mask as an array of bools."""
        if isinstance(mask, bool):
            return np.full(self.lanes, mask)
        return mask

    def bits(self, mask: Mask) -> Array:
        """A mask as one 32-bit word a warp, of shape (warps,) and type uint32."""
        rows = self.as_array(mask).reshape(self.warps, WARP)
        return np.packbits(rows, axis=1, bitorder="little").view(np.uint32)[:, 0]

    def live_covers(self, mask: Mask) -> bool:
        """Whether a mask holds every thread of the CTA, none having exited."""
        return int(np.count_nonzero(mask)) == self.geometry.threads

    def exited(self) -> Array:
        """Which lanes have exited or never existed."""
        return self.state == EXITED

    # Running

    def run_cta(self, index: tuple[int, int, int], start: int) -> None:
        """Run one CTA from the block `start` until every lane has exited."""
        self._reset(index, start)
        self._loop(start)
        for finish in self.on_finish:
            finish()

    def _reset(self, index: tuple[int, int, int], start: int) -> None:
        self.block_index = index
        self.state[:] = np.where(self.geometry.present, RUNNING, EXITED)
        self.pc[:] = start
        self.depth[:] = 0
        self.frame[:] = self.stack_base
        self.stack_top[:] = self.stack_base + self.stack_size
        self.live = True if self.geometry.threads == self.lanes else self.geometry.present.copy()
        self.converged = True
        self.steps = 0
        for prepare in self.on_start:
            prepare()

    def _loop(self, target: int) -> None:
        mask = self.live
        forced = False
        while True:
            block = self.blocks[target]
            if block.gate is not None and mask is not True:
                mask = block.gate(mask, forced)
            if mask is not False:
                target = self._step(block, mask)
                if target >= 0 and self.converged:
                    continue
                if target >= 0:
                    np.copyto(self.pc, target, where=mask)
            picked = self._pick()
            if picked is None:
                return
            target, mask, forced = picked

    def _step(self, block: Block, mask: Mask) -> int:
        block.runs += 1
        block.lanes += self.lanes if mask is True else int(np.count_nonzero(mask))
        self.steps += 1
        if self.steps > self.step_limit:
            self.stop(block.instructions[0], f"no end after {self.step_limit} basic blocks")
        for operation in block.operations:
            operation(mask)
        return block.terminator(mask)

    def _pick(self) -> tuple[int, Mask, bool] | None:
        """The next block, its lanes, and whether its gate must let them through."""
        runnable = self.state == RUNNING
        forced = False
        while not runnable.any():
            if (self.state == EXITED).all():
                return None
            if any(resolve() for resolve in self.on_stall):
                runnable = self.state == RUNNING
                continue
            runnable = self.state == AT_WARP
            if not runnable.any():
                return None
            forced = True
        keys = self.pc - self.depth * _DEPTH_KEY
        candidates = keys[runnable]
        late = self.steps % _FAIR_PERIOD >= _FAIR_PERIOD - _FAIR_BURST
        key = candidates.max() if late and not self.converged else candidates.min()
        chosen = runnable & (keys == key)
        self.state[chosen] = RUNNING
        live = self.state != EXITED
        self.converged = bool((chosen == live).all())
        mask: Mask = True if self.converged and live.all() else chosen
        self.live = mask if self.converged else self.live
        return int(self.pc[int(np.argmax(chosen))]), mask, forced

    # Ending

    def exit_lanes(self, mask: Mask) -> int:
        """End these lanes; a terminator's result."""
        np.copyto(self.state, EXITED, where=mask)
        self.converged = False
        return MIXED

    def stop(self, instruction: Instruction, message: str, lane: int | None = None) -> None:
        """Raise an `ExecutionError` at an instruction."""
        where = f" in block {self.block_index}"
        if lane is not None:
            where = f" in thread {self.geometry.thread(lane)} of block {self.block_index}"
        location = at_instruction(self.program, instruction)
        raise ExecutionError(error(message + where, location, *notes_of(instruction)))
