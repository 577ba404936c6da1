"""The matrix load: rows of shared memory into the lanes of a warp, for a matrix instruction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Self

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import ExprLike
from teenyir.dialects.expr_attributes import expr_array
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.kernel.ops import INDEX, AccessOp, FuncOp, RangeOp
from teenyir.dialects.kernel.syntax import parse_indices, print_indices
from teenyir.dialects.syntax import (
    parse_defined_operand,
    parse_operand_list,
    print_operand_list,
)
from teenyir.dialects.warp_matrices import verify_loaded


@irdl_op_definition
class LoadMatrixOp(AccessOp):
    """Matrices of 8 rows of 16 bytes of a shared stage, spread over the lanes of a warp.

    `%a = kernel.load_matrix %s[%row, %chunk, 0] as(%p) transposed`

    Lane 8 j + r of the warp says by its index where row r of matrix j starts. The op opens the
    ranges `as`, of kind `unroll`: they count, row-major, the elements that a lane gets, which are a
    register of 32 bits of each of 1, 2 or 4 matrices. Of matrix j that is part `lane mod 4` of row
    `lane / 4`; where they are transposed, for elements of 16 bits, rows `2 (lane mod 4)` and the
    next of column `lane / 4`; for elements of 8 bits, of columns `2 (lane / 4)` and the next.
    These are the layouts of a matrix instruction's factors
    (`teenyir.targets.tensor_cores`).
    """

    name = "kernel.load_matrix"

    buffer = operand_def(BufferType)
    values = var_operand_def(INDEX)
    elements = var_operand_def(INDEX)
    transposed = opt_prop_def(UnitAttr)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(
        self,
        buffer: SSAValue,
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue],
        elements: Sequence[SSAValue],
        *,
        transposed: bool = False,
    ):
        """`elements` are the ranges that it opens."""
        assert isinstance(buffer.type, BufferType)
        super().__init__(
            operands=[buffer, values, elements],
            properties={
                "indices": expr_array(indices),
                "transposed": UnitAttr() if transposed else None,
            },
            result_types=[buffer.type.element],
        )

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def target(self) -> BufferType:
        assert isinstance(self.buffer.type, BufferType)
        return self.buffer.type

    @property
    def opened(self) -> list[RangeOp]:
        """The ranges that it opens."""
        return [value.owner for value in self.elements if isinstance(value.owner, RangeOp)]

    @property
    def count(self) -> int:
        """How many elements a lane gets. The verifier has made sure that it is constant."""
        return math.prod(range_.extent.evaluate({}) for range_ in self.opened)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        buffer = parse_defined_operand(parser)
        if not isinstance(buffer.type, BufferType):
            parser.raise_error(f"expected a buffer, got {buffer.type}", start, parser.pos)
        indices, values = parse_indices(parser)
        parser.parse_keyword("as")
        elements = parse_operand_list(parser)
        transposed = parser.parse_optional_keyword("transposed") is not None
        return cls(buffer, indices, values, elements, transposed=transposed)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.exprs, self.values)
        printer.print_string(" as")
        print_operand_list(printer, self.elements)
        if self.transposed is not None:
            printer.print_string(" transposed")

    def verify_(self) -> None:
        self.verify_access()
        if self.target.space.data != "shared":
            raise VerifyException(f"loads from a shared stage, not from {self.target}")
        if len(self.opened) != len(self.elements) or any(r.how != "unroll" for r in self.opened):
            raise VerifyException("the elements of a lane are counted by ranges of kind unroll")
        if any(range_.extent.constant is None for range_ in self.opened):
            raise VerifyException("the number of elements of a lane is constant")
        is_transposed = self.transposed is not None
        verify_loaded(self.target.element, self.count, transposed=is_transposed)
