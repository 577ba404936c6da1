"""Ops that sum over axes: reduce, dot, conv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyTensorTypeConstr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr
from teenyir.dialects.graph.attributes import (
    BITS,
    NUMBER,
    Extents,
    Tensor,
    as_text,
    extents,
    tensor,
)
from teenyir.dialects.graph.base import (
    INT,
    INTS,
    Clause,
    CrossClause,
    GraphOp,
    IntClause,
    Ints,
    IntsClause,
    OptionalIntsClause,
    PairsClause,
    Properties,
    Value,
    WordClause,
    get_int,
    get_ints,
    get_pairs,
    get_word,
    ints_attr,
)
from teenyir.dialects.graph.checks import (
    check_axes,
    check_kind,
    check_length,
    check_minimum,
    check_same_element,
    check_tensor,
    count_windows,
)

REDUCTIONS = {
    "add": NUMBER,
    "mul": NUMBER,
    "max": NUMBER,
    "min": NUMBER,
    "and": BITS,
    "or": BITS,
}
"""What a reduction combines with, and the elements it takes."""


class ReduceOp(GraphOp, name="graph.reduce"):
    """`graph.reduce add %a axes [1] : T -> U`: combines along axes, which are dropped.

    Of no elements the result is the combiner's identity. f16 and bf16 are accumulated in f32 and
    rounded once; the order of combination is not specified; max and min give NaN where one is.
    """

    operand = operand_def(AnyTensorTypeConstr)
    kind_attr = prop_def(StringAttr, prop_name="kind")
    axes_attr = prop_def(INTS, prop_name="axes")

    WORD: ClassVar[WordClause | None] = WordClause("kind", tuple(REDUCTIONS))
    CLAUSES: ClassVar[tuple[Clause, ...]] = (IntsClause("axes", "axes"),)

    def __init__(self, kind: str, operand: Value, axes: Sequence[int]):
        super().__init__([operand], {"kind": StringAttr(kind), "axes": ints_attr(axes)})

    @property
    def kind(self) -> str:
        """One of `REDUCTIONS`."""
        return self.kind_attr.data

    @property
    def axes(self) -> Ints:
        """The reduced axes, none twice."""
        return self.axes_attr.get_values()

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        (type,) = operands
        kind, axes = get_word(properties, "kind"), get_ints(properties, "axes")
        if kind not in REDUCTIONS:
            raise VerifyException(f"no reduction '{kind}', only {', '.join(REDUCTIONS)}")
        check_kind(REDUCTIONS[kind], type)
        check_axes("axes", axes, type)
        kept = [extent for axis, extent in enumerate(extents(type)) if axis not in axes]
        return tensor(type.element_type, kept)


class DotOp(GraphOp, name="graph.dot"):
    """`graph.dot %a, %b contract [1] x [0] batch [0] x [0] : (T, U) -> V`.

    Products summed over the contracted axes, for each index of the batch axes. The result's axes
    are the batch axes, then the other axes of `lhs` in order, then those of `rhs`. f16 and bf16
    are accumulated in f32 and rounded once; integers wrap.
    """

    lhs = operand_def(AnyTensorTypeConstr)
    rhs = operand_def(AnyTensorTypeConstr)
    lhs_contract_attr = prop_def(INTS, prop_name="lhs_contract")
    rhs_contract_attr = prop_def(INTS, prop_name="rhs_contract")
    lhs_batch_attr = prop_def(INTS, prop_name="lhs_batch")
    rhs_batch_attr = prop_def(INTS, prop_name="rhs_batch")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        CrossClause("contract", "lhs_contract", "rhs_contract"),
        CrossClause("batch", "lhs_batch", "rhs_batch"),
    )

    def __init__(
        self,
        lhs: Value,
        rhs: Value,
        lhs_contract: Sequence[int],
        rhs_contract: Sequence[int],
        lhs_batch: Sequence[int] = (),
        rhs_batch: Sequence[int] = (),
    ):
        super().__init__(
            [lhs, rhs],
            {
                "lhs_contract": ints_attr(lhs_contract),
                "rhs_contract": ints_attr(rhs_contract),
                "lhs_batch": ints_attr(lhs_batch),
                "rhs_batch": ints_attr(rhs_batch),
            },
        )

    @property
    def lhs_contract(self) -> Ints:
        """The summed axes of `lhs`; the k-th goes with the k-th of `rhs_contract`."""
        return self.lhs_contract_attr.get_values()

    @property
    def rhs_contract(self) -> Ints:
        """The summed axes of `rhs`."""
        return self.rhs_contract_attr.get_values()

    @property
    def lhs_batch(self) -> Ints:
        """The batch axes of `lhs`; the k-th goes with the k-th of `rhs_batch`."""
        return self.lhs_batch_attr.get_values()

    @property
    def rhs_batch(self) -> Ints:
        """The batch axes of `rhs`."""
        return self.rhs_batch_attr.get_values()

    @property
    def lhs_free(self) -> Ints:
        """The other axes of `lhs`, ascending."""
        return _others(self.lhs.type, self.lhs_contract + self.lhs_batch)

    @property
    def rhs_free(self) -> Ints:
        """The other axes of `rhs`, ascending."""
        return _others(self.rhs.type, self.rhs_contract + self.rhs_batch)

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        lhs, rhs = operands
        check_kind(NUMBER, lhs)
        check_same_element(lhs, rhs)
        used = {"lhs": Ints(), "rhs": Ints()}
        for word in ("batch", "contract"):
            pair = {side: get_ints(properties, f"{side}_{word}") for side in used}
            if len(pair["lhs"]) != len(pair["rhs"]):
                raise VerifyException(
                    f"as many {word} axes on both sides, got "
                    f"{as_text(pair['lhs'])} x {as_text(pair['rhs'])}"
                )
            used = {side: used[side] + pair[side] for side in used}
        check_axes("lhs axes", used["lhs"], lhs)
        check_axes("rhs axes", used["rhs"], rhs)
        left, right = extents(lhs), extents(rhs)
        for a, b in zip(used["lhs"], used["rhs"], strict=True):
            if left[a] != right[b]:
                raise VerifyException(
                    f"axis {a} of {lhs} does not match axis {b} of {rhs}: {left[a]} and {right[b]}"
                )
        batch = [left[a] for a in get_ints(properties, "lhs_batch")]
        left_free = [left[a] for a in _others(lhs, used["lhs"])]
        right_free = [right[a] for a in _others(rhs, used["rhs"])]
        return tensor(lhs.element_type, [*batch, *left_free, *right_free])


class ConvOp(GraphOp, name="graph.conv"):
    """`graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (T, U) -> V`.

    A cross-correlation over any number of spatial axes. `x` is [batch, channels, spatial...], `w`
    is [outputs, channels / groups, kernel...], the result [batch, outputs, windows...] with
    `(spatial + low + high - (kernel - 1) * dilation - 1) floordiv stride + 1` windows an axis.
    `pad` puts zeros before and after each spatial axis. `input_dilation [2, 2]` puts zeros between
    the elements of `x`, so that they are that far apart: a transposed convolution. Sums as `dot`.
    """

    x = operand_def(AnyTensorTypeConstr)
    w = operand_def(AnyTensorTypeConstr)
    stride_attr = prop_def(INTS, prop_name="stride")
    pad_attr = prop_def(INTS, prop_name="pad")
    dilation_attr = prop_def(INTS, prop_name="dilation")
    groups_attr = prop_def(INT, prop_name="groups")
    input_dilation_attr = opt_prop_def(INTS, prop_name="input_dilation")

    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        IntsClause("stride", "stride"),
        PairsClause("pad"),
        IntsClause("dilation", "dilation"),
        IntClause("groups"),
        OptionalIntsClause("input_dilation"),
    )

    def __init__(
        self,
        x: Value,
        w: Value,
        stride: Sequence[int] | None = None,
        pad: Sequence[tuple[int, int]] | None = None,
        dilation: Sequence[int] | None = None,
        groups: int = 1,
        input_dilation: Sequence[int] | None = None,
    ):
        spatial = max(check_tensor(SSAValue.get(x).type).get_num_dims() - 2, 0)
        pairs = [(0, 0)] * spatial if pad is None else pad
        super().__init__(
            [x, w],
            {
                "stride": ints_attr([1] * spatial if stride is None else stride),
                "pad": ints_attr([value for pair in pairs for value in pair]),
                "dilation": ints_attr([1] * spatial if dilation is None else dilation),
                "groups": IntegerAttr(groups, i64),
                **(
                    {}
                    if not any(d != 1 for d in input_dilation or ())
                    else {"input_dilation": ints_attr(input_dilation or ())}
                ),
            },
        )

    @property
    def stride(self) -> Ints:
        """The step between windows, one for each spatial axis."""
        return self.stride_attr.get_values()

    @property
    def pad(self) -> tuple[tuple[int, int], ...]:
        """Zeros before and after, one pair for each spatial axis."""
        return get_pairs(self.properties, "pad")

    @property
    def dilation(self) -> Ints:
        """The step between the elements of a window, one for each spatial axis."""
        return self.dilation_attr.get_values()

    @property
    def input_dilation(self) -> Ints:
        """The step between the elements of `x` among zeros, one for each spatial axis."""
        attr = self.input_dilation_attr
        return (1,) * len(self.stride) if attr is None else attr.get_values()

    @property
    def groups(self) -> int:
        """Into how many groups channels and outputs are split."""
        return self.groups_attr.value.data

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        x, w = operands
        check_kind(NUMBER, x)
        check_same_element(x, w)
        rank = x.get_num_dims()
        if rank < 2 or w.get_num_dims() != rank:
            raise VerifyException(
                "takes [batch, channels, spatial...] and [outputs, channels, kernel...] "
                f"of one rank, got {x} and {w}"
            )
        groups = get_int(properties, "groups")
        _check_groups(x, w, groups)
        spatial, low, high = rank - 2, *_unzip(properties, rank - 2)
        for name in ("stride", "dilation"):
            check_length(name, get_ints(properties, name), spatial)
            check_minimum(name, get_ints(properties, name), 1)
        stride, dilation = get_ints(properties, "stride"), get_ints(properties, "dilation")
        inputs, kernels = _spread(x, properties), extents(w)
        windows = [
            count_windows(
                f"spatial axis {k} of {x}",
                inputs[2 + k] + low[k] + high[k],
                kernels[2 + k],
                stride[k],
                dilation[k],
            )
            for k in range(spatial)
        ]
        return tensor(x.element_type, [inputs[0], kernels[0], *windows])


def _spread(x: Tensor, properties: Properties) -> Extents:
    """The extents of `x` with the zeros that input dilation puts between its elements."""
    inputs = extents(x)
    if "input_dilation" not in properties:
        return inputs
    apart = get_ints(properties, "input_dilation")
    check_length("input_dilation", apart, len(inputs) - 2)
    check_minimum("input_dilation", apart, 1)
    spatial = (
        extent if d == 1 else (extent - 1) * d + 1
        for extent, d in zip(inputs[2:], apart, strict=True)
    )
    return (*inputs[:2], *spatial)


def _unzip(properties: Properties, spatial: int) -> tuple[Ints, Ints]:
    flat = get_ints(properties, "pad")
    check_length("pad, flat,", flat, 2 * spatial)
    check_minimum("pad", flat, 0)
    return flat[::2], flat[1::2]


def _check_groups(x: Tensor, w: Tensor, groups: int) -> None:
    check_minimum("groups", [groups], 1)
    channels, outputs, kernel_channels = extents(x)[1], extents(w)[0], extents(w)[1]
    if channels != kernel_channels * groups:
        raise VerifyException(
            f"{groups} groups of {kernel_channels} channels ({w}) are not the {channels} of {x}"
        )
    if outputs % groups != Expr.of(0):
        raise VerifyException(f"the {outputs} outputs of {w} do not divide into {groups} groups")


def _others(type: Attribute, axes: Ints) -> Ints:
    return tuple(axis for axis in range(check_tensor(type).get_num_dims()) if axis not in axes)


CONTRACTION_OPS: tuple[type[GraphOp], ...] = (ReduceOp, DotOp, ConvOp)
