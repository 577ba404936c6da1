"""Have maxima and minima of floats over a loop leave the sign of a zero to integers.

    %m = scf.for .. iter_args(%a = %a0) {     %m, %b = scf.for .. iter_args(%a = %a0, %s = %bits0) {
      %c = arith.maximumf %a, %v                %c = arith.maximumf %v, %a fastmath<nsz>
      scf.yield %c                       -->    %t = arith.andi %s, bits of %v
    }                                           scf.yield %c, %t
                                              }
                                              %z = math.copysign 0.0, %b as a float
                                              .. %m == 0 ? %z : %m ..

A maximum of zeros is -0 where all of them are; hardware's maximum of two zeros is the second, and
putting that right takes as many instructions at each step as all the rest. Where the maximum turns
out to be a zero, no number was above it: the zero is -0 where every number had a sign, which is the
conjunction of their bits. A minimum has a disjunction. NaN is handed on as before.

Done in loops without loops inside for scalars that LLVM can make vectors of, and for vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import f32, f64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects.inside import of_kind
from teenyir.dialects.lanes import element
from teenyir.passes.uop.numbers import Number
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

Extremum: TypeAlias = arith.MaximumfOp | arith.MinimumfOp

_SIGNS: dict[type[Operation], Callable[[Number, Number], Number]] = {
    arith.MaximumfOp: lambda a, b: a & b,
    arith.MinimumfOp: lambda a, b: a | b,
}
"""Whose sign a zero has that is the extremum of two numbers."""

_ANY_ZERO = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])


@dataclass(frozen=True)
class TrackZeros(Pass):
    """Have maxima and minima of floats over a loop leave the sign of a zero to integers."""

    name = "track-zeros"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        loops = of_kind(op, scf.ForOp)
        count = sum(track(loop) for loop in loops)
        session.count("tracked", count)
        if not count:
            session.preserve_all()


def track(loop: scf.ForOp) -> int:
    """Carry the signs of a loop's maxima and minima beside them; of how many."""
    block = loop.body.block
    if any(isinstance(op, scf.ForOp) for op in block.ops):
        return 0
    end = block.last_op
    assert isinstance(end, scf.YieldOp)
    carried = zip(block.args[1:], end.arguments, loop.iter_args, strict=True)
    found = [
        (number, step, start)
        for number, (before, after, start) in enumerate(carried)
        if (step := _step(before, after)) is not None
    ]
    if not found:
        return 0
    outside = LocatedBuilder(InsertPoint.before(loop), loop.location)
    starts = [Number(outside, start).bits().value for _, _, start in found]
    following: list[SSAValue] = []
    for (number, step, _), start in zip(found, starts, strict=True):
        so_far = block.insert_arg(start.type, len(block.args))
        inside = LocatedBuilder(InsertPoint.before(end), step.location)
        (value,) = (v for v in step.operands if v is not block.args[number + 1])
        sign = _SIGNS[step.__class__]
        bits = sign(Number(inside, so_far), Number(inside, value).bits())
        step.properties["fastmath"] = _ANY_ZERO
        # LLVM asks the first one whether it is NaN, for which nothing needs to wait
        step.operands = [value, block.args[number + 1]]
        following.append(bits.value)
    inside = LocatedBuilder(InsertPoint.before(end), end.location)
    inside.insert(scf.YieldOp(*end.arguments, *following))
    end.detach()
    end.erase()
    body = loop.detach_region(loop.body)
    new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *starts], body)
    new.attributes |= loop.attributes
    outside.insert(new)
    signs = new.results[len(loop.results) :]
    for old, result in zip(loop.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    for (number, _, _), sign in zip(found, signs, strict=True):
        _give_sign(new.results[number], sign, new)
    loop.detach()
    loop.erase()
    return len(found)


def _step(before: SSAValue, after: SSAValue) -> Extremum | None:
    """The op that a value is carried through, if it is a maximum or minimum and nothing else."""
    op = after.owner
    if not isinstance(op, arith.MaximumfOp | arith.MinimumfOp):
        return None
    if element(op.result.type) not in (f32, f64) or op.lhs is op.rhs:
        return None
    return op if before in op.operands and before.has_one_use() and after.has_one_use() else None


def _give_sign(result: SSAValue, sign: SSAValue, loop: scf.ForOp) -> None:
    """Use an extremum with the sign that it has if it is a zero."""
    uses = list(result.uses)
    builder = LocatedBuilder(InsertPoint.after(loop), loop.location)
    extremum = Number(builder, result)
    zero = extremum.like(0.0).signed_as(Number(builder, sign).from_bits())
    chosen = extremum.compare("oeq", 0.0).select(zero, extremum).value
    chosen.name_hint = result.name_hint
    for use in uses:
        use.operation.operands[use.index] = chosen
