"""Addresses in the memory of a GPU, whose accesses add a constant to one, and multiply nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import IntAttr, IntegerAttr, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import llvm
from teenyir.dialects.building import on_one_type
from teenyir.dialects.constants import integer_of
from teenyir.lowering.uop_to_llvm.emitter import Emitter
from teenyir.lowering.uop_to_llvm.types import NO_SIGNED_WRAP, size_in_memory
from teenyir.rewriting.locations import LocatedBuilder

GLOBAL = stock.LLVMPointerType(IntAttr(1))
"""A pointer into memory of the device, in LLVM's address space for it: that of a buffer."""


@dataclass
class DeviceEmitter(Emitter):
    """Builds the body of a kernel: the bytes before an element are computed once, where its number
    is known. LLVM chooses instructions block by block, and would multiply in each again."""

    scaled: dict[tuple[SSAValue, int], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, int], SSAValue]
    )
    """The bytes of so many elements of a size."""

    def address(self, pointer: SSAValue, offset: SSAValue, scalar: Attribute) -> SSAValue:
        start = self.of(pointer)
        if start.type != GLOBAL:  # accesses of shared memory do multiply, by up to 16
            return super().address(pointer, offset, scalar)
        size, far = size_in_memory(scalar), 0
        while isinstance(op := offset.owner, arith.AddiOp):
            if (number := integer_of(op.rhs)) is None:
                break
            offset, far = op.lhs, far + number
        place = self._in_bytes(offset, size)
        if far:  # last, as a part of the access
            place = self.value(_whole(stock.AddOp, place, self.constant(far * size)))
        return self.value(llvm.GEPOp(start, [place], i8, flags=llvm.GEP_FLAGS["inbounds"]))

    def _in_bytes(self, offset: SSAValue, size: int) -> SSAValue:
        number = self.of(offset)
        if (known := self.constants.get(number)) is not None:
            return self.constant(known * size)
        if size == 1:
            return number
        if (number, size) not in self.scaled:
            owner = number.owner
            if isinstance(owner, Operation):
                builder = LocatedBuilder(InsertPoint.after(owner), owner.location)
            else:
                builder = LocatedBuilder(InsertPoint.at_start(owner), self.location)
            times = builder.insert(stock.ConstantOp(IntegerAttr(size, i64), i64)).result
            result = builder.insert(_whole(stock.MulOp, number, times)).results[0]
            self.scaled[number, size] = result
        return self.scaled[number, size]


def _whole(kind: type[Operation], number: SSAValue, by: SSAValue) -> Operation:
    return on_one_type(kind, number, by, properties=NO_SIGNED_WRAP)
