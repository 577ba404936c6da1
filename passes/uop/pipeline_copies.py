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
copies overwrite. Copied so are, from sm_80 on, elements of arguments that are not written, 4, 8 or
16 bytes at a time from addresses that are multiples of that, or zeros where a gate does not hold.
The last iterations start copies of nothing, whose gate does not hold. In a loop around this one
all of that has to be over, and all threads done with the memory, before the first copies.

Whatever else a loop writes into shared memory is computed when it is due, of loads that are an
iteration ahead, and is there twice: see `loads_ahead`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.divisors import Divisors
from teenyir.dialects import uop
from teenyir.dialects.constants import constant, integer_of, is_zero
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.lanes import element, lanes
from teenyir.passes.uop.loads_ahead import (
    MOST_REGISTERS,
    Computed,
    is_argument,
    is_of_any_iteration,
    load_ahead,
    loads_of,
    registers,
    slice_of,
    why_not_sooner,
)
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
        if op.launch is None:
            session.preserve_all()
            return
        copies = cuda.find(self.capability).number >= FROM
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            staged = [each for each in loop.body.block.ops if is_shared(each)]
            if not staged:
                continue
            found = match(loop, self.stages if copies else 0)
            if isinstance(found, str):
                session.remark("missed", loop, f"copies do not run ahead: {found}")
                continue
            session.remark("passed", loop, found.told())
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
    """What a loop copies and computes, and how often there will be memory for it."""

    copies: Sequence[Copy]
    computed: Sequence[Computed]
    stages: Mapping[uop.LocalOp, int]
    """How often each memory will be there."""

    @property
    def ahead(self) -> int:
        """How many iterations copies run ahead."""
        return self.stages[_memory(self.copies[0])] - 1

    @property
    def loads(self) -> list[uop.LoadOp]:
        """What is loaded an iteration ahead."""
        return list(dict.fromkeys(load for each in self.computed for load in each.loads))

    @property
    def waiting(self) -> int:
        """The registers that these wait in."""
        return registers(load.result for load in self.loads)

    def told(self) -> str:
        """What will be done."""
        told: list[str] = []
        if self.copies:
            bytes = sum(map(_bytes, dict.fromkeys(map(_memory, self.copies))))
            run = f"run {self.ahead} iterations ahead"
            told.append(f"{len(self.copies)} copies of {bytes} bytes in all {run}")
        if loads := self.loads:
            waiting = f"in {self.waiting} registers"
            told.append(f"{len(loads)} loads wait {waiting} to be computed with and stored")
        return ", ".join(told)


def match(loop: scf.ForOp, stages: int) -> Match | str:
    """What of a loop can run ahead, or why nothing can. Memory of copies is there `stages` times at
    most; there are no copies where it is 0."""
    block = loop.body.block
    locals = [op for op in block.ops if isinstance(op, uop.LocalOp) and is_shared(op)]
    refusal = _why_not_counted(loop) or _why_not_shared(loop, locals)
    if refusal is not None:
        return refusal
    order = {op: number for number, op in enumerate(block.ops)}
    stores = [op for local in locals for op in _users(local) if isinstance(op, uop.StoreOp)]
    stores.sort(key=order.__getitem__)
    found = _divided(loop, stores, copies=stages > 0)
    if isinstance(found, str):
        return found
    copies, computed = found
    last = max((order[each.store] for each in computed), default=0)
    ready = {store.pointer: max(order[store], last) for store in stores}
    for local in locals:
        from_here = ready.get(local.result, last)
        if any(order[op] < from_here and op not in stores for op in _users(local)):
            return "there are stores after some has been read"
    return _with_room(loop, locals, copies, computed, stages)


def _why_not_counted(loop: scf.ForOp) -> str | None:
    if (integer_of(loop.lb), integer_of(loop.step)) != (0, 1):
        return "the loop does not count from 0 by 1"
    return "there is one iteration" if integer_of(loop.ub) == 1 else None


def _why_not_shared(loop: scf.ForOp, locals: Sequence[uop.LocalOp]) -> str | None:
    """Why barriers of a loop may order something else than accesses of its own memory."""
    if any(op.parent is not loop.body.block for local in locals for op in _users(local)):
        return "what it copies is used in a loop or branch further in"
    for op in loop.walk():
        if _touches_shared(op, locals):
            return f"there is a {op.name} of other shared memory"
        if _is_written(op):
            return "it loads of what the kernel writes"
    return None


def _users(local: uop.LocalOp) -> list[Operation]:
    return [use.operation for use in local.result.uses]


