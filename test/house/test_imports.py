"""The house's import rule: a room knows the rooms below it, and there are no cycles.

The rule is about what the text of a module imports, at its top or inside a function or for a type
checker alone. A registry that names a module in a string is exempt: that is what it is for.
"""

import ast
import os
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LAYERS = (
    {"diagnostics", "files", "forking", "once"},
    {"targets"},
    {"dialects"},
    {"analysis"},
    {"rewriting"},
    {"passes"},
    {"lowering"},
    {"pipeline"},
    {"universe"},
    {"interpreter", "emulator"},
    {"runtime"},
    {"tuning"},
    {"frontend"},
    {"tools"},
)
"""From the ground up: a room imports itself and the rooms of the layers before its own."""

ALONE = {
    "emulator": {"diagnostics"},
    "interpreter": {"diagnostics", "targets", "dialects", "analysis"},
}
"""Rooms that know less than their place would let them."""

FACADES = {"teenyir", "teenyir.array", "teenyir.nn", "teenyir.random"}
"""Modules that only hand on names of other rooms, lazily."""

FLOORS = ("graph", "kernel", "uop", "machine")
"""The folders of `passes`, from the top of the tower: a floor's passes know no floor below."""


def sources() -> Iterator[tuple[str, Path]]:
    """Yield each module of the package by its dotted name, once, with its file."""
    for folder in (ROOT / "teenyir", ROOT / "passes", ROOT / "lowering", ROOT / "tools"):
        for directory, subfolders, names in os.walk(folder):
            subfolders[:] = [name for name in subfolders if name != "__pycache__"]
            for name in names:
                if name.endswith(".py"):
                    file = Path(directory) / name
                    parts = file.relative_to(ROOT).with_suffix("").parts
                    parts = parts if parts[0] == "teenyir" else ("teenyir", *parts)
                    yield ".".join(part for part in parts if part != "__init__"), file


@cache
def modules() -> dict[str, Path]:
    return dict(sources())


def absolute(node: ast.ImportFrom, module: str) -> str:
    """Return what `from <this> import` means in `module`, dots resolved."""
    if not node.level:
        return node.module or ""
    is_package = modules()[module].name == "__init__.py"
    package = module.split(".")
    package = package[: len(package) - node.level + is_package]
    return ".".join([*package, *([node.module] if node.module else [])])


class WhenRun(ast.NodeTransformer):
    """Drops what only a type checker reads."""

    def visit_If(self, node: ast.If) -> ast.AST:
        is_check = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return ast.Pass() if is_check else self.generic_visit(node)


class WhenLoaded(WhenRun):
    """Drops what only a type checker reads, or a call runs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return ast.Pass()


def imported(module: str, kept: ast.NodeTransformer | None = None) -> Iterator[tuple[str, int]]:
    """Yield the modules of ours that `module` imports, with the line.

    Arguments:
        module: its dotted name.
        kept: drops what does not count; without one, everything does.
    """
    tree = ast.parse(modules()[module].read_text())
    for node in ast.walk(kept.visit(tree) if kept else tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "teenyir":
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node, module)
            if origin.split(".")[0] == "teenyir":
                for alias in node.names:
                    inner = f"{origin}.{alias.name}"
                    yield inner if inner in modules() else origin, node.lineno


def targets(module: str) -> set[str]:
    """Return what `module` needs: what it loads, and what its functions take from other folders.

    Two modules of one folder may call each other, as operations and their verifier do.
    """
    folder = modules()[module].parent
    called = {target for target, _ in imported(module, WhenRun()) if target in modules()}
    loaded = {target for target, _ in imported(module, WhenLoaded()) if target in modules()}
    needed = loaded | {target for target in called if modules()[target].parent != folder}
    return needed - FACADES - {module}


def room(module: str) -> str:
    """Return the room of a dotted module name: `dialects` of `teenyir.dialects.kernel`."""
    return module.split(".")[1]


@cache
def allowed(name: str) -> frozenset[str]:
    """Return the rooms that the room `name` may import."""
    if name in ALONE:
        return frozenset({name} | ALONE[name])
    below: set[str] = set()
    for layer in LAYERS:
        if name in layer:
            return frozenset(below | {name})
        below |= layer
    raise AssertionError(f"teenyir/{name} has no place in the house: add it to LAYERS")


@pytest.mark.parametrize("module", sorted(set(modules()) - FACADES))
def test_imports_point_down(module: str) -> None:
    above = [
        f"{modules()[module].relative_to(ROOT)}:{line}: {target}"
        for target, line in imported(module)
        if target != "teenyir" and room(target) not in allowed(room(module))
    ]
    assert not above, f"{room(module)} may import {sorted(allowed(room(module)))}"


def test_a_floor_s_passes_know_no_floor_below() -> None:
    for module in modules():
        parts = module.split(".")
        if parts[1:2] == ["passes"] and parts[2:3] and parts[2] in FLOORS:
            below = FLOORS[FLOORS.index(parts[2]) + 1 :]
            for target, line in imported(module):
                words = target.split(".")
                assert not (
                    words[1] in ("passes", "dialects") and words[2:3] and words[2] in below
                ), f"{modules()[module]}:{line}: {target}"


def test_no_cycles() -> None:
    """`TopologicalSorter` names the cycle, if there is one."""
    graph = {module: targets(module) for module in modules() if module not in FACADES}
    TopologicalSorter(graph).prepare()


def test_rooms_are_imported_by_their_full_name() -> None:
    for module, file in modules().items():
        for node in ast.walk(ast.parse(file.read_text())):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
            bare = {name.split(".")[0] for name in names} & {"passes", "lowering", "tools"}
            assert not bare, f"{module}: write teenyir.{bare.pop()}"
