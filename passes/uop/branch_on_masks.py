"""One branch where all lanes of the masks hold, and in it loads and stores of whole vectors.

    %v = uop.load %x[%i] if %m else %w           scf.if (all lanes of %m) {
    %u = arith.addf %v, %v                         %v = uop.load %x[%i]
    uop.store %u, %y[%i] if %m             -->     uop.store (%v + %v), %y[%i]
                                                 } else { as before }

A tile of a result has masks for the edges, which most tiles are nowhere near. Where a processor has
no masks of its own (AVX-512 has), storing some lanes of a vector takes some 8 times as long as
storing all of them.

Done for what stands from the first access with a mask to the last store with one, if no mask is
computed of what is loaded there, and what is computed is used there alone. Loops between that write
nothing, as those that sum products do, stand in both branches: no mask takes a register from the
sums then, which are in memory otherwise where a tile has as many as there are registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from teenyir.analysis.slices import backward_slice
from teenyir.dialects import uop
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.inside import of_kind
from teenyir.dialects.lanes import lanes
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder
from teenyir.rewriting.surgery import erase, replace_uses
from teenyir.targets import cpu

Access = uop.LoadOp | uop.StoreOp


@dataclass(frozen=True)
class BranchOnMasks(Pass):
    """Access whole vectors in a branch that is taken where all lanes of the masks hold."""

    name = "branch-on-masks"
    anchor: ClassVar[str | None] = "uop.func"

    masks: Literal["branch", "instruction", "host"] = "branch"
    """What stores some lanes of a vector: where it is an `instruction`, nothing is to be done;
    `host` asks the machine."""

    def run(self, op: Operation, session: Session) -> None:
        has_masks = self.masks == "host" and cpu.host().masks
        sections = [] if self.masks == "instruction" or has_masks else [*_sections(op)]
        done = [section for section in sections if _branch(section)]
        if not done:
            session.preserve_all()
            return
        session.count("branches", len(done))
        if session.wants_remarks:
            stores = sum(isinstance(each, uop.StoreOp) for ops in done for each in ops)
            session.remark("passed", op, f"{stores} stores of whole vectors where all lanes are")


def _sections(func: Operation) -> Iterator[list[Operation]]:
    """The ops of each block from the first access with a mask to the last store with one, apart
    where something else than accesses and arithmetic stands between."""
    stores = [op for op in of_kind(func, uop.StoreOp) if _mask(op) is not None]
    for block in dict.fromkeys(op.parent for op in stores):
        assert block is not None
        run: list[Operation] = []
        for op in block.ops:
            if isinstance(op, Access) or _only_computes(op):
                run.append(op)
            else:
                yield from _masked_part(run)
                run = []
        yield from _masked_part(run)


def _only_computes(op: Operation) -> bool:
    """Whether an op writes nothing; loops may load, with masks from outside of them."""
    if not isinstance(op, scf.ForOp):
        return not op.regions and is_side_effect_free(op)
    inner = [each for each in op.body.block.ops if not isinstance(each, scf.YieldOp)]
    return all(isinstance(each, uop.LoadOp) or _only_computes(each) for each in inner) and not any(
        op.is_ancestor(mask.owner) for mask in _masks(op)
    )


def _masked_part(run: Sequence[Operation]) -> Iterator[list[Operation]]:
    masked = [number for number, op in enumerate(run) if _masks(op)]
    stores = [number for number in masked if isinstance(run[number], uop.StoreOp)]
    if stores:
        yield [*run[masked[0] : stores[-1] + 1]]


def _mask(op: Operation) -> SSAValue | None:
    """The gate of an access, where it has one for each lane."""
    if isinstance(op, Access) and op.gate is not None and lanes(op.gate.type) is not None:
        return op.gate
    return None


def _masks(op: Operation) -> list[SSAValue]:
    """The masks of an access, or of those in a loop."""
    return [mask for each in op.walk() if (mask := _mask(each)) is not None]


def _branch(section: Sequence[Operation]) -> bool:
    """Have a section twice, in the branches of a condition; False where that is not possible."""
    masks = [mask for op in section for mask in _masks(op)]
    conditions = [*dict.fromkeys(part for mask in masks for part in _conditions(mask))]
    before = backward_slice(conditions, {*section}.__contains__)
    inside = [op for op in section if op not in before]
    users = {use.operation for op in inside for result in op.results for use in result.uses}
    block = section[0].parent
    assert block is not None
    if any(isinstance(op, Access | scf.ForOp) for op in before) or not all(
        block.find_ancestor_op_in_block(user) in inside for user in users
    ):
        return False
    first = section[0]
    for op in section:
        if op in before:
            op.detach()
            block.insert_op_before(op, first)
    builder = LocatedBuilder(InsertPoint.before(first), first.location)
    holds = _all(conditions, builder)
    whole, masked = Block(), Block()
    builder.insert(scf.IfOp(holds, [], Region(whole), Region(masked)))
    copies: dict[SSAValue, SSAValue] = {}
    for op in inside:
        new = _without_mask(op, copies)
        new.location = op.location
        for old, result in zip(op.results, new.results, strict=True):
            result.name_hint = old.name_hint
        copies.update(zip(op.results, new.results, strict=True))
        whole.add_op(new)
    _erase_unused(whole)
    for op in inside:
        op.detach()
        masked.add_op(op)
    for branch in (whole, masked):
        end = scf.YieldOp()
        end.location = first.location
        branch.add_op(end)
    return True


def _conditions(mask: SSAValue) -> Iterator[SSAValue]:
    """The conditions that all hold where all lanes of a mask do, of one lane or of several."""
    for each in conjuncts(mask):
        owner = each.owner
        if isinstance(owner, vector.BroadcastOp) and owner.source.type == i1:
            yield from _conditions(owner.source)
        elif not isinstance(owner, arith.AndIOp):
            yield each


def _all(conditions: Sequence[SSAValue], builder: LocatedBuilder) -> SSAValue:
    """Whether all conditions hold in all lanes."""
    by_lanes: dict[int | None, SSAValue] = {}
    for each in conditions:
        of_kind = by_lanes.get(lanes(each.type))
        both = each if of_kind is None else builder.insert(arith.AndIOp(of_kind, each)).result
        by_lanes[lanes(each.type)] = both
    scalars = [
        value if count is None else builder.insert(_of_all_lanes(value)).results[0]
        for count, value in by_lanes.items()
    ]
    result, *others = scalars
    for each in others:
        result = builder.insert(arith.AndIOp(result, each)).result
    return result


def _of_all_lanes(mask: SSAValue) -> Operation:
    kind = vector.CombiningKindAttr(vector.CombiningKindFlag.AND)
    properties = {"kind": kind, "fastmath": arith.FastMathFlagsAttr("none")}
    return vector.ReductionOp.create(operands=[mask], result_types=[i1], properties=properties)


def _erase_unused(block: Block) -> None:
    """Erase what was computed for masks alone."""
    for op in reversed([*block.ops]):
        if not isinstance(op, uop.StoreOp) and all(r.first_use is None for r in op.results):
            op.detach()
            op.erase()


def _without_mask(op: Operation, copies: dict[SSAValue, SSAValue]) -> Operation:
    """A copy of an op; of an access with a mask, one of the whole vector, in loops too."""
    if isinstance(op, scf.ForOp):
        loop = op.clone(copies)
        for load in [each for each in loop.walk() if _mask(each) is not None]:
            new = _without_mask(load, {})
            new.location, new.results[0].name_hint = load.location, load.results[0].name_hint
            block = load.parent
            assert block is not None
            block.insert_op_before(new, load)
            replace_uses(load.results[0], new.results[0])
            erase(load)
        return loop
    if _mask(op) is None:
        return op.clone(copies)
    values = [copies.get(value, value) for value in op.operands]
    if isinstance(op, uop.LoadOp):
        return uop.LoadOp(values[0], values[1], op.result.type)
    assert isinstance(op, uop.StoreOp)
    return uop.StoreOp(values[0], values[1], values[2], None, op.streaming)
