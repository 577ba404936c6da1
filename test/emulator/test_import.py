"""The emulator stands alone: nothing of the compiler comes with it."""

from __future__ import annotations

import subprocess
import sys

import teenyir as ty

PROBE = """
import sys
import teenyir.emulator
roots = {name.partition(".")[0] for name in sys.modules}
house = {name for name in sys.modules if name.startswith("teenyir.")}
house = {name for name in house if not name.startswith("teenyir.emulator")}
print(sorted(roots & {"xdsl", "llvmlite", "safetensors", "rich"}), sorted(house))
"""


def test_needs_numpy_and_ml_dtypes_alone() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert done.stdout == "[] ['teenyir.diagnostics']\n"


def test_is_a_name_of_the_package() -> None:
    assert ty.emulator.load.__module__ == "teenyir.emulator.launch"
