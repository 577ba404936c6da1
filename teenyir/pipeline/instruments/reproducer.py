"""A failing pass leaves one file from which its failure can be replayed.

The file is IR with a head of comments: the pipeline, the versions, the command, the error. The IR
is what the failing pass was given, and the pipeline is that pass alone.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from teenyir.diagnostics import CompileError, InputError, PipelineError, error
from teenyir.pipeline.build import Nested, pass_text
from teenyir.pipeline.instruments.base import Instrument, PassRun
from teenyir.pipeline.ir import print_module

_NEEDED = frozenset(
    {
        "--allow-unregistered-dialect",
        "--check-each",
        "--load-dialect-plugin",
        "--load-pass-plugin",
        "--load-plugin",
    }
)
"""Flags that a failure may depend on."""

_PIPELINE = re.compile(r"^// pipeline: (.*)$", re.MULTILINE)


class Reproducer(Instrument):
    """Writes `path` when a pass fails; nothing otherwise."""

    def __init__(self, path: str, command: Sequence[str]) -> None:
        self.path = Path(path)
        self._command = command
        self._module: ModuleOp | None = None
        self._before = ""

    def before_pipeline(self, module: ModuleOp, pipeline: Nested) -> None:
        self._module = module

    def before_pass(self, run: PassRun) -> None:
        assert self._module is not None
        self._before = print_module(self._module, locations=True)

    def pass_failed(self, run: PassRun, failure: CompileError) -> None:
        pipeline = pass_text(run.pass_)
        around = run.op
        while (parent := around.parent_op()) is not None:
            pipeline = f"{around.name}({pipeline})"
            around = parent
        first = failure.diagnostics[0].render().splitlines()[0]
        head = [
            f"// A reproducer: {shlex.join(['teeny-opt', *self._flags(), self.path.name])}",
            f"// pipeline: builtin.module({pipeline})",
            f"// command: {shlex.join(self._command)}",
            f"// versions: {versions()}",
            f"// error: {first}",
        ]
        try:
            self.path.write_text("\n".join(head) + "\n" + self._before, encoding="utf-8")
        except OSError as e:
            raise InputError(
                *failure.diagnostics, error(f"cannot write '{self.path}': {e.strerror or e}")
            ) from e

    def _flags(self) -> list[str]:
        """The flags of the command without which it would not fail."""
        kept = [word for word in self._command if word.partition("=")[0] in _NEEDED]
        return ["--run-reproducer", *kept]


def versions() -> str:
    """The versions that a failure may depend on, on one line."""
    import platform

    return f"teenyir {package_version('teenyir')}, xdsl {package_version('xdsl')}, " + (
        f"Python {platform.python_version()} on {sys.platform}"
    )


def package_version(package: str) -> str:
    """The version of an installed package, or `unknown` if it runs from its sources."""
    from importlib.metadata import PackageNotFoundError, version  # costs 15 ms

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def reproducer_pipeline(text: str) -> str:
    """The pipeline that a reproducer's head names. Raises `PipelineError` if it names none."""
    match = _PIPELINE.search(text)
    if match is None:
        raise PipelineError(error("this is no reproducer: it has no line '// pipeline: ...'"))
    return match.group(1)
