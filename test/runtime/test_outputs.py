"""Results in arrays of the caller's, and the memory that temporaries are kept in."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir.diagnostics import RunError
from teenyir.runtime.arenas import (
    ALIGNMENT,
    ENOUGH,
    HUGE,
    LARGE,
    LARGEST,
    MOST_KEPT,
    ArenaPool,
    ResultPool,
    empty,
)

Array = NDArray[Any]
N = ty.Dim("N", min=0, max=64)
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def both(x: ty.Tensor) -> tuple[ty.Tensor, ty.Tensor]:
    return x + 1, x * 2


def twice(x: ty.Tensor) -> ty.Tensor:
    return x * 2


def rows_from_one_on(x: ty.Tensor) -> ty.Tensor:
    return x[1:]


@pytest.mark.parametrize("target", ["cpu", "c", "interpret"])
def test_results_are_written_into_out(target: str) -> None:
    program = ty.trace(twice, ty.Spec((N, 4), ty.float32)).lower(target=target).compile()
    for rows in (3, 1, 0):
        y = np.full((rows, 4), np.nan, np.float32)
        assert program(X[:rows], out=y) is y
        np.testing.assert_array_equal(y, X[:rows] * 2)


@pytest.mark.parametrize("target", ["cpu", "interpret"])
def test_several_results(target: str) -> None:
    program = ty.trace(both, ty.Spec((3, 4), ty.float32)).lower(target=target).compile()
    a, b = np.empty_like(X), np.empty_like(X)
    results = program(X, out=(a, b))
    assert results[0] is a and results[1] is b
    np.testing.assert_array_equal(a, X + 1)
    np.testing.assert_array_equal(b, X * 2)


@pytest.mark.parametrize("target", ["cpu", "c", "interpret"])
def test_what_shows_an_input_is_copied(target: str) -> None:
    program = ty.trace(rows_from_one_on, ty.Spec((3, 4), ty.float32)).lower(target).compile()
    y = np.empty((2, 4), np.float32)
    assert program(X, out=y) is y
    np.testing.assert_array_equal(y, X[1:])
    assert not np.shares_memory(X, y)


def test_out_of_a_jit() -> None:
    fast = ty.jit(twice)
    for _ in range(3):
        y = np.empty_like(X)
        assert fast(X, out=y) is y
        np.testing.assert_array_equal(y, X * 2)


def read_only() -> Array:
    array = np.empty((3, 4), np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        (np.empty((4, 3), np.float32), "it has the shape (4, 3), not (3, 4)"),
        (np.empty((3, 4), np.float64), "it is of float64, not float32"),
        (np.empty((4, 3), np.float32).T, "it is not row-major and aligned"),
        (read_only(), "it is read-only"),
        (X, "it shares memory with an input or another output"),
        ([[0.0]], "it is no array, but list"),
    ],
)
def test_what_cannot_be_written_into(out: Any, problem: str) -> None:
    program = ty.trace(twice, ty.Spec((3, 4), ty.float32)).lower().compile()
    with pytest.raises(RunError, match=re.escape(f"cannot be written into `out`: {problem}")):
        program(X, out=out)


def test_outs_of_another_number_or_in_one_place() -> None:
    program = ty.trace(both, ty.Spec((3, 4), ty.float32)).lower().compile()
    y = np.empty_like(X)
    with pytest.raises(RunError, match="has 2 outputs, got 1"):
        program(X, out=y)
    with pytest.raises(RunError, match="another output"):
        program(X, out=(y, y))


def test_large_arenas_are_aligned_to_huge_pages_and_used_again() -> None:
    pool = ArenaPool()
    arena = pool.take(ENOUGH)
    assert arena.ctypes.data % HUGE == 0 and arena.nbytes == ENOUGH
    arena[:] = 1
    pool.give_back(arena)
    assert pool.take(100) is arena
    assert pool.take(100).ctypes.data % 64 == 0


def test_an_arena_that_there_is_no_memory_for() -> None:
    with pytest.raises(MemoryError):
        ArenaPool().take(1 << 60)


def address(array: Array) -> int:
    return array.__array_interface__["data"][0]


def kept(pool: ResultPool) -> int:
    return sum(memory.size for memory in pool.free)


def test_memory_of_results_is_used_again() -> None:
    pool = ResultPool()
    first = pool.empty((LARGE // 4,), np.dtype(np.float32), LARGE)
    place = address(first)
    assert place % ALIGNMENT == 0 and first.flags.writeable and first.flags.c_contiguous
    second = pool.empty((LARGE // 4,), np.dtype(np.float32), LARGE)
    assert not np.shares_memory(first, second) and not pool.free
    del first
    assert kept(pool) == LARGE
    larger = pool.empty((LARGE,), ty.bfloat16.numpy(), 2 * LARGE)
    assert address(larger) != place and kept(pool) == LARGE and larger.dtype.name == "bfloat16"
    third = pool.empty((3, 4), np.dtype(np.float64), LARGE - 64)
    assert address(third) == place and third.shape == (3, 4) and not pool.free
    del larger, second, third
    assert kept(pool) == 4 * LARGE


def test_a_part_of_a_result_keeps_its_memory() -> None:
    pool = ResultPool()
    result = pool.empty((LARGE,), np.dtype(np.uint8), LARGE)
    result[:] = 7
    part = memoryview(result[4:].reshape(2, -1)[:, ::2])
    del result
    assert not pool.free
    pool.empty((LARGE,), np.dtype(np.uint8), LARGE)[:] = 1
    assert np.asarray(part).max() == np.asarray(part).min() == 7
    del part
    assert kept(pool) == 2 * LARGE


def test_little_memory_of_results_is_kept() -> None:
    pool = ResultPool()
    many = [pool.empty((LARGEST,), np.dtype(np.uint8), LARGEST) for _ in range(5)]
    many += [pool.empty((LARGE,), np.dtype(np.uint8), LARGE) for _ in range(5)]
    many.clear()
    assert LARGEST <= kept(pool) <= MOST_KEPT
    pool.empty((LARGE,), np.dtype(np.uint8), LARGE)
    assert kept(pool) <= MOST_KEPT


@pytest.mark.parametrize("size", [0, 1, LARGE - 1, LARGE, LARGEST, LARGEST + 1])
def test_results_of_any_size(size: int) -> None:
    result = empty((size,), np.dtype(np.uint8))
    result[:] = 3
    assert result.shape == (size,) and result.dtype == np.uint8
    assert size < LARGE or address(result) % ALIGNMENT == 0


def test_results_of_several_threads_have_memory_of_their_own() -> None:
    program = ty.trace(twice, ty.Spec((LARGE // 4,), ty.float32)).lower().compile()
    wrong: list[int] = []

    def call(number: int) -> None:
        x = np.full(LARGE // 4, number, np.float32)
        held = [program(x) for _ in range(2)]
        for step in range(100):
            held[step % 2] = program(x)
            if any((each != 2 * number).any() for each in held):
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(1, 5)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong
