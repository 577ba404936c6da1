"""What is a statement of the program, not a part of a kernel: branches, loops, called kernels.

A branch writes what it yields into the buffers of the results. A loop has one buffer for each value
that it carries, which is that of the result: the first value is computed into it, and at the end of
each iteration the next one is copied into it.

    %x = graph.while (%a = %x0)        launch @f(%x, ..)              // %x0
      cond { .. yield %go }            program.while %go
      do { .. yield %a1 }        -->     cond { launch @g(%go, %x) }
                                         do { launch @h(%a1, %x)
                                              launch @copy(%x, %a1) }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import graph, kernel, program
from teenyir.lowering.graph_to_kernel.launches import ProgramBuilder


def _if(builder: ProgramBuilder, op: graph.IfOp) -> None:
    condition = builder.memory(op.condition)
    targets = [builder.memory(result) for result in op.outputs]

    def build(values: Sequence[SSAValue], branch: int) -> Callable[[], None]:
        block = op.branches[branch].block
        return lambda: builder.lower_block(block, values, targets)

    then, otherwise = (
        builder.region(build(graph.yield_of(region).values, branch))
        for branch, region in enumerate(op.branches)
    )
    builder.builder.at(op).insert(program.IfOp(condition, then, otherwise))


def _while(builder: ProgramBuilder, op: graph.WhileOp) -> None:
    slots = [builder.memory(result) for result in op.outputs]
    for initial, slot in zip(op.initial, slots, strict=True):
        builder.builder.at(op)
        builder.compute(initial, slot)
    for region in op.regions:
        builder.buffers.update(zip(region.block.args, slots, strict=True))
    cond = builder.region(lambda: builder.lower_block(op.cond.block))
    (going,) = graph.yield_of(op.cond).values
    body = builder.region(lambda: _iteration(builder, op, slots))
    builder.builder.at(op).insert(program.WhileOp(builder.memory(going), cond, body))


def _iteration(builder: ProgramBuilder, op: graph.WhileOp, slots: Sequence[SSAValue]) -> None:
    builder.lower_block(op.body.block)
    last = graph.yield_of(op.body)
    builder.builder.at(last)
    moves = [
        (value, slot)
        for value, slot in zip(last.values, slots, strict=True)
        if builder.memory(value) is not slot
    ]
    for position, (value, _) in enumerate(moves):
        # what another move overwrites before it is needed
        if any(slot is builder.memory(value) for _, slot in moves[:position]):
            saved = builder.allocate(value)
            builder.compute(value, saved)
            builder.buffers[value] = saved
    for value, slot in moves:
        builder.compute(value, slot)


def _custom_call(builder: ProgramBuilder, op: graph.CustomCallOp) -> None:
    buffers: list[SSAValue] = []
    for (operand, result), (_, argument) in zip(op.buffers(), op.callee().buffers, strict=True):
        held = operand if result is None else result
        if held is None:
            assert isinstance(argument.type, kernel.BufferType)
            buffers.append(builder.scratch(op, argument.type))
            continue
        buffers.append(builder.memory(held))
        if operand is not None and result is not None:
            builder.compute(operand, buffers[-1])
    builder.builder.at(op).insert(program.LaunchOp(op.kernel_ref.string_value(), buffers))


STATEMENTS: dict[type[Operation], Callable[[ProgramBuilder, Any], None]] = {
    graph.IfOp: _if,
    graph.WhileOp: _while,
    graph.CustomCallOp: _custom_call,
}
