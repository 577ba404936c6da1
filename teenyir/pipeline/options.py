"""The options of passes and named pipelines: text to typed values and back.

The types are those that xDSL's passes use: `int`, `float`, `str`, `bool`, `Literal`, tuples of
these, and unions of all of these with or without `None`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from teenyir.pipeline.text import quote, split_commas, unquote


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """An option of a pass or pipeline."""

    name: str
    """As in text: with hyphens."""
    type: Any
    """A type hint, such as `tuple[int, ...] | None`."""
    default: Any
    """`dataclasses.MISSING` where there is none."""

    @property
    def field(self) -> str:
        """The name of the dataclass field."""
        return self.name.replace("-", "_")

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING

    def __str__(self) -> str:
        if self.required:
            return f"{self.name}={type_name(self.type)}"
        return format_option(self.name, self.default)


@cache
def option_infos(pass_type: type[Any]) -> tuple[OptionInfo, ...]:
    """The options of a pass: the fields of its dataclass."""
    hints = get_type_hints(pass_type)
    infos: list[OptionInfo] = []
    for field in dataclasses.fields(pass_type):
        if field.name == "name" or not field.init:
            continue
        default: Any = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if default is dataclasses.MISSING and NoneType in get_args(hints[field.name]):
            default = None
        infos.append(OptionInfo(field.name.replace("_", "-"), hints[field.name], default))
    return tuple(infos)


def type_name(hint: Any) -> str:
    """A type as users write it in messages: `integer`, `one of 'a', 'b'`, `integers`, ...."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(type_name(a) for a in args if a is not NoneType)
    if origin is Literal:
        return "one of " + ", ".join(f"'{a}'" for a in args)
    if origin is tuple:
        element = type_name(args[0]) if args else "value"
        return f"list of {element}" if args[-1:] == (...,) else f"{len(args)} values"
    return {int: "integer", float: "number", str: "string", bool: "boolean"}.get(hint, str(hint))


def convert(value: str | None, hint: Any) -> Any:
    """The value of type `hint` that an option's text stands for; `value` is None for a bare key.

    Raises `ValueError` with a message that names what was expected.
    """
    origin, args = get_origin(hint), get_args(hint)
    if value is None:
        return _convert_bare(hint)
    if origin in (Union, UnionType):
        return _convert_union(value, args)
    if origin is tuple:
        return _convert_tuple(value, hint)
    if origin is Literal:
        return _convert_literal(value, hint)
    converter = _CONVERTERS.get(hint)
    if converter is None:
        raise ValueError(f"options of type {hint} cannot be given as text")
    return converter(value)


def _convert_bare(hint: Any) -> Any:
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if bool in alternatives:
        return True
    if NoneType in alternatives:
        return None
    raise ValueError(f"expected a value, {_with_article(type_name(hint))}")


def _convert_union(value: str, alternatives: tuple[Any, ...]) -> Any:
    last: ValueError | None = None
    for alternative in alternatives:
        if alternative is NoneType:
            continue
        try:
            return convert(value, alternative)
        except ValueError as e:
            last = e
    names = " or ".join(type_name(a) for a in alternatives if a is not NoneType)
    raise last if len(alternatives) <= 2 and last else _mismatch(names, value)


def _convert_tuple(value: str, hint: Any) -> tuple[Any, ...]:
    args = get_args(hint)
    parts = list(split_commas(value)) if value else []
    if args[-1:] == (...,):
        return tuple(convert(part, args[0]) for part in parts)
    if len(parts) != len(args):
        raise ValueError(f"expected {len(args)} values, not {len(parts)}")
    return tuple(convert(part, arg) for part, arg in zip(parts, args, strict=True))


def _convert_literal(value: str, hint: Any) -> Any:
    text = unquote(value)
    for choice in get_args(hint):
        if text == format_value(choice) or text == choice:
            return choice
    raise _mismatch(type_name(hint), value)


def _to_int(value: str) -> int:
    try:
        return int(value, 0)
    except ValueError:
        raise _mismatch("integer", value) from None


def _to_float(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise _mismatch("number", value) from None


def _to_bool(value: str) -> bool:
    match value.lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
        case _:
            raise _mismatch("boolean (true or false)", value)


_CONVERTERS: dict[Any, Callable[[str], Any]] = {
    int: _to_int,
    float: _to_float,
    str: unquote,
    bool: _to_bool,
}


def _mismatch(expected: str, value: str) -> ValueError:
    return ValueError(f"expected {_with_article(expected)}, not '{value}'")


def _with_article(name: str) -> str:
    if name.startswith("one of") or name[0].isdigit():
        return name
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def format_value(value: Any) -> str:
    """The text that `convert` turns into `value`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        parts = [format_value(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
        return ",".join(parts)
    return quote(value) if isinstance(value, str) else str(value)


def format_option(name: str, value: Any) -> str:
    """`name=value` as text, or just `name` for None."""
    return name if value is None else f"{name}={format_value(value)}"
