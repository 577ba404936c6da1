"""The ops that close ranges, or run along one: reduce, fold, scan, stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Self

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import SEGMENTS, fill, segments
from teenyir.dialects.expr import ExprLike
from teenyir.dialects.expr_attributes import expr_array
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.kernel.combiners import COMBINERS, Combiner
from teenyir.dialects.kernel.ops import INDEX, AccessOp, AllocatesResult, FuncOp, RangeOp
from teenyir.dialects.kernel.syntax import (
    parse_indices,
    parse_kind,
    print_indices,
    verify_combiner,
)
from teenyir.dialects.syntax import (
    parse_defined_operand,
    parse_operand_list,
    parse_typed_operand,
    print_operand_list,
)


def verify_closed(over: Sequence[SSAValue]) -> None:
    """What an op closes is a set of ranges, and not none."""
    if not over:
        raise VerifyException("closes no range")
    for value in over:
        if not isinstance(value.owner, RangeOp):
            raise VerifyException("only the results of kernel.range can be closed")
    if len({id(value) for value in over}) != len(over):
        raise VerifyException("closes a range twice")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines a value over all iterations of the ranges it closes.

    `%s = kernel.reduce %m over(%k) {kind = "add"}`; over no iteration it is the identity.
    """

    name = "kernel.reduce"

    value = operand_def()
    over = var_operand_def(INDEX)
    kind = prop_def(StringAttr)
    result = result_def()

    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(self, kind: str, value: SSAValue, over: Sequence[SSAValue]):
        fill(self, [value, *over], [value.type], {"kind": StringAttr(kind)})

    @property
    def combiner(self) -> Combiner:
        """What combines two values. The verifier has made sure that there is one."""
        return COMBINERS[self.kind.data]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_keyword("over")
        over = parse_operand_list(parser)
        kind, attributes = parse_kind(parser)
        op = cls(kind, value, over)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" over")
        print_operand_list(printer, self.over)
        printer.print_string(" ")
        printer.print_attr_dict({"kind": self.kind, **self.attributes})

    def verify_(self) -> None:
        verify_closed(self.over)
        verify_combiner(self.kind.data, self.value.type)
        if self.result.type != self.value.type:
            raise VerifyException(f"reduces {self.value.type} to {self.result.type}")


@irdl_op_definition
class FoldOp(IRDLOperation):
    """A reduction of several values at once, combined by a region.

    `%m, %at = kernel.fold(%x, %k) from(%lowest, %zero) over(%j) { .. kernel.yield %a, %b }`

    The region takes the values so far, then those of one iteration, and yields the new ones. It is
    to be associative, with the initial values as its identity; over no iteration those come out.
    """

    name = "kernel.fold"

    inputs = var_operand_def()
    initial = var_operand_def()
    over = var_operand_def(INDEX)
    body = region_def("single_block")
    outputs = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsolatedFromAbove(), HasParent(FuncOp))

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        initial: Sequence[SSAValue],
        over: Sequence[SSAValue],
        body: Region,
    ):
        super().__init__(
            operands=[inputs, initial, over],
            result_types=[[value.type for value in inputs]],
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs = parse_operand_list(parser)
        parser.parse_keyword("from")
        initial = parse_operand_list(parser)
        parser.parse_keyword("over")
        over = parse_operand_list(parser)
        return cls(inputs, initial, over, parser.parse_region())

    def print(self, printer: Printer) -> None:
        print_operand_list(printer, self.inputs)
        printer.print_string(" from")
        print_operand_list(printer, self.initial)
        printer.print_string(" over")
        print_operand_list(printer, self.over)
        printer.print_string(" ")
        printer.print_region(self.body)

    def verify_(self) -> None:
        verify_closed(self.over)
        types = [value.type for value in self.inputs]
        if not types:
            raise VerifyException("folds nothing")
        if [value.type for value in self.initial] != types or list(self.result_types) != types:
            raise VerifyException("inputs, initial values and results are to be of the same types")
        if list(self.body.block.arg_types) != types * 2:
            raise VerifyException("the region takes the values so far, then those of an iteration")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or [v.type for v in last.values] != types:
            raise VerifyException("the region is to yield one value for each input, of its type")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """What one step of a fold gives: `kernel.yield %a, %b`."""

    name = "kernel.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator(), Pure(), HasParent(FoldOp))

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(
            parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parse_defined_operand(parser)
            )
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_operand)


@irdl_op_definition
class ScanOp(IRDLOperation):
    """The running combination of a value along a range, which stays open.

    `%s = kernel.scan %v along %r {kind = "add"}`: at each iteration the combination of the values
    up to and with this one; with `exclusive`, without this one, the identity at the first.
    """

    name = "kernel.scan"

    value = operand_def()
    along = operand_def(INDEX)
    kind = prop_def(StringAttr)
    exclusive = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(self, kind: str, value: SSAValue, along: SSAValue, exclusive: bool = False):
        super().__init__(
            operands=[value, along],
            properties={
                "kind": StringAttr(kind),
                "exclusive": UnitAttr() if exclusive else None,
            },
            result_types=[value.type],
        )

    @property
    def combiner(self) -> Combiner:
        """What combines two values. The verifier has made sure that there is one."""
        return COMBINERS[self.kind.data]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_keyword("along")
        along = parse_typed_operand(parser, INDEX)
        kind, attributes = parse_kind(parser)
        exclusive = isinstance(attributes.pop("exclusive", None), UnitAttr)
        op = cls(kind, value, along, exclusive)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" along ")
        printer.print_operand(self.along)
        printer.print_string(" ")
        exclusive = {} if self.exclusive is None else {"exclusive": self.exclusive}
        printer.print_attr_dict({"kind": self.kind, **exclusive, **self.attributes})

    def verify_(self) -> None:
        verify_closed([self.along])
        verify_combiner(self.kind.data, self.value.type)
        if self.result.type != self.value.type:
            raise VerifyException(f"scans {self.value.type} to {self.result.type}")


