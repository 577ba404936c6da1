"""The search for schedules: what is found is kept and replayed, what goes wrong costs one trial."""

import json
import multiprocessing
import os
import pty
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.tuned import Database, Tuned, key_of, machine, names_of
from teenyir.passes.kernel.schedule.replay import parse_schedule, replay
from teenyir.targets import cpu
from teenyir.tools.teeny_tune import main
from teenyir.tuning.candidate import Candidate
from teenyir.tuning.candidates import candidates
from teenyir.tuning.measure import WORKER, Answer, Lost, measure_apart, read_answer
from teenyir.tuning.search import (
    ATTEMPTS,
    LAST_ROUNDS,
    MOST_PROCESSES,
    PROCESSES,
    Plan,
    Race,
    Search,
)
from teenyir.tuning.target import front_of
from teenyir.tuning.worker import clock_of

SIZE = 48
SPEC = ty.Spec((SIZE, SIZE), ty.float32)
TARGET = "cpu{threads=1}"

ROOT = Path(__file__).parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}
"""Of processes that import teenyir."""


def product() -> Any:
    return ty.trace(ty.matmul, SPEC, SPEC).module


def kernel_in(module: Any, target: str = TARGET) -> kernel.FuncOp:
    """The one kernel of a program as its schedule is looked up."""
    module = module.clone()
    front_of(target)[0].run(module)
    (func,) = (op for op in module.body.ops if isinstance(op, kernel.FuncOp))
    return func


def swapped(left: Any, right: Any) -> Any:
    """The same product, of arguments of other names."""
    return left @ right


def invented(request: str, limit: float) -> str:
    """An answer without a measurement: a tile of 4 rows takes half the time."""
    schedules = json.loads(request)["schedules"]
    seconds = [5e-6 if "by=4 " in schedule else 1e-5 for schedule in schedules]
    return json.dumps({"seconds": seconds, "differs": [None] * len(schedules)})


def attend(q: Any, k: Any, v: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v)


