"""Barriers: where the threads of a block wait, for what they share to be written, or to be read.

A barrier goes before what reads shared memory that was written since the last barrier, and before
what writes some that was read. What an iteration of a loop does comes before the next one:

    for k                             for k
      s[t] = a[k, t]         -->        barrier
      y += s[u]                         s[t] = a[k, t]
                                        barrier
                                        y += s[u]

Where a loop or branch meets what came before it, the barrier goes in front of it, where all threads
come to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import uop
from teenyir.dialects.inside import of_kind
from teenyir.rewriting.locations import LocatedBuilder

_Pointers = frozenset[SSAValue]
_NONE: _Pointers = frozenset()


@dataclass(frozen=True)
class _Touched:
    """The shared memory that was read and that was written since the last barrier."""

    read: _Pointers = _NONE
    written: _Pointers = _NONE

    def __or__(self, other: _Touched) -> _Touched:
        return _Touched(self.read | other.read, self.written | other.written)

    def meets(self, later: _Touched) -> bool:
        """Whether a barrier has to stand between this and what touches memory later."""
        return bool(self.written & later.read or self.read & later.written)


_NOTHING = _Touched()


def place_barriers(func: uop.FuncOp) -> None:
    """Put barriers into a function that has none."""
    if any(map(_is_shared, of_kind(func, uop.LocalOp))):
        _through(func.body.block, _NOTHING, insert=True)


def _is_shared(op: Operation) -> bool:
    return isinstance(op, uop.LocalOp) and op.space == "shared"


def _shared(pointers: Iterable[SSAValue]) -> _Pointers:
    owners = ((pointer, pointer.owner) for pointer in pointers)
    return frozenset(p for p, owner in owners if isinstance(owner, Operation) and _is_shared(owner))


def _touched(op: Operation) -> _Touched:
    """What an op touches, with all that is in it."""
    if isinstance(op, uop.LoadOp | uop.LoadMatrixOp):
        return _Touched(read=_shared([op.pointer]))
    if isinstance(op, uop.StoreOp):
        return _Touched(written=_shared([op.pointer]))
    found = _NOTHING
    for region in op.regions:
        for inner in region.block.ops:
            found |= _touched(inner)
    return found


def _through(block: Block, before: _Touched, *, insert: bool) -> _Touched:
    """What was touched since the last barrier at the end of a block, given that at its start."""
    now = before
    for op in list(block.ops):
        touched = _touched(op)
        if touched == _NOTHING:
            continue
        if now.meets(touched):
            now = _NOTHING
            if insert:
                LocatedBuilder(InsertPoint.before(op), op.location).insert(uop.BarrierOp())
        if isinstance(op, scf.ForOp):
            now = _through_loop(op, now, insert=insert)
        elif op.regions:
            ends = [_through(r.block, now, insert=insert) for r in op.regions]
            now |= _all(ends)
        else:
            now |= touched
    return now


def _all(ends: Iterable[_Touched]) -> _Touched:
    found = _NOTHING
    for end in ends:
        found |= end
    return found


def _through_loop(loop: scf.ForOp, before: _Touched, *, insert: bool) -> _Touched:
    """As `_through`; an iteration starts with what the one before has touched at its end."""
    start = before
    while (after := start | _through(loop.body.block, start, insert=False)) != start:
        start = after
    end = _through(loop.body.block, start, insert=insert)
    if insert and any(isinstance(op, uop.BarrierOp) for op in loop.walk()):
        loop.attributes.pop(uop.PARALLEL, None)  # its iterations share memory
    return before | end
