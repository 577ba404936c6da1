"""Packages that are installed with an `xdsl.universe` entry point: what they bring.

`importlib.metadata` would find them too, in 20 ms; most runs find none, and start-up matters.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from teenyir.diagnostics import InputError, error
from teenyir.pipeline.build import Registry

if TYPE_CHECKING:
    from xdsl.universe import Universe

GROUP = "[xdsl.universe]"
_BUILT_IN = frozenset({"xdsl", "teenyir"})


def installed_universes() -> Iterator[tuple[Universe, ModuleType]]:
    """The universes of installed packages and the modules that hold them, but xDSL's and ours.

    Raises `InputError` for one that cannot be imported.
    """
    for name, reference in sorted(dict(_entry_points()).items()):
        if name in _BUILT_IN:
            continue
        module, _, attribute = reference.partition(":")
        try:
            holder = import_module(module)
            yield getattr(holder, attribute), holder
        except Exception as e:
            message = f"the installed plug-in '{name}' cannot be loaded: {type(e).__name__}: {e}"
            raise InputError(error(message)) from e


def add_installed(registry: Registry) -> None:
    """Add what installed packages bring to a registry; names that it knows stay as they are."""
    for universe, module in installed_universes():
        for name, dialect in universe.all_dialects.items():
            registry.dialects.setdefault(name, dialect)
        for name, pass_type in universe.all_passes.items():
            registry.passes.setdefault(name, pass_type)
        for name, pipeline in getattr(module, "PIPELINES", {}).items():
            registry.pipelines.setdefault(name, pipeline)
        registry.order += getattr(module, "ORDER", ())


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
