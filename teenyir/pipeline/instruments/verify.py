"""Verification between passes, and that IR prints as text that means the same."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from teenyir.diagnostics import CompileError, Diagnostic, VerifyError, error, note
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import Instrument, PassRun
from teenyir.pipeline.ir import parse_module, print_module
from teenyir.pipeline.verify import Verifier, verify_module


class VerifyEach(Instrument):
    """Checks, after each pass, the operation that it ran on, unless the pass left it as it was.

    Who runs several pipelines on a module gives them one `verifier`, which then has less to do. It
    holds on to what it has seen: without one, each pipeline has its own.
    """

    phase = "verifier"

    def __init__(self, verifier: Verifier | None = None) -> None:
        self._shared = verifier
        self._verifier = verifier if verifier is not None else Verifier()

    def after_pass(self, run: PassRun) -> None:
        if run.changed or not self._verifier.has_checked(run.op):
            verify_module(run.op, self._verifier)

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        if self._shared is None:
            self._verifier = Verifier()


class VerifyLast(Instrument):
    """Checks the module after the last pass: cheaper than after each, for passes that are trusted.

    Who runs several pipelines on a module gives them one `verifier`, as for `VerifyEach`.
    """

    phase = "verifier"

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def after_pipeline(self, module: ModuleOp) -> None:
        verify_module(module, self._verifier)


class VerifyRoundtrip(Instrument):
    """Prints, parses the text, and compares: the module at the start, and after each pass the
    operation that it ran on, unless the pass left it as it was.

    Both the custom and the generic form are tried. `make_context` gives each parse a new context.
    """

    phase = "round trip"

    def __init__(self, make_context: Callable[[], Context]) -> None:
        self._make_context = make_context

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        self.check(module)

    def after_pass(self, run: PassRun) -> None:
        if run.changed:
            self.check(_alone(run.op))

    def check(self, op: Operation) -> None:
        """Raise `VerifyError` if `op` does not survive printing and parsing.

        It is the module, or uses no value from outside.
        """
        expected = print_module(op)
        for form in ("custom", "generic"):
            text = expected if form == "custom" else print_module(op, generic=True)
            try:
                parsed = parse_module(text, f"<{form} form>", self._make_context())
            except CompileError as e:
                message = f"the {form} form does not parse"
                raise VerifyError(error(message, None, *map(_as_note, e.diagnostics))) from e
            again = parsed if isinstance(op, ModuleOp) else parsed.body.block.first_op
            if (found := "" if again is None else print_module(again)) != expected:
                message = f"the {form} form does not survive a round trip"
                raise VerifyError(error(message, None, *_diff(expected, found)))


def _alone(op: Operation) -> Operation:
    """The operation itself or the nearest around it that uses no value from outside."""
    while not op.has_trait(IsolatedFromAbove) and (parent := op.parent_op()) is not None:
        op = parent
    return op


def _as_note(d: Diagnostic) -> Diagnostic:
    return Diagnostic("note", d.message, d.location, d.notes)


def _diff(expected: str, found: str) -> tuple[Diagnostic, ...]:
    """A note with the first line that differs."""
    pairs = zip(expected.splitlines(), found.splitlines(), strict=False)
    for number, (before, after) in enumerate(pairs, 1):
        if before != after:
            return (note(f"line {number} was:\n{before}\nand became:\n{after}"),)
    return ()