def _with_room(
    loop: scf.ForOp,
    locals: Sequence[uop.LocalOp],
    copies: Sequence[Copy],
    computed: Sequence[Computed],
    stages: int,
) -> Match | str:
    """A match with as many stages as there are iterations and room for."""
    twice = dict.fromkeys(map(_memory, computed), 2)
    room = cuda.STATIC_SHARED - _shared_beside(loop, locals) - 2 * sum(map(_bytes, twice))
    bytes = sum(_bytes(local) for local in locals if local not in twice)
    if copies:
        count = integer_of(loop.ub)
        stages = min(stages, room // bytes, stages if count is None else count)
    if room < 0 or (copies and stages < 2):
        return f"there is no room for 2 * {sum(map(_bytes, locals))} bytes"
    match = Match(copies, computed, {local: twice.get(local, stages) for local in locals})
    most = MOST_REGISTERS - _kept(loop)
    if (waiting := match.waiting) <= most:
        return match
    match = replace(match, computed=[_of_iteration(each, loop) for each in computed])
    if 0 < match.waiting <= most:
        return match
    return f"loads would wait in {waiting} registers, and not {most} at most"


def _kept(loop: scf.ForOp) -> int:
    """The registers of what a loop hands on, and of the memory of a thread's own in its kernel."""
    own = [op for op in _kernel(loop).walk() if isinstance(op, uop.LocalOp) and not is_shared(op)]
    return registers(loop.iter_args) + sum(map(_bytes, own)) // 4


def _of_iteration(computed: Computed, loop: scf.ForOp) -> Computed:
    """What is stored, with the loads that are no sooner left out which are the same in all
    iterations: these are in a cache when they are due."""
    loads = [load for load in computed.loads if not is_of_any_iteration(load, loop)]
    return replace(computed, loads=loads)


def _divided(
    loop: scf.ForOp, stores: Sequence[uop.StoreOp], *, copies: bool
) -> tuple[Sequence[Copy], Sequence[Computed]] | str:
    """Stores by whether they are copies; whoever computes some of a memory computes all of it."""
    divisors = Divisors()
    found = {store: _copy(store, loop, divisors) if copies else "" for store in stores}
    computes = {store.pointer for store, copy in found.items() if isinstance(copy, str)}
    computed: list[Computed] = []
    for store in stores:
        if store.pointer in computes:
            if isinstance(of := loads_of(store, loop), str):
                return of
            computed.append(of)
    if computed and not any(each.loads for each in computed):
        return "what is computed and stored is not loaded"
    return [
        copy
        for copy in found.values()
        if isinstance(copy, Copy) and copy.store.pointer not in computes
    ], computed


def _memory(stored: Copy | Computed) -> uop.LocalOp:
    local = stored.store.pointer.owner
    assert isinstance(local, uop.LocalOp)  # it is the loop's own
    return local


def _bytes(local: uop.LocalOp) -> int:
    return local.count * SCALAR_BYTES[local.result.type.element]


def _shared_beside(loop: scf.ForOp, locals: Sequence[uop.LocalOp]) -> int:
    """The bytes that the kernel of a loop shares besides."""
    others = [op for op in _kernel(loop).walk() if isinstance(op, uop.LocalOp) and is_shared(op)]
    return sum(_bytes(op) for op in others if op not in locals)


def _kernel(loop: scf.ForOp) -> Operation:
    """The kernel that a loop is of."""
    top: Operation = loop
    while not isinstance(top, uop.FuncOp) and (around := top.parent_op()) is not None:
        top = around
    return top


def _is_repeated(loop: scf.ForOp) -> bool:
    """Whether a loop is entered several times."""
    around = loop.parent_op()
    while around is not None and not isinstance(around, scf.ForOp | scf.WhileOp):
        around = around.parent_op()
    return around is not None


def _is_written(op: Operation) -> bool:
    """Whether an op loads of an argument that the kernel writes, so that barriers may order it."""
    return (
        isinstance(op, uop.LoadOp) and isinstance(op.pointer.owner, Block) and not is_argument(op)
    )


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
    needs = [*load.operands[1:], store.offset]
    refusal = _misaligned(load, store, divisors) or why_not_sooner(needs, loop.body.block)
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


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, Operation):
        return False
    if isinstance(owner, arith.ConstantOp):
        is_splat = str(owner.value).startswith(("dense<0.000000e+00>", "dense<0>"))
        return is_splat or is_zero(value)
    return owner.name == "vector.broadcast" and _is_zero(owner.operands[0])


# --- the rewrite ----------------------------------------------------------------------------------


