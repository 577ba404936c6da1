"""teeny-update-checks: goldens made anew, and what it leaves alone."""

from pathlib import Path

import pytest

from teenyir.tools.run_lines import run_test
from teenyir.tools.teeny_update_checks import main

HEAD = "// What it is about.\n// RUN: teeny-opt %s -p canonicalize | FileCheck %s\n\n"
IR = """func.func @f() -> tensor<2x2xi32> {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>  // a comment
  func.return %c : tensor<2x2xi32>
}
"""


def update(path: Path, text: str, *flags: str) -> tuple[int, str]:
    path.write_text(text)
    return main([str(path), *flags]), path.read_text()


def test_checks_are_added_and_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, text = update(tmp_path / "a.mlir", HEAD + IR)
    assert code == 0
    assert text.startswith(HEAD + IR)
    assert "// CHECK-NEXT:     %c = arith.constant dense<{{\\[\\[}}1, 2], [3, 4]]>" in text
    assert run_test(tmp_path / "a.mlir", tmp_path).failure is None
    assert update(tmp_path / "a.mlir", text) == (0, text)
    assert capsys.readouterr().err == f"{tmp_path / 'a.mlir'}: updated\n"


def test_checks_are_replaced_where_they_stood(tmp_path: Path):
    old = "// CHECK: old\n// CHECK-NEXT: older\n"
    _, text = update(tmp_path / "a.mlir", HEAD + old + IR)
    assert "old" not in text
    assert text.startswith(HEAD + "// CHECK:      builtin.module {\n")
    assert text.endswith(IR)


def test_each_part_of_a_split_file_gets_its_checks(tmp_path: Path):
    head = HEAD.replace("-p canonicalize", "--split-input-file")
    second = IR.replace("@f", "@g")
    _, text = update(tmp_path / "a.mlir", f"{head}{IR}\n// -----\n\n{second}")
    first_part, second_part = text.split("// -----\n")
    assert "// CHECK-NEXT:   func.func @f()" in first_part
    assert "// CHECK-NEXT:   func.func @g()" in second_part
    assert run_test(tmp_path / "a.mlir", tmp_path).failure is None


def test_check_changes_nothing(tmp_path: Path):
    assert update(tmp_path / "a.mlir", HEAD + IR, "--check") == (3, HEAD + IR)


REFUSED = {
    "hand-written": (HEAD + "// CHECK-DAG: x\n" + IR, "a.mlir:4:1: error: this check was written"),
    "pattern": (HEAD + "// CHECK: {{.*}} [[A:%.*]]\n" + IR, "a.mlir:4:1: error: this check was"),
    "failing": (HEAD.replace("canonicalize", "nonesuch") + IR, "a.mlir:2:1: error: the command"),
    "no FileCheck": ("// RUN: teeny-opt %s\n" + IR, "error: "),
    "no RUN": (IR, "error: "),
    "other options": (
        HEAD.replace("FileCheck %s", "FileCheck %s --strict-whitespace") + IR,
        "written by hand: --strict-whitespace",
    ),
    "one prefix, two outputs": (
        "// RUN: teeny-opt %s --print-op-generic | FileCheck %s\n" + HEAD + IR,
        "a.mlir:3:1: error: another command with the prefix CHECK prints something else",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_cannot_do_is_left_alone(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text, message = REFUSED[case]
    assert update(tmp_path / "a.mlir", text) == (1, text)
    assert message in capsys.readouterr().err


def test_force_replaces_what_was_written_by_hand(tmp_path: Path):
    code, text = update(tmp_path / "a.mlir", HEAD + "// CHECK-DAG: x\n" + IR, "--force")
    assert code == 0 and "DAG" not in text
