"""The RUN lines of golden tests, run in this process.

A test file says in comments how it is tested:

    // RUN: teeny-opt %s -p canonicalize | FileCheck %s
    // RUN: not teeny-opt %s -p nonesuch 2>&1 \\
    // RUN:   | FileCheck %s --check-prefix=ERROR

They mean what they mean under lit's own shell, whose parser reads them: pipes fail if any command
in them fails, `not`, `env`, `&&`, `||`, `;` and redirections work, `%s` is the file, `%S` and `%p`
its folder, `%t` a temporary name. Commands of this house and FileCheck are called, not started,
which takes a few milliseconds instead of 300; any other command is started.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from teenyir.diagnostics import InputError, Location, error

TOOLS = {
    "teeny-opt": "teenyir.tools.teeny_opt",
    "teeny-run": "teenyir.tools.teeny_run",
    "teeny-translate": "teenyir.tools.teeny_translate",
    "teeny-tune": "teenyir.tools.teeny_tune",
    "teeny-update-checks": "teenyir.tools.teeny_update_checks",
}
"""The commands of this house and the modules whose `main` they are."""

FILE_CHECK = frozenset({"FileCheck", "filecheck"})

_RUN = re.compile(r"(?<![\w-])RUN:(.*)$")
_SUBSTITUTION = re.compile(r"%(%|[sSpt])")


@dataclass(frozen=True)
class RunLine:
    """One command of a test."""

    line: int
    """Where it begins, counted from 1."""
    text: str
    """As written, continuation lines joined."""


@dataclass
class Outcome:
    """What became of a test."""

    failure: str | None = None
    """What to show of a test that failed; None if it passed."""


def run_lines(text: str, name: str) -> list[RunLine]:
    """The RUN lines of a test's text. Raises `InputError` if the last one is not complete."""
    lines: list[RunLine] = []
    parts: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        match = _RUN.search(line)
        if match is None:
            continue
        start = start if parts else number
        part = match[1].strip()
        if part.endswith("\\"):
            parts.append(part[:-1].rstrip())
        else:
            lines.append(RunLine(start, " ".join([*parts, part])))
            parts = []
    if parts:
        raise InputError(error("the RUN line goes on after the last one", Location(name, start, 1)))
    return lines


