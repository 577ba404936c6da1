"""What rows change IR with, and the list of operations that are still to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.rewriter import InsertPoint

from teenyir.dialects.inside import operations_in
from teenyir.rewriting.locations import LocationListener
from teenyir.rewriting.surgery import (
    erase,
    has_other_uses,
    operands_of,
    replace_uses,
    users_of,
)

Replacement: TypeAlias = SSAValue | Operation | Sequence[SSAValue] | None
"""What a row answers: what takes the operation's place, or None."""


class Rewriter(PatternRewriter):
    """What a row changes IR with: xDSL's rewriter, which tells the worklist what changed."""

    root: Operation
    """The operation that is being rewritten."""

    def __init__(self, worklist: Worklist) -> None:
        super().__init__(InsertPoint(Block()))
        self._worklist = worklist
        self._point: InsertPoint | None = None
        self.locations = LocationListener()
        for listener in (self.locations, worklist.listener()):
            self.extend_from_listener(listener)

    @property
    def insertion_point(self) -> InsertPoint:
        """Where operations are inserted: before the one that is rewritten, unless a row moved it.

        It is made when it is first asked for, since most rows do not ask.
        """
        if self._point is None:
            self._point = InsertPoint.before(self.root)
        return self._point

    @insertion_point.setter
    def insertion_point(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, point: InsertPoint
    ) -> None:
        self._point = point

    def start(self, op: Operation) -> None:
        """Begin with an operation: what is inserted goes before it and gets its location."""
        self.has_done_action = False
        self._current_operation = op
        self.root = self.locations.root = op
        self._point = None
        self._name_hint = None

    def put(self, op: Operation, new: SSAValue | Operation | Sequence[SSAValue]) -> None:
        """Put `new` in the place of `op`.

        The same as `replace`, but for what nobody listens to.
        """
        if type(new) is OpResult:
            values: Sequence[SSAValue] = (new,)
        elif isinstance(new, Operation):
            if new.parent is None:
                self.insert(new, InsertPoint.before(op))
            values = new.results
        else:
            values = (new,) if isinstance(new, SSAValue) else new
        self.has_done_action = True
        for old, value in zip(op.results, values, strict=True):
            for user in users_of(old):
                self._worklist.push(user)
            replace_uses(old, value)
            if type(value) is OpResult and value.op is not op:
                self.locations.merge(value.op, op)
        self.drop(op)

    def drop(self, op: Operation) -> None:
        """Take out an operation that nobody uses."""
        self._worklist.removed(op)
        erase(op)


class Worklist:
    """The operations to look at: last in, first out, and each of them once."""

    def __init__(self) -> None:
        self._ops: dict[int, Operation] = {}
        """By their ids, since hashing an operation runs Python."""

    def fill(self, root: Operation) -> list[Operation]:
        """Everything inside `root`, to come out in the order of the text; returns it as well."""
        ops: list[Operation] = []
        for region in root.regions:
            operations_in(region, ops)
        self.fill_with(ops)
        return ops

    def fill_with(self, ops: Sequence[Operation]) -> None:
        """These operations, to come out in their order."""
        self._ops = {id(op): op for op in reversed(ops)}

    def pop(self) -> Operation | None:
        """The next operation, or None."""
        return self._ops.popitem()[1] if self._ops else None

    def push(self, op: Operation) -> None:
        """Look at an operation, next of all."""
        key = id(op)
        self._ops.pop(key, None)
        self._ops[key] = op

    def removed(self, op: Operation) -> None:
        """Forget an operation that goes, and look at those it used that have few uses left.

        One that has none is dead, and rows that ask for a single use may fit now.
        """
        gone = [op]
        for region in op.regions:
            operations_in(region, gone)
        for each in gone:
            self._let_go(each)
        for each in gone:
            self._ops.pop(id(each), None)

    def _let_go(self, user: Operation) -> None:
        for operand in operands_of(user):
            if type(operand) is OpResult and not has_other_uses(operand, user, 1):
                owner = operand.op
                if owner.parent is not None:
                    self.push(owner)

    def _inserted(self, op: Operation) -> None:
        for inner in op.walk() if op.regions else (op,):
            self.push(inner)

    def _replaced(self, op: Operation, new_results: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for user in users_of(result):
                self.push(user)

    def listener(self) -> PatternRewriterListener:
        """The listener that keeps this worklist up to date."""
        return PatternRewriterListener(
            operation_insertion_handler=[self._inserted],
            operation_removal_handler=[self.removed],
            operation_modification_handler=[self.push],
            operation_replacement_handler=[self._replaced],
        )
