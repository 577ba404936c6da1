"""What each arith and math op is in C: one row an op, from the texts of its operands to its own.

A row sees scalars. On vectors the printer writes a loop over the lanes around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, f32
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Operation, SSAValue

from teenyir.dialects.arith import RemfOp
from teenyir.dialects.lanes import element
from teenyir.dialects.lanewise import CastOp, CmpFOp, CmpIOp, LdexpOp, LookupOp, SelectOp
from teenyir.lowering.render.c_helpers import Helpers
from teenyir.lowering.render.c_types import (
    CType,
    Unprintable,
    c_type,
    float_literal,
    integer_literal,
    unsigned_literal,
)

# How tightly an operator binds (C11, 6.5): the larger, the tighter.
CHOICE, EQUALITY, RELATION, SHIFT, SUM, PRODUCT, UNARY, PRIMARY = range(8)


@dataclass(frozen=True)
class Text:
    """An expression, and how tightly its outermost operator binds."""

    code: str
    binds: int = PRIMARY

    def at(self, least: int) -> str:
        """The expression as an operand: in parentheses, unless it binds as tightly as `least`."""
        return self.code if self.binds >= least else f"({self.code})"


@dataclass
class Operands:
    """What a row sees: the op, its operands as text, and the helpers of the file."""

    op: Operation
    texts: tuple[Text, ...]
    helpers: Helpers
    constants: Mapping[SSAValue, int]
    """The integers that values are known to be, on every lane."""

    def type(self, position: int = 0) -> CType:
        """The scalar type of an operand."""
        return c_type(self.op.operands[position].type)

    @property
    def result(self) -> CType:
        """The scalar type of the result."""
        return c_type(self.op.results[0].type)

    def plain(self, position: int) -> Text:
        """An operand as it is."""
        return self.texts[position]

    def known(self, position: int) -> int | None:
        """The integer that an operand is, if that is known."""
        return self.constants.get(self.op.operands[position])

    def signed(self, position: int) -> Text:
        """An integer operand as a number with a sign."""
        type, text = self.type(position), self.texts[position]
        if (number := self.known(position)) is not None:
            return literal(integer_literal(number, type, signed=True))
        if type.key == "index":
            return text
        if type.bits == 1:
            return Text(f"-(int){text.at(UNARY)}", UNARY)
        return cast_to(type.signed, text)

    def unsigned(self, position: int) -> Text:
        """An integer operand as a number without a sign."""
        type, text = self.type(position), self.texts[position]
        if type.key != "index":
            return text
        if (number := self.known(position)) is not None and number >= 0:
            return Text(unsigned_literal(number, 32 if number < 1 << 31 else 64))
        return cast_to(type.unsigned, text)

    def call(self, function: str) -> Text:
        """A call with the operands as arguments."""
        return Text(f"{function}({', '.join(text.code for text in self.texts)})")


Row: TypeAlias = Callable[[Operands], Text]


def literal(code: str) -> Text:
    """A literal, which may have a sign or a cast before it."""
    return Text(code, UNARY if code.startswith(("-", "(")) else PRIMARY)


def cast_to(type: str, text: Text) -> Text:
    """An expression converted to a type."""
    return Text(f"({type}){text.at(UNARY)}", UNARY)


def _narrowed(o: Operands, text: Text) -> Text:
    """C computes in `int` what is narrower: brought back to the width of the result."""
    return cast_to(o.result.value, text) if o.result.bits < 32 else text


# --- integers -------------------------------------------------------------------------------------


def _modular(operator: str, binds: int) -> Row:
    """+ - *: modulo the width's power of two; of indices as they are, if only loops are in them."""

    def row(o: Operands) -> Text:
        a, b = o.texts
        if o.result.bits == 1:  # the last bit of the sum, difference or product
            return cast_to(
                "bool", Text(f"({a.at(binds)} {operator} {b.at(binds + 1)}) & 1", CHOICE)
            )
        if o.result.key == "index" and any(map(_is_data, o.op.operands)):
            a, b = o.unsigned(0), o.unsigned(1)
            return cast_to("int64_t", Text(f"{a.at(binds)} {operator} {b.at(binds + 1)}", binds))
        only_literals = o.known(0) is not None and o.known(1) is not None
        wide = operator == "*" and o.result.bits == 16  # its square does not fit an int
        if wide or (only_literals and o.result.key == "index"):
            a = cast_to("uint32_t" if wide else "int64_t", a)
        return _narrowed(o, Text(f"{a.at(binds)} {operator} {b.at(binds + 1)}", binds))

    return row


