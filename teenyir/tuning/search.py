"""Search schedules for the kernels of a program, and keep the best of each in a database.

Kernels that take longest come first. For each the cost model ranks what there is (`candidates`).
What an earlier search found is tried first; half of the trials go to the model's best; the other
half, one after the other, to what differs in one parameter from the best that was measured so far,
or else from the next. Each is compared with what is chosen without measuring, in the same process,
by the ratio of least times. The last measurement has the best few and the untuned kernel in one
process, in turns, in several processes one after the other, as many as it takes to tell, and
decides; the winner has to win once more, by itself. What is best so far is stored whenever it
changes, so that nothing is lost where a search is ended.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.binding import bind_dims, example_dims
from teenyir.analysis.indices import kernel_indices
from teenyir.analysis.signature import find_signature
from teenyir.analysis.work import Work
from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel, program
from teenyir.passes.kernel.choose.tuned import (
    Damaged,
    Database,
    Tuned,
    key_of,
    machine,
    names_of,
    rename,
)
from teenyir.passes.kernel.schedule.replay import parse_schedule, replay
from teenyir.pipeline.ir import print_module
from teenyir.rewriting.base import Session
from teenyir.tuning.candidate import Candidate
from teenyir.tuning.candidates import candidates
from teenyir.tuning.measure import Answer, Here, Lost, measure_apart, read_answer
from teenyir.tuning.target import alone_in_module, front_of

ATTEMPTS = 2
"""How often a kernel is measured as it is before it is given up."""

FINALISTS = 12
"""How many are measured once more, side by side: of trials that are some percent apart, by chance
too, the best is rarely the first."""

FEW_PROCESSES = 3
"""What is slower than the best in each of so many is left out of the others."""

PROCESSES = 5
"""Each with the last measurement: where memory lies, and what else is in the caches, is another in
each, and is worth some percent."""

MOST_PROCESSES = 9
"""Of those where five do not tell."""

ROUNDS = 30
"""Samples of each in a trial."""

SECONDS = 2.0
"""What the samples of a trial may take, of slow kernels."""

LAST_ROUNDS = 100
"""Samples of each in a process of the last measurement."""

LAST_SECONDS = 5.0
"""What these may take."""

SHARE = 0.25
"""The share of the limit of a measurement that samples may take at most."""

WORTH = 0.98
"""The share of the untuned time from which on a schedule is worth being kept."""

USUAL_EXTENT = 256
"""What a named extent is that nobody gives a value, as far as its range allows."""


@dataclass(frozen=True)
class Plan:
    """How to search."""

    trials: int = 32
    """Schedules to measure for each kernel."""
    budget: float | None = None
    """Seconds that the whole search may take; None for as many as it takes."""
    limit: float = 60.0
    """Seconds that one measurement may take before it counts as lost."""
    seed: int = 0
    """Which of what the cost model takes for equal goes first, and the inputs."""
    jobs: int = 1
    """Measurements at a time: for an executor whose machines do not disturb each other."""
    measure: Callable[[str, float], str] = measure_apart
    """Makes one measurement, of a request as in `worker` and a time limit."""


@dataclass
class Found:
    """What came out for one kernel."""

    kernel: str
    schedule: str = ""
    """The best; empty where no schedule was faster than what is chosen without measuring."""
    seconds: float = 0.0
    """What a run takes with it; 0 where nothing could be measured."""
    untuned: float = 0.0
    """What a run takes with what is chosen without measuring, in seconds."""
    tried: int = 0
    trials: int = 0
    """How many are to be tried at most."""
    lost: list[str] = field(default_factory=list[str])
    """Why candidates could not be measured or were wrong."""

    @property
    def gain(self) -> float:
        """How many times as fast the best is as what is chosen without measuring."""
        return self.untuned / self.seconds if self.seconds else 1.0


Say = Callable[[str, Found | None], None]
"""Hears a line of progress, and of the kernel that it is about what is best so far."""


def say_nothing(text: str, found: Found | None) -> None:
    """What hears of progress where nobody does."""


class Search:
    """One search over a program."""

    def __init__(
        self,
        module: ModuleOp,
        target: str,
        database: Database,
        plan: Plan | None = None,
        *,
        dims: Mapping[str, int] | None = None,
        executor: Executor | None = None,
        say: Say = say_nothing,
    ) -> None:
        """`dims` gives named extents the values that are measured with; `say` hears of progress.

        Raises CompileError for a target that replays no schedules, or names a database itself, for
        extents that the program has not, and where the database cannot be written.
        """
        self.plan = plan or Plan()
        self.found: list[Found] = []
        """The kernels that were searched, also where the search is ended."""
        self._target = target
        self._database = database
        self._executor = executor or Here()
        self._say = say
        self._started = time.monotonic()
        self._unkept = ""
        self._front, apply, self._rules = front_of(target)
        if apply.database:
            raise CompileError(f"the database is named apart (--database), not in '{target}'")
        self._machine = machine(apply.threads)
        self._module = module
        self._dims = _checked(module, dims or {})
        try:
            with database.turn():
                pass
        except OSError as problem:
            raise CompileError(_cannot_write(database, problem)) from None

    def run(self) -> list[Found]:
        """Search for every kernel that there are schedules for, each kind of kernel once.

        Raises CompileError at the end where something that was found could not be stored.
        """
        module = self._module.clone()
        self._front.run(module)
        for func, key in self._by_work(module):
            self._kernel(func, key)
        if self._unkept:
            raise CompileError(self._unkept)
        return self.found

    def _by_work(self, module: ModuleOp) -> list[tuple[kernel.FuncOp, str]]:
        """The kernels, each kind once, with their keys; first what takes longest, all launches."""
        launches = Counter(
            op.kernel.string_value() for op in module.walk() if isinstance(op, program.LaunchOp)
        )
        kinds: dict[str, kernel.FuncOp] = {}
        work = Counter[str]()
        for func in module.body.ops:
            if isinstance(func, kernel.FuncOp):
                key = key_of(func, self._machine)
                kinds.setdefault(key, func)
                work[key] += _work_of(func) * max(launches[func.sym_name.data], 1)
        return [(kinds[key], key) for key, _ in work.most_common()]

    def _kernel(self, func: kernel.FuncOp, key: str) -> None:
        name = func.sym_name.data
        stored = self._stored(func, key)
        pool = candidates(func)
        if not pool:
            self.say(f"@{name}: no schedules are known for its kind")
            return
        alone = alone_in_module(func)
        if alone is None or not self._is_same(alone, key):
            self.say(f"@{name}: it cannot be measured by itself")
            return
        if self.is_over():
            self.say(f"@{name}: no time is left")
            return
        if stored is not None and stored.schedule:
            same = next((each for each in pool if each.schedule == stored.schedule), None)
            first = same or Candidate(stored.schedule, 0.0, ())
            pool = [replace(first, rank=-1.0), *(c for c in pool if c is not same)]
        found = Found(name, trials=min(self.plan.trials, len(pool)))
        self.found.append(found)
        usual = example_dims(find_signature(alone), USUAL_EXTENT)
        ranges, buffers = names_of(func)
        request = {
            "module": print_module(alone) + "\n",
            "key": key,
            "machine": self._machine,
            "target": self._target,
            "ranges": ranges,
            "buffers": buffers,
            "dims": usual | {d: v for d, v in self._dims.items() if d in usual},
            "seed": self.plan.seed,
        }
        self.say(f"@{name}: {len(pool)} schedules, {found.trials} trials", found)
        _Kernel(self, func, key, request, found, stored).search(pool)

    def _stored(self, func: kernel.FuncOp, key: str) -> Tuned | None:
        """What is stored for a kernel, which takes the names that its schedule speaks of."""
        try:
            stored = self._database.get(key)
        except Damaged as problem:
            self.say(f"@{func.sym_name.data}: {problem}")
            return None
        if stored is not None:
            for names in (stored.ranges, stored.buffers):
                if len({*names}) != len(names):
                    return stored
            with suppress(ValueError):  # its schedule is none for this kernel, which shows later
                rename(func, stored.ranges, stored.buffers)
        return stored

    def _is_same(self, alone: ModuleOp, key: str) -> bool:
        """Whether a kernel, alone in a program, is looked up under its key."""
        again = alone.clone()
        self._front.run(again)
        kernels = [op for op in again.body.ops if isinstance(op, kernel.FuncOp)]
        return [key_of(func, self._machine) for func in kernels] == [key]

    # --- what a kernel's search needs of it -------------------------------------------------------

    def is_over(self) -> bool:
        """Whether the budget is spent."""
        budget = self.plan.budget
        return budget is not None and time.monotonic() - self._started > budget

    def chosen(self, func: kernel.FuncOp) -> str:
        """The text of a kernel once the target's rules have chosen what is open in it."""
        for rule in self._rules:
            rule.run(func, Session())
        return str(func)

    def submit(
        self, request: Mapping[str, Any], schedules: Sequence[str], rounds: int, seconds: float
    ) -> Future[str]:
        """Have schedules measured, in so many rounds or what fits into so many seconds."""
        seconds = min(seconds, SHARE * self.plan.limit)
        asked = dict(request, schedules=list(schedules), rounds=rounds, seconds=seconds)
        try:
            return self._executor.submit(self.plan.measure, json.dumps(asked), self.plan.limit)
        except Exception as problem:  # an executor that takes nothing any more loses it
            lost: Future[str] = Future()
            lost.set_exception(problem)
            return lost

    def keep(self, key: str, found: Found, request: Mapping[str, Any], seen: Tuned | None) -> Tuned:
        """Store what is best so far, unless somebody stored better since; what is stored then."""
        names = tuple(request["ranges"]), tuple(request["buffers"])
        tuned = Tuned(
            found.kernel, self._machine, found.schedule, *names, found.seconds, found.untuned
        )
        try:
            return self._database.offer(key, tuned, seen)
        except OSError as problem:
            self._unkept = _cannot_write(self._database, problem)
            self.say(f"  not stored: {self._unkept}", found)
            return tuned

    def say(self, text: str, found: Found | None = None) -> None:
        """Tell of progress."""
        self._say(text, found)


