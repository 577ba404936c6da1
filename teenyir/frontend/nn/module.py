"""The base of layers: where parameters are found, loaded and, while tracing, replaced.

A parameter is a numpy array in a public attribute of a module, or in a list or dict there; its
name is the dotted path to it (`encoder.0.weight`), as in PyTorch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from threading import get_ident
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from teenyir.analysis.binding import is_masked
from teenyir.diagnostics import CompileError, InputError, error, nearest
from teenyir.dialects import dtypes, graph
from teenyir.dialects.rounding import to_float
from teenyir.files import put_whole
from teenyir.forking import tell_child
from teenyir.frontend.core import Array, TensorBase, Trace, current_or_none
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import as_path, fail, user_place


def refuse(module: Module | str, what: str, x: TensorBase) -> NoReturn:
    """Raises TraceError that says what a module does or takes, and what it got."""
    name = module if isinstance(module, str) else type(module).__name__
    fail(f"{name} {what}{',' * what.startswith('takes')} got extents {graph.as_text(x.extents)}")


@dataclass(frozen=True)
class Slot:
    """A place that holds a parameter."""

    name: str
    read: Callable[[], Array]
    write: Callable[[Any], None]


class Mismatch(NamedTuple):
    """What loading without `strict` has passed over."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def check_call(
    name: str, function: Callable[..., Any], inputs: Sequence[Any], named: Mapping[str, Any]
) -> None:
    """Raises TraceError where a function does not take so many inputs, or such names."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of what is not written in Python
        return
    try:
        signature.bind(*inputs, **named)
    except TypeError as problem:
        takes = ", ".join(str(p).split(":")[0].split("=")[0] for p in signature.parameters.values())
        fail(f"{name} takes ({takes}): {problem}")


def _undefined(self: Module, *_: Any) -> Any:
    fail(f"{type(self).__name__} does not define forward")


class Module:
    """A function with parameters. A subclass defines `forward`, and calls are made to `self`."""

    forward: Callable[..., Any] = _undefined
    """What the module computes, on symbolic tensors."""

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        if (trace := current_or_none()) is None:
            fail("a module is called while ty.trace runs; trace it: ty.trace(module, spec)")
        check_call(type(self).__name__, self.forward, inputs, named)
        with trace.scope(self):
            return self.forward(*inputs, **named)

    def __repr__(self) -> str:
        """The class, its parameters and, a line each, the modules in it."""
        own: list[str] = []
        inner: list[str] = []
        for name, value in _items(self.children()):
            if isinstance(value, np.ndarray):
                own.append(f"{name}: {_kind(cast(Array, value))}")
            elif isinstance(value, Module):
                inner.append(f"  ({name}): " + repr(value).replace("\n", "\n  ") + "\n")
        lines = "\n" + "".join(inner) if inner else ""
        return f"{type(self).__name__}({', '.join(own)}{lines})"

    def children(self) -> MutableMapping[str, Any]:
        """What parameters and modules are looked for in, by the names that they get."""
        return vars(self)

    def named_parameters(self) -> dict[str, Array]:
        """The parameters by dotted names; an array that is there twice has both."""
        return {slot.name: slot.read() for slot in slots(self)}

    def state_dict(self) -> dict[str, Array]:
        """The same: PyTorch's name of it."""
        return self.named_parameters()

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> Mismatch:
        """Take over parameters from arrays. Nothing is changed where anything does not fit.

        Without `strict` names may be missing or unexpected, and are returned. Raises CompileError
        that lists every name missing or unexpected and every shape or dtype that differs, with what
        was expected and what came.
        """
        if not isinstance(cast(object, state), Mapping):
            fail(f"a state dict maps names to arrays, got {type(state).__name__}")
        places = {slot.name: slot for slot in slots(self)}
        missing = [name for name in places if name not in state]
        unexpected = [name for name in state if name not in places]
        problems: list[str] = []
        if strict:
            problems += [f"{name} is missing, {_kind(places[name].read())}" for name in missing]
            problems += [_unexpected(name, state[name], missing) for name in unexpected]
        arrays: dict[str, Array] = {}
        for name, slot in places.items():
            if name in state:
                array = _as_array(state[name])
                problems += _mismatch(name, slot.read(), array, state[name])
                if array is not None:
                    arrays[name] = array
        if problems:
            raise CompileError(
                error(f"the weights do not fit the model: {'; '.join(problems)}", user_place())
            )
        for name, array in arrays.items():
            places[name].write(array)
        return Mismatch(missing, unexpected)

    def load(self, path: str | PathLike[str], strict: bool = True) -> Mismatch:
        """Take over parameters from a safetensors file; see `load_state_dict`."""
        return self.load_state_dict(read_safetensors(path), strict)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the parameters to a safetensors file, whole or not at all.

        Raises CompileError where it cannot be written.
        """
        write_safetensors(path, self.state_dict())

    def eval(self) -> Module:
        """The module: what is traced is inference always."""
        return self

    def astype(self, dtype: DTypeLike) -> Module:
        """Convert the floating parameters in place, and return the module.

        Raises TraceError where the dtype is not a floating one.
        """
        wanted = as_dtype(dtype)
        if wanted.kind != "float":
            fail(f"the parameters of a module become floats, not {wanted}")
        target = wanted.numpy()
        for slot in slots(self):
            found = dtypes.of_numpy(slot.read().dtype)
            if found is not None and found.kind == "float":
                slot.write(np.array(to_float(slot.read(), target)))
        return self


def _kind(array: Array) -> str:
    """A dtype and extents, as in `float32 (2, 3)`."""
    return f"{array.dtype} {array.shape}"


def _as_array(value: Any) -> Array | None:
    """What a state dict holds as an array of this machine's byte order; None where it is none."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # of a tensor of another package
        return None
    if array.dtype.kind not in "biufV" or is_masked(value):
        return None
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _unexpected(name: str, value: Any, missing: Sequence[str]) -> str:
    array = _as_array(value)
    what = f"{name} is unexpected, {type(value).__name__ if array is None else _kind(array)}"
    close = nearest(name, missing)
    return what if close is None else f"{what} (did you mean {close}?)"


