"""What a command's FILE may be: IR, a model of ONNX, or `module.py:callable`.

    teeny-translate model.mlir --to=llvmir
    teeny-translate model.onnx --to=mlir
    teeny-translate examples/mlp.py:model --to=mlir

A callable from Python is a `ty.trace` result, a function that says it makes one (`def f() ->
ty.Traced`), or a function or model whose parameters are annotated with specs:
`def f(x: ty.Spec((N, 4))): ...`.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.signature import Promise
from teenyir.diagnostics import CompileError, InputError, Location, did_you_mean, error
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.tools.command import read_input

_PYTHON = re.compile(r"(?P<file>.+\.py)(?::(?P<name>[\w.]+))?\Z")


@dataclass
class Program:
    """A module, the values of its parameters, and the texts that messages quote."""

    module: ModuleOp
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    decided: tuple[str, ...] = ()
    """The inputs whose values are part of it."""
    settled: tuple[str, ...] = ()
    """The names of extents that are numbers in it."""
    promises: tuple[Promise, ...] = ()
    """What it was made for the names of extents to keep."""


def read_program(
    path: str,
    sources: dict[str, str],
    stated: Mapping[str, str] | None = None,
    dims: Mapping[str, int] | None = None,
) -> Program:
    """The program that a FILE argument names; its text goes into `sources`.

    `stated` says where inputs come from, and `dims` what names of extents are: a model of ONNX is
    compiled for those that decide what it is.

    Raises CompileError for what cannot be read, parsed, verified or traced.
    """
    if (match := _PYTHON.match(path)) is not None:
        return _from_python(match["file"], match["name"])
    if path.lower().endswith(".onnx"):
        return _from_onnx(path, stated or {}, dims or {})
    text, name = read_input(path)
    sources[name] = text
    module = parse_module(text, name)
    verify_module(module)
    return Program(module)


def _from_onnx(path: str, stated: Mapping[str, str], dims: Mapping[str, int]) -> Program:
    from teenyir.frontend.onnx.extents import UnsuitedExtent
    from teenyir.frontend.onnx.model import load_onnx
    from teenyir.frontend.onnx.nodes import UnknownInput
    from teenyir.tools.run_inputs import load_array

    model = load_onnx(path)
    values: dict[str, Any] = {}
    settled: dict[str, int] = {}
    while True:
        try:
            traced = model.trace(values)
            if unkept := traced.unkept(dims):
                raise UnsuitedExtent(unkept, "extents do not suit")
            facts = tuple(values), tuple(settled), traced.promises
            return Program(traced.module, dict(traced.parameters), *facts)
        except UnknownInput as unknown:
            found = [name for name in unknown.names if name in stated]
            if not found:
                raise
            for name in found:
                values[name] = load_array(stated[name], name, model.specs[name].dtype)
        except UnsuitedExtent as unsuited:
            new = {name: dims[name] for name in sorted(unsuited.names) if name in dims}
            if not new:
                raise
            model = model.with_extents(new)
            settled |= new


def _from_python(path: str, name: str | None) -> Program:
    from teenyir.frontend.tracing import Traced, trace

    if name is None:
        raise InputError(f"which callable of '{path}' is meant? write {path}:NAME")
    found = _attribute(_run_file(path), path, name)
    if _guarded(path, lambda: _result_of(found)) is Traced:
        found = _guarded(path, found)
    if isinstance(found, Traced):
        return Program(found.module, dict(found.parameters))
    if not callable(found):
        raise InputError(f"{path}:{name} is {type(found).__name__}, which cannot be traced")
    traced = _guarded(path, lambda: trace(found, *_specs(path, name, found)))
    return Program(traced.module, dict(traced.parameters))


def _result_of(found: object) -> object:
    """What a function is annotated to return, if it is one and says so."""
    if not inspect.isfunction(found):
        return None
    return inspect.get_annotations(found, eval_str=True).get("return")


def _specs(path: str, name: str, function: Callable[..., Any]) -> list[Any]:
    """The specs that a function's parameters are annotated with."""
    from teenyir.frontend.dims import Spec

    target = getattr(function, "forward", function)
    try:
        parameters = inspect.signature(target, eval_str=True).parameters.values()
    except (TypeError, ValueError, NameError) as problem:
        raise InputError(f"{path}:{name} has no parameters to read: {problem}") from None
    for parameter in parameters:
        if not isinstance(parameter.annotation, Spec):
            raise InputError(
                f"parameter '{parameter.name}' of {path}:{name} is not annotated with a ty.Spec; "
                f"annotate it, or name the result of ty.trace(...)"
            )
    return [parameter.annotation for parameter in parameters]


def _attribute(module: Any, path: str, name: str) -> Any:
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [n for n in dir(found) if not n.startswith("_")]
            raise InputError(f"'{path}' has no '{part}'{did_you_mean(part, public)}")
        found = getattr(found, part)
    return found


def _run_file(path: str) -> Any:
    """The module that a file of Python defines, run as `import` would."""
    if not os.path.isfile(path):
        raise InputError(f"cannot read '{path}': {os.strerror(2)}")
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"cannot read '{path}': it is no Python file")
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        _guarded(path, lambda: loader.exec_module(module))
    finally:
        del sys.path[0]
    return module


def _guarded(path: str, body: Callable[[], Any]) -> Any:
    """Run the user's code; an exception becomes a diagnostic at the line of the file it is from."""
    try:
        return body()
    except CompileError:
        raise
    except SyntaxError as problem:
        place = Location(problem.filename or path, problem.lineno or 1, problem.offset or 1)
        raise InputError(error(f"{problem.msg}", place)) from None
    except Exception as problem:
        frames = traceback.extract_tb(problem.__traceback__)
        own = [f for f in frames if os.path.abspath(f.filename) == os.path.abspath(path)]
        at = own[-1] if own else None
        place = Location(path, at.lineno or 1, (at.colno or 0) + 1) if at is not None else None
        raise InputError(error(f"{type(problem).__name__}: {problem}", place)) from None
