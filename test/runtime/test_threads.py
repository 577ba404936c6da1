"""Kernels in threads: results whatever their number, forks, concurrent calls, errors in between."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir.diagnostics import CompileError, RunError
from teenyir.runtime.compiled import Compiled
from teenyir.runtime.jit import pool
from teenyir.targets.cpu import usable_threads

Array = NDArray[np.float32]
N = ty.Dim("N", min=0, max=1 << 20)
rng = np.random.default_rng(0)


def numbers(*shape: int) -> Array:
    return rng.standard_normal(shape, dtype=np.float32)


def compiled(function: Callable[..., ty.Tensor], *specs: ty.Spec) -> Compiled:
    """A function compiled for two threads, whatever the machine has."""
    return ty.trace(function, *specs).lower(target="cpu{threads=2}").compile()


@pytest.fixture
def threads() -> Iterator[Callable[[int], object]]:
    """Set how many threads kernels run in; it is as it was afterwards."""
    before = pool().size
    yield pool().resize
    pool().resize(before)


def squares(x: ty.Tensor) -> ty.Tensor:
    return x * x + 1


def product(a: ty.Tensor, b: ty.Tensor) -> ty.Tensor:
    return a @ b


def total(x: ty.Tensor) -> ty.Tensor:
    return x.sum()


def sum_of_rows(x: ty.Tensor) -> ty.Tensor:
    return x.sum(axis=1)


def sum_of_columns(x: ty.Tensor) -> ty.Tensor:
    return x.sum(axis=0)


def greatest(x: ty.Tensor) -> ty.Tensor:
    return x.max()


def running(x: ty.Tensor) -> ty.Tensor:
    return ty.cumsum(x, axis=1)


def softmax(x: ty.Tensor) -> ty.Tensor:
    return ty.softmax(x)


def ordered(x: ty.Tensor) -> ty.Tensor:
    return ty.sort(x)


def place(x: ty.Tensor) -> ty.Tensor:
    return ty.argmax(x)


def log_sum(x: ty.Tensor) -> ty.Tensor:
    return ty.logsumexp(x)


CASES: dict[str, tuple[Callable[..., ty.Tensor], tuple[tuple[int, ...], ...]]] = {
    "elementwise": (squares, ((1000, 1000),)),
    "softmax": (softmax, ((3000, 100),)),
    "product": (product, ((300, 200), (200, 250))),
    "product of few columns": (product, ((3000, 200), (200, 33))),
    "batched product": (product, ((5, 130, 64), (5, 64, 130))),
    "rows": (sum_of_rows, ((3000, 333),)),
    "columns": (sum_of_columns, ((3000, 333),)),
    "everything": (total, ((1 << 20,),)),
    "greatest": (greatest, ((1000, 1001),)),
    "where the greatest is": (place, ((1 << 20,),)),
    "log-sum-exp": (log_sum, ((1 << 19,),)),
    "running": (running, ((300, 1000),)),
    "sorted": (ordered, ((300, 400),)),
    "matrix and vector": (product, ((1003, 1001), (1001,))),
}


@pytest.mark.parametrize("name", CASES)
def test_results_do_not_depend_on_threads(name: str, threads: Callable[[int], object]) -> None:
    function, shapes = CASES[name]
    specs = [ty.Spec(shape, ty.float32) for shape in shapes]
    program = compiled(function, *specs)
    inputs = [numbers(*shape) for shape in shapes]
    threads(1)
    alone = program(*inputs)
    for count in (2, 3, 7):
        threads(count)
        for _ in range(3):
            np.testing.assert_array_equal(program(*inputs), alone)
    meant = ty.trace(function, *specs).lower(target="interpret").compile()(*inputs)
    np.testing.assert_allclose(alone, meant, rtol=2e-4, atol=2e-4)


def kernels(program: Compiled) -> str:
    return "".join(kernel.as_text("kernel") for kernel in program.kernels)


@pytest.mark.parametrize("name", CASES)
def test_large_work_is_shared(name: str) -> None:
    function, shapes = CASES[name]
    program = compiled(function, *(ty.Spec(shape, ty.float32) for shape in shapes))
    assert " parallel" in kernels(program)


def test_small_work_is_not() -> None:
    assert " parallel" not in kernels(compiled(squares, ty.Spec((64, 64), ty.float32)))


def test_shared_work_of_any_size(threads: Callable[[int], object]) -> None:
    """The grain is decided when it runs; no row and one row too are right."""
    program = compiled(squares, ty.Spec((N, 64), ty.float32))
    assert " grain(" in kernels(program)
    for count in (1, 2, 3, 7):
        threads(count)
        for rows in (0, 1, 2, 100, 4097, 20000):
            x = numbers(rows, 64)
            np.testing.assert_array_equal(program(x), x * x + 1)


def test_threads_have_panels_of_their_own(threads: Callable[[int], object]) -> None:
    """More threads than there is memory for do not work on one panel."""
    program = compiled(product, *(ty.Spec((512, 512), ty.float32),) * 2)
    lowered = ty.trace(product, *(ty.Spec((512, 512), ty.float32),) * 2)
    whole = lowered.lower(target="cpu{threads=2}").arena.evaluate({})
    assert whole == 2 * lowered.lower(target="cpu{threads=1}").arena.evaluate({})
    a, b = numbers(512, 512), numbers(512, 512)
    threads(1)
    alone = program(a, b)
    threads(16)
    for _ in range(20):
        np.testing.assert_array_equal(program(a, b), alone)


def test_concurrent_calls(threads: Callable[[int], object]) -> None:
    """Calls from several Python threads share the pool, or do without it."""
    threads(3)
    program = compiled(product, *(ty.Spec((256, 256), ty.float32),) * 2)
    pairs = [(numbers(256, 256), numbers(256, 256)) for _ in range(6)]
    expected = [program(a, b) for a, b in pairs]
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(50):
            if not np.array_equal(program(*pairs[number]), expected[number]):
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(len(pairs))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_errors_in_between(threads: Callable[[int], object]) -> None:
    threads(2)
    program = compiled(squares, ty.Spec((N, 64), ty.float32))
    x = numbers(20000, 64)
    for _ in range(3):
        np.testing.assert_array_equal(program(x), x * x + 1)
        with pytest.raises(RunError):
            program(numbers(20000, 63))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_fork() -> None:
    """The child of a process whose threads run has none, and starts its own."""
    text = """
