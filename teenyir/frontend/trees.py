"""Nested tuples, lists and dicts of tensors: what a traced function takes and gives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from teenyir.frontend.errors import fail

Leaf = Any

DEEPEST = 100
"""Containers within each other; more are one that holds itself."""


@dataclass(frozen=True)
class Tree:
    """The shape of a nest: a leaf, or a container of branches."""

    container: type[tuple[Any, ...]] | type[list[Any]] | type[dict[Any, Any]] | None
    """None for a leaf; a tuple may be a named one."""
    branches: tuple[tuple[Hashable, Tree], ...] = ()
    """Keys of a dict, or positions."""

    def paths(self, prefix: str = "") -> list[str]:
        """The dotted name of each leaf, in order: `encoder.0`."""
        if self.container is None:
            return [prefix]
        paths: list[str] = []
        for key, branch in self.branches:
            paths += branch.paths(f"{prefix}.{key}" if prefix else str(key))
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
        if self.container is list:
            return values
        return tuple(values) if self.container is tuple else self.container(*values)


LEAF = Tree(None)


def flatten(nest: object) -> tuple[list[Leaf], Tree]:
    """The leaves of a nest, in order, and its shape; what is no container is a leaf.

    Raises TraceError where containers hold themselves, and where two leaves have one name.
    """
    leaves: list[Leaf] = []

    def walk(node: object, depth: int) -> Tree:
        if depth > DEEPEST:
            fail(f"containers are in each other at most {DEEPEST} deep; perhaps one holds itself")
        if isinstance(node, dict):
            items = cast("dict[Hashable, object]", node).items()
            return Tree(dict, tuple((key, walk(value, depth + 1)) for key, value in items))
        if isinstance(node, tuple | list):
            items = cast("tuple[object, ...] | list[object]", node)
            walked = tuple((k, walk(value, depth + 1)) for k, value in enumerate(items))
            return Tree(_kind(items), walked)
        leaves.append(node)
        return LEAF

    tree = walk(nest, 0)
    paths = tree.paths()
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        fail(f"two tensors of a dict are called '{twice}'; keys differ as text")
    return leaves, tree


def _kind(node: tuple[Any, ...] | list[Any]) -> type[Any]:
    """The class of what is built like a sequence: a tuple with named fields stays one."""
    if isinstance(node, list):
        return list
    return type(node) if hasattr(node, "_fields") else tuple
