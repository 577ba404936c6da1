"""What a row of a table of layers is made of: inputs, drawn from a generator of its own.

The same text makes PyTorch's layer and ours, so that a call that works there works here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np


class Batch(int):
    """An extent that is recorded as this number, and that a program of ours has a name for."""


N = Batch(3)


@dataclass(frozen=True)
class Draw:
    """An input to be drawn."""

    kind: str
    shape: tuple[int, ...]
    low: float = 0
    high: float = 1
    values: Any = None

    def make(self, rng: np.random.Generator) -> Any:
        """The array: float32, int64 or bool."""
        if self.kind == "known":
            return np.array(self.values)
        if self.kind == "normal":
            return rng.normal(size=self.shape).astype(np.float32)
        if self.kind == "integers":
            return rng.integers(int(self.low), int(self.high), self.shape)
        if self.kind == "signs":
            return rng.choice([-1.0, 1.0], self.shape).astype(np.float32)
        if self.kind == "booleans":
            return rng.random(self.shape) < self.high
        return rng.uniform(self.low, self.high, self.shape).astype(np.float32)


def normal(*shape: int) -> Draw:
    """Floats of mean 0 and variance 1."""
    return Draw("normal", shape)


def uniform(*shape: int, low: float = 0.05, high: float = 0.95) -> Draw:
    """Floats between two."""
    return Draw("uniform", shape, low, high)


def integers(high: int, *shape: int, low: int = 0) -> Draw:
    """Integers from `low` to below `high`."""
    return Draw("integers", shape, low, high)


def signs(*shape: int) -> Draw:
    """1 and -1."""
    return Draw("signs", shape)


def booleans(*shape: int, chance: float = 0.3) -> Draw:
    """True so often."""
    return Draw("booleans", shape, high=chance)


def known(values: Any) -> Draw:
    """What is given, whose first axis is the batch's."""
    array = np.array(values)
    assert array.shape[0] == N
    return Draw("known", (N, *array.shape[1:]), values=values)


def generator(case: str) -> np.random.Generator:
    """The generator of a case, which no other case disturbs."""
    return np.random.default_rng(crc32(case.encode()))


def drawn(case: str, nest: Any, rng: np.random.Generator | None = None) -> Any:
    """A nest of inputs with arrays in place of draws; what is no draw or array stays."""
    rng = rng or generator(case)
    if isinstance(nest, tuple | list):
        return type(nest)(drawn(case, each, rng) for each in nest)
    return nest.make(rng) if isinstance(nest, Draw) else nest


def leaves(nest: Any) -> list[Any]:
    """What is in nests of tuples, one after the other, but for numbers, words and None."""
    if isinstance(nest, tuple | list):
        return [leaf for each in nest for leaf in leaves(each)]
    return [] if nest is None or isinstance(nest, bool | int | float | str) else [nest]
