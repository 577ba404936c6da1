"""`mbarrier`: barriers that are objects in shared memory.

The 64-bit object, opaque to programs, is laid out here as: bits 0 to 19 arrivals still missing in
this phase, bits 20 to 39 arrivals that a phase takes, bits 40 to 60 transactions that it expects,
as a number with a sign, bits 61 to 63 the number of finished phases, as far as these hold it: none
but the last two are ever told apart. A state token is the object's value when the lane arrived.
"""

from __future__ import annotations

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.access import address_of, make_site, space_of
from teenyir.emulator.instructions.atomics import rounds
from teenyir.emulator.syntax.program import Address, Instruction
from teenyir.emulator.types import TYPES, Array, Mask, Operation

_COUNT_BITS = 20
_COUNT = (1 << _COUNT_BITS) - 1
_TRANSACTIONS = 2 * _COUNT_BITS
_PHASE = _TRANSACTIONS + _COUNT_BITS + 1


def _objects(b: Binder) -> Array:
    return b.machine.memory.rows(8, np.dtype(np.uint64))[:, 0]


def initialise(b: Binder, i: Instruction) -> Operation:
    """`mbarrier.init`."""
    space = space_of(i)
    address = address_of(b, i.operands[0], space)
    count = b.source(i.operands[1], TYPES["u32"])
    site = make_site(b, i, space, 8, "store")
    checker, objects = b.machine.checker, _objects(b)

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
        lanes = b.machine.selected(mask)
        wanted = count[lanes].astype(np.uint64)
        objects[where[lanes] // 8] = wanted | wanted << np.uint64(_COUNT_BITS)

    return operation


def invalidate(b: Binder, i: Instruction) -> Operation:
    """`mbarrier.inval`."""
    address, objects = address_of(b, i.operands[0], space_of(i)), _objects(b)

    def operation(mask: Mask) -> None:
        objects[address()[b.machine.selected(mask)] // 8] = 0

    return operation


def _advance(
    objects: Array, rows: Array, arrived: Array, transactions: Array, *, drop: bool = False
) -> None:
    """Arrivals at different objects, each with what it expects of transactions; or with what is
    complete of them, which is less than nothing. A phase ends where nothing is missing any more."""
    value = objects[rows]
    pending = (value & _COUNT).astype(np.int64) - arrived
    total = (value >> _COUNT_BITS & _COUNT).astype(np.int64) - (arrived if drop else 0)
    # the sign is that of the highest of the bits: they go to the top of the word and back
    above = np.uint64(64 - _PHASE)
    expected = (value << above).astype(np.int64) >> (64 - _PHASE + _TRANSACTIONS)
    expected = expected + transactions
    done = (pending <= 0) & (expected == 0)
    pending = np.where(done, total, np.maximum(pending, 0))
    phase = (value >> _PHASE) + done
    objects[rows] = (
        phase << _PHASE
        | (expected.astype(np.uint64) << above + _TRANSACTIONS) >> above
        | total.astype(np.uint64) << _COUNT_BITS
        | pending.astype(np.uint64)
    )


def advance(b: Binder, i: Instruction) -> Operation:
    """`mbarrier.arrive` and `arrive_drop`, giving the state before, which release what came before;
    `expect_tx` of its own or with one arrival, and `complete_tx`."""
    returns = not isinstance(i.operands[0], Address)
    operands = i.operands[1:] if returns else i.operands
    dest = b.dest(i.operands[0], TYPES["b64"]) if returns else None
    space = space_of(i)
    address = address_of(b, operands[0], space)
    one = np.full(b.lanes, 1, np.uint32)
    number = b.source(operands[1], TYPES["u32"]) if len(operands) > 1 else one
    drop = "arrive_drop" in i.modifiers
    arrives = drop or "arrive" in i.modifiers
    sign = {"expect_tx": 1, "complete_tx": -1}
    transacts = next((sign[m] for m in i.modifiers if m in sign), 0)
    site = make_site(b, i, space, 8, "atomic")
    if site is not None:
        site.release = arrives and "relaxed" not in i.modifiers
    checker, objects, machine = b.machine.checker, _objects(b), b.machine

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
        lanes = machine.selected(mask)
        rows = where[lanes] // 8
        given = number[lanes].astype(np.int64)
        arrived = np.full_like(given, arrives) if transacts else given
        state = np.empty(len(lanes), np.uint64)
        for turn in rounds(rows):
            state[turn] = objects[rows[turn]]
            _advance(objects, rows[turn], arrived[turn], transacts * given[turn], drop=drop)
        if dest is not None:
            dest[lanes] = state

    return operation


def arrive_copies(b: Binder, i: Instruction) -> Operation:
    """`cp.async.mbarrier.arrive`: an arrival once the lane's earlier copies are complete.

    The copies complete here at once, the earliest that the ISA allows.
    """
    address = address_of(b, i.operands[0], space_of(i))
    site = make_site(b, i, space_of(i), 8, "atomic")
    if site is not None:
        site.release = True
    expects = "noinc" in i.modifiers
    checker, objects, machine = b.machine.checker, _objects(b), b.machine

    def operation(mask: Mask) -> None:
        b.image.copies.wait_all(mask)
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
        lanes = machine.selected(mask)
        rows = where[lanes] // 8
        for turn in rounds(rows) if expects else []:
            one = np.ones(len(turn), np.int64)
            _advance(objects, rows[turn], one, np.zeros_like(one))

    return operation


def test_wait(b: Binder, i: Instruction) -> Operation:
    """`mbarrier.test_wait`, `try_wait`: whether the phase of a state or of a parity is over."""
    predicate = b.dest(i.operands[0], TYPES["pred"])
    space = space_of(i)
    address = address_of(b, i.operands[1], space)
    parity = "parity" in i.modifiers
    state = b.source(i.operands[2], TYPES["u32" if parity else "b64"])
    site = make_site(b, i, space, 8, "load")
    if site is not None:
        site.strong, site.acquire = True, "relaxed" not in i.modifiers
    checker, objects, machine = b.machine.checker, _objects(b), b.machine

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
        lanes = machine.selected(mask)
        phase = objects[where[lanes] // 8].astype(np.int64) >> _PHASE
        given = state[lanes].astype(np.int64)
        predicate[lanes] = (phase & 1) != (given & 1) if parity else phase != given >> _PHASE

    return operation


def pending_count(b: Binder, i: Instruction) -> Operation:
    """`mbarrier.pending_count` of a state."""
    state = b.source(i.operands[1], TYPES["b64"])
    return b.apply(lambda s: s & np.uint64(_COUNT), b.dest(i.operands[0], TYPES["u32"]), [state])


TABLE: dict[str, Builder] = {
    "mbarrier.init": initialise,
    "mbarrier.inval": invalidate,
    "mbarrier.arrive": advance,
    "mbarrier.arrive_drop": advance,
    "mbarrier.expect_tx": advance,
    "mbarrier.complete_tx": advance,
    "mbarrier.test_wait": test_wait,
    "mbarrier.try_wait": test_wait,
    "mbarrier.pending_count": pending_count,
    "cp.async.mbarrier.arrive": arrive_copies,
}
