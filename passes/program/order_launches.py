"""Put the statements of a program in an order that keeps few bytes in use at once.

A statement comes after those that write what it reads, and before those that overwrite it. Among
the orders that keep this, a greedy one is built: of the statements that are ready, next is the one
after which the fewest bytes are in use, a buffer being done with when its last reader is; among
equals the first of the text. The same is built from the end. The best of these and the order of the
text is taken, the text's where nothing is gained.

    launch @f(%a, %x)      // %a, %b: large           launch @f(%a, %x)
    launch @f(%b, %y)                           -->    launch @g(%c, %a)
    launch @g(%c, %a)      // %c, %d: small           launch @f(%b, %y)
    launch @g(%d, %b)                                  launch @g(%d, %b)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation, SSAValue

from teenyir.dialects.program import AllocOp, FuncOp, LaunchOp
from teenyir.passes.program.lives import (
    allocations,
    buffer_bytes,
    lives,
    peak,
    statements,
    touched_by,
    typical,
)
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class OrderLaunches(Pass):
    """Order the statements of a program so that few bytes are in use at once."""

    name = "order-launches"
    anchor: ClassVar[str | None] = "program.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, FuncOp)
        before = statements(op)
        after = best_order(op)
        if after == before:
            session.preserve_all()
            return
        session.count(
            "statements moved", sum(a is not b for a, b in zip(before, after, strict=True))
        )
        for statement in after:
            statement.detach()
            op.body.block.add_op(statement)


def best_order(func: FuncOp) -> list[Operation]:
    """The order with the least peak that is found; that of the text where none is better."""
    sizes = _sizes(func)
    text = statements(func)
    after = _dependences(text)
    found = [text, _Greedy(text, after, sizes).order()]
    backward: dict[Operation, set[Operation]] = {op: set() for op in text}
    for op, earlier in after.items():
        for other in earlier:
            backward[other].add(op)
    found.append(_Greedy(text[::-1], backward, sizes).order()[::-1])
    return min(found, key=lambda order: peak(lives(func, order), sizes))


def _sizes(func: FuncOp) -> dict[AllocOp, int]:
    extents = typical(func.dims.data)
    return {op: buffer_bytes(op).evaluate(extents) for op in allocations(func)}


def _dependences(text: Sequence[Operation]) -> dict[Operation, set[Operation]]:
    """The statements that have to come before each."""
    earlier: dict[Operation, set[Operation]] = {}
    writer: dict[SSAValue, Operation] = {}
    readers: dict[SSAValue, list[Operation]] = {}
    for op in text:
        needed = earlier[op] = set[Operation]()
        written = written_by(op)
        for buffer in touched_by(op):
            if buffer in writer:
                needed.add(writer[buffer])
            if buffer in written:
                needed.update(readers.pop(buffer, ()))
                writer[buffer] = op
            else:
                readers.setdefault(buffer, []).append(op)
        needed.discard(op)
    return earlier


def written_by(statement: Operation) -> set[SSAValue]:
    """The buffers that a statement writes, those inside a branch or loop too."""
    return {
        buffer
        for inner in statement.walk()
        if isinstance(inner, LaunchOp)
        for mode, buffer in inner.accesses()
        if mode != "in"
    }


class _Greedy:
    """Builds one order; `after` has what must come before each statement."""

    def __init__(
        self,
        text: Sequence[Operation],
        after: Mapping[Operation, set[Operation]],
        sizes: Mapping[AllocOp, int],
    ) -> None:
        self.after = {op: len(needed) for op, needed in after.items()}
        self.before: dict[Operation, list[Operation]] = {op: [] for op in text}
        for op, needed in after.items():
            for other in needed:
                self.before[other].append(op)
        self.position = {op: k for k, op in enumerate(text)}
        self.buffers = {op: self._buffers(op, sizes) for op in text}
        self.uses: dict[SSAValue, int] = {}
        """How many statements are still to touch each buffer."""
        for buffers in self.buffers.values():
            for buffer in buffers:
                self.uses[buffer] = self.uses.get(buffer, 0) + 1
        self.open: set[SSAValue] = set()

    def _buffers(self, op: Operation, sizes: Mapping[AllocOp, int]) -> dict[SSAValue, int]:
        owners = {buffer: buffer.owner for buffer in touched_by(op)}
        return {b: sizes[owner] for b, owner in owners.items() if isinstance(owner, AllocOp)}

    def order(self) -> list[Operation]:
        """The statements in the order in which they are picked."""
        ready = {op for op, waiting in self.after.items() if not waiting}
        result: list[Operation] = []
        while ready:
            op = min(ready, key=lambda op: (self._growth(op), self.position[op]))
            ready.remove(op)
            result.append(op)
            self._done(op)
            for later in self.before[op]:
                self.after[later] -= 1
                if not self.after[later]:
                    ready.add(later)
        return result

    def _growth(self, op: Operation) -> int:
        """The bytes in use after a statement, less those before it."""
        buffers = self.buffers[op].items()
        born = sum(size for buffer, size in buffers if buffer not in self.open)
        return born - sum(size for buffer, size in buffers if self.uses[buffer] == 1)

    def _done(self, op: Operation) -> None:
        for buffer in self.buffers[op]:
            self.open.add(buffer)
            self.uses[buffer] -= 1