def _is_data(index: SSAValue) -> bool:
    """Whether an index comes from numbers that were read, which may be any, if gated later on."""
    waiting, seen = [index], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen or element(value.type) != IndexType():
            continue
        seen.add(value)
        if isinstance(value.owner, arith.IndexCastOp):
            return True
        if isinstance(value.owner, Operation):
            waiting += value.owner.operands
    return False


def _bitwise(operator: str) -> Row:
    def row(o: Operands) -> Text:
        a, b = (text.at(UNARY) for text in o.texts)
        text = Text(f"{a} {operator} {b}", CHOICE)
        return text if o.result.bits == 1 else _narrowed(o, text)

    return row


def _integer_helper(family: str) -> Row:
    def row(o: Operands) -> Text:
        if o.result.bits == 1:
            raise Unprintable(f"{o.op.name} is not there on bools")
        return o.call(o.helpers.need(family, o.result.key))

    return row


def _division(family: str, operator: str, signed: bool) -> Row:
    """The operator where it cannot trap: by a constant, or by an extent."""

    def row(o: Operands) -> Text:
        divisor = o.known(1)
        is_safe = divisor is not None and divisor != 0 and not (signed and divisor == -1)
        if not is_safe and o.result.key != "index":
            return _integer_helper(family)(o)
        side = o.signed if signed else o.unsigned
        text = Text(f"{side(0).at(PRODUCT)} {operator} {side(1).at(UNARY)}", PRODUCT)
        as_it_is = o.result.bits >= 32 and not signed and o.result.key != "index"
        if o.result.key == "index" and signed:
            return text
        return text if as_it_is else cast_to(o.result.value, text)

    return row


def _shift(family: str, operator: str, signed: bool = False) -> Row:
    """The operator where the amount is a constant below the width."""

    def row(o: Operands) -> Text:
        amount = o.known(1)
        if amount is None or not 0 <= amount < o.result.bits or o.result.bits == 1:
            return _integer_helper(family)(o)
        a = o.signed(0) if signed else o.unsigned(0)
        if operator == "<<" and o.result.bits < 32:
            a = cast_to("uint32_t", a)
        text = Text(f"{a.at(UNARY)} {operator} {amount}", SHIFT)
        as_it_is = o.result.bits >= 32 and not signed and o.result.key != "index"
        return text if as_it_is else cast_to(o.result.value, text)

    return row


_PREDICATES: tuple[tuple[str, str], ...] = (
    *(("", "=="), ("", "!=")),
    *(("signed", "<"), ("signed", "<="), ("signed", ">"), ("signed", ">=")),
    *(("unsigned", "<"), ("unsigned", "<="), ("unsigned", ">"), ("unsigned", ">=")),
)
"""By the number of a predicate of cmpi: how it reads its operands, and C's operator."""


_BOOL_ORDER: dict[tuple[str, str], str] = {
    **dict.fromkeys((("unsigned", "<"), ("signed", ">")), "!{a} & {b}"),
    **dict.fromkeys((("unsigned", "<="), ("signed", ">=")), "!{a} | {b}"),
    **dict.fromkeys((("unsigned", ">"), ("signed", "<")), "{a} & !{b}"),
    **dict.fromkeys((("unsigned", ">="), ("signed", "<=")), "{a} | !{b}"),
}
"""The order of bools, of which true is the larger, or as a number with a sign the smaller."""


def _is_extreme(number: int | None, bits: int, reading: str) -> bool:
    """Whether a number is the least or the greatest of its width."""
    low = 1 << (bits - 1) if reading == "signed" else 0
    return number is not None and number % (1 << bits) in (low, (low - 1) % (1 << bits))


