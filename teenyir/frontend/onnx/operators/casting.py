"""Conversions between dtypes as ONNX has them."""

from __future__ import annotations

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.frontend.bits import bitcast
from teenyir.frontend.elementwise import (
    add,
    astype,
    bitwise_and,
    bitwise_right_shift,
    clip,
    equal,
    not_equal,
    where,
)
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor

SATURATED = (
    dtypes.FLOAT8_E4M3FN,
    dtypes.FLOAT8_E5M2,
    dtypes.FLOAT8_E4M3FNUZ,
    dtypes.FLOAT8_E5M2FNUZ,
)
"""What too large numbers become the greatest of, unless the attribute `saturate` is 0."""


def converted(node: Node, x: Tensor, dtype: DType) -> Tensor:
    """`x` in another dtype. Integers of less than 8 bits wrap, also those made of floats."""
    if dtype == dtypes.FLOAT8_E8M0FNU and x.dtype.kind == "float":
        return _to_powers(node, astype(x, dtypes.FLOAT32))
    if dtype in SATURATED and x.dtype.kind == "float" and node.flag("saturate", True):
        return saturated(x, dtype)
    if dtype.is_packed and x.dtype.kind == "float":
        return astype(astype(x, dtypes.INT32), dtype)
    return astype(x, dtype)


def saturated(x: Tensor, dtype: DType) -> Tensor:
    """A float in a narrow float dtype; what is too large is the greatest number, NaN stays."""
    assert dtype.format is not None
    wide = astype(x, dtypes.FLOAT32) if x.dtype.storage or x.dtype.bits < 32 else x
    most = dtype.format.greatest
    return astype(clip(wide, -most, most), dtype)


def _to_powers(node: Node, x: Tensor) -> Tensor:
    """A float32 as a power of two: its exponent, which the attribute `round_mode` says to raise."""
    mode = node.choice("round_mode", "up", ("up", "down", "nearest"))
    bits = bitcast(x, dtypes.UINT32)
    exponent = bitwise_and(bitwise_right_shift(bits, 23), 0xFF)
    rest = bitwise_and(bits, 0x7FFFFF)
    if mode == "up":
        raised = not_equal(rest, 0)
    elif mode == "nearest":  # a half is raised, but for the least exponent
        half = add(rest, astype(not_equal(exponent, 0), dtypes.UINT32))
        raised = half > 0x400000
    else:
        raised = not_equal(rest, rest)
    found = add(exponent, astype(raised & (exponent < 0xFE), dtypes.UINT32))
    if not node.flag("saturate", True):
        found = add(found, astype(raised & equal(exponent, 0xFE), dtypes.UINT32))
    found = where(equal(exponent, 0xFF), 0xFF, found)
    return bitcast(astype(found, dtypes.UINT8), dtypes.FLOAT8_E8M0FNU)
