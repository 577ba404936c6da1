"""A tensor of the message as an array. What it says of its size is checked before memory is."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from teenyir.diagnostics import InputError
from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr, too_large
from teenyir.dialects.graph.attributes import MOST_AXES
from teenyir.frontend.core import Array
from teenyir.frontend.onnx.files import import_onnx

if TYPE_CHECKING:
    from onnx import SparseTensorProto, TensorProto

LARGEST_SPARSE = 2**24
"""Elements that a sparse tensor may have when it is spread out."""

_DTYPES: dict[str, DType] = {
    "FLOAT": dtypes.FLOAT32,
    "DOUBLE": dtypes.FLOAT64,
    "FLOAT16": dtypes.FLOAT16,
    "BFLOAT16": dtypes.BFLOAT16,
    "BOOL": dtypes.BOOL,
    "INT8": dtypes.INT8,
    "INT16": dtypes.INT16,
    "INT32": dtypes.INT32,
    "INT64": dtypes.INT64,
    "UINT8": dtypes.UINT8,
    "UINT16": dtypes.UINT16,
    "UINT32": dtypes.UINT32,
    "UINT64": dtypes.UINT64,
    "FLOAT8E4M3FN": dtypes.FLOAT8_E4M3FN,
    "FLOAT8E5M2": dtypes.FLOAT8_E5M2,
    "FLOAT8E4M3FNUZ": dtypes.FLOAT8_E4M3FNUZ,
    "FLOAT8E5M2FNUZ": dtypes.FLOAT8_E5M2FNUZ,
    "FLOAT8E8M0": dtypes.FLOAT8_E8M0FNU,
    "FLOAT4E2M1": dtypes.FLOAT4_E2M1FN,
    "INT4": dtypes.INT4,
    "UINT4": dtypes.UINT4,
    "INT2": dtypes.INT2,
    "UINT2": dtypes.UINT2,
}
"""By ONNX's name, the element type; strings and complex numbers are not among them."""


def type_name(code: int) -> str:
    """ONNX's name of an element type; the number where it has none."""
    names: dict[int, str] = {v: k for k, v in import_onnx().TensorProto.DataType.items()}
    return names.get(code, str(code))


def dtype_of(code: int, what: str) -> DType:
    """The dtype of ONNX's number of it. Raises InputError where tensors cannot have it."""
    found = _DTYPES.get(name := type_name(code))
    if found is None:
        raise InputError(f"{what} is of {name}, and tensors are of {', '.join(_DTYPES)}")
    return found


def named_dtype(name: str) -> DType | None:
    """The dtype of ONNX's name of it, if tensors can have it."""
    return _DTYPES.get(name)


def dtype_name(dtype: DType) -> str:
    """ONNX's name of a dtype that it has."""
    return next(name for name, found in _DTYPES.items() if found == dtype)


def code_of(dtype: DType) -> int:
    """ONNX's number of a dtype that it has."""
    return import_onnx().TensorProto.DataType.Value(dtype_name(dtype))


def to_array(tensor: TensorProto, folder: Path | None) -> Array:
    """The elements. Raises InputError where they are not as many as the extents say."""
    what = f"tensor '{tensor.name}'"
    dtype = dtype_of(tensor.data_type, what)
    shape = _shape(tensor.dims, what)
    count = math.prod(shape)
    try:
        if tensor.data_location == import_onnx().TensorProto.EXTERNAL:
            data = _external(tensor, count, dtype, folder)
            return _of_bytes(data, count, dtype, what).reshape(shape)
        if tensor.HasField("raw_data"):
            return _of_bytes(tensor.raw_data, count, dtype, what).reshape(shape)
        return _of_fields(tensor, count, dtype, what).reshape(shape)
    except MemoryError:  # a file may say that it has what no disk has
        size = _bytes_of(count, dtype)
        raise InputError(f"{what} of {size} bytes has no room in memory") from None


def sparse_to_array(sparse: SparseTensorProto, folder: Path | None) -> Array:
    """A sparse tensor spread out. Raises InputError where it is too large, or an index is wrong."""
    what = f"sparse tensor '{sparse.values.name}'"
    shape = _shape(sparse.dims, what)
    total = math.prod(shape)
    if total > LARGEST_SPARSE:
        raise InputError(f"{what} has {total} elements when it is spread out: that is too many")
    values, indices = to_array(sparse.values, folder), to_array(sparse.indices, folder)
    if indices.ndim == 2 and indices.shape[1] == len(shape):
        inside = ((indices >= 0) & (indices < np.array(shape))).all()
        flat = np.ravel_multi_index(tuple(indices.T), shape) if inside else None
    else:
        flat = indices if indices.ndim == 1 and ((indices >= 0) & (indices < total)).all() else None
    if flat is None or flat.shape != values.shape:
        raise InputError(f"{what} of {values.size} values has indices that do not suit {shape}")
    result = np.zeros(total, values.dtype)
    result[flat] = values
    return result.reshape(shape)


