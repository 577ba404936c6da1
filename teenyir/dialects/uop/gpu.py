"""What threads have and do together: ids, barriers, copies into shared memory, shuffles, matrices.

Copies of `copy_async` are under way until they are waited for: a thread may read what it has copied
behind a `wait_copies`, the others of its block behind a barrier after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasAncestor, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.expr import Expr
from teenyir.dialects.lanes import lanes
from teenyir.dialects.syntax import (
    parse_defined_operand,
    parse_operand_list,
    parse_typed_operand,
    print_operand_list,
)
from teenyir.dialects.uop.ops import (
    AXES,
    BOOL,
    INDEX,
    SPECIALS,
    FuncOp,
    OfThreads,
    PtrType,
    parse_place,
    pointer_type,
    print_place,
)
from teenyir.dialects.warp_matrices import (
    ProductOp,
    elements_in_register,
    parse_product,
    verify_loaded,
)
from teenyir.targets.cuda import WARP


@irdl_op_definition
class SpecialOp(OfThreads):
    """An id of the thread that runs: `%t = uop.special thread.x`."""

    name = "uop.special"

    axis = prop_def(StringAttr)
    result = result_def(INDEX)

    traits = traits_def(Pure(), HasAncestor(FuncOp))

    def __init__(self, axis: str):
        super().__init__(properties={"axis": StringAttr(axis)}, result_types=[INDEX])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parser.parse_keyword_in(SPECIALS))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.axis.data}")

    def verify_launch(self, grid: Sequence[Expr], block: Sequence[int]) -> None:
        if AXES.index(self.axis.data[-1]) >= len(grid):
            raise VerifyAt(self, f"the grid has {len(grid)} axes: there is no {self.axis.data}")

    def verify_(self) -> None:
        if self.axis.data not in SPECIALS:
            raise VerifyException(f"there is no id {self.axis.data!r}: {', '.join(SPECIALS)}")


@irdl_op_definition
class BarrierOp(OfThreads):
    """No thread of a block goes on before all have come here, and what they wrote can be read."""

    name = "uop.barrier"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasAncestor(FuncOp))

    assembly_format = "attr-dict"


@irdl_op_definition
class MmaOp(OfThreads, ProductOp):
    """A matrix instruction of a warp, on the elements that each of its lanes holds.

    `%d, .. = uop.mma (%a, ..) (%b, ..) (%c, ..) {shape = "m16n8k16", type = "f16"}` is A * B + C.
    """

    name = "uop.mma"

    a = var_operand_def()
    b = var_operand_def()
    c = var_operand_def()
    outputs = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), HasAncestor(FuncOp))

    def __init__(
        self,
        product: tuple[str, str],
        a: Sequence[SSAValue],
        b: Sequence[SSAValue],
        c: Sequence[SSAValue],
    ):
        super().__init__(
            operands=[a, b, c],
            properties={"shape": StringAttr(product[0]), "type": StringAttr(product[1])},
            result_types=[[value.type for value in c]],
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        a, b, c = (parse_operand_list(parser) for _ in range(3))
        product, attributes = parse_product(parser)
        op = cls(product, a, b, c)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        for values in (self.a, self.b, self.c):
            printer.print_string(" ")
            print_operand_list(printer, values)
        self.print_product(printer)

    def verify_(self) -> None:
        row = self.verify_product()
        lists = zip("ABC", (self.a, self.b, self.c), row.counts, strict=True)
        for name, values, count in lists:
            if len(values) != count:
                raise VerifyException(f"a lane holds {count} elements of {name}, not {len(values)}")


@irdl_op_definition
class LoadMatrixOp(OfThreads):
    """1, 2 or 4 matrices of 8 rows of 16 bytes, out of shared memory into the lanes of a warp.

    `%a, .. = uop.load_matrix %s[%i] : 8 x bf16`: lane 8 j + r says where row r of matrix j starts.
    A lane gets a register of 32 bits of each matrix: of row `lane / 4` its part `lane mod 4`. With
    `transposed`, for elements of 16 bits: of column `lane / 4` rows `2 (lane mod 4)` and the next;
    for elements of 8 bits, of columns `2 (lane / 4)` and the next.
    """

    name = "uop.load_matrix"

    pointer = operand_def(PtrType)
    offset = operand_def(INDEX)
    transposed = opt_prop_def(UnitAttr)
    outputs = var_result_def()

    traits = traits_def(MemoryReadEffect(), HasAncestor(FuncOp))

    def __init__(self, pointer: SSAValue, offset: SSAValue, count: int, *, transposed: bool):
        """`count` is the number of elements that a lane gets."""
        super().__init__(
            operands=[pointer, offset],
            properties={"transposed": UnitAttr() if transposed else None},
            result_types=[[pointer_type(pointer).element] * count],
        )

    @property
    def loaded(self) -> Sequence[SSAValue]:
        return (self.pointer,)

    @property
    def packed(self) -> int:
        """Elements in a register of 32 bits."""
        return elements_in_register(pointer_type(self.pointer).element)

    @property
    def matrices(self) -> int:
        """How many matrices are loaded."""
        return len(self.outputs) // self.packed

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pointer, offset = parse_place(parser)
        transposed = parser.parse_optional_keyword("transposed") is not None
        parser.parse_punctuation(":")
        count = parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("x")
        start = parser.pos
        type = parser.parse_type()
        if type != pointer_type(pointer).element:
            parser.raise_error(f"cannot load {type} through {pointer.type}", start, parser.pos)
        return cls(pointer, offset, count, transposed=transposed)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_place(printer, self.pointer, self.offset)
        if self.transposed is not None:
            printer.print_string(" transposed")
        printer.print_string(f" : {len(self.outputs)} x ")
        printer.print_attribute(pointer_type(self.pointer).element)

    def verify_launch(self, grid: Sequence[Expr], block: Sequence[int]) -> None:
        if block[0] % WARP:
            raise VerifyAt(self, f"needs whole warps, not {block[0]} threads along x")

    def verify_(self) -> None:
        pointer = pointer_type(self.pointer)
        if pointer.space.data != "shared":
            raise VerifyException(f"loads from shared memory, not through {pointer}")
        is_transposed = self.transposed is not None
        verify_loaded(pointer.element, len(self.outputs), transposed=is_transposed)
        if any(value.type != pointer.element for value in self.outputs):
            raise VerifyException(f"the results are of {pointer.element}")


@irdl_op_definition
class CopyAsyncOp(OfThreads):
    """Copies elements into shared memory, without waiting: 4, 8 or 16 bytes.

    `uop.copy_async %x[%i], %s[%j] if %g : vector<8xbf16>`. Where the gate does not hold zeros are
    written and `%x` is not touched.
    """

    name = "uop.copy_async"

    source = operand_def(PtrType)
    source_offset = operand_def(INDEX)
    target = operand_def(PtrType)
    target_offset = operand_def(INDEX)
    gate = opt_operand_def(BOOL)
    count = prop_def(IntegerAttr[I64])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasAncestor(FuncOp))

    def __init__(
        self,
        source: tuple[SSAValue, SSAValue],
        target: tuple[SSAValue, SSAValue],
        count: int,
        gate: SSAValue | None = None,
    ):
        """Pointers with their offsets, and the number of elements."""
        super().__init__(
            operands=[*source, *target, gate], properties={"count": IntegerAttr(count, i64)}
        )

    @property
    def loaded(self) -> Sequence[SSAValue]:
        return (self.source,)

    @property
    def elements(self) -> int:
        """How many elements are copied."""
        return self.count.value.data

    @property
    def bytes(self) -> int:
        """How many bytes are copied."""
        return self.elements * SCALAR_BYTES[pointer_type(self.source).element]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parse_place(parser)
        parser.parse_punctuation(",")
        target = parse_place(parser)
        gate = parse_typed_operand(parser, BOOL) if parser.parse_optional_keyword("if") else None
        parser.parse_punctuation(":")
        count = parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("x")
        start = parser.pos
        type = parser.parse_type()
        if type != pointer_type(source[0]).element:
            parser.raise_error(f"cannot copy {type} through {source[0].type}", start, parser.pos)
        return cls(source, target, count, gate)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_place(printer, self.source, self.source_offset)
        printer.print_string(", ")
        print_place(printer, self.target, self.target_offset)
        if self.gate is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
        printer.print_string(f" : {self.elements} x ")
        printer.print_attribute(pointer_type(self.source).element)

    def verify_(self) -> None:
        source, target = pointer_type(self.source), pointer_type(self.target)
        if source.element != target.element:
            raise VerifyException(f"copies {source.element} into {target.element}")
        if (source.space.data, target.space.data) != ("global", "shared"):
            raise VerifyException("copies from global into shared memory")
        if self.bytes not in (4, 8, 16):
            raise VerifyException(f"copies 4, 8 or 16 bytes, not {self.bytes}")


@irdl_op_definition
class CommitCopiesOp(OfThreads):
    """The copies of the thread since the last such op are one group."""

    name = "uop.commit_copies"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasAncestor(FuncOp))

    assembly_format = "attr-dict"


@irdl_op_definition
class WaitCopiesOp(OfThreads):
    """Waits until all groups of copies but the youngest few are there: `uop.wait_copies 2`."""

    name = "uop.wait_copies"

    pending = prop_def(IntegerAttr[I64])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasAncestor(FuncOp))

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    @property
    def youngest(self) -> int:
        """How many groups may still be under way."""
        return self.pending.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parser.parse_integer(allow_boolean=False, allow_negative=False))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.youngest}")


@irdl_op_definition
class ShuffleOp(OfThreads):
    """The value of another lane of the warp: `%w = uop.shuffle %v xor 16 : f32`.

    That lane's number is the own one with the bits of the constant turned over.
    """

    name = "uop.shuffle"

    value = operand_def()
    mask = prop_def(IntegerAttr[I64])
    result = result_def()

    traits = traits_def(Pure(), HasAncestor(FuncOp))

    def __init__(self, value: SSAValue, mask: int):
        super().__init__(
            operands=[value],
            properties={"mask": IntegerAttr(mask, i64)},
            result_types=[value.type],
        )

    @property
    def bits(self) -> int:
        """The bits of a lane's number that are turned over."""
        return self.mask.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_keyword("xor")
        return cls(value, parser.parse_integer(allow_boolean=False, allow_negative=False))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(f" xor {self.bits}")

    def verify_launch(self, grid: Sequence[Expr], block: Sequence[int]) -> None:
        if block[0] % WARP:
            raise VerifyAt(self, f"needs whole warps, not {block[0]} threads along x")

    def verify_(self) -> None:
        if not 0 < self.bits < WARP:
            raise VerifyException(f"lanes are 0 to {WARP - 1}: none differ in {self.bits}")
        if lanes(self.value.type) is not None:
            raise VerifyException(f"shuffles scalars, not {self.value.type}")
        if self.result.type != self.value.type:
            raise VerifyException(f"a shuffle of {self.value.type} gives {self.result.type}")


GPU_OPS: tuple[type[Operation], ...] = (
    *(SpecialOp, BarrierOp, MmaOp, LoadMatrixOp),
    *(CopyAsyncOp, CommitCopiesOp, WaitCopiesOp, ShuffleOp),
)