@dataclass
class Shell:
    """Runs commands as lit's shell does, in a folder of its own."""

    test: Path
    """The test file, absolute."""
    folder: Path
    """An existing folder: the current one of the commands, and where `%t` is."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    stderr: io.BytesIO = field(default_factory=io.BytesIO)
    """What the commands wrote to standard error and nobody redirected."""

    def substitute(self, text: str) -> str:
        """A RUN line with its `%` names replaced."""
        folder = str(self.test.parent)
        names = {
            "%": "%",
            "s": str(self.test),
            "S": folder,
            "p": folder,
            "t": str(self.folder / f"{self.test.name}.tmp"),
        }
        return _SUBSTITUTION.sub(lambda m: names[m[1]], text)

    def run(self, text: str) -> tuple[int, bytes]:
        """Run a command line; its exit code and what it wrote to standard output."""
        from lit.ShUtil import ShParser  # pyright: ignore[reportMissingTypeStubs]

        try:
            tree: Any = ShParser(self.substitute(text), pipefail=True).parse()
        except ValueError as e:
            raise InputError(error(f"this RUN line cannot be parsed: {e}: {text}")) from None
        output = io.BytesIO()
        with _inside(self.folder, self.environment):
            code = self._sequence(tree, output)
        return code, output.getvalue()

    def _sequence(self, tree: Any, output: io.BytesIO) -> int:
        if not hasattr(tree, "op"):
            return self._pipeline(tree.commands, output)
        code = self._sequence(tree.lhs, output)
        goes_on = {";": True, "&&": code == 0, "||": code != 0}
        if tree.op not in goes_on:
            raise InputError(error(f"'{tree.op}' is not supported in RUN lines"))
        return self._sequence(tree.rhs, output) if goes_on[tree.op] else code

    def _pipeline(self, commands: Sequence[Any], output: io.BytesIO) -> int:
        failed = 0
        piped = b""
        for index, command in enumerate(commands):
            out = output if index == len(commands) - 1 else io.BytesIO()
            code = self._command(command, piped, out)
            failed = code or failed
            piped = out.getvalue() if out is not output else b""
        return failed

    def _command(self, command: Any, stdin: bytes, stdout: io.BytesIO) -> int:
        streams = _Streams(stdin, stdout, self.stderr)
        for operator, target in command.redirects:
            streams.redirect(operator, str(target))
        arguments: list[str] = []
        for argument in command.args:
            found = argument.resolve(str(self.folder)) if hasattr(argument, "resolve") else argument
            arguments += found if isinstance(found, list) else [str(found)]
        code = _run(arguments, streams)
        streams.close()
        return code


@dataclass
class _Streams:
    """Where a command reads and writes."""

    stdin: bytes
    stdout: io.BytesIO
    stderr: io.BytesIO
    files: list[tuple[str, io.BytesIO, str]] = field(
        default_factory=list[tuple[str, io.BytesIO, str]]
    )

    def redirect(self, operator: tuple[Any, ...], target: str) -> None:
        """One redirection: lit gives `>` as `('>',)` and `2>` as `('>', 2)`."""
        kind, number = operator[0], operator[1] if len(operator) > 1 else 1
        match kind, number:
            case "<", _:
                self.stdin = Path(target).read_bytes()
            case ">&", 2 if target == "1":
                self.stderr = self.stdout
            case ">&", 1 if target == "2":
                self.stdout = self.stderr
            case ((">" | ">>"), 1):
                self.stdout = self._file(target, kind)
            case ((">" | ">>"), 2):
                self.stderr = self._file(target, kind)
            case (("&>" | ">&"), _):
                self.stdout = self.stderr = self._file(target, ">")
            case _:
                raise InputError(error(f"the redirection '{kind}' is not supported in RUN lines"))

    def _file(self, target: str, kind: str) -> io.BytesIO:
        buffer = io.BytesIO()
        self.files.append((target, buffer, "ab" if kind == ">>" else "wb"))
        return buffer

    def close(self) -> None:
        """Write the files that were redirected to."""
        for path, buffer, mode in self.files:
            with open(path, mode) as stream:
                stream.write(buffer.getvalue())


def _run(arguments: list[str], streams: _Streams) -> int:
    """Run one command, its `not`s and `env`s included."""
    match arguments:
        case ["not" | "!", "--crash", *rest] | ["not" | "!", *rest]:
            return int(_run(rest, streams) == 0)
        case ["env", *rest]:
            count = next((i for i, a in enumerate(rest) if "=" not in a), len(rest))
            with _inside(None, dict(a.split("=", 1) for a in rest[:count])):
                return _run(rest[count:], streams)
        case [name, *rest] if name in FILE_CHECK:
            return _call(_file_check, rest, streams)
        case [name, *rest] if name in TOOLS:
            return _call(import_module(TOOLS[name]).main, rest, streams)
        case [_, *_]:
            return _start(arguments, streams)
        case _:
            raise InputError(error("a RUN line holds no command"))


def _file_check(arguments: list[str]) -> int:
    from filecheck.main import main

    try:
        main(["filecheck", *arguments])
    except RuntimeError as e:  # what it raises for wrong arguments
        print(f"filecheck: {e}", file=sys.stderr)
        return 2
    return 0


def _call(main: Callable[[list[str]], Any], arguments: list[str], streams: _Streams) -> int:
    """Call a command's `main` with its streams in place of this process's."""
    with _standard_streams(streams):
        try:
            return int(main(arguments) or 0)
        except SystemExit as e:
            return e.code if isinstance(e.code, int) else int(e.code is not None)
        except Exception:
            traceback.print_exc()
            return 1


@contextmanager
def _standard_streams(streams: _Streams) -> Generator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = _text(io.BytesIO(streams.stdin))
    sys.stdout = _text(streams.stdout)
    sys.stderr = sys.stdout if streams.stderr is streams.stdout else _text(streams.stderr)
    opened = {sys.stdin, sys.stdout, sys.stderr}
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for stream in opened:
            stream.flush()
            stream.detach()


def _text(buffer: io.BytesIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(buffer, encoding="utf-8", write_through=True)


def _start(arguments: list[str], streams: _Streams) -> int:
    """Start a command of the system; those installed beside Python come first."""
    paths = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": paths}
    merged = streams.stderr is streams.stdout
    try:
        done = subprocess.run(
            arguments,
            input=streams.stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            env=environment,
            check=False,
        )
    except OSError as e:
        streams.stderr.write(f"{arguments[0]}: {e.strerror}\n".encode())
        return 127
    streams.stdout.write(done.stdout)
    if not merged:
        streams.stderr.write(done.stderr)
    return done.returncode


@contextmanager
def _inside(folder: Path | None, environment: Mapping[str, str]) -> Generator[None]:
    """Work in a folder, with some environment variables set."""
    before, current = dict(os.environ), os.getcwd()
    os.environ.update(environment)
    try:
        if folder is not None:
            os.chdir(folder)
        yield
    finally:
        os.chdir(current)
        os.environ.clear()
        os.environ.update(before)


def run_test(test: Path, folder: Path) -> Outcome:
    """Run the RUN lines of a test file in order, up to the first that fails."""
    test = test.resolve()
    lines = run_lines(test.read_text(encoding="utf-8"), str(test))
    if not lines:
        return Outcome(f"{test}: no RUN line")
    for line in lines:
        shell = Shell(test, folder)
        code, output = shell.run(line.text)
        if code != 0:
            return Outcome("\n".join(_failure(test, line, code, output, shell.stderr.getvalue())))
    return Outcome()


def _failure(test: Path, line: RunLine, code: int, output: bytes, errors: bytes) -> Iterator[str]:
    yield f"{test}:{line.line}: exit code {code}"
    yield f"$ {line.text}"
    for name, content in (("stdout", output), ("stderr", errors)):
        if content:
            yield f"--- {name}\n{content.decode('utf-8', 'replace')}"