def _shape(dims: Any, what: str) -> tuple[int, ...]:
    shape = tuple(int(extent) for extent in dims)
    if any(extent < 0 for extent in shape):
        raise InputError(f"{what} has a negative extent: {list(shape)}")
    if len(shape) > MOST_AXES:
        raise InputError(f"{what} has {len(shape)} axes: {MOST_AXES} are the most")
    if too_large(map(Expr.of, shape)):
        raise InputError(f"{what} has more elements than 64 bits can address: {list(shape)}")
    return shape


def _bytes_of(count: int, dtype: DType) -> int:
    """Bytes of elements one after the other; those narrower than a byte share it."""
    return -(-count * dtype.bits // 8) if _is_packed(dtype) else count * dtype.bytes


def _is_packed(dtype: DType) -> bool:
    return dtype.bits < 8 and dtype.kind != "bool"


def _of_bytes(data: bytes, count: int, dtype: DType, what: str) -> Array:
    expected = _bytes_of(count, dtype)
    if len(data) != expected:
        raise InputError(f"{what} takes {expected} bytes for its extents, and has {len(data)}")
    if _is_packed(dtype):
        return _unpacked(np.frombuffer(data, np.uint8), count, dtype)
    return np.frombuffer(data, dtype.numpy().newbyteorder("<")).astype(dtype.numpy())


def _unpacked(data: Array, count: int, dtype: DType) -> Array:
    """Elements of 4 or 2 bits, the first in the low bits of a byte."""
    places = np.arange(0, 8, dtype.bits, dtype=np.uint8)
    bits = ((data[:, None] >> places) & (2**dtype.bits - 1)).reshape(-1)[:count]
    if dtype.kind == "int":
        half = 2 ** (dtype.bits - 1)
        return ((bits.astype(np.int8) ^ half) - half).astype(dtype.numpy())
    if dtype.kind == "uint":
        return bits.astype(dtype.numpy())
    return bits.view(dtype.numpy())


def _of_fields(tensor: TensorProto, count: int, dtype: DType, what: str) -> Array:
    """Elements in the field for their type; several narrow ones share an int32."""
    field = _field(dtype)
    held = getattr(tensor, field)
    expected = _bytes_of(count, dtype) if _is_packed(dtype) else count
    if len(held) != expected:
        raise InputError(f"{what} has {count} elements by its extents, and {len(held)} in {field}")
    if field != "int32_data":
        return np.array(held, dtype.numpy())
    words = np.array(held, np.int32)
    if _is_packed(dtype):
        return _unpacked(words.astype(np.uint8), count, dtype)
    if dtype.kind == "float":  # the bits stand for them
        return words.astype(f"u{dtype.bytes}").view(dtype.numpy())
    return words.astype(dtype.numpy())


def _field(dtype: DType) -> str:
    if dtype in (dtypes.FLOAT32, dtypes.FLOAT64):
        return "float_data" if dtype == dtypes.FLOAT32 else "double_data"
    if dtype == dtypes.INT64:
        return "int64_data"
    return "uint64_data" if dtype in (dtypes.UINT32, dtypes.UINT64) else "int32_data"


# --- data beside the file -------------------------------------------------------------------------


def _external(tensor: TensorProto, count: int, dtype: DType, folder: Path | None) -> bytes:
    """The bytes of a tensor that are in a file of their own.

    Raises InputError where that is outside of the model's folder, or shorter than it has to be.
    """
    what = f"tensor '{tensor.name}'"
    stated = {entry.key: entry.value for entry in tensor.external_data}
    path = _inside(stated.get("location", ""), folder, what)
    expected = _bytes_of(count, dtype)
    offset = _number(stated, "offset", 0, what)
    length = _number(stated, "length", expected, what)
    if length != expected:
        raise InputError(f"{what} takes {expected} bytes for its extents, and names {length}")
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if offset + length > size:
                raise InputError(
                    f"{what} is bytes {offset} to {offset + length} of '{path.name}', "
                    f"which has {size}"
                )
            stream.seek(offset)
            return stream.read(length)
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{what}: cannot read '{path.name}': {reason}") from None


def _inside(location: str, folder: Path | None, what: str) -> Path:
    """The path of a file in the folder of the model, links followed."""
    if folder is None:
        raise InputError(f"{what} is in a file beside the model; load the model from its file")
    try:
        root = folder.resolve()
        path = (root / location).resolve()
        is_inside = location and not os.path.isabs(location) and path.is_relative_to(root)
        if is_inside and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError) as problem:  # RuntimeError: a circle of links
        raise InputError(f"{what}: '{location}' is no path: {problem}") from None
    reason = "there is no such file" if is_inside else "it is outside of the model's folder"
    raise InputError(f"{what} is in '{location}': {reason}")


def _number(stated: dict[str, str], key: str, default: int, what: str) -> int:
    text = stated.get(key, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise InputError(f"{what}: the {key} '{text}' of its data is no number")
    return int(text)
