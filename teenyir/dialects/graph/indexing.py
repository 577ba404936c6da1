"""Ops whose indices are data: gather, scatter, dynamic_slice, dynamic_update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyTensorTypeConstr, StringAttr
from xdsl.irdl import operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr, ExprLike
from teenyir.dialects.graph.attributes import (
    ANY,
    INTEGER,
    DimsAttr,
    Extents,
    Kinds,
    Tensor,
    as_exprs,
    as_text,
    extents,
    tensor,
)
from teenyir.dialects.graph.base import (
    INTS,
    Clause,
    ExprsClause,
    GraphOp,
    Ints,
    IntsClause,
    Properties,
    Value,
    WordClause,
    get_exprs,
    get_ints,
    get_word,
    ints_attr,
)
from teenyir.dialects.graph.checks import (
    check_axes,
    check_kind,
    check_length,
    check_not_negative,
    check_same_element,
)
from teenyir.dialects.graph.contraction import REDUCTIONS


class GatherOp(GraphOp, name="graph.gather"):
    """`graph.gather %x, %indices axes [0] : (T, I) -> U`: elements or slices picked by index.

    The last axis of `indices` holds one index for each of `axes`; the result's axes are the other
    axes of `indices`, then the other axes of `x`. Where an index is out of range, and a negative
    one is, the result is 0.
    """

    operand = operand_def(AnyTensorTypeConstr)
    indices = operand_def(AnyTensorTypeConstr)
    axes_attr = prop_def(INTS, prop_name="axes")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("axes", "axes"),)

    def __init__(self, operand: Value, indices: Value, axes: Sequence[int]):
        super().__init__([operand, indices], {"axes": ints_attr(axes)})

    @property
    def axes(self) -> Ints:
        """The axes of the operand that are indexed, none twice."""
        return self.axes_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        type, indices = operands
        batch, rest = picked(type, indices, get_ints(properties, "axes"))
        return tensor(type.element_type, [*batch, *rest])


def picked(type: Tensor, indices: Tensor, axes: Ints) -> tuple[Extents, Extents]:
    """The extents of the index positions, and those of what lies at each. Checks the operands."""
    check_kind(INTEGER, indices)
    check_axes("axes", axes, type)
    positions = extents(indices)
    if not positions or positions[-1] != Expr.of(len(axes)):
        raise VerifyException(
            f"the last axis of the indices is to hold one for each of axes {as_text(axes)}, "
            f"got {indices}"
        )
    rest = tuple(extent for axis, extent in enumerate(extents(type)) if axis not in axes)
    return positions[:-1], rest


SCATTERS: dict[str, Kinds] = {"set": ANY, **REDUCTIONS}
"""How a scatter joins an update with the element, and the elements it takes."""


class ScatterOp(GraphOp, name="graph.scatter"):
    """`graph.scatter add %x, %indices, %updates axes [0] : (T, I, U) -> T`.

    `x` with each update combined into the element or slice that `gather` would pick with the same
    indices, in the row-major order of the index positions: with `set` the last one stays. An
    update whose index is out of range, and a negative one is, is dropped.
    """

    operand = operand_def(AnyTensorTypeConstr)
    indices = operand_def(AnyTensorTypeConstr)
    updates = operand_def(AnyTensorTypeConstr)
    kind_attr = prop_def(StringAttr, prop_name="kind")
    axes_attr = prop_def(INTS, prop_name="axes")

    WORD: ClassVar[WordClause | None] = WordClause("kind", tuple(SCATTERS))
    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("axes", "axes"),)

    def __init__(
        self, kind: str, operand: Value, indices: Value, updates: Value, axes: Sequence[int]
    ):
        super().__init__(
            [operand, indices, updates], {"kind": StringAttr(kind), "axes": ints_attr(axes)}
        )

    @property
    def kind(self) -> str:
        """One of `SCATTERS`."""
        return self.kind_attr.data

    @property
    def axes(self) -> Ints:
        """The axes of the operand that are indexed, none twice."""
        return self.axes_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        type, indices, updates = operands
        kind = get_word(properties, "kind")
        if kind not in SCATTERS:
            raise VerifyException(f"no scatter '{kind}', only {', '.join(SCATTERS)}")
        check_kind(SCATTERS[kind], type)
        check_same_element(type, updates)
        batch, rest = picked(type, indices, get_ints(properties, "axes"))
        if extents(updates) != (*batch, *rest):
            raise VerifyException(
                f"the updates are to be {tensor(type.element_type, [*batch, *rest])}, got {updates}"
            )
        return type


class DynamicSliceOp(GraphOp, name="graph.dynamic_slice"):
    """`graph.dynamic_slice %x, %starts sizes [1, 4] : (T, I) -> U`.

    The part of `x` of the given sizes that starts at `starts`, one index for each axis, moved
    where need be so that the part lies inside `x`.
    """

    operand = operand_def(AnyTensorTypeConstr)
    starts = operand_def(AnyTensorTypeConstr)
    sizes_attr = prop_def(DimsAttr, prop_name="sizes")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (ExprsClause("sizes"),)

    def __init__(self, operand: Value, starts: Value, sizes: Sequence[ExprLike]):
        super().__init__([operand, starts], {"sizes": DimsAttr(as_exprs(sizes))})

    @property
    def sizes(self) -> Extents:
        """The extents of the part."""
        return self.sizes_attr.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        type, starts = operands
        sizes = get_exprs(properties, "sizes")
        check_length("sizes", sizes, type.get_num_dims())
        check_part(type, starts, sizes)
        return tensor(type.element_type, sizes)


class DynamicUpdateOp(GraphOp, name="graph.dynamic_update"):
    """`graph.dynamic_update %x, %update, %starts : (T, U, I) -> T`.

    `x` with the part that `dynamic_slice` would give replaced by `update`.
    """

    operand = operand_def(AnyTensorTypeConstr)
    update = operand_def(AnyTensorTypeConstr)
    starts = operand_def(AnyTensorTypeConstr)

    def __init__(self, operand: Value, update: Value, starts: Value):
        super().__init__([operand, update, starts])

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        type, update, starts = operands
        check_same_element(type, update)
        if update.get_num_dims() != type.get_num_dims():
            raise VerifyException(f"the update of {type} is to have its rank, got {update}")
        check_part(type, starts, extents(update))
        return type


def check_part(type: Tensor, starts: Tensor, sizes: Extents) -> None:
    """A part of these sizes fits, and there is one integer start for each axis."""
    check_kind(INTEGER, starts)
    if extents(starts) != (Expr.of(type.get_num_dims()),):
        raise VerifyException(f"one start for each axis of {type}, got {starts}")
    for axis, (extent, size) in enumerate(zip(extents(type), sizes, strict=True)):
        check_not_negative(f"the size {size} on axis {axis}", size)
        check_not_negative(f"the room of size {size} on axis {axis} of {type}", extent - size)


INDEXING_OPS: tuple[type[GraphOp], ...] = (GatherOp, ScatterOp, DynamicSliceOp, DynamicUpdateOp)