@pytest.mark.parametrize(
    "function, shapes, kind",
    [
        (ty.matmul, [(48, 40), (40, 56)], "order-ranges"),
        (ty.matmul, [(64, 300), (300,)], "split-reduction"),
        (attend, [(2, 64, 32)] * 3, "widen-stages"),
        (lambda x: x.T + 1, [(256, 256)], "order-ranges"),
        (lambda x: x.sum(axis=1), [(64, 300)], "split-reduction"),
        (lambda x: x.sum(), [(1 << 18,)], "part-reduction"),
        (lambda x: x.max(axis=0), [(64, 300)], "kind=vector"),
        (lambda x: ty.tanh(x), [(300,)], "kind=vector"),
        (lambda x: ty.sort(x), [(300,)], None),
    ],
    ids=["product", "dots", "rows", "copy", "row-sums", "sum", "columns", "elementwise", "sort"],
)
def test_candidates_are_ranked_legal_and_apart(
    function: Any, shapes: Any, kind: str | None
) -> None:
    func = kernel_in(ty.trace(function, *(ty.Spec(s, ty.float32) for s in shapes)).module)
    found = candidates(func)
    assert bool(found) == bool(kind)
    assert [each.rank for each in found] == sorted(each.rank for each in found)
    assert len({(each.kind, each.traits) for each in found}) == len(
        {each.schedule for each in found}
    )
    assert kind is None or any(kind in each.schedule for each in found)
    for candidate in found[:: max(1, len(found) // 20)]:
        replay(func.clone(), parse_schedule(candidate.schedule))


@pytest.mark.parametrize(
    "function, shapes, primitive",
    [
        (ty.matmul, [(8, 512), (512, 512)], "stage-result{over=i,ji accumulating=ko}"),
        (ty.matmul, [(256, 512), (512, 256)], "scalar=true"),
        (
            lambda x, w: ty.conv(x, w, padding=(1, 1)),
            [(2, 11, 48, 32), (32, 11, 3, 3)],
            "stage-image",
        ),
        (lambda x: ty.relu(x) + 1, [(1024, 4096)], "stream-store"),
        (lambda x: x.T + 1, [(256, 256)], "stream-store"),
        (lambda x: x.sum(axis=1), [(64, 4096)], "inner=jq"),
        (lambda x: ty.logsumexp(x, axis=1), [(64, 1024)], "maximum-of-numbers"),
        (
            lambda x: ty.max_pool(x, (3, 3), stride=(2, 2), padding=(1, 1)),
            [(1, 2, 56, 56)],
            "stage-image",
        ),
    ],
    ids=["few rows", "steps", "edges", "streams", "copies", "side by side", "rows", "windows"],
)
def test_what_choosers_write_can_be_searched_for(
    function: Any, shapes: Any, primitive: str
) -> None:
    func = kernel_in(ty.trace(function, *(ty.Spec(s, ty.float32) for s in shapes)).module)
    first = next(each for each in candidates(func) if primitive in each.schedule)
    replay(func, parse_schedule(first.schedule))


def test_neighbours_differ_in_one_parameter() -> None:
    here, beside, away = (Candidate("", 0.0, traits) for traits in [(1, 2), (1, 3), (2, 3)])
    assert here.is_beside(beside) and beside.is_beside(away)
    assert not here.is_beside(away) and not here.is_beside(here)


def test_what_is_found_is_measured_stored_and_replayed(tmp_path: Path) -> None:
    said: list[str] = []
    search = Search(
        product(), TARGET, Database(tmp_path), Plan(trials=1), say=lambda text, _: said.append(text)
    )
    (found,) = search.run()
    assert found.tried == 1 and not found.lost
    assert found.seconds > 0 and found.untuned > 0
    assert found.seconds == found.untuned or found.schedule
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["schedule"] == found.schedule
    assert sum("times as fast as untuned" in line for line in said) == 1


def test_a_stored_schedule_gives_the_same_results(tmp_path: Path) -> None:
    func = kernel_in(product(), f"cpu{{threads=1 tuned={tmp_path}}}")
    tried = next(each for each in candidates(func) if each.traits[0] == 5)
    tuned = Tuned("", "", tried.schedule, *names_of(func), 1e-6, 2e-6)
    Database(tmp_path).put(key_of(func, machine(1)), tuned)
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(SIZE, SIZE)).astype(np.float32) for _ in range(2))
    target = f"cpu{{threads=1 tuned={tmp_path}}}"
    lowered = ty.trace(swapped, SPEC, SPEC).lower(target)
    assert "0 to 5 unroll" in lowered.as_text("kernel")
    plain = ty.trace(ty.matmul, SPEC, SPEC).lower("cpu{threads=1 tuned=none}")
    assert "0 to 5 unroll" not in plain.as_text("kernel")
    first, again = lowered.compile()(a, b), lowered.compile()(a, b)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, a.astype(float) @ b.astype(float), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(plain.compile()(a, b), first, rtol=1e-4, atol=1e-4)


def test_the_search_settles_on_the_fastest_and_the_seed_decides_its_way(tmp_path: Path) -> None:
    for seed in range(3):
        plan = Plan(trials=40, seed=seed, measure=invented)
        (found,) = Search(product(), TARGET, Database(tmp_path), plan).run()
        assert "by=4 " in found.schedule and found.seconds == found.untuned / 2


def test_no_gain_is_stored_as_no_schedule(tmp_path: Path) -> None:
    def even(request: str, limit: float) -> str:
        count = len(json.loads(request)["schedules"])
        return json.dumps({"seconds": [1e-5] * count, "differs": [None] * count})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=even)).run()
    assert found.schedule == ""
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["schedule"] == ""


def test_what_is_faster_by_chance_is_not_kept(tmp_path: Path) -> None:
    last: list[str] = []

    def lucky(request: str, limit: float) -> str:
        schedules = json.loads(request)["schedules"]
        wins = len(last) < PROCESSES
        if json.loads(request)["rounds"] == LAST_ROUNDS:
            last.append(request)
        seconds = [1e-5] + [5e-6 if wins else 1e-5] * (len(schedules) - 1)
        return json.dumps({"seconds": seconds, "differs": [None] * len(schedules)})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=lucky)).run()
    assert len(last) == 2 * PROCESSES and found.schedule == "" and found.seconds == found.untuned
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["schedule"] == ""


