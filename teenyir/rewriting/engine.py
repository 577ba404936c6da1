"""Rewriting by tables of rows.

A row looks at one operation of a kind and either leaves it alone or rewrites it:

    def drop_zero(op: AddiOp, rewriter: Rewriter) -> Replacement:
        return op.lhs if is_zero(op.rhs) else None

    TABLE = Table(Row("add-zero", (AddiOp,), drop_zero))        # x + 0 -> x

It answers what takes the operation's place (a value, several values, or a new operation, which is
inserted), or None: it did not fit, or did its work through the rewriter itself. The rows of an
operation are tried in order, and the first that does something is all that happens to it in one
go.

`rewrite` applies a table until nothing fits. An operation is looked at again when something about
it, its operands or its users changed; a last look at everything makes sure, but for rows that
depend on no more than that (`local`). Locations are handed on. A table whose rows undo each other's
work does not run for ever: the error names the cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any, cast

from xdsl.ir import Operation, OpResult

from teenyir.analysis.effects import is_dead
from teenyir.diagnostics import PassError, error, note
from teenyir.rewriting.base import Rewrite, Session
from teenyir.rewriting.counters import Counted
from teenyir.rewriting.dce import cyclic_regions, eliminate_dead_cycles
from teenyir.rewriting.locations import is_constant, place_of_op
from teenyir.rewriting.rewriter import Replacement, Rewriter, Worklist
from teenyir.rewriting.surgery import operands_of
from teenyir.rewriting.table import Row, Table

__all__ = ["Replacement", "Rewriter", "Row", "Table", "rewrite"]

MOST_REWRITES = 64
"""Rewrites for each operation there is, on average, before rewriting is taken to be endless."""
FEWEST_REWRITES = 4096
"""Rewrites that any module may take."""
LONGEST_CYCLE = 32
"""Rewrites that are remembered to name a cycle."""


def _has_constant_operand(op: Operation) -> bool:
    for operand in operands_of(op):
        if type(operand) is OpResult and is_constant(type(operand.op)):
            return True
    return False


def rewrite(root: Operation, table: Table, session: Session) -> bool:
    """Apply a table to everything inside `root`, and drop what is dead, until nothing changes.

    Returns whether anything changed. Counts, for the pass that runs, how often each row was
    applied. Raises `PassError` if the rows do not come to an end.
    """
    return _Driver(root, table, session).run()


class _Driver:
    def __init__(self, root: Operation, table: Table, session: Session) -> None:
        self._root = root
        self._table = table
        self._session = session
        self._worklist = Worklist()
        self._rewriter = Rewriter(self._worklist)
        self._apply = self._profiled if session.profile_rows else self._applied
        if session.debug_counters:
            self._apply = Counted(session.debug_counters, self._apply).counted
        if session.on_rewrite is not None:
            self._apply = _Tracer(session, self._rewriter, self._apply).traced
        self._recent: deque[str] = deque(maxlen=2 * LONGEST_CYCLE)
        self._left = 0
        self._anything = False
        """Whether something was done, in the current sweep, that may matter to any row."""

    def run(self) -> bool:
        changed = False
        ops = self._worklist.fill(self._root)
        self._left = max(FEWEST_REWRITES, MOST_REWRITES * len(ops))
        while self._sweep(ops):
            changed = True
            if not (self._anything or self._table.far_kinds()):
                break
            ops = self._worklist.fill(self._root)
            if not self._anything:
                far = self._table.far_kinds()
                self._worklist.fill_with([op for op in ops if type(op) in far])
        return changed

    def _sweep(self, ops: Sequence[Operation]) -> bool:
        """Empty the worklist; whether anything changed. `ops` is everything inside the root."""
        changed = self._anything = False
        cyclic = cyclic_regions((self._root, *(op for op in ops if op.regions)))
        rows_for = self._table.rows_for
        while (op := self._worklist.pop()) is not None:
            if is_dead(op):
                self._session.count("dead operations removed")
                self._rewriter.drop(op)
                changed = True
            elif rows := rows_for(type(op)):
                changed |= self._visit(op, rows)
        if removed := eliminate_dead_cycles(cyclic):
            self._session.count("dead operations removed", removed)
            changed = self._anything = True
        return changed

    def _visit(self, op: Operation, rows: tuple[Row, ...]) -> bool:
        """Try the rows on an operation up to the first that does something."""
        constant: bool | None = None
        for row in rows:
            if row.needs_constant:
                if constant is None:
                    constant = _has_constant_operand(op)
                if not constant:
                    continue
            if self._session.rewrites_left == 0:
                continue
            self._rewriter.start(op)
            if self._apply(op, row):
                self._anything |= not row.local
                self._count(op, row)
                return True
        return False

    def _count(self, op: Operation, row: Row) -> None:
        """Note that a row was applied. Raises `PassError` if that was once too often."""
        self._session.count(row.name)
        if self._session.rewrites_left is not None:
            self._session.rewrites_left -= 1
        self._recent.append(row.name)
        self._left -= 1
        if self._left == 0:
            raise self._endless(op)

    def _applied(self, op: Operation, row: Row) -> bool:
        new = row.rewrite(op, self._rewriter)
        if new is not None:
            self._rewriter.put(op, new)
        return self._rewriter.has_done_action

    def _profiled(self, op: Operation, row: Row) -> bool:
        start = perf_counter_ns()
        applied = self._applied(op, row)
        self._session.count(f"{row.name} (ns)", perf_counter_ns() - start)
        self._session.count(f"{row.name} (tried)")
        return applied

    def _endless(self, op: Operation) -> PassError:
        cycle = " -> ".join(_cycle(list(self._recent)))
        return PassError(
            error(
                "rewriting does not come to an end",
                place_of_op(op) if op.parent is not None else place_of_op(self._root),
                note(f"these rows follow each other again and again: {cycle}"),
            )
        )


class _Tracer:
    """Tells the session of each application of a row."""

    def __init__(
        self,
        session: Session,
        rewriter: Rewriter,
        apply: Callable[[Operation, Row], bool],
    ) -> None:
        self._session = session
        self._apply = apply
        self._inserted: list[Operation] = []
        rewriter.operation_insertion_handler.append(self._inserted.append)

    def traced(self, op: Operation, row: Row) -> bool:
        """Apply a row, and tell what it did."""
        self._inserted.clear()
        before, location = str(op), op.location
        if not self._apply(op, row):
            return False
        after = tuple(str(new) for new in self._inserted if new.parent is not None)
        on_rewrite = self._session.on_rewrite
        assert on_rewrite is not None
        source = _source_of(row.source or row.rewrite)
        on_rewrite(Rewrite(self._session.pass_name, row.name, source, before, after, location))
        return True


def _source_of(function: object) -> tuple[str, int] | None:
    """The file and line of a function or a class."""
    import inspect

    try:
        _, line = inspect.getsourcelines(cast(Any, function))
        return inspect.getsourcefile(cast(Any, function)) or "", line
    except (OSError, TypeError):
        return None


def _cycle(recent: list[str]) -> list[str]:
    """The shortest sequence that the end of a history repeats, closed with its first element.

    It begins with the first in the alphabet, wherever the history ended.
    """
    for length in range(1, len(recent) // 2 + 1):
        last, before = recent[-length:], recent[-2 * length : -length]
        if last == before:
            start = last.index(min(last))
            return [*last[start:], *last[: start + 1]]
    return recent
