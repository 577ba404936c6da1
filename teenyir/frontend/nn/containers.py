"""Modules and parameters that are held by number or by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import numpy as np

from teenyir.diagnostics import did_you_mean
from teenyir.frontend.arguments import shown
from teenyir.frontend.core import Array
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module


class _Named(Module):
    """What is held is an attribute under its name, and so is found there like any other."""

    def __init__(self) -> None:
        self._names: list[str] = []

    @property
    def held(self) -> dict[str, Any]:
        """What is held, by names, in order."""
        return {name: vars(self)[name] for name in self._names}

    def _put(self, name: str, thing: Any) -> None:
        if name not in self._names:
            self._names.append(name)
        vars(self)[name] = thing

    def __len__(self) -> int:
        return len(self._names)


class _Numbered(_Named):
    """What is held is called "0", "1", ..."""

    def __init__(self, things: Iterable[Any]) -> None:
        super().__init__()
        self.extend(things)

    def _taken(self, thing: Any) -> Any:
        return _module(self, thing)

    def _name(self, position: int) -> str:
        return self._names[self._place(position, len(self._names))]

    def _place(self, position: int, count: int) -> int:
        if isinstance(position, bool) or not isinstance(cast(object, position), int | np.integer):
            fail(f"a place in {type(self).__name__} is an integer, got {shown(position)}")
        if not -count <= position < count:
            fail(f"{type(self).__name__} of {len(self)} has no place {position}")
        return int(position)

    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return self._part(self._names[position])
        return vars(self)[self._name(position)]

    def _part(self, names: list[str]) -> Any:
        return type(self)(vars(self)[name] for name in names)

    def __setitem__(self, position: int, thing: Any) -> None:
        self._put(self._name(position), self._taken(thing))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held.values())

    def append(self, thing: Any) -> Any:
        """Add one at the end; returns the container."""
        self._put(str(len(self)), self._taken(thing))
        return self

    def extend(self, things: Iterable[Any]) -> Any:
        """Add several at the end; returns the container."""
        for thing in _iterable(self, things):
            self.append(thing)
        return self

    def insert(self, position: int, thing: Any) -> None:
        """Put one before the place `position`; what follows moves on by one."""
        things = list(self.held.values())
        things.insert(self._place(position, len(things) + 1), self._taken(thing))
        for k, each in enumerate(things):
            self._put(str(k), each)


class Sequential(_Numbered):
    """Modules one after the other, called `0`, `1`, ..., or by the names of a dict."""

    def __init__(self, *layers: Module | Mapping[str, Module]) -> None:
        named = len(layers) == 1 and isinstance(layers[0], Mapping)
        super().__init__(() if named else layers)
        if named:
            for name, module in cast("Mapping[str, Module]", layers[0]).items():
                self._put(_name(self, name), _module(self, module))

    def _part(self, names: list[str]) -> Sequential:
        return Sequential({name: vars(self)[name] for name in names})

    def forward(self, x: Any) -> Any:
        for layer in self.held.values():
            x = layer(x)
        return x


class ModuleList(_Numbered):
    """Modules in a list, whose parameters are called `0.weight`, `1.weight`, ..."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__(modules or ())


class ParameterList(_Numbered):
    """Parameters in a list, called `0`, `1`, ..."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__(() if values is None else values)

    def _taken(self, thing: Any) -> Array:
        return _parameter(self, thing)


class _Dict(_Named):
    """What is held, by names of one's own."""

    def __init__(self, things: Mapping[str, Any] | None) -> None:
        super().__init__()
        self.update({} if things is None else things)

    def _taken(self, thing: Any) -> Any:
        return _module(self, thing)

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            fail(f"{type(self).__name__} has no {name!r}{did_you_mean(name, self._names)}")
        return vars(self)[name]

    def __setitem__(self, name: str, thing: Any) -> None:
        self._put(_name(self, name), self._taken(thing))

    def __contains__(self, name: str) -> bool:
        return isinstance(cast(object, name), str) and name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self.held.keys()

    def values(self) -> Iterable[Any]:
        """What is held."""
        return self.held.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names, and what is held under them."""
        return self.held.items()

    def update(self, things: Mapping[str, Any]) -> None:
        """Take over what another holds."""
        if not isinstance(cast(object, things), Mapping | _Dict):
            fail(f"{type(self).__name__} takes over what has names, got {shown(things)}")
        for name, thing in things.items():
            self[name] = thing


class ModuleDict(_Dict):
    """Modules by names, after which their parameters are called: `dense.weight`, ..."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__(modules)


class ParameterDict(_Dict):
    """Parameters by names."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)

    def _taken(self, thing: Any) -> Array:
        return _parameter(self, thing)


def _iterable(container: Module, things: Any) -> Iterable[Any]:
    try:
        return iter(things)
    except TypeError:
        fail(f"{type(container).__name__} takes several in a row, got {shown(things)}")


def _parameter(container: Module, thing: Any) -> Array:
    try:
        return np.asarray(thing)
    except (TypeError, ValueError, RuntimeError):  # of nests of unequal lengths, and other packages
        fail(f"{type(container).__name__} holds arrays, got {shown(thing)}")


def _module(container: Module, thing: Any) -> Module:
    if not isinstance(thing, Module):
        fail(f"{type(container).__name__} holds modules, got {type(thing).__name__}")
    return thing


def _name(container: Module, name: str) -> str:
    if not isinstance(cast(object, name), str):
        fail(f"a name in {type(container).__name__} is a string, got {shown(name)}")
    taken = not name or "." in name or name.startswith("_") or hasattr(type(container), name)
    if taken:
        fail(f"{type(container).__name__} has no room for the name {name!r}")
    return name