def test_what_is_faster_in_one_process_alone_is_not_kept(tmp_path: Path) -> None:
    last: list[str] = []

    def lucky(request: str, limit: float) -> str:
        schedules = json.loads(request)["schedules"]
        if json.loads(request)["rounds"] == LAST_ROUNDS:
            last.append(request)
        share = 0.5 if len(last) < 2 else 1.0
        seconds = [1e-5] + [share * 1e-5] * (len(schedules) - 1)
        return json.dumps({"seconds": seconds, "differs": [None] * len(schedules)})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=lucky)).run()
    assert len(last) == PROCESSES and found.schedule == ""


def _raced(*processes: list[float]) -> Race:
    """A race of three; each process has a time for those that are left."""
    race = Race(3)
    for times in processes:
        left = [times[i] for i in race.left]
        race.add(Answer(tuple(left), (None,) * len(left)))
    return race


def test_there_are_processes_until_they_tell() -> None:
    apart = _raced(*[[1.0, 0.9, 0.95]] * (PROCESSES - 1))
    assert apart.left == [0, 1] and not apart.is_decided()
    assert _raced(*[[1.0, 0.9, 0.95]] * PROCESSES).is_decided()
    assert _raced(*[[1.0, 0.95, 0.94], [1.0, 0.94, 0.95]] * PROCESSES).is_decided()  # as good
    crossed = [[1.0, 0.9, 0.95]] * (PROCESSES - 2) + [[1.0, 0.99, 0.9]] * 2
    early = _raced(*crossed[::-1])
    assert early.best == 1 and early.left == [0, 1, 2] and not early.is_decided()
    most = _raced(*crossed[::-1], *[[1.0, 0.9, 0.95]] * (MOST_PROCESSES - PROCESSES))
    assert most.best == 1 and most.is_decided()


def test_what_is_wrong_in_one_process_is_out_of_the_race() -> None:
    race = Race(3)
    race.add(Answer((1.0, 0.5, 0.9), (None, "1 of 4 elements differ", None)))
    assert race.left == [0, 2] and race.best == 2


def test_the_best_of_trials_that_are_disturbed_is_found(tmp_path: Path) -> None:
    for seed in range(4):
        noise = random.Random(seed)

        def disturbed(request: str, limit: float, noise: random.Random = noise) -> str:
            answer = json.loads(invented(request, limit))
            gains = (0.5 + t * 0.5e5 for t in answer["seconds"])  # a quarter at most
            answer["seconds"] = [gain * noise.lognormvariate(0, 0.04) for gain in gains]
            return json.dumps(answer)

        plan = Plan(trials=40, seed=seed, measure=disturbed)
        (found,) = Search(product(), TARGET, Database(tmp_path / str(seed)), plan).run()
        assert "by=4 " in found.schedule


@pytest.mark.parametrize("threads, clock", [(1, time.process_time), (2, time.perf_counter)])
def test_one_thread_is_timed_on_the_cpu(
    threads: int, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "usable_threads", lambda named: named)
    assert clock_of(threads) is clock


def test_a_wrong_result_is_never_kept(tmp_path: Path) -> None:
    def wrong(request: str, limit: float) -> str:
        count = len(json.loads(request)["schedules"])
        differs = [None] + ["1 of 4 elements differ"] * (count - 1)
        return json.dumps({"seconds": [1e-5] + [1e-9] * (count - 1), "differs": differs})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=wrong)).run()
    assert found.schedule == "" and found.lost == ["1 of 4 elements differ"] * 3
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize(
    "rows, limit, why",
    [(3, 60.0, "its process ended with SIGABRT"), (2, 1.0, "no answer in 1 s")],
    ids=["crash", "hang"],
)
def test_a_candidate_that_crashes_or_hangs_is_lost(rows: int, limit: float, why: str) -> None:
    script = str(Path(__file__).with_name("bad_worker.py"))
    request = json.dumps({"schedules": ["", f"split-range{{range=i by={rows} outer=io}}"]})
    assert json.loads(measure_apart(request, limit, script)) == {"error": why}


def test_what_is_lost_costs_one_trial(tmp_path: Path) -> None:
    def crashing(request: str, limit: float) -> str:
        if "by=6 " in request:
            return json.dumps({"error": "its process ended with SIGSEGV"})
        return invented(request, limit)

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(40, measure=crashing)).run()
    assert found.tried == 40 and "by=4 " in found.schedule
    assert 0 < len(found.lost) < 40
    assert set(found.lost) == {"its process ended with SIGSEGV"}


