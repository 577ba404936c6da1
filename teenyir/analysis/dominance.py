"""Dominance: which values an operation may use.

In a region with one block, a value may be used by whatever follows its definition in the text,
and in the regions of what follows. In a region with several blocks, the definition's block must
dominate the use's (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001); blocks
that control flow cannot reach are exempt, as in MLIR. A few operations, `builtin.module` among
them, have graph regions, where the order does not matter.

xDSL's verifier checks none of this.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from teenyir.analysis.manager import Analysis

GRAPH_REGION_OPS = frozenset({"builtin.module", "hw.module", "pdl.pattern", "test.op"})
"""Operations in whose regions a value may be used before it is defined; unregistered ones, too.

`kernel.func` is not one: its body is a DAG, but written in an order that respects it.
"""


def has_graph_regions(op: Operation) -> bool:
    """Whether the order of the operations in the regions of `op` does not matter."""
    return op.name in GRAPH_REGION_OPS or isinstance(op, UnregisteredOp)


def dominator_tree(region: Region) -> dict[Block, Block]:
    """The immediate dominator of each block that the entry block reaches; the entry's is itself."""
    order = _reverse_post_order(region)
    number = {block: i for i, block in enumerate(order)}
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            if successor in number:
                predecessors[successor].append(block)
    dominator: dict[Block, Block] = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            candidates = [p for p in predecessors[block] if p in dominator]
            new = candidates[0]
            for other in candidates[1:]:
                new = _intersect(new, other, dominator, number)
            if dominator.get(block) is not new:
                dominator[block] = new
                changed = True
    return dominator


def dominated_blocks(region: Region) -> dict[Block, list[Block]]:
    """The blocks that each block immediately dominates: the dominator tree, from its root."""
    children: dict[Block, list[Block]] = {}
    for block, dominator in dominator_tree(region).items():
        if block is not dominator:
            children.setdefault(dominator, []).append(block)
    return children


def dominator_trees(op: Operation) -> dict[Region, dict[Block, list[Block]]]:
    """`dominated_blocks` of each region of `op` that has several blocks."""
    return {
        region: dominated_blocks(region)
        for region in op.regions
        if region.first_block is not region.last_block
    }


DOMINANCE = Analysis("dominance", dominator_trees)
"""The dominator trees of an operation's own regions. Erasing operations that end no block, and
blocks that cannot be reached, preserves it."""


def _intersect(
    a: Block, b: Block, dominator: dict[Block, Block], number: dict[Block, int]
) -> Block:
    while a is not b:
        while number[a] > number[b]:
            a = dominator[a]
        while number[b] > number[a]:
            b = dominator[b]
    return a


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


def _reverse_post_order(region: Region) -> list[Block]:
    entry = region.first_block
    assert entry is not None
    post_order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_successors(successor))))
                break
        else:
            post_order.append(block)
            stack.pop()
    return post_order[::-1]


@dataclass(frozen=True)
class Violation:
    """An operand that its definition does not dominate."""

    op: Operation
    index: int
    """Which operand of `op`."""

    @property
    def value(self) -> SSAValue:
        return self.op.operands[self.index]


def check_dominance(op: Operation) -> Iterator[Violation]:
    """Every operand in the regions of `op` that is not visible where it is used, in text order.

    Values defined outside of `op` count as visible. Linear in the size of the IR, but for the
    dominator trees of regions with several blocks.
    """
    return _Checker(op).check()


@dataclass
class _Checker:
    """Walks the text with the set of the values that are visible at the current place.

    Values are told apart by their ids, since hashing one runs Python.
    """

    root: Operation
    visible: set[int] = field(default_factory=set[int])

    def check(self) -> Iterator[Violation]:
        yield from self._regions(self.root)

    def _regions(self, op: Operation) -> Iterator[Violation]:
        isolated = op is not self.root and op.has_trait(
            IsolatedFromAbove, value_if_unregistered=False
        )
        outer = self.visible
        if isolated:
            self.visible = set()
        for region in op.regions:
            yield from self._region(region, has_graph_regions(op))
        self.visible = outer

    def _region(self, region: Region, graph: bool) -> Iterator[Violation]:
        entry = region.first_block
        if entry is None:
            return
        if entry.next_block is None:
            added = yield from self._block(entry, graph)
            self.visible.difference_update(added)
            return
        yield from self._blocks(region, entry)

    def _blocks(self, region: Region, entry: Block) -> Iterator[Violation]:
        """The blocks in an order where each comes inside the scope of those that dominate it."""
        children = dominated_blocks(region)
        added = yield from self._block(entry, False)
        stack = [(iter(children.get(entry, ())), added)]
        while stack:
            remaining, added = stack[-1]
            child = next(remaining, None)
            if child is None:
                self.visible.difference_update(added)
                stack.pop()
            else:
                added = yield from self._block(child, False)
                stack.append((iter(children.get(child, ())), added))

    def _block(self, block: Block, graph: bool) -> Generator[Violation, None, list[int]]:
        """Check one block; the generator's value is the list of what became visible in it."""
        visible = self.visible
        added = [id(argument) for argument in block.args]
        if graph:
            added += [id(result) for op in block.ops for result in op.results]
        visible.update(added)
        for op in block.ops:
            for index, operand in enumerate(op.operands):
                if id(operand) not in visible and not self._from_outside(operand):
                    yield Violation(op, index)
            if op.regions:
                yield from self._regions(op)
            if not graph:
                for result in op.results:
                    added.append(id(result))
                    visible.add(id(result))
        return added

    def _from_outside(self, value: SSAValue) -> bool:
        """Whether a value is defined outside of the root, where this check cannot judge."""
        match value:
            case OpResult():
                return not self.root.is_ancestor(value.op)
            case BlockArgument():
                return not self.root.is_ancestor(value.block)
            case _:
                return False
