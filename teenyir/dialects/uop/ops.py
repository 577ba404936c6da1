"""The ops of the uop floor. Memory is flat, loops are `scf.for`; what holds is in `verify`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self, cast, get_args

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasAncestor,
    IsolatedFromAbove,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import SEGMENTS, fill, segments
from teenyir.dialects.checks import of_types
from teenyir.dialects.dim_ranges import DimRange, parse_dim_range
from teenyir.dialects.dtypes import refuse_scalar
from teenyir.dialects.expr import Expr, parse_extents
from teenyir.dialects.expr_attributes import DimsAttr, ExprAttr, expr_array
from teenyir.dialects.function import BufferFunction
from teenyir.dialects.kernel.ops import MODES, AllocatesResult
from teenyir.dialects.kernel.sort import parse_orders, print_orders, verify_orders
from teenyir.dialects.lanes import is_vector, like
from teenyir.dialects.syntax import (
    STREAMING,
    parse_defined_operand,
    parse_flag,
    parse_operand_list,
    parse_typed_operand,
    print_flag,
    print_operand_list,
)

Space = Literal["global", "local", "shared"]
"""Where a pointer points: into the memory of the caller, onto the stack of a thread, or into memory
that the threads of a block share."""

AXES = ("x", "y", "z")
"""The axes of a grid and of its blocks, the fastest first."""

SPECIALS = tuple(f"{level}.{axis}" for level in ("grid", "thread") for axis in AXES)
"""The ids of a thread: which block of the grid it is in, and which thread of the block it is."""

PARALLEL = "uop.parallel"
"""The unit attribute of an `scf.for` whose iterations are independent of each other."""

READ_AND_WRITTEN = ("inout", "scratch")
"""The modes of arguments that are both loaded and stored."""

ROLLED = "uop.rolled"
"""The unit attribute of a loop, and of the branch to its head on the machine floor, that LLVM is
not to write out."""

INDEX = IndexType()
BOOL = IntegerType(1)


@irdl_attr_definition
class PtrType(ParametrizedAttribute, TypeAttribute):
    """A pointer to elements of one scalar type: `!uop.ptr<f32>`, `!uop.ptr<f32, local>`."""

    name = "uop.ptr"

    element: Attribute
    space: StringAttr

    def __init__(self, element: Attribute, space: Space = "global") -> None:
        super().__init__(element, StringAttr(space))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            element = parser.parse_type()
            space = "global"
            if parser.parse_optional_punctuation(","):
                space = parser.parse_keyword_in(get_args(Space))
            return (element, StringAttr(space))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)
            if self.space.data != "global":
                printer.print_string(f", {self.space.data}")

    def verify(self) -> None:
        if problem := refuse_scalar(self.element):
            raise VerifyException(problem)
        if self.space.data not in get_args(Space):
            raise VerifyException(f"unknown memory space {self.space.data!r}")


@irdl_op_definition
class FuncOp(BufferFunction):
    """One kernel as linear code: `uop.func @f(out %y: .., in %x: ..) dims(%N: N in 1..64) {..}`."""

    name = "uop.func"

    MODES: ClassVar[tuple[str, ...]] = MODES

    grid = opt_prop_def(ArrayAttr[ExprAttr])
    block = opt_prop_def(DenseArrayBase[I64])

    # traits of its own, since `WellFormed` joins them
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        modes: Sequence[str],
        buffers: Sequence[Attribute],
        dims: DimsAttr,
        body: Region | None = None,
    ):
        extents = [INDEX for _ in dims.data]
        super().__init__(name, modes, [*buffers, *extents], dims, body)

    @property
    def launch(self) -> tuple[tuple[Expr, ...], tuple[int, ...]] | None:
        """The sizes of the grid, over the named extents, and of a block; None for one thread."""
        if self.grid is None or self.block is None:
            return None
        return tuple(size.data for size in self.grid), self.block.get_values()

    @property
    def extents(self) -> dict[str, BlockArgument]:
        """The index argument of each named extent."""
        return dict(zip(self.dims.names, self.body.block.args[len(self.modes) :], strict=True))

    @classmethod
    def parse_dims(cls, parser: Parser, arguments: list[Parser.Argument]) -> DimsAttr:
        ranges: list[DimRange] = []

        def parse_extent() -> None:
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation(":")
            start = parser.pos
            dim = parse_dim_range(parser)
            if any(dim.name == other.name for other in ranges):
                parser.raise_error(f"{dim.name} already has a range", start, parser.pos)
            ranges.append(dim)
            arguments.append(argument.resolve(INDEX))

        if parser.parse_optional_keyword("dims"):
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_extent)
        return DimsAttr(tuple(ranges))

    def print_dims(self, printer: Printer) -> None:
        if not self.dims.data:
            return
        printer.print_string(" dims(")
        extents = zip(self.dims.data, self.body.block.args[len(self.modes) :], strict=True)
        for position, (dim, argument) in enumerate(extents):
            printer.print_string(", " if position else "")
            printer.print_ssa_value(argument)
            printer.print_string(f": {dim}")
        printer.print_string(")")

    @classmethod
    def parse_rest(cls, parser: Parser) -> dict[str, Attribute]:
        if not parser.parse_optional_keyword("grid"):
            return {}
        grid = parse_extents(parser)
        parser.parse_keyword("block")
        sizes = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        return {"grid": expr_array(grid), "block": DenseArrayBase.from_list(i64, sizes)}

    def print_rest(self, printer: Printer) -> None:
        if (launch := self.launch) is not None:
            grid, block = (", ".join(map(str, sizes)) for sizes in launch)
            printer.print_string(f" grid [{grid}] block [{block}]")


class OfThreads(IRDLOperation):
    """An op that means something only where there are a grid and a block."""

    @property
    def loaded(self) -> Sequence[SSAValue]:
        """The pointers that it loads from. One that has such takes pointers and indices alone."""
        return ()

    def verify_launch(self, grid: Sequence[Expr], block: Sequence[int]) -> None:
        """Check it against their sizes. Raises VerifyException."""


def pointer_type(value: SSAValue) -> PtrType:
    if not isinstance(value.type, PtrType):
        raise VerifyException(f"expected a pointer, got a value of type {value.type}")
    return value.type


def verify_moved(moved: Attribute, pointer: PtrType) -> None:
    """A load or store moves the element type or a vector of it with one constant axis."""
    if moved == pointer.element:
        return
    if (
        is_vector(moved)
        and moved.element_type == pointer.element
        and len(moved.get_shape()) == 1
        and not any(moved.get_scalable_dims())
    ):
        return
    raise VerifyException(f"cannot move {moved} through {pointer}")


def _verify_gate(gate: SSAValue | None, moved: Attribute) -> None:
    if gate is not None and gate.type not in (BOOL, like(moved, BOOL)):
        raise VerifyException(f"a gate of type {gate.type} does not fit {moved}")


def parse_place(parser: Parser) -> tuple[SSAValue, SSAValue]:
    """Parse `%p[%i]`."""
    start = parser.pos
    pointer = parse_defined_operand(parser)
    if not isinstance(pointer.type, PtrType):
        parser.raise_error(f"expected a pointer, got {pointer.type}", start, parser.pos)
    with parser.in_square_brackets():
        return pointer, parse_typed_operand(parser, INDEX)


def print_place(printer: Printer, pointer: SSAValue, offset: SSAValue) -> None:
    printer.print_operand(pointer)
    with printer.in_square_brackets():
        printer.print_operand(offset)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Reads at an element offset: `%v = uop.load %x[%i] if %g else %w : vector<16xf32>`.

    Where the gate does not hold memory is not touched; of a vector, lane by lane if it is one.
    """

    name = "uop.load"

    pointer = operand_def(PtrType)
    offset = operand_def(INDEX)
    gate = opt_operand_def()
    other = opt_operand_def()
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), HasAncestor(FuncOp))

    def __init__(
        self,
        pointer: SSAValue,
        offset: SSAValue,
        result_type: Attribute | None = None,
        gate: SSAValue | None = None,
        other: SSAValue | None = None,
    ):
        given = [value for value in (gate, other) if value is not None]
        counts = segments(1, 1, int(gate is not None), int(other is not None))
        type = pointer_type(pointer).element if result_type is None else result_type
        fill(self, [pointer, offset, *given], [type], {SEGMENTS: counts})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pointer, offset = parse_place(parser)
        gate = other = None
        if parser.parse_optional_keyword("if"):
            gate = parse_defined_operand(parser)
            parser.parse_keyword("else")
            other = parse_defined_operand(parser)
        parser.parse_punctuation(":")
        return cls(pointer, offset, parser.parse_type(), gate, other)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_place(printer, self.pointer, self.offset)
        if self.gate is not None and self.other is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
            printer.print_string(" else ")
            printer.print_operand(self.other)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @of_types
    def verify_(self) -> None:
        verify_moved(self.result.type, pointer_type(self.pointer))
        _verify_gate(self.gate, self.result.type)
        if (self.gate is None) != (self.other is None):
            raise VerifyException("a gate and the value where it does not hold go together")
        if self.other is not None and self.other.type != self.result.type:
            raise VerifyException(f"`else` gives {self.other.type}, the load {self.result.type}")


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Writes at an element offset: `uop.store %v, %y[%i] if %g streaming`.

    A streaming one goes past the caches where the target can do that.
    """

    name = "uop.store"

    value = operand_def()
    pointer = operand_def(PtrType)
    offset = operand_def(INDEX)
    gate = opt_operand_def()
    streaming = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryWriteEffect(), HasAncestor(FuncOp))

    def __init__(
        self,
        value: SSAValue,
        pointer: SSAValue,
        offset: SSAValue,
        gate: SSAValue | None = None,
        streaming: UnitAttr | None = None,
    ):
        given = [value, pointer, offset]
        properties = {} if streaming is None else {"streaming": streaming}
        fill(self, given if gate is None else [*given, gate], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_punctuation(",")
        pointer, offset = parse_place(parser)
        gate = parse_defined_operand(parser) if parser.parse_optional_keyword("if") else None
        return cls(value, pointer, offset, gate, parse_flag(parser, STREAMING))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        print_place(printer, self.pointer, self.offset)
        if self.gate is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
        print_flag(printer, STREAMING, self.streaming)

    @of_types
    def verify_(self) -> None:
        verify_moved(self.value.type, pointer_type(self.pointer))
        _verify_gate(self.gate, self.value.type)


@irdl_op_definition
class LocalOp(IRDLOperation):
    """Memory of a thread, uninitialised: `%row = uop.local [50] : !uop.ptr<f32, local>`.

    With a pointer into `shared` space it is one memory for all threads of a block.
    """

    name = "uop.local"

    size = prop_def(IntegerAttr[IntegerType])
    result = result_def(PtrType)

    traits = traits_def(AllocatesResult(), HasAncestor(FuncOp))

    def __init__(self, size: int, element: Attribute, space: Space = "local"):
        fill(self, (), [PtrType(element, space)], {"size": IntegerAttr(size, i64)})

    @property
    def space(self) -> str:
        """`local` or `shared`."""
        return self.result.type.space.data

    @property
    def count(self) -> int:
        """The number of elements."""
        return self.size.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        with parser.in_square_brackets():
            size = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(":")
        start = parser.pos
        type = parser.parse_type()
        if not isinstance(type, PtrType) or type.space.data == "global":
            parser.raise_error(f"expected a local pointer type, got {type}", start, parser.pos)
        return cls(size, type.element, cast(Space, type.space.data))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" [{self.count}] : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if self.count < 1:
            raise VerifyException(f"local memory of {self.count} elements")
        if pointer_type(self.result).space.data == "global":
            raise VerifyException(f"the result must be a local pointer, not {self.result.type}")


@irdl_op_definition
class SortOp(IRDLOperation):
    """Puts elements of memory into order: `uop.sort(%s, %t)[%i] count %n first %k by [slt]`.

    `count` elements behind the offset of each pointer, one of each making up an item; the keys are
    those of the first pointers, one for each word of `by` (see `kernel.sort`); it is stable. After
    it the `first` items stand where the first ones did. What is behind them, up to twice `count`
    elements from the offset, is worked in.
    """

    name = "uop.sort"

    pointers = var_operand_def(PtrType)
    offset = operand_def(INDEX)
    count = operand_def(INDEX)
    first = operand_def(INDEX)
    orders_attr = prop_def(ArrayAttr[StringAttr], prop_name="orders")

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasAncestor(FuncOp))

    def __init__(
        self,
        pointers: Sequence[SSAValue],
        offset: SSAValue,
        count: SSAValue,
        first: SSAValue,
        orders: Sequence[str],
    ):
        super().__init__(
            operands=[pointers, offset, count, first],
            properties={"orders": ArrayAttr(map(StringAttr, orders))},
        )

    @property
    def orders(self) -> tuple[str, ...]:
        """One of `kernel.ORDERS` for each key."""
        return tuple(order.data for order in self.orders_attr)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pointers = parse_operand_list(parser)
        with parser.in_square_brackets():
            offset = parse_typed_operand(parser, INDEX)
        parser.parse_keyword("count")
        count = parse_typed_operand(parser, INDEX)
        parser.parse_keyword("first")
        first = parse_typed_operand(parser, INDEX)
        return cls(pointers, offset, count, first, parse_orders(parser))

    def print(self, printer: Printer) -> None:
        print_operand_list(printer, self.pointers)
        with printer.in_square_brackets():
            printer.print_operand(self.offset)
        for word, number in (("count", self.count), ("first", self.first)):
            printer.print_string(f" {word} ")
            printer.print_operand(number)
        print_orders(printer, self.orders)

    def verify_(self) -> None:
        verify_orders(self.orders, [pointer_type(pointer).element for pointer in self.pointers])
        if len(set(self.pointers)) != len(self.pointers):
            raise VerifyException("a pointer is there twice")
