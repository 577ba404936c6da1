"""PTX's scalar types and how a lane holds them: each as a numpy dtype, registers as raw bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
"""A numpy array; of shape (lanes,) wherever nothing else is said."""

Mask: TypeAlias = Array | bool
"""The lanes that take part: `True` for all of them, otherwise bools of shape (lanes,).

It is what numpy's `where=` takes, so that most instructions need not tell the two apart.
"""

Compute: TypeAlias = (
    Callable[[], Array]
    | Callable[[Array], Array]
    | Callable[[Array, Array], Array]
    | Callable[[Array, Array, Array], Array]
    | Callable[[Array, Array, Array, Array], Array]
)
"""Arithmetic on whole arrays."""

Operation: TypeAlias = Callable[[Mask], None]
"""One bound instruction: runs it for the lanes of the mask."""


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A type suffix. `kind`: `u`nsigned, `s`igned, `f`loat, untyped `b`its, `p`redicate.

    `elements` is 2 for the packed types (`.f16x2`), whose `dtype` is that of one element.
    """

    name: str
    kind: str
    bits: int
    dtype: np.dtype[Any]
    elements: int = 1

    @property
    def bytes(self) -> int:
        """Bytes in memory; predicates have none."""
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        """Whether arithmetic on it is floating."""
        return self.kind == "f"


assert ml_dtypes.__version__  # importing it is what registers the names below with numpy
_BFLOAT16 = np.dtype("bfloat16")
_UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def _rows() -> list[ScalarType]:
    rows = [ScalarType("pred", "p", 1, np.dtype(np.bool_))]
    for bits in (8, 16, 32, 64):
        rows.append(ScalarType(f"u{bits}", "u", bits, np.dtype(_UNSIGNED[bits])))
        rows.append(ScalarType(f"b{bits}", "b", bits, np.dtype(_UNSIGNED[bits])))
        rows.append(ScalarType(f"s{bits}", "s", bits, np.dtype(_SIGNED[bits])))
    rows += [
        ScalarType("b128", "b", 128, np.dtype(np.uint64), 2),
        ScalarType("f16", "f", 16, np.dtype(np.float16)),
        ScalarType("f16x2", "f", 32, np.dtype(np.float16), 2),
        ScalarType("bf16", "f", 16, _BFLOAT16),
        ScalarType("bf16x2", "f", 32, _BFLOAT16, 2),
        ScalarType("f32", "f", 32, np.dtype(np.float32)),
        ScalarType("f32x2", "f", 64, np.dtype(np.float32), 2),
        ScalarType("tf32", "f", 32, np.dtype(np.float32)),
        ScalarType("f64", "f", 64, np.dtype(np.float64)),
        ScalarType("u16x2", "u", 32, np.dtype(np.uint16), 2),
        ScalarType("s16x2", "s", 32, np.dtype(np.int16), 2),
        ScalarType("e4m3", "f", 8, np.dtype("float8_e4m3fn")),
        ScalarType("e5m2", "f", 8, np.dtype("float8_e5m2")),
        ScalarType("e4m3x2", "f", 16, np.dtype("float8_e4m3fn"), 2),
        ScalarType("e5m2x2", "f", 16, np.dtype("float8_e5m2"), 2),
    ]
    return rows


TYPES: dict[str, ScalarType] = {row.name: row for row in _rows()}
"""Every type that registers, memory or arithmetic have here, by its suffix without the dot."""


def unsigned(bits: int) -> np.dtype[Any]:
    """The dtype that holds `bits` raw bits (8 to 64); 128 are two 64-bit words."""
    return np.dtype(_UNSIGNED[min(max(bits, 8), 64)])


def bits_type(bits: int) -> ScalarType:
    """The untyped type of a width."""
    return TYPES[f"b{bits}"]
