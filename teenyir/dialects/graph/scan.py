"""Ops in which one element depends on others along an axis: scan and fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import AnyTensorTypeConstr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.graph.attributes import Tensor, extents, tensor
from teenyir.dialects.graph.base import (
    INT,
    INTS,
    Clause,
    FlagClause,
    GraphOp,
    IntClause,
    Ints,
    Properties,
    Value,
    WordClause,
    get_int,
    get_word,
    ints_attr,
    parse_ints,
)
from teenyir.dialects.graph.checks import check_axes, check_kind, check_tensor
from teenyir.dialects.graph.contraction import REDUCTIONS
from teenyir.dialects.graph.creation import ConstantOp
from teenyir.dialects.graph.elementwise import ELEMENTWISE_OPS
from teenyir.dialects.graph.regions import YieldOp, parse_tensors


class ScanOp(GraphOp, name="graph.scan"):
    """`graph.scan add %x axis 1 : T -> T`: running combination along an axis.

    Each element is the combination of those up to and with it; with `exclusive` without it, the
    combiner's identity at the first; with `reverse` from the other end. f16 and bf16 are
    accumulated in f32, and each element is rounded once.
    """

    operand = operand_def(AnyTensorTypeConstr)
    kind_attr = prop_def(StringAttr, prop_name="kind")
    axis_attr = prop_def(INT, prop_name="axis")
    exclusive_attr = opt_prop_def(UnitAttr, prop_name="exclusive")
    reverse_attr = opt_prop_def(UnitAttr, prop_name="reverse")

    WORD: ClassVar[WordClause | None] = WordClause("kind", tuple(REDUCTIONS))
    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        IntClause("axis"),
        FlagClause("exclusive"),
        FlagClause("reverse"),
    )

    def __init__(
        self, kind: str, operand: Value, axis: int, exclusive: bool = False, reverse: bool = False
    ):
        flags = {"exclusive": exclusive, "reverse": reverse}
        super().__init__(
            [operand],
            {
                "kind": StringAttr(kind),
                "axis": IntegerAttr(axis, i64),
                **{name: UnitAttr() for name, on in flags.items() if on},
            },
        )

    @property
    def kind(self) -> str:
        """One of `REDUCTIONS`."""
        return self.kind_attr.data

    @property
    def axis(self) -> int:
        """The axis that is run along."""
        return self.axis_attr.value.data

    @property
    def exclusive(self) -> bool:
        """Whether an element is left out of its own combination."""
        return self.exclusive_attr is not None

    @property
    def reverse(self) -> bool:
        """Whether it runs from the last element to the first."""
        return self.reverse_attr is not None

    @classmethod
    def infer(
        cls, operands: Sequence[Tensor], properties: Properties, stated: Tensor | None
    ) -> Tensor:
        (type,) = operands
        kind = get_word(properties, "kind")
        if kind not in REDUCTIONS:
            raise VerifyException(f"no scan '{kind}', only {', '.join(REDUCTIONS)}")
        check_kind(REDUCTIONS[kind], type)
        check_axes("axis", [get_int(properties, "axis")], type)
        return type


@irdl_op_definition
class FoldOp(IRDLOperation):
    """A reduction of several tensors at once, combined by a region on tensors of rank 0.

    `%m, %at = graph.fold(%x, %k) from(%lowest, %zero) axes [1] { .. graph.yield %a, %b }`

    The region takes the values so far, then those of one index, and yields the new ones. It is to
    be associative, with the initial values as its identity; of no elements those come out. It sees
    the elements in row-major order. The reduced axes are dropped.
    """

    name = "graph.fold"

    inputs = var_operand_def(AnyTensorTypeConstr)
    initial = var_operand_def(AnyTensorTypeConstr)
    axes_attr = prop_def(INTS, prop_name="axes")
    body = region_def("single_block")
    outputs = var_result_def(AnyTensorTypeConstr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsolatedFromAbove())

    def __init__(
        self, inputs: Sequence[Value], initial: Sequence[Value], axes: Sequence[int], body: Region
    ):
        """`body` has one block, whose arguments are rank-0 tensors, two for each input."""
        values = [SSAValue.get(value) for value in inputs]
        results = [_folded(check_tensor(value.type), axes) for value in values]
        super().__init__(
            operands=[values, [SSAValue.get(value) for value in initial]],
            result_types=[results],
            properties={"axes": ints_attr(axes)},
            regions=[body],
        )

    @staticmethod
    def block(inputs: Sequence[Value]) -> Block:
        """An empty block with the arguments that a fold of these inputs needs."""
        scalars = [_scalar(check_tensor(SSAValue.get(value).type)) for value in inputs]
        return Block(arg_types=[*scalars, *scalars])

    @property
    def axes(self) -> Ints:
        """The reduced axes, none twice."""
        return self.axes_attr.get_values()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs = parse_tensors(parser)
        parser.parse_keyword("from")
        initial = parse_tensors(parser)
        parser.parse_keyword("axes")
        start = parser.pos
        axes = parse_ints(parser)
        try:
            for value in inputs:
                check_axes("axes", axes, check_tensor(value.type))
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        return cls(inputs, initial, axes, parser.parse_region())

    def print(self, printer: Printer) -> None:
        for word, values in (("", self.inputs), (" from", self.initial)):
            printer.print_string(word)
            with printer.in_parens():
                printer.print_list(values, printer.print_operand)
        printer.print_string(f" axes {list(self.axes)} ")
        printer.print_region(self.body)

    def verify_(self) -> None:
        types = [check_tensor(type) for type in self.inputs.types]
        if not types:
            raise VerifyException("folds nothing")
        for type in types:
            check_axes("axes", self.axes, type)
            if extents(type) != extents(types[0]):
                raise VerifyException(f"the inputs differ in extents: {types[0]} and {type}")
        scalars = [_scalar(type) for type in types]
        if list(self.initial.types) != scalars:
            raise VerifyException("one initial value of rank 0 for each input, of its element type")
        if list(self.outputs.types) != [_folded(type, self.axes) for type in types]:
            raise VerifyException("each result is its input without the reduced axes")
        if list(self.body.block.arg_types) != scalars * 2:
            raise VerifyException("the region takes the values so far, then those of an index")
        self._verify_body(scalars)

    def _verify_body(self, scalars: list[Tensor]) -> None:
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or list(last.values.types) != scalars:
            raise VerifyException("the region is to yield one value for each input")
        for op in list(self.body.block.ops)[:-1]:
            if not isinstance(op, (*ELEMENTWISE_OPS, ConstantOp)):
                raise VerifyAt(op, f"{op.name} has no place in a fold")
        for op in self.body.block.ops:
            for operand in op.operands:
                block = operand.owner if isinstance(operand.owner, Block) else operand.owner.parent
                if block is not self.body.block:
                    raise VerifyAt(op, "a fold's region uses its own values alone")


def _scalar(type: Tensor) -> Tensor:
    return tensor(type.element_type, ())


def _folded(type: Tensor, axes: Sequence[int]) -> Tensor:
    kept = [extent for axis, extent in enumerate(extents(type)) if axis not in axes]
    return tensor(type.element_type, kept)


SCAN_OPS: tuple[type[GraphOp], ...] = (ScanOp,)
