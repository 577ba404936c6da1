"""Elementwise ops: what happens at one index happens alike at all. No broadcast, no promotion.

The class statements are the table: the name, and which elements the op takes.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    AnyTensorTypeConstr,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.graph.attributes import (
    ANY,
    BITS,
    FLOAT,
    INTEGER,
    NUMBER,
    Kinds,
    Tensor,
    dtype_of,
    extents,
    with_element,
)
from teenyir.dialects.graph.base import (
    GraphOp,
    OneTypeOp,
    Properties,
    Value,
    WordClause,
    get_word,
)
from teenyir.dialects.graph.checks import check_computed, check_kind, check_same, check_tensor

_ACCEPTED: dict[type[GraphOp], Kinds] = {}


class ElementwiseOp(OneTypeOp, ABC):
    """Operands of one type, a result of the same."""

    def __init_subclass__(cls, *, accepts: Kinds = ANY, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        _ACCEPTED[cls] = accepts

    @classmethod
    def accepts(cls) -> Kinds:
        """The kinds of elements it takes."""
        return _ACCEPTED[cls]

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        for other in operands[1:]:
            check_same(operands[0], other)
        check_kind(cls.accepts(), operands[0])
        return operands[0]

    @classmethod
    def all_types(cls, printed: Attribute, count: int) -> tuple[list[Attribute], Attribute]:
        return [printed] * count, printed


class UnaryOp(ElementwiseOp, ABC):
    """`graph.NAME %a : T`."""

    operand = operand_def(AnyTensorTypeConstr)

    def __init__(self, operand: Value):
        super().__init__([operand])


class BinaryOp(ElementwiseOp, ABC):
    """`graph.NAME %a, %b : T`."""

    lhs = operand_def(AnyTensorTypeConstr)
    rhs = operand_def(AnyTensorTypeConstr)

    def __init__(self, lhs: Value, rhs: Value):
        super().__init__([lhs, rhs])


class AddOp(BinaryOp, name="graph.add", accepts=NUMBER):
    """`a + b`; integers wrap."""


class SubOp(BinaryOp, name="graph.sub", accepts=NUMBER):
    """`a - b`; integers wrap."""


class MulOp(BinaryOp, name="graph.mul", accepts=NUMBER):
    """`a * b`; integers wrap."""


class DivOp(BinaryOp, name="graph.div", accepts=FLOAT):
    """`a / b`, as IEEE 754 has it."""


class FloorDivOp(BinaryOp, name="graph.floordiv", accepts=NUMBER):
    """The quotient rounded toward minus infinity; an integer divided by zero gives 0."""


class ModOp(BinaryOp, name="graph.mod", accepts=NUMBER):
    """The remainder with the sign of the divisor; of an integer by zero it is 0."""


class PowOp(BinaryOp, name="graph.pow", accepts=FLOAT):
    """`a` to the power `b`, as C's `pow` has it."""


class MaxOp(BinaryOp, name="graph.max", accepts=NUMBER):
    """The greater; NaN where either is NaN; +0.0 is greater than -0.0."""


class MinOp(BinaryOp, name="graph.min", accepts=NUMBER):
    """The lesser; NaN where either is NaN; -0.0 is less than +0.0."""


class Atan2Op(BinaryOp, name="graph.atan2", accepts=FLOAT):
    """The angle of the point (b, a), in radians, from -pi to pi."""


class AndOp(BinaryOp, name="graph.and", accepts=BITS):
    """Bitwise and."""


class OrOp(BinaryOp, name="graph.or", accepts=BITS):
    """Bitwise or."""


class XorOp(BinaryOp, name="graph.xor", accepts=BITS):
    """Bitwise exclusive or."""


class ShlOp(BinaryOp, name="graph.shl", accepts=INTEGER):
    """`a` shifted left by `b` bits; 0 where `b`, read as unsigned, is the width or more."""


class ShrOp(BinaryOp, name="graph.shr", accepts=INTEGER):
    """`a` shifted right by `b` bits, filled with the sign (signed) or zeros (unsigned); all fill
    where `b`, read as unsigned, is the width or more."""


class NegOp(UnaryOp, name="graph.neg", accepts=NUMBER):
    """`-a`; integers wrap."""


class AbsOp(UnaryOp, name="graph.abs", accepts=NUMBER):
    """The magnitude; the least signed integer stays itself."""


class SignOp(UnaryOp, name="graph.sign", accepts=NUMBER):
    """-1, 0 or 1; zeros and NaN stay themselves."""


class ExpOp(UnaryOp, name="graph.exp", accepts=FLOAT):
    """e to the power `a`."""


class Exp2Op(UnaryOp, name="graph.exp2", accepts=FLOAT):
    """2 to the power `a`."""


class LogOp(UnaryOp, name="graph.log", accepts=FLOAT):
    """The natural logarithm."""


class Log2Op(UnaryOp, name="graph.log2", accepts=FLOAT):
    """The logarithm to base 2."""


class SqrtOp(UnaryOp, name="graph.sqrt", accepts=FLOAT):
    """The square root."""


class RsqrtOp(UnaryOp, name="graph.rsqrt", accepts=FLOAT):
    """1 over the square root."""


class SinOp(UnaryOp, name="graph.sin", accepts=FLOAT):
    """The sine of an angle in radians."""


class CosOp(UnaryOp, name="graph.cos", accepts=FLOAT):
    """The cosine of an angle in radians."""


class TanhOp(UnaryOp, name="graph.tanh", accepts=FLOAT):
    """The hyperbolic tangent."""


class ErfOp(UnaryOp, name="graph.erf", accepts=FLOAT):
    """The error function."""


