"""Search schedules for the kernels of a program, and keep the best of each in a database.

For each kernel the cost model ranks what there is (`candidates`). Half of the trials go to its
best; the other half, one after the other, to what differs in one parameter from the best that was
measured so far. Each is compared with what is chosen without measuring, in the same process, by the
ratio of least times. The last measurement has the best few and the untuned kernel in one process,
in turns, and decides; the winner has to win once more, by itself. What is best so far is stored
whenever it changes, so that nothing is lost where a search is ended.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from teenyir.analysis.binding import example_dims
from teenyir.analysis.signature import find_signature
from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel, program
from teenyir.passes.kernel.choose.apply_tuned import ApplyTuned
from teenyir.passes.kernel.choose.block_rows import BlockRows
from teenyir.passes.kernel.choose.tile_dots import TileDots
from teenyir.passes.kernel.choose.tile_products import TileProducts
from teenyir.passes.kernel.choose.tuned import Database, Tuned, key_of, machine, names_of
from teenyir.passes.kernel.schedule.replay import parse_schedule, replay
from teenyir.pipeline.build import Nested, build_target_pipeline
from teenyir.pipeline.ir import print_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Session
from teenyir.tuning.candidates import Candidate, candidates
from teenyir.tuning.measure import Here, measure_apart, read_answer

FINALISTS = 4
"""How many are measured once more, side by side."""

ROUNDS = 30
"""Samples of each in a trial."""

SECONDS = 2.0
"""What the samples of a trial may take, of slow kernels."""

LAST_ROUNDS = 200
"""Samples of each in the last measurement."""

LAST_SECONDS = 15.0
"""What these may take."""

TRIAL = {"rounds": ROUNDS, "seconds": SECONDS}
LAST = {"rounds": LAST_ROUNDS, "seconds": LAST_SECONDS}

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
    """What a run takes with it."""
    untuned: float = 0.0
    """What a run takes with what is chosen without measuring, in seconds."""
    tried: int = 0
    lost: list[str] = field(default_factory=list[str])
    """Why candidates could not be measured or were wrong."""


RULES = (BlockRows(), TileProducts(), TileDots())
"""What chooses without measuring, of the kinds of kernels that there are candidates for."""

Say = Callable[[str], None]


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
        say: Say = lambda text: None,
    ) -> None:
        """`dims` gives named extents the values that are measured with; `say` hears of progress.

        Raises CompileError for a target that replays no schedules, or names a database itself.
        """
        self.plan = plan or Plan()
        self.found: list[Found] = []
        """The kernels that were searched, also where the search is ended."""
        self._target = target
        self._database = database
        self._dims = dict(dims or {})
        self._executor = executor or Here()
        self._say = say
        self._started = time.monotonic()
        self._front, apply = front_of(target)
        if apply.database:
            raise CompileError(f"the database is named apart (--database), not in '{target}'")
        self._machine = machine(apply.threads)
        self._module = module

    def run(self) -> list[Found]:
        """Search for every kernel that there are schedules for, each kind of kernel once."""
        module = self._module.clone()
        self._front.run(module)
        seen: set[str] = set()
        for func in module.body.ops:
            if isinstance(func, kernel.FuncOp):
                key = key_of(func, self._machine)
                if key not in seen:
                    seen.add(key)
                    self._kernel(func, key)
        return self.found

    def _kernel(self, func: kernel.FuncOp, key: str) -> None:
        name = func.sym_name.data
        pool = candidates(func)
        if not pool:
            self._say(f"@{name}: no schedules are known for its kind")
            return
        alone = alone_in_module(func)
        if alone is None or not self._is_same(alone, key):
            self._say(f"@{name}: it cannot be measured by itself")
            return
        if self.is_over():
            self._say(f"@{name}: no time is left")
            return
        found = Found(name)
        self.found.append(found)
        signature = find_signature(alone)
        usual = example_dims(signature, USUAL_EXTENT)
        ranges, buffers = names_of(func)
        request = {
            "module": print_module(alone) + "\n",
            "key": key,
            "target": self._target,
            "ranges": ranges,
            "buffers": buffers,
            "dims": usual | {d: v for d, v in self._dims.items() if d in usual},
            "seed": self.plan.seed,
        }
        self._say(f"@{name}: {len(pool)} schedules, {self.plan.trials} trials")
        _Kernel(self, func, key, request, found).search(pool)

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

    def submit(self, request: dict[str, Any]) -> Future[str]:
        """Have a measurement made."""
        text = json.dumps(request)
        return self._executor.submit(self.plan.measure, text, self.plan.limit)

    def keep(self, key: str, found: Found, request: Mapping[str, Any]) -> None:
        """Store what is best so far."""
        names = tuple(request["ranges"]), tuple(request["buffers"])
        tuned = Tuned(
            found.kernel, self._machine, found.schedule, *names, found.seconds, found.untuned
        )
        self._database.put(key, tuned)

    def say(self, text: str) -> None:
        """Tell of progress."""
        self._say(text)


@dataclass
class _Kernel:
    """The search for one kernel."""

    whole: Search
    func: kernel.FuncOp
    key: str
    request: dict[str, Any]
    found: Found
    ratios: dict[Candidate, float] = field(default_factory=dict[Candidate, float])
    """What was measured: the share of the untuned time that it takes."""
    kernels: set[str] = field(default_factory=set[str])
    """The texts of the kernels that were tried, of which the untuned one is the first."""

    def search(self, pool: Sequence[Candidate]) -> None:
        untuned = self.func.clone()
        for rule in RULES:
            rule.run(untuned, Session())
        self.kernels.add(str(untuned))
        running: dict[Future[str], Candidate] = {}
        proposals = self._proposals(pool)
        while True:
            while len(running) < self.whole.plan.jobs and not self.whole.is_over():
                candidate = next(proposals, None)
                if candidate is None:
                    break
                schedules = ["", candidate.schedule]
                asked = self.request | {"schedules": schedules} | TRIAL
                running[self.whole.submit(asked)] = candidate
            if not running:
                break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                self._trial(running.pop(future), read_answer(future))
        self._decide()

    def _proposals(self, pool: Sequence[Candidate]) -> Iterator[Candidate]:
        """What to measure next: the cost model's best, then what is beside the best measured."""
        draw = random.Random(self.whole.plan.seed)
        waiting = sorted(pool, key=lambda each: (each.cycles, draw.random()))
        trials = self.whole.plan.trials
        given = 0
        while waiting and given < trials:
            best = min(self.ratios, key=self.ratios.__getitem__, default=None)
            beside = iter(())
            if best is not None and given >= trials // 2:
                beside = (each for each in waiting if each.is_beside(best))
            candidate = next(beside, waiting[0])
            waiting.remove(candidate)
            if self._is_new(candidate):
                given += 1
                yield candidate

    def _is_new(self, candidate: Candidate) -> bool:
        """Whether a schedule is legal and makes another kernel than those that were tried."""
        func = self.func.clone()
        try:
            replay(func, parse_schedule(candidate.schedule))
        except (CompileError, ValueError):
            return False
        text = str(func)
        is_new = text not in self.kernels
        self.kernels.add(text)
        return is_new

    def _trial(self, candidate: Candidate, answer: dict[str, Any]) -> None:
        found = self.found
        found.tried += 1
        count = f"  {found.tried}/{self.whole.plan.trials}"
        why = answer.get("error") or answer["differs"][1]
        if why:
            found.lost.append(why)
            self.whole.say(f"{count}: lost: {why}")
            return
        untuned, seconds = answer["seconds"]
        ratio = self.ratios[candidate] = seconds / untuned
        is_best = ratio == min(self.ratios.values())
        if is_best and ratio < WORTH:
            found.schedule, found.seconds, found.untuned = candidate.schedule, seconds, untuned
            self.whole.keep(self.key, found, self.request)
        elif not found.schedule:
            found.seconds = found.untuned = untuned
        best = min(1.0, *self.ratios.values(), 1.0)
        self.whole.say(
            f"{count}: {seconds * 1e6:.1f} us, {1 / ratio:.2f} times as fast as untuned; "
            f"best so far {1 / best:.2f}"
        )

    def _decide(self) -> None:
        """Measure the best few side by side, and store the winner or that none is needed."""
        finalists = sorted(self.ratios, key=self.ratios.__getitem__)[:FINALISTS]
        if not finalists:
            return
        best = self._fastest([each.schedule for each in finalists])
        if best is not None and best[0]:
            # what is faster by chance is not faster twice
            best = self._fastest([best[0]])
        if best is None:
            return
        found = self.found
        found.schedule, found.seconds, found.untuned = best
        self.whole.keep(self.key, found, self.request)

    def _fastest(self, schedules: Sequence[str]) -> tuple[str, float, float] | None:
        """The fastest schedule, its time and the untuned one, side by side; None if that is lost.

        The schedule is empty where none is faster than the untuned kernel by what is worth it.
        """
        asked = self.request | {"schedules": ["", *schedules]} | LAST
        answer = read_answer(self.whole.submit(asked))
        if (why := answer.get("error")) is not None:
            self.whole.say(f"  the last measurement is lost: {why}")
            return None
        seconds: list[float] = answer["seconds"]
        right = [i for i, why in enumerate(answer["differs"]) if not why]
        best = min(right, key=seconds.__getitem__)
        if seconds[best] > WORTH * seconds[0]:
            best = 0
        return ["", *schedules][best], seconds[best], seconds[0]


