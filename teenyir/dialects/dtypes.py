"""Element types: how the IR, Python and memory name the same scalars.

On the graph floor `i8`..`i64` are signed, `ui8`..`ui64` unsigned and `i1` is bool, as in StableHLO.
From the kernel floor down integers are signless (`below`), and the ops carry the sign.
In memory a bool is one byte, 0 or 1; every other type has its own width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

if TYPE_CHECKING:
    import numpy as np

Kind = Literal["bool", "int", "uint", "float"]


@dataclass(frozen=True)
class DType:
    """One element type. `ty.float32` and its like are these."""

    name: str
    """The array API's name, which is numpy's and ml_dtypes' too."""
    element: Attribute
    """The element type on the graph floor."""
    kind: Kind
    bits: int
    """Width of a value; a bool has 1 and takes a byte in memory."""

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)

    @property
    def below(self) -> Attribute:
        """The element type on the kernel floor and under it."""
        return IntegerType(self.bits) if self.kind == "uint" else self.element

    @property
    def accumulator(self) -> DType:
        """The type in which sums of this one are formed: f32 for the narrower floats."""
        return FLOAT32 if self.kind == "float" and self.bits < 32 else self

    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype (from ml_dtypes where numpy has none)."""
        import numpy as np

        if self.name == "bfloat16":
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        return np.dtype(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"ty.{self.name}"


def _integer(bits: int) -> DType:
    return DType(f"int{bits}", IntegerType(bits), "int", bits)


def _unsigned(bits: int) -> DType:
    return DType(f"uint{bits}", IntegerType(bits, Signedness.UNSIGNED), "uint", bits)


BOOL = DType("bool", IntegerType(1), "bool", 1)
INT8, INT16, INT32, INT64 = map(_integer, (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = map(_unsigned, (8, 16, 32, 64))
FLOAT16 = DType("float16", Float16Type(), "float", 16)
BFLOAT16 = DType("bfloat16", BFloat16Type(), "float", 16)
FLOAT32 = DType("float32", Float32Type(), "float", 32)
FLOAT64 = DType("float64", Float64Type(), "float", 64)

DTYPES: tuple[DType, ...] = (
    BOOL,
    *(INT8, INT16, INT32, INT64),
    *(UINT8, UINT16, UINT32, UINT64),
    *(FLOAT16, BFLOAT16, FLOAT32, FLOAT64),
)
"""Every element type that tensors can have."""

SCALARS: tuple[Attribute, ...] = tuple(dict.fromkeys(dtype.below for dtype in DTYPES))
"""Every element type on the kernel floor and under it: signless integers and floats."""

SCALAR_BYTES: dict[Attribute, int] = {dtype.below: dtype.bytes for dtype in DTYPES}
"""The size in memory of each of these."""

_BY_ELEMENT: dict[Attribute, DType] = {dtype.element: dtype for dtype in DTYPES}
_BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in DTYPES}


def of_element(element: Attribute) -> DType | None:
    """The dtype of a graph-floor element type, or None where tensors cannot have it."""
    return _BY_ELEMENT.get(element)


def refuse_scalar(type: Attribute) -> str | None:
    """Why a type is no element type of the kernel floor and those under it, or None if it is."""
    if type in SCALARS:
        return None
    return f"an element is one of {', '.join(map(str, SCALARS))}, not {type}"


def of_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The dtype of a numpy dtype in native byte order, or None where tensors cannot have it."""
    return _BY_NAME.get(dtype.name) if dtype.isnative else None
