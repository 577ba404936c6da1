"""What an instrument is: something that watches a pipeline run.

Instruments are independent of each other and of the passes. The pass manager calls only the
methods that an instrument overrides, so one that is not there costs nothing. One is handed to a
pass manager, or watches every pipeline that runs inside a `with` block:

    with Timing() as timing:
        traced.lower(target="cpu")
    print(timing.report())
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from teenyir.diagnostics import CompileError
from teenyir.pipeline.build import Nested
from teenyir.rewriting.base import Session


@dataclass
class PassRun:
    """One run of one pass on one operation, as instruments see it."""

    pass_: ModulePass
    op: Operation
    number: int
    """Counted from 1 over the whole pipeline."""
    session: Session
    changed: bool = True
    """Whether the pass may have changed something: false after one that says it did not."""

    @property
    def name(self) -> str:
        return self.pass_.name

    @property
    def title(self) -> str:
        """The pass, and the operation unless it is the whole module: `cse on @f`."""
        symbol = symbol_of(self.op)
        if symbol is not None:
            return f"{self.name} on @{symbol}"
        return self.name if isinstance(self.op, ModuleOp) else f"{self.name} on {self.op.name}"


def symbol_of(op: Operation) -> str | None:
    """The symbol that an operation defines, or None."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


_entered: ContextVar[tuple[Instrument, ...]] = ContextVar("entered", default=())


def entered_instruments() -> tuple[Instrument, ...]:
    """The instruments of the `with` blocks around the caller, outermost first."""
    return _entered.get()


@contextmanager
def unwatched() -> Generator[None]:
    """Hide the instruments of `with` blocks around the caller from the pipelines in this one."""
    token = _entered.set(())
    try:
        yield
    finally:
        _entered.reset(token)


class Instrument:
    """Something that watches a pipeline run: override the methods that it needs."""

    def __enter__(self) -> Self:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        _entered.set(tuple(each for each in _entered.get() if each is not self))

    phase: str | None = None
    """The name under which the time it takes is reported, if it takes some that matters."""

    def prepare(self, session: Session) -> None:
        """Called before all else: what passes say while they run is said to the session."""

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        """Called before the first pass, with the module as it came in."""

    def before_pass(self, run: PassRun) -> None:
        """Called before each pass."""

    def after_pass(self, run: PassRun) -> None:
        """Called after each pass that succeeded."""

    def pass_failed(self, run: PassRun, failure: CompileError) -> None:
        """Called after a pass, or another instrument after it, failed."""

    def after_pipeline(self, module: ModuleOp) -> None:
        """Called after the last pass, where none failed."""
