"""teeny-update-checks: rewrite the CHECK lines of golden tests from what their RUN lines print.

For each RUN line that ends in `| FileCheck %s`, the command before the pipe is run, and the check
lines of its prefix are replaced by the whole output, line by line. Everything else in the file
stays as it is. With `--split-input-file`, each part of the output is checked in its own part.

A file is left alone, with an error, where this cannot be done: a command that fails, two commands
with one prefix and different output, checks that someone wrote by hand (`CHECK-DAG`, `CHECK-NOT`,
variables, patterns), unless `--force` says to replace those too.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from teenyir.diagnostics import CompileError, InputError, Location, error
from teenyir.tools.command import (
    DIAGNOSED,
    DIFFERS,
    OK,
    ArgumentParser,
    command_line,
    read_input,
    report,
    run_command,
    write_output,
)
from teenyir.tools.run_lines import RunLine, Shell, run_lines

EXAMPLES = """\
examples:
  teeny-update-checks test/kernel/schedule/split.mlir
  teeny-update-checks --check test/graph/*.mlir     exit 3 if one would change
"""

_FILE_CHECK = re.compile(r"^(?P<command>.*?)\|\s*(?:FileCheck|filecheck)\s+(?P<options>[^|]*)$")
_PREFIX = re.compile(r"--?check-prefix(?:es)?[= ](?P<prefix>[\w-]+)")
_SEPARATOR = re.compile(r"^// -----[ \t]*$")
_SPECIAL = re.compile(r"\{\{|\[\[")
_OUR_ESCAPES = re.compile(r"\{\{(\\\[\\\[|\\\{\\\{|\.\*)\}\}")
_DEFAULT_PREFIX = "CHECK"


@dataclass
class Arguments(argparse.Namespace):
    """The parsed command line."""

    tests: list[str] = field(default_factory=list[str])
    check: bool = False
    force: bool = False


def main(argv: Sequence[str] | None = None) -> int:
    """Run teeny-update-checks with the given arguments; returns the exit code."""
    return run_command("teeny-update-checks", lambda: _main(command_line(argv)))


def _main(argv: list[str]) -> int:
    arguments = Arguments()
    _make_parser().parse_all(argv, arguments)
    failed = changed = False
    for test in arguments.tests:
        try:
            before, _ = read_input(test)
            after = updated(before, Path(test), force=arguments.force)
        except CompileError as e:
            report(e.diagnostics)
            failed = True
            continue
        if after != before:
            changed = True
            print(f"{test}: {'would change' if arguments.check else 'updated'}", file=sys.stderr)
            if not arguments.check:
                write_output(test, after)
    if failed:
        return DIAGNOSED
    return DIFFERS if changed and arguments.check else OK


def _make_parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="teeny-update-checks",
        description="Rewrite the CHECK lines of golden tests from what their RUN lines print.",
        epilog=EXAMPLES,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("tests", nargs="+", metavar="TEST", help="a file with RUN lines")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 3 if it would")
    parser.add_argument("--force", action="store_true", help="replace hand-written checks too")
    return parser


def updated(text: str, path: Path, *, force: bool = False) -> str:
    """The text of a test with its check lines made anew. Raises `InputError` if it cannot be."""
    outputs = _outputs(text, path)
    if not outputs:
        raise InputError(error(f"{path}: no RUN line ends in '| FileCheck %s'"))
    lines = text.split("\n")
    for prefix, output in outputs.items():
        if not force:
            _refuse_handwritten(lines, prefix, path)
        lines = _replaced(lines, prefix, output)
    return "\n".join(lines)


def _outputs(text: str, path: Path) -> dict[str, str]:
    """What is printed to be checked with each prefix."""
    outputs: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
        for line in run_lines(text, str(path)):
            match = _FILE_CHECK.match(line.text)
            output = _output(match["command"] if match else line.text, line, path, Path(folder))
            if match is None:
                continue
            prefix = _prefix_of(match["options"], line, path)
            if outputs.setdefault(prefix, output) != output:
                message = f"another command with the prefix {prefix} prints something else"
                raise _error(message, line, path)
    return outputs


def _prefix_of(options: str, line: RunLine, path: Path) -> str:
    words = options.split()
    if "%s" not in words:
        raise _error("the checks are not in this file: FileCheck is not given %s", line, path)
    rest = " ".join(word for word in words if word != "%s")
    match = _PREFIX.fullmatch(rest)
    if rest and match is None:
        raise _error(f"checks with these options are written by hand: {rest}", line, path)
    return match["prefix"] if match is not None else _DEFAULT_PREFIX


def _output(command: str, line: RunLine, path: Path, folder: Path) -> str:
    shell = Shell(path.resolve(), folder)
    code, output = shell.run(command)
    if code != 0:
        said = shell.stderr.getvalue().decode("utf-8", "replace").rstrip()
        raise _error(f"the command fails with exit code {code}\n{said}", line, path)
    text = output.decode("utf-8", "replace")
    return text.replace(str(folder), _ANY).replace(str(path.resolve().parent), _ANY)


_ANY = "\0"
"""Stands for a folder, which differs from machine to machine, in an output."""


def _error(message: str, line: RunLine, path: Path) -> InputError:
    return InputError(error(message, Location(str(path), line.line, 1)))


def _check_line(prefix: str) -> re.Pattern[str]:
    return re.compile(
        rf"^\s*// *{re.escape(prefix)}(?P<suffix>-[A-Z]+)?(?:\{{[A-Z]+\}})?:(?P<text>.*)$"
    )


