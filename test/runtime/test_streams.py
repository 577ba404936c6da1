"""Results that go past the caches: every dtype, wherever arrays begin, in one thread and in two.

The machine is said to have no last cache, so that small results are streamed as large ones are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.runtime.arenas import ALIGNMENT, LARGE
from teenyir.targets import cpu

RANDOM = np.random.default_rng(11)

on_x86 = pytest.mark.skipif(
    not cpu.host().triple.startswith("x86_64"), reason="the instruction looked for is x86's"
)


@pytest.fixture(autouse=True)
def no_last_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "SHARE_OF_LAST_CACHE", 0)


def compiled(function: Callable[..., Any], *arrays: np.ndarray, threads: int = 1) -> Any:
    specs = [ty.Spec(each.shape, getattr(ty, each.dtype.name)) for each in arrays]
    lowered = ty.trace(function, *specs).lower(target=f"cpu{{threads={threads}}}")
    return lowered.compile(cache=False)


def placed(array: np.ndarray, shift: int) -> np.ndarray:
    """A copy that begins so many bytes behind a multiple of ALIGNMENT."""
    memory = np.zeros(array.nbytes + 2 * ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT + shift
    result = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def streams(program: Any) -> bool:
    return "nontemporal" in program.asm["llvmir"]


def numbers(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return RANDOM.integers(0, 2 if dtype == np.bool_ else 50, shape).astype(dtype)


DTYPES = (
    *(np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.bool_),
    *(np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64),
)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_every_dtype(dtype: Any) -> None:
    x = numbers((6, 256), dtype)
    program = compiled(lambda x, w: ty.where(x == w, x, w), x, x[0].copy())
    assert streams(program)
    want = np.where(x == x[0], x, x[0])
    for shift in (0, x.itemsize):
        out = placed(np.zeros_like(x), shift)
        program(placed(x, x.itemsize), x[0].copy(), out=out)
        assert out.tobytes() == want.tobytes()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shift", [0, 4, 16, 32, 60])
def test_wherever_a_result_begins_it_is_the_same(shift: int, threads: int) -> None:
    x = RANDOM.standard_normal((2048, 256), np.float32)
    program = compiled(lambda x: ty.softmax(x, axis=-1), x, threads=threads)
    assert streams(program)
    around = placed(np.full(x.size + 32, 7, np.float32), shift)
    out = around[16:-16].reshape(x.shape)
    program(x, out=out)
    assert out.tobytes() == program(x).tobytes()
    np.testing.assert_allclose(out.sum(-1), 1, rtol=1e-5)
    assert (around[:16] == 7).all()
    assert (around[-16:] == 7).all()


@pytest.mark.parametrize("columns", [1, 15, 16, 17, 63, 64, 100])
def test_rows_of_odd_lengths(columns: int) -> None:
    x = RANDOM.standard_normal((33, columns), np.float32)
    program = compiled(lambda x: (x * 2, x + 1), x)
    assert streams(program) == (columns * 32 % cpu.host().vector_bits == 0)
    doubled, more = program(x[::-1])
    np.testing.assert_array_equal(doubled, x[::-1] * 2)
    np.testing.assert_array_equal(more, x[::-1] + 1)


def test_what_one_kernel_streams_the_next_one_reads() -> None:
    x = RANDOM.standard_normal((64, 512), np.float32)
    program = compiled(lambda x: ty.softmax(x, axis=-1) @ ty.softmax(x, axis=-1).T, x, threads=2)
    e = np.exp(x.astype(np.float64))
    e /= e.sum(-1, keepdims=True)
    np.testing.assert_allclose(program(x), e @ e.T, rtol=1e-5)


@on_x86
def test_the_copy_that_streams_does_so_and_a_fence_follows() -> None:
    x = np.zeros((64, 256), np.float32)
    program = compiled(lambda x: x + 1, x)
    assert "vmovnt" in program.asm["asm"] or "movnt" in program.asm["asm"]
    assert "fence seq_cst" in program.asm["llvmir"]


def test_large_results_are_aligned() -> None:
    x = np.ones(LARGE // 4, np.float32)
    program = compiled(lambda x: x + 1, x)
    results = [program(x) for _ in range(3)]  # kept: each is somewhere else
    assert all(each.ctypes.data % ALIGNMENT == 0 for each in results)
    assert all(each.flags.writeable and each.flags.c_contiguous for each in results)


def test_what_fits_the_last_cache_is_not_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "SHARE_OF_LAST_CACHE", 1 << 20)
    bytes_counted_on = cpu.host().last_cache
    few = np.zeros((bytes_counted_on // 1024 - 1, 256), np.float32)
    assert not streams(compiled(lambda x: x + 1, few))
    assert streams(compiled(lambda x: x + 1, np.zeros((len(few) + 1, 256), np.float32)))
