"""The base of layers: where parameters are found, loaded and, while tracing, replaced.

A parameter is a numpy array in a public attribute of a module, or in a list or dict there; its
name is the dotted path to it (`encoder.0.weight`), as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, cast

import numpy as np

from teenyir.diagnostics import CompileError, InputError, error
from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.frontend.core import Array, Trace, current_or_none
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail, user_place

_GENERATOR: list[np.random.Generator] = [np.random.default_rng(0)]


def manual_seed(seed: int) -> None:
    """Start the generator of initial weights anew. It starts with seed 0."""
    _GENERATOR[0] = np.random.default_rng(seed)


def uniform(bound: float, shape: tuple[int, ...], dtype: DType) -> Array:
    """Initial weights, evenly distributed over `[-bound, bound)`."""
    return _GENERATOR[0].uniform(-bound, bound, shape).astype(dtype.numpy())


def normal(shape: tuple[int, ...], dtype: DType) -> Array:
    """Initial weights, of the normal distribution with mean 0 and variance 1."""
    return _GENERATOR[0].standard_normal(shape).astype(dtype.numpy())


@dataclass(frozen=True)
class Slot:
    """A place that holds a parameter."""

    name: str
    read: Callable[[], Array]
    write: Callable[[Any], None]


def _undefined(self: Module, *_: Any) -> Any:
    fail(f"{type(self).__name__} does not define forward")


class Module:
    """A function with parameters. A subclass defines `forward`, and calls are made to `self`."""

    forward: Callable[..., Any] = _undefined
    """What the module computes, on symbolic tensors."""

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        if (trace := current_or_none()) is None:
            fail("a module is called while ty.trace runs; trace it: ty.trace(module, spec)")
        with trace.scope(self):
            return self.forward(*inputs, **named)

    def children(self) -> MutableMapping[str, Any]:
        """What parameters and modules are looked for in, by the names that they get."""
        return vars(self)

    def named_parameters(self) -> dict[str, Array]:
        """The parameters by dotted names; an array that is there twice has both."""
        return {slot.name: slot.read() for slot in slots(self)}

    def state_dict(self) -> dict[str, Array]:
        """The same: PyTorch's name of it."""
        return self.named_parameters()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over parameters from arrays. Nothing is changed where anything does not fit.

        Raises CompileError that lists every name missing or unexpected and every shape or dtype
        that differs.
        """
        places = {slot.name: slot for slot in slots(self)}
        arrays = {name: np.asarray(value) for name, value in state.items()}
        problems = [f"{name} is missing" for name in places if name not in arrays]
        problems += [f"{name} is unexpected" for name in arrays if name not in places]
        for name, slot in places.items():
            if name in arrays:
                problems += _mismatch(name, slot.read(), arrays[name])
        if problems:
            raise CompileError(
                error(f"the weights do not fit the model: {'; '.join(problems)}", user_place())
            )
        for name, slot in places.items():
            slot.write(arrays[name])

    def load(self, path: str | PathLike[str]) -> None:
        """Take over parameters from a safetensors file; see `load_state_dict`."""
        self.load_state_dict(read_safetensors(path))

    def astype(self, dtype: DTypeLike) -> Module:
        """Convert the floating parameters in place, and return the module."""
        target = as_dtype(dtype).numpy()
        for slot in slots(self):
            found = dtypes.of_numpy(slot.read().dtype)
            if found is not None and found.kind == "float":
                slot.write(slot.read().astype(target))
        return self


def _mismatch(name: str, own: Array, given: Array) -> list[str]:
    if given.shape != own.shape:
        return [f"{name} has shape {given.shape}, expected {own.shape}"]
    if given.dtype != own.dtype:
        hint = f"model.astype(ty.{given.dtype}) makes the model such"
        return [f"{name} is {given.dtype}, expected {own.dtype} ({hint})"]
    return []


def read_safetensors(path: str | PathLike[str]) -> dict[str, Array]:
    """The arrays of a safetensors file. Raises CompileError where it cannot be read."""
    try:
        from safetensors import SafetensorError
        from safetensors import numpy as safetensors
    except ImportError:
        raise CompileError(
            error("reading weights needs safetensors: pip install 'teenyir[models]'", user_place())
        ) from None
    try:
        load: Callable[[str], dict[str, Array]] = cast(Any, safetensors).load_file
        return load(fspath(path))
    except (OSError, SafetensorError) as problem:
        raise InputError(error(f"cannot read {fspath(path)}: {problem}", user_place())) from None


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


@contextmanager
def swapped(module: Module, prefix: str, trace: Trace) -> Generator[None]:
    """While a function is traced, its module holds symbolic tensors in place of its arrays.

    So a parameter keeps its name through whatever `forward` does with it (`self.weight.T`).
    """
    for name, inner in modules(module, prefix):
        if name:
            trace.module_names.setdefault(id(inner), name)
    held: list[tuple[Slot, Array]] = []
    try:
        for slot in slots(module, prefix):
            array = slot.read()
            if dtypes.of_numpy(array.dtype) is not None:
                held.append((slot, array))
                trace.names.setdefault(id(array), slot.name)
                slot.write(trace.parameter(array))
        yield
    finally:
        for slot, array in held:
            slot.write(array)
