"""A kernel that stands in the module as text, called on tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from xdsl.dialects.builtin import AnyTensorTypeConstr, FunctionType, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolTable
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import kernel
from teenyir.dialects.graph.attributes import Tensor, dtype_of, extents
from teenyir.dialects.graph.base import Value
from teenyir.dialects.graph.checks import check_tensor
from teenyir.dialects.graph.function import symbols
from teenyir.dialects.syntax import parse_operand_list, print_operand_list

TAKEN, GIVEN = ("in", "inout"), ("out", "inout")
"""The modes of a kernel's buffers that are operands, and those that are results."""


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """A kernel written by hand: `%y = graph.custom_call @scale(%x) : (tensor<4xf32>) -> T`.

    The operands are the kernel's `in` and `inout` buffers, the results its `out` and `inout` ones,
    each in order. What an `inout` buffer holds at first is its operand, which stays as it is. The
    kernel's named extents are the function's of the same names.
    """

    name = "graph.custom_call"

    kernel_ref = prop_def(SymbolRefAttr, prop_name="kernel")
    inputs = var_operand_def(AnyTensorTypeConstr)
    outputs = var_result_def(AnyTensorTypeConstr)

    traits = traits_def(Pure())

    def __init__(self, kernel: str, inputs: Sequence[Value], results: Sequence[Attribute]):
        super().__init__(
            operands=[[SSAValue.get(value) for value in inputs]],
            result_types=[results],
            properties={"kernel": SymbolRefAttr(kernel)},
        )

    def callee(self) -> kernel.FuncOp:
        """The kernel. Raises VerifyException where the module has none of this name."""
        found = SymbolTable.lookup_symbol(self, self.kernel_ref)
        if not isinstance(found, kernel.FuncOp):
            raise VerifyException(f"there is no kernel {self.kernel_ref} in this module")
        return found

    def buffers(self) -> Iterator[tuple[SSAValue | None, SSAValue | None]]:
        """For each buffer of the kernel the operand and the result that it is; scratch is none."""
        operands, results = iter(self.inputs), iter(self.outputs)
        for mode, _ in self.callee().buffers:
            operand = next(operands) if mode in TAKEN else None
            yield operand, next(results) if mode in GIVEN else None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        inputs = parse_operand_list(parser)
        parser.parse_punctuation(":")
        start = parser.pos
        type = parser.parse_type()
        if not isinstance(type, FunctionType) or list(type.inputs) != [v.type for v in inputs]:
            parser.raise_error("expected (types of the operands) -> results", start, parser.pos)
        return cls(name.data, inputs, type.outputs.data)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.kernel_ref)
        print_operand_list(printer, self.inputs)
        printer.print_string(" : ")
        type = FunctionType.from_lists(list(self.inputs.types), list(self.outputs.types))
        printer.print_attribute(type)

    def verify_(self) -> None:
        callee = self.callee()
        modes = [mode for mode, _ in callee.buffers]
        taken = [buffer.type for mode, buffer in callee.buffers if mode in TAKEN]
        given = [buffer.type for mode, buffer in callee.buffers if mode in GIVEN]
        if not modes or not given:
            raise VerifyException(f"{self.kernel_ref} writes nothing")
        self._verify_types("takes", "argument", taken, self.inputs)
        self._verify_types("gives", "result", given, self.outputs)
        self._verify_dims(callee)

    def _verify_types(
        self, verb: str, what: str, buffers: Sequence[Attribute], tensors: Sequence[SSAValue]
    ) -> None:
        if len(buffers) != len(tensors):
            raise VerifyException(
                f"{self.kernel_ref} {verb} {len(buffers)} tensors, not {len(tensors)}"
            )
        for position, (buffer, tensor) in enumerate(zip(buffers, tensors, strict=True)):
            type = check_tensor(tensor.type)
            if _buffer_type(type) != buffer:
                raise VerifyException(
                    f"{what} {position} of {self.kernel_ref} is {buffer}, not {type}"
                )

    def _verify_dims(self, callee: kernel.FuncOp) -> None:
        around: Operation | None = self.parent_op()
        while around is not None and not isinstance(around, FuncOp):
            around = around.parent_op()
        known = {dim.name: dim for dim in symbols(around)} if around is not None else {}
        for dim in callee.dims.data:
            if (range_ := known.get(dim.name)) is None:
                raise VerifyException(f"{self.kernel_ref} needs {dim.name}: the function has none")
            if not dim.contains(range_):
                raise VerifyException(
                    f"{self.kernel_ref} takes {dim}, the function allows {range_}"
                )


def _buffer_type(type: Tensor) -> kernel.BufferType:
    return kernel.BufferType(extents(type), dtype_of(type.element_type).below)
