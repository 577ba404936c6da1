"""arith on the machine floor, a rule an op.

What LLVM leaves undefined is given the house's meaning here: division by zero gives 0 and
remainder by zero 0, the least integer divided by -1 wraps, a shift by the width or more gives 0
(or the sign), and a float out of an integer's range saturates, NaN to 0. Where the divisor or the
amount is a constant, or the type is `index` (whose divisors are extents), nothing is guarded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    UnitAttr,
    VectorType,
    f32,
)
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.arith import UNPREDICTABLE, WITHIN_TYPE, RemfOp
from teenyir.dialects.building import made, on_one_type
from teenyir.dialects.lanes import element
from teenyir.dialects.lanewise import CastOp, CmpFOp, CmpIOp, LdexpOp, LookupOp, SelectOp
from teenyir.lowering.render.llvm_types import suffix
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.types import (
    NO_SIGNED_WRAP,
    fast_math,
    known_integer,
    machine_constant,
    machine_type,
    width,
)


def _constant(emitter: Emitter, op: arith.ConstantOp) -> SSAValue:
    value = machine_constant(op.value)
    type = machine_type(op.result.type)
    result = emitter.value(made(stock.ConstantOp, (), [type], {"value": value}))
    if (number := known_integer(value)) is not None:
        emitter.constants[result] = number
    return result


def _binary(build: Callable[[SSAValue, SSAValue], Operation]) -> Rule:
    return lambda emitter, op: emitter.value(build(*emitter.all(op.operands)))


def _wrapping(kind: type[Operation]) -> Rule:
    """Integer arithmetic that wraps, unless it says that it never does; on `index` it never does.

    Loops want to know.
    """

    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        lhs, rhs = emitter.all(op.operands)
        never = op.properties.get("overflowFlags") == WITHIN_TYPE
        if never or isinstance(element(op.results[0].type), IndexType):
            return emitter.value(on_one_type(kind, lhs, rhs, properties=NO_SIGNED_WRAP))
        return emitter.value(on_one_type(kind, lhs, rhs))

    return rule


def _float_binary(kind: type[Operation]) -> Rule:
    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        lhs, rhs = emitter.all(op.operands)
        flags = {"fastmathFlags": fast_math(op.properties.get("fastmath"))}
        return emitter.value(on_one_type(kind, lhs, rhs, properties=flags))

    return rule


def _float_intrinsic(build: Callable[..., Operation]) -> Rule:
    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        flags = fast_math(op.properties.get("fastmath"))
        return emitter.value(build(*emitter.all(op.operands), fast_math=flags))

    return rule


# --- division -------------------------------------------------------------------------------------


def _divisor_is_safe(emitter: Emitter, op: Operation, signed: bool) -> bool:
    if isinstance(element(op.operands[1].type), IndexType):
        return True
    known = emitter.constants.get(emitter.of(op.operands[1]))
    return known is not None and known != 0 and not (signed and known == -1)


def _safe_divisor(
    emitter: Emitter, lhs: SSAValue, rhs: SSAValue, signed: bool
) -> tuple[SSAValue, SSAValue]:
    """A divisor that cannot trap, and whether the given one was zero."""
    type = rhs.type
    zero = emitter.compare("eq", rhs, emitter.constant(0, type))
    unsafe = zero
    if signed:
        least = emitter.constant(-(1 << (width(type) - 1)), type)
        overflows = emitter.value(
            stock.AndOp(
                emitter.compare("eq", lhs, least),
                emitter.compare("eq", rhs, emitter.constant(-1, type)),
            )
        )
        unsafe = emitter.value(stock.OrOp(zero, overflows))
    return emitter.select(unsafe, emitter.constant(1, type), rhs), zero


Division = Callable[[Emitter, SSAValue, SSAValue], SSAValue]


def _divide(signed: bool, build: Division, zero_gives_zero: bool = True) -> Rule:
    """A division that cannot trap; `build` is given a divisor that is safe."""

    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        lhs, rhs = emitter.all(op.operands)
        if _divisor_is_safe(emitter, op, signed):
            return build(emitter, lhs, rhs)
        safe, zero = _safe_divisor(emitter, lhs, rhs, signed)
        result = build(emitter, lhs, safe)
        # What is divided by 1 instead has the remainder 0 already.
        return (
            emitter.select(zero, emitter.constant(0, result.type), result)
            if zero_gives_zero
            else result
        )

    return rule


def _plain(build: Callable[[SSAValue, SSAValue], Operation]) -> Division:
    return lambda emitter, lhs, rhs: emitter.value(build(lhs, rhs))


def _opposite_signs(emitter: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    signs = emitter.value(stock.XOrOp(lhs, rhs))
    return emitter.compare("slt", signs, emitter.constant(0, signs.type))


def floordiv(emitter: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Toward minus infinity: one less where a remainder and the divisor differ in sign."""
    quotient = emitter.value(stock.SDivOp(lhs, rhs))
    remainder = emitter.value(stock.SRemOp(lhs, rhs))
    inexact = emitter.compare("ne", remainder, emitter.constant(0, remainder.type))
    below = emitter.value(stock.AndOp(inexact, _opposite_signs(emitter, remainder, rhs)))
    return emitter.value(stock.AddOp(quotient, emitter.value(stock.SExtOp(below, lhs.type))))


