"""What a kernel reads is asked for ahead, where a processor does not do so by itself.

    for %j: .. %x[%o] .. store %y[%o] streaming   -->   .. prefetch %x[%o + a page] ..

    for %i:                                             for %i:
      for %l: .. %x[%i * n + %l] ..                       ..
      for %j: store %y[%i * n + %j] streaming     -->     for %j: prefetch %x[%i * n + %j + n] ..

    for %i:                                             for %i:
      for %l: .. %x[%i * n + %l] ..                       ..
      for %k: .. vector %x[%i * n + %k] ..        -->     for %k: prefetch %x[%i * n + %k + n] ..

    %s = for %k: vectors, summed                      prefetch %y[%o]
    store %s, %y[%o]                            -->   %s = for %k: vectors, summed
                                                      store %s, %y[%o]

What is streamed does not fit into the caches, and so neither does what it is computed from, element
by element. A processor looks some hundred instructions ahead, which is not as far as memory is away
where there is much to do with each vector; and it stops to fetch ahead by itself at the end of each
page. Rows that are read whole before they are written, or in vectors once more, are fetched one row
ahead: the second time they come from the first cache, and nothing from beyond it. What a long sum
is stored into has arrived when the sum is complete: stores that wait for their lines, one for each
row of a tile, keep those of the next sum from going ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from teenyir.analysis.slices import backward_slice
from teenyir.dialects import llvm, uop
from teenyir.dialects.building import on_one_type
from teenyir.dialects.constants import integer_of
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.lanes import lanes
from teenyir.lowering.uop_to_llvm.control import CONTROL
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Result, Rule
from teenyir.lowering.uop_to_llvm.types import machine_type, memory_type

PAGE = 4096
"""Bytes ahead, of what is read where it is needed."""

LINE = 64
"""Bytes that are fetched at once."""

MUCH = 12
"""Operations with a vector that keep a processor from looking as far ahead as memory is away. With
fewer it fetches ahead by itself, and asking takes a tenth of the time."""

MOST = 256 * 1024
"""Bytes of the longest row that is fetched ahead as a whole, and has room in the second cache."""

TO_READ = (0, 3, 1)
"""`llvm.prefetch`: to read, into all caches, of data."""

TO_WRITE = (1, 3, 1)
"""The same, to write."""

LONG = 64
"""Iterations in which what is asked for arrives, and beside which asking for it is little."""


def prefetch(emitter: Emitter, op: uop.StoreOp) -> None:
    """Ask for what a streaming store of a vector will be computed from."""
    for pointer, elements in _wanted(op).items():
        if pointer in emitter.values:  # not read before the threads were given their shares
            _ask(emitter, pointer, op.offset, elements)


def _ask(
    emitter: Emitter,
    pointer: SSAValue,
    offset: SSAValue,
    elements: int,
    how: tuple[int, ...] = TO_READ,
) -> None:
    """Ask for what lies so many elements ahead."""
    assert isinstance(pointer.type, uop.PtrType)
    ahead = emitter.constant(elements)
    place = emitter.value(on_one_type(stock.AddOp, emitter.of(offset), ahead))
    # (not `inbounds`: beyond a buffer's end it is asked for in vain)
    scalar = memory_type(machine_type(pointer.type.element))
    address = emitter.value(llvm.GEPOp(emitter.of(pointer), [place], scalar))
    numbers = [emitter.constant(number, i32) for number in how]
    emitter.intrinsic("llvm.prefetch.p0", [address, *numbers])


def ask_for_results(emitter: Emitter, loop: scf.ForOp) -> None:
    """Before a long loop that sums vectors, ask for what is written behind it."""
    sums = [lanes(result.type) is not None for result in loop.results]
    if not sums or not all(sums) or _least_trips(loop) < LONG:
        return
    behind = [*_behind(loop)]
    stores = [op for op in behind if isinstance(op, uop.StoreOp) and _is_asked_for(op)]
    indices = backward_slice([op.offset for op in stores], {*behind}.__contains__)
    if any(isinstance(op, uop.LoadOp) for op in indices) or _takes(indices, loop):
        return
    emitter.lower_all([op for op in behind if op in indices])
    emitter.location = loop.location
    for store in stores:
        if store.pointer in emitter.values:  # and not local memory that is reserved behind the loop
            _ask(emitter, store.pointer, store.offset, 0, TO_WRITE)


def _is_asked_for(store: uop.StoreOp) -> bool:
    """Whether what is stored is a vector, in any case, and goes into the caches."""
    is_vector = lanes(store.value.type) is not None
    return is_vector and store.gate is None and store.streaming is None


def _least_trips(loop: scf.ForOp) -> int:
    """The iterations of a loop and of one in it; 1 where they are not known."""
    first, end, step = (integer_of(bound) for bound in (loop.lb, loop.ub, loop.step))
    own = max((end - first) // step, 1) if first is not None and end and step else 1
    inner = (op for op in loop.body.block.ops if isinstance(op, scf.ForOp))
    return own * max(map(_least_trips, inner), default=1)


def _behind(loop: scf.ForOp) -> Iterator[Operation]:
    """What follows a loop, up to the next op that has a region, and in its first branch."""
    following = loop.next_op
    while following is not None and not following.regions:
        yield following
        following = following.next_op
    if isinstance(following, scf.IfOp):
        yield from following.true_region.block.ops


def _takes(ops: Iterable[Operation], loop: scf.ForOp) -> bool:
    """Whether ops need what a loop gives."""
    return any(value.owner is loop for op in ops for value in op.operands)


def _wanted(op: uop.StoreOp) -> dict[SSAValue, int]:
    """The buffers that are read as a store writes, and how many elements ahead."""
    block = op.parent
    assert block is not None
    rows = dict(_rows(op, block))
    if _operations(op, block) < MUCH:
        return rows
    found = {
        load.pointer: PAGE // _bytes(load)
        for load in _loads(block)
        if load.offset is op.offset and _is_vector_of(load, op)
    }
    return found | rows


def _operations(op: uop.StoreOp, block: Block) -> int:
    """What is done in a block with what has been read, to give what a store writes."""

    def is_read(each: Operation) -> bool:
        return isinstance(each, uop.LoadOp)

    found = backward_slice([op.value], lambda each: each.parent is block, until=is_read)
    return sum(not is_read(each) for each in found)


def _rows(op: uop.StoreOp, block: Block) -> Iterator[tuple[SSAValue, int]]:
    """The buffers of which loops before that of a store read the row that it writes; its length.
    What is asked for where it is read again is not among them."""
    place = _place(op)
    if place is None:
        return
    for load in _loads_before(block):
        row = _place(load)
        if row is None or row.start is not place.start or _row_again(load) is not None:
            continue
        if row.length * _bytes(load) <= MOST:
            yield load.pointer, row.length


def _load(emitter: Emitter, op: uop.LoadOp) -> Result:
    """Read, and ask for the next row where one is read in vectors that a loop before has read."""
    length = _row_again(op)
    if length is not None:
        _ask(emitter, op.pointer, op.offset, length)
    return CONTROL[uop.LoadOp](emitter, op)


AHEAD: dict[type[Operation], Rule] = {uop.LoadOp: _load}
"""The rule of loads on a CPU."""


def _row_again(load: uop.LoadOp) -> int | None:
    """The length of a row that is read in vectors after a loop before has read it, if a load is
    the one that begins a line of it; None otherwise."""
    if lanes(load.result.type) is None or not _is_plain(load):
        return None
    block, place = load.parent, _place(load)
    if place is None or block is None:
        return None
    size = _bytes(load)
    if place.at * size % LINE or place.length * size > MOST:
        return None
    for earlier in _loads_before(block):
        row = _place(earlier)
        same = row is not None and (row.start, row.length) == (place.start, place.length)
        if same and earlier.pointer is load.pointer:
            return place.length
    return None


@dataclass(frozen=True)
class _Place:
    """Where an access of a loop is: at `start`, what goes along with the loop, and `at`."""

    start: SSAValue
    at: int
    length: int
    """The elements that the loop goes along."""


def _place(op: uop.LoadOp | uop.StoreOp) -> _Place | None:
    """Where an access goes along memory with the loop around it; None where that is not seen."""
    block = op.parent
    loop = None if block is None else block.parent_op()
    if not isinstance(loop, scf.ForOp) or integer_of(loop.lb) != 0:
        return None
    sum, at, end = op.offset.owner, 0, integer_of(loop.ub)
    if isinstance(sum, arith.AddiOp) and (number := integer_of(sum.rhs)) is not None:
        sum, at = sum.lhs.owner, number
    if not isinstance(sum, arith.AddiOp) or end is None:
        return None
    along, by = sum.rhs, 1
    if isinstance(product := along.owner, arith.MuliOp):
        along, by = product.lhs, integer_of(product.rhs)
    if along is not loop.body.block.args[0] or by is None:
        return None
    return _Place(sum.lhs, at, end * by)


def _loads_before(block: Block) -> Iterator[uop.LoadOp]:
    """The loads in the loops beside one, before it."""
    before = block.parent_op()
    while before is not None and (before := before.prev_op) is not None:
        if isinstance(before, scf.ForOp):
            yield from _loads(before.body.block)


def _loads(block: Block) -> Iterator[uop.LoadOp]:
    """The loads of a block from the kernel's buffers that have no gate."""
    return (op for op in block.ops if isinstance(op, uop.LoadOp) and _is_plain(op))


def _is_plain(load: uop.LoadOp) -> bool:
    """Whether a load is one from a buffer of the kernel's, without a gate."""
    buffer = load.pointer
    of_kernel = isinstance(buffer, BlockArgument) and isinstance(
        buffer.owner.parent_op(), uop.FuncOp
    )
    return of_kernel and load.gate is None


def _is_vector_of(load: uop.LoadOp, store: uop.StoreOp) -> bool:
    return load.result.type == store.value.type


def _bytes(load: uop.LoadOp) -> int:
    assert isinstance(load.pointer.type, uop.PtrType)
    return SCALAR_BYTES[load.pointer.type.element]
