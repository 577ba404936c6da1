"""A compiler in a process of its own: one that may end its process does not end the user's.

The process is started at the first request and kept. A request is a line of JSON, and so is the
answer; where the process ends, what it said becomes an error, and the next request starts another.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from teenyir.forking import tell_child, wait_for


class Ended(Exception):
    """The process ended before it answered; the message is what it said."""


class Worker:
    """A process that runs a script, one request at a time, until this one ends."""

    def __init__(self, script: Path) -> None:
        self._script = script
        self._lock = threading.RLock()
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None
        atexit.register(self.close)
        wait_for(self._lock)
        tell_child(self)

    def ask(self, request: dict[str, str | int]) -> dict[str, str]:
        """The answer to a request. Raises Ended where there is none."""
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None  # both are pipes
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if line:
                return json.loads(line)
            process.wait()
            said = self._last_words(process.returncode)
            self._end(process)
        raise Ended(said)

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            if self._process is not None:
                self._end(self._process)

    def forked(self) -> None:
        """The process is the parent's: a child that asks starts one of its own."""
        if (process := self._process) is not None:
            for stream in (process.stdin, process.stdout, self._errors):
                assert stream is not None  # all three are ours
                stream.close()
            process.returncode = 0  # it is not for the child to wait for
            self._process = None

    def _end(self, process: subprocess.Popen[str]) -> None:
        for stream in (process.stdin, process.stdout, self._errors):
            assert stream is not None  # all three are ours
            # what was to be written is of no use to a process that has ended
            with suppress(BrokenPipeError):
                stream.close()
        process.wait()
        self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
            self._process = subprocess.Popen(
                [sys.executable, str(self._script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
            )
        return self._process

    def _last_words(self, code: int) -> str:
        """The first line about an error that was written before the end."""
        assert self._errors is not None  # opened with the process
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().splitlines() if line.strip()]
        said = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "")
        return said or f"it ended with code {code}"