@pytest.mark.parametrize("signal_number, name", [(9, "SIGKILL"), (40, "signal 40")])
def test_a_process_that_somebody_ends_is_lost(
    signal_number: int, name: str, tmp_path: Path
) -> None:
    script = tmp_path / "ended.py"
    script.write_text(f"import os; os.kill(os.getpid(), {signal_number})")
    assert json.loads(measure_apart("", 60.0, str(script))) == {
        "error": f"its process ended with {name}"
    }


def test_a_kernel_that_memory_has_no_room_for_is_said(tmp_path: Path) -> None:
    large = ty.Spec((1 << 24, 1 << 24), ty.float32)
    module = ty.trace(lambda x: x + 1, large).module
    (found,) = Search(module, TARGET, Database(tmp_path), Plan(1)).run()
    assert found.lost[0].startswith("out of memory: Unable to allocate")


def test_a_worker_without_a_search_ends_by_itself() -> None:
    command = [sys.executable, "-P", WORKER, "0.5"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=ENVIRONMENT) as worker:
        assert worker.wait(60) == -signal.SIGALRM


@pytest.mark.parametrize(
    "answer, why",
    [
        ("{", "JSONDecodeError: .*"),
        ("[]", "its answer is no object"),
        ('{"error": "gone"}', "gone"),
        ('{"error": 1}', "its answer has not what it should have"),
        ('{"seconds": [1], "differs": [null]}', "its answer has not what it should have"),
        ('{"seconds": [1, 0], "differs": [null, null]}', "its answer has not .*"),
        ('{"seconds": [1, NaN], "differs": [null, null]}', "its answer has not .*"),
        ('{"seconds": [1, 2], "differs": [null, 3]}', "its answer has not .*"),
    ],
)
def test_what_is_no_answer_is_lost(answer: str, why: str) -> None:
    future: Future[str] = Future()
    future.set_result(answer)
    with pytest.raises(Lost, match=f"^{why}$"):
        read_answer(future, 2)


def test_a_machine_of_another_kind_measures_nothing(tmp_path: Path) -> None:
    asked: list[str] = []

    def elsewhere(request: str, limit: float) -> str:
        asked.append(json.dumps(json.loads(request) | {"machine": "a cluster"}))
        return measure_apart(asked[-1], limit)

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(1, measure=elsewhere)).run()
    assert found.lost[0] == f"it was sent to another kind of machine: {machine(1)}"
    assert len(asked) == ATTEMPTS and not list(tmp_path.glob("*.json"))


def test_a_search_begins_with_what_is_stored(tmp_path: Path) -> None:
    database = Database(tmp_path)
    Search(product(), TARGET, database, Plan(40, measure=invented)).run()
    asked: list[list[str]] = []

    def recorded(request: str, limit: float) -> str:
        asked.append(json.loads(request)["schedules"])
        return invented(request, limit)

    again = ty.trace(swapped, SPEC, SPEC).module
    (found,) = Search(again, TARGET, database, Plan(1, measure=recorded)).run()
    assert asked[0] == [""] and "by=4 " in asked[1][1] and "by=4 " in found.schedule


def test_what_is_stored_and_damaged_is_said_and_replaced(tmp_path: Path) -> None:
    database, said = Database(tmp_path), list[str]()
    database.path(key_of(kernel_in(product()), machine(1))).write_text("{")
    plan = Plan(40, measure=invented)
    (found,) = Search(
        product(), TARGET, database, plan, say=lambda text, _: said.append(text)
    ).run()
    assert "is damaged: it is not JSON" in said[0]
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["schedule"] == found.schedule != ""


@pytest.mark.parametrize(
    "function, shapes",
    [
        (lambda x: ty.softmax(x, axis=-1), [(16, 64)]),
        (attend, [(2, 32, 16)] * 3),
        (lambda x: ty.layer_norm(x, -1), [(16, 64)]),
        # the edges of its windows are compared with constants, two of them equal
        (lambda x: ty.max_pool(x, 3, stride=2, padding=1), [(1, 4, 16, 16)]),
    ],
    ids=["softmax", "attention", "layer-norm", "max-pool"],
)
def test_what_is_done_before_schedules_is_done_once(
    function: Any, shapes: Any, tmp_path: Path
) -> None:
    """Or else a kernel by itself is another one, and cannot be measured."""
    module = ty.trace(function, *(ty.Spec(each, ty.float32) for each in shapes)).module
    (found,) = Search(module, TARGET, Database(tmp_path), Plan(1, measure=invented)).run()
    assert found.tried == 1


