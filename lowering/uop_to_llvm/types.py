"""Types, constants and flags of the uop floor as the machine floor has them.

`index` is `i64`, pointers are opaque, and a bool is an `i1` in a register and a byte in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, OverflowAttr, OverflowFlag
from xdsl.ir import Attribute

from teenyir.dialects.lanes import element, lanes, like
from teenyir.dialects.llvm import (
    POINTER,
)
from teenyir.dialects.uop import PtrType

BITS: dict[type[Attribute], int] = {
    BFloat16Type: 16,
    Float16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


NO_SIGNED_WRAP: Mapping[str, Attribute] = {
    "overflowFlags": IntegerAttr(OverflowAttr([OverflowFlag.NO_SIGNED_WRAP]).to_int(), 32)
}
"""The property of integer arithmetic that never leaves the range of its type."""


class NoType(Exception):
    """A type that the machine floor has no counterpart of."""


_TYPES: dict[type[Attribute], Callable[[Any], Attribute]] = {
    IndexType: lambda _: i64,
    IntegerType: lambda type: type,
    PtrType: lambda _: POINTER,
    **dict.fromkeys(BITS, lambda type: type),
}


@lru_cache(256)
def machine_type(type: Attribute) -> Attribute:
    """The type of a value in a register. Raises NoType where there is none."""
    if isinstance(type, VectorType):
        vector = cast("VectorType[Attribute]", type)
        if vector.get_num_dims() != 1 or vector.get_num_scalable_dims():
            raise NoType(f"a vector on the machine floor has one fixed dimension, not {type}")
        return VectorType(machine_type(vector.element_type), vector.get_shape())
    if (row := _TYPES.get(type.__class__)) is None:
        raise NoType(f"the machine floor has no type for {type}")
    return row(type)


def memory_type(type: Attribute) -> Attribute:
    """The type of a value in memory, of its type in a register: a bool is a byte."""
    return like(type, i8) if element(type) == i1 else type


def width(type: Attribute) -> int:
    """Bits of an element in a register."""
    scalar = element(type)
    return scalar.bitwidth if isinstance(scalar, IntegerType) else BITS[scalar.__class__]


def size_in_memory(type: Attribute) -> int:
    """Bytes of an element in memory."""
    return max(1, width(type) // 8)


def dense(type: Attribute, numbers: Sequence[int | float]) -> DenseIntOrFPElementsAttr[Any]:
    """Elements of a vector or tensor type: one number for each, or one for all."""
    # xDSL's overloads tell integers from floats by type arguments that are not known here.
    make: Callable[..., DenseIntOrFPElementsAttr[Any]] = DenseIntOrFPElementsAttr.from_list
    return make(type, list(numbers))


def constant_attribute(value: int | float, type: Attribute) -> Attribute:
    """A number as the value of a constant of a machine type; on every lane of a vector."""
    return _number(value, math.copysign(1.0, value), type)


@lru_cache(1024)
def _number(value: int | float, sign: float, type: Attribute) -> Attribute:
    """The same; of equal numbers, which zeros are, the sign tells one from the other."""
    if (count := lanes(type)) is not None:
        scalar = _number(value, sign, element(type))
        number = cast("IntegerAttr[Any] | FloatAttr[Any]", scalar).value.data
        return dense(VectorType(element(type), [count]), [number])
    if isinstance(type, IntegerType):
        return IntegerAttr(int(value), type.bitwidth, truncate_bits=True)
    return FloatAttr(float(value), cast(Float32Type, type))


def machine_constant(value: Attribute) -> Attribute:
    """A constant's value with its type as the machine floor has it."""
    match value:
        case IntegerAttr():
            integer = cast("IntegerAttr[Any]", value)
            return constant_attribute(integer.value.data, machine_type(integer.type))
        case DenseIntOrFPElementsAttr():
            data = cast("DenseIntOrFPElementsAttr[Any]", value)
            if data.get_element_type() != IndexType():
                return data
            return dense(VectorType(i64, data.get_shape()), data.get_values())
        case _:
            return value


def known_integer(value: Attribute) -> int | None:
    """The integer that a constant is, on every lane; None for any other constant."""
    match value:
        case IntegerAttr():
            return cast("IntegerAttr[Any]", value).value.data
        case DenseIntOrFPElementsAttr() if value.is_splat():
            number: Any = cast("DenseIntOrFPElementsAttr[Any]", value).get_values()[0]
            return number if isinstance(number, int) else None
        case _:
            return None


def array_data(data: DenseIntOrFPElementsAttr[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """The elements of a constant buffer in memory's form: one axis, bools as bytes."""
    scalar = memory_type(machine_type(data.get_element_type()))
    numbers = data.get_values()
    count = 1
    for extent in data.get_shape():
        count *= extent
    if len(numbers) == 1:
        numbers = numbers * min(count, 1)
    if scalar == i8 and data.get_element_type() == i1:
        numbers = tuple(int(bool(number)) for number in numbers)
    return dense(TensorType(scalar, [count]), numbers)


@cache
def fast_math(flags: Attribute | None) -> FastMathAttr:
    """arith's fast-math flags as llvm's."""
    return FastMathAttr(flags.data) if isinstance(flags, FastMathFlagsAttr) else FastMathAttr(None)
