"""Nested tuples, lists and dicts of tensors: what a traced function takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

Leaf = Any


@dataclass(frozen=True)
class Tree:
    """The shape of a nest: a leaf, or a container of named branches."""

    container: type[tuple[Any, ...]] | type[list[Any]] | type[dict[Any, Any]] | None
    """None for a leaf."""
    branches: tuple[tuple[str, Tree], ...] = ()
    """Keys of a dict, or positions."""

    def paths(self, prefix: str = "") -> list[str]:
        """The dotted name of each leaf, in order: `encoder.0`."""
        if self.container is None:
            return [prefix]
        paths: list[str] = []
        for key, branch in self.branches:
            paths += branch.paths(f"{prefix}.{key}" if prefix else key)
        return paths

    def build(self, leaves: Sequence[Leaf]) -> Any:
        """The nest of this shape with these leaves."""
        return self._build(iter(leaves))

    def _build(self, leaves: Any) -> Any:
        if self.container is None:
            return next(leaves)
        values = [branch._build(leaves) for _, branch in self.branches]
        if self.container is dict:
            return {key: value for (key, _), value in zip(self.branches, values, strict=True)}
        return tuple(values) if self.container is tuple else values


LEAF = Tree(None)


def flatten(nest: object) -> tuple[list[Leaf], Tree]:
    """The leaves of a nest, in order, and its shape; what is no container is a leaf."""
    leaves: list[Leaf] = []

    def walk(node: object) -> Tree:
        if isinstance(node, dict):
            items = [(str(key), value) for key, value in cast(dict[object, object], node).items()]
            return Tree(dict, tuple((key, walk(value)) for key, value in items))
        if isinstance(node, tuple | list):
            values = cast(Sequence[object], node)
            container = tuple if isinstance(node, tuple) else list
            return Tree(container, tuple((str(k), walk(v)) for k, v in enumerate(values)))
        leaves.append(node)
        return LEAF

    return leaves, walk(nest)
