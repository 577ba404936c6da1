"""What an elementwise op does to one element, in scalar arithmetic: a table by op.

Below the graph floor integers are signless and nothing is undefined: where `arith` leaves a case
open (a division by zero, a shift by the width, a cast out of range), the op is guarded here with
what the graph floor says of that case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f32,
    i8,
    i32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from teenyir.dialects import graph
from teenyir.dialects.arith import RemfOp
from teenyir.dialects.building import on_one_type
from teenyir.dialects.dtypes import FLOAT32, FLOAT64, INT8, INT64, UINT8, DType
from teenyir.rewriting.locations import LocatedBuilder


class Scalars:
    """Builds scalar ops; each method returns the value of the op that it builds."""

    def __init__(self, builder: LocatedBuilder):
        self.builder = builder

    def op(self, op: Operation) -> SSAValue:
        """Insert an op of one result."""
        self.builder.insert(op)
        return op.results[0]

    def constant(self, value: float | int, type: Attribute) -> SSAValue:
        """A number of a float or an integer type; integers wrap to the width."""
        if isa(type, IntegerType):
            bits = type.bitwidth
            wrapped = int(value) & ((1 << bits) - 1)
            signed = wrapped - (1 << bits) if bits > 1 and wrapped >> (bits - 1) else wrapped
            return self.op(arith.ConstantOp(IntegerAttr(signed, type)))
        return self.op(arith.ConstantOp(FloatAttr(float(value), cast(AnyFloat, type))))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """An `arith` predicate: `slt`, `eq`, ... on integers, `olt`, `une`, ... on floats."""
        is_integer = isa(a.type, IntegerType) or predicate in _INTEGER_PREDICATES
        return self.op((arith.CmpiOp if is_integer else arith.CmpfOp)(a, b, predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.SelectOp(condition, a, b))

    def is_zero(self, a: SSAValue) -> SSAValue:
        return self.compare("eq", a, self.constant(0, a.type))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.AndIOp(a, b))

    def signs_differ(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Whether one of two numbers is below zero and the other is not."""
        less = "slt" if isa(a.type, IntegerType) else "olt"
        zero = self.constant(0, a.type)
        return self.op(arith.XOrIOp(self.compare(less, a, zero), self.compare(less, b, zero)))


_INTEGER_PREDICATES = frozenset(
    {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}
)

Args: TypeAlias = Sequence[SSAValue]
Rule: TypeAlias = Callable[[Scalars, Args], SSAValue]
"""Builds the value of one element from the operands' elements."""

ByKind: TypeAlias = dict[str, Rule]


def _unary(op: type[Operation]) -> Rule:
    return lambda s, args: s.op(on_one_type(op, args[0]))


def _binary(op: type[Operation]) -> Rule:
    return lambda s, args: s.op(on_one_type(op, args[0], args[1]))


def _same(rule: Rule, *kinds: str) -> ByKind:
    return dict.fromkeys(kinds, rule)


# --- integers -------------------------------------------------------------------------------------


def _safe_signed_divisor(s: Scalars, b: SSAValue) -> SSAValue:
    """`b`, or 1 where a division by it would trap: 0, and -1 for the least number's sake."""
    unsafe = s.op(arith.OrIOp(s.is_zero(b), s.compare("eq", b, s.constant(-1, b.type))))
    return s.select(unsafe, s.constant(1, b.type), b)


