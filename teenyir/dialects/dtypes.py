"""Element types: how the IR, Python and memory name the same scalars.

On the graph floor `i8`..`i64` are signed, `ui8`..`ui64` unsigned and `i1` is bool, as in StableHLO.
From the kernel floor down integers are signless (`below`), and the ops carry the sign.
In memory a bool is one byte, 0 or 1; every other type has its own width.

Types narrower than a byte take one each, as ml_dtypes has them: the value's bits are the low ones,
the others are zero when written and ignored when read. The integers among them are that byte, an
`i8`, from the kernel floor down. Some types are for *storage*: they are moved and cast, and
computed with after a cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
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
class FloatFormat:
    """Which numbers a float type has."""

    digits: int
    """Significant bits of a normal number, the hidden one included."""
    least: int
    """The exponent of two of the least positive number."""
    greatest: float
    infinities: bool = True
    nan: bool = True
    zeros: int = 2
    """2 with a negative zero, 1 without, 0 where there is no zero at all."""
    signed: bool = True

    def holds(self, other: FloatFormat) -> bool:
        """Whether every value of another format, NaN aside, is one of this."""
        return (
            other.digits <= self.digits
            and other.least >= self.least
            and other.greatest <= self.greatest
            and other.zeros <= self.zeros
            and other.infinities <= self.infinities
            and other.nan <= self.nan
            and other.signed <= self.signed
        )


@dataclass(frozen=True)
class DType:
    """One element type. `ty.float32` and its like are these."""

    name: str
    """The array API's name, which is numpy's and ml_dtypes' too."""
    element: Attribute
    """The element type on the graph floor."""
    kind: Kind
    bits: int
    """Width of a value; it takes a byte in memory if it is less than that."""
    format: FloatFormat | None = None
    """Of floats, which numbers there are."""
    storage: bool = False
    """Whether the type is moved and cast alone, and computed with in others."""

    @property
    def is_packed(self) -> bool:
        """Whether it is an integer narrower than the byte that it takes; a bool is not."""
        return self.kind in ("int", "uint") and self.bits < 8

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)

    @property
    def below(self) -> Attribute:
        """The element type on the kernel floor and under it."""
        if self.kind in ("int", "uint"):
            return IntegerType(max(self.bits, 8))
        return self.element

    @property
    def accumulator(self) -> DType:
        """The type in which sums of this one are formed: f32 for the narrower floats."""
        return FLOAT32 if self.kind == "float" and self.bits < 32 else self

    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype (from ml_dtypes where numpy has none)."""
        import numpy as np

        if self.format in _OF_NUMPY or not (self.format or self.is_packed):
            return np.dtype(self.name)
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, self.name))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"ty.{self.name}"


def _integer(bits: int) -> DType:
    return DType(f"int{bits}", IntegerType(bits), "int", bits, storage=bits < 8)


def _unsigned(bits: int) -> DType:
    element = IntegerType(bits, Signedness.UNSIGNED)
    return DType(f"uint{bits}", element, "uint", bits, storage=bits < 8)


def _float(
    name: str, element: Attribute, bits: int, format: FloatFormat, storage: bool = False
) -> DType:
    return DType(name, element, "float", bits, format, storage)


_F16 = FloatFormat(11, -24, 65504.0)
_F32 = FloatFormat(24, -149, (2 - 2.0**-23) * 2.0**127)
_F64 = FloatFormat(53, -1074, (2 - 2.0**-52) * 2.0**1023)
_BF16 = FloatFormat(8, -133, (2 - 2.0**-7) * 2.0**127)
_OF_NUMPY = (_F16, _F32, _F64)

# The 8-bit formats are those of Micikevicius et al., "FP8 formats for deep learning" (2022), of
# Noune et al., "8-bit numerical formats for deep neural networks" (2022) with `uz` (no negative
# zero, one NaN in its place), and of the OCP Microscaling Formats specification (e8m0, e2m1).
_E4M3FN = FloatFormat(4, -9, 448.0, infinities=False)
_E5M2 = FloatFormat(3, -16, 57344.0)
_E4M3FNUZ = FloatFormat(4, -10, 240.0, infinities=False, zeros=1)
_E5M2FNUZ = FloatFormat(3, -17, 57344.0, infinities=False, zeros=1)
_E4M3B11FNUZ = FloatFormat(4, -13, 30.0, infinities=False, zeros=1)
_E8M0FNU = FloatFormat(1, -127, 2.0**127, infinities=False, zeros=0, signed=False)
_E2M1FN = FloatFormat(2, -1, 6.0, infinities=False, nan=False)

BOOL = DType("bool", IntegerType(1), "bool", 1)
INT2, INT4, INT8, INT16, INT32, INT64 = map(_integer, (2, 4, 8, 16, 32, 64))
UINT2, UINT4, UINT8, UINT16, UINT32, UINT64 = map(_unsigned, (2, 4, 8, 16, 32, 64))
FLOAT4_E2M1FN = _float("float4_e2m1fn", Float4E2M1FNType(), 4, _E2M1FN, storage=True)
FLOAT8_E4M3FN = _float("float8_e4m3fn", Float8E4M3FNType(), 8, _E4M3FN)
FLOAT8_E5M2 = _float("float8_e5m2", Float8E5M2Type(), 8, _E5M2)
FLOAT8_E4M3FNUZ = _float("float8_e4m3fnuz", Float8E4M3FNUZType(), 8, _E4M3FNUZ, storage=True)
FLOAT8_E5M2FNUZ = _float("float8_e5m2fnuz", Float8E5M2FNUZType(), 8, _E5M2FNUZ, storage=True)
FLOAT8_E4M3B11FNUZ = _float(
    "float8_e4m3b11fnuz", Float8E4M3B11FNUZType(), 8, _E4M3B11FNUZ, storage=True
)
FLOAT8_E8M0FNU = _float("float8_e8m0fnu", Float8E8M0FNUType(), 8, _E8M0FNU, storage=True)
FLOAT16 = _float("float16", Float16Type(), 16, _F16)
BFLOAT16 = _float("bfloat16", BFloat16Type(), 16, _BF16)
FLOAT32 = _float("float32", Float32Type(), 32, _F32)
FLOAT64 = _float("float64", Float64Type(), 64, _F64)

DTYPES: tuple[DType, ...] = (
    BOOL,
    *(INT8, INT16, INT32, INT64),
    *(UINT8, UINT16, UINT32, UINT64),
    *(FLOAT16, BFLOAT16, FLOAT32, FLOAT64),
    *(FLOAT8_E4M3FN, FLOAT8_E5M2),
    *(INT2, INT4, UINT2, UINT4, FLOAT4_E2M1FN),
    *(FLOAT8_E4M3FNUZ, FLOAT8_E5M2FNUZ, FLOAT8_E4M3B11FNUZ, FLOAT8_E8M0FNU),
)
"""Every element type that tensors can have."""

COMPUTED: tuple[DType, ...] = tuple(dtype for dtype in DTYPES if not dtype.storage)
"""The element types that there is arithmetic on."""

SCALARS: tuple[Attribute, ...] = tuple(dict.fromkeys(dtype.below for dtype in DTYPES))
"""Every element type on the kernel floor and under it: signless integers and floats."""

SCALAR_BYTES: dict[Attribute, int] = {dtype.below: dtype.bytes for dtype in DTYPES}
"""The size in memory of each of these."""

_BY_ELEMENT: dict[Attribute, DType] = {dtype.element: dtype for dtype in DTYPES}
_BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in DTYPES}


def of_element(element: Attribute) -> DType | None:
    """The dtype of a graph-floor element type, or None where tensors cannot have it."""
    return _BY_ELEMENT.get(element)


@cache
def held_as(dtype: DType) -> frozenset[str]:
    """The names of the dtypes that are the same type from the kernel floor down."""
    return frozenset(other.name for other in DTYPES if other.below == dtype.below)


def refuse_scalar(type: Attribute) -> str | None:
    """Why a type is no element type of the kernel floor and those under it, or None if it is."""
    if type in SCALAR_BYTES:
        return None
    return f"an element is one of {', '.join(map(str, SCALARS))}, not {type}"


def of_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The dtype of a numpy dtype in native byte order, or None where tensors cannot have it."""
    return _BY_NAME.get(dtype.name) if dtype.isnative else None
