"""The command line: exit codes, files in and out, signals, hostile input."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from teenyir.tools.teeny_opt import main

ROOT = Path(__file__).parents[2]
IR = "func.func @f(%a: i32) -> i32 {\n  func.return %a : i32\n}\n"
TEENY_OPT = [sys.executable, str(ROOT / "test" / "launch.py"), "teenyir.tools.teeny_opt"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.mlir"
    path.write_text(IR)
    return path


def start(*arguments: object, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [*TEENY_OPT, *map(str, arguments)]
    return subprocess.run(command, text=True, check=False, timeout=60, **options)  # type: ignore


def test_exit_codes(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(file)]) == 0
    assert main([str(tmp_path / "nonesuch")]) == 1
    assert main([str(file), "-p", "nonesuch"]) == 1
    assert main([str(file), "--nonesuch"]) == 2
    assert main(["--help"]) == 0
    capsys.readouterr()


def test_standard_output_carries_ir_alone(file: Path, capsys: pytest.CaptureFixture[str]):
    assert (
        main([str(file), "-p", "cse", "--timing", "--print-ir-after-all", "--pass-statistics"]) == 0
    )
    out, err = capsys.readouterr()
    assert out == f"builtin.module {{\n{'  '.join(['', *IR.splitlines(keepends=True)])}}}\n"
    assert "IR Dump After cse" in err and "Execution time report" in err


def test_an_output_file_is_written_whole_or_not_at_all(file: Path, tmp_path: Path):
    output = tmp_path / "out.mlir"
    output.write_text("old")
    output.chmod(0o640)
    file.write_text(IR.replace("return %a", "return %b"))
    assert main([str(file), "-o", str(output)]) == 1
    assert output.read_text() == "old"
    file.write_text(IR)
    assert main([str(file), "-o", str(output)]) == 0
    assert output.read_text().startswith("builtin.module")
    assert output.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.mlir", "out.mlir"]


def test_a_new_output_file_has_the_usual_mode(file: Path, tmp_path: Path):
    mask = os.umask(0o027)
    try:
        assert main([str(file), "-o", str(tmp_path / "out")]) == 0
    finally:
        os.umask(mask)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


def test_an_output_link_keeps_pointing(file: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert main([str(file), "-o", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text().startswith("builtin.module")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("to_file", [True, False])
def test_a_full_disk_is_an_error(file: Path, to_file: bool):
    with open("/dev/full", "w") as full:
        arguments = [file, "-o", "/dev/full"] if to_file else [file]
        done = start(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_a_closed_pipe_is_quiet(file: Path):
    command = f"'{sys.executable}' '{TEENY_OPT[1]}' {TEENY_OPT[2]} {file} | true"
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (141, "", "")


def test_interrupt():
    # a shell starts what it runs in the background with the signal switched off: on again
    process = subprocess.Popen(
        TEENY_OPT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "error: interrupted\n")


def test_no_colour_off_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    main([str(tmp_path / "nonesuch")])
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("no_colour", [True, False])
def test_colour_on_a_terminal(monkeypatch: pytest.MonkeyPatch, no_colour: bool):
    from teenyir.tools.command import wants_colour

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1" if no_colour else "")
    assert wants_colour() is not no_colour


HOSTILE = {
    "regions": '"test.op"() ({' * 3000 + "}) : () -> ()" * 3000,
    "lists": '"test.op"() {a = ' + "[" * 50_000,
    "types": '"test.op"() : () -> ' + "tuple<" * 50_000,
    "garbage": "}{)(<>[]%%%@@@^^^###!!!" * 1000,
    "one long line": "x" * 1_000_000,
    "string": '"' + "a" * 100_000,
    "number": '"test.op"() {a = ' + "9" * 5000 + "} : () -> ()",
    "locations": '"test.op"() : () -> () loc(fused[' * 3000,
    "alias": "#a = #a\n" * 100,
    "affine": '"test.op"() {a = affine_map<(d0) -> (' + "(" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_ends_in_a_diagnostic(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "hostile.mlir"
    file.write_text(HOSTILE[name])
    assert main([str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}:") and ": error: " in err
    assert "Traceback" not in err
    assert len(err) < 2000


def test_plain_ir_imports_neither_numpy_nor_llvmlite(file: Path):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from teenyir.tools.teeny_opt import main; main([sys.argv[2], '-p', 'canonicalize,cse']);"
        "print([m for m in ('numpy', 'llvmlite', 'onnx', 'ml_dtypes') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(ROOT), str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("[]\n")
