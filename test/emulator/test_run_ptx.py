"""The PTX front of teeny-run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teenyir.tools import run_ptx
from teenyir.tools.command import DIAGNOSED, OK, UsageError, run_command

FIXTURES = Path(__file__).parent / "fixtures"
KERNELS = str(FIXTURES / "kernels.ptx")
WRONG = str(FIXTURES / "planted_wrong.ptx")


def run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--output")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--stats")
    run_ptx.add_arguments(parser)
    args = parser.parse_args(argv)
    return run_command("teeny-run", lambda: run_ptx.run_ptx(args))


ADD = [KERNELS, "--kernel", "vector_add", "--launch", "grid=2:block=32", "--arg", "range:f32:64",
       "--arg", "range:f32:64", "--arg", "uninitialised:f32:64", "--arg", "i32:60"]  # fmt: skip


def test_arrays_in_and_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.npz"
    assert run(*ADD, "--output", str(out), "--stats", "json") == OK
    with np.load(out) as archive:
        assert (archive["arg2"][:60] == np.arange(60) * 2).all()
        assert set(archive.files) == {"arg0", "arg1", "arg2"}
    stats = json.loads(capsys.readouterr().out)
    assert stats["ctas"] == 2 and stats["instructions"]["add.f32"] == 60


def test_arrays_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", np.arange(32, dtype=np.float32))
    np.savez(tmp_path / "y.npz", y=np.full(32, 0.5, np.float32))
    arguments = [str(tmp_path / "x.npy"), str(tmp_path / "y.npz") + ":y", "zeros:f32:4x8", "32"]
    flags = [flag for value in arguments for flag in ("--arg", value)]
    launch = "grid=1,block=32,1,1,shared=0"
    assert run(KERNELS, "--kernel", "vector_add", "--launch", launch, *flags, "--print") == OK
    assert "31.5" in capsys.readouterr().out


def test_reports(capsys: pytest.CaptureFixture[str]) -> None:
    argv = [WRONG, "--kernel", "missing_barrier", "--launch", "grid=1:block=128"]
    argv += ["--arg", "range:i32:128", "--arg", "zeros:i32:128"]
    assert run(*argv) == DIAGNOSED
    shown = capsys.readouterr().err
    assert "[shared-race]" in shown and "planted.cu" in shown and "^~~" in shown
    assert run(*argv, "--unchecked") == OK


def test_check_lists_what_cannot_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "odd.ptx"
    source.write_text(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
        "    wgmma.fence.sync.aligned;\n    frobnicate.u32;\n    ret;\n}\n"
    )
    assert run(str(source), "--check") == DIAGNOSED
    shown = capsys.readouterr().err
    assert "odd.ptx:5:5: error: 'wgmma.fence.sync.aligned' is not supported" in shown
    assert "odd.ptx:6:5: error: 'frobnicate.u32' is not an instruction of PTX 9.0" in shown
    assert run(KERNELS, "--check") == OK
    # It is refused when it is about to run, and not before.
    assert run(str(source), "--launch", "grid=1:block=1") == DIAGNOSED
    assert "wgmma.fence" in capsys.readouterr().err


def test_break(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(KERNELS).read_text().splitlines()
    start = next(n for n, line in enumerate(text) if ".entry vector_add" in line)
    line = next(n for n in range(start, len(text)) if "add.f32" in text[n])
    result = text[line].split("\t")[-1].split(",")[0]
    flags = ["--break", str(line + 2), "--register", result, "--lane", "7"]
    assert run(*ADD, *flags) == OK
    shown = capsys.readouterr().out.splitlines()
    assert any(f"block (0, 0, 0) thread 7: {result}=14.0" in row for row in shown), shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--arg", "zeros:f32"], "a shape is numbers"),
        (["--arg", "zeros:f33:4"], "unknown type 'f33'"),
        (["--arg", "i32:x"], "'x' is no i32"),
        (["--arg", "nonsense"], "cannot read --arg"),
        (["--launch", "grid=a"], "whole numbers"),
        (["--arg", "zeros:f32:-4"], "neither an extent nor a seed is negative"),
        (["--arg", "random=-1:f32:4"], "neither an extent nor a seed is negative"),
        (["--launch", "grid=1:grid=2:block=32"], "--launch has grid= twice"),
        (["--launch", "block=32:shared=1,2"], "shared= is one number of bytes"),
        (["--break", "1", "--lane", "32"], "--lane 32: the threads of a block are 0 to 31"),
        (["--launch", "blocks=3"], "--launch is grid="),
    ],
)
def test_wrong_usage(change: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*ADD, *change) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--kernel", "nothing"], "no kernel 'nothing'"),
        (["--arg", "1"], "takes 4 arguments, 5 were given"),
        (["--arg", "zeros:f32:99999999999999999"], "needs too much memory"),
        (["--launch", "grid=1:block=2048"], "2048 threads a block"),
        (["--launch", "grid=0:block=1"], "positive sizes"),
    ],
)
def test_wrong_launches(
    change: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*ADD, *change) == DIAGNOSED
    assert message in capsys.readouterr().err


def test_launch_sizes() -> None:
    sizes: Any = run_ptx.parse_launch("grid=4,2,1:block=128:shared=64")
    assert sizes == run_ptx.Sizes((4, 2, 1), (128,), 64)
    assert run_ptx.parse_launch("grid=4,block=8,8") == run_ptx.Sizes((4,), (8, 8), 0)
    with pytest.raises(UsageError):
        run_ptx.parse_launch("128")