def test_what_takes_longest_comes_first(tmp_path: Path) -> None:
    def two(a: Any, b: Any) -> Any:
        return ty.tanh(a[:2]), a @ b

    module = ty.trace(two, SPEC, SPEC).module
    found = Search(module, TARGET, Database(tmp_path), Plan(1, measure=invented)).run()
    assert [each.kernel for each in found] == ["dot", "tanh"]


def test_a_full_disk_ends_no_search_but_is_said(tmp_path: Path) -> None:
    code = (
        "import resource, sys; sys.path.insert(0, sys.argv[2]); import test_search as t;"
        "from pathlib import Path; from teenyir.tools.command import run_command;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
        "s = t.Search(t.product(), t.TARGET, t.Database(Path(sys.argv[1])),"
        " t.Plan(40, measure=t.invented));"
        "code = run_command('x', lambda: s.run() and 0); print(code, s.found[0].schedule)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert f"the database '{tmp_path}' cannot be written: File too large" in done.stderr
    assert done.stdout.startswith("1 split-range") and "by=4 " in done.stdout


@pytest.mark.parametrize("dims, why", [({"Q": 3}, "no extent named Q"), ({"N": 65}, "is outside")])
def test_extents_that_the_program_has_not(dims: Any, why: str, tmp_path: Path) -> None:
    rows = ty.Spec((ty.Dim("N", min=1, max=64), SIZE), ty.float32)
    module = ty.trace(ty.matmul, rows, SPEC).module
    with pytest.raises(CompileError, match=why):
        Search(module, TARGET, Database(tmp_path), dims=dims)


def test_named_extents_are_measured_with_what_is_said(tmp_path: Path) -> None:
    rows = ty.Spec((ty.Dim("N", min=1, max=64), SIZE), ty.float32)
    seen: list[dict[str, int]] = []

    def recorded(request: str, limit: float) -> str:
        seen.append(json.loads(request)["dims"])
        return invented(request, limit)

    module, plan = ty.trace(ty.matmul, rows, SPEC).module, Plan(1, measure=recorded)
    for dims, value in [({}, 64), ({"N": 33}, 33)]:
        Search(module, TARGET, Database(tmp_path), plan, dims=dims).run()
        assert seen[-1] == {"N": value}


def test_a_folder_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompileError, match=r"'.*file' cannot be written: File exists"):
        Search(product(), TARGET, Database(tmp_path / "file"))


def test_processes_of_a_pool_measure(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context) as executor:
        search = Search(product(), TARGET, Database(tmp_path), Plan(2, jobs=2), executor=executor)
        (found,) = search.run()
    assert found.tried == 2 and not found.lost and found.seconds > 0


