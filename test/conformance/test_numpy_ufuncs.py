"""numpy's own tests of ufuncs, which its wheel carries, on `teenyir.array`.

The share that passes is printed, and may not fall.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
AT_LEAST = 137
"""Tests that call our functions and pass."""

SLOW = ("blocked", "strided", "strides", "memoverlap", "spurious_fpexception")
"""Parts of names of tests of numpy's memory layouts and of the machine's flags, which take long and
are not about values."""

FAILING = {
    **dict.fromkeys(
        (
            "test_wrap",
            "test_priority",
            "test_none_wrap",
            "test_failing_wrap",
            "test_ufunc_override",
        ),
        "subclasses of numpy's arrays stay what they are",
    ),
    "test_precision": "a tuple of numpy's own",
    "test_truth_table_logical": "logical functions of the array API take booleans",
}
"""What is not ours, by how the test's name starts, and why."""


def test_numpys_tests_of_ufuncs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = tmp_path / "found.json"
    paths = os.pathsep.join([str(ROOT), str(HERE / "numpy_ufuncs")])
    command = [
        *(sys.executable, "-m", "pytest", "--pyargs", "numpy._core.tests.test_umath", "-q"),
        *("-p", "plugin", "-p", "no:cacheprovider", "-W", "ignore", f"--found={found}"),
        "--tb=no",  # what is not ours fails, and telling how takes most of the time
        *("-k", " and ".join(f"not {word}" for word in SLOW), f"--rootdir={tmp_path}"),
    ]
    environment = {**os.environ, "PYTHONPATH": paths}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert found.exists(), run.stdout[-2000:] + run.stderr[-2000:]
    outcomes: dict[str, str] = json.loads(found.read_text())
    failing = [name for name, outcome in outcomes.items() if outcome == "failed"]
    passing = len(outcomes) - len(failing)
    with capsys.disabled():
        print(f"\nnumpy's tests of ufuncs: {passing} of {len(outcomes)} pass")
    bare = [name.split("::")[-1] for name in failing]
    assert not [name for name in bare if not name.startswith(tuple(FAILING))]
    assert passing >= AT_LEAST