def front_of(target: str) -> tuple[PassManager, ApplyTuned]:
    """The passes of a target before it replays schedules, and the one that does.

    Raises CompileError for a target without one.
    """
    whole = build_target_pipeline(target)
    for number, element in enumerate(whole.elements):
        if isinstance(element, ApplyTuned):
            return PassManager(Nested(whole.anchor, whole.elements[:number])), element
    raise CompileError(f"the target '{target}' replays no schedules: they are for cpu")


def alone_in_module(func: kernel.FuncOp) -> ModuleOp | None:
    """A program that launches a copy of a kernel; None where its buffers cannot be a program's."""
    modes = func.mode_words
    if not set(modes) <= {"in", "out"}:
        return None
    name = "main" if func.sym_name.data != "main" else "launch_main"
    ordered = sorted(func.buffers, key=lambda each: each[0] != "in")  # inputs first, as called
    types = [own.type for _, own in ordered]
    entry = program.FuncOp(name, [mode for mode, _ in ordered], types, func.dims)
    given: dict[SSAValue, SSAValue] = {}
    for argument, (_, own) in zip(entry.body.block.args, ordered, strict=True):
        argument.name_hint = own.name_hint
        given[own] = argument
    buffers = [given[own] for _, own in func.buffers]
    entry.body.block.add_op(program.LaunchOp(func.sym_name.data, buffers))
    return ModuleOp([func.clone(), entry])
