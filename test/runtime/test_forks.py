"""Forks while other threads trace, compile and hold locks: the child does what any process does."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

BEGIN = """
import faulthandler, os, signal, sys, threading
import numpy as np
import teenyir as ty

spec, x = ty.Spec((8, 8), ty.float32), np.ones((8, 8), np.float32)

def in_child(check):
    child = os.fork()
    if child == 0:
        try:
            faulthandler.dump_traceback_later(30)
            signal.alarm(60)
            check()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, code

def beside(function):
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread

came, may_go = threading.Event(), threading.Event()

def stop_here():
    came.set()
    assert may_go.wait(60)
"""

TEXTS = {
    "compiling": """
done = False

def compile_others(first):
    number = first
    while not done:
        number += 2.0
        ty.trace(lambda a: a @ a + number, spec).lower("cpu").compile()(x)

def check():
    traced = ty.trace(lambda a: a @ a - os.getpid(), spec)
    np.testing.assert_allclose(traced.lower("cpu").compile()(x), x * 8 - os.getpid())

ty.trace(lambda a: a @ a, spec).lower("cpu").compile()(x)  # all is imported then
threads = [beside(lambda: compile_others(0.5)), beside(lambda: compile_others(1.5))]
for _ in range(8):
    in_child(check)
done = True
[thread.join() for thread in threads]
""",
    "tracing": """
class Net(ty.nn.Module):
    def __init__(self):
        self.linear = ty.nn.Linear(8, 8)

    def forward(self, a):
        if threading.current_thread() is not threading.main_thread():
            stop_here()
        return self.linear(a)

net = Net()
expected = x @ net.linear.weight.T + net.linear.bias
thread = beside(lambda: ty.trace(net, spec))
assert came.wait(60)

def check():
    assert isinstance(net.linear.weight, np.ndarray)
    np.testing.assert_allclose(ty.trace(net, spec).lower("cpu").compile()(x), expected, 1e-5)

in_child(check)
assert not isinstance(net.linear.weight, np.ndarray)
may_go.set()
thread.join()
assert isinstance(net.linear.weight, np.ndarray)
""",
    "a jitted function": """
@ty.jit
def double(a):
    if threading.current_thread() is not threading.main_thread():
        stop_here()
    return a * 2

thread = beside(lambda: double(x))
assert came.wait(60)
in_child(lambda: np.testing.assert_array_equal(double(x), x * 2))
may_go.set()
thread.join()
np.testing.assert_array_equal(double(x), x * 2)
""",
    "forking while tracing": """
def forks(a):
    in_child(lambda: ty.trace(lambda b: b + 1, spec).lower("cpu").compile()(x))
    return a + 2

np.testing.assert_array_equal(ty.trace(forks, spec).lower("cpu").compile()(x), x + 2)
""",
    "limits": """
import gc
from teenyir.pipeline.limits import deep_recursion, rare_collections

limits = sys.getrecursionlimit(), gc.get_threshold()

def work():
    with deep_recursion(), rare_collections():
        stop_here()

thread = beside(work)
assert came.wait(60)
now = lambda: (sys.getrecursionlimit(), gc.get_threshold())
assert now() != limits

def check():
    assert now() == limits
    with deep_recursion(), rare_collections():
        assert now() != limits
    assert now() == limits

in_child(check)

def inside():
    assert now() != limits

with deep_recursion(), rare_collections():
    in_child(inside)
may_go.set()
thread.join()
assert now() == limits
""",
    "a compiler in a process": """
import pathlib, tempfile
from teenyir.runtime.worker import Worker

with tempfile.TemporaryDirectory() as folder:
    script = pathlib.Path(folder, "tells.py")
    script.write_text(
        "import json, os, sys\\n"
        "for line in sys.stdin: print(json.dumps({'pid': str(os.getpid())}), flush=True)"
    )
    worker = Worker(script)
    own = worker.ask({})
    assert worker.ask({}) == own
    in_child(lambda: (worker.ask({}) != own or os._exit(2)) and worker.close())
    assert worker.ask({}) == own
    worker.close()
""",
    "locks": """
from teenyir.forking import wait_for

lock = threading.RLock()
wait_for(lock)

def hold():
    with lock:
        came.set()
        may_go.wait(0.5)

thread = beside(hold)
assert came.wait(60)

def check():
    assert lock.acquire(timeout=0)

in_child(check)
assert lock.acquire(timeout=10)
thread.join()
""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_fork_beside(name: str) -> None:
    # (with other threads about, which Python warns of from 3.12 on: that is what is tested)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BEGIN + TEXTS[name]]
    done = subprocess.run(command, timeout=240, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
