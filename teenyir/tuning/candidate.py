"""One schedule among those that a kernel could have, and kinds of kernels with what is free in
their schedules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.targets import cpu

STEPS = (1, 2, 4)
"""Steps of a reduction that are written side by side."""

F = TypeVar("F")


@dataclass(frozen=True)
class Candidate:
    """A schedule."""

    schedule: str
    """Its primitives, as text."""
    rank: float
    """How many of its kind the cost model takes for faster."""
    traits: tuple[Hashable, ...]
    """The parameters that it has; those of one kind that differ in one are neighbours."""
    kind: str = ""
    """The kind of kernel that they are parameters of."""

    def is_beside(self, other: Candidate) -> bool:
        """Whether another candidate differs in one parameter."""
        if self.kind != other.kind or len(self.traits) != len(other.traits):
            return False
        return sum(a != b for a, b in zip(self.traits, other.traits, strict=True)) == 1


@dataclass(frozen=True)
class Kind(Generic[F]):
    """A kind of kernel."""

    name: str
    """That of the chooser that knows it."""
    find: Callable[[kernel.FuncOp], F | None]
    """What a chooser finds in a kernel of this kind; None in others."""
    free: Mapping[str, Callable[[F], Iterable[Hashable]]]
    """The parameters of a schedule, each with its values."""
    schedule: Callable[..., Sequence[Primitive]]
    """The primitives, of what was found and a value for each parameter; none where values do not
    go together."""
    cycles: Callable[..., float]
    """What the cost model takes them for."""

    def candidates(self, func: kernel.FuncOp) -> Iterator[Candidate]:
        """The schedules of a kernel, those first that should be fastest, each once."""
        found = self.find(func)
        if found is None:
            return
        each: dict[str, tuple[float, tuple[Hashable, ...]]] = {}
        for values in product(*(values(found) for values in self.free.values())):
            named = dict(zip(self.free, values, strict=True))
            if steps := self.schedule(found, **named):
                cycles = self.cycles(found, **named)
                text = as_text(steps)
                if text not in each or cycles < each[text][0]:
                    each[text] = cycles, values
        rank, last = 0, 0.0
        for number, (text, (cycles, values)) in enumerate(
            sorted(each.items(), key=lambda item: item[1][0])
        ):
            rank, last = (number, cycles) if cycles != last else (rank, last)
            yield Candidate(text, rank, values, self.name)


def always(*values: Hashable) -> Callable[[object], Iterable[Hashable]]:
    """The same values of a parameter for all kernels of a kind."""
    return lambda found: values


def lanes_of(element_bytes: int) -> int:
    """The elements of the widest vector register."""
    return max(cpu.host().vector_bits // 8 // element_bytes, 1)
