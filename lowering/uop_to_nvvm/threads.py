"""uop ops that only a GPU has: ids, shared memory, barriers."""

from __future__ import annotations

from xdsl.dialects import llvm as stock
from xdsl.dialects import math
from xdsl.dialects.builtin import Float64Type, IntAttr, i64
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import nvvm, uop
from teenyir.dialects.arith import RemfOp
from teenyir.lowering.uop_to_llvm.control import local_memory
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.mathematics import MATHEMATICS
from teenyir.lowering.uop_to_llvm.types import NoType, machine_type, memory_type

SHARED = stock.LLVMPointerType(IntAttr(3))
"""LLVM's address space of the memory that a block shares."""

ALIGNMENT = 16
"""Bytes: the widest access to shared memory."""

_REGISTERS = {"grid": "ctaid", "thread": "tid"}


def _special(emitter: Emitter, op: uop.SpecialOp) -> SSAValue:
    level, axis = op.axis.data.split(".")
    register = emitter.value(nvvm.SPECIAL_REGISTERS[f"{_REGISTERS[level]}.{axis}"]())
    return emitter.value(stock.ZExtOp(register, i64))


def _barrier(emitter: Emitter, op: uop.BarrierOp) -> None:
    emitter.emit(nvvm.Barrier0Op())


def _local(emitter: Emitter, op: uop.LocalOp) -> SSAValue:
    """Shared memory is a variable of the module."""
    if op.space != "shared":
        return local_memory(emitter, op)
    assert isinstance(op.result.type, uop.PtrType)
    scalar = memory_type(machine_type(op.result.type.element))
    variable = stock.GlobalOp(
        stock.LLVMArrayType(op.count, scalar),
        f"{function_name(op)}.shared.{len(emitter.globals)}",
        "internal",
        addr_space=3,
        alignment=ALIGNMENT,
    )
    variable.location = op.location
    emitter.globals.append(variable)
    return emitter.value(stock.AddressOfOp(variable.sym_name.data, SHARED))


def function_name(op: Operation) -> str:
    """The symbol of the kernel that an op stands in."""
    func = op.parent_op()
    while func is not None and not isinstance(func, uop.FuncOp):
        func = func.parent_op()
    return "" if func is None else func.sym_name.data


# --- what LLVM has no PTX for ---------------------------------------------------------------------


def _no_library(emitter: Emitter, op: Operation) -> SSAValue:
    type = op.results[0].type
    hint = "f64 has no formula yet" if isinstance(type, Float64Type) else "run expand-math before"
    if isinstance(op, RemfOp):
        hint = "run expand-remainders before"
    raise NoType(f"{op.name} of {type} has no form in PTX, and a GPU has no libm: {hint}")


_INSTRUCTIONS = (
    *(math.AbsFOp, math.AbsIOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp),
    *(math.CtPopOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp),
    *(math.SqrtOp, math.RsqrtOp, math.CopySignOp, math.FmaOp),
)

THREADS: dict[type[Operation], Rule] = {
    uop.SpecialOp: _special,
    uop.BarrierOp: _barrier,
    uop.LocalOp: _local,
    **{kind: _no_library for kind in MATHEMATICS if kind not in _INSTRUCTIONS},
    RemfOp: _no_library,
}
"""The rules that differ from those for a CPU."""
