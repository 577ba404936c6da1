"""IR as it changes: printed before and after passes, as text, as differences, or as files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teenyir.diagnostics import CompileError, InputError, error
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import Instrument, PassRun, symbol_of
from teenyir.pipeline.ir import print_module

Write = Callable[[str], None]
"""Where a dump goes."""
Show = Callable[[Operation], str]
"""How an operation is printed."""

ALL = "*"
"""Stands for every pass in a set of names."""


def to_stderr(text: str) -> None:
    """Write a dump to standard error."""
    sys.stderr.write(text)


class _Filtered:
    """Prints what a pass ran on; with a symbol, just the operations that define it."""

    def __init__(self, show: Show, symbol: str | None = None) -> None:
        self._show = show
        self._symbol = symbol

    def text(self, op: Operation) -> str:
        if self._symbol is None:
            return self._show(op)
        return "".join(self._show(found) for found in self._named(op))

    def _named(self, op: Operation) -> Iterator[Operation]:
        return (inner for inner in op.walk() if symbol_of(inner) == self._symbol)


def banner(what: str) -> str:
    """The line over a dump."""
    return f"// -----// IR Dump {what} //----- //\n"


class PrintIR(Instrument):
    """Prints the IR before and after the passes that are named, or `ALL` of them."""

    def __init__(
        self,
        write: Write = to_stderr,
        show: Show = print_module,
        *,
        before: frozenset[str] = frozenset(),
        after: frozenset[str] = frozenset(),
        symbol: str | None = None,
    ) -> None:
        self._write = write
        self._filtered = _Filtered(show, symbol)
        self._names = {"Before": before, "After": after}

    def before_pass(self, run: PassRun) -> None:
        self._dump("Before", run)

    def after_pass(self, run: PassRun) -> None:
        self._dump("After", run)

    def _dump(self, when: str, run: PassRun) -> None:
        names = self._names[when]
        if (run.name in names or ALL in names) and (text := self._filtered.text(run.op)):
            self._write(f"{banner(f'{when} {run.title}')}{text}\n")


class PrintAfterFailure(Instrument):
    """Prints the IR that a failing pass left."""

    def __init__(
        self, write: Write = to_stderr, show: Show = print_module, symbol: str | None = None
    ) -> None:
        self._write = write
        self._filtered = _Filtered(show, symbol)

    def pass_failed(self, run: PassRun, failure: CompileError) -> None:
        text = self._filtered.text(run.op)
        self._write(f"{banner(f'After {run.title} Failed')}{text}\n")


class _Changes(Instrument):
    """Knows the text before and after each pass that changed it."""

    def __init__(
        self, write: Write = to_stderr, show: Show = print_module, symbol: str | None = None
    ) -> None:
        self._write = write
        self._filtered = _Filtered(show, symbol)
        self._before = ""

    def before_pass(self, run: PassRun) -> None:
        self._before = self._filtered.text(run.op)

    def after_pass(self, run: PassRun) -> None:
        after = self._filtered.text(run.op)
        if after != self._before:
            self._write(self.changed(run, self._before, after))

    def changed(self, run: PassRun, before: str, after: str) -> str:
        """What to print."""
        raise NotImplementedError


class PrintAfterChange(_Changes):
    """Prints the IR after each pass that changed it."""

    def changed(self, run: PassRun, before: str, after: str) -> str:
        return f"{banner(f'After {run.title}')}{after}\n"


class PrintDiff(_Changes):
    """Prints, after each pass that changed the IR, what changed: a unified diff."""

    def changed(self, run: PassRun, before: str, after: str) -> str:
        from difflib import unified_diff

        lines = unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"before {run.title}",
            f"after {run.title}",
        )
        return f"{banner(f'Difference After {run.title}')}{''.join(lines)}\n"


class PrintTree(Instrument):
    """Writes the IR at the start and after each pass into numbered files of a folder."""

    def __init__(self, folder: str, show: Show = print_module, symbol: str | None = None) -> None:
        self._folder = Path(folder)
        self._filtered = _Filtered(show, symbol)

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        self._file("000-input", module)

    def after_pass(self, run: PassRun) -> None:
        self._file(f"{run.number:03}-{_file_name(run.title)}", run.op)

    def _file(self, name: str, op: Operation) -> None:
        path = self._folder / f"{name}.mlir"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_text(self._filtered.text(op), encoding="utf-8")
        except OSError as e:
            raise InputError(error(f"cannot write '{path}': {e.strerror or e}")) from e


def _file_name(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", title)
