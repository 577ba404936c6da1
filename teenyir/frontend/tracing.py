"""From Python to the graph floor: `ty.trace`, `ty.parse`, and what they give.

`trace` calls the function once on symbolic tensors. The arrays of modules that it reaches (itself,
its closure, its globals, what it is bound to) become parameters under their dotted names, other
numpy arrays under the names of the variables that hold them.
"""

from __future__ import annotations

import functools
import inspect
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region

from teenyir.diagnostics import CompileError, InputError, error
from teenyir.dialects import graph
from teenyir.forking import renewed, tell_child
from teenyir.frontend.arguments import shown
from teenyir.frontend.core import Array, Trace, as_tensor, check_unmasked, tensor_type, tracing
from teenyir.frontend.dims import Dim, Spec
from teenyir.frontend.errors import as_path, fail
from teenyir.frontend.nn.module import Module, check_call, swapped
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.trees import LEAF, Tree, flatten
from teenyir.pipeline.ir import parse_module, print_module, verify_module

if TYPE_CHECKING:
    from teenyir.runtime.lowered import Lowered


class _Turns:
    """Whose turn it is to trace: modules hold symbolic tensors then, for every thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        tell_child(self)

    def forked(self) -> None:
        """No other thread is tracing in the child of a fork."""
        self.lock = renewed(self.lock)


_TURNS = _Turns()


@dataclass
class Traced:
    """A program on the graph floor, with the values of its parameters."""

    module: ModuleOp
    """The IR: one function, whose arguments are the inputs and then the parameters."""
    parameters: dict[str, Array] = field(default_factory=dict[str, Array])
    """Values by the names of the arguments that have them."""
    outputs: Tree = LEAF
    """How the results make up what the function returned."""

    @property
    def entry(self) -> FuncOp:
        """The function that runs: the one called `main`, or the only one."""
        return entry_of(self.module)

    @property
    def input_names(self) -> list[str]:
        """The names of the arguments that a call passes, in order."""
        return [n for n in graph.argument_names(self.entry) if n not in self.parameters]

    @property
    def input_specs(self) -> list[Spec]:
        """Extents and dtype of each of these."""
        ranges = {dim.name: dim for dim in graph.symbols(self.entry)}
        specs: list[Spec] = []
        types = zip(graph.argument_names(self.entry), self.entry.function_type.inputs, strict=True)
        for name, type in types:
            if name not in self.parameters:
                tensor = cast(graph.Tensor, type)
                shape = [Dim.of(expr, ranges) for expr in graph.extents(tensor)]
                specs.append(Spec(shape, graph.dtype_of(tensor.element_type)))
        return specs

    @property
    def output_names(self) -> list[str]:
        """The name of each result: its path in what the function returned, or `output`."""
        return graph.result_names(self.entry)

    def as_text(self) -> str:
        """The IR as text."""
        return print_module(self.module)

    def lower(self, target: str = "cpu") -> Lowered:
        """The program on the machine floor of a target; this one stays as it is.

        Raises CompileError with its diagnostics.
        """
        from teenyir.runtime.lowered import lower

        gather = self.outputs.build if self.outputs.container else None
        return lower(self.module, target, self.parameters, gather)


def entry_of(module: ModuleOp) -> FuncOp:
    """The function called `main`, or the only one. Raises CompileError where there is neither."""
    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
    for func in functions:
        if func.sym_name.data == "main":
            return func
    if len(functions) != 1:
        names = ", ".join(f"@{func.sym_name.data}" for func in functions) or "none"
        raise CompileError(error(f"a program has a function @main or a single one; this: {names}"))
    return functions[0]


def parse(text_or_path: str | PathLike[str]) -> Traced:
    """A program from IR: text, or the path of a file (a path object, or text without newlines
    that ends in `.mlir`). Raises CompileError where it is no well-formed program.
    """
    text, name = _source(text_or_path)
    module = parse_module(text, name)
    verify_module(module)
    func = entry_of(module)
    for type in func.function_type.inputs:
        if not isinstance(type, TensorType):
            raise CompileError(error(f"an argument of @{func.sym_name.data} is no tensor: {type}"))
    names = graph.result_names(func)
    if len(names) == 1:
        return Traced(module)
    return Traced(module, outputs=Tree(tuple, tuple((str(k), LEAF) for k in range(len(names)))))


def _source(text_or_path: str | PathLike[str]) -> tuple[str, str]:
    if isinstance(text_or_path, str) and not re.fullmatch(r"[^\n]*\.mlir", text_or_path):
        return text_or_path, "<string>"
    path = as_path(text_or_path)
    try:
        return Path(path).read_text(encoding="utf-8"), path
    except OSError as problem:
        raise InputError(error(f"cannot read {path}: {problem.strerror or problem}")) from None
    except UnicodeDecodeError as problem:
        raise InputError(error(f"cannot read {path}: {problem}")) from None


def trace(function: Callable[..., Any], *specs: Any) -> Traced:
    """The program that `function` (or a module) computes for inputs of these specs.

    A spec is a `ty.Spec`, an example array, or a tuple, list or dict of such. The function
    returns a tensor, or a tuple, list or dict of them. Raises TraceError, which points at the
    user's line, where it does what a compiled program cannot.
    """
    if not callable(cast(object, function)):
        fail(f"what is traced is a function or a module, got {shown(function)}")
    state = Trace(Tensor)
    with ExitStack() as stack:
        stack.enter_context(_TURNS.lock)
        stack.enter_context(tracing(state))
        arguments = _arguments(state, function, specs)
        modules, state.names = _state_of(function)
        for name, module in modules.items():
            stack.enter_context(swapped(module, name, state))
        if not isinstance(function, Module):  # which looks itself
            check_call(getattr(function, "__name__", "the function"), function, arguments, {})
        result = function(*arguments)
        leaves, tree = flatten(result)
        outputs = [_output(leaf) for leaf in leaves]
        if not outputs:
            fail("the traced function returned no tensor")
        return finish(state, outputs, tree, len(flatten(list(specs))[0]))


def _output(leaf: object) -> Tensor:
    if leaf is None:
        fail("the traced function returned None; it is to return a tensor, or a nest of tensors")
    return as_tensor(cast(Any, leaf))


def finish(
    state: Trace,
    outputs: Sequence[Tensor],
    tree: Tree,
    inputs: int,
    told: Collection[str] = (),
) -> Traced:
    """The program that a trace has come to, whose first arguments are `inputs` inputs.

    `told` are names that a call gives (`dims=`). Raises TraceError where another name is no extent
    of an input.
    """
    _check_names(state, inputs, told)
    state.insert(ReturnOp(*(tensor.value for tensor in outputs)))
    state.drop_unused_parameters()
    types = ([arg.type for arg in state.entry.args], [tensor.type for tensor in outputs])
    func = FuncOp("main", types, Region(state.entry))
    func.location = state.location()
    if state.ranges:
        func.attributes[graph.SYMBOLS] = graph.SymbolsAttr(tuple(state.ranges.values()))
    graph.name_arguments(
        func, state.arguments, [index >= inputs for index in range(len(state.arguments))]
    )
    if tree.container is dict:
        graph.name_results(func, tree.paths())
    module = ModuleOp([*state.kernels.values(), func])
    module.location = func.location
    verify_module(module)
    return Traced(module, dict(state.parameters), tree)


def _arguments(state: Trace, function: Callable[..., Any], specs: Sequence[Any]) -> list[Any]:
    names = _parameter_names(function, len(specs))
    arguments: list[Any] = []
    for name, nest in zip(names, specs, strict=True):
        leaves, tree = flatten(nest)
        tensors: list[Tensor] = []
        for path, leaf in zip(tree.paths(name), leaves, strict=True):
            spec = _as_spec(leaf)
            extents = state.learn(spec.shape)
            tensors.append(state.argument(path, tensor_type(spec.dtype, extents)))
        arguments.append(tree.build(tensors))
    return arguments


def _as_spec(leaf: object) -> Spec:
    if isinstance(leaf, Spec):
        return leaf
    if isinstance(leaf, np.ndarray | np.generic):
        array = cast(Array, leaf)
        check_unmasked(array)
        return Spec(array.shape, array.dtype)
    fail(f"an input is described by a ty.Spec or an array, got {type(leaf).__name__}")


def _check_names(state: Trace, inputs: int, told: Collection[str]) -> None:
    """Each name is an extent of an input by itself, so that a call can tell its value."""
    plain = {
        expr.name
        for arg in state.entry.args[:inputs]
        for expr in graph.extents(graph.tensor_type(arg))
    }
    for name in state.ranges:
        if name not in plain and name not in told:
            fail(f"{name} is never an extent by itself, so that a call could not tell its value")


def _parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` positional parameters; argK where there is none."""
    target = function.forward if isinstance(function, Module) else function
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[k] if k < len(named) else f"arg{k}" for k in range(count)]


