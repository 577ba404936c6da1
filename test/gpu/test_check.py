"""`check.py`, the script for machines with a GPU, as far as it goes without one."""

import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
import timings
from check import Worker

import teenyir as ty

SCRIPT = Path(__file__).with_name("check.py")


def check(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_cases_run_in_the_emulator() -> None:
    cases = "fusion: (rms norm|a view)$|product: bfloat16 65|matrix: bool control"
    code, said = check("--target=cuda-emulated", "--jobs=1", f"--only={cases}")
    assert code == 0, said
    assert "4 of 4 cases are right" in said and said.count("right") == 5


def test_a_failure_stops_nothing() -> None:
    """A case that takes too long, or is none, leaves the others: the process is started anew."""
    worker = Worker(Namespace(target="cuda-emulated", case_limit=60))
    try:
        for name, limit, why in [
            ("fusion: softmax", 0.001, "took over 0 s"),
            ("no such case", 60, "KeyError: 'no such case'"),
        ]:
            assert worker.ask(name, limit)["problem"] == why and worker.process is None
        assert worker.ask("fusion: a view", 60) == {"row": None}
    finally:
        worker.stop()


def test_what_is_not_reached_shows_in_the_exit_code() -> None:
    code, said = check("--target=cuda-emulated", "--limit=0", "--only=fusion: a view$")
    assert code == 1 and "WRONG fusion: a view\nnot reached" in said


def test_what_there_is_is_listed() -> None:
    code, said = check("--list", "--only=softmax|float32 0")
    assert code == 0, said
    assert {"fusion: softmax", "time: softmax f32, 8192 x 4096"} < set(said.splitlines())
    assert check("--target=cuda-emulated", "--list", "--only=time: ") == (0, "\n")


def test_wrong_usage() -> None:
    assert check("--only=(")[0] == 2
    code, said = check("--target=cuda-emulated", "--only=nothing of this name")
    assert code == 2 and "--list names them" in said


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name == "product bf16, 8192" else ())
        for name in timings.TIMED
    ],
)
def test_what_is_timed_compiles(name: str) -> None:
    row = timings.TIMED[name]
    specs = [ty.Spec(shape, getattr(ty, row.dtype)) for shape in row.shapes]
    target = timings.with_options("cuda{capability=sm_90}", row.options)
    lowered = ty.trace(row.ours, *specs).lower(target=target)
    is_product = row.flops and name != "product f32, 2048"
    assert ("mma" in lowered.llvmir) == bool(is_product)


def test_a_table_of_times() -> None:
    calls: list[str] = []

    def side(name: str, seconds: float):
        def run(times: int) -> float:
            calls.append(name)
            return seconds

        return run

    sides = {"ours": side("ours", 2e-3), "torch": side("torch", 3e-3)}
    row = {"name": "product", "flops": 4e9, "notes": {}} | timings.measured(sides)
    assert calls[2:6] == ["ours", "torch"] * 2  # after one of each to see how long they take
    last = timings.table([row]).splitlines()[-1]
    assert last == "| product | 2000.0 | 2.0 | 1.50 (1.50 to 1.50) | - |"


def test_options_of_a_target() -> None:
    assert timings.with_options("cuda", "tf32=true") == "cuda{tf32=true}"
    found = timings.with_options("cuda{capability=sm_90}", "tf32=true")
    assert re.fullmatch(r"cuda\{capability=sm_90 tf32=true\}", found)
    assert timings.with_options("cuda", "") == "cuda"


IMPORTED = """
import sys
sys.path[:0] = sys.argv[1:]
import cases, timings
cases.checks()["fusion: a view"]("cuda-emulated")
names = {name.partition(".")[0] for name in sys.modules}
files = {name: getattr(sys.modules.get(name), "__file__", None) or "" for name in names}
print(*(name for name, file in files.items() if "site-packages" in file))
"""


def test_it_needs_few_packages() -> None:
    """What a machine with a GPU has, or wheels laid beside; torch for what is timed alone."""
    folders = [str(SCRIPT.parents[2]), str(SCRIPT.parent)]
    command = [sys.executable, "-c", IMPORTED, *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names = {name for name in done.stdout.split() if not name.startswith("_")}
    needed = {"numpy", "llvmlite", "ml_dtypes", "xdsl"}
    assert names <= needed | {"immutabledict", "ordered_set", "typing_extensions"}, names
