"""teeny-translate: what it writes, and what it says where it cannot."""

import io
import json
from pathlib import Path

import pytest

from teenyir.targets.cpu import host
from teenyir.tools.teeny_translate import FORMATS, main

PROGRAM = """
func.func @main(%x: tensor<16xf32> {graph.name = "x"}) -> tensor<16xf32> {
  %y = graph.exp %x : tensor<16xf32>
  func.return %y : tensor<16xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "exp.mlir"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in ("obj", "cubin")])
def test_every_format_is_text(
    program: str, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([program, f"--to={format}"]) == 0
    captured = capsys.readouterr()
    assert captured.out and not captured.err


def test_machine_code_as_text_goes_to_a_terminal(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main([program, "--to=sass"]) == 0
    assert ".text.exp" in capsys.readouterr().out
    assert main([program, "--to=cubin"]) == 2


def test_both_forms_of_machine_code_tell_the_same(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[object] = []
    for format in ("sass", "cubin"):
        assert main([program, f"--to={format}", "--stats=json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] and '"instructions"' in json.dumps(told[0])


def test_a_gpu_and_a_ptx_version_by_flags(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--to=ptx", "--capability=sm-87", "--ptx-version=74"]) == 0
    text = capsys.readouterr().out
    assert ".target sm_87" in text and ".version 7.4" in text


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert main(["--to=mlir"]) == 0
    assert "graph.exp" in capsys.readouterr().out


def test_object(program: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    out = tmp_path / "exp.o"
    assert main([program, "--to=obj", "--triple=aarch64-unknown-linux-gnu", "-o", str(out)]) == 0
    assert out.read_bytes()[:4] == b"\x7fELF"
    assert capfdbinary.readouterr().out == b""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--to=asmm"], 2, "unknown format 'asmm'; did you mean 'asm'?"),
        ([], 2, "required: --to"),
        (["--to=asm", "--compile-to=uop"], 2, "--to=asm starts from the machine floor"),
        (["--to=asm", "--target=cpuu"], 1, "unknown target 'cpuu'; did you mean 'cpu'?"),
        (["--to=asm", "--triple=nonsense"], 1, "LLVM has no target 'nonsense'"),
        (["--to=ptx", "--capability=87", "--ptx-version=70"], 1, "no PTX version 70 for sm_87"),
        (["--to=asm", "--capability=87"], 1, "'cpu' has no option 'capability'"),
        (["--to=asm", "--cpu=nonsense"], 1, "LLVM knows no CPU 'nonsense'"),
    ],
)
def test_errors(
    program: str,
    arguments: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([program, *arguments]) == code
    captured = capsys.readouterr()
    assert message in captured.err and not captured.out


@pytest.mark.skipif("x86_64" not in host().triple, reason="names an x86 CPU")
def test_cpu(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--to=asm", "--cpu=x86-64-v3"]) == 0
    assert "zmm" not in capsys.readouterr().out


def test_output_is_whole_or_not_at_all(program: str, tmp_path: Path) -> None:
    out = tmp_path / "out.s"
    out.write_text("before")
    Path(program).write_text(PROGRAM.replace("graph.exp %x", "graph.exp %nothing"))
    assert main([program, "--to=asm", "-o", str(out)]) == 1
    assert out.read_text() == "before"


PYTHON = """\
import teenyir as ty

N = ty.Dim("N", min=1)

def spec(x: ty.Spec((N, 4))):
    return ty.exp(x)

traced = ty.trace(spec, ty.Spec((3, 4)))

def maker() -> ty.Traced:
    return traced

def bare(x):
    return x

def broken(x: ty.Spec((3,))):
    return x + 1 / 0

number = 7
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(PYTHON)
    return str(path)


def test_functions_of_python(python: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{python}:spec", "--to=mlir"]) == 0
    assert "#graph.dims<[N, 4]>" in capsys.readouterr().out
    for name in ("traced", "maker"):
        assert main([f"{python}:{name}", "--to=llvmir"]) == 0
        assert "define void @main(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "which callable of '"),
        (":trased", "has no 'trased'; did you mean 'traced'?"),
        (":number", "is int, which cannot be traced"),
        (":bare", "parameter 'x' of "),
        (":broken", "model.py:17:16: error: ZeroDivisionError: division by zero"),
    ],
)
def test_python_errors(
    python: str, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{python}{name}", "--to=mlir"]) == 1
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err


def test_python_that_does_not_parse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def f(:\n")
    assert main([f"{path}:f", "--to=mlir"]) == 1
    assert "broken.py:1:7: error: " in capsys.readouterr().err
    assert main([f"{tmp_path}/missing.py:f", "--to=mlir"]) == 1
    assert "No such file" in capsys.readouterr().err