def _reached(function: Callable[..., Any]) -> Iterator[tuple[str, object]]:
    """What a function refers to besides its arguments, by the names that its text uses."""
    if isinstance(function, functools.partial):
        partial = cast("functools.partial[Any]", function)
        yield from partial.keywords.items()
        yield from ((f"arg{k}", value) for k, value in enumerate(partial.args))
        yield from _reached(partial.func)
    elif inspect.ismethod(function):
        yield "", function.__self__
        yield from _reached(function.__func__)
    elif inspect.isfunction(function):
        try:
            found = inspect.getclosurevars(function)
        except ValueError:  # a variable of the closure has no value yet
            return
        yield from found.nonlocals.items()
        yield from found.globals.items()
        yield from _inner_globals(function.__code__, function.__globals__)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.default is not parameter.empty:
                yield parameter.name, parameter.default


def _inner_globals(code: CodeType, known: dict[str, object]) -> Iterator[tuple[str, object]]:
    """What the functions inside of one refer to, such as the branches of a `ty.cond`."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from ((name, known[name]) for name in inner.co_names if name in known)
            yield from _inner_globals(inner, known)


def _leaves(name: str, value: object, seen: set[int]) -> Iterator[tuple[str, object]]:
    """What is in nested lists, tuples and dicts, by dotted names; anything else itself."""
    if not isinstance(value, list | tuple | dict):
        yield name, value
        return
    if id(cast(object, value)) in seen:
        return
    seen.add(id(cast(object, value)))
    items = (
        cast("dict[object, object]", value).items()
        if isinstance(value, dict)
        else enumerate(cast("Sequence[object]", value))
    )
    for key, inner in items:
        yield from _leaves(f"{name}.{key}", inner, seen)


def _state_of(function: Callable[..., Any]) -> tuple[dict[str, Module], dict[int, str]]:
    """The modules that a function reaches, by names, and the names of the arrays, by identity."""
    if isinstance(function, Module):
        return {"": function}, {}
    found: dict[int, tuple[str, Module]] = {}
    names: dict[int, str] = {}
    seen = set[int]()
    for root, value in _reached(function):
        for name, leaf in _leaves(root, value, seen):
            if isinstance(leaf, Module):
                found.setdefault(id(leaf), (name, leaf))
            elif isinstance(leaf, np.ndarray):
                names.setdefault(id(cast(object, leaf)), name)
    return dict(found.values()), names
