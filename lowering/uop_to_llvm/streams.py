"""Kernels with streaming stores, on the machine floor of a CPU.

    uop.func @f(out %y, ..) { .. uop.store %v, %y[%i] streaming .. }

-->  @f(%y, ..):            %y at a multiple of 64 bytes? call @f.streaming(%y, ..), fence
                            otherwise as if nothing were streaming
     @f.streaming(%y, ..):  .. llvm.store %v, %y[%i] {alignment = 64, nontemporal} ..

A vector can only be stored past the caches at a multiple of its size, and arrays of a caller's may
begin anywhere: that is looked at once for each launch. Such stores are ordered with nothing but
fences and atomic read-modify-writes; with these the threads of the pool say that they are done.
"""

from __future__ import annotations

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import llvm, uop
from teenyir.dialects.inside import of_kind
from teenyir.dialects.lanes import lanes
from teenyir.lowering.uop_to_llvm.ahead import prefetch
from teenyir.lowering.uop_to_llvm.control import CONTROL, written
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.names import machine_name

ALIGNMENT = 64
"""Bytes: the place of a buffer that is streamed into is a multiple of it, and so are vectors."""


def streamed(func: uop.FuncOp) -> list[SSAValue]:
    """The arguments that a kernel has streaming stores of vectors into."""
    buffers = {argument for _, argument in func.buffers}
    return list(
        dict.fromkeys(
            op.pointer
            for op in of_kind(func, uop.StoreOp)
            if _streams(op) and op.pointer in buffers
        )
    )


def _streams(op: uop.StoreOp) -> bool:
    return op.streaming is not None and op.gate is None and lanes(op.value.type) is not None


def streaming_name(func: uop.FuncOp) -> str:
    """The name of the copy that streams, which runs where all it streams into lies well."""
    return f"{machine_name(func.sym_name.data)}.streaming"


def _store(emitter: Emitter, op: uop.StoreOp) -> None:
    if _streams(op):
        prefetch(emitter, op)
        value, address, size = written(emitter, op)
        whole = size * (lanes(value.type) or 1)
        if emitter.divisors.of(op.offset) * size % whole == 0 == ALIGNMENT % whole:
            emitter.emit(stock.StoreOp(value, address, whole, nontemporal=True))
            return
    CONTROL[uop.StoreOp](emitter, op)


STREAMS: dict[type[Operation], Rule] = {uop.StoreOp: _store}
"""The rule of stores in the copy of a kernel that streams."""


def dispatch(emitter: Emitter, func: uop.FuncOp) -> None:
    """At the start of a kernel: run the copy that streams, and return, where buffers allow it."""
    places = [emitter.value(stock.PtrToIntOp(emitter.of(p), i64)) for p in streamed(func)]
    either, *rest = places
    for place in rest:
        either = emitter.value(stock.OrOp(either, place))
    low = emitter.value(stock.AndOp(either, emitter.constant(ALIGNMENT - 1)))
    streams, plain = emitter.new_block(), emitter.new_block()
    emitter.branch_if(emitter.compare("eq", low, emitter.constant(0)), streams, plain)
    emitter.block = streams
    arguments = emitter.all(func.body.block.args)
    emitter.emit(stock.CallOp(streaming_name(func), *arguments))
    emitter.emit(llvm.FenceOp())
    emitter.emit(stock.ReturnOp())
    emitter.block = plain
