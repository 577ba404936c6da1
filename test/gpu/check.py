"""On a machine with a GPU: are programs right, and how fast are they beside torch and Triton?

    python test/gpu/check.py [--wheels DIR] [--only REGEX] [--list] [--target cuda] [--jobs 8]

It needs this checkout, CUDA's driver, numpy, llvmlite and torch; and ml_dtypes, xdsl and pycuda
with what these need, installed or as wheels in DIR. Each case runs in a process that is started
anew after a failure: what breaks one does not break the next. First results are compared with the
interpreter of the graph floor; then, on the target `cuda`, programs are timed, and the last lines
are a table for the documents. The exit code is 0 where all is right, 1 where something is wrong or
was not reached within `--limit` seconds, 2 on wrong usage.

With `--target=cuda-emulated` the first half runs without a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TIME = "time: "
"""What the names of timings begin with."""

SHARE = 0.6
"""The part of the time after which no more comparisons are begun, so that there are timings."""


def main() -> int:
    start = time.monotonic()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=Path, help="a folder of wheels to use")
    parser.add_argument("--only", default="", help="a regular expression that names must match")
    parser.add_argument("--list", action="store_true", help="name the cases, and run none")
    parser.add_argument("--target", default="cuda", help="cuda or cuda-emulated, with options")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1))
    parser.add_argument("--limit", type=float, default=440, help="seconds for all of it")
    parser.add_argument("--case-limit", type=float, default=90, help="seconds for one case")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        wanted = re.compile(options.only)
    except re.error as problem:
        parser.error(f"--only is no regular expression: {problem}")
    if options.wheels is not None and not options.worker:
        os.environ["PYTHONPATH"] = os.pathsep.join(
            [unpacked(options.wheels), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
    if options.worker:
        return work(options.target)
    first = listing(options)
    try:
        names = [name for name in first.names if wanted.search(name)]
        if options.list:
            print("\n".join(names))
            return 0
        if not names:
            parser.error(f"no case matches '{options.only}'; --list names them")
        return check(names, first, options, start)
    finally:
        first.stop()


def unpacked(wheels: Path) -> str:
    """A folder with what the wheels of a folder hold."""
    folder = tempfile.mkdtemp(prefix="teenyir-check-")
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


# --- in a process of its own ----------------------------------------------------------------------


def work(target: str) -> int:
    """Run the cases whose names come in, one a line; an answer in JSON for each goes out."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever else is printed is no answer
    sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
    import cases
    import timings

    known: dict[str, Callable[[str], Any]] = dict(cases.checks())
    if is_on_gpu(target):
        for name in timings.TIMED:
            known[TIME + name] = lambda target, name=name: timings.time_row(name, target)
    print(json.dumps(list(known)), file=answers)
    for line in sys.stdin:
        name = line.rstrip("\n")
        try:
            answer = {"row": known[name](for_this_gpu(target))}
        except BaseException as problem:  # what a case raises is what there is to report
            said = f"{type(problem).__name__}: {problem}".strip()
            answer = {"problem": said, "trace": traceback.format_exc()}
        print(json.dumps(answer), file=answers)
    return 0


def is_on_gpu(target: str) -> bool:
    return target.partition("{")[0] == "cuda"


def for_this_gpu(target: str) -> str:
    """The target `cuda` for the GPU here, where we know its capability."""
    if target != "cuda":
        return target
    from teenyir.runtime.cuda.driver import session
    from teenyir.targets.cuda import FIRST_PTX

    major, minor = session().device.compute_capability()
    known = f"{major}{minor}" in FIRST_PTX
    return f"cuda{{capability=sm_{major}{minor}}}" if known else target


# --- the workers ----------------------------------------------------------------------------------


class Worker:
    """A process that runs cases; started when it is needed, and anew after a failure."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.process: subprocess.Popen[str] | None = None
        self.names: list[str] = []
        """The cases that there are."""

    def start(self) -> subprocess.Popen[str]:
        if self.process is None:
            command = [sys.executable, __file__, "--worker", f"--target={self.options.target}"]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            self.names = self._answer(self.process, self.options.case_limit)
        return self.process

    def ask(self, name: str, limit: float) -> dict[str, Any]:
        """What came of a case."""
        try:
            process = self.start()
            assert process.stdin is not None
            print(name, file=process.stdin, flush=True)
            answer = self._answer(process, limit)
        except (OSError, ValueError, EOFError) as problem:
            answer = {"problem": str(problem) or "the process ended"}
        if "problem" in answer:
            self.stop()
        return answer

    def _answer(self, process: subprocess.Popen[str], limit: float) -> Any:
        assert process.stdout is not None
        timer = threading.Timer(limit, process.kill)
        timer.start()
        try:
            line = process.stdout.readline()
        finally:
            in_time = timer.is_alive()
            timer.cancel()
        if not line:
            code = process.wait()
            why = f"the process ended with {code}" if in_time else f"took over {limit:.0f} s"
            raise EOFError(why)
        return json.loads(line)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def listing(options: argparse.Namespace) -> Worker:
    """A worker that knows the names of all cases. Ends the program where none can be started."""
    worker = Worker(options)
    try:
        worker.start()
    except EOFError as problem:
        worker.stop()
        sys.exit(f"no case can be run: {problem}")
    return worker


def check(names: Sequence[str], first: Worker, options: argparse.Namespace, start: float) -> int:
    """Run cases, on one worker that there is and others; print what is wrong, then the table of
    times. The time counts from `start`."""
    compared = [name for name in names if not name.startswith(TIME)]
    timed = [name for name in names if name.startswith(TIME)]
    until = start + options.limit * (SHARE if timed else 1)
    results = dict(run(compared, first, options, options.jobs, until))
    results |= dict(run(timed, Worker(options), options, 1, start + options.limit))
    wrong = {name: answer for name, answer in results.items() if "problem" in answer}
    for name, answer in wrong.items():
        print(f"\nWRONG {name}\n{answer.get('trace', answer['problem'])}")
    seconds = time.monotonic() - start
    print(f"\n{len(results) - len(wrong)} of {len(results)} cases are right, in {seconds:.0f} s")
    rows = [results[name]["row"] for name in timed if "row" in results[name]]
    if rows:
        sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
        import timings

        for row in rows:
            for peer, why in row["notes"].items():
                print(f"{row['name']}: no {peer}: {why}")
        print(f"\n{timings.table(rows)}")
    return 1 if wrong else 0


def run(
    names: Sequence[str], first: Worker, options: argparse.Namespace, jobs: int, until: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What came of each case, in their order."""
    here = threading.local()
    idle, workers = [first], [first]

    def one(name: str) -> dict[str, Any]:
        left = until - time.monotonic()
        if left <= 0:
            return {"problem": "not reached: the time was over"}
        if not hasattr(here, "worker"):
            try:
                here.worker = idle.pop()
            except IndexError:
                here.worker = Worker(options)
                workers.append(here.worker)
        answer = here.worker.ask(name, min(options.case_limit, left))
        print(f"{'WRONG' if 'problem' in answer else 'right'} {name}", flush=True)
        return answer

    try:
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            yield from zip(names, pool.map(one, names), strict=True)
    finally:
        for worker in workers:
            worker.stop()


if __name__ == "__main__":
    sys.exit(main())
