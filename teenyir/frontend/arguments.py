"""What is given beside tensors: numbers, flags, sizes and choices, held to their annotations.

`@checked` makes a function, or the `__init__` of a layer, read its arguments by its signature. What
fits comes in as Python's own (an integer of numpy as an `int`, a list of sizes as a tuple); what
does not is refused at the user's line, with the name of the argument, what was expected and what
came. Annotations of tensors, dtypes and extents say nothing here: those are read where they are
used.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import reprlib
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from itertools import chain, repeat
from typing import (
    Annotated,
    Any,
    Literal,
    NoReturn,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend.core import Array, TensorBase
from teenyir.frontend.dims import Dim
from teenyir.frontend.errors import fail

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Within:
    """Which numbers may be given: from `low` to `high`, or above `low` where that is `open`."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        return (value > self.low if self.open else value >= self.low) and value <= self.high

    def __str__(self) -> str:
        if self.low == -math.inf:
            return ""
        start = f" above {self.low}" if self.open else f" from {self.low}"
        end = f" to {self.high}" if self.high < math.inf else "" if self.open else " on"
        return start + end


MOST_REPEATS = 4096
"""Of what is written out in the program each time, such as layers in a row."""

Count = Annotated[int, Within(1)]
Natural = Annotated[int, Within(0)]
End = Annotated[int, Within(-(2**63), 2**64)]
"""What integers of any width begin at, or end before."""
Repeats = Annotated[int, Within(0, MOST_REPEATS)]
Sizes = Count | Sequence[Count]
"""One for all axes, or one for each."""
Margins = Natural | Sequence[Natural]
"""One for all axes, or one for each; of padding."""
Positive = Annotated[float, Within(0, open=True)]
NonNegative = Annotated[float, Within(0)]
Chance = Annotated[float, Within(0, 1)]
Scale = Annotated[float, Within(0, 2**31, open=True)]

LONGEST = 2**16
"""Elements of a sequence of sizes, axes or places."""


class _Extent:
    """What stands for an extent, or for a number in the place of one (-1 of a reshape)."""


_NAMES = {
    "ArrayLike": Any,
    "Nested": Any,
    "DTypeLike": Any,
    "Extent": _Extent,
    "Shape": Sequence[_Extent] | _Extent,
    "Scalar": bool | float,
    "Tensor": TensorBase,
    "Array": np.ndarray,
}
"""What names in annotations, which type checkers alone resolve, are read as here."""


class _Unfit(Exception):
    """A value is not what an annotation says; perhaps with better words for what was expected."""


@dataclass(frozen=True)
class _Kind:
    """What an annotation says."""

    words: str
    read: Callable[[Any], Any]
    """The value as it is passed on. Raises _Unfit."""
    each: str = ""
    """The words of the elements, where it is a sequence of any length."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose arguments are read by their annotations; see above."""
    parameters = inspect.signature(function).parameters.values()
    placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    by_place = [p.name for p in parameters if p.kind in placed]
    others = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        kinds = _kinds(function)
        owner = type(args[0]).__name__ if by_place[:1] == ["self"] else call.__name__

        def read(name: str, value: Any) -> Any:
            kind = kinds.get(name)
            return value if kind is None else _read(kind, owner, name, value)

        names = chain(by_place, repeat(others))
        given = [read(name, value) for name, value in zip(names, args, strict=False)]
        named = {name: read(name, value) for name, value in kwargs.items()}
        return function(*given, **named)  # pyright: ignore[reportCallIssue]

    return call


@cache
def _kinds(function: Callable[..., Any]) -> dict[str, _Kind]:
    """What each parameter is to be, where its annotation says so."""
    own = inspect.unwrap(function)
    annotations = inspect.get_annotations(own, eval_str=True, locals=_NAMES)
    found = {name: _kind(hint) for name, hint in annotations.items() if name != "return"}
    return {name: kind for name, kind in found.items() if kind is not None}


def _read(kind: _Kind, owner: str, name: str, value: Any) -> Any:
    try:
        return kind.read(value)
    except _Unfit as problem:
        fail(f"the {name} of {owner} is {problem.args[0] or kind.words}, got {shown(value)}")


def shown(value: Any) -> str:
    """A value in a message: short, whatever it is."""
    if isinstance(value, TensorBase):
        return "a tensor"
    if isinstance(value, np.ndarray):
        array = cast(Array, value)
        return f"an array of {array.dtype} {array.shape}"
    try:
        return reprlib.repr(value)
    except Exception:  # of a class of the user's own, or an integer of too many digits
        return f"a {type(value).__name__}"


# --- kinds ----------------------------------------------------------------------------------------


def _unfit(words: str = "") -> NoReturn:
    raise _Unfit(words)


