"""Compute f16, bf16 and the 8-bit floats in f32, rounding each result once.

Few CPUs compute all of arith and math in these types, and those that convert do it each in their
own way: AVX-512's conversion to bf16 flushes denormals, and LLVM is free to bring it in wherever
it sees a bf16 being extended or truncated. So an op on them becomes

    %y = op %x : bf16    -->    %x' = extf %x : bf16 to f32
                                %y' = op %x' : f32
                                %y  = truncf %y' : f32 to bf16

and the conversions from and to bf16 themselves become integer arithmetic on the bits, rounding half
to even. GPUs round to bf16 themselves, and flush nothing (`capability`). Loads, stores, selections
and constants move the narrow types as they are. f32 has more than twice the digits of any of them,
so that rounding twice gives what rounding once would for + - * / and sqrt. Of 8-bit and narrower
floats what is left are moves and conversions from and to f32, which `floats-to-bytes` takes on.

From f64 and wide integers a narrow type is reached through an f32 that is rounded *to odd* (its
last bit set where digits were lost), which makes the second rounding the only one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    ReducedPrecisionFloatType,
    f32,
    f64,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import lanewise
from teenyir.dialects.arith import RemfOp
from teenyir.dialects.inside import operations
from teenyir.dialects.lanes import element, is_vector, like
from teenyir.dialects.lanewise import CastOp, CmpFOp, compare_floats, compare_integers, select
from teenyir.passes.uop.numbers import Number
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.targets import cuda

NARROW = (Float16Type, BFloat16Type, ReducedPrecisionFloatType)
"""The types that are computed in f32 (the last are all floats of 8 bits and fewer)."""

COMPUTED: tuple[type[Operation], ...] = (
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, RemfOp, arith.NegfOp),
    *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp, arith.CmpfOp, CmpFOp),
    *(arith.FPToSIOp, arith.FPToUIOp),
    *(math.AbsFOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp),
    *(math.SqrtOp, math.RsqrtOp, math.CbrtOp, math.CopySignOp, math.FmaOp, math.PowFOp),
    *(math.ExpOp, math.Exp2Op, math.ExpM1Op, math.LogOp, math.Log2Op, math.Log10Op),
    *(math.Log1pOp, math.SinOp, math.CosOp, math.TanOp, math.AsinOp, math.AcosOp, math.AtanOp),
    *(math.Atan2Op, math.SinhOp, math.CoshOp, math.TanhOp, math.AsinhOp, math.AcoshOp),
    *(math.AtanhOp, math.ErfOp, vector.FMAOp, vector.ReductionOp),
)
"""Ops that are computed in f32 where an operand or a result is narrow."""


ROUNDS_FROM = 80
"""The compute capability from which on there is `cvt.rn.bf16.f32`."""


@dataclass(frozen=True)
class LegalizeFloats(Pass):
    """Compute f16, bf16 and the 8-bit floats in f32."""

    name = "legalize-floats"
    anchor: ClassVar[str | None] = "uop.func"

    capability: str = ""
    """The compute capability of a GPU, which rounds f32 to bf16 itself from sm_80 on; none if it is
    empty."""

    def run(self, op: Operation, session: Session) -> None:
        changed = False
        rounds = bool(self.capability) and cuda.find(self.capability).number >= ROUNDS_FROM
        for inner in operations(op):
            if (rule := RULES.get(inner.__class__)) is not None:
                rule(Legalizer(inner, rounds), session)
                changed |= inner.parent is None
        if not changed:
            session.preserve_all()


def is_narrow(type: Attribute) -> bool:
    """Whether a value is a float of fewer than 32 bits, or a vector of them."""
    return isinstance(element(type), NARROW)


@dataclass
class Legalizer:
    """Builds ops in front of the one that they will replace."""

    op: Operation
    rounds: bool
    """Whether the machine rounds f32 to bf16."""

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
        if not is_vector(wide):
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
        bits = self.insert(lanewise.cast(arith.ExtUIOp, short, long))
        high = self.insert(arith.ShLIOp(bits, self.integer(16, long)))
        return self.insert(arith.BitcastOp(high, like(value.type, f32)))

    def narrow(self, value: SSAValue, type: Attribute) -> SSAValue:
        """An f32 rounded to a narrow type."""
        if isinstance(element(type), BFloat16Type) and not self.rounds:
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
        nan = self.insert(compare_floats(value, value, "uno"))
        chosen = self.insert(select(nan, quiet, rounded))
        narrowed = cast("IntegerType", like(value.type, i16))
        short = self.insert(lanewise.cast(arith.TruncIOp, chosen, narrowed))
        return self.insert(arith.BitcastOp(short, like(value.type, BFloat16Type())))

    def to_odd_f32(self, value: SSAValue) -> SSAValue:
        """An f64 as an f32 whose last bit is set where digits were lost."""
        nearest = self.insert(arith.TruncFOp(value, like(value.type, f32)))
        back = self.insert(arith.ExtFOp(nearest, value.type))
        bits = self.insert(arith.BitcastOp(nearest, like(value.type, i32)))
        inexact = self.insert(compare_floats(back, value, "one"))
        last = self.insert(arith.AndIOp(bits, self.integer(1, bits.type)))
        even = self.insert(compare_integers(last, self.integer(0, bits.type), "eq"))
        wrong = self.insert(arith.AndIOp(inexact, even))
        reached, wanted = (self.insert(math.AbsFOp(v)) for v in (back, value))
        below = self.insert(compare_floats(reached, wanted, "olt"))
        one, minus_one = self.integer(1, bits.type), self.integer(-1, bits.type)
        step = self.insert(select(below, one, minus_one))
        moved = self.insert(arith.AddiOp(bits, step))
        chosen = self.insert(select(wrong, moved, bits))
        return self.insert(arith.BitcastOp(chosen, like(value.type, f32)))

    def sticky(self, value: SSAValue, signed: bool) -> SSAValue:
        """An i64 with as many bits as f64 has, on the same side of all that is rounded to.

        The lowest 12 bits of a large one become a single one: a value that is no tie stays none.
        """
        number = Number(LocatedBuilder(InsertPoint.before(self.op), self.op.location), value)
        low = number & 0xFFF
        lost = low.compare("ne", 0).select(1 << 11, number.like(0))
        limit = 1 << 53
        # from -limit to limit as numbers from 0 on, where they have a sign
        at, count = (number + limit, 2 * limit) if signed else (number, limit)
        return at.compare("ule", count).select(number, number - low | lost).value


def _computed(build: Legalizer, session: Session) -> None:
    """op : bf16 -> extf, op : f32, truncf"""
    op = build.op
    if not any(is_narrow(value.type) for value in (*op.operands, *op.results)):
        return
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


def _truncated(build: Legalizer, session: Session) -> None:
    """truncf : f64 to f16 -> truncf of an f32 rounded to odd; truncf to bf16 -> integer ops, where
    the machine does not round so"""
    op = build.op
    assert isinstance(op, arith.TruncFOp)
    type, source = op.result.type, element(op.input.type)
    if not is_narrow(type):
        return
    is_f32 = isinstance(source, Float32Type)
    if is_f32 and (build.rounds or not isinstance(element(type), BFloat16Type)):
        return
    wide = isinstance(source, Float64Type)
    value = build.to_odd_f32(op.input) if wide else build.widen(op.input)
    build.replace([build.narrow(value, type)])
    session.count("conversions")


def _extended(build: Legalizer, session: Session) -> None:
    """extf : bf16 to f32 -> integer ops; extf : f16 to f64 -> extf to f32, extf to f64"""
    op = build.op
    assert isinstance(op, arith.ExtFOp)
    source, type = op.input.type, op.result.type
    is_f32 = isinstance(element(type), Float32Type)
    if not is_narrow(source) or (is_f32 and not isinstance(element(source), BFloat16Type)):
        return
    value = build.widen(op.input)
    if is_narrow(type):
        value = build.narrow(value, type)
    elif not is_f32:
        value = build.insert(arith.ExtFOp(value, type))
    build.replace([value])
    session.count("conversions")


EXACT_INTEGER = 24
"""The width up to which f32 holds every integer."""


def _from_integer(build: Legalizer, session: Session) -> None:
    """sitofp : i32 to bf16 -> sitofp to f64, truncf of an f32 rounded to odd"""
    op = build.op
    assert isinstance(op, arith.SIToFPOp | arith.UIToFPOp | CastOp)
    scalar = op.scalar if isinstance(op, CastOp) else op.__class__
    type, source = op.result.type, element(op.input.type)
    if not is_narrow(type):
        return
    bits = source.bitwidth if isinstance(source, IntegerType) else 64
    # f16 has no numbers beyond those that f32 counts by one
    if bits <= EXACT_INTEGER or isinstance(element(type), Float16Type):
        _computed(build, session)
        return
    value = op.input
    if bits > 53:
        value = build.sticky(value, scalar is arith.SIToFPOp)
    wide = build.insert(lanewise.cast(scalar, value, like(type, f64)))
    build.replace([build.narrow(build.to_odd_f32(wide), type)])
    session.count("conversions")


def _cast(build: Legalizer, session: Session) -> None:
    """A cast of vectors, as that of scalars."""
    assert isinstance(build.op, CastOp)
    if (rule := RULES.get(build.op.scalar)) is not None:
        rule(build, session)


RULES: dict[type[Operation], Callable[[Legalizer, Session], None]] = {
    **dict.fromkeys(COMPUTED, _computed),
    arith.TruncFOp: _truncated,
    arith.ExtFOp: _extended,
    arith.SIToFPOp: _from_integer,
    arith.UIToFPOp: _from_integer,
    CastOp: _cast,
}
"""What is done with each op."""
