"""Peers timed against each other: each in a process of its own, one at a time, in shuffled rounds.

A bench is a script that calls `work` when it is started with `--worker PEER`, and `measure` when it
is started by hand. Peers keep to one CPU and reuse their memory, which page faults would otherwise
be all that is measured of. Times are those of the process on the CPU, so that what else the machine
does shows less; with several threads, on as many CPUs, they are those of the clock on the wall,
and a batch is taken again in which it did not have them: two threads take as long as one where
another process, or the host, has the second CPU. Ratios are of minima.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any, TypeAlias

Call: TypeAlias = Callable[[], Any]

BATCH = 0.06
"""Seconds of a batch of calls."""

LITTLE = 0.2
"""CPUs that may be lost while several threads are timed; a clock's tick is a sixth of a batch."""

RETAKES = 8
"""How often a batch is taken again that was disturbed."""

FEW_FAULTS = 8
"""Page faults a call that are let pass."""

THREADS = "TEENYIR_NUM_THREADS"
"""The variable that says how many threads a worker has."""

POOLS = (THREADS, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "1000000000000",
    "MALLOC_ARENA_MAX": "1",
}
OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""What would hand a peer another kernel than it would choose."""


class Refused(Exception):
    """A peer cannot run a case, or gives a wrong result; says why."""


@dataclass(frozen=True)
class Sample:
    """One batch of calls of a peer."""

    seconds: float
    """Of the process on the CPU, for a call."""
    faults: float
    """Page faults of a call."""
    lost: float = 0.0
    """CPUs that the process could not have meanwhile, on the average, where it has several."""


@dataclass(frozen=True)
class Refusal:
    """Why a peer has no samples of a case."""

    reason: str


Results: TypeAlias = Mapping[str, Mapping[str, Sequence[Sample] | Refusal]]
"""By case and peer."""


# --- in a worker ----------------------------------------------------------------------------------


def work(prepare: Callable[[str], Call]) -> None:
    """Answer each case that is read with a batch of calls of it, until there is none.

    `prepare` makes the call of a case, or raises Refused.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a peer may print what it likes
    calls: dict[str, tuple[Call, int]] = {}
    for line in sys.stdin:
        case = line.strip()
        try:
            if case not in calls:
                calls = {case: _counted(prepare(case))}  # the case before is over: memory is free
            answer = asdict(_batch(*calls[case]))
        except Refused as refused:
            answer = asdict(Refusal(str(refused)))
        print(json.dumps(answer), file=answers, flush=True)


def _counted(call: Call) -> tuple[Call, int]:
    """A call, and how many of it make a batch."""
    call()
    start = time.perf_counter()
    call()
    return call, max(1, int(BATCH / (time.perf_counter() - start)))


def _batch(call: Call, count: int) -> Sample:
    call()  # the first of a batch is not timed
    alone = os.environ.get(THREADS) == "1"
    clock = time.process_time if alone else time.perf_counter
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    used, wall = _ours_or_idle(), time.perf_counter()
    start = clock()
    for _ in range(count):
        call()
    seconds = clock() - start
    used, wall = _ours_or_idle() - used, time.perf_counter() - wall
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    lost = 0.0 if alone else max(0.0, len(os.sched_getaffinity(0)) - used / wall)
    return Sample(seconds / count, faults / count, lost)


def _ours_or_idle() -> float:
    """Seconds that the CPUs of this process have been idle, to a clock's tick, or in it.

    What is missing of the time on the wall other processes had, or the host of a virtual machine,
    which may not say so.
    """
    idle = 0
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *ticks = line.split()
            if name[:3] == "cpu" and name[3:] in map(str, os.sched_getaffinity(0)):
                idle += int(ticks[3]) + int(ticks[4])
    return idle / os.sysconf("SC_CLK_TCK") + time.process_time()


# --- rounds ---------------------------------------------------------------------------------------


CPUS = sorted(os.sched_getaffinity(0))
"""Those that there are before any are chosen."""


def use_cpus(count: int, cpu: int | None = None) -> None:
    """Keep this process and the workers that it starts to so many CPUs, the last ones; one may be
    chosen."""
    os.sched_setaffinity(0, [cpu] if count == 1 and cpu is not None else CPUS[-count:])


