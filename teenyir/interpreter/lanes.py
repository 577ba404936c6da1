"""Lanes: the iterations of open loops as axes of arrays.

Below the graph floor an SSA value is one array with an axis for each open loop that became an axis;
where the value does not depend on the loop, the axis has the extent 1. A mask says which lanes are
there, where the extents of loops or the branches taken differ.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation, SSAValue

from teenyir.interpreter.arrays import Array, fault

MOST_AXES = 60
"""numpy has 64; a vector's own axis and some room are left."""


@dataclass
class Axis:
    """One open loop: its variable, and the values that it has in the lanes, in full rank."""

    variable: SSAValue
    values: Array
    size: int


@dataclass
class Lanes:
    """The loops that are open as axes, and which lanes are active."""

    rank: int
    """The number of axes that every array has."""
    open: dict[int, Axis] = field(default_factory=dict[int, Axis])
    """By the number of the axis."""
    mask: Array | None = None
    """Where lanes are active, in full rank; None for everywhere."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all axes, 1 where no loop is open."""
        return tuple(self.open[k].size if k in self.open else 1 for k in range(self.rank))

    def lifted(self, values: Array) -> Array:
        """What is the same in all lanes, in full rank; a vector keeps its own axes, last."""
        return values.reshape((1,) * self.rank + values.shape)

    def along(self, axis: int, values: Array) -> Array:
        """Values of one dimension laid along an axis."""
        shape = [1] * self.rank
        shape[axis] = len(values)
        return values.reshape(shape)

    @contextmanager
    def loop(self, axis: int, opened: Axis, mask: Array | None) -> Generator[None]:
        """Open a loop as an axis; `mask` is where it has an iteration, None for everywhere."""
        self.open[axis] = opened
        with self.where(mask):
            yield
        del self.open[axis]

    @contextmanager
    def where(self, mask: Array | None) -> Generator[None]:
        """Switch lanes off where a mask does not hold."""
        before = self.mask
        self.mask = both(before, mask)
        yield
        self.mask = before

    def active(self, gate: Array | None) -> Array | None:
        """Where lanes are active and a gate holds; None for everywhere.

        The gate may have one more axis than the lanes, a vector's.
        """
        mask = self.mask
        if mask is not None and gate is not None and gate.ndim > mask.ndim:
            mask = mask[..., None]
        return both(mask, gate)

    def require(self, op: Operation, holds: Array, message: str) -> None:
        """Raise the fault where an active lane does not satisfy a condition.

        `holds` may have axes of a vector behind those of the lanes.
        """
        if holds.all():
            return
        holds = np.asarray(holds.all(axis=tuple(range(self.rank, holds.ndim))))
        wrong = ~holds if self.mask is None else ~holds & self.mask
        if wrong.any():
            raise fault(op, f"{message}{self.describe(first(wrong))}")

    def describe(self, position: tuple[int, ...]) -> str:
        """` at %i = 3, %k = 2`: the iteration of a lane; empty where no loop is open."""
        found: list[str] = []
        for axis in sorted(self.open):
            opened = self.open[axis]
            name = f"%{opened.variable.name_hint or 'loop ' + str(axis)}"
            found.append(f"{name} = {at(opened.values, position)}")
        return f" at {', '.join(found)}" if found else ""


def both(a: Array | None, b: Array | None) -> Array | None:
    """Two masks at once."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def first(mask: Array) -> tuple[int, ...]:
    """The first position, in row-major order, where a mask holds."""
    return tuple(int(k) for k in np.unravel_index(int(mask.argmax()), mask.shape))


def at(values: Array, position: tuple[int, ...]) -> object:
    """The element at a position of a broadcast of `values`."""
    index = tuple(k if n > 1 else 0 for k, n in zip(position, values.shape, strict=True))
    return values[index]