def _cmpi(o: Operands) -> Text:
    assert isinstance(o.op, arith.CmpiOp | CmpIOp)
    reading, operator = _PREDICATES[o.op.predicate.value.data]
    if reading and o.type().bits == 1:
        a, b = (text.at(UNARY) for text in o.texts)
        return Text(_BOOL_ORDER[reading, operator].format(a=a, b=b), CHOICE)
    if reading and any(_is_extreme(o.known(k), o.type().bits, reading) for k in (0, 1)):
        word = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
        return o.call(o.helpers.need(f"{reading[0]}{word}", o.type().key))
    binds = RELATION if reading else EQUALITY
    side = {"signed": o.signed, "unsigned": o.unsigned}.get(reading, o.plain)
    return Text(f"{side(0).at(SUM)} {operator} {side(1).at(SUM)}", binds)


# --- floats ---------------------------------------------------------------------------------------


def _suffix(o: Operands) -> str:
    """What a function of math.h has behind its name for the type of the operands."""
    scalar = element(o.op.operands[0].type)
    if not isinstance(scalar, Float32Type | Float64Type):
        raise Unprintable(f"C has no {o.op.name} of {scalar}: run legalize-floats before")
    return "f" if isinstance(scalar, Float32Type) else ""


def _infix(operator: str, binds: int) -> Row:
    def row(o: Operands) -> Text:
        _suffix(o)
        a, b = o.texts
        return Text(f"{a.at(binds)} {operator} {b.at(binds + 1)}", binds)

    return row


def _negf(o: Operands) -> Text:
    _suffix(o)
    return Text(f"-{o.texts[0].at(PRIMARY)}", UNARY)


def _library(name: str) -> Row:
    """A function of math.h."""
    return lambda o: o.call(name + _suffix(o))


def _ldexp(o: Operands) -> Text:
    x, k = o.texts
    return Text(f"ldexp{_suffix(o)}({x.code}, {cast_to('int32_t', k).code})")


def _lookup(o: Operands) -> Text:
    assert isinstance(o.op, LookupOp)
    numbers = o.op.numbers
    table = ", ".join(float_literal(number, f32) for number in numbers)
    place = f"{o.unsigned(0).at(RELATION)} & {len(numbers) - 1}u"
    return Text(f"((const float[]){{{table}}})[{place}]")


def _float_helper(family: str) -> Row:
    def row(o: Operands) -> Text:
        _suffix(o)
        return o.call(o.helpers.need(family, o.result.key))

    return row


def _rsqrt(o: Operands) -> Text:
    suffix = _suffix(o)
    return Text(f"1.0{suffix} / {o.call(f'sqrt{suffix}').code}", PRODUCT)


_FLOAT_PREDICATES: tuple[str, ...] = (
    "false",
    *(
        "{a} == {b}",
        "{a} > {b}",
        "{a} >= {b}",
        "{a} < {b}",
        "{a} <= {b}",
        "islessgreater({x}, {y})",
    ),
    *("!isunordered({x}, {y})", "!islessgreater({x}, {y})"),
    *("!({a} <= {b})", "!({a} < {b})", "!({a} >= {b})", "!({a} > {b})"),
    *("{a} != {b}", "isunordered({x}, {y})", "true"),
)
"""By the number of a predicate of cmpf: ordered ones are false for a NaN, unordered ones true."""


def _cmpf(o: Operands) -> Text:
    assert isinstance(o.op, arith.CmpfOp | CmpFOp)
    _suffix(o)
    form = _FLOAT_PREDICATES[o.op.predicate.value.data]
    a, b = o.texts
    code = form.format(a=a.at(SUM), b=b.at(SUM), x=a.code, y=b.code)
    plain = {"=": EQUALITY, "!": UNARY, "<": RELATION, ">": RELATION}
    if form.startswith("{"):
        return Text(code, EQUALITY if form[4:6] in ("==", "!=") else RELATION)
    return Text(code, plain.get(form[0], PRIMARY))


# --- conversions ----------------------------------------------------------------------------------


def _to_result(read: Callable[[Operands], Text]) -> Row:
    return lambda o: cast_to(o.result.value, read(o))


