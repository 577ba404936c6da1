"""Movement ops: each element of the result is one of the operand's, or of the padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyTensorTypeConstr, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr, ExprLike
from teenyir.dialects.graph.attributes import (
    DimsAttr,
    Extents,
    Tensor,
    as_exprs,
    as_text,
    extents,
    tensor,
)
from teenyir.dialects.graph.base import (
    INT,
    INTS,
    Clause,
    ExprsClause,
    GraphOp,
    IntClause,
    Ints,
    IntsClause,
    Properties,
    SlicesClause,
    Value,
    get_exprs,
    get_int,
    get_ints,
    ints_attr,
)
from teenyir.dialects.graph.checks import (
    check_axes,
    check_length,
    check_minimum,
    check_not_negative,
    check_same_element,
    check_tensor,
    count_windows,
)


class ReshapeOp(GraphOp, name="graph.reshape"):
    """`graph.reshape %x : T -> U`: the same elements in row-major order under other extents.

    The products of the extents are equal as expressions.
    """

    operand = operand_def(AnyTensorTypeConstr)

    def __init__(self, operand: Value, extents: Sequence[ExprLike]):
        super().__init__([operand], stated=_retyped(operand, extents))

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        assert stated is not None
        before, after = Expr.product(extents(operands[0])), Expr.product(extents(stated))
        if before != after:
            raise VerifyException(
                f"{operands[0]} has {before} elements, {stated} has {after}; "
                "they are to be equal as expressions"
            )
        return tensor(operands[0].element_type, extents(stated))


class PermuteOp(GraphOp, name="graph.permute"):
    """`graph.permute %x [1, 0] : T -> U`: axis k of the result is axis permutation[k] of `x`."""

    operand = operand_def(AnyTensorTypeConstr)
    permutation_attr = prop_def(INTS, prop_name="permutation")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("", "permutation"),)

    def __init__(self, operand: Value, permutation: Sequence[int]):
        super().__init__([operand], {"permutation": ints_attr(permutation)})

    @property
    def permutation(self) -> Ints:
        """The operand's axis for each axis of the result."""
        return self.permutation_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        (type,) = operands
        permutation = get_ints(properties, "permutation")
        check_length("permutation", permutation, type.get_num_dims())
        check_axes("permutation", permutation, type)
        before = extents(type)
        return tensor(type.element_type, [before[axis] for axis in permutation])


class BroadcastOp(GraphOp, name="graph.broadcast"):
    """`graph.broadcast %x axes [1] : T -> U`: axis k of `x` becomes axis axes[k] of the result.

    The extent there is the same, or 1 in `x`; `x` is repeated along it and along the axes that
    are not named. The axes ascend (permute first, if they do not).
    """

    operand = operand_def(AnyTensorTypeConstr)
    axes_attr = prop_def(INTS, prop_name="axes")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("axes", "axes"),)

    def __init__(self, operand: Value, extents: Sequence[ExprLike], axes: Sequence[int]):
        super().__init__([operand], {"axes": ints_attr(axes)}, stated=_retyped(operand, extents))

    @property
    def axes(self) -> Ints:
        """The result's axis for each axis of the operand, ascending."""
        return self.axes_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        assert stated is not None
        (type,) = operands
        axes, before, after = get_ints(properties, "axes"), extents(type), extents(stated)
        check_length("axes", axes, len(before))
        check_axes("axes", axes, stated)
        if list(axes) != sorted(axes):
            raise VerifyException(f"axes {as_text(axes)} do not ascend")
        for axis, extent in zip(axes, before, strict=True):
            if extent not in (after[axis], Expr.of(1)):
                raise VerifyException(
                    f"extent {extent} of {type} is neither 1 nor {after[axis]}, "
                    f"the extent of axis {axis} of {stated}"
                )
        return tensor(type.element_type, after)


