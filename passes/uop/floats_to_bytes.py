"""Have bf16, 8-bit and narrower floats as the bytes that they are in memory.

No machine here has the narrow ones as scalars, and LLVM aborts on some moves of bf16. Once
`legalize-floats` has left but moves and conversions of them, a value of such a type becomes an
`i8`, one of bf16 an `i16`, in kernels and in the program that launches them:

    %a = uop.load %x[%i] : f8E4M3FN          -->  %a = uop.load %x[%i] : i8
    %b = arith.extf %a : f8E4M3FN to f32          %b = .. integer arithmetic on the bits ..

The conversions are those of `narrow_formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float8E5M2Type,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ReducedPrecisionFloatType,
    TensorType,
    VectorType,
    i8,
    i16,
)
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from teenyir.dialects import program, uop
from teenyir.dialects.inside import operations
from teenyir.dialects.kernel import BufferType
from teenyir.dialects.kernel.attributes import Space
from teenyir.dialects.lanes import element, like
from teenyir.dialects.lanewise import SelectOp
from teenyir.passes.uop.narrow_formats import from_f32, to_f32
from teenyir.passes.uop.numbers import Number
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.rewriting.locations import LocatedBuilder

MOVES = (
    *(uop.FuncOp, uop.LoadOp, uop.StoreOp, uop.LocalOp, uop.MmaOp),
    *(uop.LoadMatrixOp, uop.CopyAsyncOp, uop.ShuffleOp),
    *(arith.SelectOp, SelectOp, arith.ConstantOp, arith.BitcastOp),
    *(vector.BroadcastOp, vector.ExtractOp, vector.InsertOp, vector.ShuffleOp, vector.BitcastOp),
    *(scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp),
    *(program.FuncOp, program.AllocOp, program.ConstantOp, program.LaunchOp, program.ViewOp),
)
"""Ops that are the same on bytes."""

FUNCS = (uop.FuncOp, program.FuncOp)
"""What may hold such floats."""


@dataclass(frozen=True)
class FloatsToBytes(Pass):
    """Have bf16, 8-bit and narrower floats as the bytes that they are in memory."""

    name = "floats-to-bytes"
    anchor: ClassVar[str | None] = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        funcs = [each for each in operations(op) if each.__class__ in FUNCS]
        known: dict[int, bool] = {}
        ops = [each for func in funcs for each in operations(func) if _has_bytes(each, known)]
        if not ops:
            session.preserve_all()
        conversions = [(inner, rule) for inner in ops if (rule := _conversion(inner)) is not None]
        for inner in ops:
            _retype(inner)
        for inner, rule in conversions:
            builder = LocatedBuilder(InsertPoint.before(inner), inner.location)
            (old,) = inner.results
            result = rule(Number(builder, inner.operands[0])).value
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
            inner.detach()
            inner.erase()
            session.count("conversions")


def integer_of(type: Attribute) -> IntegerType | None:
    """The integer that stands for a bf16, 8-bit or narrower float, or a vector of them."""
    scalar = element(type)
    if isinstance(scalar, BFloat16Type):
        return i16
    is_byte = isinstance(scalar, ReducedPrecisionFloatType) and scalar.bitwidth <= 8
    return i8 if is_byte else None


def _stored(type: Attribute) -> Attribute:
    """A type with integers in the place of such floats; any other as it is."""
    match type:
        case uop.PtrType() if (integer := integer_of(type.element)) is not None:
            return uop.PtrType(integer, cast(uop.Space, type.space.data))
        case BufferType() if (integer := integer_of(type.element)) is not None:
            return BufferType(type.extents, integer, cast(Space, type.space.data))
        case _:
            integer = integer_of(type)
            return type if integer is None else like(type, integer)


def _types(op: Operation) -> list[Attribute]:
    types = [value.type for value in (*op.operands, *op.results)]
    if op.regions:
        blocks = [block for region in op.regions for block in region.blocks]
        types += [argument.type for block in blocks for argument in block.args]
    return types


def _has_bytes(op: Operation, known: dict[int, bool]) -> bool:
    """Whether an op has such a float; `known` holds, by the ids of types, which are of one."""
    for type in _types(op):
        if (has := known.get(id(type))) is None:
            has = known[id(type)] = _stored(type) != type
        if has:
            return True
    return False


def _retype(op: Operation) -> None:
    if isinstance(op, arith.ConstantOp):
        op.properties["value"] = _constant(op.value)
    if isinstance(op, program.ConstantOp):
        op.properties["data"] = _constant(op.data)
    arguments = [a for region in op.regions for block in region.blocks for a in block.args]
    for value in (*op.results, *arguments):
        if (type := _stored(value.type)) != value.type:
            Rewriter.replace_value_with_new_type(value, type)


def _constant(value: Attribute) -> Attribute:
    """A constant's bits."""
    if isinstance(value, FloatAttr):
        number = cast("FloatAttr[Float8E5M2Type]", value)
        integer = cast(IntegerType, integer_of(number.type))
        return IntegerAttr(_bits(number.value.data, number.type), integer, truncate_bits=True)
    dense = cast("DenseIntOrFPElementsAttr[Any]", value)
    shape, integer = dense.get_shape(), cast(IntegerType, integer_of(dense.get_element_type()))
    is_vector = isinstance(dense.type, VectorType)
    type: Any = VectorType(integer, shape) if is_vector else TensorType(integer, shape)
    return DenseIntOrFPElementsAttr(type, dense.data)


def _bits(value: float, type: Float8E5M2Type | BFloat16Type) -> int:
    """The bits of a number, which a type holds."""
    if isinstance(type, BFloat16Type):
        return int.from_bytes(type.pack([value]), "little")
    return type.encode_bits(value)


Conversion = Callable[[Number], Number]


def _rounded(number: Number) -> Number:
    """The bits of a bf16 that the machine itself rounds to."""
    type = number.value.type
    rounded = number.builder.insert(arith.TruncFOp(number.value, like(type, BFloat16Type())))
    bits = number.builder.insert(arith.BitcastOp(rounded.result, like(type, i16)))
    return Number(number.builder, bits.result)


def _conversion(op: Operation) -> Conversion | None:
    """What an op computes of the byte, or of the f32 that becomes one; None of a move."""
    if isinstance(op, arith.BitcastOp):
        # one between f16 and bf16 stays, as one of f16 and i16
        is_move = _stored(op.input.type) == _stored(op.result.type)
        return (lambda byte: byte) if is_move else None
    if isinstance(op, arith.ExtFOp | arith.TruncFOp):
        source, target = element(op.input.type), element(op.result.type)
        if isinstance(source, ReducedPrecisionFloatType) and isinstance(target, Float32Type):
            return lambda byte: to_f32(byte, source)
        if isinstance(target, ReducedPrecisionFloatType) and isinstance(source, Float32Type):
            return lambda number: from_f32(number, target)
        if isinstance(target, BFloat16Type) and isinstance(source, Float32Type):
            return _rounded
    if not isinstance(op, MOVES):
        types = ", ".join(dict.fromkeys(map(str, filter(integer_of, _types(op)))))
        raise fail(op, f"there is no {op.name} of {types} as bytes: run legalize-floats before")
    return None
