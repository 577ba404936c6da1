"""A measurement in a process of its own, and an executor that makes measurements here.

A measurement is a function of a text that gives a text, neither of them anything but JSON, so that
any executor of `concurrent.futures` can take it to another machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

WORKER = str(Path(__file__).with_name("worker.py"))

ROOT = Path(__file__).parents[2]
"""Where `import teenyir` looks."""

P = ParamSpec("P")
T = TypeVar("T")


def measure_apart(request: str, limit: float, script: str = WORKER) -> str:
    """The answer of a process of its own: `worker` has the forms of both.

    `limit` is the time that it has, in seconds. Where it ends without an answer, or gives none in
    time, the answer is `{"error": why}`; it is not left running.
    """
    paths = (str(ROOT), os.environ.get("PYTHONPATH"))
    try:
        done = subprocess.run(
            [sys.executable, "-P", script],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            input=request,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=limit,
            check=False,
            start_new_session=True,  # Ctrl-C is for the search, which ends it
        )
    except subprocess.TimeoutExpired:
        return json.dumps({"error": f"no answer in {limit:g} s"})
    except OSError as problem:
        return json.dumps({"error": f"no process could be started: {problem.strerror}"})
    lines = done.stdout.splitlines()
    if done.returncode == 0 and lines:
        return lines[-1]
    return json.dumps({"error": _last_words(done)})


def _last_words(done: subprocess.CompletedProcess[str]) -> str:
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if done.returncode < 0:
        how = signal.Signals(-done.returncode).name
        return f"its process ended with {how}"
    return said[-1] if said else f"its process ended with code {done.returncode}"


class Here(Executor):
    """Runs what is submitted at once, in the thread that submits it.

    One measurement after the other is what measures best, and Ctrl-C reaches it.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:
            future.set_exception(problem)
        return future


def read_answer(future: Future[str]) -> dict[str, Any]:
    """The answer of a measurement that is done; `{"error": why}` where the executor lost it."""
    try:
        return json.loads(future.result())
    except Exception as problem:  # whatever an executor of others fails with costs one candidate
        return {"error": f"{type(problem).__name__}: {problem}"}
