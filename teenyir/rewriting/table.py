"""Rows, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation

from teenyir.rewriting.rewriter import Replacement, Rewriter


@dataclass(frozen=True)
class Row:
    """One rewrite."""

    name: str
    """What statistics and messages call it."""
    ops: tuple[type[Operation], ...]
    """The kinds of operations that it looks at; a base class stands for all of its kinds."""
    rewrite: Callable[[Any, Rewriter], Replacement]
    needs_constant: bool = False
    """Whether it fits only operations with a constant among their operands: not tried otherwise."""
    local: bool = False
    """Whether nothing matters to it but the operation, its operands and what defines those, and its
    answer is all that it does: then it need not be tried again where none of these changed."""
    source: object = None
    """What was written to make it, where `rewrite` is only an adapter: traces name its place."""


class Table:
    """Rows, by the kind of operation that they look at and in order. Tables add up with `+`."""

    def __init__(self, *rows: Row) -> None:
        self.rows = rows
        self._by_kind: dict[type[Operation], tuple[Row, ...]] = {}
        self._far: set[type[Operation]] = set()

    def __add__(self, other: Table) -> Table:
        return Table(*self.rows, *other.rows)

    def rows_for(self, kind: type[Operation]) -> tuple[Row, ...]:
        """The rows that look at operations of a kind."""
        rows = self._by_kind.get(kind)
        if rows is None:
            rows = self._by_kind[kind] = self.find(kind)
            if not all(row.local for row in rows):
                self._far.add(kind)
        return rows

    def far_kinds(self) -> Set[type[Operation]]:
        """The kinds of operation, of those met so far, that have rows which are not local."""
        return self._far

    def find(self, kind: type[Operation]) -> tuple[Row, ...]:
        """`rows_for`, worked out; called once for a kind."""
        kinds = frozenset[type](kind.__mro__)
        return tuple(row for row in self.rows if not kinds.isdisjoint(row.ops))
