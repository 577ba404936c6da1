"""Measures schedules of one kernel, in a process that may end at any time.

A request is one JSON object on standard input, the answer one on standard output:

    {"module": text, "key": .., "machine": .., "target": "cpu", "schedules": ["", ..],
     "ranges": [..], "buffers": [..], "dims": {..}, "seed": 0, "rounds": 30, "seconds": 2.0}
    {"seconds": [least seconds of a run, ..], "differs": [why it is wrong or null, ..]}

Each schedule is put into a database of its own and compiled by way of it, as a user's program is.
All are loaded before the first is timed, and are timed in turns. The first is what the results of
the others are compared with. On a machine of another kind, or with another number of threads, none
of them would be looked up, and so nothing is measured there.

The process ends after so many seconds as its argument says, whatever it is at.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from teenyir.diagnostics import CompileError

SAMPLE = 0.001
"""Seconds that one sample takes at least: fast kernels run several times in it."""

FEWEST_ROUNDS = 3
"""Samples of each at least."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request.

    Raises CompileError where a schedule cannot be compiled, or the machine is of another kind.
    """
    from teenyir.interpreter.compare import difference
    from teenyir.interpreter.examples import random_array

    _require_machine(request)
    schedules: list[str] = request["schedules"]
    calls = [_compile(request, schedule) for schedule in schedules]
    signature = calls[0].signature
    dims: dict[str, int] = request["dims"]
    arrays = [
        random_array(argument, argument.shape(dims), request["seed"])
        for argument in signature.inputs
    ]
    results = [_outputs(call, arrays) for call in calls]
    differs: list[str | None] = []
    for outputs in results:
        pairs = zip(outputs, results[0], strict=True)
        found = [str(d) for got, want in pairs if (d := difference(got, want)) is not None]
        differs.append(found[0] if found else None)
    runs = [lambda call=call: call(*arrays) for call in calls]
    clock = clock_of(threads_of(request["target"]))
    seconds = least_seconds(runs, request["rounds"], request["seconds"], clock)
    return {"seconds": seconds, "differs": differs}


def _require_machine(request: dict[str, Any]) -> None:
    from teenyir.passes.kernel.choose.tuned import machine

    here = machine(threads_of(request["target"]))
    if here != request["machine"]:
        raise CompileError(f"it was sent to another kind of machine: {here}")


def threads_of(target: str) -> int:
    """The threads that a target names, 0 for those of this process."""
    from teenyir.tuning.target import front_of

    return front_of(target)[1].threads


def _compile(request: dict[str, Any], schedule: str) -> Any:
    """The program with a schedule for its kernel."""
    from teenyir.passes.kernel.choose.tuned import NONE, VARIABLE, Database, Tuned
    from teenyir.pipeline.ir import parse_module
    from teenyir.runtime.lowered import lower

    with tempfile.TemporaryDirectory() as folder:
        os.environ[VARIABLE] = folder if schedule else NONE
        ranges: list[str] = request["ranges"]
        buffers: list[str] = request["buffers"]
        tuned = Tuned("", "", schedule, tuple(ranges), tuple(buffers), 0.0, 0.0)
        Database(Path(folder)).put(request["key"], tuned)
        module = parse_module(request["module"], "<kernel>")
        return lower(module, request["target"]).compile()


def _outputs(call: Any, arrays: list[Any]) -> list[Any]:
    result: Any = call(*arrays)
    return list(cast(tuple[Any, ...], result)) if isinstance(result, tuple) else [result]


Clock = Callable[[], float]
"""Seconds since whenever."""


def clock_of(threads: int) -> Clock:
    """What tells the time of one thread: of this process on the CPU, so that what else the machine
    does shows less. Of several threads, which wait for each other, it is the clock on the wall."""
    from teenyir.targets import cpu

    return time.process_time if cpu.usable_threads(threads) == 1 else time.perf_counter


def least_seconds(
    runs: list[Callable[[], object]], rounds: int, most: float, clock: Clock
) -> list[float]:
    """The least time of a run of each, of samples that are taken in turns.

    There are so many rounds, or what fits into `most` seconds, but `FEWEST_ROUNDS` at least.
    """
    end = time.perf_counter() + most
    once = [min(_sample(run, 1, clock) for _ in range(FEWEST_ROUNDS)) for run in runs]
    counts = [max(int(SAMPLE / max(seconds, 1e-7)), 1) for seconds in once]
    least = [float("inf")] * len(runs)
    for number in range(rounds):
        if number >= FEWEST_ROUNDS and time.perf_counter() > end:
            break
        order = range(len(runs)) if number % 2 == 0 else range(len(runs))[::-1]
        for i in order:
            least[i] = min(least[i], _sample(runs[i], counts[i], clock))
    return least


def _sample(run: Callable[[], object], count: int, clock: Clock) -> float:
    start = clock()
    for _ in range(count):
        run()
    return (clock() - start) / count


def main() -> int:
    """Answer the request on standard input."""
    if len(sys.argv) > 1:
        signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))  # its signal ends the process
    try:
        said = answer(json.loads(sys.stdin.read()))
    except CompileError as problem:
        said = {"error": problem.diagnostics[0].message}
    except MemoryError as problem:
        said = {"error": f"out of memory: {problem}"}
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
