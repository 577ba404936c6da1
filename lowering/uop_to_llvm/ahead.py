"""What a kernel that streams reads is asked for ahead.

    for %j: .. %x[%o] .. store %y[%o] streaming   -->   .. prefetch %x[%o + a page] ..

    for %i:                                             for %i:
      for %l: .. %x[%i * n + %l] ..                       ..
      for %j: store %y[%i * n + %j] streaming     -->     for %j: prefetch %x[%i * n + %j + n] ..

What is streamed does not fit into the caches, and so neither does what it is computed from, element
by element. A processor looks some hundred instructions ahead, which is not as far as memory is away
where there is more to do with each vector than to move it; and it stops to fetch ahead by itself at
the end of each page. Rows that are read whole before they are written are fetched one row ahead.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, BlockArgument, SSAValue

from teenyir.dialects import llvm, uop
from teenyir.dialects.building import on_one_type
from teenyir.dialects.constants import integer_of
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.lowering.uop_to_llvm.emitter import Emitter
from teenyir.lowering.uop_to_llvm.types import machine_type, memory_type

PAGE = 4096
"""Bytes ahead, of what is read where it is needed."""

MOST = 256 * 1024
"""Bytes of the longest row that is fetched ahead as a whole, and has room in the second cache."""

TO_READ = (0, 3, 1)
"""`llvm.prefetch`: to read, into all caches, of data."""


def prefetch(emitter: Emitter, op: uop.StoreOp) -> None:
    """Ask for what a streaming store of a vector will be computed from."""
    for pointer, elements in _wanted(op).items():
        if pointer not in emitter.values:
            continue  # read before the threads were given their shares
        assert isinstance(pointer.type, uop.PtrType)
        ahead = emitter.constant(elements)
        place = emitter.value(on_one_type(stock.AddOp, emitter.of(op.offset), ahead))
        # (not `inbounds`: beyond a buffer's end it is asked for in vain)
        scalar = memory_type(machine_type(pointer.type.element))
        address = emitter.value(llvm.GEPOp(emitter.of(pointer), [place], scalar))
        how = [emitter.constant(number, i32) for number in TO_READ]
        emitter.emit(stock.CallIntrinsicOp("llvm.prefetch.p0", [address, *how], []))


def _wanted(op: uop.StoreOp) -> dict[SSAValue, int]:
    """The buffers that are read as a store writes, and how many elements ahead."""
    block = op.parent
    assert block is not None
    found = {
        load.pointer: PAGE // _bytes(load)
        for load in _loads(block)
        if load.offset is op.offset and _is_vector_of(load, op)
    }
    return found | dict(_rows(op, block))


def _rows(op: uop.StoreOp, block: Block) -> Iterator[tuple[SSAValue, int]]:
    """The buffers of which loops before that of a store read the row that it writes; its length."""
    loop, sum = block.parent_op(), op.offset.owner
    if not isinstance(loop, scf.ForOp) or not isinstance(sum, arith.AddiOp):
        return
    before = loop.prev_op
    while before is not None:
        if isinstance(before, scf.ForOp):
            for load in _loads(before.body.block):
                length = _length(load, before, sum.lhs)
                if length is not None and length * _bytes(load) <= MOST:
                    yield load.pointer, length
        before = before.prev_op


def _length(load: uop.LoadOp, loop: scf.ForOp, start: SSAValue) -> int | None:
    """The iterations of a loop that reads, one by one, what begins somewhere; None for others."""
    place = load.offset.owner
    if not isinstance(place, arith.AddiOp):
        return None
    if place.lhs is not start or place.rhs is not loop.body.block.args[0]:
        return None
    return integer_of(loop.ub)


def _loads(block: Block) -> Iterator[uop.LoadOp]:
    """The loads of a block from the kernel's buffers that have no gate."""
    for op in block.ops:
        if isinstance(op, uop.LoadOp) and op.gate is None and _is_buffer(op.pointer):
            yield op


def _is_buffer(pointer: SSAValue) -> bool:
    return isinstance(pointer, BlockArgument) and isinstance(pointer.owner.parent_op(), uop.FuncOp)


def _is_vector_of(load: uop.LoadOp, store: uop.StoreOp) -> bool:
    return load.result.type == store.value.type


def _bytes(load: uop.LoadOp) -> int:
    assert isinstance(load.pointer.type, uop.PtrType)
    return SCALAR_BYTES[load.pointer.type.element]
