"""xDSL's own tests, from its source distribution, as tests of `teeny-opt`."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlir_tools import find

from teenyir.tools.run_lines import Shell, run_lines

DATA: dict[str, Any] = json.loads(
    Path(__file__).with_name("xdsl_filecheck.json").read_text(encoding="utf-8")
)
"""What passes, and what differs on purpose."""

DIALECTS = ("arith", "scf", "cf", "func", "memref")
PASSES = ("*canonical*.mlir", "*cse*.mlir", "*dce*.mlir")
WITH_MLIR = "mlir-conversion/with-mlir"
"""The folder of the tests that pipe through `mlir-opt`."""

MACROS = {
    "XDSL_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file "
    "| xdsl-opt --split-input-file | filecheck %s",
    "XDSL_GENERIC_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file "
    "| filecheck %s --check-prefix=CHECK-GENERIC",
    "MLIR_ROUNDTRIP": "xdsl-opt %s | mlir-opt --allow-unregistered-dialect "
    "| xdsl-opt | filecheck %s",
    "MLIR_GENERIC_ROUNDTRIP": "xdsl-opt %s --print-op-generic | mlir-opt --mlir-print-op-generic "
    "--allow-unregistered-dialect --mlir-print-local-scope | xdsl-opt | filecheck %s",
    "$XDSL_MLIR_OPT": "mlir-opt",
}
"""What xDSL's lit configuration puts in the place of a word."""


def download(folder: Path) -> Path:
    """xDSL's tests of the version that is installed, under `folder`; fetched where they are not.

    Raises CalledProcessError where there is no package index to fetch them from.
    """
    version = importlib.metadata.version("xdsl")
    tests = folder / f"xdsl-{version}" / "tests" / "filecheck"
    if not tests.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command = [*pip, "--no-binary", "xdsl", "--dest", str(folder), f"xdsl=={version}"]
        subprocess.run(command, check=True, capture_output=True)
        with tarfile.open(folder / f"xdsl-{version}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return tests


def files(tests: Path) -> list[Path]:
    """The tests of the passes and dialects that `teeny-opt` is to treat as `xdsl-opt` does."""
    found = {path for pattern in PASSES for path in tests.rglob(pattern)}
    for dialect in DIALECTS:
        for folder in ("dialects", f"{WITH_MLIR}/dialects"):
            found.update((tests / folder / dialect).rglob("*.mlir"))
    return sorted(found)


@dataclass(frozen=True)
class Failure:
    """A command that failed."""

    command: str
    output: str


def run_test(tests: Path, path: Path, folder: Path) -> list[Failure]:
    """Run the RUN lines of a test; those that failed. Temporary files go to `folder`."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(tests)
    for row in DATA["differences"]:
        if any(name.match(pattern.replace("**/", "*/")) for pattern in row["files"]):
            text = text.replace(row["theirs"], row["ours"])
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    mlir_opt = find("mlir-opt")
    paths = [*([os.path.dirname(mlir_opt)] if mlir_opt else []), os.environ.get("PATH", "")]
    failures: list[Failure] = []
    for line in run_lines(text, str(path)):
        command = " | ".join(map(_translated, _expanded(line.text).split("|")))
        shell = Shell(copy, folder, {"PATH": os.pathsep.join(paths)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # xDSL's rows are not our concern
            code, output = shell.run(command)
        if code:
            said = output + shell.stderr.getvalue()
            failures.append(Failure(command, said.decode("utf-8", "replace")))
    return failures


def _expanded(command: str) -> str:
    pattern = "|".join(map(re.escape, sorted(MACROS, key=len, reverse=True)))
    return re.sub(pattern, lambda found: MACROS[found[0]], command)


def _translated(command: str) -> str:
    """A command for `teeny-opt`.

    xdsl-opt's `--verify-diagnostics` and `--parsing-diagnostics` print errors on standard output
    and succeed; ours prints them on standard error and fails, and `--verify-diagnostics` is
    mlir-opt's, which compares them with comments.
    """
    words = command.split()
    if words[0] != "xdsl-opt":
        return command.strip()
    kept = [word for word in words[1:] if not word.endswith("-diagnostics")]
    if len(kept) + 1 == len(words):
        return " ".join(["teeny-opt", *kept])
    return " ".join(["not", "teeny-opt", *kept, "2>&1"])
