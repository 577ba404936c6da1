"""Native code is entered with where arrays begin, and keeps nothing of them."""

from __future__ import annotations

import sys
import threading
import time
from functools import cache

import numpy as np
import pytest

from teenyir.runtime import calls
from teenyir.runtime.calls import entrance
from teenyir.runtime.jit import compile_object, load

FIRST_PLUS_EXTENT = """
define void @main(ptr %buffers, ptr %dims, ptr %arena) {
  %x = load ptr, ptr %buffers
  %place = getelementptr ptr, ptr %buffers, i64 1
  %y = load ptr, ptr %place
  %first = load i64, ptr %x
  %extent = load i64, ptr %dims
  %sum = add i64 %first, %extent
  store i64 %sum, ptr %y
  store i64 7, ptr %arena
  ret void
}
"""

ONCE_SET = """
define void @main(ptr %buffers, ptr %dims, ptr %arena) {
  %flag = load ptr, ptr %buffers
  br label %look
look:
  %value = load atomic i64, ptr %flag seq_cst, align 8
  %set = icmp ne i64 %value, 0
  br i1 %set, label %over, label %look
over:
  ret void
}
"""


def test_places_of_arrays_extents_and_the_arena() -> None:
    library = load(compile_object(FIRST_PLUS_EXTENT))
    enter = entrance(library.address("main"))
    x, y, arena = np.array([30, 1]), np.zeros(3, np.int64), np.zeros(1, np.int64)
    counts = [sys.getrefcount(each) for each in (x, y, arena)]
    for _ in range(100):
        result = enter((12).to_bytes(8, sys.byteorder), arena, x, y[1:])
        assert result is None
    assert y.tolist() == [0, 42, 0] and arena[0] == 7
    assert [sys.getrefcount(each) for each in (x, y, arena)] == counts


def test_other_threads_run_meanwhile() -> None:
    library = load(compile_object(ONCE_SET))
    enter = entrance(library.address("main"))
    flag = np.zeros(1, np.int64)
    waiting = threading.Thread(target=enter, args=(b"", np.empty(0), flag))
    waiting.start()
    flag[0] = 1
    waiting.join(60)
    assert not waiting.is_alive()


def test_threads_that_come_first_share_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them had for itself would be unloaded behind its back."""
    library = load(compile_object(FIRST_PLUS_EXTENT))
    together = threading.Barrier(8)
    made: list[object] = []

    @cache
    def slowly() -> object:
        made.append(method())
        time.sleep(0.05)
        return made[-1]

    method = vars(calls)["_method"]
    monkeypatch.setattr(calls, "_method", slowly)

    def come() -> None:
        together.wait()
        entrance(library.address("main"))

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
