# ruff: noqa: E402, F821 (lit defines `config`)
"""lit's view of the golden tests: `lit test/`, with lit's own shell.

`pytest` runs the same files in one process (`test_goldens.py`), which is much faster.
"""

import os
import sys
from pathlib import Path

import lit.formats

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from teenyir.tools.run_lines import TOOLS

config.name = "teenyir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = str(ROOT / "test")
config.test_exec_root = str(ROOT / "build" / "lit")

config.environment["PATH"] = os.pathsep.join(
    [os.path.dirname(sys.executable), os.environ.get("PATH", "")]
)
config.environment["TEENYIR_NUM_THREADS"] = "2"
config.environment["TEENYIR_TUNED"] = "none"
launch = f"{sys.executable} {ROOT / 'test' / 'launch.py'}"
for tool, module in TOOLS.items():
    config.substitutions.append((rf"(?<![\w./-]){tool}(?![\w./-])", f"{launch} {module}"))
config.substitutions.append(
    (r"(?<![\w./-])(FileCheck|filecheck)(?![\w./-])", f"{sys.executable} -m filecheck")
)
