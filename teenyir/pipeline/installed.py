"""Packages that are installed with an `xdsl.universe` entry point: their dialects and passes.

`importlib.metadata` would find them too, in 20 ms; most runs find none, and start-up matters.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from teenyir.diagnostics import InputError, error

if TYPE_CHECKING:
    from xdsl.universe import Universe

GROUP = "[xdsl.universe]"
_BUILT_IN = frozenset({"xdsl", "teenyir"})


def installed_universes() -> Iterator[Universe]:
    """The universes of installed packages, xDSL's and our own left out.

    Raises `InputError` for one that cannot be imported.
    """
    for name, reference in sorted(dict(_entry_points()).items()):
        if name in _BUILT_IN:
            continue
        module, _, attribute = reference.partition(":")
        try:
            yield getattr(import_module(module), attribute)
        except Exception as e:
            message = f"the installed plug-in '{name}' cannot be loaded: {type(e).__name__}: {e}"
            raise InputError(error(message)) from e


def add_installed(
    dialects: dict[str, Callable[[], Dialect]], passes: dict[str, Callable[[], type[ModulePass]]]
) -> None:
    """Add what installed packages bring to tables of dialects and passes; known names stay."""
    for universe in installed_universes():
        for name, dialect in universe.all_dialects.items():
            dialects.setdefault(name, dialect)
        for name, pass_type in universe.all_passes.items():
            passes.setdefault(name, pass_type)


def _entry_points() -> Iterator[tuple[str, str]]:
    """Each `name = module:object` of the group, from the metadata on Python's path."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                yield from _group_of(os.path.join(folder, name, "entry_points.txt"))


def _group_of(path: str) -> Iterator[tuple[str, str]]:
    text = ""
    with suppress(OSError), open(path, encoding="utf-8") as stream:
        text = stream.read()
    if GROUP not in text:
        return
    for line in text.split(GROUP, 1)[1].splitlines():
        if line.startswith("["):
            return
        name, equals, reference = line.partition("=")
        if equals:
            yield name.strip(), reference.split("[")[0].strip()