def _to_float(read: Callable[[Operands], Text]) -> Row:
    def row(o: Operands) -> Text:
        if o.result.key not in ("f32", "f64"):
            raise Unprintable(f"C has no {o.op.name} to {o.result.key}: run legalize-floats before")
        return cast_to(o.result.value, read(o))

    return row


def _trunci(o: Operands) -> Text:
    if o.result.bits == 1:
        return cast_to("bool", Text(f"{o.texts[0].at(UNARY)} & 1", CHOICE))
    return cast_to(o.result.value, o.texts[0])


def _index_cast(o: Operands) -> Text:
    if o.result.key == "index":
        return cast_to("int64_t", o.signed(0))
    return _trunci(o)


def _float_conversion(o: Operands) -> Text:
    source, target = o.type(), o.result
    pair = {source.key, target.key}
    if pair == {"f32", "f64"}:
        return cast_to(target.value, o.texts[0])
    if (source.key, target.key) in (("f16", "f32"), ("bf16", "f32"), ("f32", "f16")):
        return o.call(o.helpers.need(f"{target.key}_from_{source.key}"))
    raise Unprintable(f"C has no {o.op.name} of {source.key} to {target.key}: run legalize-floats")


def _to_integer(family: str) -> Row:
    def row(o: Operands) -> Text:
        _suffix(o)
        if o.result.bits == 1:
            raise Unprintable(f"{o.op.name} is not there to bools")
        return o.call(o.helpers.need(family, o.type().key, o.result.key))

    return row


def _bitcast(o: Operands) -> Text:
    source, target = o.type(), o.result
    if source.value == target.value:
        return o.texts[0]
    family = "from_bits" if target.value in ("float", "double") else "to_bits"
    return o.call(o.helpers.need(family, target.key if family == "from_bits" else source.key))


def _select(o: Operands) -> Text:
    condition, a, b = o.texts
    return Text(f"{condition.at(RELATION)} ? {a.at(RELATION)} : {b.at(RELATION)}", CHOICE)


def _cast_lane(o: Operands) -> Text:
    """A cast of vectors, lane by lane that of scalars."""
    assert isinstance(o.op, CastOp)
    return ROWS[o.op.scalar](o)


# --- the table ------------------------------------------------------------------------------------

