"""Atomics and reductions in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from one_instruction import launch
from operands import RANDOM, words


def wrapping(value: int) -> int:
    return value & 0xFFFFFFFF


ATOMICS: list[tuple[str, Callable[[int, int], int]]] = [
    ("add.u32", lambda old, v: wrapping(old + v)),
    ("min.u32", min),
    ("max.u32", max),
    ("and.b32", lambda old, v: old & v),
    ("or.b32", lambda old, v: old | v),
    ("xor.b32", lambda old, v: old ^ v),
    ("exch.b32", lambda old, v: v),
    ("inc.u32", lambda old, v: 0 if old >= v else old + 1),
    ("dec.u32", lambda old, v: v if old == 0 or old > v else old - 1),
]


@pytest.mark.parametrize(("name", "function"), ATOMICS, ids=[row[0] for row in ATOMICS])
def test_atomics(name: str, function: Callable[[int, int], int]) -> None:
    """Four cells, many lanes each; old values come back in the order of the updates."""
    values, cells, olds = words(), words(4), np.zeros(64, np.uint32)
    before = cells.copy()
    launch(
        f"""
    ld.global.u32 %r0, [%w];
    and.b32 %r1, %t, 3;
    mad.wide.u32 %x0, %r1, 4, %p1;
    atom.global.{name} %r2, [%x0], %r0;
    mad.wide.u32 %x1, %t, 4, %p2;
    st.global.u32 [%x1], %r2;""",
        values,
        cells,
        olds,
    )
    for cell in range(4):
        current = int(before[cell])
        for lane in range(cell, 64, 4):
            assert olds[lane] == current
            current = function(current, int(values[lane]))
        assert cells[cell] == current


def test_reductions_in_memory() -> None:
    values, cell, total = words(), np.zeros(1, np.uint32), np.zeros(1, np.float32)
    halves = np.zeros(2, np.float16)
    launch(
        """
    ld.global.u32 %r0, [%w];
    red.global.add.u32 [%p1], %r0;
    red.global.add.f32 [%p2], 0f3F000000;
    mov.b32 %r1, 0x40003C00;
    red.global.add.noftz.f16x2 [%p3], %r1;""",
        values,
        cell,
        total,
        halves,
    )
    assert cell[0] == values.sum(dtype=np.uint32)
    assert total[0] == 32.0
    assert halves.tolist() == [64.0, 128.0]


def test_compare_and_swap_loop() -> None:
    """A float maximum by compare-and-swap, as code without a native instruction does it."""
    values = RANDOM.standard_normal(64).astype(np.float32)
    best = np.full(1, -100, np.float32)
    launch(
        """
    ld.global.f32 %f0, [%w];
    ld.relaxed.gpu.global.u32 %r0, [%p1];
AGAIN:
    mov.b32 %f1, %r0;
    max.f32 %f2, %f1, %f0;
    mov.b32 %r1, %f2;
    atom.global.cas.b32 %r2, [%p1], %r0, %r1;
    setp.ne.u32 %q0, %r2, %r0;
    mov.u32 %r0, %r2;
    @%q0 bra AGAIN;""",
        values,
        best,
    )
    assert best[0] == values.max()


def test_spin_lock() -> None:
    """Lanes of a warp spin for a lock that another lane of the warp holds."""
    lock, counter = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    launch(
        """
SPIN:
    atom.acquire.gpu.global.cas.b32 %r0, [%p0], 0, 1;
    setp.ne.u32 %q0, %r0, 0;
    @%q0 bra SPIN;
    ld.global.u32 %r1, [%p1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%p1], %r1;
    st.release.gpu.global.u32 [%p0], 0;""",
        lock,
        counter,
        threads=32,
        grid=2,
    )
    assert counter[0] == 64


def test_wide_atomics() -> None:
    """64-bit, double and vector atomics."""
    cells, sums = np.array([5, -7], np.int64), np.zeros(2, np.float64)
    pairs = np.zeros(4, np.float32)
    launch(
        """
    cvt.u64.u32 %x0, %t;
    atom.global.max.s64 %x1, [%p0], %x0;
    red.global.min.s64 [%p0+8], %x0;
    .reg .f64 %e;
    cvt.rn.f64.u32 %e, %t;
    red.global.add.f64 [%p1], %e;
    cvt.rn.f32.u32 %f0, %t;
    red.global.add.v2.f32 [%p2], {%f0, 0f3F800000};""",
        cells,
        sums,
        pairs,
    )
    assert cells.tolist() == [63, -7]
    assert sums.tolist() == [2016.0, 0.0]
    assert pairs.tolist() == [2016.0, 64.0, 0.0, 0.0]
