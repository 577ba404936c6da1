"""Have the copies into shared memory of a loop run ahead of what uses them.

    for k in n                           s = local [3 * size]
      barrier                                  copy_async a[0, ..] to s[0, ..];  commit_copies
      s[t] = a[k, t]                           copy_async a[1, ..] to s[1, ..];  commit_copies
      barrier                        -->       for k in n
      y += f(s)                                  wait_copies 1;  barrier
                                                 copy_async a[k + 2, ..] to s[(k + 2) mod 3, ..]
                                                 commit_copies
                                                 y += f(s[k mod 3, ..])

The memory is there several times, and an iteration starts the copies of a later one. One barrier an
iteration is enough: behind it all threads have what they wait for, and are done with what the next
copies overwrite. Done where all that a loop writes into shared memory are elements of arguments
that are not written, 4, 8 or 16 bytes at a time from addresses that are multiples of that, or zeros
where a gate does not hold; from sm_80 on.
The last iterations start copies of nothing, whose gate does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from teenyir.analysis.divisors import Divisors
from teenyir.dialects import uop
from teenyir.dialects.constants import constant, integer_of, is_zero
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.lanes import element, lanes
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.targets import cuda

SIZES = (4, 8, 16)
"""The bytes that an asynchronous copy moves."""

FROM = 80
"""The compute capability from which on there are such copies."""


@dataclass(frozen=True)
class PipelineCopies(Pass):
    """Have the copies into shared memory of a loop run ahead of what uses them."""

    name = "pipeline-copies"
    anchor: ClassVar[str | None] = "uop.func"

    capability: str = "sm_80"
    """The compute capability: `sm_80`, `sm-80` or `80`."""
    stages: int = 3
    """How many times the memory is there, at most; less where a block has no room for it."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, uop.FuncOp)
        if op.launch is None or cuda.find(self.capability).number < FROM:
            session.preserve_all()
            return
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            staged = [each for each in loop.body.block.ops if is_shared(each)]
            if not staged:
                continue
            found = match(loop, self.stages)
            if isinstance(found, str):
                session.remark("missed", loop, f"copies do not run ahead: {found}")
                continue
            session.remark(
                "passed",
                loop,
                f"{len(found.copies)} copies of {found.bytes} bytes in all run "
                f"{found.stages - 1} iterations ahead",
            )
            session.count("loops")
            Pipeline(loop, found).run()


def is_shared(op: Operation) -> bool:
    """Whether an op reserves memory that a block shares."""
    return isinstance(op, uop.LocalOp) and op.space == "shared"


# --- what is matched ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Copy:
    """A load whose value is stored into shared memory."""

    load: uop.LoadOp
    store: uop.StoreOp


@dataclass(frozen=True)
class Match:
    """What a loop copies, and how often there will be memory for it."""

    copies: Sequence[Copy]
    locals: Sequence[uop.LocalOp]
    stages: int
    bytes: int
    """Of shared memory, of one iteration."""


