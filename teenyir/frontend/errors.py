"""Where in the user's program an operation was asked for, and errors that say so."""

from __future__ import annotations

import contextlib
import os
import sys
from itertools import islice
from types import FrameType
from typing import NoReturn, cast

from teenyir.diagnostics import CompileError, Location, error

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NOT_THE_USERS = (_PACKAGE, os.path.abspath(contextlib.__file__))
"""Files of frames that are passed over: ours, and what runs our context managers."""
_COMMAND = os.path.join(_PACKAGE, "tools", "command.py")
"""The file in whose frames a command begins: what called that is no user's."""


class TraceError(CompileError):
    """What a traced function did cannot be part of a compiled program."""


def user_place() -> Location | None:
    """The innermost place of the call stack outside of this package; None in a command."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        frame = None if frame.f_code.co_filename == _COMMAND else frame.f_back
    if frame is None:
        return None
    position = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    line, end_line, column, end_column = position or (None, None, None, None)
    if line is None or column is None:
        return Location(frame.f_code.co_filename, frame.f_lineno, 1)
    length = end_column - column if end_column is not None and end_line == line else 1
    return Location(frame.f_code.co_filename, line, column + 1, length=max(length, 1))


def as_path(given: object) -> str:
    """What a user gave as the path of a file. Raises TraceError where it is none."""
    if not isinstance(given, str | bytes | os.PathLike):
        fail(f"the path of a file is a string or a path object, got {type(given).__name__}")
    return os.fsdecode(cast("str | os.PathLike[str]", given))


def fail(message: str) -> NoReturn:
    """Raise a `TraceError` that points at the user's line."""
    raise TraceError(error(message, user_place()))