def _mismatch(name: str, own: Array, given: Array | None, value: Any) -> list[str]:
    if given is None:
        return [f"{name} is a {type(value).__name__}, expected an array, {_kind(own)}"]
    found: list[str] = []
    if given.shape != own.shape:
        found.append(f"{name} has shape {given.shape}, expected {own.shape}")
    if given.dtype != own.dtype:
        known = [dtypes.of_numpy(array.dtype) for array in (own, given)]
        floats = all(dtype is not None and dtype.kind == "float" for dtype in known)
        hint = f" (model.astype(ty.{given.dtype}) makes the model such)" if floats else ""
        found.append(f"{name} is {given.dtype}, expected {own.dtype}{hint}")
    return found


def _safetensors(doing: str) -> Any:
    try:
        from safetensors import numpy as safetensors
    except ImportError:
        hint = "pip install 'teenyir[models]'"
        raise CompileError(
            error(f"{doing} weights needs safetensors: {hint}", user_place())
        ) from None
    return safetensors


def read_safetensors(path: str | PathLike[str]) -> dict[str, Array]:
    """The arrays of a safetensors file. Raises CompileError where it cannot be read."""
    safetensors = _safetensors("reading")
    name = as_path(path)
    from safetensors import SafetensorError

    try:
        load: Callable[[str], dict[str, Array]] = safetensors.load_file
        return load(name)
    except (OSError, SafetensorError) as problem:
        raise InputError(error(f"cannot read {name}: {problem}", user_place())) from None


def write_safetensors(path: str | PathLike[str], arrays: Mapping[str, Array]) -> None:
    """Write arrays to a safetensors file, whole or not at all.

    Raises CompileError where it cannot be written.
    """
    safetensors = _safetensors("writing")
    name = as_path(path)
    from safetensors import SafetensorError

    try:
        save: Callable[[dict[str, Array]], bytes] = safetensors.save
        # what is kept is memory, whatever order of axes it stands in
        rows = {key: np.asarray(array, order="C") for key, array in arrays.items()}
        put_whole(name, save(rows))
    except (OSError, SafetensorError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(error(f"cannot write {name}: {reason}", user_place())) from None


def slots(module: Module, prefix: str = "") -> Iterator[Slot]:
    """Every place in a module that holds a parameter, in the order of definition."""
    yield from _slots(module.children(), prefix, {id(module)})


def _slots(container: Any, prefix: str, above: set[int]) -> Iterator[Slot]:
    for key, value in _items(container):
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, np.ndarray) and not isinstance(container, tuple):
            yield _slot(container, key, name)
        elif isinstance(value, Module | list | tuple | dict) and id(cast(Any, value)) not in above:
            inner = value.children() if isinstance(value, Module) else cast(Any, value)
            yield from _slots(inner, name, above | {id(cast(Any, value))})


def _items(container: Any) -> list[tuple[Any, Any]]:
    if isinstance(container, dict):
        items = cast("dict[Any, Any]", container).items()
        return [(key, value) for key, value in items if not str(key).startswith("_")]
    return list(enumerate(cast("list[Any]", container)))


def _slot(container: Any, key: Any, name: str) -> Slot:
    def read() -> Array:
        return container[key]

    def write(value: Any) -> None:
        container[key] = value

    return Slot(name, read, write)


def modules(module: Module, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """A module and every module in it, with dotted names."""
    yield prefix, module
    yield from _modules(module.children(), prefix, {id(module)})


def _modules(container: Any, prefix: str, above: set[int]) -> Iterator[tuple[str, Module]]:
    for key, value in _items(container):
        name = f"{prefix}.{key}" if prefix else str(key)
        if not isinstance(value, Module | list | tuple | dict) or id(cast(Any, value)) in above:
            continue
        if isinstance(value, Module):
            yield name, value
        inner = value.children() if isinstance(value, Module) else cast(Any, value)
        yield from _modules(inner, name, above | {id(cast(Any, value))})


@dataclass(eq=False)
class _Swapped:
    """The arrays of a module that holds symbolic tensors instead."""

    held: list[tuple[Slot, Array]]
    thread: int
    """The one that traces."""

    def put_back(self) -> None:
        for slot, array in self.held:
            slot.write(array)

    def forked(self) -> None:
        """In the child of a fork only the thread that forked goes on tracing."""
        if self.thread != get_ident():
            self.put_back()


@contextmanager
def swapped(module: Module, prefix: str, trace: Trace) -> Generator[None]:
    """While a function is traced, its module holds symbolic tensors in place of its arrays.

    So a parameter keeps its name through whatever `forward` does with it (`self.weight.T`).
    """
    for name, inner in modules(module, prefix):
        if name:
            trace.module_names.setdefault(id(inner), name)
    swap = _Swapped([], get_ident())
    tell_child(swap)
    try:
        for slot in slots(module, prefix):
            array = slot.read()
            if dtypes.of_numpy(array.dtype) is not None:
                swap.held.append((slot, array))
                trace.names.setdefault(id(array), slot.name)
                slot.write(trace.parameter(array))
        yield
    finally:
        swap.put_back()
