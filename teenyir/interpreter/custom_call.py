"""A kernel called from the graph: arrays become its buffers, and what it wrote arrays again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from teenyir.dialects import graph, kernel
from teenyir.interpreter.arrays import Array, dtype_of, fault
from teenyir.interpreter.kernel import run_kernel
from teenyir.interpreter.memory import Buffer


def call_kernel(
    module: ModuleOp,
    op: graph.CustomCallOp,
    inputs: Sequence[Array],
    names: Mapping[str, int],
) -> tuple[Array, ...]:
    """The results of a call, where the named extents have these values.

    Raises the faults of the kernel, and one where it leaves an element of a result unwritten.
    """
    given = iter(inputs)
    callee = op.callee()
    buffers: list[Buffer] = []
    results: list[tuple[Buffer, SSAValue]] = []
    for (operand, result), (_, argument) in zip(op.buffers(), callee.buffers, strict=True):
        name, type = f"%{argument.name_hint or 'buffer'}", cast(kernel.BufferType, argument.type)
        dtype = dtype_of(type.element)
        if operand is None:
            shape = tuple(extent.evaluate(names) for extent in type.extents)
            buffers.append(Buffer.fresh(name, shape, dtype))
        else:
            array = np.asarray(next(given)).view(dtype)
            buffers.append(Buffer.of(name, array if result is None else array.copy()))
        if result is not None:
            results.append((buffers[-1], result))
    run_kernel(module, callee, buffers, {name: names[name] for name in callee.dims.names})
    return tuple(_settled(op, buffer, result) for buffer, result in results)


def _settled(op: graph.CustomCallOp, buffer: Buffer, result: SSAValue) -> Array:
    if buffer.written is not None and not buffer.written.all():
        element = buffer.index_text(int(np.flatnonzero(~buffer.written)[0]))
        raise fault(op, f"{op.kernel_ref} never writes {buffer.name}{element}")
    return buffer.array.view(dtype_of(graph.tensor_type(result).element_type))
