"""On which inputs a function is tried: random ones, the edges of types, and sizes of many kinds.

Folds are left out of the edges, since they may be formed in any order and few combinations of
values are associative on NaN. Numbers of all magnitudes are for functions that are exact: where
sums may be formed in any order, great numbers say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from teenyir.analysis.binding import example_dims
from teenyir.analysis.signature import Argument, Signature
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.checked import Function
from teenyir.interpreter.examples import (
    Shape,
    edge_array,
    neighbour_array,
    random_array,
    small_array,
)

Make = Callable[[Argument, Shape, int], Array]

NO_EDGES = ".fold"
"""How the names of operations end that edge cases are not for."""
MOST_ROUNDS = 16
"""How often a small function runs on edge cases, other ones each time."""
ROUNDS_FOR = 600
"""How many elements and operations all rounds together may have; one round there always is."""
MOST_LARGE = 1 << 14
"""How many elements inputs of large sizes may have: what has more has them in other sizes too."""
LARGE = 37
"""More than twice a vector's lanes, and a multiple of none of its widths."""


@dataclass(frozen=True)
class Sample:
    """One way to make up inputs."""

    title: str
    """As in `on random inputs`."""
    make: Make
    dims: dict[str, int]
    round: int = 0
    """Samples of several rounds have other inputs in each."""


def samples_of(function: Function) -> Iterator[Sample]:
    """What a function is tried on."""
    signature = function.signature
    operations = [op.name for op in signature.function.walk()]
    dims = example_dims(signature, 5)
    yield Sample("random inputs", random_array, dims)
    yield from _sizes(signature)
    has_edges = not any(name.endswith(NO_EDGES) for name in operations)
    around = example_dims(signature, 6)
    rounds = _rounds(signature, around, len(operations))
    for number in range(rounds):
        if has_edges:
            yield Sample("edge cases", edge_array, around, number)
        if function.tolerances is None:
            yield Sample("neighbours of all magnitudes", neighbour_array, around, number)


def _rounds(signature: Signature, dims: dict[str, int], operations: int) -> int:
    return max(1, min(MOST_ROUNDS, ROUNDS_FOR // (_elements(signature, dims) + operations)))


def _elements(signature: Signature, dims: dict[str, int]) -> int:
    return sum(math.prod(argument.shape(dims)) for argument in signature.inputs)


def _sizes(signature: Signature) -> Iterator[Sample]:
    """Small numbers, which are indices of most things, with sizes of many kinds."""
    least = {dim.name: -(-dim.min // dim.step) * dim.step for dim in signature.dims}
    large = example_dims(signature, LARGE)
    tried = [example_dims(signature, 1), least, example_dims(signature, 16)]
    tried += [large] if _elements(signature, large) <= MOST_LARGE else []
    seen: list[dict[str, int]] = []
    for dims in tried:
        if dims not in seen:
            seen.append(dims)
            yield Sample("small inputs", small_array, dims)
