"""Arrays as values: element types as numpy dtypes, constants of the IR as arrays, poison.

An integer without a sign is a signed numpy integer, i1 is bool, index is int64, bf16 is ml_dtypes'.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import RunError, error
from teenyir.dialects import dtypes

Array: TypeAlias = NDArray[Any]
"""An array, or a numpy scalar where there is no axis."""
DType: TypeAlias = np.dtype[Any]

_DTYPES: dict[Attribute, DType] = {dtype.element: dtype.numpy() for dtype in dtypes.DTYPES}
_OURS: dict[DType, dtypes.DType] = {dtype.numpy(): dtype for dtype in dtypes.DTYPES}
_DTYPES[IndexType()] = np.dtype(np.int64)

BFLOAT16 = dtypes.BFLOAT16.numpy()
FLOATS = frozenset(dtype.numpy() for dtype in dtypes.DTYPES if dtype.kind == "float")
PACKED = {dtype.numpy(): dtype for dtype in dtypes.DTYPES if dtype.is_packed}
"""The integers narrower than a byte."""


def silent() -> np.errstate:
    """The context in which everything is computed: infinities and NaN are values, not warnings."""
    return np.errstate(all="ignore")


def fault(op: Operation, message: str) -> RunError:
    """The error to raise where `op` cannot run: `raise fault(op, "...")`."""
    return RunError(error(f"'{op.name}': {message}", place_of_op(op)))


def element_of(type: Attribute) -> Attribute:
    """The element type of a vector, or the type itself."""
    return cast(VectorType[Attribute], type).element_type if isinstance(type, VectorType) else type


def dtype_of(type: Attribute) -> DType:
    """The dtype of the values of a scalar or vector type. Raises KeyError where there is none."""
    return _DTYPES[element_of(type)]


def format_of(dtype: DType) -> dtypes.FloatFormat:
    """Which numbers a float dtype has."""
    format = _OURS[dtype].format
    assert format is not None, dtype
    return format


def vector_shape(type: Attribute) -> tuple[int, ...]:
    """The extents of a vector; none of a scalar."""
    return type.get_shape() if isinstance(type, VectorType) else ()


def is_float(dtype: DType) -> bool:
    """Whether values of a dtype are floats, those of ml_dtypes among them."""
    return dtype in FLOATS


def dense_array(attr: Attribute) -> Array:
    """The contents of `dense<...>`, of its shape; read-only."""
    dense = cast(DenseIntOrFPElementsAttr[Any], attr)
    dtype = dtype_of(dense.get_element_type())
    data = dense.data.data
    if (packed := PACKED.get(dtype)) is not None:
        data = packed_bytes(data, packed)
    values = np.frombuffer(data, np.uint8 if dtype == np.bool_ else dtype)
    return (values != 0 if dtype == np.bool_ else values).reshape(dense.get_shape())


def packed_bytes(data: bytes, dtype: dtypes.DType) -> bytes:
    """Integers narrower than a byte as memory has them: the bits above the value's are zero."""
    return bytes(byte & ((1 << dtype.bits) - 1) for byte in data)


def constant_array(attr: Attribute) -> Array:
    """The value of an integer, float or dense attribute."""
    if isinstance(attr, IntegerAttr):
        number = cast(IntegerAttr[Any], attr)
        type = cast(Attribute, number.type)
        return integer_array(number.value.data, _DTYPES[type])
    if isinstance(attr, FloatAttr):
        real = cast(FloatAttr[Any], attr)
        return np.array(real.value.data, _DTYPES[cast(Attribute, real.type)])
    return dense_array(attr)


def integer_array(value: int, dtype: DType) -> Array:
    """An integer of a dtype with the same bits modulo its width; to bool, its lowest bit."""
    if dtype == np.bool_:
        return np.array(bool(value & 1))
    bits = dtype.itemsize * 8
    return np.array(value & ((1 << bits) - 1), f"u{dtype.itemsize}").view(dtype)


def bits_of(type: Attribute) -> int:
    """The width of an integer type; 64 of index."""
    element = element_of(type)
    return element.bitwidth if isinstance(element, IntegerType) else 64


def unsigned(values: Array) -> Array:
    """Integers read as unsigned ones; booleans stay."""
    return values if values.dtype.kind in "bu" else values.view(f"u{values.dtype.itemsize}")


def poisoned(shape: tuple[int, ...], dtype: DType) -> Array:
    """Memory that nobody has written: NaN, 0xA5 in every byte of an integer, or true."""
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    if is_float(dtype):
        return np.full(shape, np.nan, dtype)
    count = math.prod(shape) * dtype.itemsize
    return np.full(count, 0xA5, np.uint8).view(dtype).reshape(shape)
