"""The commands as processes of their own: Ctrl-C at any time, standard streams that are closed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import teenyir

HOUSE = Path(teenyir.__file__).resolve().parent.parent

LONG_RUN = """
func.func @main(%x: tensor<1500x1500xf64>) -> tensor<1500x1500xf64> {
  %y = graph.dot %x, %x contract [1] x [0]
      : (tensor<1500x1500xf64>, tensor<1500x1500xf64>) -> tensor<1500x1500xf64>
  func.return %y : tensor<1500x1500xf64>
}
"""


def start(command: str, *arguments: object, before: str = "", **options) -> subprocess.Popen:
    name = command.replace("-", "_")
    code = f"import sys\n{before}\nfrom teenyir.tools.start import {name}\nsys.exit({name}())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )


def interrupted(process: subprocess.Popen) -> tuple[int, bytes]:
    """Send Ctrl-C; the exit code and what standard error got."""
    process.send_signal(signal.SIGINT)
    try:
        _, messages = process.communicate(timeout=30)
    finally:
        process.kill()
    return process.returncode, messages


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_while_modules_are_imported_is_no_traceback():
    # an import that takes long enough to be interrupted
    before = (
        "import importlib.abc, time\n"
        "class Slow(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'xdsl':\n"
        "            print('importing', flush=True)\n"
        "            time.sleep(30)\n"
        "sys.meta_path.insert(0, Slow())"
    )
    process = start("teeny-opt", before=before, stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stdout.readline() == b"importing\n"
    assert interrupted(process) == (130, b"error: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_reaches_native_code(tmp_path):
    file, out = tmp_path / "long.mlir", tmp_path / "out.npz"
    file.write_text(LONG_RUN)
    code = (
        "from teenyir.runtime import compiled\n"
        "entered = compiled.Entry.run\n"
        "def run(self, *arguments):\n"
        "    print('running', flush=True)\n"
        "    while True: entered(self, *arguments)\n"
        "compiled.Entry.run = run"
    )
    process = start("teeny-run", file, "-o", out, before=code)
    assert process.stdout is not None and process.stdout.readline() == b"running\n"
    time.sleep(0.2)
    begun = time.monotonic()
    assert interrupted(process) == (130, b"error: interrupted\n")
    assert time.monotonic() - begun < 10
    assert not out.exists()


@pytest.mark.parametrize(
    ("closed", "message"),
    [
        (0, b"error: cannot read standard input: it is closed\n"),
        (1, b"error: cannot write standard output: it is closed\n"),
    ],
)
def test_a_closed_standard_stream_is_said(closed, message, tmp_path):
    file = tmp_path / "empty.mlir"
    file.write_text("module {}")
    code = f"import os; os.close({closed}); os.execv(sys.executable, sys.argv[1:])"
    inner = "import sys; from teenyir.tools.start import teeny_opt; sys.exit(teeny_opt())"
    arguments = [sys.executable, "-c", inner, "-" if closed == 0 else str(file)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}", *arguments],
        cwd=HOUSE,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(HOUSE)},
    )
    assert (done.returncode, done.stderr) == (1, message)