def _kind(hint: Any) -> _Kind | None:
    """What an annotation says; None where it says nothing here."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _number(args[0], args[1])
    if hint in (int, float):
        return _number(hint, Within())
    if origin is Literal:
        return _choice(args)
    if origin in (Union, types.UnionType):
        return _either([_kind(arg) for arg in args])
    if origin in (tuple, list, collections.abc.Sequence):
        return _several(args)
    return _PLAIN.get(hint) or _PLAIN.get(origin) or _instance(origin or hint)


def _number(base: type, within: Within) -> _Kind:
    noun, read = ("an integer", _integer) if base is int else ("a number", _float)

    def bounded(value: Any) -> Any:
        number = read(value)
        if base is int and within.high == math.inf and not -(2**63) <= number < 2**63:
            _unfit("an integer of 64 bits")
        return number if number in within or within == Within() else _unfit()

    return _Kind(f"{noun}{within}", bounded)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        _unfit()
    return int(cast(int, value))


def _float(value: Any) -> int | float:
    if isinstance(value, np.generic):
        scalar = cast("np.generic[Any]", value)
        value = scalar.item() if dtypes.of_numpy(scalar.dtype) is not None else _unfit()
    if isinstance(value, bool) or not isinstance(value, int | float):
        _unfit()
    try:
        float(value)
    except OverflowError:
        _unfit("a number that a float64 holds")
    return value


def _extent(value: Any) -> int | Dim:
    return value if isinstance(value, Dim) else _WORD.read(value)


def _flag(value: Any) -> bool:
    return bool(cast(bool, value)) if isinstance(value, bool | np.bool_) else _unfit()


def _none(value: Any) -> None:
    return None if value is None else _unfit()


def _numbers(value: Any) -> Any:
    """An array; a nested sequence of numbers makes one."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # of a tensor of another package
        _unfit()
    return array if dtypes.of_numpy(array.dtype) is not None else _unfit()


def _call(value: Any) -> Any:
    return value if callable(value) else _unfit()


_WORD = _number(int, Within())

_PLAIN = {
    bool: _Kind("True or False", _flag),
    _Extent: _Kind("an integer or a ty.Dim", _extent),
    type(None): _Kind("None", _none),
    np.ndarray: _Kind("an array of numbers", _numbers),
    cast(Any, collections.abc.Callable): _Kind("a function", _call),
}
"""Annotations that say all by themselves."""


def _choice(names: Sequence[Any]) -> _Kind:
    def read(value: Any) -> Any:
        return value if isinstance(value, str) and value in names else _unfit()

    words = ", ".join(map(repr, names))
    return _Kind(f"one of {words}" if len(names) > 1 else words, read)


def _instance(cls: Any) -> _Kind | None:
    if cls is Any or not isinstance(cls, type):
        return None

    def read(value: Any) -> Any:
        return value if isinstance(value, cls) else _unfit()

    return _Kind(_NOUNS.get(cls, f"a {cls.__name__}"), read)


_NOUNS = {str: "a string", TensorBase: "a tensor", collections.abc.Mapping: "a dict"}


def _several(args: Sequence[Any]) -> _Kind:
    """A sequence of one kind of any length, or of the kinds given."""
    free = len(args) == 1 or args[1:] == (...,)
    kinds = [_kind(arg) for arg in (args[:1] if free else args)]

    def read(value: Any) -> Any:
        items = _items(value)
        if not free and len(items) != len(kinds):
            _unfit()
        each = kinds * len(items) if free else kinds
        pairs = zip(each, items, strict=True)
        return tuple(one if kind is None else kind.read(one) for kind, one in pairs)

    parts = [kind.words if kind is not None else "anything" for kind in kinds]
    if free:
        return _Kind(f"a sequence of which each is {parts[0]}", read, parts[0])
    return _Kind(f"({', '.join(parts)})", read)


def _items(value: Any) -> Sequence[Any]:
    """What is in a sequence, or in a vector of numpy."""
    if isinstance(value, np.ndarray) and cast(Array, value).ndim == 1:
        value = cast(Array, value)[: LONGEST + 1].tolist()
    if not isinstance(value, list | tuple | range):
        _unfit()
    items = cast("Sequence[Any]", value)
    return items if len(items) <= LONGEST else _unfit(f"a sequence of {LONGEST} at most")


def _either(kinds: Sequence[_Kind | None]) -> _Kind | None:
    """What one of several annotations says, the first that fits."""
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None

    def read(value: Any) -> Any:
        better = ""
        for kind in known:
            try:
                return kind.read(value)
            except _Unfit as problem:
                better = better or problem.args[0]
        _unfit(better)

    return _Kind(_joined(known), read)


def _joined(kinds: Sequence[_Kind]) -> str:
    """The words of several kinds; a sequence of what the others are is one of these."""
    words = [kind.words for kind in kinds if not kind.each]
    these = {" or ".join(words), *words}
    words += ["a sequence of these" if k.each in these else k.words for k in kinds if k.each]
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
