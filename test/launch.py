"""Runs a module of this checkout as a program: `python launch.py teenyir.tools.teeny_opt ARGS...`.

lit starts the commands of the house through it. PYTHONPATH would not do: lit's own `cat` and `diff`
overwrite it for the commands after them.
"""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
