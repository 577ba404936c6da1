"""A file of ONNX as a protobuf message."""

from __future__ import annotations

import os
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from teenyir.diagnostics import InputError, error
from teenyir.frontend.errors import user_place

if TYPE_CHECKING:
    from onnx import ModelProto

Source: TypeAlias = "str | PathLike[str] | bytes | ModelProto"
"""What a model is read from: the path of a file, its bytes, or the message itself."""

LARGEST = 2**31 - 1
"""Bytes of a message: what protobuf can hold. Larger models keep their weights beside it."""


LONGEST_NAME = 2**16
"""Characters of a name, and of a word in an attribute."""

_FREE_TEXT = ("doc_string", "value")
"""Fields of text that nothing is called."""


def import_onnx() -> Any:
    """The package `onnx`. Raises InputError, which names the extra, where it is not installed."""
    try:
        import onnx
    except ImportError:
        raise InputError(
            error("reading ONNX needs the package onnx: pip install 'teenyir[onnx]'", user_place())
        ) from None
    return onnx


def read_model(source: Source) -> tuple[ModelProto, str, Path | None]:
    """The message, what it is called in messages, and the folder that its data may be in.

    Raises InputError where there is no such file, or it holds no model.
    """
    onnx = import_onnx()
    if isinstance(source, bytes):
        return _parsed(source, "model"), "model", None
    if isinstance(source, onnx.ModelProto):
        check_text(source, "model")
        return cast("ModelProto", source), "model", None
    if not isinstance(source, str | PathLike):
        kind = type(cast(object, source)).__name__
        raise InputError(
            error(
                f"a model is read from a path, bytes or an onnx.ModelProto, got {kind}",
                user_place(),
            )
        )
    path = fspath(source)
    return _parsed(_read(path), os.path.basename(path)), os.path.basename(path), Path(path).parent


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            if not os.path.isfile(path):
                raise InputError(f"cannot read '{path}': it is no file")
            if os.fstat(stream.fileno()).st_size > LARGEST:
                raise InputError(f"'{path}' holds no ONNX model: it has more than 2 GiB")
            return stream.read()
    except (OSError, ValueError) as problem:  # ValueError: a character that no path has
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot read '{path}': {reason}") from None


def _parsed(data: bytes, name: str) -> ModelProto:
    onnx = import_onnx()
    from google.protobuf.message import DecodeError

    model: ModelProto = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as problem:
        reason = " ".join(str(problem).split())
        raise InputError(f"'{name}' holds no ONNX model, or is cut off: {reason}") from None
    check_text(model, name)
    if not model.HasField("graph") or not (model.ir_version or model.opset_import):
        raise InputError(f"'{name}' holds no ONNX model: it has no graph")
    return model


def check_text(message: Any, name: str) -> None:
    """Raise InputError where a name is no text (protobuf hands on bytes then), or has no end."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else (value,):
                check_text(each, name)
        elif field.type == field.TYPE_STRING:
            for each in value if field.is_repeated else (value,):
                if not isinstance(each, str):
                    raise InputError(f"'{name}' is damaged: {each!r} is no text")
                if len(each) > LONGEST_NAME and field.name not in _FREE_TEXT:
                    what = f"the {field.name} '{each[:20]}...' has {len(each)} characters"
                    raise InputError(f"'{name}': {what}, {LONGEST_NAME} are the most")
