"""A measurement in a process of its own, and an executor that makes measurements here.

A measurement is a function of a text that gives a text, neither of them anything but JSON, so that
any executor of `concurrent.futures` can take it to another machine.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

WORKER = str(Path(__file__).with_name("worker.py"))

ROOT = Path(__file__).parents[2]
"""Where `import teenyir` looks."""

GRACE = 5.0
"""Seconds beyond its limit in which a worker ends by itself, where nobody is there to end it."""

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
            [sys.executable, "-P", script, str(limit + GRACE)],
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
        return f"its process ended with {_name_of(-done.returncode)}"
    return said[-1] if said else f"its process ended with code {done.returncode}"


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


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


@dataclass(frozen=True)
class Answer:
    """What came of a measurement, for each of its schedules."""

    seconds: tuple[float, ...]
    """The least time of a run."""
    differs: tuple[str | None, ...]
    """Why its results are wrong, or None."""


class Lost(Exception):
    """A measurement without an answer; the message says why."""


def read_answer(future: Future[str], count: int) -> Answer:
    """The answer of a measurement of so many schedules, once it is done. Raises Lost."""
    try:
        said: Any = json.loads(future.result())
    except Exception as problem:  # whatever an executor of others fails with costs one candidate
        raise Lost(f"{type(problem).__name__}: {problem}") from None
    if not isinstance(said, dict):
        raise Lost("its answer is no object")
    found = cast(dict[str, Any], said)
    if isinstance(found.get("error"), str):
        raise Lost(found["error"])
    seconds, differs = found.get("seconds"), found.get("differs")
    if not _are(seconds, _is_time, count) or not _are(differs, _is_reason, count):
        raise Lost("its answer has not what it should have")
    return Answer(tuple(cast(list[float], seconds)), tuple(cast("list[str | None]", differs)))


def _are(values: object, fits: Callable[[object], bool], count: int) -> bool:
    if not isinstance(values, list):
        return False
    all_of_them = cast(list[object], values)
    return len(all_of_them) == count and all(map(fits, all_of_them))


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value > 0


def _is_reason(value: object) -> bool:
    return value is None or isinstance(value, str)
