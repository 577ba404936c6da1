"""Large local memory of kernels becomes memory of the program's arena.

A panel of a matrix does not fit on a thread's stack. The kernel takes it as an argument of mode
`scratch`, and the program allocates it for the launch, so that calls from several threads each have
their own:

    uop.func @f(..) {                             uop.func @f(.., scratch %panel: !uop.ptr<f32>) {
      %panel = uop.local [65536] : ..
    }                                      -->    }
    program.launch @f(..)                         %t = program.alloc : !kernel.buf<[65536] x f32>
                                                  program.launch @f(.., %t)

The loops around it, which shared nothing so far, now share it: they are no longer `uop.parallel`.
In a loop that threads share each thread has a panel of its own, at `uop.thread` times its size, and
from here on the loop's threads are no more than there are panels:

    scf.for %i .. {                               scf.for %i .. {
      %panel = uop.local [100] : f32                %t = uop.thread %i
      uop.store %v, %panel[%j]             -->      %own = %t * 112
    } {uop.threads = #uop.threads<64, 1>}           uop.store %v, %panel[%own + %j]
                                                  } {uop.threads = #uop.threads<2, 1>}

A kernel that no program launches is left as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from teenyir.dialects import dtypes, program, uop
from teenyir.dialects.inside import of_kind
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.targets.cpu import usable_threads

LINE = 64
"""Bytes of a cache line: threads do not share one, and each one's memory is aligned to it."""

MOST_BYTES = 16 * 1024
"""The most local memory of a kernel that stays on the stack, a buffer."""


@dataclass(frozen=True)
class LocalsToArena(Pass):
    """Have large local memory of kernels in the program's arena."""

    name = "locals-to-arena"
    anchor: ClassVar[str | None] = "builtin.module"

    most_bytes: int = MOST_BYTES
    """The most bytes of a buffer that stays on the stack."""
    threads: int = 0
    """The most threads that get memory of their own; 0 for those of the machine."""

    def run(self, op: Operation, session: Session) -> None:
        if not isinstance(op, ModuleOp):
            raise fail(op, f"{self.name} runs on a module, not on {op.name}")
        launches: dict[str, list[program.LaunchOp]] = defaultdict(list)
        for launch in of_kind(op, program.LaunchOp):
            launches[launch.kernel.string_value()].append(launch)
        for func in op.body.block.ops:
            if isinstance(func, uop.FuncOp) and launches[func.sym_name.data]:
                moved = [local for local in of_kind(func, uop.LocalOp) if self._is_large(local)]
                types = [_to_argument(func, local, self.threads) for local in moved]
                for launch in launches[func.sym_name.data] if types else ():
                    _allocate(launch, types)
                session.count("moved", len(moved))

    def _is_large(self, op: uop.LocalOp) -> bool:
        return op.space == "local" and op.count * _bytes(op) > self.most_bytes


def _bytes(local: uop.LocalOp) -> int:
    """Bytes of an element."""
    dtype = dtypes.of_element(local.result.type.element)
    return 1 if dtype is None else dtype.bytes


def _to_argument(func: uop.FuncOp, local: uop.LocalOp, threads: int) -> BufferType:
    """Put an argument into the place of local memory; the type of a buffer for it."""
    element = local.result.type.element
    position = len(func.modes)
    argument = func.body.block.insert_arg(uop.PtrType(element), position)
    argument.name_hint = local.result.name_hint
    func.modes = ArrayAttr([*func.modes, StringAttr("scratch")])
    size = local.count
    around = local.parent_op()
    while around is not None and around is not func:
        if isinstance(around, scf.ForOp):
            around.attributes.pop(uop.PARALLEL, None)
            if (shared := uop.threads_of(around)) is not None:
                apart = -(-size * _bytes(local) // LINE) * LINE // _bytes(local)
                most = min(shared.most.data, usable_threads(threads))
                around.attributes[uop.THREADS] = uop.ThreadsAttr(most, shared.grain.data)
                _keep_apart(around, local, apart)
                size = apart * most
        around = around.parent_op()
    local.result.replace_all_uses_with(argument)
    local.detach()
    local.erase()
    return BufferType([size], element)


def _keep_apart(loop: scf.ForOp, local: uop.LocalOp, size: int) -> None:
    """Have each thread that shares a loop use `size` elements of local memory of its own."""
    thread = uop.ThreadOp(loop.body.block.args[0])
    elements = arith.ConstantOp(IntegerAttr(size, uop.INDEX))
    own = arith.MuliOp(thread.result, elements.result)
    first = loop.body.block.first_op
    assert first is not None  # a terminator, at least
    loop.body.block.insert_ops_before([thread, elements, own], first)
    for op in dict.fromkeys(use.operation for use in local.result.uses):
        assert isinstance(op, uop.LoadOp | uop.StoreOp | uop.SortOp)  # nothing else takes a pointer
        offset = arith.AddiOp(own.result, op.offset)
        block = op.parent_block()
        assert block is not None
        block.insert_op_before(offset, op)
        op.operands[op.operands.index(op.offset)] = offset.result
        offset.location = op.location
    for new in (thread, elements, own):
        new.location = local.location


def _allocate(launch: program.LaunchOp, types: Sequence[BufferType]) -> None:
    """Launch a kernel with memory for each of its new arguments."""
    statement: Operation = launch
    while not isinstance(parent := statement.parent_op(), program.FuncOp):
        assert parent is not None
        statement = parent
    block = statement.parent_block()
    assert block is not None
    allocations = [program.AllocOp(type) for type in types]
    for allocation in allocations:
        allocation.location = launch.location
        allocation.result.name_hint = "scratch"
    block.insert_ops_before(allocations, statement)
    buffers = [*launch.buffers, *(allocation.result for allocation in allocations)]
    new = program.LaunchOp(launch.kernel.string_value(), buffers)
    new.location = launch.location
    new.attributes |= launch.attributes
    place = launch.parent_block()
    assert place is not None
    place.insert_op_before(new, launch)
    launch.detach()
    launch.erase()