class FloorOp(UnaryOp, name="graph.floor", accepts=FLOAT):
    """Rounded toward minus infinity."""


class CeilOp(UnaryOp, name="graph.ceil", accepts=FLOAT):
    """Rounded toward plus infinity."""


class RoundOp(UnaryOp, name="graph.round", accepts=FLOAT):
    """Rounded to the nearest integer, halves to the even one."""


class TruncOp(UnaryOp, name="graph.trunc", accepts=FLOAT):
    """Rounded toward zero."""


class NotOp(UnaryOp, name="graph.not", accepts=BITS):
    """Bitwise complement."""


def as_bool(type: Attribute) -> Attribute:
    """The tensor of booleans of the same extents (what is no tensor stays, for the verifier)."""
    if not isinstance(type, TensorType):
        return type
    return with_element(cast(Tensor, type), i1)


PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")


class CompareOp(OneTypeOp, name="graph.compare"):
    """`graph.compare lt %a, %b : T`, a tensor of i1; with NaN all but `ne` are false."""

    lhs = operand_def(AnyTensorTypeConstr)
    rhs = operand_def(AnyTensorTypeConstr)
    predicate_attr = prop_def(StringAttr, prop_name="predicate")

    WORD: ClassVar[WordClause | None] = WordClause("predicate", PREDICATES)

    def __init__(self, predicate: str, lhs: Value, rhs: Value):
        super().__init__([lhs, rhs], {"predicate": StringAttr(predicate)})

    @property
    def predicate(self) -> str:
        """One of `PREDICATES`."""
        return self.predicate_attr.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        predicate = get_word(properties, "predicate")
        if predicate not in PREDICATES:
            raise VerifyException(f"no predicate '{predicate}', only {', '.join(PREDICATES)}")
        check_same(operands[0], operands[1])
        check_computed(operands[0])
        return with_element(operands[0], i1)

    @classmethod
    def all_types(cls, printed: Attribute, count: int) -> tuple[list[Attribute], Attribute]:
        return [printed] * count, as_bool(printed)

    @property
    def printed_type(self) -> Attribute:
        return self.lhs.type


class SelectOp(OneTypeOp, name="graph.select"):
    """`graph.select %c, %a, %b : T`: where the boolean `c` is true `a`, elsewhere `b`."""

    condition = operand_def(AnyTensorTypeConstr)
    on_true = operand_def(AnyTensorTypeConstr)
    on_false = operand_def(AnyTensorTypeConstr)

    def __init__(self, condition: Value, on_true: Value, on_false: Value):
        super().__init__([condition, on_true, on_false])

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        condition, on_true, on_false = operands
        check_same(on_true, on_false)
        if condition != with_element(on_true, i1):
            raise VerifyException(
                f"the condition is to be {with_element(on_true, i1)}, got {condition}"
            )
        return on_true

    @classmethod
    def all_types(cls, printed: Attribute, count: int) -> tuple[list[Attribute], Attribute]:
        return [as_bool(printed), *[printed] * (count - 1)], printed


class CastOp(GraphOp, name="graph.cast"):
    """`graph.cast %a : T to U`: the same extents, each element converted.

    Floats are rounded to nearest, ties to even; to integers they lose the fraction, saturate, and
    NaN becomes 0; integers wrap among themselves; to i1 a value is compared with zero.
    """

    operand = operand_def(AnyTensorTypeConstr)

    ARROW: ClassVar[str] = "to"

    def __init__(self, operand: Value, element_type: Attribute):
        value = SSAValue.get(operand)
        super().__init__([value], stated=with_element(check_tensor(value.type), element_type))

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        assert stated is not None
        dtype_of(stated.element_type)
        if extents(stated) != extents(operands[0]):
            raise VerifyException(f"a cast keeps the extents, got {operands[0]} to {stated}")
        return stated


class BitcastOp(GraphOp, name="graph.bitcast"):
    """`graph.bitcast %a : T to U`: the same bits read as another type of that width.

    Of types narrower than a byte it is the bits of the value; the others of the byte are zeros.
    """

    operand = operand_def(AnyTensorTypeConstr)

    ARROW: ClassVar[str] = "to"

    def __init__(self, operand: Value, element_type: Attribute):
        value = SSAValue.get(operand)
        super().__init__([value], stated=with_element(check_tensor(value.type), element_type))

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        assert stated is not None
        source, target = dtype_of(operands[0].element_type), dtype_of(stated.element_type)
        if extents(stated) != extents(operands[0]) or source.bits != target.bits:
            raise VerifyException(
                f"a bitcast keeps extents and width, got {operands[0]} to {stated}"
            )
        return stated


UNARY_OPS: tuple[type[UnaryOp], ...] = (
    NegOp,
    AbsOp,
    SignOp,
    ExpOp,
    Exp2Op,
    LogOp,
    Log2Op,
    SqrtOp,
    RsqrtOp,
    SinOp,
    CosOp,
    TanhOp,
    ErfOp,
    FloorOp,
    CeilOp,
    RoundOp,
    TruncOp,
    NotOp,
)

BINARY_OPS: tuple[type[BinaryOp], ...] = (
    AddOp,
    SubOp,
    MulOp,
    DivOp,
    FloorDivOp,
    ModOp,
    PowOp,
    MaxOp,
    MinOp,
    Atan2Op,
    AndOp,
    OrOp,
    XorOp,
    ShlOp,
    ShrOp,
)

ELEMENTWISE_OPS: tuple[type[GraphOp], ...] = (
    *UNARY_OPS,
    *BINARY_OPS,
    CompareOp,
    SelectOp,
    CastOp,
    BitcastOp,
)