def _floor_correction(s: Scalars, a: SSAValue, safe: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The truncated remainder, and whether the floored quotient is one less."""
    remainder = s.op(arith.RemSIOp(a, safe))
    inexact = s.compare("ne", remainder, s.constant(0, a.type))
    return remainder, s.both(inexact, s.signs_differ(remainder, safe))


def _signed_floordiv(s: Scalars, args: Args) -> SSAValue:
    a, b = args
    safe = _safe_signed_divisor(s, b)
    _, less = _floor_correction(s, a, safe)
    quotient = s.op(arith.DivSIOp(a, safe))
    quotient = s.op(arith.SubiOp(quotient, s.op(arith.ExtUIOp(less, cast(IntegerType, a.type)))))
    negated = s.op(arith.SubiOp(s.constant(0, a.type), a))
    quotient = s.select(s.compare("eq", b, s.constant(-1, b.type)), negated, quotient)
    return s.select(s.is_zero(b), s.constant(0, a.type), quotient)


def _signed_mod(s: Scalars, args: Args) -> SSAValue:
    a, b = args
    safe = _safe_signed_divisor(s, b)
    remainder, less = _floor_correction(s, a, safe)
    corrected = s.select(less, s.op(arith.AddiOp(remainder, safe)), remainder)
    return s.select(s.is_zero(b), s.constant(0, a.type), corrected)


def _unsigned_division(op: Callable[[SSAValue, SSAValue], Operation]) -> Rule:
    def rule(s: Scalars, args: Args) -> SSAValue:
        a, b = args
        zero = s.is_zero(b)
        result = s.op(op(a, s.select(zero, s.constant(1, b.type), b)))
        return s.select(zero, s.constant(0, a.type), result)

    return rule


def _shift(op: Callable[[SSAValue, SSAValue], Operation], fills_with_sign: bool = False) -> Rule:
    def rule(s: Scalars, args: Args) -> SSAValue:
        a, b = args
        bits = cast(IntegerType, a.type).bitwidth
        outside = s.compare("uge", b, s.constant(bits, b.type))
        if fills_with_sign:
            # by the width less one, every bit is the sign
            return s.op(op(a, s.select(outside, s.constant(bits - 1, b.type), b)))
        shifted = s.op(op(a, s.select(outside, s.constant(0, b.type), b)))
        return s.select(outside, s.constant(0, a.type), shifted)

    return rule


def _signed_sign(s: Scalars, args: Args) -> SSAValue:
    (a,) = args
    low = s.op(arith.MaxSIOp(a, s.constant(-1, a.type)))
    return s.op(arith.MinSIOp(low, s.constant(1, a.type)))


def _not(s: Scalars, args: Args) -> SSAValue:
    return s.op(arith.XOrIOp(args[0], s.constant(-1, args[0].type)))


# --- floats ---------------------------------------------------------------------------------------


def _float_mod(s: Scalars, args: Args) -> SSAValue:
    # r = fmod(a, b); r != 0 and of the other sign than b: r + b; r == 0: a zero of b's sign
    a, b = args
    remainder = s.op(RemfOp(a, b))
    inexact = s.compare("une", remainder, s.constant(0, a.type))
    wrong = s.both(inexact, s.signs_differ(remainder, b))
    corrected = s.select(wrong, s.op(arith.AddfOp(remainder, b)), remainder)
    zero = s.op(math.CopySignOp(s.constant(0, a.type), b))
    return s.select(inexact, corrected, zero)


def _float_floordiv(s: Scalars, args: Args) -> SSAValue:
    narrow = args[0].type
    if narrow not in (FLOAT32.element, FLOAT64.element):
        # too narrow for the difference and the quotient below
        wide = [s.op(arith.ExtFOp(arg, cast(AnyFloat, FLOAT32.element))) for arg in args]
        return s.op(arith.TruncFOp(_float_floordiv(s, wide), cast(AnyFloat, narrow)))
    # the quotient of what is exactly divisible, (a - r) / b, snapped to the nearest integer
    a, b = args
    zero, one = s.constant(0, a.type), s.constant(1, a.type)
    plain = s.op(arith.DivfOp(a, b))
    remainder = s.op(RemfOp(a, b))
    exact = s.op(arith.DivfOp(s.op(arith.SubfOp(a, remainder)), b))
    inexact = s.compare("une", remainder, zero)
    less = s.both(inexact, s.signs_differ(remainder, b))
    exact = s.select(less, s.op(arith.SubfOp(exact, one)), exact)
    floor = s.op(math.FloorOp(exact))
    above = s.compare("ogt", s.op(arith.SubfOp(exact, floor)), s.constant(0.5, a.type))
    snapped = s.select(above, s.op(arith.AddfOp(floor, one)), floor)
    signed_zero = s.op(math.CopySignOp(zero, plain))
    result = s.select(s.compare("une", exact, zero), snapped, signed_zero)
    return s.select(s.compare("oeq", b, zero), plain, result)


def _float_sign(s: Scalars, args: Args) -> SSAValue:
    # zeros and NaN stay themselves
    (a,) = args
    unit = s.op(math.CopySignOp(s.constant(1, a.type), a))
    is_number = s.compare("one", a, s.constant(0, a.type))
    return s.select(is_number, unit, a)


# --- the table ------------------------------------------------------------------------------------

RULES: dict[type[graph.GraphOp], ByKind] = {
    graph.AddOp: {"float": _binary(arith.AddfOp), **_same(_binary(arith.AddiOp), "int", "uint")},
    graph.SubOp: {"float": _binary(arith.SubfOp), **_same(_binary(arith.SubiOp), "int", "uint")},
    graph.MulOp: {"float": _binary(arith.MulfOp), **_same(_binary(arith.MuliOp), "int", "uint")},
    graph.DivOp: {"float": _binary(arith.DivfOp)},
    graph.FloorDivOp: {
        "float": _float_floordiv,
        "int": _signed_floordiv,
        "uint": _unsigned_division(arith.DivUIOp),
    },
    graph.ModOp: {
        "float": _float_mod,
        "int": _signed_mod,
        "uint": _unsigned_division(arith.RemUIOp),
    },
    graph.PowOp: {"float": _binary(math.PowFOp)},
    graph.MaxOp: {
        "float": _binary(arith.MaximumfOp),
        "int": _binary(arith.MaxSIOp),
        "uint": _binary(arith.MaxUIOp),
    },
    graph.MinOp: {
        "float": _binary(arith.MinimumfOp),
        "int": _binary(arith.MinSIOp),
        "uint": _binary(arith.MinUIOp),
    },
    graph.Atan2Op: {"float": _binary(math.Atan2Op)},
    graph.AndOp: _same(_binary(arith.AndIOp), "bool", "int", "uint"),
    graph.OrOp: _same(_binary(arith.OrIOp), "bool", "int", "uint"),
    graph.XorOp: _same(_binary(arith.XOrIOp), "bool", "int", "uint"),
    graph.ShlOp: _same(_shift(arith.ShLIOp), "int", "uint"),
    graph.ShrOp: {
        "int": _shift(arith.ShRSIOp, fills_with_sign=True),
        "uint": _shift(arith.ShRUIOp),
    },
    graph.NegOp: {
        "float": _unary(arith.NegfOp),
        **_same(
            lambda s, args: s.op(arith.SubiOp(s.constant(0, args[0].type), args[0])), "int", "uint"
        ),
    },
    graph.AbsOp: {
        "float": _unary(math.AbsFOp),
        "int": _unary(math.AbsIOp),
        "uint": lambda s, args: args[0],
    },
    graph.SignOp: {
        "float": _float_sign,
        "int": _signed_sign,
        "uint": lambda s, args: s.op(arith.MinUIOp(args[0], s.constant(1, args[0].type))),
    },
    graph.ExpOp: {"float": _unary(math.ExpOp)},
    graph.Exp2Op: {"float": _unary(math.Exp2Op)},
    graph.LogOp: {"float": _unary(math.LogOp)},
    graph.Log2Op: {"float": _unary(math.Log2Op)},
    graph.SqrtOp: {"float": _unary(math.SqrtOp)},
    graph.RsqrtOp: {"float": _unary(math.RsqrtOp)},
    graph.SinOp: {"float": _unary(math.SinOp)},
    graph.CosOp: {"float": _unary(math.CosOp)},
    graph.TanhOp: {"float": _unary(math.TanhOp)},
    graph.ErfOp: {"float": _unary(math.ErfOp)},
    graph.FloorOp: {"float": _unary(math.FloorOp)},
    graph.CeilOp: {"float": _unary(math.CeilOp)},
    graph.RoundOp: {"float": _unary(math.RoundEvenOp)},
    graph.TruncOp: {"float": _unary(math.TruncOp)},
    graph.NotOp: _same(_not, "bool", "int", "uint"),
}
"""The rule of each op for each kind of element that it takes."""

PREDICATES: dict[str, dict[str, str]] = {
    "float": {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"},
    "int": {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"},
    "uint": {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"},
    "bool": {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"},
}
"""The `arith` predicate of each of the graph floor's, by the kind of the operands."""


# --- casts ----------------------------------------------------------------------------------------


def cast_scalar(s: Scalars, value: SSAValue, source: DType, target: DType) -> SSAValue:
    """One element converted as `graph.cast` says."""
    if source == target:
        return value
    if source.is_packed:
        byte = INT8 if source.kind == "int" else UINT8
        return cast_scalar(s, _unpacked(s, value, source), byte, target)
    if target.is_packed:
        byte = _float_to_integer if source.kind == "float" else _integer_to_byte
        return _masked(s, byte(s, value, source, target), target.bits)
    if target.kind == "bool":
        return _to_bool(s, value, source)
    if source.kind == "float":
        if target.kind == "float":
            return _float_to_float(s, value, source, target)
        return _float_to_integer(s, value, source, target)
    if target.kind == "float":
        op = arith.SIToFPOp if source.kind == "int" else arith.UIToFPOp
        return s.op(op(value, cast(AnyFloat, target.below)))
    below = cast(IntegerType, target.below)
    if target.bits == source.bits:
        return value
    if target.bits < source.bits:
        return s.op(arith.TruncIOp(value, below))
    return s.op((arith.ExtSIOp if source.kind == "int" else arith.ExtUIOp)(value, below))


def _to_bool(s: Scalars, value: SSAValue, source: DType) -> SSAValue:
    if source.format is not None and source.format.zeros == 0:
        value = cast_scalar(s, value, source, FLOAT32)
    unequal = "une" if source.kind == "float" else "ne"
    return s.compare(unequal, value, s.constant(0, value.type))


def _integer_to_byte(s: Scalars, value: SSAValue, source: DType, target: DType) -> SSAValue:
    return cast_scalar(s, value, source, UINT8)


def _masked(s: Scalars, value: SSAValue, bits: int) -> SSAValue:
    """A byte with the bits above the lowest ones zero."""
    return s.op(arith.AndIOp(value, s.constant((1 << bits) - 1, value.type)))


def _unpacked(s: Scalars, value: SSAValue, dtype: DType) -> SSAValue:
    """The number in the lowest bits of a byte, as a byte."""
    if dtype.kind == "uint":
        return _masked(s, value, dtype.bits)
    up = s.constant(8 - dtype.bits, value.type)
    return s.op(arith.ShRSIOp(s.op(arith.ShLIOp(value, up)), up))


def _float_to_float(s: Scalars, value: SSAValue, source: DType, target: DType) -> SSAValue:
    below = cast(AnyFloat, target.below)
    if source.bits == target.bits or (source.bits < 16 and target.bits < 32):
        # f16 and bf16 do not contain each other nor all of the narrower types, f32 contains all
        return s.op(arith.TruncFOp(_float_to_float(s, value, source, FLOAT32), below))
    return s.op((arith.ExtFOp if source.bits < target.bits else arith.TruncFOp)(value, below))


def _float_to_integer(s: Scalars, value: SSAValue, source: DType, target: DType) -> SSAValue:
    if source.bits < FLOAT32.bits:
        # so that the bounds below are numbers of the type
        return _float_to_integer(s, cast_scalar(s, value, source, FLOAT32), FLOAT32, target)
    signed = target.kind == "int"
    low = -(1 << (target.bits - 1)) if signed else 0
    high = 1 << (target.bits - 1 if signed else target.bits)
    below = cast(IntegerType, target.below)
    least, beyond = s.constant(low, value.type), s.constant(high, value.type)
    too_high = s.compare("oge", value, beyond)
    fits = s.both(s.compare("oge", value, least), s.compare("olt", value, beyond))
    # 0 where it does not fit, which is right for NaN
    converted = s.op(
        (arith.FPToSIOp if signed else arith.FPToUIOp)(
            s.select(fits, value, s.constant(0, value.type)), below
        )
    )
    saturated = s.select(too_high, s.constant(high - 1, below), converted)
    return s.select(s.compare("olt", value, least), s.constant(low, below), saturated)


def within(s: Scalars, kind: str, value: SSAValue, dtype: DType) -> SSAValue:
    """A maximum or minimum formed in f32 as a number of a type without infinities.

    It is infinite where it is of no elements, and would be NaN in that type.
    """
    if kind not in ("max", "min") or dtype.format is None or dtype.format.infinities:
        return value
    greatest = dtype.format.greatest
    if kind == "max":
        return s.op(arith.MaximumfOp(value, s.constant(-greatest, value.type)))
    return s.op(arith.MinimumfOp(value, s.constant(greatest, value.type)))


def index_scalar(s: Scalars, value: SSAValue, target: DType) -> SSAValue:
    """An index as an element: wrapped to an integer's width, rounded to a float."""
    wide = s.op(arith.IndexCastOp(value, INT64.below))
    return cast_scalar(s, wide, INT64, target)


# --- any of these ops -----------------------------------------------------------------------------


_CONTRACTED = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


def multiply(s: Scalars, dtype: DType, a: SSAValue, b: SSAValue) -> SSAValue:
    """A product of two numbers that a sum takes in, rounded by itself or once with the sum."""
    if dtype.kind == "float":
        return s.op(arith.MulfOp(a, b, flags=_CONTRACTED))
    return s.op(arith.MuliOp(a, b))


def splat_of(op: graph.ConstantOp) -> float | int | None:
    """The value of a constant whose elements are all the same, otherwise None."""
    assert isa(op.value, DenseIntOrFPElementsAttr)
    if not len(op.value) or not op.value.is_splat():
        return None
    value = op.value.get_values()[0]
    return value if isinstance(value, int | float) else None


def is_table(op: Operation) -> bool:
    """Whether an op is a constant of different numbers, which a program holds in memory."""
    return isinstance(op, graph.ConstantOp) and splat_of(op) is None


def _dtype(tensor: SSAValue) -> DType:
    return graph.dtype_of(graph.tensor_type(tensor).element_type)


def _compare(s: Scalars, op: graph.CompareOp, args: Args) -> SSAValue:
    return s.compare(PREDICATES[_dtype(op.lhs).kind][op.predicate], *args)


def _select(s: Scalars, op: graph.SelectOp, args: Args) -> SSAValue:
    return s.select(*args)


def _cast(s: Scalars, op: graph.CastOp, args: Args) -> SSAValue:
    return cast_scalar(s, args[0], _dtype(op.operand), _dtype(op.result))


def _bitcast(s: Scalars, op: graph.BitcastOp, args: Args) -> SSAValue:
    source, target = _dtype(op.operand), _dtype(op.result)
    if source == target:
        return args[0]
    if source.bits < 8:
        return _narrow_bitcast(s, args[0], source, target)
    below = target.below
    return args[0] if args[0].type == below else s.op(arith.BitcastOp(args[0], below))


def _narrow_bitcast(s: Scalars, value: SSAValue, source: DType, target: DType) -> SSAValue:
    """Bits of a type narrower than a byte, in the low ones of a byte, read as another."""
    if source.kind != "float":
        value = _masked(s, value, source.bits)
        return value if target.kind != "float" else _e2m1_of_bits(s, value, target)
    return _bits_of_e2m1(s, value, source)


_ODD_E2M1 = ((5, 3.0), (6, 4.0), (7, 6.0))
"""The magnitudes of e2m1 that are not half of their bits, by these."""


def _e2m1_of_bits(s: Scalars, bits: SSAValue, target: DType) -> SSAValue:
    magnitude = _masked(s, bits, target.bits - 1)
    number = s.op(arith.UIToFPOp(magnitude, f32))
    number = s.op(arith.MulfOp(number, s.constant(0.5, f32)))
    for code, value in _ODD_E2M1:
        is_code = s.compare("eq", magnitude, s.constant(code, bits.type))
        number = s.select(is_code, s.constant(value, f32), number)
    negative = s.compare("ne", magnitude, bits)
    number = s.select(negative, s.op(arith.NegfOp(number)), number)
    return cast_scalar(s, number, FLOAT32, target)


def _bits_of_e2m1(s: Scalars, value: SSAValue, source: DType) -> SSAValue:
    number = cast_scalar(s, value, source, FLOAT32)
    wide = s.op(arith.BitcastOp(number, i32))
    sign = s.op(arith.ShRUIOp(wide, s.constant(31, i32)))
    magnitude = s.op(math.AbsFOp(number))
    doubled = s.op(arith.MulfOp(magnitude, s.constant(2.0, f32)))
    bits = s.op(arith.FPToUIOp(doubled, i32))
    for code, odd in _ODD_E2M1:
        is_odd = s.compare("oeq", magnitude, s.constant(odd, f32))
        bits = s.select(is_odd, s.constant(code, i32), bits)
    high = s.op(arith.ShLIOp(sign, s.constant(source.bits - 1, i32)))
    return s.op(arith.TruncIOp(s.op(arith.OrIOp(bits, high)), i8))


def _constant(s: Scalars, op: graph.ConstantOp, args: Args) -> SSAValue:
    dtype, value = _dtype(op.result), splat_of(op)
    if value is None:
        assert not len(op.value)  # others are loaded; of this one no element can be asked for
        value = 0
    if dtype.is_packed:
        value = int(value) & ((1 << dtype.bits) - 1)
    return s.constant(value, dtype.below)


_OTHERS: dict[type[graph.GraphOp], Callable[..., SSAValue]] = {
    graph.CompareOp: _compare,
    graph.SelectOp: _select,
    graph.CastOp: _cast,
    graph.BitcastOp: _bitcast,
    graph.ConstantOp: _constant,
}
"""The ops whose scalar form depends on more than the kind of their result."""

SCALAR_OPS: tuple[type[graph.GraphOp], ...] = (*RULES, *_OTHERS)
"""The ops that `scalar` knows."""


def scalar(s: Scalars, op: graph.GraphOp, args: Args) -> SSAValue:
    """One element of an op's result from the operands' elements, for one of `SCALAR_OPS`."""
    if (other := _OTHERS.get(type(op))) is not None:
        return other(s, op, args)
    return RULES[type(op)][_dtype(op.result).kind](s, args)
