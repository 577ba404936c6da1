"""Analyses on demand: worked out when a pass asks, kept until a pass changes what they are about.

An analysis is a function of an operation with a name:

    DOMINANCE = Analysis("dominance", dominator_trees)

A pass asks its session for the result, and says at its end which analyses still hold although it
changed something (`Session.preserve`). The others are dropped for the operation that it ran on,
what is inside it and what is around it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from xdsl.ir import Operation

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Analysis(Generic[Result]):
    """Something that can be found out about an operation."""

    name: str
    """What statistics and times call it."""
    compute: Callable[[Any], Result]
    """Finds it out. Takes the operations that it is for, and changes nothing."""


def _untimed(name: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass
class Analyses:
    """The results that still hold."""

    scope: Callable[[str], AbstractContextManager[None]] = _untimed
    """What an analysis of a name is computed in: a timer's scope, where one runs."""
    _results: dict[Operation, dict[Analysis[Any], Any]] = field(
        default_factory=dict[Operation, dict[Analysis[Any], Any]]
    )

    def holds(self, analysis: Analysis[Any], op: Operation) -> bool:
        """Whether the result is there already."""
        return analysis in self._results.get(op, {})

    def get(self, analysis: Analysis[Result], op: Operation) -> Result:
        """The result of an analysis of an operation: the one that is there, or a new one."""
        results = self._results.setdefault(op, {})
        if analysis not in results:
            with self.scope(analysis.name):
                results[analysis] = analysis.compute(op)
        return results[analysis]

    def drop(self, changed: Operation, preserved: Collection[Analysis[Any]] = ()) -> None:
        """Forget what was known of `changed`, of what is inside it and of what is around it.

        Results of `preserved` analyses stay; what is known of operations that have gone does not.
        """
        for op in [o for o in self._results if o.is_ancestor(changed) or changed.is_ancestor(o)]:
            kept = {a: r for a, r in self._results[op].items() if a in preserved}
            if kept:
                self._results[op] = kept
            else:
                del self._results[op]
        for op in [o for o in self._results if o.parent is None and not _is_root(o, changed)]:
            del self._results[op]

    def clear(self) -> None:
        """Forget everything."""
        self._results.clear()


def _is_root(op: Operation, inner: Operation) -> bool:
    return op.is_ancestor(inner)
