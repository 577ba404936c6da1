"""Copies of operations, with all that is in them.

What is copied is the same as by xDSL's `clone`, which sets the operands of each operation twice and
matches each name of a value against what names may be. Whole kernels and modules are copied before
they are changed.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

from teenyir.dialects.building import made

Kind = TypeVar("Kind", bound=Operation)


def copy_of(op: Kind) -> Kind:
    """A copy of an operation, outside of any block, on the operands that it has."""
    return _Copying().whole(op)


def copy_of_region(region: Region) -> Region:
    """A copy of a region, in no operation."""
    return _Copying().whole_region(region)


class _Copying:
    def __init__(self) -> None:
        self._values: dict[int, SSAValue] = {}
        """The copy of each value, by its id, since hashing a value runs Python."""
        self._blocks: dict[int, Block] = {}
        self._early: list[Operation] = []
        """Copies with operands that are from outside, or whose own copies come later."""

    def whole(self, op: Kind) -> Kind:
        new = self._op(op)
        self._finish()
        return new

    def whole_region(self, region: Region) -> Region:
        new = self._region(region)
        self._finish()
        return new

    def _finish(self) -> None:
        """In a graph region, and in blocks, a value may be used before it in the text."""
        values = self._values
        for new in self._early:
            if any(id(value) in values for value in new._operands):
                new.operands = [values.get(id(value), value) for value in new._operands]

    def _op(self, old: Kind) -> Kind:
        values = self._values
        operands = [values.get(id(value), value) for value in old._operands]
        types = [result.type for result in old.results]
        new = made(type(old), operands, types, old.properties)
        new.attributes = dict(old.attributes)
        new.location = old.location
        for value, copy in zip(old.results, new.results, strict=True):
            copy._name = value._name
            values[id(value)] = copy
        if any(value is copy for value, copy in zip(old._operands, operands, strict=True)):
            self._early.append(new)
        if old._successors:
            new.successors = [self._blocks.get(id(block), block) for block in old._successors]
        for region in old.regions:
            new.add_region(self._region(region))
        return new

    def _region(self, old: Region) -> Region:
        blocks = [self._block(block) for block in old.blocks]
        for block, copy in zip(old.blocks, blocks, strict=True):
            for op in block.ops:
                copy.add_op(self._op(op))
        return Region(blocks)

    def _block(self, old: Block) -> Block:
        """A copy of a block with its arguments, still empty: operations may name later blocks."""
        new = Block(arg_types=[argument.type for argument in old.args])
        self._blocks[id(old)] = new
        for argument, copy in zip(old.args, new.args, strict=True):
            copy._name, copy.location = argument._name, argument.location
            self._values[id(argument)] = copy
        return new
