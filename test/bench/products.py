"""Time products of matrices against numpy, one thread each, and against what the core can do.

    python test/bench/products.py [--rounds 15] [--json FILE] [SHAPE ...]

Each peer runs in a process of its own on one CPU, with reused memory, and only one computes at a
time, in rounds of shuffled order. Times are those of the thread on the CPU, so that what else the
machine does shows less; the ratio is that of the minima, its spread that of the medians to it.
Results are checked against float64.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "256^3": ((256, 256), (256, 256)),
    "512^3": ((512, 512), (512, 512)),
    "1024^3": ((1024, 1024), (1024, 1024)),
    "2048^3": ((2048, 2048), (2048, 2048)),
    "1000x333x700": ((1000, 333), (333, 700)),
    "16x(128x64)(64x128)": ((16, 128, 64), (16, 64, 128)),
    "4096^2 vector": ((4096, 4096), (4096,)),
}
"""The factors of each product, f32."""

PEERS = ("teenyir", "numpy")
BATCH = 0.06
"""Seconds of a batch of calls."""

ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    # every peer reuses its memory: page faults would be all that is measured
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "1000000000000",
    "MALLOC_ARENA_MAX": "1",
}
OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""What would hand a peer another kernel than it would choose."""

TOLERANCE = 1e-5
"""The largest error, by the largest sum of absolute products."""


def flops(shape: str) -> int:
    left, right = SHAPES[shape]
    return 2 * int(np.prod(left)) * (right[-1] if len(right) > 1 else 1)


# --- workers --------------------------------------------------------------------------------------


def teenyir_product(a: Any, b: Any) -> Callable[[], Any]:
    import teenyir as ty

    specs = [ty.Spec(each.shape, ty.float32) for each in (a, b)]
    compiled = ty.trace(ty.matmul, *specs).lower(target="cpu").compile()
    return lambda: compiled(a, b)


def numpy_product(a: Any, b: Any) -> Callable[[], Any]:
    out = np.matmul(a, b)
    return lambda: np.matmul(a, b, out=out)


MAKERS = {"teenyir": teenyir_product, "numpy": numpy_product}


def work(peer: str) -> None:
    """Answer each shape that is read with the seconds of a call, until there is none."""
    calls: dict[str, tuple[Callable[[], Any], int]] = {}
    for line in sys.stdin:
        shape = line.strip()
        if shape not in calls:
            calls[shape] = prepared(peer, shape)
        call, count = calls[shape]
        call()  # the first of a batch is not timed
        start = time.thread_time()
        for _ in range(count):
            call()
        print((time.thread_time() - start) / count, flush=True)


def prepared(peer: str, shape: str) -> tuple[Callable[[], Any], int]:
    """A product that gives the right result, and how many calls make a batch."""
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=each).astype(np.float32) for each in SHAPES[shape])
    call = MAKERS[peer](a, b)
    wide = a.astype(float), b.astype(float)
    error = np.abs(call() - wide[0] @ wide[1]).max()
    if error > TOLERANCE * (np.abs(wide[0]) @ np.abs(wide[1])).max():
        raise SystemExit(f"{peer}'s {shape} is off by {error}")
    start = time.perf_counter()
    call()
    return call, max(1, int(BATCH / (time.perf_counter() - start)))


# --- rounds ---------------------------------------------------------------------------------------


def start_worker(peer: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if k not in OVERRIDES} | ENVIRONMENT
    command = [sys.executable, __file__, "--worker", peer]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe)


def measure(shapes: list[str], rounds: int) -> dict[str, dict[str, list[float]]]:
    """The seconds of each round, by shape and peer."""
    workers = {peer: start_worker(peer) for peer in PEERS}
    times: dict[str, dict[str, list[float]]] = {s: {p: [] for p in PEERS} for s in shapes}
    for shape in shapes:
        for _ in range(rounds):
            for peer in random.sample(PEERS, len(PEERS)):
                worker = workers[peer]
                assert worker.stdin is not None and worker.stdout is not None
                worker.stdin.write(f"{shape}\n")
                worker.stdin.flush()
                answer = worker.stdout.readline()
                if not answer:
                    raise SystemExit(f"{peer}'s worker ended")
                times[shape][peer].append(float(answer))
    for worker in workers.values():
        worker.communicate()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description="Time products of matrices.")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(SHAPES))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--json", metavar="FILE", help="write the seconds of each round")
    parser.add_argument("--worker", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker)
        return
    os.sched_setaffinity(0, {options.cpu})
    for shape in options.shapes:
        if shape not in SHAPES:
            parser.error(f"no shape {shape}; there are {', '.join(SHAPES)}")
    times = measure(options.shapes or list(SHAPES), options.rounds)
    print(f"{'product':22}{'GFLOP/s':>10}{'numpy':>8}{'ratio':>8}{'of medians':>12}")
    for shape, found in times.items():
        ours, theirs = found["teenyir"], found["numpy"]
        rates = [flops(shape) / min(each) / 1e9 for each in (ours, theirs)]
        ratios = min(theirs) / min(ours), median(theirs) / median(ours)
        print(f"{shape:22}{rates[0]:10.1f}{rates[1]:8.1f}{ratios[0]:8.3f}{ratios[1]:12.3f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(times, file)


if __name__ == "__main__":
    main()
