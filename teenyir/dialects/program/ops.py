"""The ops of the program level; what holds of a whole program is in `verify`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    StringAttr,
    SymbolRefAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from teenyir.dialects import uop
from teenyir.dialects.building import fill
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.expr import ONE, Expr, ExprLike, parse_expr, parse_extents
from teenyir.dialects.expr_attributes import ExprAttr, expr_array
from teenyir.dialects.function import BufferFunction
from teenyir.dialects.kernel import FuncOp as KernelFuncOp
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.kernel.ops import MODES as KERNEL_MODES
from teenyir.dialects.kernel.ops import AllocatesResult
from teenyir.dialects.syntax import (
    parse_defined_operand,
    parse_operand_list,
    print_operand_list,
)

MODES = ("in", "out")

NAMES = "program.names"
"""The attribute of a `program.func` with the names by which callers know its arguments."""


@irdl_op_definition
class FuncOp(BufferFunction):
    """A program: `program.func @main(in %x: .., out %y: ..) dims(..) arena(N * 128) { .. }`.

    `arena` is the size in bytes of the memory in which all allocations have their offsets.
    """

    name = "program.func"

    MODES: ClassVar[tuple[str, ...]] = MODES

    # traits of its own, since `WellFormed` joins them
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    arena = opt_prop_def(ExprAttr)

    @classmethod
    def parse_rest(cls, parser: Parser) -> dict[str, Attribute]:
        if not parser.parse_optional_keyword("arena"):
            return {}
        with parser.in_parens():
            return {"arena": ExprAttr(parse_expr(parser))}

    def print_rest(self, printer: Printer) -> None:
        if self.arena is not None:
            printer.print_string(f" arena({self.arena.data})")


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer for the length of the run: `%t = program.alloc at 64 : !kernel.buf<[N] x f32>`.

    The offset, in bytes, is where it starts in the arena.
    """

    name = "program.alloc"

    offset = opt_prop_def(ExprAttr)
    result = result_def(BufferType)

    traits = traits_def(AllocatesResult(), HasParent(FuncOp))

    def __init__(self, buffer: BufferType, offset: Expr | None = None):
        fill(self, (), [buffer], {} if offset is None else {"offset": ExprAttr(offset)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        offset = parse_expr(parser) if parser.parse_optional_keyword("at") else None
        return cls(_parse_buffer_type(parser), offset)

    def print(self, printer: Printer) -> None:
        if self.offset is not None:
            printer.print_string(f" at {self.offset.data}")
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A buffer with known contents: `%c = program.constant dense<[1, 2]> : tensor<2xi32>`.

    The result is a buffer of the same extents and elements.
    """

    name = "program.constant"

    data = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(BufferType)

    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(self, data: DenseIntOrFPElementsAttr):
        super().__init__(properties={"data": data}, result_types=[_buffer_of(data)])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        data = parser.parse_attribute()
        if not isa(data, DenseIntOrFPElementsAttr):
            parser.raise_error(f"expected dense elements, got {data}", start, parser.pos)
        return cls(data)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.data)

    def verify_(self) -> None:
        if self.result.type != _buffer_of(self.data):
            raise VerifyException(
                f"contents of type {self.data.type} do not fill {self.result.type}"
            )


@irdl_op_definition
class ViewOp(IRDLOperation):
    """Says that an output shows an input from an element on: `program.view %y of %x at 8`.

    No kernel runs. Whoever calls the program may hand it that very place for the output; where the
    memory for the output is elsewhere, it is filled.
    """

    name = "program.view"

    target = operand_def(BufferType)
    source = operand_def(BufferType)
    offset = prop_def(ExprAttr)

    traits = traits_def(MemoryWriteEffect(), HasParent(FuncOp))

    def __init__(self, target: SSAValue, source: SSAValue, offset: Expr):
        super().__init__(operands=[target, source], properties={"offset": ExprAttr(offset)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        target = parse_defined_operand(parser)
        parser.parse_keyword("of")
        source = parse_defined_operand(parser)
        parser.parse_keyword("at")
        return cls(target, source, parse_expr(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.target)
        printer.print_string(" of ")
        printer.print_operand(self.source)
        printer.print_string(f" at {self.offset.data}")

    def verify_(self) -> None:
        target, source, func = self.target.type, self.source.type, self.parent_op()
        assert isinstance(target, BufferType) and isinstance(source, BufferType)
        modes: dict[SSAValue, str] = {}
        if isinstance(func, FuncOp):
            modes.update((argument, mode) for mode, argument in func.buffers)
        if (modes.get(self.target), modes.get(self.source)) != ("out", "in"):
            raise VerifyException("a view shows an output of the program as part of an input")
        if target.element != source.element:
            raise VerifyException(f"{source} holds no {target.element} to show")
        offset, rest = self.offset.data, source.size - target.size - self.offset.data
        for number in (offset.constant, rest.constant):
            if number is not None and number < 0:
                raise VerifyException(f"{target} at {offset} does not lie inside {source}")


def _buffer_of(data: DenseIntOrFPElementsAttr) -> BufferType:
    return BufferType(data.type.get_shape(), data.type.get_element_type())


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel over buffers: `program.launch @dot_relu(%t, %x, %w)`.

    The kernel's named extents are the program's of the same names.
    """

    name = "program.launch"

    kernel = prop_def(SymbolRefAttr)
    buffers = var_operand_def(BufferType)

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, kernel: str, buffers: Sequence[SSAValue]):
        fill(self, buffers, properties={"kernel": SymbolRefAttr(kernel)})

    def callee(self) -> KernelFuncOp | uop.FuncOp:
        """The kernel. Raises VerifyAt where the module has none of this name."""
        found = SymbolTable.lookup_symbol(self, self.kernel)
        if not isinstance(found, KernelFuncOp | uop.FuncOp):
            raise VerifyAt(self, f"there is no kernel {self.kernel} in this module")
        return found

    def accesses(self) -> Sequence[tuple[str, SSAValue]]:
        """Each buffer with what the kernel does with it, one of `kernel.ops.MODES`."""
        modes = (mode.data for mode in self.callee().modes)
        return tuple(zip(modes, self.buffers, strict=False))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        kernel = parser.parse_symbol_name()
        return cls(kernel.data, parse_operand_list(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        print_operand_list(printer, self.buffers)

    def verify_(self) -> None:
        callee = self.callee()
        parameters = callee.body.block.arg_types[: len(callee.modes)]
        if len(parameters) != len(self.buffers):
            raise VerifyException(
                f"{self.kernel} takes {len(parameters)} buffers, not {len(self.buffers)}"
            )
        for position, (buffer, parameter) in enumerate(zip(self.buffers, parameters, strict=True)):
            if _as_parameter(buffer.type, parameter) != parameter:
                raise VerifyException(
                    f"argument {position} of {self.kernel} is {parameter}, not {buffer.type}"
                )
        written = [buffer for mode, buffer in self.accesses() if mode != "in"]
        for buffer in written:
            if sum(other is buffer for other in self.buffers) > 1:
                name = f"%{buffer.name_hint}" if buffer.name_hint else "a buffer"
                raise VerifyException(f"{self.kernel} writes {name} and is handed it twice")
        func = self.parent_op()
        while isinstance(func, IfOp | WhileOp):
            func = func.parent_op()
        if isinstance(func, FuncOp):
            self._verify_dims(callee.dims.data, {dim.name: dim for dim in func.dims.data})

    def _verify_dims(self, needed: Sequence[DimRange], given: Mapping[str, DimRange]) -> None:
        for dim in needed:
            if (range_ := given.get(dim.name)) is None:
                raise VerifyException(f"{self.kernel} needs {dim.name}: not in `dims`")
            if not dim.contains(range_):
                raise VerifyException(f"{self.kernel} takes {dim}, the program allows {range_}")


@irdl_op_definition
class DispatchOp(IRDLOperation):
    """Launches machine code of a GPU: a grid of blocks of threads, over buffers and extents.

    `program.dispatch @f(out %y, in %x) dims [N] grid [(N + 255) floordiv 256] block [256]`
    """

    name = "program.dispatch"

    kernel = prop_def(SymbolRefAttr)
    buffers = var_operand_def(BufferType)
    modes = prop_def(ArrayAttr[StringAttr])
    dims = prop_def(ArrayAttr[StringAttr])
    grid = prop_def(ArrayAttr[ExprAttr])
    block = prop_def(DenseArrayBase[I64])

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        kernel: str,
        buffers: Sequence[tuple[str, SSAValue]],
        dims: Sequence[str],
        grid: Sequence[ExprLike],
        block: Sequence[int],
    ):
        super().__init__(
            operands=[[buffer for _, buffer in buffers]],
            properties={
                "kernel": SymbolRefAttr(kernel),
                "modes": ArrayAttr([StringAttr(mode) for mode, _ in buffers]),
                "dims": ArrayAttr(map(StringAttr, dims)),
                "grid": expr_array(grid),
                "block": DenseArrayBase.from_list(i64, list(block)),
            },
        )

    def accesses(self) -> Sequence[tuple[str, SSAValue]]:
        """Each buffer with what the kernel does with it: `in`, `out` or `inout`."""
        return tuple(zip((mode.data for mode in self.modes), self.buffers, strict=True))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        kernel = parser.parse_symbol_name()
        buffers = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: (parser.parse_keyword_in(KERNEL_MODES), parse_defined_operand(parser)),
        )
        parser.parse_keyword("dims")
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_identifier)
        parser.parse_keyword("grid")
        grid = parse_extents(parser)
        parser.parse_keyword("block")
        block = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        return cls(kernel.data, buffers, dims, grid, block)

    def print(self, printer: Printer) -> None:
        def access(pair: tuple[str, SSAValue]) -> None:
            printer.print_string(f"{pair[0]} ")
            printer.print_operand(pair[1])

        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        with printer.in_parens():
            printer.print_list(self.accesses(), access)
        grid = ", ".join(str(size.data) for size in self.grid)
        block = ", ".join(map(str, self.block.get_values()))
        dims = ", ".join(name.data for name in self.dims)
        printer.print_string(f" dims [{dims}] grid [{grid}] block [{block}]")

    def verify_(self) -> None:
        if SymbolTable.lookup_symbol(self, self.kernel) is None:
            raise VerifyException(f"there is no kernel {self.kernel} in this module")
        if len(self.modes) != len(self.buffers):
            raise VerifyException(f"{len(self.modes)} modes for {len(self.buffers)} buffers")
        func = self.parent_op()
        while isinstance(func, IfOp | WhileOp):
            func = func.parent_op()
        known = set(func.dims.names) if isinstance(func, FuncOp) else set[str]()
        used = {name.data for name in self.dims}.union(*(size.data.names for size in self.grid))
        if missing := sorted(used - known):
            raise VerifyException(f"names {', '.join(missing)}: not in `dims` of the program")


