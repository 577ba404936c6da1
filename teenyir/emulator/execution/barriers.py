"""The barriers of the running CTA: who came, who waits, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from teenyir.diagnostics import Diagnostic, error
from teenyir.emulator.errors import ExecutionError, at_instruction
from teenyir.emulator.execution.machine import AT_BARRIER, RUNNING, WARP, Machine
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import Array

Reduction: TypeAlias = Callable[[Array, Array], None]
"""Called with who came to a barrier and the lanes whose result to set."""


@dataclass(slots=True)
class Barrier:
    """One of the 16 barriers of a CTA: who came, who waits, and for how many."""

    arrived: Array
    waiting: Array
    expected: int | None = None
    sites: dict[int, Instruction] = field(default_factory=dict[int, Instruction])
    reductions: list[tuple[Reduction, Array]] = field(
        default_factory=list["tuple[Reduction, Array]"]
    )


BARRIERS = 16


class Barriers:
    """The barriers of the running CTA."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.open: dict[int, Barrier] = {}
        machine.on_start.append(self.open.clear)
        machine.on_stall.append(self.resolve)

    def all_at_once(self) -> None:
        """Every lane of the CTA passes a barrier together."""
        self.machine.statistics.barriers += 1
        if self.machine.checker is not None:
            self.machine.checker.clocks.barrier_all()

    def arrive(
        self,
        number: int,
        mask: Array,
        i: Instruction,
        expected: int | None,
        waits: bool,
        reduction: Reduction | None,
    ) -> None:
        """Lanes come to a barrier, to wait or not."""
        lanes = self.machine.lanes
        barrier = self.open.setdefault(
            number, Barrier(np.zeros(lanes, np.bool_), np.zeros(lanes, np.bool_))
        )
        barrier.arrived |= mask
        if expected is not None:
            if barrier.expected not in (None, expected):
                self._report(i, mask, f"expects {expected} threads, others {barrier.expected}")
            barrier.expected = expected
        for lane in np.flatnonzero(mask).tolist():
            barrier.sites[lane] = i
        if waits:
            barrier.waiting |= mask
            self.machine.state[mask] = AT_BARRIER
        if reduction is not None:
            barrier.reductions.append((reduction, mask))
        self._complete(number)

    def resolve(self) -> bool:
        """When no lane can run: open the barriers that have all they wait for."""
        return any([self._complete(number) for number in list(self.open)]) or self._deadlock()

    def _complete(self, number: int) -> bool:
        barrier = self.open[number]
        machine = self.machine
        if barrier.expected is not None:
            if np.count_nonzero(barrier.arrived) < barrier.expected:
                return False
        elif not (barrier.arrived | machine.exited()).all():
            return False
        del self.open[number]
        self._check_warps(barrier)
        machine.statistics.barriers += 1
        if machine.checker is not None:
            self._order(barrier)
        for reduction, lanes in barrier.reductions:
            reduction(barrier.arrived, lanes)
        machine.state[barrier.waiting] = RUNNING
        return True

    def _order(self, barrier: Barrier) -> None:
        checker = self.machine.checker
        assert checker is not None
        if (barrier.waiting | ~self.machine.geometry.present).all():
            checker.clocks.barrier_all()
        else:
            checker.clocks.barrier(np.flatnonzero(barrier.arrived), np.flatnonzero(barrier.waiting))

    def _check_warps(self, barrier: Barrier) -> None:
        """An aligned barrier must be the same instruction for all lanes of a warp."""
        machine = self.machine
        present = machine.geometry.present
        for warp in range(machine.warps):
            lanes = [k for k in range(warp * WARP, (warp + 1) * WARP) if present[k]]
            sites = {barrier.sites[k].line: barrier.sites[k] for k in lanes if k in barrier.sites}
            aligned = next((s for s in sites.values() if _is_aligned(s)), None)
            if aligned is None:
                continue
            missing = [k for k in lanes if k not in barrier.sites]
            if len(sites) > 1:
                where = " and ".join(f"line {line}" for line in sorted(sites))
                self._report_at(aligned, lanes[0], f"lanes of warp {warp} wait at {where}")
            elif missing:
                self._report_at(
                    aligned,
                    missing[0],
                    f"{len(missing)} of {len(lanes)} threads of warp {warp} never reach it",
                )

    def _deadlock(self) -> bool:
        machine = self.machine
        waiting = machine.state == AT_BARRIER
        if not waiting.any() or (machine.state != AT_BARRIER)[~machine.exited()].any():
            return False
        notes: list[Diagnostic] = []
        first: Instruction | None = None
        for number, barrier in sorted(self.open.items()):
            for line in sorted({i.line for i in barrier.sites.values()}):
                i = next(s for s in barrier.sites.values() if s.line == line)
                first = first or i
                count = sum(1 for s in barrier.sites.values() if s.line == line)
                want = barrier.expected or machine.geometry.threads
                message = f"{count} threads at barrier {number} here, which expects {want}"
                notes.append(Diagnostic("note", message, at_instruction(machine.program, i)))
        assert first is not None
        message = f"deadlock in block {machine.block_index}: no thread can run [barrier]"
        raise ExecutionError(error(message, at_instruction(machine.program, first), *notes))

    def _report(self, i: Instruction, mask: Array, message: str) -> None:
        self._report_at(i, int(np.argmax(mask)), message)

    def _report_at(self, i: Instruction, lane: int, message: str) -> None:
        if self.machine.checker is not None:
            self.machine.reports.add(
                "barrier",
                i,
                message,
                thread=self.machine.geometry.thread(lane),
                block=self.machine.block_index,
            )


def _is_aligned(i: Instruction) -> bool:
    return i.opcode == "bar" or "aligned" in i.modifiers
