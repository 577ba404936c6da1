"""Types and constants of the `llvm` dialect in LLVM's textual form.

Floats print in hexadecimal, so that what LLVM reads is the bit pattern meant. LLVM spells an f32 as
the f64 of equal value (<https://llvm.org/docs/LangRef.html#simple-constants>).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute

from teenyir.dialects.lanes import is_vector

_PLAIN_NAME = re.compile(r"[A-Za-z$._][A-Za-z0-9$._]*\Z")


class Unprintable(Exception):
    """A type or constant that LLVM IR has no form for; the message says which."""


def symbol(name: str) -> str:
    """A name as LLVM's lexer takes it, in quotes where it needs them."""
    return name if _PLAIN_NAME.match(name) else quoted(name.encode())


def quoted(data: bytes) -> str:
    """A byte string between quotes, with LLVM's escapes."""
    return (
        '"'
        + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
        + '"'
    )


# --- types ---------------------------------------------------------------------------------------


def _pointer(type: LLVMPointerType) -> str:
    space = type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0
    return f"ptr addrspace({space})" if space else "ptr"


def _vector(type: VectorType[Attribute]) -> str:
    if type.get_num_dims() != 1 or type.get_num_scalable_dims():
        raise Unprintable(f"{type} is no vector of LLVM's: one fixed dimension is needed")
    return f"<{type.get_shape()[0]} x {type_text(type.element_type)}>"


def _integer(type: IntegerType) -> str:
    return f"i{type.bitwidth}"


def _array(type: LLVMArrayType) -> str:
    return f"[{type.size.data} x {type_text(type.type)}]"


def _structure(type: LLVMStructType) -> str:
    fields = ", ".join(type_text(field) for field in type.types)
    return f"{{ {fields} }}" if fields else "{}"


def _function(type: LLVMFunctionType) -> str:
    inputs = [type_text(t) for t in type.inputs] + (["..."] if type.is_variadic else [])
    return f"{type_text(type.output)} ({', '.join(inputs)})"


_TYPES: dict[type[Attribute], Callable[[Any], str]] = {
    BFloat16Type: lambda _: "bfloat",
    Float16Type: lambda _: "half",
    Float32Type: lambda _: "float",
    Float64Type: lambda _: "double",
    IntegerType: _integer,
    LLVMArrayType: _array,
    LLVMFunctionType: _function,
    LLVMPointerType: _pointer,
    LLVMStructType: _structure,
    LLVMVoidType: lambda _: "void",
    VectorType: _vector,
}


def type_text(type: Attribute) -> str:
    """A type as LLVM prints it. Raises Unprintable for one that LLVM lacks."""
    if (row := _TYPES.get(type.__class__)) is None:
        raise Unprintable(f"LLVM has no type {type}")
    return row(type)


_SUFFIXES: dict[type[Attribute], str] = {
    BFloat16Type: "bf16",
    Float16Type: "f16",
    Float32Type: "f32",
    Float64Type: "f64",
}


def suffix(type: Attribute) -> str:
    """How an overloaded intrinsic's name mentions a type: `f32`, `v4i32`, `p0`."""
    if (text := _SUFFIXES.get(type.__class__)) is not None:
        return text
    match type:
        case VectorType():
            return f"v{type.get_shape()[0]}{suffix(type.element_type)}"
        case LLVMPointerType():
            return f"p{type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0}"
        case IntegerType():
            return f"i{type.bitwidth}"
        case _:
            raise Unprintable(f"no intrinsic takes {type}")


# --- constants -----------------------------------------------------------------------------------


def _bfloat16_bits(value: float) -> int:
    """The bits of the nearest bfloat16, ties to even; NaN payloads are cut to seven bits."""
    if not math.isfinite(value) or value == 0.0:
        bits = struct.unpack(">I", struct.pack(">f", value))[0] >> 16
        return bits | 0x40 if math.isnan(value) else bits
    unit = max(math.frexp(value)[1] - 8, -133)
    rounded = math.ldexp(round(math.ldexp(value, -unit)), unit)
    try:
        return struct.unpack(">I", struct.pack(">f", rounded))[0] >> 16
    except OverflowError:
        return 0x7F80 if value > 0 else 0xFF80


def _narrowed(value: float, format: str) -> bytes:
    try:
        return struct.pack(format, value)
    except OverflowError:
        return struct.pack(format, math.copysign(math.inf, value))


def _half(value: float) -> str:
    return f"0xH{_narrowed(value, '>e').hex().upper()}"


def _single(value: float) -> str:
    (single,) = struct.unpack(">f", _narrowed(value, ">f"))
    return f"0x{struct.pack('>d', single).hex().upper()}"


_FLOATS: dict[type[Attribute], Callable[[float], str]] = {
    BFloat16Type: lambda value: f"0xR{_bfloat16_bits(value):04X}",
    Float16Type: _half,
    Float32Type: _single,
    Float64Type: lambda value: f"0x{struct.pack('>d', value).hex().upper()}",
}


def number_text(value: int | float, type: Attribute) -> str:
    """A number of a scalar type, rounded to it, ties to even."""
    if isinstance(type, IntegerType):
        if type.bitwidth == 1:
            return "true" if value else "false"
        return str(int(value))
    if (row := _FLOATS.get(type.__class__)) is None:
        raise Unprintable(f"LLVM has no constants of {type}")
    return row(float(value))


def _elements(values: Iterable[int | float], type: Attribute) -> str:
    head = type_text(type)
    return ", ".join(f"{head} {number_text(value, type)}" for value in values)


def _aggregate(values: Sequence[int | float], type: Attribute) -> str:
    if isinstance(type, VectorType):
        vector = cast(VectorType[Attribute], type)
        return f"<{_elements(values, vector.element_type)}>"
    if not isinstance(type, LLVMArrayType):
        raise Unprintable(f"no constant of type {type} has elements")
    if not isinstance(type.type, LLVMArrayType):
        return f"[{_elements(values, type.type)}]"
    row = len(values) // max(type.size.data, 1)
    rows = [_aggregate(values[at : at + row], type.type) for at in range(0, len(values), row or 1)]
    return f"[{', '.join(f'{type_text(type.type)} {text}' for text in rows)}]"


def _leaves(type: Attribute) -> int:
    if isinstance(type, LLVMArrayType):
        return type.size.data * _leaves(type.type)
    return cast(VectorType[Attribute], type).get_shape()[0] if isinstance(type, VectorType) else 1


def constant_text(value: Attribute, type: Attribute) -> str:
    """The constant `value` as an operand of type `type`, without the type itself."""
    match value:
        case IntegerAttr():
            return number_text(cast("IntegerAttr[IntegerType]", value).value.data, type)
        case FloatAttr():
            return number_text(cast("FloatAttr[Any]", value).value.data, type)
        case StringAttr():
            return "c" + quoted(value.data.encode())
        case DenseIntOrFPElementsAttr():
            dense = cast("DenseIntOrFPElementsAttr[Any]", value)
            values = list(cast("Sequence[int | float]", dense.get_values()))
            if not any(values) and all(math.copysign(1.0, v) > 0 for v in values):
                return "zeroinitializer"
            if is_vector(type) and len(values) == 1:
                return f"splat ({_elements(values, type.element_type)})"
            if len(values) == 1 and (count := _leaves(type)) != 1:
                values = values * count
            return _aggregate(values, type)
        case _:
            raise Unprintable(f"LLVM has no constant {value}")
