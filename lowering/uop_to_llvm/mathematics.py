"""math on the machine floor: an intrinsic where LLVM has one, otherwise a function of libm.

libm's functions take scalars, so that on vectors they are called lane by lane. f16 and bf16 do not
reach this table with an op of libm's: `legalize-floats` has them computed in f32.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import llvm as stock
from xdsl.dialects import math
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.lanes import element
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.types import NoType, fast_math


def _intrinsic(build: Callable[..., Operation]) -> Rule:
    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        flags = fast_math(op.properties.get("fastmath"))
        return emitter.value(build(*emitter.all(op.operands), fast_math=flags))

    return rule


def _integer(build: Callable[[SSAValue], Operation]) -> Rule:
    return lambda emitter, op: emitter.value(build(emitter.of(op.operands[0])))


def _absf(emitter: Emitter, op: math.AbsFOp) -> SSAValue:
    value = emitter.of(op.operand)
    return emitter.value(stock.FAbsOp(value, value.type, fast_math(op.fastmath)))


def _rsqrt(emitter: Emitter, op: math.RsqrtOp) -> SSAValue:
    flags = fast_math(op.fastmath)
    root = emitter.value(stock.FSqrtOp(emitter.of(op.operand), flags))
    return emitter.value(stock.FDivOp(emitter.constant(1.0, root.type), root, flags))


def _library(name: str) -> Rule:
    """A function of libm: `name` for f64, `namef` for f32."""

    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        operands = emitter.all(op.operands)
        scalar = element(operands[0].type)
        if not isinstance(scalar, Float32Type | Float64Type):
            raise NoType(f"libm has no {name} of {scalar}: run legalize-floats before")
        symbol = f"{name}f" if isinstance(scalar, Float32Type) else name
        return emitter.lanewise(
            lambda *scalars: emitter.call_library(symbol, *scalars),
            *operands,
            result=operands[0].type,
        )

    return rule


MATHEMATICS: dict[type[Operation], Rule] = {
    math.AbsFOp: _absf,
    math.AbsIOp: _integer(llvm.AbsOp),
    math.CountLeadingZerosOp: _integer(llvm.CtlzOp),
    math.CountTrailingZerosOp: _integer(llvm.CttzOp),
    math.CtPopOp: _integer(llvm.CtPopOp),
    math.CeilOp: _intrinsic(stock.FCeilOp),
    math.FloorOp: _intrinsic(stock.FFloorOp),
    math.TruncOp: _intrinsic(llvm.FTruncOp),
    math.RoundOp: _intrinsic(llvm.RoundOp),
    math.RoundEvenOp: _intrinsic(llvm.RoundEvenOp),
    math.SqrtOp: _intrinsic(stock.FSqrtOp),
    math.RsqrtOp: _rsqrt,
    math.CopySignOp: _intrinsic(stock.FCopySignOp),
    math.FmaOp: _intrinsic(stock.FMAOp),
    math.ExpOp: _intrinsic(stock.FExpOp),
    math.Exp2Op: _intrinsic(stock.FExp2Op),
    math.LogOp: _intrinsic(stock.FLogOp),
    math.Log2Op: _intrinsic(stock.FLog2Op),
    math.Log10Op: _intrinsic(llvm.Log10Op),
    math.PowFOp: _intrinsic(stock.FPowOp),
    math.SinOp: _intrinsic(stock.FSinOp),
    math.CosOp: _intrinsic(stock.FCosOp),
    math.TanOp: _intrinsic(llvm.TanOp),
    math.AsinOp: _intrinsic(llvm.AsinOp),
    math.AcosOp: _intrinsic(llvm.AcosOp),
    math.AtanOp: _intrinsic(llvm.AtanOp),
    math.Atan2Op: _intrinsic(llvm.Atan2Op),
    math.SinhOp: _intrinsic(llvm.SinhOp),
    math.CoshOp: _intrinsic(llvm.CoshOp),
    math.TanhOp: _intrinsic(llvm.TanhOp),
    math.ErfOp: _library("erf"),
    math.ExpM1Op: _library("expm1"),
    math.Log1pOp: _library("log1p"),
    math.CbrtOp: _library("cbrt"),
    math.AsinhOp: _library("asinh"),
    math.AcoshOp: _library("acosh"),
    math.AtanhOp: _library("atanh"),
}
"""The rule of each math op."""