class Pipeline:
    """Has the copies of one loop run ahead."""

    def __init__(self, loop: scf.ForOp, found: Match):
        self.loop, self.match = loop, found
        self.memory: dict[SSAValue, uop.LocalOp] = {}

    def run(self) -> None:
        loop, match = self.loop, self.match
        block, before = loop.body.block, LocatedBuilder(InsertPoint.before(loop), loop.location)
        self._reserve(before)
        if match.copies:
            for stage in range(match.ahead):
                self._copies(before, before.insert(constant(stage, uop.INDEX)).result)
        first = block.first_op
        assert first is not None  # there is what it copies
        start = LocatedBuilder(InsertPoint.before(first), loop.location)
        stored = [each.store for each in match.computed]
        meet = LocatedBuilder(self._behind(stored), loop.location) if stored else start
        if match.copies:
            meet.insert(uop.WaitCopiesOp(match.ahead - 1))
        barrier = meet.insert(uop.BarrierOp())
        if match.copies:
            ahead = meet.insert(constant(match.ahead, uop.INDEX)).result
            self._copies(meet, meet.insert(arith.AddiOp(block.args[0], ahead)).result)
        if match.loads:
            self._loads(before, meet)
        for stages in sorted(set(match.stages.values())):
            slot = self._slot(start, block.args[0], stages)
            for local, times in match.stages.items():
                if times == stages:
                    self._move(local, slot)
        self._erase(barrier)

    def _reserve(self, before: LocatedBuilder) -> None:
        """Reserve memory, which threads may still be at where the loop is entered again."""
        for local, stages in self.match.stages.items():
            new = uop.LocalOp(stages * local.count, local.result.type.element, "shared")
            self.memory[local.result] = before.insert(new)
            new.result.name_hint = local.result.name_hint
        if _is_repeated(self.loop):
            if self.match.copies:
                before.insert(uop.WaitCopiesOp(0))
            before.insert(uop.BarrierOp())

    def _behind(self, stores: Sequence[uop.StoreOp]) -> InsertPoint:
        """Behind the last of some stores, in front of what reads what they wrote."""
        ops = list(self.loop.body.block.ops)
        return InsertPoint.after(max(stores, key=ops.index))

    def _slot(self, builder: LocatedBuilder, iteration: SSAValue, stages: int) -> SSAValue:
        """Which of so many memories an iteration has."""
        if (number := integer_of(iteration)) is not None:
            return builder.insert(constant(number % stages, uop.INDEX)).result
        divisor = builder.insert(constant(stages, uop.INDEX)).result
        return builder.insert(arith.RemUIOp(iteration, divisor)).result

    def _inside(self, builder: LocatedBuilder, iteration: SSAValue) -> SSAValue | None:
        """Whether there is such an iteration; None if there is one in any case."""
        number, count = integer_of(iteration), integer_of(self.loop.ub)
        if number is not None and count is not None and number < count:
            return None
        return builder.insert(arith.CmpiOp(iteration, self.loop.ub, "slt")).result

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
        block = self.loop.body.block
        slot = self._slot(builder, iteration, self.match.ahead + 1)
        inside = self._inside(builder, iteration)
        known: dict[SSAValue, SSAValue] = {block.args[0]: iteration}
        for copy in self.match.copies:
            load, store = copy.load, copy.store
            builder.location = store.location
            needs = [load.offset, store.offset, *([] if load.gate is None else [load.gate])]
            for op in slice_of(needs, block):
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
        """Have what accesses memory take that of its iteration."""
        copied = {copy.store for copy in self.match.copies}
        for use in list(local.result.uses):
            op = use.operation
            if isinstance(op, uop.LoadOp | uop.LoadMatrixOp | uop.StoreOp) and op not in copied:
                builder = LocatedBuilder(InsertPoint.before(op), op.location)
                offset = self._place(builder, local.result, slot, op.offset)
                at = 1 if isinstance(op, uop.StoreOp) else 0
                op.operands[at], op.operands[at + 1] = self.memory[local.result].result, offset

    def _loads(self, before: LocatedBuilder, meet: LocatedBuilder) -> None:
        """Have loads of the first iteration come before the loop, and those of the next one where
        threads have met; iterations hand them on."""
        loop, loads = self.loop, self.match.loads
        block = loop.body.block
        first = before.insert(constant(0, uop.INDEX)).result
        start = load_ahead(before, loop, loads, first, self._inside(before, first))
        kept = [block.insert_arg(load.result.type, len(block.args)) for load in loads]
        one = meet.insert(constant(1, uop.INDEX)).result
        following = meet.insert(arith.AddiOp(block.args[0], one)).result
        inside = self._inside(meet, following)
        ahead = load_ahead(meet, loop, loads, following, inside, kept)
        for load, value in zip(loads, kept, strict=True):
            value.name_hint = load.result.name_hint
            load.result.replace_all_uses_with(value)
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        build = LocatedBuilder(InsertPoint.before(end), end.location)
        build.insert(scf.YieldOp(*end.operands, *ahead))
        for op in (end, *reversed(loads)):
            op.detach()
            op.erase()
        body = loop.detach_region(loop.body)
        new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *start], body)
        new.attributes |= loop.attributes
        before.insert(new)
        for old, result in zip(loop.results, new.results, strict=False):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        loop.detach()
        loop.erase()
        self.loop = new

    def _erase(self, barrier: uop.BarrierOp) -> None:
        block = self.loop.body.block
        left: list[Operation] = [
            op for op in block.ops if isinstance(op, uop.BarrierOp) and op is not barrier
        ]
        for copy in self.match.copies:
            left += [copy.store, copy.load]
        for op in (*left, *self.match.stages):
            op.detach()
            op.erase()
