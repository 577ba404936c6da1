"""RUN lines mean in this process what they mean under lit's own shell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from teenyir.diagnostics import InputError
from teenyir.tools.run_lines import run_lines, run_test

ROOT = Path(__file__).parents[2]

IR = """
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}
"""

CASES = {
    # name: (the comments of the test, whether it passes)
    "pipe": ("// RUN: teeny-opt %s | FileCheck %s\n// CHECK: arith.addi", True),
    "pipe_mismatch": ("// RUN: teeny-opt %s | FileCheck %s\n// CHECK: arith.muli", False),
    "failing_left_of_pipe": ("// RUN: teeny-opt %s -p nonesuch | cat", False),
    "failing": ("// RUN: teeny-opt %s -p nonesuch", False),
    "not": ("// RUN: not teeny-opt %s -p nonesuch", True),
    "not_of_success": ("// RUN: not teeny-opt %s", False),
    "bang": ("// RUN: ! teeny-opt %s -p nonesuch", True),
    "stderr": (
        "// RUN: not teeny-opt %s -p nonesuch 2>&1 | FileCheck %s\n// CHECK: unknown pass",
        True,
    ),
    "stderr_is_not_stdout": (
        "// RUN: not teeny-opt %s -p nonesuch | FileCheck %s --allow-empty\n// CHECK: unknown pass",
        False,
    ),
    "stderr_file": (
        "// RUN: not teeny-opt %s -p nonesuch 2> %t ; FileCheck %s < %t\n// CHECK: unknown pass",
        True,
    ),
    "temporary": (
        "// RUN: teeny-opt %s > %t.out\n// RUN: teeny-opt %t.out -o %t\n"
        "// RUN: diff %t %t.out && FileCheck %s --input-file=%t\n// CHECK: arith.addi",
        True,
    ),
    "append": (
        "// RUN: echo one > %t && echo two >> %t\n// RUN: FileCheck %s < %t\n"
        "// CHECK: one\n// CHECK-NEXT: two",
        True,
    ),
    "continuation": (
        "// RUN: teeny-opt %s \\\n// RUN:   -p canonicalize \\\n// RUN: | FileCheck %s\n"
        "// CHECK-NOT: arith.addi\n// CHECK: func.return %a",
        True,
    ),
    "quotes": (
        "// RUN: teeny-opt %s -p 'func.func(canonicalize,cse)' | FileCheck %s\n"
        "// CHECK: func.return %a",
        True,
    ),
    "standard_input": ("// RUN: teeny-opt < %s | teeny-opt - | FileCheck %s\n// CHECK: addi", True),
    "second_line_fails": ("// RUN: teeny-opt %s\n// RUN: not teeny-opt %s", False),
    "or": ("// RUN: teeny-opt %s -p nonesuch || true", True),
    "prefix": (
        "// RUN: teeny-opt %s | FileCheck %s --check-prefix=A\n// A: arith.addi\n// CHECK: nothing",
        True,
    ),
    "environment": (
        "// RUN: env TEENYIR_TRACEBACK=1 not teeny-opt %s -p nonesuch 2>&1 | FileCheck %s\n"
        "// CHECK: Traceback",
        True,
    ),
    "folder": ("// RUN: teeny-opt %S/folder.mlir | FileCheck %s\n// CHECK: arith.addi", True),
    "no_such_command": ("// RUN: teeny-nonesuch %s", False),
    "no_run_line": ("// nothing", False),
}


def write_cases(folder: Path) -> None:
    for name, (head, _) in CASES.items():
        (folder / f"{name}.mlir").write_text(head + IR)


@pytest.mark.parametrize("name", CASES)
def test_in_this_process(name: str, tmp_path: Path):
    write_cases(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    outcome = run_test(tmp_path / f"{name}.mlir", work)
    assert (outcome.failure is None) == CASES[name][1], outcome.failure


def test_under_lit(tmp_path: Path):
    suite = tmp_path / "suite"
    suite.mkdir()
    write_cases(suite)
    config = (ROOT / "test" / "lit.cfg.py").as_posix()
    (suite / "lit.cfg.py").write_text(
        f"config.load_from_path({config!r}, lit_config)\n"
        f"config.test_source_root = {str(suite)!r}\n"
        f"config.test_exec_root = {str(tmp_path / 'exec')!r}\n"
    )
    report = tmp_path / "report.json"
    lit = [sys.executable, "-c", "from lit.main import main; main()"]
    options = ["-q", "-j2", "--output", str(report), str(suite)]
    subprocess.run([*lit, *options], capture_output=True, check=False)
    results = {
        test["name"].removeprefix("teenyir :: ").removesuffix(".mlir"): test["code"] == "PASS"
        for test in json.loads(report.read_text())["tests"]
    }
    assert results == {name: passes for name, (_, passes) in CASES.items()}


def test_a_run_line_that_does_not_end_is_an_error():
    with pytest.raises(InputError, match=r"a\.mlir:2:1: error: the RUN line goes on"):
        run_lines("//\n// RUN: teeny-opt %s \\\nmodule {}", "a.mlir")
