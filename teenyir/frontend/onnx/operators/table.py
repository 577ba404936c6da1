"""The table of operators: by domain and name, a function for each range of versions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.bounded import through
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.values import Bounded, Told, Value, lifted, shape_of
from teenyir.once import once

LATEST = {"": 28, "ai.onnx.ml": 6, "ai.onnx.preview": 1}
"""By domain, the newest version whose operators have been read."""

FAMILIES = (
    "constants",
    "elementwise",
    "movement",
    "padding",
    "reduction",
    "contraction",
    "attention",
    "convolution",
    "pooling",
    "normalization",
    "quantization",
    "indexing",
    "matrices",
    "counting",
    "ordering",
    "selection",
    "control",
    "recurrent",
    "resizing",
    "sampling",
    "signal",
    "random",
    "ml",
    "trees",
    "classifiers",
)
"""The modules of operators, by family."""


class AsDefined(Exception):
    """A node is to be what ONNX defines it to be."""


@dataclass(frozen=True)
class Operator:
    """What a node of one operator becomes, in a range of versions of its set."""

    function: Callable[..., Any]
    """Takes the node and its inputs: tensors, and arrays where it wants to know them.

    It answers None for a node that is to be what ONNX defines it to be.
    """
    since: int
    until: int
    known: tuple[int, ...]
    """The inputs whose values it has to know."""
    told: tuple[int, ...]
    """The inputs that it also takes where each call tells what they are."""
    family: str
    """The module that it is in."""
    name: str = ""
    ranks: tuple[int, ...] = ()
    """How many axes its inputs have at least, in order."""

    @once
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())[1:]

    def check(self, inputs: Sequence[Value]) -> None:
        """Raise TraceError where there are too many inputs, or one is missing."""
        taken = self._parameters
        if taken and taken[-1].kind is inspect.Parameter.VAR_POSITIONAL:
            taken = taken[:-1]
        elif len(inputs) > len(taken):
            fail(f"takes {len(taken)} inputs at most, got {len(inputs)}")
        for place, parameter in enumerate(taken):
            is_there = place < len(inputs) and inputs[place] is not None
            may_end = place < len(inputs) or parameter.default is not parameter.empty
            is_optional = "None" in str(parameter.annotation) and may_end
            if not is_there and not is_optional:
                fail(f"input {place} ({parameter.name}) is missing")
        for place, (value, least) in enumerate(zip(inputs, self.ranks, strict=False)):
            tensor = value.tensor if isinstance(value, Bounded) else value
            if tensor is not None and len(shape_of(tensor)) < least:
                fail(f"input {place} ({taken[place].name}) has fewer than {least} axes")

    def _takes(self, place: int, value: Value) -> bool:
        """Whether a value goes to the function as it is."""
        return place in self.known or (place in self.told and isinstance(value, Told))

    def __call__(self, node: Node, inputs: Sequence[Value]) -> list[Value]:
        """The results, for inputs of which the known ones are arrays. Raises AsDefined."""
        self.check(inputs)
        if any(isinstance(value, Bounded) for value in inputs):
            return through(self.name, lambda given: self(node, given), node, inputs)
        given = [
            value
            if value is None or isinstance(value, Bounded) or self._takes(place, value)
            else lifted(value)
            for place, value in enumerate(inputs)
        ]
        found = self.function(node, *given)
        if found is None:
            raise AsDefined
        if isinstance(found, tuple | list):
            return list(cast("Sequence[Value]", found))
        return [found]


_TABLE: dict[tuple[str, str], list[Operator]] = {}


def operator(
    *names: str,
    since: int = 1,
    until: int | None = None,
    known: Sequence[int] = (),
    told: Sequence[int] = (),
    domain: str = "",
    ranks: Sequence[int] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the table, for versions `since` to `until` (both included).

    It has to know the inputs `known`: these are arrays. Those that are `told` may be a `Told`.
    `ranks` are how many axes inputs have at least, in order.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        family = function.__module__.rpartition(".")[2]
        last = LATEST[domain] if until is None else until
        for name in names:
            row = Operator(
                function, since, last, tuple(known), tuple(told), family, name, tuple(ranks)
            )
            _TABLE.setdefault((domain, name), []).append(row)
        return function

    return register


def find(domain: str, name: str, opset: int) -> Operator | None:
    """The operator of a version, if it is in the table."""
    rows = table().get((domain, name), [])
    return next((row for row in rows if row.since <= opset <= row.until), None)


def table() -> dict[tuple[str, str], list[Operator]]:
    """The whole table."""
    for family in FAMILIES:
        import_module(f"teenyir.frontend.onnx.operators.{family}")
    return _TABLE
