"""What a newcomer types wrong: each message says what is wrong, where, and what to do instead."""

from pathlib import Path

import pytest

from teenyir.tools.teeny_opt import main
from teenyir.tools.teeny_run import main as teeny_run

IR = """func.func @f(%a: i32) -> i32 {
  %z = arith.constant 0 : i32
  %b = arith.addi %a, %z : i32
  func.return %b : i32
}
"""


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """`said(text, *arguments)`: the exit code for a text, and what went to standard error."""
    monkeypatch.chdir(tmp_path)

    def run(text: str | bytes, *arguments: str) -> tuple[int, str]:
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / "f.mlir").write_bytes(data)
        code = main(["f.mlir", *arguments])
        errors = capsys.readouterr().err
        assert "Traceback" not in errors and "fault of teenyir" not in errors
        return code, errors

    return run


def test_an_integer_of_5000_digits_is_no_matter_of_pythons_settings(said):
    code, errors = said(f"func.func @f() {{ %a = arith.constant {'9' * 5000} : i32 }}")
    assert (code, errors.splitlines()[0]) == (
        1,
        "f.mlir:1:38: error: this integer has more digits than any type has room for",
    )


def test_a_byte_order_mark_is_read_over(said):
    assert said(b"\xef\xbb\xbf" + IR.encode()) == (0, "")


def test_the_second_symbol_of_a_name_is_the_wrong_one(said):
    function = "func.func private @f()\n"
    code, errors = said(function * 2)
    assert code == 1
    assert errors.splitlines() == [
        "f.mlir:2:1: error: 'func.func': there is a symbol @f already",
        "  func.func private @f()",
        "  ^",
        "f.mlir:1:1: note: it is defined here",
        "  func.func private @f()",
        "  ^",
    ]


@pytest.mark.parametrize(
    "pipeline, column, message",
    [
        ("cse,expand-math{only=expp}", 5, "pass 'expand-math': there is no formula for 'expp'"),
        ("cse,expand-math{only=}", None, ""),
        ("cuda{capability=sm_80000}", 1, "no compute capability 'sm_80000'; did you mean 'sm_80'?"),
        ("cuda{capability=}", 1, "no compute capability ''"),
        ("cse,cuda{ptx-version=3}", 5, "no PTX version 3 for sm_80"),
    ],
)
def test_a_wrong_option_is_shown_where_the_user_wrote_it(
    said, pipeline: str, column: int | None, message: str
):
    code, errors = said(IR, "-p", pipeline)
    if column is None:
        assert (code, errors) == (0, "")
        return
    first, shown, caret, *_ = errors.splitlines()
    assert code == 1
    assert first.startswith(f"<pipeline>:1:{column}: error: ") and message in first
    assert shown == f"  {pipeline}"
    assert caret.startswith(" " * (column + 1) + "^~")


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["--target="], 2, "--target: the name of the target is empty"),
        (["--remarks=", "-p", "cse"], 2, "--remarks: unknown kind ''"),
        (["--remarks-filter=x", "-p", "cse"], 2, "--remarks-filter chooses among remarks"),
        (["-p", "cse", "--debug-counter=fold:skip=1,skip=2"], 2, "'skip' is given twice"),
        (["-p", "canonicalize", "--bisect="], 1, "--bisect: the command '' is empty"),
        (["-p", "canonicalize", "--bisect= "], 1, "--bisect: the command ' ' is empty"),
        (["-o", ""], 1, "cannot write: the name of the output file is empty"),
        (["-p", "@"], 1, "cannot read: the name of the file is empty"),
        (["--load-plugin="], 1, "the plug-in '' is neither a file '*.py' nor a module's name"),
        (["--load-plugin=."], 1, "the plug-in '.' is neither a file '*.py' nor a module's name"),
        (["--print-ir-filter=@g"], 0, "--print-ir-filter: the input has no symbol @g"),
    ],
)
def test_a_flag_that_says_nothing_is_not_passed_over(
    said, arguments: list[str], code: int, message: str
):
    found, errors = said(IR, *arguments)
    assert (found, message in errors) == (code, True), errors


@pytest.mark.parametrize(
    "annotation, message",
    [
        ("expected-eror {{x}}", "there is no diagnostic of the kind 'eror'; did you mean 'error'?"),
        ("expected-error @sideways {{x}}", "'@sideways' is no line: write @+N"),
        ("expected-error {{x}", "this annotation does not end on its line: '}}' is missing"),
        ("expected-error-re {{a{{[}}}}", "no regular expression: unterminated character set"),
    ],
)
def test_an_annotation_that_expects_nothing_is_an_error(said, annotation: str, message: str):
    code, errors = said(f"// {annotation}\n{IR}", "--verify-diagnostics")
    first, shown, caret, *_ = errors.splitlines()
    assert code == 1
    assert first.startswith("f.mlir:1:4: error: ") and message in first
    assert shown == f"  // {annotation}"
    assert caret.startswith("     ^~")


@pytest.mark.parametrize("value", ["-1", "nan"])
@pytest.mark.parametrize("flag", ["--rtol", "--atol"])
def test_a_tolerance_that_nothing_meets_is_refused(
    flag: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert teeny_run([str(tmp_path / "f.mlir"), "--compare=interpret", f"{flag}={value}"]) == 2
    assert f"error: {flag} takes 0 or more, not {value}" in capsys.readouterr().err


INPUTS = {
    "empty": b"",
    "binary": bytes(range(256)) * 4,
    "latin-1": "func.func @f() { func.return } // \u00e9".encode("latin-1"),
    "utf-16": "func.func @f() { func.return }".encode("utf-16"),
    "nul": b"func.func @f() {\0 func.return }",
    "a line of a million characters": b"func.func @f() { " + b"y" * 1_000_000 + b" }",
    "a comment of a million characters": IR.encode() + b"//" + b"x" * 1_000_000,
    "deep regions": b"builtin.module {" * 2000 + b"}" * 2000,
    "deep types": b"func.func private @f(" + b"tuple<" * 3000 + b"i32" + b">" * 3000 + b")",
    "deep attributes": b'"test.op"() {a = ' + b"[" * 5000 + b"]" * 5000 + b"} : () -> ()",
    "a string without an end": b'func.func @f() attributes {a = "x\n} { func.return }',
    "a symbol and a smile": 'func.func @"\u4e2d"() { \U0001f600 }'.encode(),
    "an alias of itself": b"#a = #a\nfunc.func @f() attributes {b = #a} { func.return }",
    "a block that is nowhere": b"func.func @f() { cf.br ^nowhere }",
    "ragged literals": b"%a = arith.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>",
    "a type of a billion bits": b"func.func private @f(i99999999999)",
    "only separators": b"// -----\n// -----\n",
}


@pytest.mark.parametrize("arguments", [[], ["--split-input-file", "--verify-diagnostics"]])
@pytest.mark.parametrize("name", INPUTS)
def test_no_input_makes_a_traceback_or_a_page_of_errors(said, name: str, arguments: list[str]):
    code, errors = said(INPUTS[name], *arguments)
    assert code in (0, 1)
    assert bool(errors) == bool(code)
    assert len(errors) < 4000
    assert code == 0 or ": error: " in errors
