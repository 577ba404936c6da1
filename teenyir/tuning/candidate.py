"""One schedule among those that a kernel could have."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from teenyir.targets import cpu

STEPS = (1, 2, 4)
"""Steps of a reduction that are written side by side."""


@dataclass(frozen=True)
class Candidate:
    """A schedule."""

    schedule: str
    """Its primitives, as text."""
    cycles: float
    """What the cost model takes it for."""
    traits: tuple[Hashable, ...]
    """The parameters that it has; those that differ in one are neighbours."""

    def is_beside(self, other: Candidate) -> bool:
        """Whether another candidate differs in one parameter."""
        if len(self.traits) != len(other.traits):
            return False
        return sum(a != b for a, b in zip(self.traits, other.traits, strict=True)) == 1


def lanes_of(element_bytes: int) -> int:
    """The elements of the widest vector register."""
    return max(cpu.host().vector_bits // 8 // element_bytes, 1)
