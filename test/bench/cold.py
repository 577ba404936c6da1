"""Peers timed cold: each sample is a process of its own, which starts with empty caches.

A bench is a script that calls `answer` when it is started with `--worker PEER CASE`, and `measure`
when it is started by hand. Rounds are shuffled, and one process runs at a time, on one CPU.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TypeAlias

Facts: TypeAlias = dict[str, float]
"""What a process measured, by name; times in seconds."""
Found: TypeAlias = list[Facts] | str
"""The samples of a peer, or why there are none."""

MOST_SECONDS = 600
"""Of a process."""


def used() -> float:
    """Seconds of CPU that this process and those it waited for have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(work: Callable[[], object]) -> float:
    """The seconds of CPU of some work."""
    start = used()
    work()
    return used() - start


def answer(facts: Facts) -> None:
    """In a worker: hand over what was measured."""
    print(json.dumps(facts), flush=True)


def sample(script: str, peer: str, case: str, bytecode: str) -> Facts | str:
    """What a new process measures, or why it does not."""
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {
            "HOME": empty,
            "XDG_CACHE_HOME": empty,
            "TEENYIR_CACHE_DIR": empty,
            "TORCHINDUCTOR_CACHE_DIR": empty,
            "PYTHONPYCACHEPREFIX": bytecode,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, script, "--worker", peer, case]
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it takes more than {MOST_SECONDS} seconds"
    if done.returncode or not done.stdout:
        return (done.stderr.strip().splitlines() or ["it ended with no word"])[-1]
    return json.loads(done.stdout.splitlines()[-1])


def measure(
    script: str, peers: Sequence[str], cases: Sequence[str], rounds: int
) -> Mapping[str, Mapping[str, Found]]:
    """Samples by case and peer. A first round is not counted: it leaves Python's bytecode."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found: dict[str, dict[str, Found]] = {case: {peer: [] for peer in peers} for case in cases}
    with tempfile.TemporaryDirectory() as bytecode:
        for number in range(rounds + 1):
            for case in cases:
                for peer in random.sample(peers, len(peers)):
                    samples = found[case][peer]
                    if isinstance(samples, str):
                        continue
                    facts = sample(script, peer, case, bytecode)
                    if isinstance(facts, str):
                        found[case][peer] = facts
                    elif number:
                        samples.append(facts)
    return found


def values(samples: Found, name: str) -> list[float]:
    """A fact of all samples."""
    return [] if isinstance(samples, str) else [facts[name] for facts in samples]


def spread(seconds: Sequence[float]) -> str:
    """A median, and the least and the greatest."""
    return f"{median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def write_json(path: str, found: Mapping[str, Mapping[str, Found]]) -> None:
    """All samples, by case and peer."""
    Path(path).write_text(json.dumps(found), encoding="utf-8")
