"""Semantic checking: whether a module means the same after each pass as at the start.

What a module means is not for this room to say: whoever knows (an interpreter, a runtime) is handed
in, and looked at through the protocol below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from teenyir.diagnostics import Diagnostic, DifferenceError
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import Instrument, PassRun


class Meaning(Protocol):
    """Runs a module on inputs of its own choice, always the same."""

    def start(self, module: ModuleOp) -> list[Diagnostic]:
        """Run the module and remember the results; warnings for what cannot be checked."""
        ...

    def compare(self, module: ModuleOp) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Run it again: errors for what differs, and warnings for what can no longer be run."""
        ...


class CheckEach(Instrument):
    """Compares the meaning of the module after each pass with that at the start.

    Raises `DifferenceError` after the first pass that changed it. What cannot be checked is said
    once, as a warning.
    """

    phase = "semantic check"

    def __init__(self, meaning: Meaning, say: Callable[[Diagnostic], None]) -> None:
        self._meaning = meaning
        self._say = say
        self._said: set[str] = set()
        self._module: ModuleOp | None = None

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        self._module = module
        self._say_once(self._meaning.start(module))

    def after_pass(self, run: PassRun) -> None:
        assert self._module is not None
        differences, unchecked = self._meaning.compare(self._module)
        self._say_once(unchecked)
        if differences:
            raise DifferenceError(*differences)

    def _say_once(self, diagnostics: list[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if diagnostic.message not in self._said:
                self._said.add(diagnostic.message)
                self._say(diagnostic)
