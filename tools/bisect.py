"""`teeny-opt --bisect=CMD`: which pass, and which rewrite in it, makes a command fail.

The command is run with a file of IR as its last argument, after some of the passes: it succeeds on
the input and fails on the result. Halving finds the first pass after which it fails, and then the
first rewrite within that pass. `--check-each` in the place of a command judges by what the program
means: it fails once that is not what it was in the input.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.context import Context

from teenyir.analysis.places import place_of
from teenyir.diagnostics import InputError, error
from teenyir.once import once
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import Instrument, PassRun
from teenyir.pipeline.ir import parse_module, print_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Rewrite, Session

if TYPE_CHECKING:
    from teenyir.interpreter.check import MeaningCheck

BY_MEANING = "--check-each"
"""What stands for a command where the meaning of the program is to judge."""


@dataclass
class _Titles(Instrument):
    """Remembers what ran."""

    titles: list[str] = field(default_factory=list[str])

    def before_pass(self, run: PassRun) -> None:
        self.titles.append(run.title)


@dataclass
class Bisection:
    """What is run, on what, and how it is judged."""

    text: str
    name: str
    pipeline: Nested
    make_context: Callable[[], Context]
    command: str
    """A command, or `BY_MEANING`."""

    def report(self) -> str:
        """The culprit as text. Raises `InputError` if the command is no judge of this pipeline."""
        everything = self._run(None, None)
        if not self._fails(everything.ir):
            raise self._error("succeeds on the result: there is nothing to find")
        if self._fails(self._run(0, None).ir):
            raise self._error("fails on the input already")
        number = _first(len(everything.titles), lambda n: self._fails(self._run(n, None).ir))
        title = everything.titles[number - 1]
        what = "changes the meaning" if self.command == BY_MEANING else "makes the command fail"
        lines = [f"pass #{number} ({title}) {what}"]
        before = len(self._run(number - 1, None).rewrites)
        total = len(self._run(number, None).rewrites)
        if total == before or self._fails(self._run(number, before).ir):
            return "\n".join([*lines, "not by a rewrite row: by what else it does", ""])
        count = _first(total - before, lambda n: self._fails(self._run(number, before + n).ir))
        culprit = self._run(number, before + count).rewrites[-1]
        return "\n".join([*lines, f"its rewrite #{count}: {rewrite_text(culprit)}"])

    def _run(self, passes: int | None, rewrites: int | None) -> _Trial:
        """Run the first `passes` passes with at most `rewrites` rewrites; None for all."""
        context = self.make_context()
        module = parse_module(self.text, self.name, context)
        trial = _Trial()
        titles = _Titles(trial.titles)
        manager = PassManager(self.pipeline, context=context, instruments=[titles])
        manager.last_pass = passes
        session = Session(context, rewrites_left=rewrites, on_rewrite=trial.rewrites.append)
        manager.run(module, session)
        trial.ir = print_module(module, context=context)
        return trial

    @once
    def _meaning(self) -> MeaningCheck:
        """The check of meaning, which knows what the input means."""
        from teenyir.runtime.check import NativeCheck

        check = NativeCheck()
        check.start(parse_module(self.text, self.name, self.make_context()))
        return check

    def _fails(self, ir: str) -> bool:
        if self.command == BY_MEANING:
            module = parse_module(ir, self.name, self.make_context())
            return bool(self._meaning.compare(module)[0])
        import subprocess

        with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
            file = Path(folder) / "bisect.mlir"
            file.write_text(ir, encoding="utf-8")
            try:
                words = shlex.split(self.command)
                if not words:
                    raise self._error("is empty")
                arguments = [*words, str(file)]
                done = subprocess.run(arguments, capture_output=True, check=False)
            except OSError as e:
                raise self._error(f"cannot be run: {e.strerror or e}") from None
            except ValueError as e:
                raise self._error(f"cannot be run: {e}") from None
        return done.returncode != 0

    def _error(self, message: str) -> InputError:
        judge = "the meaning" if self.command == BY_MEANING else f"the command '{self.command}'"
        return InputError(error(f"--bisect: {judge} {message}"))


@dataclass
class _Trial:
    """What one run left."""

    titles: list[str] = field(default_factory=list[str])
    rewrites: list[Rewrite] = field(default_factory=list[Rewrite])
    ir: str = ""


def _first(end: int, fails: Callable[[int], bool]) -> int:
    """The smallest number from 1 to `end` that fails, where 0 does not and `end` does."""
    good, bad = 0, end
    while bad - good > 1:
        middle = (good + bad) // 2
        if fails(middle):
            bad = middle
        else:
            good = middle
    return bad


def rewrite_text(rewrite: Rewrite) -> str:
    """A rewrite for a reader: its row, where that is written, the operation before and after."""
    place = place_of(rewrite.location)
    source = f" ({rewrite.source[0]}:{rewrite.source[1]})" if rewrite.source else ""
    at = f" at {place}" if place is not None else ""
    lines = [f"{rewrite.pass_name}: {rewrite.row}{source}{at}"]
    lines += [f"  - {line}" for line in rewrite.before.splitlines()]
    lines += [f"  + {line}" for text in rewrite.after for line in text.splitlines()]
    return "\n".join(lines) + "\n"
