"""Plug-ins: passes, dialects and pipelines from a file or a module of the user's.

A plug-in is a Python module with any of

    DIALECTS = [MY_DIALECT]                    xDSL dialects
    PASSES = [MyPass]                          classes of passes, ours or xDSL's
    PIPELINES = {"mine": NamedPipeline(...)}   named pipelines
    ORDER = [Order("first", "then", "why")]    which passes must come before which

or an installed package with an `xdsl.universe` entry point, which is found without being asked for:
the dialects and passes of its universe, and `PIPELINES` and `ORDER` of the module that holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from teenyir.diagnostics import InputError, error
from teenyir.pipeline.build import Registry
from teenyir.pipeline.order import Order
from teenyir.pipeline.registry import NamedPipeline

_Value = TypeVar("_Value")

PARTS = ("DIALECTS", "PASSES", "PIPELINES", "ORDER")


def load_plugin(name: str, registry: Registry) -> None:
    """Add what the plug-in `name`, a file `*.py` or a module, holds to a registry.

    Raises `InputError` if it cannot be imported or holds nothing.
    """
    module = _import(name)
    if not any(hasattr(module, part) for part in PARTS):
        raise InputError(error(f"the plug-in '{name}' defines none of {', '.join(PARTS)}"))
    for dialect in _checked(module, "DIALECTS", Dialect):
        registry.dialects[dialect.name] = _constant(dialect)
    for pass_type in cast(Iterable[type[ModulePass]], getattr(module, "PASSES", ())):
        registry.passes[pass_type.name] = _constant(pass_type)
    for key, pipeline in cast(dict[str, NamedPipeline], getattr(module, "PIPELINES", {})).items():
        registry.pipelines[key] = pipeline
    registry.order += _checked(module, "ORDER", Order)


def _checked(module: ModuleType, part: str, kind: type[Any]) -> Iterable[Any]:
    values: Iterable[Any] = getattr(module, part, ())
    for value in values:
        if not isinstance(value, kind):
            message = f"{module.__name__}.{part} holds {value!r}, which is no {kind.__name__}"
            raise InputError(error(message))
        yield value


def _constant(value: _Value) -> Callable[[], _Value]:
    return lambda: value


def _import(name: str) -> ModuleType:
    if not name or (name.startswith(".") and not name.endswith(".py")):
        raise InputError(
            error(f"the plug-in '{name}' is neither a file '*.py' nor a module's name")
        )
    try:
        return _import_file(name) if name.endswith(".py") else import_module(name)
    except InputError:
        raise
    except Exception as e:
        message = f"the plug-in '{name}' cannot be loaded: {type(e).__name__}: {e}"
        raise InputError(error(message)) from e


@cache
def _import_file(name: str) -> ModuleType:
    path = Path(name).resolve()
    if not path.is_file():
        raise InputError(error(f"the plug-in '{name}' is no file"))
    module_name = f"teenyir_plugin_{path.stem}"
    spec = spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module
