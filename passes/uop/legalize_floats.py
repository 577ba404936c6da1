"""Compute f16 and bf16 in f32, rounding each result once.

Few CPUs compute all of arith and math in these types, and those that convert do it each in their
own way: AVX-512's conversion to bf16 flushes denormals, and LLVM is free to bring it in wherever
it sees a bf16 being extended or truncated. So an op on them becomes

    %y = op %x : bf16    -->    %x' = extf %x : bf16 to f32
                                %y' = op %x' : f32
                                %y  = truncf %y' : f32 to bf16

and the conversions from and to bf16 themselves become integer arithmetic on the bits, rounding
half to even. Loads, stores, selections and constants move the narrow types as they are. f32 has
more than twice the digits of either, so that rounding twice gives what rounding once would for
+ - * / and sqrt.

From f64 a narrow type is reached through an f32 that is rounded *to odd* (its last bit set where
digits were lost), which makes the second rounding the only one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from teenyir.dialects.arith import RemfOp
from teenyir.dialects.lanes import element, like
from teenyir.rewriting.base import Pass, Session

NARROW = (Float16Type, BFloat16Type)

COMPUTED: tuple[type[Operation], ...] = (
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, RemfOp, arith.NegfOp),
    *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp, arith.CmpfOp),
    *(arith.FPToSIOp, arith.FPToUIOp, arith.SIToFPOp, arith.UIToFPOp),
    *(math.AbsFOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp),
    *(math.SqrtOp, math.RsqrtOp, math.CbrtOp, math.CopySignOp, math.FmaOp, math.PowFOp),
    *(math.ExpOp, math.Exp2Op, math.ExpM1Op, math.LogOp, math.Log2Op, math.Log10Op),
    *(math.Log1pOp, math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp),
    *(math.Atan2Op, math.SinhOp, math.CoshOp, math.TanhOp, math.AsinhOp, math.AcoshOp),
    *(math.AtanhOp, math.ErfOp, vector.FMAOp, vector.ReductionOp),
)
"""Ops that are computed in f32 where an operand or a result is narrow."""


@dataclass(frozen=True)
class LegalizeFloats(Pass):
    """Compute f16 and bf16 in f32."""

    name = "legalize-floats"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        for inner in list(op.walk()):
            if (rule := RULES.get(inner.__class__)) is not None:
                rule(inner, session)


def is_narrow(type: Attribute) -> bool:
    """Whether a value is an f16 or a bf16, or a vector of them."""
    return isinstance(element(type), NARROW)


@dataclass
class Legalizer:
    """Builds ops in front of the one that they will replace."""

    op: Operation

    def insert(self, op: Operation) -> SSAValue:
        op.location = self.op.location
        block = self.op.parent
        assert block is not None
        block.insert_op_before(op, self.op)
        return op.results[0]

    def replace(self, values: list[SSAValue]) -> None:
        """Put `values` in the place of the op's results, and the op away."""
        for old, new in zip(self.op.results, values, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        self.op.detach()
        self.op.erase()

    def integer(self, number: int, type: Attribute) -> SSAValue:
        """An i32 constant, as wide as `type`."""
        scalar = self.insert(arith.ConstantOp(IntegerAttr(number, i32)))
        wide = like(type, i32)
        if not isa(wide, VectorType[Attribute]):
            return scalar
        return self.insert(vector.BroadcastOp(scalar, wide))

    def widen(self, value: SSAValue) -> SSAValue:
        """A narrow value as f32; any other as it is."""
        if not is_narrow(value.type):
            return value
        if isinstance(element(value.type), BFloat16Type):
            return self.from_bfloat16(value)
        return self.insert(arith.ExtFOp(value, like(value.type, f32)))

    def from_bfloat16(self, value: SSAValue) -> SSAValue:
        """A bf16 is the upper half of an f32's bits."""
        short = self.insert(arith.BitcastOp(value, like(value.type, i16)))
        long = cast("IntegerType", like(value.type, i32))
        bits = self.insert(arith.ExtUIOp(short, long))
        high = self.insert(arith.ShLIOp(bits, self.integer(16, long)))
        return self.insert(arith.BitcastOp(high, like(value.type, f32)))

    def narrow(self, value: SSAValue, type: Attribute) -> SSAValue:
        """An f32 rounded to a narrow type."""
        if isinstance(element(type), BFloat16Type):
            return self.to_bfloat16(value)
        return self.insert(arith.TruncFOp(value, type))

    def to_bfloat16(self, value: SSAValue) -> SSAValue:
        """The upper half of an f32's bits, rounded half to even; a NaN stays one."""
        bits = self.insert(arith.BitcastOp(value, like(value.type, i32)))
        high = self.insert(arith.ShRUIOp(bits, self.integer(16, bits.type)))
        last = self.insert(arith.AndIOp(high, self.integer(1, bits.type)))
        half = self.insert(arith.AddiOp(last, self.integer(0x7FFF, bits.type)))
        sum = self.insert(arith.AddiOp(bits, half))
        rounded = self.insert(arith.ShRUIOp(sum, self.integer(16, bits.type)))
        quiet = self.insert(arith.OrIOp(high, self.integer(0x40, bits.type)))
        nan = self.insert(arith.CmpfOp(value, value, "uno"))
        chosen = self.insert(arith.SelectOp(nan, quiet, rounded))
        narrowed = cast("IntegerType", like(value.type, i16))
        short = self.insert(arith.TruncIOp(chosen, narrowed))
        return self.insert(arith.BitcastOp(short, like(value.type, BFloat16Type())))

    def to_odd_f32(self, value: SSAValue) -> SSAValue:
        """An f64 as an f32 whose last bit is set where digits were lost."""
        nearest = self.insert(arith.TruncFOp(value, like(value.type, f32)))
        back = self.insert(arith.ExtFOp(nearest, value.type))
        bits = self.insert(arith.BitcastOp(nearest, like(value.type, i32)))
        inexact = self.insert(arith.CmpfOp(back, value, "one"))
        last = self.insert(arith.AndIOp(bits, self.integer(1, bits.type)))
        even = self.insert(arith.CmpiOp(last, self.integer(0, bits.type), "eq"))
        wrong = self.insert(arith.AndIOp(inexact, even))
        reached, wanted = (self.insert(math.AbsFOp(v)) for v in (back, value))
        below = self.insert(arith.CmpfOp(reached, wanted, "olt"))
        one, minus_one = self.integer(1, bits.type), self.integer(-1, bits.type)
        step = self.insert(arith.SelectOp(below, one, minus_one))
        moved = self.insert(arith.AddiOp(bits, step))
        chosen = self.insert(arith.SelectOp(wrong, moved, bits))
        return self.insert(arith.BitcastOp(chosen, like(value.type, f32)))


def _computed(op: Operation, session: Session) -> None:
    """op : bf16 -> extf, op : f32, truncf"""
    if not any(is_narrow(value.type) for value in (*op.operands, *op.results)):
        return
    build = Legalizer(op)
    wide = op.create(
        operands=[build.widen(value) for value in op.operands],
        result_types=[like(r.type, f32) if is_narrow(r.type) else r.type for r in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    build.insert(wide)
    build.replace(
        [
            build.narrow(new, old.type) if is_narrow(old.type) else new
            for new, old in zip(wide.results, op.results, strict=True)
        ]
    )
    session.count("computed in f32")


def _truncated(op: Operation, session: Session) -> None:
    """truncf : f64 to f16 -> truncf of an f32 rounded to odd; truncf to bf16 -> integer ops"""
    assert isinstance(op, arith.TruncFOp)
    type, source = op.result.type, element(op.input.type)
    if not is_narrow(type):
        return
    wide = isinstance(source, Float64Type)
    if not wide and not isinstance(element(type), BFloat16Type):
        return
    build = Legalizer(op)
    value = build.to_odd_f32(op.input) if wide else op.input
    build.replace([build.narrow(value, type)])
    session.count("conversions")


def _extended(op: Operation, session: Session) -> None:
    """extf : bf16 to f32 -> integer ops; extf : f16 to f64 -> extf to f32, extf to f64"""
    assert isinstance(op, arith.ExtFOp)
    source, type = op.input.type, op.result.type
    wide = isinstance(element(type), Float64Type)
    if not is_narrow(source) or not (wide or isinstance(element(source), BFloat16Type)):
        return
    build = Legalizer(op)
    value = build.widen(op.input)
    build.replace([build.insert(arith.ExtFOp(value, type)) if wide else value])
    session.count("conversions")


RULES: dict[type[Operation], Callable[[Operation, Session], None]] = {
    **dict.fromkeys(COMPUTED, _computed),
    arith.TruncFOp: _truncated,
    arith.ExtFOp: _extended,
}
"""What is done with each op."""
