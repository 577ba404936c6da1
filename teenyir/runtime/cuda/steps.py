"""What a program launches, in order, for given extents: no driver is needed to say it.

A launch has its grid and its extents as numbers, and of each buffer the place where it is: an
input, an output, a constant or an offset in the arena. With the addresses of these it has the bytes
that a kernel's parameters are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray
from xdsl.ir import Region, SSAValue

from teenyir.dialects import program
from teenyir.interpreter.arrays import dense_array

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Place:
    """Where a buffer is."""

    kind: Literal["input", "output", "constant", "arena"]
    at: int
    """Which of the inputs, outputs or constants; in the arena, the offset in bytes."""


@dataclass(frozen=True)
class Addresses:
    """Where the buffers of a program are in memory."""

    inputs: Sequence[int]
    outputs: Sequence[int]
    constants: Sequence[int]
    arena: int

    def of(self, place: Place) -> int:
        """The address of a buffer."""
        if place.kind == "arena":
            return self.arena + place.at
        lists = {"input": self.inputs, "output": self.outputs, "constant": self.constants}
        return lists[place.kind][place.at]


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel."""

    kernel: str
    grid: tuple[int, ...]
    """Blocks along up to three axes, none of them 0."""
    block: tuple[int, ...]
    """Threads along up to three axes."""
    buffers: tuple[Place, ...]
    extents: tuple[int, ...]

    def arguments(self, addresses: Addresses) -> bytes:
        """The kernel's parameters: addresses, then extents, 64 bits each."""
        places = [addresses.of(place) for place in self.buffers]
        form = f"={len(places)}Q{len(self.extents)}q"
        return struct.pack(form, *places, *self.extents)


@dataclass(frozen=True)
class Branch:
    """One of two ways, by what a buffer of one i1 holds."""

    condition: Place
    then: Steps
    otherwise: Steps


@dataclass(frozen=True)
class Loop:
    """`cond`, and as long as the condition then holds, `body` and `cond` again."""

    cond: Steps
    condition: Place
    body: Steps


Step: TypeAlias = "Launch | Branch | Loop"
Steps: TypeAlias = tuple[Step, ...]


class Layout:
    """Where the buffers of a program are, and what it does, for any extents."""

    def __init__(self, function: program.FuncOp):
        """`function` dispatches kernels, and its allocations have offsets."""
        self.function = function
        self.constants: list[Array] = []
        """The contents of the program's constants."""
        self._places: dict[SSAValue, Place] = {}
        self._allocations: list[program.AllocOp] = []
        counts: dict[str, int] = {"input": 0, "output": 0}
        for mode, buffer in function.buffers:
            kind: Literal["input", "output"] = "output" if mode == "out" else "input"
            self._places[buffer] = Place(kind, counts[kind])
            counts[kind] += 1
        for op in function.body.block.ops:
            if isinstance(op, program.ConstantOp):
                self._places[op.result] = Place("constant", len(self.constants))
                self.constants.append(dense_array(op.data))
            elif isinstance(op, program.AllocOp):
                self._allocations.append(op)

    def steps(self, dims: Mapping[str, int]) -> Steps:
        """What a call does where the named extents are these."""
        places = dict(self._places)
        for op in self._allocations:
            assert op.offset is not None  # the pipeline of the target plans the arena
            places[op.result] = Place("arena", op.offset.data.evaluate(dims))
        return tuple(self._steps(self.function.body, dims, places))

    def _steps(
        self, region: Region, dims: Mapping[str, int], places: Mapping[SSAValue, Place]
    ) -> Iterator[Step]:
        for op in region.block.ops:
            match op:
                case program.DispatchOp():
                    grid = tuple(size.data.evaluate(dims) for size in op.grid)
                    if 0 not in grid:  # else there is nothing to do, and no launch without a block
                        yield Launch(
                            op.kernel.string_value(),
                            grid,
                            tuple(op.block.get_values()),
                            tuple(places[buffer] for buffer in op.buffers),
                            tuple(dims[name.data] for name in op.dims),
                        )
                case program.IfOp():
                    then, otherwise = (tuple(self._steps(r, dims, places)) for r in op.branches)
                    yield Branch(places[op.condition], then, otherwise)
                case program.WhileOp():
                    cond = tuple(self._steps(op.cond, dims, places))
                    yield Loop(
                        cond, places[op.condition], tuple(self._steps(op.body, dims, places))
                    )
                case _:
                    pass  # whoever calls the program places what shows an input on it


def launches(steps: Steps) -> tuple[Launch, ...] | None:
    """The launches, where these are all that there is: nothing has to be looked at in between."""
    found = tuple(step for step in steps if isinstance(step, Launch))
    return found if len(found) == len(steps) else None
