"""One node of a graph, and its attributes by name and kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from teenyir.diagnostics import Diagnostic
from teenyir.frontend.core import Array
from teenyir.frontend.errors import TraceError, fail
from teenyir.frontend.onnx.files import LONGEST_NAME, import_onnx
from teenyir.frontend.onnx.tensors import sparse_to_array, to_array
from teenyir.frontend.onnx.values import Value

if TYPE_CHECKING:
    from onnx import AttributeProto, GraphProto, NodeProto

Body = Callable[[Sequence[Value]], "list[Value]"]
"""A graph in an attribute, as a function of the values of its inputs."""

_MOST_SHOWN = 60
"""Characters of a name from a file that a message shows."""


def shown(name: str) -> str:
    """A name from a file as a message shows it."""
    return name if len(name) <= _MOST_SHOWN else name[: _MOST_SHOWN - 3] + "..."


class UnknownInput(TraceError):
    """An input of the model decides what is compiled, and its value is not known."""

    def __init__(self, names: Sequence[str], *diagnostics: Diagnostic | str) -> None:
        super().__init__(*diagnostics)
        self.names = tuple(names)
        """The inputs that have to be known."""


@dataclass(frozen=True)
class Node:
    """A node with what its operator may ask of it."""

    proto: NodeProto
    opset: int
    """The version of the set of operators that its own is from."""
    attributes: dict[str, AttributeProto]
    inputs: tuple[Value, ...]
    """What it is given; None for what is left out."""
    folder: Path | None
    body_of: Callable[[GraphProto], Body]
    """A graph in an attribute as a function."""
    demand: Callable[[int], None]
    """Raises where the input at a place is not known, and is to be."""

    @property
    def kind(self) -> str:
        """The name of its operator."""
        return self.proto.op_type

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of its results; an empty one is of no interest."""
        return tuple(self.proto.output)

    @property
    def has_graph(self) -> bool:
        """Whether an attribute is a graph."""
        return any(attribute.HasField("g") for attribute in self.attributes.values())

    def wants(self, place: int) -> bool:
        """Whether the result at a place has a name."""
        return place < len(self.proto.output) and self.proto.output[place] != ""

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def _held(self, name: str, kind: str, field: str) -> Any:
        attribute = self.attributes.get(name)
        if attribute is None:
            return None
        kinds = import_onnx().AttributeProto.AttributeType
        if attribute.type != kinds.Value(kind):
            found = kinds.Name(attribute.type) if attribute.type in kinds.values() else "nothing"
            fail(f"the attribute {name} is of {kind}, got {found}")
        return getattr(attribute, field)

    def _required(self, name: str, held: Any) -> Any:
        if held is None:
            fail(f"the attribute {name} is missing")
        return held

    def integer(self, name: str, default: int | None = None) -> int:
        """An attribute of one integer. Raises TraceError where it is missing without a default."""
        held = self._held(name, "INT", "i")
        return int(self._required(name, default if held is None else held))

    def flag(self, name: str, default: bool = False) -> bool:
        """An attribute of one integer that is 0 or another."""
        return bool(self.integer(name, int(default)))

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """An attribute of several integers."""
        held = self._held(name, "INTS", "ints")
        return list(self._required(name, default if held is None else held))

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute of one float."""
        held = self._held(name, "FLOAT", "f")
        return float(self._required(name, default if held is None else held))

    def numbers(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """An attribute of several floats."""
        held = self._held(name, "FLOATS", "floats")
        return list(self._required(name, default if held is None else held))

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute of text."""
        held = self._held(name, "STRING", "s")
        return self._required(name, default if held is None else _decoded(name, held))

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        """An attribute of text that is one of a few words."""
        found = self.text(name, default)
        if found not in choices:
            fail(f"the attribute {name} is one of {', '.join(choices)}, got '{shown(found)}'")
        return found

    def texts(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """An attribute of several texts."""
        held = self._held(name, "STRINGS", "strings")
        found = None if held is None else [_decoded(name, each) for each in held]
        return list(self._required(name, default if found is None else found))

    def array(self, name: str) -> Array:
        """An attribute that is a tensor."""
        return to_array(self._required(name, self._held(name, "TENSOR", "t")), self.folder)

    def sparse_array(self, name: str) -> Array:
        """An attribute that is a sparse tensor, spread out."""
        held = self._required(name, self._held(name, "SPARSE_TENSOR", "sparse_tensor"))
        return sparse_to_array(held, self.folder)

    def body(self, name: str) -> Body:
        """An attribute that is a graph."""
        return self.body_of(self.graph(name))

    def graph(self, name: str) -> GraphProto:
        """The graph of an attribute as it is in the message."""
        return cast("GraphProto", self._required(name, self._held(name, "GRAPH", "g")))


def _decoded(name: str, data: bytes) -> str:
    if len(data) > LONGEST_NAME:
        fail(f"the attribute {name} has {len(data)} characters, {LONGEST_NAME} are the most")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        fail(f"the attribute {name} is no text")