class Losing(Executor):
    """An executor that loses everything."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(OSError("the node is gone"))
        return future


def test_other_executors_may_measure_and_fail(tmp_path: Path) -> None:
    plan = Plan(8, jobs=3, measure=invented)
    with ThreadPoolExecutor(3) as executor:
        search = Search(product(), TARGET, Database(tmp_path), plan, executor=executor)
        assert search.run()[0].tried == 8
    (found,) = Search(product(), TARGET, Database(tmp_path), plan, executor=Losing()).run()
    assert found.lost == ["OSError: the node is gone"] * ATTEMPTS


def test_ending_a_search_keeps_the_best_so_far(tmp_path: Path) -> None:
    calls: list[str] = []

    def interrupted(request: str, limit: float) -> str:
        calls.append(request)
        if "by=4 " in calls[0] or len(calls) > 30 or any("by=4 " in call for call in calls[:-1]):
            raise KeyboardInterrupt
        return invented(request, limit)

    search = Search(product(), TARGET, Database(tmp_path), Plan(40, measure=interrupted))
    with pytest.raises(KeyboardInterrupt):
        search.run()
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["schedule"] == search.found[0].schedule != ""


def test_a_budget_ends_the_search(tmp_path: Path) -> None:
    search = Search(product(), TARGET, Database(tmp_path), Plan(budget=1e-9, measure=invented))
    assert search.run() == []


def test_a_target_without_schedules_says_so(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="target 'c' replays no schedules"):
        Search(product(), "c", Database(tmp_path))
    with pytest.raises(CompileError, match="the database is named apart"):
        Search(product(), "cpu{tuned=here}", Database(tmp_path))


def test_remarks_say_what_was_replayed(tmp_path: Path) -> None:
    target = f"cpu{{threads=1 tuned={tmp_path}}}"
    lowered = ty.trace(swapped, SPEC, SPEC).lower(target)
    assert any("no schedule is stored for it" in each.message for each in lowered.remarks)
    Search(product(), TARGET, Database(tmp_path), Plan(40, measure=invented)).run()
    remarks = [each.message for each in ty.trace(swapped, SPEC, SPEC).lower(target).remarks]
    assert any(each.startswith("measured as 2.00 times as fast: split-") for each in remarks)


def test_a_terminal_shows_a_bar_with_the_best_so_far() -> None:
    code = (
        "from teenyir.tools.tune_progress import progress; from teenyir.tuning.search import Found;"
        "found = Found('dot', '', 5e-6, 1e-5, 3, 8, ['lost'])\n"
        "with progress() as say: say('@softmax: it has no [schedules]', None); say('  3/8', found)"
    )
    controller, terminal = pty.openpty()
    command = [sys.executable, "-c", code]
    environment = ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "100"}
    subprocess.run(command, stderr=terminal, env=environment, check=True)
    os.close(terminal)
    shown = os.read(controller, 1 << 16).decode()
    assert "@softmax: it has no [schedules]" in shown
    assert "3/8" in shown and "best 5.0 us, 2.00 times as fast, 1 lost" in shown
    plain = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert plain.stderr == "@softmax: it has no [schedules]\n  3/8\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--trials=0"], "--trials takes 1 or more"),
        (["--budget=0"], "--budget takes seconds"),
        (["--limit=0"], "--limit takes seconds"),
        (["--limit=nan"], "--limit takes seconds"),
        (["--limit=inf"], "--limit takes seconds"),
        (["--seed=-1"], "--seed takes 0 or more"),
        (["--database=none"], "--database takes a folder"),
        (["--trial=1"], "did you mean '--trials'"),
    ],
)
def test_wrong_usage(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["x.mlir", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_terminal_shows_one_bar_however_many_kernels() -> None:
    code = (
        "from teenyir.tools.tune_progress import progress; from teenyir.tuning.search import Found;"
        "every = [Found(f'k{i}', '', 5e-6, 1e-5, 8, 8) for i in range(6)]\n"
        "with progress() as say: [say('  8/8', found) for found in every]"
    )
    controller, terminal = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "100", "LINES": "4"}
    subprocess.run([sys.executable, "-c", code], stderr=terminal, env=environment, check=True)
    os.close(terminal)
    with open(controller, "rb", buffering=0) as screen:
        shown = b"".join(iter(partial(_read, screen), b"")).decode()
    assert "@k0: best 5.0 us" in shown and "@k5 " in shown.rsplit("@k4: best", 1)[1]


def _read(screen: Any) -> bytes:
    """What else is on a terminal; nothing once its process is gone."""
    with suppress(OSError):
        return screen.read(1 << 12)
    return b""


@pytest.mark.parametrize("arguments", [["--stats=json"], []])
def test_without_standard_error_results_alone_are_written(
    arguments: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "model.mlir"
    file.write_text(ty.trace(ty.matmul, SPEC, SPEC).as_text())
    code = "from teenyir.tools.start import teeny_tune; raise SystemExit(teeny_tune())"
    options = [str(file), "--budget=0.000001", f"--database={tmp_path / 'db'}", *arguments]
    command = f'exec "{sys.executable}" -c "{code}" "$@" 2>&- <&-'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *options], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"kernels": []} if arguments else done.stdout == ""


def test_ctrl_c_ends_the_command_and_what_it_measures(tmp_path: Path) -> None:
    file = tmp_path / "model.mlir"
    func = ty.trace(ty.matmul, SPEC, SPEC)
    file.write_text(func.as_text())
    code = "from teenyir.tools.start import teeny_tune; raise SystemExit(teeny_tune())"
    command = [sys.executable, "-c", code, str(file), f"--database={tmp_path / 'db'}"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        # as a terminal starts it: a job in the background of a script ignores Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    assert "schedules" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err
    assert err.splitlines()[-1] == "error: interrupted"
    assert out.startswith("@")