@dataclass
class _Kernel:
    """The search for one kernel."""

    whole: Search
    func: kernel.FuncOp
    key: str
    request: dict[str, Any]
    found: Found
    stored: Tuned | None
    """What was in the database when this search looked last."""
    ratios: dict[Candidate, float] = field(default_factory=dict[Candidate, float])
    """What was measured: the share of the untuned time that it takes."""
    kernels: set[str] = field(default_factory=set[str])
    """The texts of the kernels that were tried, of which the untuned one is the first."""

    def search(self, pool: Sequence[Candidate]) -> None:
        if not self._is_measurable():
            return
        self.kernels.add(self.whole.chosen(self.func.clone()))
        running: dict[Future[str], Candidate] = {}
        proposals = self._proposals(pool)
        try:
            while True:
                while len(running) < self.whole.plan.jobs and not self.whole.is_over():
                    candidate = next(proposals, None)
                    if candidate is None:
                        break
                    schedules = ["", candidate.schedule]
                    running[self._measurement(schedules, ROUNDS, SECONDS)] = candidate
                if not running:
                    break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._trial(running.pop(future), future)
        finally:  # where the search is ended, what waits is not to be measured any more
            for future in running:
                future.cancel()
        self._decide()

    def _measurement(self, schedules: Sequence[str], rounds: int, seconds: float) -> Future[str]:
        return self.whole.submit(self.request, schedules, rounds, seconds)

    def _is_measurable(self) -> bool:
        """Measure what is chosen without measuring: where that is lost, so would be all others."""
        for _ in range(ATTEMPTS):
            try:
                (seconds,) = read_answer(self._measurement([""], ROUNDS, SECONDS), 1).seconds
            except Lost as why:
                self.found.lost.append(str(why))
                self.whole.say(f"  it cannot be measured: {why}", self.found)
                continue
            self.found.seconds = self.found.untuned = seconds
            self.whole.say(f"  {seconds * 1e6:.1f} us untuned", self.found)
            return True
        return False

    def _proposals(self, pool: Sequence[Candidate]) -> Iterator[Candidate]:
        """What to measure next: the cost model's best, then what is beside the best measured."""
        draw = random.Random(self.whole.plan.seed)
        waiting = sorted(pool, key=lambda each: (each.rank, draw.random()))
        trials = self.found.trials
        given = 0
        while waiting and given < trials:
            candidate = waiting[0]
            if given >= trials // 2:
                candidate = self._beside_best(waiting) or candidate
            waiting.remove(candidate)
            if self._is_new(candidate):
                given += 1
                yield candidate

    def _beside_best(self, waiting: Sequence[Candidate]) -> Candidate | None:
        """What differs in one parameter from the best that was measured, or else from the next."""
        for best in sorted(self.ratios, key=self.ratios.__getitem__):
            for each in waiting:
                if each.is_beside(best):
                    return each
        return None

    def _is_new(self, candidate: Candidate) -> bool:
        """Whether a schedule is legal and makes another kernel than those that were tried."""
        func = self.func.clone()
        try:
            replay(func, parse_schedule(candidate.schedule))
        except (CompileError, ValueError):
            return False
        text = self.whole.chosen(func)
        is_new = text not in self.kernels
        self.kernels.add(text)
        return is_new

    def _trial(self, candidate: Candidate, future: Future[str]) -> None:
        found = self.found
        found.tried += 1
        count = f"  {found.tried}/{found.trials}"
        try:
            answer = read_answer(future, 2)
            if (wrong := answer.differs[1]) is not None:
                raise Lost(wrong)
        except Lost as why:
            found.lost.append(str(why))
            self.whole.say(f"{count}: lost: {why}", found)
            return
        untuned, seconds = answer.seconds
        ratio = self.ratios[candidate] = seconds / untuned
        if ratio == min(self.ratios.values()) and ratio < WORTH:
            self._keep(candidate.schedule, seconds, untuned)
        self.whole.say(
            f"{count}: {seconds * 1e6:.1f} us, {1 / ratio:.2f} times as fast as untuned; "
            f"best so far {found.gain:.2f}",
            found,
        )

    def _keep(self, schedule: str, seconds: float, untuned: float) -> None:
        found = self.found
        found.schedule, found.seconds, found.untuned = schedule, seconds, untuned
        self.stored = self.whole.keep(self.key, found, self.request, self.stored)

    def _decide(self) -> None:
        """Measure the best few side by side, and store the winner or that none is needed."""
        finalists = sorted(self.ratios, key=self.ratios.__getitem__)[:FINALISTS]
        schedules = [each.schedule for each in finalists]
        if not schedules:
            return
        # one that does not survive so many samples takes the others with it
        best = self._fastest(schedules) or next(
            (alone for each in schedules if (alone := self._fastest([each]))), None
        )
        if best is not None and best[0]:
            # what is faster by chance is not faster twice
            best = self._fastest([best[0]])
        if best is not None:
            self._keep(*best)

    def _fastest(self, schedules: Sequence[str]) -> tuple[str, float, float] | None:
        """The fastest schedule, its time and the untuned one, side by side; None if that is lost.

        There are more processes as long as these do not tell whether one is slower than the best,
        which is not worth being told where it is so by less than a schedule has to gain. The
        schedule is empty where none is faster than the untuned kernel by that.
        """
        race = Race(len(schedules) + 1)
        every = ["", *schedules]
        try:
            while not race.is_decided():
                if len(race.times) >= FEW_PROCESSES and self.whole.is_over():
                    break
                asked = [every[i] for i in race.left]
                future = self._measurement(asked, LAST_ROUNDS, LAST_SECONDS)
                race.add(read_answer(future, len(asked)))
        except Lost as why:
            self.whole.say(f"  the last measurement is lost: {why}", self.found)
            return None
        best = race.best
        if race.share(best, 0) > WORTH:
            best = 0
        untuned = median(times[0] for times in race.times)
        return every[best], race.share(best, 0) * untuned, untuned