def match(loop: scf.ForOp, stages: int) -> Match | str:
    """What of a loop can run ahead, or why nothing can."""
    if (integer_of(loop.lb), integer_of(loop.step)) != (0, 1):
        return "the loop does not count from 0 by 1"
    block, divisors = loop.body.block, Divisors()
    locals = [op for op in block.ops if isinstance(op, uop.LocalOp) and is_shared(op)]
    copies: list[Copy] = []
    for local in locals:
        for use in local.result.uses:
            user = use.operation
            if user.parent is not block:
                return "what it copies is used in a loop or branch further in"
            if isinstance(user, uop.StoreOp):
                found = _copy(user, loop, divisors)
                if isinstance(found, str):
                    return found
                copies.append(found)
    if others := [op for op in loop.walk() if _touches_shared(op, locals)]:
        return f"there is a {others[0].name} of other shared memory"
    order = {op: number for number, op in enumerate(block.ops)}
    copies.sort(key=lambda copy: order[copy.store])
    bytes = sum(map(_bytes, locals))
    count = integer_of(loop.ub)
    room = cuda.STATIC_SHARED - _shared_beside(loop, locals)
    stages = min(stages, room // bytes, stages if count is None else count)
    if stages < 2:
        return "there is one iteration" if count == 1 else f"there is no room for 2 * {bytes} bytes"
    return Match(copies, locals, stages, bytes)


def _bytes(local: uop.LocalOp) -> int:
    return local.count * SCALAR_BYTES[local.result.type.element]


def _shared_beside(loop: scf.ForOp, locals: Sequence[uop.LocalOp]) -> int:
    """The bytes that the kernel of a loop shares besides."""
    top: Operation = loop
    while not isinstance(top, uop.FuncOp) and (around := top.parent_op()) is not None:
        top = around
    others = [op for op in top.walk() if isinstance(op, uop.LocalOp) and is_shared(op)]
    return sum(_bytes(op) for op in others if op not in locals)


def _touches_shared(op: Operation, locals: Sequence[uop.LocalOp]) -> bool:
    pointers = [v.owner for v in op.operands if isinstance(v.type, uop.PtrType)]
    return any(isinstance(o, Operation) and is_shared(o) and o not in locals for o in pointers)


def _copy(store: uop.StoreOp, loop: scf.ForOp, divisors: Divisors) -> Copy | str:
    load = store.value.owner
    if not isinstance(load, uop.LoadOp) or load.parent is not loop.body.block:
        return "what is stored is computed, not just loaded"
    if store.gate is not None or not isinstance(load.pointer.owner, Block):
        return "what is stored is no element of an argument"
    if not load.result.has_one_use():
        return "what is stored is used elsewhere too"
    if load.other is not None and not _is_zero(load.other):
        return "where its gate does not hold it is not zero"
    if load.gate is not None and lanes(load.gate.type) is not None:
        return "its gate is one for each element"
    refusal = _misaligned(load, store, divisors) or _late(load, store, loop.body.block)
    return refusal or Copy(load, store)


def _misaligned(load: uop.LoadOp, store: uop.StoreOp, divisors: Divisors) -> str | None:
    size = SCALAR_BYTES[element(load.result.type)]
    moved = size * (lanes(load.result.type) or 1)
    if moved not in SIZES:
        return f"{moved} bytes are stored at a time, not 4, 8 or 16"
    for offset in (load.offset, store.offset):
        if divisors.of(offset) * size % moved:
            return f"the address of {moved} bytes may be no multiple of {moved}"
    return None


def _late(load: uop.LoadOp, store: uop.StoreOp, block: Block) -> str | None:
    needs = [load.offset, store.offset, *([] if load.gate is None else [load.gate])]
    for op in _slice(needs, block):
        if op.regions or not is_side_effect_free(op):
            return f"its address depends on {op.name}"
    if any(value in block.args[1:] for value in _inputs(needs, block)):
        return "its address depends on an earlier iteration"
    return None


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, Operation):
        return False
    if isinstance(owner, arith.ConstantOp):
        is_splat = str(owner.value).startswith(("dense<0.000000e+00>", "dense<0>"))
        return is_splat or is_zero(value)
    return owner.name == "vector.broadcast" and _is_zero(owner.operands[0])


def _slice(values: Sequence[SSAValue], block: Block) -> list[Operation]:
    """The ops of a block that compute values, in its order."""
    found: set[Operation] = set()
    waiting = list(values)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner.parent is block and owner not in found:
            found.add(owner)
            waiting += owner.operands
    return [op for op in block.ops if op in found]


def _inputs(values: Sequence[SSAValue], block: Block) -> list[SSAValue]:
    return [*values, *(v for op in _slice(values, block) for v in op.operands)]


# --- the rewrite ----------------------------------------------------------------------------------