import os, threading, time
import numpy as np
import teenyir as ty
from teenyir.runtime.jit import pool
pool().resize(3)
spec = ty.Spec((512, 512), ty.float32)
program = ty.trace(lambda a, b: a @ b, spec, spec).lower(target="cpu{threads=3}").compile()
a, b = (np.random.default_rng(k).random((512, 512), np.float32) for k in (0, 1))
expected = program(a, b)
assert pool().started >= 1
done = False
def work():
    while not done:
        assert np.array_equal(program(a, b), expected)
busy = threading.Thread(target=work)
busy.start()  # the pool is in use while the process forks
for _ in range(5):
    child = os.fork()
    if child == 0:
        none = pool().started == 0
        right = all(np.array_equal(program(a, b), expected) for _ in range(5))
        os._exit(0 if none and right and pool().started >= 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
done = True
busy.join()
"""
    # (with other threads about, which Python warns of from 3.12 on: that is what is tested)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text]
    subprocess.run(command, check=True, timeout=120)


def test_exit_while_threads_spin() -> None:
    """A process that ends just behind a kernel ends well."""
    text = """
import numpy as np
import teenyir as ty
from teenyir.runtime.jit import pool
pool().resize(4)
traced = ty.trace(lambda x: x * 2, ty.Spec((4096, 512), ty.float32))
program = traced.lower("cpu{threads=4}").compile()
for _ in range(10):
    program(np.ones((4096, 512), np.float32))
assert pool().started >= 1
"""
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)


def test_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEENYIR_NUM_THREADS", "5")
    assert usable_threads() == 5
    monkeypatch.setenv("TEENYIR_NUM_THREADS", "1000")
    assert usable_threads() == 64
    monkeypatch.delenv("TEENYIR_NUM_THREADS")
    assert 1 <= usable_threads() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5"])
def test_a_variable_that_is_no_number(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("TEENYIR_NUM_THREADS", wrong)
    with pytest.raises(CompileError, match=f"is a number of threads, not '{wrong}'"):
        usable_threads()


def test_one_thread_starts_none() -> None:
    text = """
import numpy as np
import teenyir as ty
from teenyir.runtime.jit import pool
traced = ty.trace(lambda x: x * 2, ty.Spec((4096, 512), ty.float32))
traced.lower("cpu{threads=4}").compile()(np.ones((4096, 512), np.float32))
assert pool().size == 1 and pool().started == 0
"""
    environment = os.environ | {"TEENYIR_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120, env=environment)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads are not bound here")
def test_a_thread_that_is_bound_to_a_core_binds_no_other() -> None:
    """Neither how many there are nor where they run is decided by the one that is first."""
    text = """
import os, threading
import numpy as np
import teenyir as ty
from teenyir.runtime.jit import pool
from teenyir.targets.cpu import usable_threads
every = os.sched_getaffinity(0)
spec, x = ty.Spec((2000, 1000), ty.float32), np.ones((2000, 1000), np.float32)
found = []
def work():
    os.sched_setaffinity(0, {min(every)})
    program = ty.trace(lambda a: a * a + 1, spec).lower("cpu{threads=2}").compile()
    assert pool().size == usable_threads() == len(every)
    pool().resize(3)
    before = set(os.listdir("/proc/self/task"))
    for _ in range(20):
        program(x)
    assert pool().started >= 1
    for thread in {*os.listdir("/proc/self/task")} - before:
        found.append(os.sched_getaffinity(int(thread)))
bound = threading.Thread(target=work)
bound.start()
bound.join()
assert found and all(each == every for each in found), found
"""
    environment = {k: v for k, v in os.environ.items() if k != "TEENYIR_NUM_THREADS"}
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120, env=environment)