class Race:
    """Times of a few, of several processes, of which what is slower is left out."""

    def __init__(self, count: int) -> None:
        """There are so many; the first stays to the end."""
        self.left = list(range(count))
        """Those to measure in the next process."""
        self.times: list[dict[int, float]] = []
        """The seconds of each in a process."""

    def add(self, answer: Answer) -> None:
        """Hear of a process with those that are left."""
        self.times.append(dict(zip(self.left, answer.seconds, strict=True)))
        told = zip(self.left, answer.differs, strict=True)
        self.left = [i for i, why in told if i == 0 or why is None]
        if len(self.times) >= FEW_PROCESSES:
            self.left = [i for i in self.left if i == 0 or not self._is_slower(i)]

    @property
    def best(self) -> int:
        """The one that takes the least share of the first one's time."""
        return min(self.left, key=lambda i: self.share(i, 0))

    def share(self, i: int, j: int) -> float:
        """The share of another one's time that one takes, the middle one of all processes."""
        return median(times[i] / times[j] for times in self.times)

    def is_decided(self) -> bool:
        """Whether those that are left are as good as the best, or slower each time."""
        if len(self.times) < PROCESSES:
            return False
        best, is_last = self.best, len(self.times) >= MOST_PROCESSES
        return is_last or all(self.share(best, i) > WORTH or self._is_slower(i) for i in self.left)

    def _is_slower(self, i: int) -> bool:
        """Whether one is slower than the best in each process."""
        best = self.best
        return all(times[i] > times[best] for times in self.times)


def _work_of(func: kernel.FuncOp) -> int:
    """Picoseconds that a kernel takes, roughly."""
    work = Work(func, kernel.Nest(func), kernel_indices(func))
    return work.number(work.iteration(work.nest.root))


def _checked(module: ModuleOp, dims: Mapping[str, int]) -> Mapping[str, int]:
    """The values of extents, if a program has these and they may be so. Raises RunError."""
    if dims:
        signature = find_signature(module)
        every = example_dims(signature, USUAL_EXTENT) | dict(dims)
        bind_dims(signature, [None] * len(signature.inputs), every)
    return dims


def _cannot_write(database: Database, problem: OSError) -> str:
    return f"the database '{database.folder}' cannot be written: {problem.strerror or problem}"
