"""Let sums and products that a loop carries be formed in any order.

A reduction says what is combined, not in which order; written out as a loop it has one, and on
floats LLVM must keep it, which rules vector registers out. What a loop only accumulates may be
reassociated, and is marked so:

    %s = scf.for .. iter_args(%acc = %zero) {       %s = scf.for .. iter_args(%acc = %zero) {
      %next = arith.addf %acc, %v : f32        -->    %next = arith.addf %acc, %v fastmath<reassoc>
      scf.yield %next                                  scf.yield %next
    }                                               }

Only where the carried value has no other use: a scan, whose every step is seen, keeps its order.
The result differs from the sequential one by rounding, as the graph floor's reductions allow: for n
terms by at most about n units in the last place of the sum of magnitudes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class ReassociateReductions(Pass):
    """Let sums and products that a loop carries be formed in any order."""

    name = "reassociate-reductions"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        for loop in op.walk():
            if not isinstance(loop, scf.ForOp):
                continue
            last = loop.body.block.last_op
            carried = loop.body.block.args[1:]
            if not isinstance(last, scf.YieldOp):
                continue
            for value, yielded in zip(carried, last.arguments, strict=True):
                if (combine := accumulation(value, yielded, last)) is not None:
                    flags = {*combine.fastmath.data, FastMathFlag.REASSOC}
                    combine.fastmath = arith.FastMathFlagsAttr(flags)
                    session.count("reductions")


def accumulation(
    carried: SSAValue, yielded: SSAValue, end: Operation
) -> arith.AddfOp | arith.MulfOp | None:
    """The op that combines a carried value into the next, if that is all that both are used for.

    The combining op may stand in an inner loop that carries the value on; that is then its own.
    """
    combine = yielded.owner
    if not isinstance(combine, arith.AddfOp | arith.MulfOp):
        return None
    only_uses = all(use.operation is combine for use in carried.uses)
    only_yielded = all(use.operation is end for use in yielded.uses)
    return combine if carried in combine.operands and only_uses and only_yielded else None