@irdl_op_definition
class IfOp(IRDLOperation):
    """A branch: `program.if %c { launches } else { launches }`, by what `%c` holds at its start."""

    name = "program.if"

    condition = operand_def(BufferType)
    then = region_def("single_block")
    otherwise = region_def("single_block")

    traits = traits_def(MemoryWriteEffect(), NoTerminator())

    def __init__(self, condition: SSAValue, then: Region, otherwise: Region):
        super().__init__(operands=[condition], regions=[then, otherwise])

    @property
    def branches(self) -> tuple[Region, Region]:
        """What runs where the condition holds, and where it does not."""
        return self.then, self.otherwise

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parse_defined_operand(parser)
        then = parser.parse_region(())
        has_other = parser.parse_optional_keyword("else")
        return cls(condition, then, parser.parse_region(()) if has_other else Region(Block()))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        printer.print_string(" ")
        printer.print_region(self.then, print_empty_block=False)
        if self.otherwise.block.ops:
            printer.print_string(" else ")
            printer.print_region(self.otherwise, print_empty_block=False)

    def verify_(self) -> None:
        _verify_control(self, self.condition)


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop: `program.while %c cond { launches } do { launches }`.

    It runs `cond`, and if `%c` then holds true `do`, over and over. What it carries stays in
    buffers.
    """

    name = "program.while"

    condition = operand_def(BufferType)
    cond = region_def("single_block")
    body = region_def("single_block")

    traits = traits_def(MemoryWriteEffect(), NoTerminator())

    def __init__(self, condition: SSAValue, cond: Region, body: Region):
        super().__init__(operands=[condition], regions=[cond, body])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parse_defined_operand(parser)
        parser.parse_keyword("cond")
        cond = parser.parse_region(())
        parser.parse_keyword("do")
        return cls(condition, cond, parser.parse_region(()))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        printer.print_string(" cond ")
        printer.print_region(self.cond, print_empty_block=False)
        printer.print_string(" do ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        _verify_control(self, self.condition)


STATEMENTS = LaunchOp | DispatchOp | IfOp | WhileOp | ViewOp
"""What runs, in the order of the text."""

for _statement in (LaunchOp, DispatchOp, IfOp, WhileOp):
    _statement.traits.add_trait(HasParent(FuncOp, IfOp, WhileOp))


def _verify_control(op: IfOp | WhileOp, condition: SSAValue) -> None:
    type = condition.type
    if not isinstance(type, BufferType) or type.element != i1 or type.size != ONE:
        raise VerifyException(f"the condition is to be a buffer of one i1, not {type}")
    if any(region.block.args for region in op.regions):
        raise VerifyException("a region of the program level takes no arguments")


def _as_parameter(buffer: Attribute, parameter: Attribute) -> Attribute:
    """The type of a buffer as a kernel of the parameter's floor sees it."""
    if isinstance(parameter, uop.PtrType) and isinstance(buffer, BufferType):
        return uop.PtrType(buffer.element)
    return buffer


def _parse_buffer_type(parser: Parser) -> BufferType:
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, BufferType):
        parser.raise_error(f"expected a buffer type, got {type}", start, parser.pos)
    return type