def _ceildiv(emitter: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Toward plus infinity: one more where a remainder and the divisor agree in sign."""
    quotient = emitter.value(stock.SDivOp(lhs, rhs))
    remainder = emitter.value(stock.SRemOp(lhs, rhs))
    zero = emitter.constant(0, remainder.type)
    inexact = emitter.compare("ne", remainder, zero)
    agree = emitter.compare("sge", emitter.value(stock.XOrOp(remainder, rhs)), zero)
    above = emitter.value(stock.AndOp(inexact, agree))
    return emitter.value(stock.AddOp(quotient, emitter.value(stock.ZExtOp(above, lhs.type))))


def _ceildiv_unsigned(emitter: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    quotient = emitter.value(stock.UDivOp(lhs, rhs))
    remainder = emitter.value(stock.URemOp(lhs, rhs))
    inexact = emitter.compare("ne", remainder, emitter.constant(0, remainder.type))
    return emitter.value(stock.AddOp(quotient, emitter.value(stock.ZExtOp(inexact, lhs.type))))


# --- shifts ---------------------------------------------------------------------------------------


def shift_left_or_logical(
    build: Callable[[SSAValue, SSAValue], Operation], *, masked: bool = False
) -> Rule:
    """A shift whose result is 0 from the width on. `masked` has the shift itself never reach it,
    for targets where LLVM does not expect that."""

    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        lhs, amount = emitter.all(op.operands)
        bits = width(lhs.type)
        known = emitter.constants.get(amount)
        if known is not None and 0 <= known < bits:
            return emitter.value(build(lhs, amount))
        within = amount
        if masked:
            within = emitter.value(stock.AndOp(amount, emitter.constant(bits - 1, lhs.type)))
        shifted = emitter.value(build(lhs, within))
        inside = emitter.compare("ult", amount, emitter.constant(bits, lhs.type))
        return emitter.select(inside, shifted, emitter.constant(0, lhs.type))

    return rule


def _shift_arithmetic(emitter: Emitter, op: arith.ShRSIOp) -> SSAValue:
    lhs, amount = emitter.all(op.operands)
    bits = width(lhs.type)
    known = emitter.constants.get(amount)
    if known is None or not 0 <= known < bits:
        amount = emitter.value(llvm.UMinOp(amount, emitter.constant(bits - 1, lhs.type)))
    return emitter.value(stock.AShrOp(lhs, amount))


# --- casts, comparisons ---------------------------------------------------------------------------


def _cast(build: Callable[[SSAValue, Any], Operation]) -> Rule:
    return lambda emitter, op: emitter.value(
        build(emitter.of(op.operands[0]), machine_type(op.results[0].type))
    )


def _saturating(intrinsic: str) -> Rule:
    """A float to an integer, saturating, NaN to 0."""

    def rule(emitter: Emitter, op: Operation) -> SSAValue:
        value, type = emitter.of(op.operands[0]), machine_type(op.results[0].type)
        name = f"llvm.{intrinsic}.sat.{suffix(type)}.{suffix(value.type)}"
        return emitter.intrinsic(name, [value], [type]).results[0]

    return rule


def _index_cast(emitter: Emitter, op: arith.IndexCastOp) -> SSAValue:
    value, type = emitter.of(op.input), machine_type(op.result.type)
    have, want = width(value.type), width(type)
    if have == want:
        return value
    build = stock.SExtOp if have < want else stock.TruncOp
    return emitter.value(build(value, type))


def _ldexp(emitter: Emitter, op: LdexpOp) -> SSAValue:
    x, k = emitter.all(op.operands)
    name = f"llvm.ldexp.{suffix(x.type)}.{suffix(k.type)}"
    return emitter.intrinsic(name, [x, k], [x.type]).results[0]


def _lookup(emitter: Emitter, op: LookupOp) -> SSAValue:
    """An element of a vector for each lane: written so, LLVM finds one permutation in it where the
    processor has that."""
    count, index = len(op.numbers), emitter.of(op.index)
    last = emitter.constant(count - 1, index.type)
    place = emitter.value(stock.AndOp(index, last))
    type = VectorType(f32, [count])
    table = stock.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, op.numbers), type)
    numbers = emitter.value(table)

    def found(lane: SSAValue) -> SSAValue:
        return emitter.value(llvm.ExtractElementOp(numbers, lane))

    return emitter.lanewise(found, place, result=machine_type(op.result.type))


def _cmpi(emitter: Emitter, op: arith.CmpiOp | CmpIOp) -> SSAValue:
    lhs, rhs = emitter.all(op.operands)
    return emitter.compare(stock.ICmpPredicateFlag.from_int(op.predicate.value.data), lhs, rhs)


def _cmpf(emitter: Emitter, op: arith.CmpfOp | CmpFOp) -> SSAValue:
    flag = stock.FCmpPredicateFlag.from_int(op.predicate.value.data)
    lhs, rhs = emitter.all(op.operands)
    return emitter.value(llvm.FCmpOp(lhs, rhs, flag, fast_math(op.properties.get("fastmath"))))


def _select(emitter: Emitter, op: arith.SelectOp | SelectOp) -> SSAValue:
    result = emitter.select(*emitter.all(op.operands))
    if UNPREDICTABLE in op.attributes and isinstance(result.owner, Operation):
        result.owner.attributes[UNPREDICTABLE] = UnitAttr()
    return result


def _negf(emitter: Emitter, op: arith.NegfOp) -> SSAValue:
    return emitter.value(stock.FNegOp(emitter.of(op.operand), fast_math(op.fastmath)))


ARITHMETIC: dict[type[Operation], Rule] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _wrapping(stock.AddOp),
    arith.SubiOp: _wrapping(stock.SubOp),
    arith.MuliOp: _wrapping(stock.MulOp),
    arith.DivSIOp: _divide(True, _plain(stock.SDivOp)),
    arith.DivUIOp: _divide(False, _plain(stock.UDivOp)),
    arith.RemSIOp: _divide(True, _plain(stock.SRemOp), zero_gives_zero=False),
    arith.RemUIOp: _divide(False, _plain(stock.URemOp), zero_gives_zero=False),
    arith.FloorDivSIOp: _divide(True, floordiv),
    arith.CeilDivSIOp: _divide(True, _ceildiv),
    arith.CeilDivUIOp: _divide(False, _ceildiv_unsigned),
    arith.MinSIOp: _binary(llvm.SMinOp),
    arith.MaxSIOp: _binary(llvm.SMaxOp),
    arith.MinUIOp: _binary(llvm.UMinOp),
    arith.MaxUIOp: _binary(llvm.UMaxOp),
    arith.AndIOp: _binary(stock.AndOp),
    arith.OrIOp: _binary(stock.OrOp),
    arith.XOrIOp: _binary(stock.XOrOp),
    arith.ShLIOp: shift_left_or_logical(stock.ShlOp),
    arith.ShRUIOp: shift_left_or_logical(stock.LShrOp),
    arith.ShRSIOp: _shift_arithmetic,
    arith.CmpiOp: _cmpi,
    CmpIOp: _cmpi,
    CastOp: lambda emitter, op: ARITHMETIC[op.scalar](emitter, op),
    arith.CmpfOp: _cmpf,
    CmpFOp: _cmpf,
    arith.SelectOp: _select,
    SelectOp: _select,
    LdexpOp: _ldexp,
    LookupOp: _lookup,
    arith.AddfOp: _float_binary(stock.FAddOp),
    arith.SubfOp: _float_binary(stock.FSubOp),
    arith.MulfOp: _float_binary(stock.FMulOp),
    arith.DivfOp: _float_binary(stock.FDivOp),
    RemfOp: _float_binary(stock.FRemOp),
    arith.NegfOp: _negf,
    arith.MaximumfOp: _float_intrinsic(llvm.MaximumOp),
    arith.MinimumfOp: _float_intrinsic(llvm.MinimumOp),
    arith.MaxnumfOp: _float_intrinsic(stock.VectorFMaxOp),
    arith.MinnumfOp: _float_intrinsic(stock.VectorFMinOp),
    arith.BitcastOp: _cast(stock.BitcastOp),
    arith.IndexCastOp: _index_cast,
    arith.FPToSIOp: _saturating("fptosi"),
    arith.FPToUIOp: _saturating("fptoui"),
    arith.SIToFPOp: _cast(stock.SIToFPOp),
    arith.UIToFPOp: _cast(llvm.UIToFPOp),
    arith.ExtFOp: _cast(stock.FPExtOp),
    arith.TruncFOp: _cast(stock.FPTruncOp),
    arith.TruncIOp: _cast(stock.TruncOp),
    arith.ExtSIOp: _cast(stock.SExtOp),
    arith.ExtUIOp: _cast(stock.ZExtOp),
}
"""The rule of each arith op."""