class Pipeline:
    """Has the copies of one loop run ahead."""

    def __init__(self, loop: scf.ForOp, found: Match):
        self.loop, self.match = loop, found
        self.memory: dict[SSAValue, uop.LocalOp] = {}

    def run(self) -> None:
        loop, match = self.loop, self.match
        block, before = loop.body.block, LocatedBuilder(InsertPoint.before(loop), loop.location)
        for local in match.locals:
            new = uop.LocalOp(match.stages * local.count, local.result.type.element, "shared")
            self.memory[local.result] = before.insert(new)
            new.result.name_hint = local.result.name_hint
        for stage in range(match.stages - 1):
            self._copies(before, before.insert(constant(stage, uop.INDEX)).result)
        first = block.first_op
        assert first is not None  # there is what it copies
        start = LocatedBuilder(InsertPoint.before(first), loop.location)
        start.insert(uop.WaitCopiesOp(match.stages - 2))
        start.insert(uop.BarrierOp())
        ahead = start.insert(constant(match.stages - 1, uop.INDEX)).result
        self._copies(start, start.insert(arith.AddiOp(block.args[0], ahead)).result)
        slot = self._slot(start, block.args[0])
        for local in match.locals:
            self._move(local, slot)
        self._erase()

    def _slot(self, builder: LocatedBuilder, iteration: SSAValue) -> SSAValue:
        """Which of the memories an iteration has."""
        if (number := integer_of(iteration)) is not None:
            return builder.insert(constant(number % self.match.stages, uop.INDEX)).result
        stages = builder.insert(constant(self.match.stages, uop.INDEX)).result
        return builder.insert(arith.RemUIOp(iteration, stages)).result

    def _place(
        self, builder: LocatedBuilder, local: SSAValue, slot: SSAValue, offset: SSAValue
    ) -> SSAValue:
        owner = local.owner
        assert isinstance(owner, uop.LocalOp)
        count = builder.insert(constant(owner.count, uop.INDEX)).result
        start = builder.insert(arith.MuliOp(slot, count)).result
        return builder.insert(arith.AddiOp(start, offset)).result

    def _copies(self, builder: LocatedBuilder, iteration: SSAValue) -> None:
        """The copies of an iteration, if there is such a one."""
        loop, block = self.loop, self.loop.body.block
        slot = self._slot(builder, iteration)
        number, count = integer_of(iteration), integer_of(loop.ub)
        inside = None
        if number is None or count is None or number >= count:
            inside = builder.insert(arith.CmpiOp(iteration, loop.ub, "slt")).result
        known: dict[SSAValue, SSAValue] = {block.args[0]: iteration}
        for copy in self.match.copies:
            load, store = copy.load, copy.store
            builder.location = store.location
            needs = [load.offset, store.offset, *([] if load.gate is None else [load.gate])]
            for op in _slice(needs, block):
                if op.results[0] not in known:
                    clone = builder.insert(op.clone(known))
                    known.update(zip(op.results, clone.results, strict=True))
            gate = None if load.gate is None else known.get(load.gate, load.gate)
            if inside is not None:
                both = gate
                gate = inside
                if both is not None:
                    gate = builder.insert(arith.AndIOp(both, inside)).result
            target = self._place(
                builder, store.pointer, slot, known.get(store.offset, store.offset)
            )
            builder.insert(
                uop.CopyAsyncOp(
                    (load.pointer, known.get(load.offset, load.offset)),
                    (self.memory[store.pointer].result, target),
                    lanes(load.result.type) or 1,
                    gate,
                )
            )
        builder.insert(uop.CommitCopiesOp())

    def _move(self, local: uop.LocalOp, slot: SSAValue) -> None:
        """Have what reads memory read that of its iteration."""
        for use in list(local.result.uses):
            op = use.operation
            if isinstance(op, uop.LoadOp | uop.LoadMatrixOp):
                builder = LocatedBuilder(InsertPoint.before(op), op.location)
                offset = self._place(builder, local.result, slot, op.offset)
                op.operands[0], op.operands[1] = self.memory[local.result].result, offset

    def _erase(self) -> None:
        block = self.loop.body.block
        barriers = [op for op in block.ops if isinstance(op, uop.BarrierOp)][1:]
        for copy in self.match.copies:
            barriers += [copy.store, copy.load]
        for op in (*barriers, *self.match.locals):
            op.detach()
            op.erase()
