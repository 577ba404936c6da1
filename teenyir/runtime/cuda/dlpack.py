"""DLPack: arrays handed from one library to another where they lie.

A capsule holds a pointer to a `DLManagedTensorVersioned`, or to a `DLManagedTensor` where one side
is older than DLPack 1; both are laid out as in dlpack.h 1.0. What comes in is kept alive by its
capsule; what goes out, by a table that the consumer's deleter clears.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.diagnostics import RunError
from teenyir.dialects import dtypes

CUDA = 2
"""kDLCUDA: the memory of a GPU."""

CUDA_MANAGED = 13
"""kDLCUDAManaged: memory that moves between host and GPU."""

VERSION = (1, 0)
"""What is asked for, and handed out to whoever asks for it or more."""

READ_ONLY = 1
"""DLPACK_FLAG_BITMASK_READ_ONLY."""

UNVERSIONED, VERSIONED = b"dltensor", b"dltensor_versioned"
"""Names of capsules whose array nobody has taken yet."""


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_CODES: dict[tuple[int, int], str] = {
    **{(0, bits): f"int{bits}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"float{bits}" for bits in (16, 32, 64)},
    **{(4, 16): "bfloat16", (6, 8): "bool"},
    **{(9, 8): "float8_e4m3b11fnuz", (10, 8): "float8_e4m3fn", (11, 8): "float8_e4m3fnuz"},
    **{(12, 8): "float8_e5m2", (13, 8): "float8_e5m2fnuz", (14, 8): "float8_e8m0fnu"},
}
"""By DLPack's code and bits the name of an element type (dlpack.h, `DLDataTypeCode`)."""

_TYPES = {name: pair for pair, name in _CODES.items()}


@dataclass(frozen=True)
class Described:
    """What a capsule says of an array."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    """In elements; None where it is row-major."""
    dtype: np.dtype[Any]
    device: tuple[int, int]
    """DLPack's kind of device, and its number."""
    writable: bool = True


_api = ctypes.pythonapi
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_raw_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", _api))


def described(capsule: Any) -> Described:
    """What a capsule holds, which must be kept for as long as the memory is used.

    Raises RunError for elements of a type that there is not here, or a DLPack that is not known.
    """
    tensor, writable = _tensor_of(capsule)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim)) if tensor.strides else None
    code = (tensor.dtype.code, tensor.dtype.bits)
    if tensor.dtype.lanes != 1 or code not in _CODES:
        raise RunError(f"no array here has the elements of DLPack's type {code[0]}, {code[1]} bits")
    address = (tensor.data or 0) + tensor.byte_offset
    device = (tensor.device.type, tensor.device.id)
    return Described(address, shape, strides, numpy_type(_CODES[code]), device, writable)


def _tensor_of(capsule: Any) -> tuple[_Tensor, bool]:
    """The tensor of a capsule, and whether it may be written."""
    if not _is_valid(id(capsule), VERSIONED):
        return _Managed.from_address(_pointer_of(capsule, UNVERSIONED)).tensor, True
    managed = _Versioned.from_address(_pointer_of(capsule, VERSIONED))
    if managed.major != VERSION[0]:
        raise RunError(f"it is handed over by DLPack {managed.major}.{managed.minor}, not by 1")
    return managed.tensor, not managed.flags & READ_ONLY


def numpy_type(name: str) -> np.dtype[Any]:
    """numpy's dtype, or ml_dtypes', of an element type's name."""
    return next(dtype for dtype in dtypes.DTYPES if dtype.name == name).numpy()


_LENT: dict[int, tuple[Any, ...]] = {}
"""By the address of its description, what must live while another library uses an array."""


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete(managed: int, lent: dict[int, Any] = _LENT) -> None:
    lent.pop(managed, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy(
    capsule: int,
    names: tuple[bytes, bytes] = (UNVERSIONED, VERSIONED),
    is_valid: Callable[[int, bytes], int] = _is_valid,
    pointer_of: Callable[[int, bytes], int] = _raw_pointer_of,
    lent: dict[int, Any] = _LENT,
) -> None:
    """A capsule that nobody took the array out of."""
    for name in names:
        if is_valid(capsule, name):
            lent.pop(pointer_of(capsule, name), None)


# The last capsules may go when Python ends, after this module has: what they call has what it needs
# as defaults, and is never freed.
for _kept in (_delete, _destroy):
    _api.Py_IncRef(ctypes.py_object(_kept))


def lent(owner: Any, array: Described, versioned: bool = False) -> Any:
    """A capsule of a row-major array, which keeps `owner` alive; `versioned` is that of DLPack 1.

    Raises BufferError, as DLPack has it, for elements of a type that DLPack has not, and for what
    may only be read where the capsule cannot say so.
    """
    if array.dtype.name not in _TYPES:
        raise BufferError(f"DLPack has no {array.dtype}")
    if not (array.writable or versioned):
        raise BufferError("the array may only be read, which DLPack cannot say before version 1")
    code, bits = _TYPES[array.dtype.name]
    rank = len(array.shape)
    numbers = ctypes.c_int64 * max(rank, 1)
    shape, strides = numbers(*array.shape), numbers(*_row_major(array.shape))
    managed = _Versioned(*VERSION) if versioned else _Managed()
    if isinstance(managed, _Versioned) and not array.writable:
        managed.flags = READ_ONLY
    tensor = managed.tensor
    # of an array without elements there is no place
    tensor.data = array.address if 0 not in array.shape else None
    tensor.device = _Device(*array.device)
    tensor.ndim, tensor.dtype = rank, _DataType(code, bits, 1)
    tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    tensor.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
    managed.deleter = ctypes.cast(_delete, ctypes.c_void_p)
    place = ctypes.addressof(managed)
    _LENT[place] = (owner, managed, shape, strides)
    name = VERSIONED if versioned else UNVERSIONED
    return _new_capsule(place, name, ctypes.cast(_destroy, ctypes.c_void_p))


def _row_major(shape: tuple[int, ...]) -> list[int]:
    """The strides of an array whose elements lie in order: from DLPack 1.2 on they must be said."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
