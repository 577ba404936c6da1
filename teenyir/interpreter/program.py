"""Running a module, whatever floor it is on.

outputs = run(module, {"x": np.zeros((8, 64), np.float32)})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue

from teenyir.analysis.binding import arrange, array_of, bind_dims, check_dtypes
from teenyir.analysis.places import place_of_op
from teenyir.analysis.signature import Signature, find_signature
from teenyir.diagnostics import Diagnostic, RunError, error, warning
from teenyir.dialects import kernel, program, uop
from teenyir.interpreter.arrays import Array, dense_array, dtype_of, fault, poisoned, silent
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.graph import run_graph
from teenyir.interpreter.kernel import run_kernel
from teenyir.interpreter.limits import count_iteration
from teenyir.interpreter.memory import Buffer
from teenyir.interpreter.uop import run_uop

Warn: TypeAlias = Callable[[Diagnostic], None]


def run(
    module: ModuleOp,
    inputs: Mapping[str, Array] | Sequence[Array],
    *,
    entry: str | None = None,
    dims: Mapping[str, int] | None = None,
    warn: Warn | None = None,
    in_order: bool = False,
    unwritten: list[Array | None] | None = None,
) -> list[Array]:
    """The outputs of a function of a module on arrays.

    Arguments:
        module: on the graph floor, or a program with kernels on the kernel or the uop floor.
        inputs: by the names of the function's arguments, or in their order.
        entry: which function; `find_signature` says which without it.
        dims: values of named extents that the shapes of the inputs leave open.
        warn: is told what went wrong without stopping the program, such as elements of an output
            that were never written. They are NaN, or 0xA5 in every byte.
        in_order: whether parallel loops of the uop floor run one iteration after the other.
        unwritten: gets, for each output of a program, where nothing was written; None for nowhere.

    Raises RunError where the inputs do not suit the function, or it does something without
    meaning: an access out of bounds, a read of memory that nothing has written, a division by zero.
    """
    signature = find_signature(module, entry)
    arrays = [
        array_of(value, a.name, str(a), a.dtype.numpy())
        for value, a in zip(arrange(signature, inputs), signature.inputs, strict=True)
    ]
    check_dtypes(signature, arrays)
    values = bind_dims(signature, [array.shape for array in arrays], dims)
    missing: list[Array | None] = [] if unwritten is None else unwritten
    call = Call(module, signature, arrays, values, warn or (lambda _: None), in_order, missing)
    try:
        with silent():
            return _FLOORS[type(signature.function)](call)
    except MemoryError as problem:
        raise RunError(f"@{signature.entry} needs more memory than there is") from problem


@dataclass
class Call:
    """One call of a function: its inputs checked, its named extents known."""

    module: ModuleOp
    signature: Signature
    inputs: list[Array]
    dims: dict[str, int]
    warn: Warn
    in_order: bool
    unwritten: list[Array | None]

    def shape(self, buffer: kernel.BufferType) -> tuple[int, ...]:
        """The extents of a buffer."""
        return tuple(extent.evaluate(self.dims) for extent in buffer.extents)


def _graph(call: Call) -> list[Array]:
    function = cast(FuncOp, call.signature.function)
    return run_graph(call.module, function, call.inputs, call.dims)


def _program(call: Call) -> list[Array]:
    function = cast(program.FuncOp, call.signature.function)
    buffers = _arguments(call, function.buffers)
    arena = poisoned(
        (0 if function.arena is None else function.arena.data.evaluate(call.dims),),
        np.dtype(np.uint8),
    )
    for op in function.body.block.ops:
        if isinstance(op, program.ConstantOp):
            buffers[op.result] = Buffer.of(_name(op.result), dense_array(op.data))
        elif isinstance(op, program.AllocOp):
            buffers[op.result] = _allocated(call, op, arena)
    _statements(call, function.body, buffers)
    return _outputs(call, function.buffers, buffers)


def _statements(call: Call, region: Region, buffers: Mapping[SSAValue, Buffer]) -> None:
    for op in region.block.ops:
        match op:
            case program.LaunchOp():
                _launch(call, op.callee(), [buffers[value] for value in op.buffers])
            case program.ViewOp():
                _show(call, op, buffers[op.target], buffers[op.source])
            case program.IfOp():
                holds = _holds(op, buffers[op.condition])
                _statements(call, op.then if holds else op.otherwise, buffers)
            case program.WhileOp():
                _statements(call, op.cond, buffers)
                while _holds(op, buffers[op.condition]):
                    count_iteration(op)
                    _statements(call, op.body, buffers)
                    _statements(call, op.cond, buffers)
            case program.DispatchOp():
                message = f"the interpreter does not know the machine code of {op.kernel}"
                raise NoMeaning(error(message, place_of_op(op)))
            case _:
                pass


def _show(call: Call, op: program.ViewOp, target: Buffer, source: Buffer) -> None:
    """Fill an output with the part of an input that it shows."""
    start = op.offset.data.evaluate(call.dims)
    shown = source.data.reshape(-1)[start : start + target.size]
    if start < 0 or shown.size != target.size:
        raise fault(op, f"{target.name} at {start} does not lie inside {source.name}")
    target.data.reshape(-1)[...] = shown
    target.written = None


def _holds(op: Operation, condition: Buffer) -> bool:
    if condition.written is not None and not condition.written.all():
        raise fault(op, f"reads the condition {condition.name}, which nothing has written")
    return bool(condition.data.item())


def _kernel(call: Call) -> list[Array]:
    function = cast(kernel.FuncOp, call.signature.function)
    buffers = _arguments(call, function.buffers)
    _launch(call, function, [buffers[value] for _, value in function.buffers])
    return _outputs(call, function.buffers, buffers)


_FLOORS: dict[type[Operation], Callable[[Call], list[Array]]] = {
    FuncOp: _graph,
    program.FuncOp: _program,
    kernel.FuncOp: _kernel,
}


def _launch(call: Call, callee: kernel.FuncOp | uop.FuncOp, buffers: Sequence[Buffer]) -> None:
    dims = {name: call.dims[name] for name in callee.dims.names}
    if isinstance(callee, kernel.FuncOp):
        run_kernel(call.module, callee, buffers, dims)
    else:
        run_uop(call.module, callee, buffers, dims, in_order=call.in_order)
    for buffer in buffers:
        buffer.settle()


def _arguments(call: Call, arguments: Sequence[tuple[str, SSAValue]]) -> dict[SSAValue, Buffer]:
    """A buffer for each argument: an input's array, a copy of it where it is written as well, or
    memory that nothing has written."""
    waiting = iter(call.inputs)
    found: dict[SSAValue, Buffer] = {}
    for mode, value in arguments:
        type = cast(kernel.BufferType, value.type)
        if mode in ("out", "scratch"):
            found[value] = Buffer.fresh(_name(value), call.shape(type), dtype_of(type.element))
        else:
            array = next(waiting).view(dtype_of(type.element))
            found[value] = Buffer.of(_name(value), array.copy() if mode == "inout" else array)
    return found


def _allocated(call: Call, op: program.AllocOp, arena: Array) -> Buffer:
    """Memory of its own for an allocation or, where it has an offset, that part of the arena."""
    type = op.result.type
    buffer = Buffer.fresh(_name(op.result), call.shape(type), dtype_of(type.element))
    if op.offset is not None:
        start = op.offset.data.evaluate(call.dims)
        room = arena[start : start + buffer.data.nbytes]
        if room.nbytes != buffer.data.nbytes:
            message = (
                f"{buffer.name} at {start} does not fit into the arena of {arena.nbytes} bytes"
            )
            raise RunError(Diagnostic("error", message, place_of_op(op)))
        buffer.data = room.view(buffer.data.dtype)
    return buffer


def _outputs(
    call: Call, arguments: Sequence[tuple[str, SSAValue]], buffers: Mapping[SSAValue, Buffer]
) -> list[Array]:
    outputs = [buffers[value] for mode, value in arguments if mode in ("out", "inout")]
    for buffer in outputs:
        missing = None if buffer.written is None else ~buffer.written.reshape(buffer.extents)
        call.unwritten.append(missing)
        if buffer.written is not None and buffer.size:
            missing = np.flatnonzero(~buffer.written)
            message = (
                f"{missing.size} of the {buffer.size} elements of {buffer.name} were never "
                f"written, the first at {buffer.index_text(int(missing[0]))}"
            )
            call.warn(warning(message, place_of_op(call.signature.function)))
    return [buffer.array for buffer in outputs]


def _name(value: SSAValue) -> str:
    return f"%{value.name_hint or 'buffer'}"
