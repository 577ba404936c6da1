"""What the commands have in common: arguments, files in and out, errors to exit codes.

A command is a function from an argument list to an exit code, so that tests call it in their own
process. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from teenyir.diagnostics import CompileError, Diagnostic, InputError, Location, error, nearest
from teenyir.files import put_whole

OK = 0
DIAGNOSED = 1
USAGE = 2
DIFFERS = 3
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a command that SIGPIPE ended."""

TRACEBACK_VARIABLE = "TEENYIR_TRACEBACK"
"""Set it to see the Python traceback of an error, for work on teenyir itself."""


class UsageError(Exception):
    """The command line is wrong: exit code 2."""


class ArgumentParser(argparse.ArgumentParser):
    """An argument parser that suggests the nearest flag, and never exits the process itself."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def parse_all(
        self, args: Sequence[str], namespace: argparse.Namespace, also: Iterable[str] = ()
    ) -> None:
        """Parse every argument into `namespace`. Raises `UsageError` for one that is unknown.

        `also` are flags that the caller handles itself, to be suggested with the others.
        """
        _, unknown = self.parse_known_args(args, namespace)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings]
            match = nearest(unknown[0].split("=")[0], [*flags, *also])
            hint = f"; did you mean '{match}'?" if match else ""
            raise UsageError(f"unknown argument '{unknown[0]}'{hint}")

    def flag_of(self, dest: str) -> str:
        """The flag whose value is kept under a name."""
        return next(a.option_strings[-1] for a in self._actions if a.dest == dest)


def run_command(name: str, body: Callable[[], int]) -> int:
    """Run a command's body and turn whatever it raises into messages and an exit code."""
    try:
        code = _exit_code(body)
        if not _is_closed(sys.stdout):
            sys.stdout.flush()
        return code
    except UsageError as e:
        report([error(f"{e}\n(try '{name} --help')")])
        return USAGE
    except CompileError as e:
        _show_traceback()
        report(e.diagnostics)
        return DIAGNOSED
    except KeyboardInterrupt:
        report([error("interrupted")])
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return CLOSED_PIPE
    except OSError as e:
        _abandon_stdout()
        report([error(f"{e.strerror or e}{f': {e.filename!r}' if e.filename else ''}")])
        return DIAGNOSED
    except MemoryError as e:
        report([error(f"out of memory{f': {e}' if str(e) else ''}")])
        return DIAGNOSED
    except Exception as e:
        _show_traceback()
        hint = f"(this is a fault of teenyir; {TRACEBACK_VARIABLE}=1 shows where)"
        report([error(f"{name} failed with {type(e).__name__}: {e}\n{hint}")])
        return DIAGNOSED


def _exit_code(body: Callable[[], int]) -> int:
    """What a body returns, or exits with as argparse does after `--help`."""
    try:
        return body()
    except SystemExit as e:
        return e.code if isinstance(e.code, int) else OK


def _show_traceback() -> None:
    if os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        traceback.print_exc()


def _abandon_stdout() -> None:
    """Keep Python from flushing to the closed pipe once more when it exits."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def wants_colour() -> bool:
    """Whether standard error is a terminal whose user has not declined colour."""
    return not os.environ.get("NO_COLOR") and sys.stderr.isatty()


def report(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
    """Print diagnostics to standard error, unless it is closed."""
    if _is_closed(sys.stderr):
        return
    colour = wants_colour()
    for diagnostic in diagnostics:
        print(diagnostic.render(sources, colour=colour), file=sys.stderr)


def read_input(path: str) -> tuple[str, str]:
    """The text of a file, or of standard input for `-`, and the name to call it by.

    Raises `InputError` for what is not a readable file of UTF-8 text.
    """
    if path == "-":
        if _is_closed(sys.stdin):
            raise InputError(error("cannot read standard input: it is closed"))
        return _decode(sys.stdin.buffer.read(), "<stdin>"), "<stdin>"
    if not path:
        raise InputError(error("cannot read: the name of the file is empty"))
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or e
        raise InputError(error(f"cannot read '{path}': {reason}")) from None
    return _decode(content, path), path


def _decode(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as e:
        before = content[: e.start].decode("utf-8")
        place = Location.in_text(name, before, len(before))
        message = f"this is not text: byte 0x{content[e.start]:02x} is not valid UTF-8"
        raise InputError(error(message, place)) from None
    if "\0" in text:
        place = Location.in_text(name, text, text.index("\0"))
        raise InputError(error("this is not text: it holds a NUL character", place))
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def write_output(path: str | None, content: str | bytes) -> None:
    """Write a result to standard output (`-` or None) or whole to a file.

    A regular file is replaced in one step, so that it holds the old content or the new, never a
    part; a device or a pipe is written to. Raises `InputError` if that is not possible.
    """
    if path == "":
        raise InputError(error("cannot write: the name of the output file is empty"))
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path is None or path == "-":
        _write_stdout(content)
        return
    try:
        put_whole(path, data)
    except OSError as e:
        raise InputError(error(f"cannot write '{path}': {e.strerror or e}")) from None


def _is_closed(stream: TextIO | None) -> bool:
    """Whether a standard stream is missing: Python has None for one that was closed (`>&-`)."""
    return stream is None


def _write_stdout(content: str | bytes) -> None:
    if _is_closed(sys.stdout):
        raise InputError(error("cannot write standard output: it is closed"))
    if isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    sys.stdout.flush()


def command_line(argv: Sequence[str] | None) -> list[str]:
    """The arguments of this process, unless a caller gives others."""
    return list(sys.argv[1:] if argv is None else argv)


def target_with(target: str, *options: tuple[str, str | None]) -> str:
    """The text of a target with more options: cuda{tf32=true}  -->  cuda{tf32=true capability=90}

    Those without a value are left out.
    """
    given = " ".join(f"{name}={value}" for name, value in options if value is not None)
    if not given:
        return target
    return f"{target[:-1]} {given}}}" if target.endswith("}") else f"{target}{{{given}}}"
