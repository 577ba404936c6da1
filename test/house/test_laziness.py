"""What is loaded when: a command loads what it uses, and the package itself nothing."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def loaded_after(code: str, stdin: str = "") -> set[str]:
    """Run `code` in a new Python; return the top-level modules loaded when it ends."""
    report = "import json, sys; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_teenyir_loads_nothing_heavy() -> None:
    assert not loaded_after("import teenyir") & {"numpy", "llvmlite", "xdsl", "ml_dtypes"}


def test_teeny_opt_on_plain_ir_loads_neither_numpy_nor_llvmlite() -> None:
    loaded = loaded_after(
        "from teenyir.tools.teeny_opt import main\n"
        "try:\n    main([])\nexcept SystemExit as end:\n    assert not end.code, end.code",
        "func.func @f() {\n  func.return\n}\n",
    )
    assert "xdsl" in loaded
    assert not loaded & {"numpy", "llvmlite", "ml_dtypes"}


def test_calling_a_program_does_not_load_what_only_arrays_with_masks_need() -> None:
    loaded_after(
        "import sys, numpy as np, teenyir as ty\n"
        "called, x = ty.jit(lambda x: x + 1.0), np.zeros(4, 'f4')\n"
        "called(x, out=called(x))\n"
        "assert 'numpy.ma' not in sys.modules"
    )
