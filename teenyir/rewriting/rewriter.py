"""What rows change IR with, and the list of operations that are still to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.rewriter import InsertPoint

from teenyir.rewriting.locations import LocationListener

Replacement: TypeAlias = SSAValue | Operation | Sequence[SSAValue] | None
"""What a row answers: what takes the operation's place, or None."""


class Rewriter(PatternRewriter):
    """What a row changes IR with: xDSL's rewriter, which tells the worklist what changed."""

    root: Operation
    """The operation that is being rewritten."""

    def __init__(self, worklist: Worklist) -> None:
        super().__init__(InsertPoint(Block()))
        self._worklist = worklist
        self.locations = LocationListener()
        for listener in (self.locations, worklist.listener()):
            self.extend_from_listener(listener)

    def start(self, op: Operation) -> None:
        """Begin with an operation: what is inserted goes before it and gets its location."""
        self.has_done_action = False
        self._current_operation = op
        self.root = self.locations.root = op
        self.insertion_point = InsertPoint.before(op)
        self.name_hint = None

    def put(self, op: Operation, new: SSAValue | Operation | Sequence[SSAValue]) -> None:
        """Put `new` in the place of `op`.

        The same as `replace`, but for what nobody listens to.
        """
        values = (new,) if isinstance(new, SSAValue) else new
        if isinstance(values, Operation):
            if values.parent is None:
                self.insert(values, InsertPoint.before(op))
            values = values.results
        self.has_done_action = True
        push = self._worklist.push
        for old, value in zip(op.results, values, strict=True):
            for use in old.uses:
                push(use.operation)
            old.replace_all_uses_with(value)
            owner = value.owner
            if isinstance(owner, Operation) and owner is not op:
                self.locations.merge(owner, op)
        self._worklist.removed(op)
        op.detach()
        op.erase()


class Worklist:
    """The operations to look at: last in, first out, and each of them once."""

    def __init__(self) -> None:
        self._ops: dict[Operation, None] = {}

    def fill(self, root: Operation) -> int:
        """Everything inside `root`, to come out in the order of the text; returns how many."""
        ops = [op for region in root.regions for op in region.walk()]
        self._ops = dict.fromkeys(reversed(ops))
        return len(ops)

    def pop(self) -> Operation | None:
        """The next operation, or None."""
        return self._ops.popitem()[0] if self._ops else None

    def push(self, op: Operation) -> None:
        """Look at an operation, next of all."""
        self._ops.pop(op, None)
        self._ops[op] = None

    def removed(self, op: Operation) -> None:
        """Forget an operation that goes, and look at those it used that have few uses left.

        One that has none is dead, and rows that ask for a single use may fit now.
        """
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner.parent is not None and _few_uses(operand):
                self.push(owner)
        for inner in op.walk() if op.regions else (op,):
            self._ops.pop(inner, None)

    def _inserted(self, op: Operation) -> None:
        for inner in op.walk() if op.regions else (op,):
            self.push(inner)

    def _replaced(self, op: Operation, new_results: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                self.push(use.operation)

    def listener(self) -> PatternRewriterListener:
        """The listener that keeps this worklist up to date."""
        return PatternRewriterListener(
            operation_insertion_handler=[self._inserted],
            operation_removal_handler=[self.removed],
            operation_modification_handler=[self.push],
            operation_replacement_handler=[self._replaced],
        )


def _few_uses(value: SSAValue) -> bool:
    """Whether a value has two uses at most."""
    uses = iter(value.uses)
    next(uses, None)
    next(uses, None)
    return next(uses, None) is None
