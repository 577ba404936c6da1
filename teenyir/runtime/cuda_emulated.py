"""The target `cuda-emulated`: PTX run by our own emulator, a program's launches in their order.

Every launch is checked: an access out of bounds, a read of what nothing has written, a race or a
barrier that not all threads reach ends the call with the emulator's report.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region, SSAValue

from teenyir import emulator
from teenyir.analysis.signature import Signature
from teenyir.diagnostics import RunError
from teenyir.dialects import program
from teenyir.dialects.expr import ZERO
from teenyir.emulator import Statistics
from teenyir.interpreter.arrays import dense_array, dtype_of
from teenyir.runtime.compiled import Array, Plan, Program

MOST_ITERATIONS = 1_000_000
"""Iterations of one loop around launches, after which it is taken for an endless one."""


class Emulated(Program):
    """A program whose kernels are PTX, called as native code is."""

    def __init__(self, module: ModuleOp, signature: Signature, ptx: str, filename: str = "<ptx>"):
        """`module` holds the program that dispatches the kernels of `ptx`."""
        function = program_of(module, signature.entry)
        super().__init__(signature, ZERO if function.arena is None else function.arena.data)
        self.function = function
        self.kernels = emulator.load(ptx, filename)
        self.statistics: dict[str, Statistics] = {}
        """By kernel what its last launch counted."""

    def run(self, inputs: Sequence[Array], plan: Plan) -> list[Array]:
        """The outputs. Raises the emulator's errors, `CheckError` among them."""
        names = [dim.name for dim in self.signature.dims]
        dims = dict(zip(names, struct.unpack(f"={len(names)}q", plan.dims), strict=True))
        outputs = [
            np.zeros(shape, argument.dtype.numpy())
            for shape, argument in zip(plan.outputs, self.signature.outputs, strict=True)
        ]
        run = _Run(self, dims, {})
        waiting = (iter(inputs), iter(outputs))
        for mode, argument in self.function.buffers:
            run.buffers[argument] = _bits(next(waiting[mode == "out"]))
        for op in self.function.body.block.ops:
            if isinstance(op, program.AllocOp):
                run.buffers[op.result] = run.allocated(op)
            elif isinstance(op, program.ConstantOp):
                run.buffers[op.result] = _bits(dense_array(op.data))
        run.statements(self.function.body)
        return outputs


def program_of(module: ModuleOp, entry: str) -> program.FuncOp:
    """The program of a module that dispatches kernels. Raises RunError where there is none."""
    for op in module.body.block.ops:
        if isinstance(op, program.FuncOp) and op.sym_name.data == entry:
            return op
    raise RunError(f"@{entry} has no program that dispatches kernels")


def _bits(array: Array) -> Array:
    """The elements as unsigned integers, in one axis: what a kernel sees is memory."""
    return array.reshape(-1).view(f"u{array.itemsize}")


@dataclass
class _Run:
    """One call: the memory of each buffer, and the values of the extents."""

    owner: Emulated
    dims: Mapping[str, int]
    buffers: dict[SSAValue, Array]

    def allocated(self, op: program.AllocOp) -> Array:
        """Memory of its own for a temporary, wherever in the arena it would be."""
        count = op.result.type.size.evaluate(self.dims)
        return _bits(np.zeros(count, dtype_of(op.result.type.element)))

    def statements(self, region: Region) -> None:
        for op in region.block.ops:
            match op:
                case program.DispatchOp():
                    self.dispatch(op)
                case program.ViewOp():
                    self.show(op)
                case program.IfOp():
                    self.statements(op.then if self.holds(op.condition) else op.otherwise)
                case program.WhileOp():
                    self.loop(op)
                case _:
                    pass

    def show(self, op: program.ViewOp) -> None:
        """Fill an output with the part of an input that it shows; it has no elements here where
        whoever calls shows that part itself."""
        target, start = self.buffers[op.target], op.offset.data.evaluate(self.dims)
        target[...] = self.buffers[op.source][start : start + target.size]

    def loop(self, op: program.WhileOp) -> None:
        for _ in range(MOST_ITERATIONS):
            self.statements(op.cond)
            if not self.holds(op.condition):
                return
            self.statements(op.body)
        raise RunError(f"a loop around launches ran {MOST_ITERATIONS} times without an end")

    def holds(self, condition: SSAValue) -> bool:
        """Whether a buffer of one i1 holds true."""
        return bool(self.buffers[condition][0])

    def dispatch(self, op: program.DispatchOp) -> None:
        grid = [size.data.evaluate(self.dims) for size in op.grid]
        if 0 in grid:
            return  # there is nothing to do, and no launch without a block
        name = op.kernel.string_value()
        launch = self.owner.kernels.launch(
            name,
            grid=grid,
            block=op.block.get_values(),
            args=[
                *(self.argument(mode, buffer) for mode, buffer in op.accesses()),
                *(np.int64(self.dims[dim.data]) for dim in op.dims),
            ],
        )
        self.owner.statistics[name] = launch.statistics

    def argument(self, mode: str, buffer: SSAValue) -> Array | emulator.Uninitialised:
        """A buffer as a kernel's argument: one that it only writes must not be read before."""
        array = self.buffers[buffer]
        return emulator.Uninitialised(array) if mode == "out" else array
