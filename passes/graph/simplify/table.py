"""What a row of the table is, and the worklist that applies rows until none matches.

A row looks at one op and answers a value that its result can be replaced by: an existing one, or
that of a new op. Each application makes the program smaller or moves it toward one form (a chain
of movement ops becomes one), so that it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import graph
from teenyir.rewriting.locations import locate

Replacement: TypeAlias = SSAValue | graph.GraphOp | None
OpT = TypeVar("OpT", bound=graph.GraphOp)


@dataclass(frozen=True)
class Row:
    """A rewrite of one kind of op."""

    name: str
    """What statistics call it."""
    ops: tuple[type[graph.GraphOp], ...]
    rewrite: Callable[[Any], Replacement]
    """The value, or the new op, that replaces the op's result; None where the row does not fit."""


def row(
    name: str, ops: type[OpT] | tuple[type[OpT], ...], rewrite: Callable[[OpT], Replacement]
) -> Row:
    """A row for one op or for several."""
    return Row(name, ops if isinstance(ops, tuple) else (ops,), rewrite)


class Table:
    """Rows by the op that they look at, in order."""

    def __init__(self, *rows: Row) -> None:
        self.rows = rows
        self.by_op: dict[type[Operation], list[Row]] = {}
        for entry in rows:
            for op in entry.ops:
                self.by_op.setdefault(op, []).append(entry)

    def replacement(self, op: Operation) -> tuple[Row, SSAValue | graph.GraphOp] | None:
        """The first row that fits an op, and what it answers."""
        for entry in self.by_op.get(type(op), ()):
            if (found := entry.rewrite(op)) is not None:
                return entry, found
        return None


def simplify(root: Operation, table: Table, count: Callable[[str], None]) -> None:
    """Apply the rows of a table to the ops in `root` until none fits, and drop what is unused."""
    # popped from the end: the ops come in their order
    worklist = dict.fromkeys(reversed([op for op in root.walk() if type(op) in table.by_op]))
    while worklist:
        op, _ = worklist.popitem()
        if op.results[0].first_use is None:
            worklist.update(dict.fromkeys(_erase(op, worklist)))
        elif (found := table.replacement(op)) is not None:
            entry, new = found
            count(entry.name)
            worklist.update(dict.fromkeys(_replace(op, new)))
            worklist[op] = None  # unused now


def _replace(op: Operation, new: SSAValue | graph.GraphOp) -> Iterator[Operation]:
    """Put `new` in the place of an op's result; yields the ops that may simplify now."""
    result = op.results[0]
    if isinstance(new, Operation):
        block = op.parent_block()
        assert block is not None
        locate(new, op)
        block.insert_op_before(new, op)
        yield new
        new = new.results[0]
    new.name_hint = new.name_hint or result.name_hint
    for use in result.uses:
        if isinstance(use.operation, graph.GraphOp):
            yield use.operation
    result.replace_all_uses_with(new)


def _erase(op: Operation, worklist: dict[Operation, None]) -> list[Operation]:
    """Drop an unused op; answers the ops before it that may be unused now."""
    before = [owner for value in op.operands if isinstance(owner := value.owner, graph.GraphOp)]
    op.detach()
    op.erase()
    worklist.pop(op, None)
    return [cast(Operation, owner) for owner in before if owner.results[0].first_use is None]
