"""Where the commands begin: what `teeny-opt` and the others call, a process each.

A command's modules take a while to import, and native code may run for minutes, in which Python
answers no signal. Ctrl-C ends the command with one line and code 130 in either case.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from importlib import import_module

INTERRUPTED = 130

PATIENCE = 1.0
"""Seconds that a command has to answer Ctrl-C by itself, and to tidy up."""


def teeny_opt() -> int:
    """The command teeny-opt."""
    return _start("teeny_opt")


def teeny_run() -> int:
    """The command teeny-run."""
    return _start("teeny_run")


def teeny_translate() -> int:
    """The command teeny-translate."""
    return _start("teeny_translate")


def teeny_tune() -> int:
    """The command teeny-tune."""
    return _start("teeny_tune")


def teeny_update_checks() -> int:
    """The command teeny-update-checks."""
    return _start("teeny_update_checks")


def _start(module: str) -> int:
    try:
        _watch()
        return import_module(f"teenyir.tools.{module}").main()
    except KeyboardInterrupt:
        _say_interrupted()
        return INTERRUPTED


def _say_interrupted() -> None:
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr.write("error: interrupted\n")


def _watch() -> None:
    """End the process where Ctrl-C finds it in native code, which no exception reaches."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_interrupt, args=(reader,), daemon=True).start()


def _wait_for_interrupt(reader: int) -> None:
    while os.read(reader, 1) != bytes([signal.SIGINT]):
        pass
    time.sleep(PATIENCE)
    _say_interrupted()
    os._exit(INTERRUPTED)