ROWS: dict[type[Operation], Row] = {
    arith.AddiOp: _modular("+", SUM),
    arith.SubiOp: _modular("-", SUM),
    arith.MuliOp: _modular("*", PRODUCT),
    arith.DivSIOp: _division("divsi", "/", signed=True),
    arith.DivUIOp: _division("divui", "/", signed=False),
    arith.RemSIOp: _division("remsi", "%", signed=True),
    arith.RemUIOp: _division("remui", "%", signed=False),
    arith.FloorDivSIOp: _integer_helper("floordivsi"),
    arith.CeilDivSIOp: _integer_helper("ceildivsi"),
    arith.CeilDivUIOp: _integer_helper("ceildivui"),
    arith.MinSIOp: _integer_helper("minsi"),
    arith.MaxSIOp: _integer_helper("maxsi"),
    arith.MinUIOp: _integer_helper("minui"),
    arith.MaxUIOp: _integer_helper("maxui"),
    arith.AndIOp: _bitwise("&"),
    arith.OrIOp: _bitwise("|"),
    arith.XOrIOp: _bitwise("^"),
    arith.ShLIOp: _shift("shli", "<<"),
    arith.ShRUIOp: _shift("shrui", ">>"),
    arith.ShRSIOp: _shift("shrsi", ">>", signed=True),
    arith.CmpiOp: _cmpi,
    CmpIOp: _cmpi,
    CastOp: _cast_lane,
    arith.CmpfOp: _cmpf,
    CmpFOp: _cmpf,
    arith.SelectOp: _select,
    SelectOp: _select,
    LdexpOp: _ldexp,
    LookupOp: _lookup,
    arith.AddfOp: _infix("+", SUM),
    arith.SubfOp: _infix("-", SUM),
    arith.MulfOp: _infix("*", PRODUCT),
    arith.DivfOp: _infix("/", PRODUCT),
    RemfOp: _library("fmod"),
    arith.NegfOp: _negf,
    arith.MaximumfOp: _float_helper("maximumf"),
    arith.MinimumfOp: _float_helper("minimumf"),
    arith.MaxnumfOp: _library("fmax"),
    arith.MinnumfOp: _library("fmin"),
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _index_cast,
    arith.FPToSIOp: _to_integer("fptosi"),
    arith.FPToUIOp: _to_integer("fptoui"),
    arith.SIToFPOp: _to_float(lambda o: o.signed(0)),
    arith.UIToFPOp: _to_float(lambda o: o.unsigned(0)),
    arith.ExtFOp: _float_conversion,
    arith.TruncFOp: _float_conversion,
    arith.TruncIOp: _trunci,
    arith.ExtSIOp: _to_result(lambda o: o.signed(0)),
    arith.ExtUIOp: _to_result(lambda o: o.texts[0]),
    math.AbsFOp: _library("fabs"),
    math.AbsIOp: _integer_helper("absi"),
    math.CountLeadingZerosOp: _integer_helper("ctlz"),
    math.CountTrailingZerosOp: _integer_helper("cttz"),
    math.CtPopOp: _integer_helper("ctpop"),
    math.CeilOp: _library("ceil"),
    math.FloorOp: _library("floor"),
    math.TruncOp: _library("trunc"),
    math.RoundOp: _library("round"),
    math.RoundEvenOp: _library("rint"),  # in the rounding mode that programs start in
    math.SqrtOp: _library("sqrt"),
    math.RsqrtOp: _rsqrt,
    math.CopySignOp: _library("copysign"),
    math.FmaOp: _library("fma"),
    math.ExpOp: _library("exp"),
    math.Exp2Op: _library("exp2"),
    math.ExpM1Op: _library("expm1"),
    math.LogOp: _library("log"),
    math.Log2Op: _library("log2"),
    math.Log10Op: _library("log10"),
    math.Log1pOp: _library("log1p"),
    math.PowFOp: _library("pow"),
    math.SinOp: _library("sin"),
    math.CosOp: _library("cos"),
    math.TanOp: _library("tan"),
    math.AsinOp: _library("asin"),
    math.AcosOp: _library("acos"),
    math.AtanOp: _library("atan"),
    math.Atan2Op: _library("atan2"),
    math.SinhOp: _library("sinh"),
    math.CoshOp: _library("cosh"),
    math.TanhOp: _library("tanh"),
    math.AsinhOp: _library("asinh"),
    math.AcoshOp: _library("acosh"),
    math.AtanhOp: _library("atanh"),
    math.ErfOp: _library("erf"),
    math.CbrtOp: _library("cbrt"),
    vector.FMAOp: _library("fma"),
    vector.BroadcastOp: lambda o: o.texts[0],
}
"""The row of each op that is an expression."""


# --- reductions of vectors ------------------------------------------------------------------------

_Combine: TypeAlias = Callable[[str, str], Text]
_HELPED: dict[Kind, str] = {
    Kind.MINSI: "minsi",
    Kind.MAXSI: "maxsi",
    Kind.MINUI: "minui",
    Kind.MAXUI: "maxui",
    Kind.MINIMUMF: "minimumf",
    Kind.MAXIMUMF: "maximumf",
}
_CALLED: dict[Kind, str] = {Kind.MINNUMF: "fmin", Kind.MAXNUMF: "fmax"}
_OPERATORS: dict[Kind, str] = {
    Kind.ADD: "+",
    Kind.MUL: "*",
    Kind.AND: "&",
    Kind.OR: "|",
    Kind.XOR: "^",
}


def combine(kind: Kind, type: CType, helpers: Helpers, a: str, b: str) -> Text:
    """Two numbers in one, as a reduction of a kind does it."""
    if kind in _HELPED:
        return Text(f"{helpers.need(_HELPED[kind], type.key)}({a}, {b})")
    if kind in _CALLED:
        return Text(f"{_CALLED[kind]}{'f' if type.key == 'f32' else ''}({a}, {b})")
    text = Text(f"{a} {_OPERATORS[kind]} {b}", CHOICE)
    return cast_to(type.value, text) if type.bits < 32 else text
