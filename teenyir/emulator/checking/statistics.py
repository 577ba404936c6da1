"""What a launch did, counted: instructions, shared-memory bank conflicts, coalescing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from teenyir.emulator.types import Array

BANKS = 32
SECTOR = 32
"""Bytes of a sector, the unit in which global memory is moved."""


@dataclass(slots=True)
class AccessCount:
    """Accesses of one instruction. Requests are counted a warp.

    Shared memory: `ideal` and `actual` are wavefronts (passes over the banks); global memory:
    32-byte sectors, the fewest that hold the bytes asked for and those that were touched.
    """

    line: int
    space: str
    requests: int = 0
    ideal: int = 0
    actual: int = 0


@dataclass(slots=True)
class Statistics:
    """Counters of one launch."""

    ctas: int = 0
    blocks_run: int = 0
    instructions: Counter[str] = field(default_factory=Counter[str])
    """Thread-instructions by opcode with modifiers."""
    lines: Counter[int] = field(default_factory=Counter[int])
    """Thread-instructions by PTX line."""
    accesses: dict[tuple[int, str], AccessCount] = field(
        default_factory=dict[tuple[int, str], AccessCount]
    )
    """Accesses by PTX line and space, shared or global; kept while checking is on. A copy from one
    to the other has both."""
    barriers: int = 0

    @property
    def thread_instructions(self) -> int:
        """All thread-instructions; a lane whose guard is false counts."""
        return sum(self.lines.values())

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts of shared memory beyond those that the bytes asked for need."""
        return sum(a.actual - a.ideal for a in self.accesses.values() if a.space == "shared")

    @property
    def uncoalesced_sectors(self) -> int:
        """Sectors of global memory beyond those that the bytes asked for need."""
        return sum(a.actual - a.ideal for a in self.accesses.values() if a.space == "global")

    def summary(self) -> str:
        """A few lines for people."""
        rows = [
            f"{self.ctas} CTAs, {self.thread_instructions} thread-instructions",
            f"{self.bank_conflicts} bank-conflict wavefronts, "
            f"{self.uncoalesced_sectors} uncoalesced sectors",
        ]
        for access in sorted(self.accesses.values(), key=lambda a: a.ideal - a.actual):
            if access.actual > access.ideal:
                rows.append(
                    f"  line {access.line}: {access.space}, {access.requests} requests, "
                    f"{access.actual} instead of {access.ideal}"
                )
        rows += [f"{count:>12}  {name}" for name, count in self.instructions.most_common()]
        return "\n".join(rows)


def shared_wavefronts(addresses: Array, active: Array, size: int) -> tuple[int, int, int]:
    """(requests, ideal, actual) wavefronts of accesses of shape (warps, 32) to shared memory.

    Wider accesses than 4 bytes are served in phases of as many lanes as fill 128 bytes.
    """
    warps = addresses.shape[0]
    phases = max(1, size // 4)
    width = BANKS // phases
    grouped = addresses.reshape(warps * phases, width)
    there = active.reshape(warps * phases, width)
    words = np.where(there, grouped >> 2, -1)
    banks = max(1, size // 4)
    # Sorting brings equal words together, so that lanes that share a word count once.
    words = np.sort(words, axis=1)
    distinct = words >= 0
    distinct[:, 1:] &= words[:, 1:] != words[:, :-1]
    rows, columns = np.nonzero(distinct)
    slots = rows * (BANKS // banks) + (words[rows, columns] // banks) % (BANKS // banks)
    counts = np.bincount(slots, minlength=len(words) * (BANKS // banks))
    actual = int(counts.reshape(len(words), -1).max(axis=1).sum())
    return int(active.any(axis=1).sum()), int(there.any(axis=1).sum()), actual


def global_sectors(addresses: Array, active: Array, size: int) -> tuple[int, int, int]:
    """(requests, ideal, actual) sectors of accesses of shape (warps, 32) to global memory."""
    sectors = np.sort(np.where(active, addresses // SECTOR, -1), axis=1)
    distinct = sectors >= 0
    distinct[:, 1:] &= sectors[:, 1:] != sectors[:, :-1]
    units = np.sort(np.where(active, addresses // size, -1), axis=1)
    asked = units >= 0
    asked[:, 1:] &= units[:, 1:] != units[:, :-1]
    ideal = -(-asked.sum(axis=1) * size // SECTOR)
    return int(active.any(axis=1).sum()), int(ideal.sum()), int(distinct.sum())
