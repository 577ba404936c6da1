"""Debug counters: only some of the applications of a rewrite row happen.

Whether a row fits is known when it has begun to change something, so an application that is to be
left out is tried with a rewriter that stops it at its first change. What the row did before that
is undone: rows build operations, or set the operands and attributes of the one they look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Attribute, Operation, Region, SSAValue

from teenyir.rewriting.rewriter import Rewriter, Worklist
from teenyir.rewriting.table import Row


@dataclass
class DebugCounter:
    """Which applications of a row happen: none of the first `skip`, then `count`, then none."""

    skip: int = 0
    count: int | None = None
    """None for all that follow."""
    fitted: int = 0
    """How often the row was found to fit, so far."""
    met: bool = False
    """Whether there was an operation for the row to look at."""
    skipped: set[Operation] = field(default_factory=set[Operation])
    """Where an application was left out: it is not tried there again."""

    @property
    def used_up(self) -> bool:
        """Whether no more applications may happen."""
        return self.count is not None and self.fitted >= self.skip + self.count


class Counted:
    """Applies rows as counters, by the name of the row, allow."""

    def __init__(
        self, counters: Mapping[str, DebugCounter], apply: Callable[[Operation, Row], bool]
    ) -> None:
        self._counters = counters
        self._apply = apply
        self._rewriter = _Stopped(Worklist())

    def counted(self, op: Operation, row: Row) -> bool:
        """Apply a row, if its turn has come."""
        counter = self._counters.get(row.name)
        if counter is None:
            return self._apply(op, row)
        counter.met = True
        if counter.used_up or op in counter.skipped:
            return False
        if counter.fitted < counter.skip:
            if self._fits(op, row):
                counter.fitted += 1
                counter.skipped.add(op)
            return False
        applied = self._apply(op, row)
        counter.fitted += applied
        return applied

    def _fits(self, op: Operation, row: Row) -> bool:
        """Whether a row would do something to an operation. Leaves the IR as it is."""
        before = _State.of(op)
        self._rewriter.start(op)
        try:
            return row.rewrite(op, self._rewriter) is not None
        except _FitsError:
            return True
        finally:
            before.restore(op)


class _FitsError(Exception):
    """A row that was only tried began to change something."""


class _Stopped(Rewriter):
    """Refuses every change."""

    @property
    def has_done_action(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return False

    @has_done_action.setter
    def has_done_action(self, value: bool) -> None:
        # xDSL's rewriter sets it before a change, but for the two methods below
        if value:
            raise _FitsError

    def replace_all_uses_with(self, *_: Any, **__: Any) -> None:
        raise _FitsError

    def replace_uses_with_if(self, *_: Any, **__: Any) -> None:
        raise _FitsError


@dataclass
class _State:
    """What a row may set in the operation that it looks at."""

    operands: tuple[SSAValue, ...]
    attributes: dict[str, Attribute]
    properties: dict[str, Attribute]
    regions: list[Region]

    @staticmethod
    def of(op: Operation) -> _State:
        return _State(
            tuple(op.operands), dict(op.attributes), dict(op.properties), list(op.regions)
        )

    def restore(self, op: Operation) -> None:
        """Put it back, and forget the operations that were built for nothing."""
        op.operands = self.operands
        op.attributes = self.attributes
        op.properties = self.properties
        for region in self.regions:
            if region.parent is not op:
                if region.parent is not None:
                    region.parent.detach_region(region)
                op.add_region(region)
        for value in set(_values_near(op)):
            for user in [use.operation for use in value.uses]:
                if user.parent is None and user is not op:
                    user.drop_all_references()


def _values_near(op: Operation) -> Iterator[SSAValue]:
    """The values that a row finds when it looks at an operation and at what that uses."""
    for operand in op.operands:
        yield operand
        if isinstance(operand.owner, Operation):
            yield from operand.owner.operands
    yield from op.results
