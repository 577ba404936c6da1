"""Whether searches for schedules agree: time what each of several finds, side by side.

    python test/bench/searches.py [--searches 3] [--trials 32] [--processes 5] [--keep FOLDER]
                                  [CASE ...]

Each kernel is searched for several times, each time from another seed and into a database of its
own. Then what was found, and the untuned kernel, are timed in turns in the same processes, of which
there is one after the other, in one thread. Searches agree where what they found is equally fast:
times that were taken at different moments say nothing of that. A case is a product `MxKxN`, or a
workload of `workloads` and its sizes, `"softmax 512x1024"`.

Ratios are of the least times of all processes; those of each process by itself say how far to trust
them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from products import factors
from rounds import use_cpus
from workloads import named

import teenyir as ty
from teenyir.passes.kernel.choose.tuned import NONE, VARIABLE, Database
from teenyir.tuning.search import Plan, Search
from teenyir.tuning.worker import clock_of, least_seconds

CASES = (
    "256x256x256",
    "333x127x251",
    "softmax 512x1024",
    "conv 3x3 1x32x28x28x32",
    "max pool 3x3 1x32x56x56",
    "sum of rows 1024x1024",
)

TARGET = "cpu{threads=1}"

ROUNDS = 200
"""Samples of each program in a process."""

SECONDS = 10.0
"""What these may take."""


def traced(case: str) -> tuple[Any, list[Any]]:
    """The function of a case, traced, and its inputs. Raises ValueError for what names none."""
    if re.fullmatch(r"\d+x\d+x\d+", case):
        rng = np.random.default_rng(1)
        function: Any = ty.matmul
        arrays: list[Any] = [rng.standard_normal(s, np.float32) for s in factors(case) if s]
    else:
        workload, sizes = named(case)
        function, arrays = partial(workload.teenyir, ty), workload.arrays(*sizes)
    specs = [ty.Spec(each.shape, getattr(ty, each.dtype.name)) for each in arrays]
    return ty.trace(function, *specs), arrays


def search(case: str, folder: Path, trials: int, seed: int) -> float:
    """Search into a folder; the seconds that it takes."""
    start = time.perf_counter()
    module = traced(case)[0].module
    Search(module, TARGET, Database(folder), Plan(trials, seed=seed)).run()
    return time.perf_counter() - start


def work() -> None:
    """Print the seconds of a case with each of some databases, timed in this process."""
    case, tuned = json.loads(sys.stdin.read())
    function, arrays = traced(case)
    order = random.sample(range(len(tuned)), len(tuned))  # memory is given in the order of loading
    calls: dict[int, Any] = {}
    for i in order:
        os.environ[VARIABLE] = tuned[i]
        calls[i] = function.lower(TARGET).compile()
    runs = [partial(calls[i], *arrays) for i in range(len(tuned))]
    print(json.dumps(least_seconds(runs, ROUNDS, SECONDS, clock_of(1))))


def timed(case: str, tuned: list[str]) -> list[float]:
    """The seconds of a case with each of some databases, in a process of its own."""
    command = [sys.executable, __file__, "--worker"]
    request = json.dumps([case, tuned])
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def schedules(folder: Path) -> frozenset[str]:
    """What a search found; nothing where the rules are as good."""
    found = (json.loads(file.read_text())["schedule"] for file in folder.glob("*.json"))
    return frozenset(filter(None, found))


def main() -> None:
    parser = argparse.ArgumentParser(description="Time what searches find, side by side.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--searches", type=int, default=3)
    parser.add_argument("--trials", type=int, default=Plan.trials)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--cpu", type=int, help="the CPU that all run on")
    parser.add_argument("--keep", metavar="FOLDER", help="where the databases are and stay")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return
    use_cpus(1, options.cpu)
    cases: list[str] = options.cases or list(CASES)
    try:
        for case in cases:
            traced(case)
    except ValueError as problem:
        parser.error(str(problem))
    print(
        f"{'kernel':26}{'apart':>7}  {'in each process':17}{'gains':>11}{'found':>7}{'seconds':>9}"
    )
    with nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory() as kept:
        for case in cases:
            folders = [Path(kept, case, str(seed)) for seed in range(options.searches)]
            spent = [search(case, f, options.trials, s) for s, f in enumerate(folders)]
            tuned = [NONE, *map(str, folders)]
            print(row(case, [timed(case, tuned) for _ in range(options.processes)]), end="")
            print(f"{len(set(map(schedules, folders))):7}{max(spent):9.0f}", flush=True)


def row(case: str, times: list[list[float]]) -> str:
    """How far the slowest that was found is from the fastest, and what both gain over the rules."""
    untuned, *found = map(min, zip(*times, strict=True))
    slowest, fastest = found.index(max(found)), found.index(min(found))
    apart = found[slowest] / found[fastest]
    each = sorted(own[1 + slowest] / own[1 + fastest] for own in times)
    gains = f"{untuned / found[slowest]:.2f}-{untuned / found[fastest]:.2f}"
    return f"{case:26}{apart:7.3f}  {each[0]:.3f}-{each[-1]:.3f}{'':6}{gains:>11}"


if __name__ == "__main__":
    main()
