"""Dtypes as users name them, and what they promote to (the array API's table).

The array API defines promotion within booleans, within integers and within floats. Across these
kinds it is silent, and so two readings disagree; here it is refused, with the way out.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.dialects.rounding import to_float
from teenyir.frontend.errors import fail

DTypeLike: TypeAlias = "DType | str | np.dtype[Any] | type"

DEFAULT_FLOAT = dtypes.FLOAT32
"""The dtype of a Python float on its own."""
DEFAULT_INTEGER = dtypes.INT64
"""The dtype of a Python integer on its own."""

_BY_NAME = {dtype.name: dtype for dtype in dtypes.DTYPES}


def as_dtype(dtype: DTypeLike) -> DType:
    """The dtype that `ty.float32`, `"float32"`, `np.float32` or `np.dtype("float32")` means."""
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, str) and (found := _BY_NAME.get(dtype)):
        return found
    try:  # numpy reads None as float64, which nobody means
        with warnings.catch_warnings(action="ignore"):  # about names of what no tensor holds
            known = np.dtype(dtype).newbyteorder("=") if cast(object, dtype) is not None else None
        found = dtypes.of_numpy(known) if known is not None else None
    except (TypeError, ValueError):
        found = None
    if found is None:
        fail(f"{dtype!r} is not a dtype of tensors ({', '.join(_BY_NAME)})")
    return found


def integer_range(dtype: DType) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype."""
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


def promote(a: DType, b: DType) -> DType:
    """The dtype in which operands of two dtypes combine. Raises TraceError if there is none."""
    if a == b:
        return a
    if a.kind == b.kind:
        wide, narrow = (a, b) if a.bits >= b.bits else (b, a)
        if wide.format and narrow.format and not wide.format.holds(narrow.format):
            return dtypes.FLOAT32  # float16 and bfloat16, or the two of 8 bits
        return wide
    if {a.kind, b.kind} == {"int", "uint"}:
        signed, unsigned = (a, b) if a.kind == "int" else (b, a)
        if unsigned.bits < signed.bits:
            return signed
        if unsigned.bits < 64:
            return _BY_NAME[f"int{unsigned.bits * 2}"]
        fail(f"no integer dtype holds both {a} and {b}; convert one: x.astype(ty.{signed})")
    fail(
        f"the array API does not say what {a} and {b} promote to; "
        f"convert one: x.astype(ty.{b if b.kind == 'float' else a})"
    )


def check_scalar(value: bool | int | float, dtype: DType) -> None:
    """Whether a Python scalar may take the dtype of the tensor beside it. Raises TraceError."""
    kind = type(value).__name__
    allowed = {"bool": ("bool",), "int": ("int", "uint", "float"), "float": ("float",)}
    if dtype.kind not in allowed.get(kind, ()):
        fail(
            f"the Python {kind} {value!r} does not go with {dtype}, as in the array API; "
            f"convert the tensor: x.astype(ty.{'bool' if kind == 'bool' else 'float32'})"
        )
    if dtype.kind in ("int", "uint"):
        low, high = integer_range(dtype)
        if not low <= value <= high:
            fail(f"{value} is outside of {dtype}, {low} to {high}")


def rounded(value: int | float, dtype: DType) -> float:
    """A number in the precision of a float dtype; what is too large is what a cast makes of it."""
    try:
        with np.errstate(over="ignore"):
            return float(to_float(np.asarray(float(value)), dtype.numpy()))
    except OverflowError:
        fail(f"a number of {len(str(value))} digits is outside of {dtype}")


def default_dtype(value: bool | int | float) -> DType:
    """The dtype of a Python scalar on its own."""
    if isinstance(value, bool):
        return dtypes.BOOL
    return DEFAULT_INTEGER if isinstance(value, int) else DEFAULT_FLOAT


def signless(value: int, dtype: DType) -> int:
    """An integer as xDSL's attributes of the element type hold it."""
    element = dtype.element
    assert isinstance(element, IntegerType)
    return element.get_normalized_value(value)
