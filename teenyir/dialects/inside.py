"""The operations inside another one, without xDSL's detours.

Passes look through whole modules for what is theirs to do, and mostly find nothing: xDSL's `walk`
passes each operation through a generator for every level, and `isinstance` of its classes, which
are abstract, runs Python for each that is of another kind.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TypeVar, cast

from xdsl.ir import Block, Operation, Region

Kind = TypeVar("Kind", bound=Operation)


def operations(op: Operation) -> list[Operation]:
    """An operation and those nested in it, as they are now, in the order of the text."""
    found = [op]
    for region in op.regions:
        operations_in(region, found)
    return found


def of_kind(op: Operation, kind: type[Kind]) -> list[Kind]:
    """Those of them that are of one kind, and of no kind derived from it."""
    return cast("list[Kind]", [each for each in operations(op) if each.__class__ is kind])


def ops_of(block: Block) -> list[Operation]:
    """The operations of a block, not those nested in them, as they are now."""
    found: list[Operation] = []
    op = block._first_op
    while op is not None:
        found.append(op)
        op = op._next_op
    return found


def operations_in(region: Region, into: list[Operation]) -> None:
    """Add the operations in a region, and those nested in it, to a list."""
    block = region.first_block
    while block is not None:
        op = block._first_op
        while op is not None:
            into.append(op)
            if op.regions:
                for inner in op.regions:
                    operations_in(inner, into)
            op = op._next_op
        block = block.next_block
