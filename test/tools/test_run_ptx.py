"""teeny-run on PTX: which files go to the emulator, and which flags go with them."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from teenyir.tools.run_ptx import FLAGS
from teenyir.tools.teeny_run import NOT_FOR_PTX, Arguments, main

KERNELS = Path(__file__).parents[1] / "emulator" / "fixtures" / "kernels.ptx"
ADD = ["--kernel=vector_add", "--launch=grid=2:block=32", "--arg=range:f32:64",
       "--arg=range:f32:64", "--arg=uninitialised:f32:64", "--arg=i32:64"]  # fmt: skip


def test_a_line_about_each_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(KERNELS), *ADD]) == 0
    assert capsys.readouterr() == (
        "arg0: float32[64], 0 to 63\narg1: float32[64], 0 to 63\narg2: float32[64], 0 to 126\n",
        "",
    )


def test_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(KERNELS.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert main(["-", *ADD]) == 0
    assert "arg2: float32[64], 0 to 126" in capsys.readouterr().out


def test_a_file_without_a_kernel_is_told_apart_from_one_with_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.ptx").write_text("")
    assert main([str(tmp_path / "empty.ptx")]) == 1
    assert "the file has no kernel" in capsys.readouterr().err
    assert main([str(KERNELS)]) == 2
    assert "say which kernel to run with --kernel" in capsys.readouterr().err


def test_a_size_that_no_launch_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(KERNELS), "--kernel=vector_add", "--launch=grid=1:frob=2"]) == 2
    assert "--launch is grid=X,Y,Z:block=X,Y,Z:shared=BYTES" in capsys.readouterr().err


def test_flags_of_the_other_kind_of_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(KERNELS), *ADD, "--repeat=3"]) == 2
    assert "error: --repeat is not for PTX files (.ptx)" in capsys.readouterr().err
    assert main(["program.mlir", "--break=3"]) == 2
    assert "error: --break is for PTX files (.ptx)" in capsys.readouterr().err


def test_every_flag_is_for_one_kind_or_both() -> None:
    both = {"file", "output", "print", "stats"}
    assert {*FLAGS, *NOT_FOR_PTX} | both == set(vars(Arguments()))


def test_the_flags_of_ptx_load_no_emulator() -> None:
    """Every teeny-run has them in its parser; only one that runs PTX needs the emulator."""
    probe = "import sys, teenyir.tools.teeny_run as r; r.make_parser()\n"
    probe += "print('teenyir.emulator' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
