"""One branch round what a gate guards, instead of one round each access.

    %v = uop.load %x[%i] if %g else %w           scf.if %g {
    %u = arith.addf %v, %v                  -->    %v = uop.load %x[%i]
    uop.store %u, %y[%i] if %g                     uop.store (%v + %v), %y[%i]
                                                 }

Done where nothing happens in a function if the gate does not hold: every store has it, alone or
combined with others, and there is nothing that threads do together, such as a barrier; and the
gate is one for all lanes. What comes before the gate is known stays before the branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import uop
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.lanes import lanes
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class BranchOnGates(Pass):
    """Put one branch round what a gate guards, instead of one round each access."""

    name = "branch-on-gates"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, uop.FuncOp)
        while (gate := _common_gate(op)) is not None:
            _branch(gate)
            session.count("branches")


def _common_gate(func: uop.FuncOp) -> SSAValue | None:
    """A gate that every store has, known at the top of a function that does not branch on it."""
    inner = list(func.body.walk())
    if any(isinstance(op, uop.OfThreads) and not isinstance(op, uop.SpecialOp) for op in inner):
        return None
    stores = [op for op in inner if isinstance(op, uop.StoreOp) and _is_seen(op)]
    if not stores:
        return None
    first, *others = (conjuncts(store.gate) for store in stores)
    for gate in first:
        at_top = isinstance(gate.owner, Operation) and gate.owner.parent is func.body.block
        one = lanes(gate.type) is None
        if at_top and one and all(gate in other for other in others):
            return gate
    return None


def _is_seen(store: uop.StoreOp) -> bool:
    """Whether others than the thread itself can see what a store writes."""
    return not isinstance(store.pointer.owner, uop.LocalOp) or store.pointer.owner.space == "shared"


def _branch(gate: SSAValue) -> None:
    """Move what comes after a gate into a branch on it, where it holds."""
    owner = gate.owner
    assert isinstance(owner, Operation) and owner.parent is not None  # it stands at the top
    block = Block()
    following: list[Operation] = []
    while (op := owner.next_op) is not None:
        op.detach()
        following.append(op)
    builder = LocatedBuilder(InsertPoint.at_end(owner.parent), owner.location)
    builder.insert(scf.IfOp(gate, [], Region(block)))
    end = scf.YieldOp()
    end.location = owner.location
    block.add_ops([*following, end])
    for op in list(block.walk()):
        if isinstance(op, uop.LoadOp | uop.StoreOp) and op.gate is not None:
            _drop(op, gate)


def _drop(op: uop.LoadOp | uop.StoreOp, gate: SSAValue) -> None:
    """Take a condition that holds out of the gate of an access."""
    assert op.gate is not None
    builder = LocatedBuilder(InsertPoint.before(op), op.location)
    rest = _without(op.gate, gate, builder)
    if rest is op.gate:
        return
    if isinstance(op, uop.StoreOp):
        builder.insert(uop.StoreOp(op.value, op.pointer, op.offset, rest, op.streaming))
    else:
        other = None if rest is None else op.other
        new = builder.insert(uop.LoadOp(op.pointer, op.offset, op.result.type, rest, other))
        new.result.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(new.result)
    op.detach()
    op.erase()


def _without(value: SSAValue, gate: SSAValue, builder: LocatedBuilder) -> SSAValue | None:
    """A gate without one of its conditions; None where no other is left."""
    if value is gate:
        return None
    owner = value.owner
    if not isinstance(owner, arith.AndIOp):
        return value
    lhs, rhs = (_without(part, gate, builder) for part in (owner.lhs, owner.rhs))
    if lhs is owner.lhs and rhs is owner.rhs:
        return value
    if lhs is None or rhs is None:
        return rhs if lhs is None else lhs
    return builder.insert(arith.AndIOp(lhs, rhs)).result
