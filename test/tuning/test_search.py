"""The search for schedules: what is found is kept and replayed, what goes wrong costs one trial."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.tuned import Database, Tuned, key_of, machine, names_of
from teenyir.passes.kernel.schedule.replay import parse_schedule, replay
from teenyir.tools.teeny_tune import main
from teenyir.tuning.candidates import Candidate, candidates
from teenyir.tuning.measure import measure_apart
from teenyir.tuning.search import LAST, Plan, Search, front_of

SIZE = 48
SPEC = ty.Spec((SIZE, SIZE), ty.float32)
TARGET = "cpu{threads=1}"


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


@pytest.mark.parametrize(
    "function, shapes, kind",
    [
        (ty.matmul, [(48, 40), (40, 56)], "order-ranges"),
        (ty.matmul, [(64, 300), (300,)], "split-reduction"),
        (ty.tanh, [(64,)], None),
    ],
    ids=["product", "dots", "elementwise"],
)
def test_candidates_are_ranked_legal_and_apart(
    function: Any, shapes: Any, kind: str | None
) -> None:
    func = kernel_in(ty.trace(function, *(ty.Spec(s, ty.float32) for s in shapes)).module)
    found = candidates(func)
    assert bool(found) == bool(kind)
    assert [each.cycles for each in found] == sorted(each.cycles for each in found)
    assert len({each.traits for each in found}) == len({each.schedule for each in found})
    for candidate in found[::200]:
        assert kind is not None and kind in candidate.schedule
        replay(func.clone(), parse_schedule(candidate.schedule))


def test_neighbours_differ_in_one_parameter() -> None:
    here, beside, away = (Candidate("", 0.0, traits) for traits in [(1, 2), (1, 3), (2, 3)])
    assert here.is_beside(beside) and beside.is_beside(away)
    assert not here.is_beside(away) and not here.is_beside(here)


def test_what_is_found_is_measured_stored_and_replayed(tmp_path: Path) -> None:
    said: list[str] = []
    search = Search(product(), TARGET, Database(tmp_path), Plan(trials=1), say=said.append)
    (found,) = search.run()
    assert found.tried == 1 and not found.lost
    assert found.seconds > 0 and found.untuned > 0
    assert found.seconds == found.untuned or found.schedule
    (file,) = tmp_path.iterdir()
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
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["schedule"] == ""


def test_what_is_faster_by_chance_is_not_kept(tmp_path: Path) -> None:
    last: list[str] = []

    def lucky(request: str, limit: float) -> str:
        schedules = json.loads(request)["schedules"]
        wins = len(last) == 0
        if json.loads(request)["rounds"] == LAST["rounds"]:
            last.append(request)
        seconds = [1e-5] + [5e-6 if wins else 1e-5] * (len(schedules) - 1)
        return json.dumps({"seconds": seconds, "differs": [None] * len(schedules)})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=lucky)).run()
    assert len(last) == 2 and found.schedule == "" and found.seconds == found.untuned
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["schedule"] == ""


def test_a_wrong_result_is_never_kept(tmp_path: Path) -> None:
    def wrong(request: str, limit: float) -> str:
        count = len(json.loads(request)["schedules"])
        differs = [None] + ["1 of 4 elements differ"] * (count - 1)
        return json.dumps({"seconds": [1e-5] + [1e-9] * (count - 1), "differs": differs})

    (found,) = Search(product(), TARGET, Database(tmp_path), Plan(3, measure=wrong)).run()
    assert found.schedule == "" and found.lost == ["1 of 4 elements differ"] * 3
    assert not list(tmp_path.iterdir())


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
    assert found.lost == ["OSError: the node is gone"] * 8


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
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["schedule"] == search.found[0].schedule != ""


def test_a_budget_ends_the_search(tmp_path: Path) -> None:
    search = Search(product(), TARGET, Database(tmp_path), Plan(budget=1e-9, measure=invented))
    assert search.run() == []


def test_a_target_without_schedules_says_so(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="target 'c' replays no schedules"):
        Search(product(), "c", Database(tmp_path))
    with pytest.raises(CompileError, match="the database is named apart"):
        Search(product(), "cpu{tuned=here}", Database(tmp_path))


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--trials=0"], "--trials takes 1 or more"),
        (["--budget=0"], "--budget takes seconds"),
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


def test_ctrl_c_ends_the_command_and_what_it_measures(tmp_path: Path) -> None:
    file = tmp_path / "model.mlir"
    func = ty.trace(ty.matmul, SPEC, SPEC)
    file.write_text(func.as_text())
    root = Path(__file__).parents[2]
    code = "from teenyir.tools.start import teeny_tune; raise SystemExit(teeny_tune())"
    command = [sys.executable, "-c", code, str(file), f"--database={tmp_path / 'db'}"]
    process = subprocess.Popen(
        command,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert process.stderr is not None
    assert "schedules" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err
    assert err.splitlines()[-1] == "error: interrupted"
    assert out.startswith("@")
