"""How often loops that run as long as the data says may run, where somebody asked for a limit."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import RunError, error


class Endless(RunError):
    """A loop that has run for longer than it may."""


@dataclass
class _Budget:
    limit: int
    left: int


_budget: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def at_most(iterations: int) -> Generator[None]:
    """Let the loops inside a `with` block run for so many iterations, all together."""
    token = _budget.set(_Budget(iterations, iterations))
    try:
        yield
    finally:
        _budget.reset(token)


def count_iteration(loop: Operation) -> None:
    """Count one iteration of a loop. Raises Endless, at the loop, where it is one too many."""
    budget = _budget.get()
    if budget is None:
        return
    budget.left -= 1
    if budget.left < 0:
        message = f"'{loop.name}': has not ended after {budget.limit} iterations"
        raise Endless(error(message, place_of_op(loop)))
