"""Removal of what nobody can notice: unused operations, in cycles too, and unreachable blocks.

An operation is live if it must stay (it has effects, ends a block, defines a symbol) or if a live
one uses a result of it. One pass over the text and one over the uses: linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Block, Operation, Region

from teenyir.analysis.dominance import has_graph_regions
from teenyir.analysis.effects import may_go_if_unused

OnRemoval = Callable[[Operation], None]


def eliminate_dead_code(root: Operation, on_removal: OnRemoval | None = None) -> int:
    """Remove the dead operations and blocks inside `root`; returns how many operations went.

    `on_removal` is called with each operation, just before it goes; operations inside it go
    with it.
    """
    return sum(_sweep(region, _live(region), on_removal) for region in root.regions)


def cyclic_regions(ops: Iterable[Operation]) -> list[Region]:
    """The regions of operations where dead ones may use each other, or blocks be unreachable.

    Where a use follows its definition in the text, operations that go one by one as they become
    unused leave nothing to find. That holds but in regions with several blocks, and in those whose
    order does not matter.
    """
    return [
        region
        for op in ops
        for region in op.regions
        if region.first_block is not region.last_block
        or (has_graph_regions(op) and any(map(may_go_if_unused, region.ops)))
    ]


def eliminate_dead_cycles(regions: Iterable[Region]) -> int:
    """Remove the dead operations and blocks in regions; returns how many operations went.

    Regions that have gone, on their own or with one before them here, are passed over.
    """
    present = (region for region in regions if region.parent is not None)
    return sum(_sweep(region, _live(region), None) for region in present)


def _live(region: Region) -> set[Operation]:
    """The live operations in a region, and in the regions of those."""
    live = set(_roots(region))
    pending = list(live)
    while pending:
        op = pending.pop()
        owners = [operand.owner for operand in op.operands]
        found = [owner for owner in owners if isinstance(owner, Operation)]
        for inner in op.regions:
            found += _roots(inner)
        for new in found:
            if new not in live:
                live.add(new)
                pending.append(new)
    return live


def _roots(region: Region) -> list[Operation]:
    """The operations of a region, not those nested in it, that must stay."""
    return [op for block in _reachable(region) for op in block.ops if not may_go_if_unused(op)]


def _reachable(region: Region) -> list[Block]:
    """The blocks that control flow reaches from the entry of a region."""
    if (entry := region.first_block) is None:
        return []
    reached = {entry: None}
    pending = [entry]
    while pending:
        last = pending.pop().last_op
        for successor in last.successors if last is not None else ():
            if successor not in reached:
                reached[successor] = None
                pending.append(successor)
    return list(reached)


def _sweep(region: Region, live: set[Operation], on_removal: OnRemoval | None) -> int:
    if region.first_block is None:
        return 0
    reached = set(_reachable(region)) if region.first_block is not region.last_block else None
    removed = 0
    for block in reversed(list(region.blocks)):
        if reached is not None and block not in reached:
            removed += _notify(block, on_removal)
            region.erase_block(block, safe_erase=False)
            continue
        for op in reversed(list(block.ops)):
            if op in live:
                removed += sum(_sweep(inner, live, on_removal) for inner in op.regions)
            else:
                removed += 1
                if on_removal is not None:
                    on_removal(op)
                block.erase_op(op, safe_erase=False)
    return removed


def _notify(block: Block, on_removal: OnRemoval | None) -> int:
    ops = list(block.ops)
    if on_removal is not None:
        for op in reversed(ops):
            on_removal(op)
    return len(ops)