@irdl_op_definition
class StageOp(AccessOp):
    """Keeps a value for all iterations of the ranges it closes, to be loaded at any index.

    `%row = kernel.stage %e[%j] over(%j) : !kernel.buf<[50] x f32, local>`. Where it is computed is
    what remains of its dependences. With `accumulating(%k) {kind = "add"}` it closes `%k` too: each
    element starts from the combiner's identity and combines the values of all those iterations.
    With `accumulating(%k) scaled(%a) {kind = "add"}` each iteration of `%k`, in their order,
    multiplies the elements that it has by `%a` before it adds its values.
    """

    name = "kernel.stage"

    value = operand_def()
    values = var_operand_def(INDEX)
    over = var_operand_def(INDEX)
    accumulating = var_operand_def(INDEX)
    scale = opt_operand_def()
    kind = opt_prop_def(StringAttr)
    result = result_def(BufferType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(AllocatesResult(), HasParent(FuncOp))

    def __init__(
        self,
        value: SSAValue,
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue],
        over: Sequence[SSAValue],
        buffer: BufferType,
        accumulating: Sequence[SSAValue] = (),
        kind: str | None = None,
        scale: SSAValue | None = None,
    ):
        groups = (values, over, accumulating, () if scale is None else (scale,))
        counts = segments(1, *map(len, groups))
        properties: dict[str, Attribute] = {"indices": expr_array(indices), SEGMENTS: counts}
        if kind is not None:
            properties["kind"] = StringAttr(kind)
        fill(self, [value, *chain.from_iterable(groups)], [buffer], properties)

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def combiner(self) -> Combiner | None:
        """What combines two values of one element, or None where each has but one."""
        return None if self.kind is None else COMBINERS[self.kind.data]

    @property
    def target(self) -> BufferType:
        return self.result.type

    def changed(
        self,
        *,
        index: tuple[Iterable[ExprLike], Sequence[SSAValue]] | None = None,
        over: Sequence[SSAValue] | None = None,
        accumulating: Sequence[SSAValue] | None = None,
        extents: Iterable[ExprLike] | None = None,
    ) -> StageOp:
        """A stage of the same value at another index, over other ranges or of other extents."""
        exprs, values = (self.exprs, self.values) if index is None else index
        new = StageOp(
            self.value,
            exprs,
            values,
            self.over if over is None else over,
            self.target if extents is None else self.target.resized(extents),
            self.accumulating if accumulating is None else accumulating,
            None if self.kind is None else self.kind.data,
            self.scale,
        )
        new.attributes |= self.attributes
        new.result.name_hint = self.result.name_hint
        return new

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        indices, values = parse_indices(parser)
        parser.parse_keyword("over")
        over = parse_operand_list(parser)
        accumulating: list[SSAValue] = []
        kind = scale = None
        if parser.parse_optional_keyword("accumulating"):
            accumulating = parse_operand_list(parser)
            if parser.parse_optional_keyword("scaled"):
                with parser.in_parens():
                    scale = parse_defined_operand(parser)
            kind, _ = parse_kind(parser)
        parser.parse_punctuation(":")
        start = parser.pos
        buffer = parser.parse_type()
        if not isinstance(buffer, BufferType):
            parser.raise_error(f"expected a buffer type, got {buffer}", start, parser.pos)
        return cls(value, indices, values, over, buffer, accumulating, kind, scale)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        print_indices(printer, self.exprs, self.values)
        printer.print_string(" over")
        print_operand_list(printer, self.over)
        if self.kind is not None:
            printer.print_string(" accumulating")
            print_operand_list(printer, self.accumulating)
            if self.scale is not None:
                printer.print_string(" scaled")
                print_operand_list(printer, [self.scale])
            printer.print_string(" ")
            printer.print_attr_dict({"kind": self.kind})
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        self.verify_access()
        verify_closed([*self.over, *self.accumulating])
        if (self.kind is None) != (not self.accumulating):
            raise VerifyException("a combiner and what it accumulates over go together")
        if self.kind is not None:
            verify_combiner(self.kind.data, self.value.type)
        self._verify_scale()
        if self.value.type != self.target.element:
            raise VerifyException(f"cannot stage {self.value.type} in {self.target}")
        if self.target.space.data not in ("local", "shared"):
            raise VerifyException(f"a stage lives in local memory, not in {self.target}")
        if self.target.space.data == "shared" and self.kind is not None:
            raise VerifyException("a shared stage holds one value of each thread, and adds up none")
        if self.target.size.constant is None:
            raise VerifyException(f"a stage needs constant extents, not {self.target}")

    def _verify_scale(self) -> None:
        if self.scale is None:
            return
        if self.kind is None or self.kind.data != "add" or len(self.accumulating) != 1:
            raise VerifyException("what is scaled is a sum along one range")
        (along,) = self.accumulating
        if isinstance(along.owner, RangeOp) and along.owner.how not in ("loop", "sequential"):
            raise VerifyException(f"scales along a range of kind `{along.owner.how}`, not in order")
        if self.scale.type != self.value.type:
            raise VerifyException(f"scales {self.value.type} by {self.scale.type}")