class Worker:
    """A peer's process."""

    def __init__(self, script: str, peer: str, python: str, threads: int):
        environment = {k: v for k, v in os.environ.items() if k not in OVERRIDES} | ENVIRONMENT
        environment |= dict.fromkeys(POOLS, str(threads)) | (ONE_THREAD if threads == 1 else {})
        command = [python, script, "--worker", peer]
        pipe = subprocess.PIPE
        self.peer = peer
        self._process = subprocess.Popen(
            command, env=environment, text=True, stdin=pipe, stdout=pipe
        )

    def sample(self, case: str) -> Sample | Refusal:
        """A batch of calls of a case: of some, the one that was disturbed least."""
        least = self._sample(case)
        for _ in range(RETAKES):
            if isinstance(least, Refusal) or least.lost <= LITTLE:
                break
            again = self._sample(case)
            if isinstance(again, Refusal) or again.lost < least.lost:
                least = again
        return least

    def _sample(self, case: str) -> Sample | Refusal:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{case}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            return Refusal(f"its process ended with {process.wait()}")
        found: dict[str, Any] = json.loads(answer)
        return Refusal(**found) if "reason" in found else Sample(**found)

    def end(self) -> None:
        self._process.communicate()


def measure(
    script: str,
    peers: Sequence[str],
    cases: Sequence[str],
    rounds: int,
    python: Mapping[str, str] | None = None,
    threads: int = 1,
) -> Results:
    """Samples of each case from each peer's worker, which `script` starts; a round has one of each.

    `python` gives a peer an interpreter other than this one; each has so many `threads`.
    """
    chosen = python or {}
    workers = [Worker(script, peer, chosen.get(peer, sys.executable), threads) for peer in peers]
    results: dict[str, dict[str, list[Sample] | Refusal]] = {}
    for case in cases:
        found: dict[str, list[Sample] | Refusal] = {peer: [] for peer in peers}
        for _ in range(rounds):
            for worker in random.sample(workers, len(workers)):
                samples = found[worker.peer]
                if isinstance(samples, Refusal):
                    continue
                sample = worker.sample(case)
                if isinstance(sample, Refusal):
                    found[worker.peer] = sample
                else:
                    samples.append(sample)
        results[case] = found
    for worker in workers:
        worker.end()
    return results


# --- what was found -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """What a case comes to: one peer against the best of the others."""

    case: str
    seconds: dict[str, float]
    """The shortest of each peer."""
    best: str
    """The fastest of the others."""
    ratio: float
    """Its shortest time to ours: over 1 ours is faster."""
    of_medians: float
    """The ratio of the medians of the same two."""
    spread: tuple[float, float]
    """Between which the middle half of the ratios lies that single rounds give."""


def row(
    case: str,
    found: Mapping[str, Sequence[Sample] | Refusal],
    ours: str,
    against: Sequence[str] = (),
) -> Row | None:
    """The comparison of a case with the best of the others, or of those that it is `against`; None
    where ours or all of them refused.

    Raises SystemExit where a peer's calls fault pages in: that would be what is compared.
    """
    times: dict[str, list[float]] = {}
    for peer, samples in found.items():
        if isinstance(samples, Refusal):
            continue
        faults = min(sample.faults for sample in samples)
        if faults > FEW_FAULTS:
            raise SystemExit(f"{peer} faults {faults:.0f} pages in each call of {case}")
        times[peer] = [sample.seconds for sample in samples]
    others = [peer for peer in times if peer != ours and (not against or peer in against)]
    if ours not in times or not others:
        return None
    shortest = {peer: min(each) for peer, each in times.items()}
    middle = {peer: median(each) for peer, each in times.items()}
    best = min(others, key=shortest.__getitem__)
    ratio = shortest[best] / shortest[ours]
    ratios = [theirs / mine for theirs, mine in zip(times[best], times[ours], strict=True)]
    low, _, high = quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return Row(case, shortest, best, ratio, middle[best] / middle[ours], (low, high))


def write_json(path: str, results: Results) -> None:
    """All samples and refusals, by case and peer."""
    data = {
        case: {
            peer: asdict(samples)
            if isinstance(samples, Refusal)
            else [asdict(sample) for sample in samples]
            for peer, samples in found.items()
        }
        for case, found in results.items()
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)
