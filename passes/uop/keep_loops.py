"""Mark loops that sum a few numbers, which LLVM would write out before it makes vectors of loops.

    scf.for %k = 0 to 48 {                    scf.for %k = 0 to 48 {
      %b = arith.addf %a, %v <reassoc>  -->     %b = arith.addf %a, %v <reassoc>
      scf.yield %b                              scf.yield %b
    }                                         } {uop.rolled}

Written out they are a chain of additions, one number at a time, each of which waits for the one
before. A loop that stays one is summed in vectors, in half of the time.

Done for sums of f32 whose order is free, of two vectors at least, of what is read along memory.
LLVM would make no vectors of what is read in steps, and what it does not write out is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import BlockArgument, Operation

from teenyir.dialects import uop
from teenyir.dialects.constants import integer_of
from teenyir.dialects.inside import of_kind
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

MOST = 48
"""Numbers that LLVM writes out, if little is done to each."""


@dataclass(frozen=True)
class KeepLoops(Pass):
    """Mark sums of few numbers that are to stay loops until vectors are made of them."""

    name = "keep-loops"
    anchor: ClassVar[str | None] = "uop.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        lanes = (self.vector_bits or cpu.host().vector_bits) // 32
        for loop in of_kind(op, scf.ForOp):
            if (count := _summed(loop)) is not None and 2 * lanes <= count <= MOST:
                loop.attributes[uop.ROLLED] = UnitAttr()
                session.count("loops")


def _summed(loop: scf.ForOp) -> int | None:
    """How many numbers a loop sums in any order, where that is known."""
    lower, upper = integer_of(loop.lb), integer_of(loop.ub)
    if lower is None or upper is None or integer_of(loop.step) != 1:
        return None
    last = loop.body.block.last_op
    assert isinstance(last, scf.YieldOp)
    adds = [value.owner for value in last.arguments if value.type == f32]
    free = any(
        isinstance(add, arith.AddfOp) and FastMathFlag.REASSOC in add.fastmath.data for add in adds
    )
    return upper - lower if free and all(map(_is_along, loop.body.block.ops)) else None


def _is_along(op: Operation) -> bool:
    """Whether neighbouring iterations of the loop that an op is in can be lanes of it."""
    if not isinstance(op, uop.LoadOp):
        return not op.regions
    block, offset = op.parent, op.offset
    if isinstance(offset.owner, arith.AddiOp) and offset.owner.parent is block:
        parts = offset.owner.operands
    else:
        parts = [offset]
    inside = [part for part in parts if part.owner is block or part.owner.parent is block]
    return all(isinstance(part, BlockArgument) and part.index == 0 for part in inside)