def _refuse_handwritten(lines: list[str], prefix: str, path: Path) -> None:
    pattern = _check_line(prefix)
    for number, line in enumerate(lines, 1):
        match = pattern.match(line)
        if match is None:
            continue
        plain = _OUR_ESCAPES.sub("", match["text"])
        if match["suffix"] not in (None, "-NEXT", "-EMPTY") or _SPECIAL.search(plain):
            message = "this check was written by hand (--force replaces it)"
            raise InputError(error(message, Location(str(path), number, 1, line)))


def _replaced(lines: list[str], prefix: str, output: str) -> list[str]:
    """The lines of a test with the checks of a prefix replaced, part by part."""
    parts, outputs = list(_parts(lines)), list(_parts(output.rstrip("\n").split("\n")))
    if len(outputs) != len(parts):
        # The command does not split its input, or prints no part for some: check it as a whole.
        return _replaced_part(lines, prefix, output.rstrip("\n").split("\n"))
    result: list[str] = []
    for index, (part, printed) in enumerate(zip(parts, outputs, strict=True)):
        if index:
            result.append("// -----")
        result += _replaced_part(part, prefix, printed)
    return result


def _parts(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if _SEPARATOR.match(line):
            yield part
            part = []
        else:
            part.append(line)
    yield part


def _replaced_part(lines: list[str], prefix: str, output: list[str]) -> list[str]:
    """One part with its checks where the first one stood, or at its end."""
    pattern = _check_line(prefix)
    old = [i for i, line in enumerate(lines) if pattern.match(line)]
    kept = [line for line in lines if not pattern.match(line)]
    checks = list(_checks(prefix, output))
    if old:
        return kept[: old[0]] + checks + kept[old[0] :]
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    blank = [""] if end else []
    return kept[:end] + blank + checks + (kept[end:] or [""])


def _checks(prefix: str, output: list[str]) -> Iterator[str]:
    first = True
    for line in output:
        if not line.strip():
            if not first:
                yield f"// {prefix}-EMPTY:"
            continue
        name = f"{prefix}:     " if first else f"{prefix}-NEXT:"
        yield f"// {name} {_escaped(line.rstrip())}"
        first = False


def _escaped(line: str) -> str:
    """A line of output as FileCheck reads it literally, but for folders."""
    return _SPECIAL.sub(lambda m: _ESCAPED[m[0]], line).replace(_ANY, "{{.*}}")


_ESCAPED = {"{{": r"{{\{\{}}", "[[": r"{{\[\[}}"}


if __name__ == "__main__":
    sys.exit(main())