class PadOp(GraphOp, name="graph.pad"):
    """`graph.pad %x, %value low [0, 1] high [0, 1] : (T, U) -> V`.

    Puts `value`, a tensor of rank 0, before (`low`) and after (`high`) each axis.
    """

    operand = operand_def(AnyTensorTypeConstr)
    value = operand_def(AnyTensorTypeConstr)
    low_attr = prop_def(DimsAttr, prop_name="low")
    high_attr = prop_def(DimsAttr, prop_name="high")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (ExprsClause("low"), ExprsClause("high"))

    def __init__(
        self, operand: Value, value: Value, low: Sequence[ExprLike], high: Sequence[ExprLike]
    ):
        super().__init__(
            [operand, value], {"low": DimsAttr(as_exprs(low)), "high": DimsAttr(as_exprs(high))}
        )

    @property
    def low(self) -> Extents:
        """Elements put before each axis."""
        return self.low_attr.data

    @property
    def high(self) -> Extents:
        """Elements put after each axis."""
        return self.high_attr.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        type, value = operands
        if value.get_num_dims() or value.element_type != type.element_type:
            raise VerifyException(
                f"the padding is to be {tensor(type.element_type, ())}, got {value}"
            )
        before, low, high = (
            extents(type),
            get_exprs(properties, "low"),
            get_exprs(properties, "high"),
        )
        for what, values in (("low", low), ("high", high)):
            check_length(what, values, len(before))
            for expr in values:
                check_not_negative(f"a value of {what} {as_text(values)}", expr)
        after = [a + e + b for a, e, b in zip(low, before, high, strict=True)]
        return tensor(type.element_type, after)


class SliceOp(GraphOp, name="graph.slice"):
    """`graph.slice %x [0:4:1, 1:N:2] : T -> U`: indices start, start + step, ... below stop.

    `0 <= start <= stop <= extent` and `step > 0`; what the ranges of the names must guarantee for
    expressions is checked where they are constant.
    """

    operand = operand_def(AnyTensorTypeConstr)
    starts_attr = prop_def(DimsAttr, prop_name="starts")
    stops_attr = prop_def(DimsAttr, prop_name="stops")
    steps_attr = prop_def(INTS, prop_name="steps")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (SlicesClause(),)

    def __init__(
        self,
        operand: Value,
        starts: Sequence[ExprLike],
        stops: Sequence[ExprLike],
        steps: Sequence[int] | None = None,
    ):
        super().__init__(
            [operand],
            {
                "starts": DimsAttr(as_exprs(starts)),
                "stops": DimsAttr(as_exprs(stops)),
                "steps": ints_attr([1] * len(starts) if steps is None else steps),
            },
        )

    @property
    def starts(self) -> Extents:
        """The first index on each axis."""
        return self.starts_attr.data

    @property
    def stops(self) -> Extents:
        """The index that each axis stops before."""
        return self.stops_attr.data

    @property
    def steps(self) -> Ints:
        """The step on each axis, positive."""
        return self.steps_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        (type,) = operands
        before = extents(type)
        starts, stops = get_exprs(properties, "starts"), get_exprs(properties, "stops")
        steps = get_ints(properties, "steps")
        for what, values in (("starts", starts), ("stops", stops), ("steps", steps)):
            check_length(what, values, len(before))
        check_minimum("steps", steps, 1)
        after: list[Expr] = []
        for axis, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
            where = f"of {start}:{stop} on axis {axis} of {type}"
            check_not_negative(f"the start {where}", start)
            check_not_negative(f"the length {where}", stop - start)
            check_not_negative(f"the room behind the stop {where}", before[axis] - stop)
            after.append((stop - start).ceildiv(step))
        return tensor(type.element_type, after)


class FlipOp(GraphOp, name="graph.flip"):
    """`graph.flip %x axes [0] : T -> U`: the order of elements along axes reversed."""

    operand = operand_def(AnyTensorTypeConstr)
    axes_attr = prop_def(INTS, prop_name="axes")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("axes", "axes"),)

    def __init__(self, operand: Value, axes: Sequence[int]):
        super().__init__([operand], {"axes": ints_attr(axes)})

    @property
    def axes(self) -> Ints:
        """The reversed axes, none twice."""
        return self.axes_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        check_axes("axes", get_ints(properties, "axes"), operands[0])
        return operands[0]


