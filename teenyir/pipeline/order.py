"""Which passes must not come after which, and why: checked before a pipeline runs.

A constraint is about pipelines that hold both passes, at whatever depth: each run of `first` has to
come before each run of `then`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from teenyir.diagnostics import Diagnostic, Location, PipelineError, error, note


@dataclass(frozen=True)
class Order:
    """A pair of passes whose order matters."""

    first: str
    then: str
    reason: str
    """Ends the sentence that names the two."""


ORDER: tuple[Order, ...] = (
    Order("simplify-graph", "graph-to-kernel", "after it no tensors are left to simplify"),
    Order("graph-to-kernel", "kernel-to-uop", "kernels made after it would not become loops"),
    Order("kernel-to-uop", "expand-sort", "that works on loops, and would miss what is none"),
    Order("kernel-to-uop", "split-sums", "that works on loops, and would miss what is none"),
    Order("expand-sort", "legalize-floats", "that would miss what sorts compare"),
    Order("kernel-to-uop", "legalize-floats", "that works on loops, and would miss what is none"),
    Order("kernel-to-uop", "expand-math", "that works on loops, and would miss what is none"),
    Order("legalize-floats", "expand-math", "that knows f32, which f16 and bf16 become here"),
    Order("legalize-floats", "floats-to-bytes", "that is for what it leaves of narrow floats"),
    Order("floats-to-bytes", "uop-to-llvm", "after it no loops are left to turn to bytes"),
    Order("legalize-floats", "uop-to-llvm", "after it no loops are left to legalize"),
    Order("expand-math", "uop-to-llvm", "after it no loops are left to expand in"),
    Order("legalize-floats", "expand-remainders", "that knows f32, which f16 and bf16 become here"),
    Order("plan-arena", "uop-to-llvm", "the entry that it makes holds the place of every buffer"),
)
"""The constraints between our passes."""


@dataclass(frozen=True)
class Placed:
    """A pass in a pipeline, and where that says so."""

    name: str
    location: Location | None = None


def check_order(passes: Iterable[Placed], order: Iterable[Order] = ORDER) -> None:
    """Raise `PipelineError` with every pair of passes that stand in the wrong order."""
    ran: dict[str, Placed] = {}
    wrong: list[Diagnostic] = []
    by_first: dict[str, list[Order]] = {}
    for constraint in order:
        by_first.setdefault(constraint.first, []).append(constraint)
    for placed in passes:
        for constraint in by_first.get(placed.name, ()):
            if (earlier := ran.get(constraint.then)) is not None:
                wrong.append(_error(constraint, placed, earlier))
        ran.setdefault(placed.name, placed)
    if wrong:
        raise PipelineError(*wrong)


def _error(constraint: Order, late: Placed, early: Placed) -> Diagnostic:
    message = f"'{constraint.first}' has to come before '{constraint.then}': {constraint.reason}"
    return error(message, late.location, note(f"'{constraint.then}' comes here", early.location))