class ConcatOp(GraphOp, name="graph.concat"):
    """`graph.concat %a, %b axis 0 : (T, U) -> V`: one after the other along an axis."""

    parts = var_operand_def(AnyTensorTypeConstr)
    axis_attr = prop_def(INT, prop_name="axis")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntClause("axis"),)

    def __init__(self, parts: Sequence[Value], axis: int):
        super().__init__(parts, {"axis": IntegerAttr(axis, i64)})

    @property
    def axis(self) -> int:
        """The axis whose extents add up."""
        return self.axis_attr.value.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        axis = get_int(properties, "axis")
        if not operands:
            raise VerifyException("takes one operand or more")
        first = operands[0]
        check_axes("axis", [axis], first)
        total = Expr.of(0)
        for other in operands:
            check_same_element(first, other)
            if _without(other, axis) != _without(first, axis):
                raise VerifyException(f"{first} and {other} differ on another axis than {axis}")
            total = total + extents(other)[axis]
        after = list(extents(first))
        after[axis] = total
        return tensor(first.element_type, after)


class WindowOp(GraphOp, name="graph.window"):
    """`graph.window %x axes [2] size [2] stride [2] dilation [1] : T -> U`: sliding windows.

    Each named axis becomes the number of windows, and one trailing axis of extent `size` for each
    (in the order of `axes`) holds the elements of a window, `dilation` apart.
    """

    operand = operand_def(AnyTensorTypeConstr)
    axes_attr = prop_def(INTS, prop_name="axes")
    size_attr = prop_def(INTS, prop_name="size")
    stride_attr = prop_def(INTS, prop_name="stride")
    dilation_attr = prop_def(INTS, prop_name="dilation")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        IntsClause("axes", "axes"),
        IntsClause("size", "size"),
        IntsClause("stride", "stride"),
        IntsClause("dilation", "dilation"),
    )

    def __init__(
        self,
        operand: Value,
        axes: Sequence[int],
        size: Sequence[int],
        stride: Sequence[int] | None = None,
        dilation: Sequence[int] | None = None,
    ):
        super().__init__(
            [operand],
            {
                "axes": ints_attr(axes),
                "size": ints_attr(size),
                "stride": ints_attr([1] * len(axes) if stride is None else stride),
                "dilation": ints_attr([1] * len(axes) if dilation is None else dilation),
            },
        )

    @property
    def axes(self) -> Ints:
        """The windowed axes, none twice."""
        return self.axes_attr.get_values()

    @property
    def size(self) -> Ints:
        """Elements of a window along each windowed axis."""
        return self.size_attr.get_values()

    @property
    def stride(self) -> Ints:
        """The step between windows along each windowed axis."""
        return self.stride_attr.get_values()

    @property
    def dilation(self) -> Ints:
        """The step between the elements of a window along each windowed axis."""
        return self.dilation_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        (type,) = operands
        axes = get_ints(properties, "axes")
        check_axes("axes", axes, type)
        size, stride, dilation = (
            get_ints(properties, name) for name in ("size", "stride", "dilation")
        )
        for what, values in (("size", size), ("stride", stride), ("dilation", dilation)):
            check_length(what, values, len(axes))
            check_minimum(what, values, 1)
        after = list(extents(type))
        for axis, n, step, spread in zip(axes, size, stride, dilation, strict=True):
            after[axis] = count_windows(
                f"axis {axis} of {type}", after[axis], Expr.of(n), step, spread
            )
        return tensor(type.element_type, [*after, *size])


def _retyped(operand: Value, extents: Sequence[ExprLike]) -> Tensor:
    return tensor(check_tensor(SSAValue.get(operand).type).element_type, extents)


def _without(type: Tensor, axis: int) -> Extents:
    found = extents(type)
    return found[:axis] + found[axis + 1 :]


MOVEMENT_OPS: tuple[type[GraphOp], ...] = (
    ReshapeOp,
    PermuteOp,
    BroadcastOp,
    PadOp,
    SliceOp,
    FlipOp,
    ConcatOp,
    WindowOp,
)
