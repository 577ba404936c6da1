"""Warp instructions, atomics, barriers and memory spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from one_instruction import Array, launch, one, run

from teenyir import emulator

RANDOM = np.random.default_rng(3)
START = RANDOM.bit_generator.state
LANES = np.arange(64)
FULL = "0xffffffff"


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Each test draws the same numbers, whichever others run."""
    RANDOM.bit_generator.state = START


def words(count: int = 64) -> Array:
    return RANDOM.integers(0, 2**32, count).astype(np.uint32)


def wrapping(value: int) -> int:
    return value & 0xFFFFFFFF


# Shuffles, votes, matches, reductions


SHUFFLES: list[tuple[str, Callable[[int, int, int], tuple[int, bool]]]] = [
    ("up", lambda lane, n, low: (lane - n, lane - n >= low)),
    ("down", lambda lane, n, low: (lane + n, lane + n <= low)),
    ("bfly", lambda lane, n, low: (lane ^ n, lane ^ n <= low)),
    ("idx", lambda lane, n, low: (n, n <= low)),
]


@pytest.mark.parametrize(("mode", "function"), SHUFFLES, ids=[row[0] for row in SHUFFLES])
@pytest.mark.parametrize("width", [8, 32])
def test_shuffle(mode: str, function: Any, width: int) -> None:
    values, amount = words(), RANDOM.integers(0, width, 64).astype(np.uint32)
    control = (32 - width) << 8 | (0 if mode == "up" else 31)
    code = f"    shfl.sync.{mode}.b32 %d0|%d1, %a0, %a1, {control}, {FULL};"
    out, valid = run(code, [("b32", values), ("u32", amount)], ["b32", "pred"])
    for lane in range(64):
        start = lane // width * width
        within = lane - start
        limit = 0 if mode == "up" else width - 1
        other, inside = function(within, int(amount[lane]), limit)
        assert bool(valid[lane]) == inside
        assert out[lane] == values[start + other if inside else lane]


def test_votes() -> None:
    holds = np.array([1, 0] * 16 + [1] * 32)
    source = [("pred", holds)]
    assert (one(f"    vote.sync.any.pred %d0, %a0, {FULL};", source, "pred") == 1).all()
    every = one(f"    vote.sync.all.pred %d0, %a0, {FULL};", source, "pred")
    assert (every == np.repeat([0, 1], 32)).all()
    uniform = one(f"    vote.sync.uni.pred %d0, !%a0, {FULL};", source, "pred")
    assert (uniform == np.repeat([0, 1], 32)).all()
    ballot = one(f"    vote.sync.ballot.b32 %d0, %a0, {FULL};", source, "u32")
    assert (ballot == np.repeat([0x55555555, 0xFFFFFFFF], 32)).all()


def test_match() -> None:
    values = (LANES % 5).astype(np.uint32)
    out = one(f"    match.any.sync.b32 %d0, %a0, {FULL};", [("b32", values)], "u32")
    for lane in range(64):
        warp = lane // 32 * 32
        want = sum(1 << k for k in range(32) if values[warp + k] == values[lane])
        assert out[lane] == want
    same = np.where(LANES < 32, 7, LANES).astype(np.uint64)
    code = f"    match.all.sync.b64 %d0|%d1, %a0, {FULL};"
    mask, agreed = run(code, [("b64", same)], ["u32", "pred"])
    assert (mask == np.repeat([0xFFFFFFFF, 0], 32)).all()
    assert (agreed == np.repeat([1, 0], 32)).all()


@pytest.mark.parametrize(
    ("name", "function"),
    [("add.s32", np.add), ("min.s32", np.minimum), ("max.s32", np.maximum),
     ("and.b32", np.bitwise_and), ("or.b32", np.bitwise_or), ("xor.b32", np.bitwise_xor)],
)  # fmt: skip
def test_reductions_of_a_warp(name: str, function: Any) -> None:
    values = words()
    kind = name.split(".")[1]
    out = one(f"    redux.sync.{name} %d0, %a0, {FULL};", [(kind, values)], kind)
    typed = values.view(out.dtype)
    first, second = (function.reduce(half).astype(out.dtype) for half in (typed[:32], typed[32:]))
    assert (out == np.repeat([first, second], 32)).all()


def test_partial_members() -> None:
    """Lanes in two halves of a branch, each with its own member mask."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    and.b32 %r0, %t, 1;
    setp.eq.u32 %q0, %r0, 0;
    @%q0 bra EVEN;
    redux.sync.add.u32 %r1, %t, 0xaaaaaaaa;
    bra DONE;
EVEN:
    redux.sync.add.u32 %r1, %t, 0x55555555;
DONE:
    st.global.u32 [%w], %r1;""",
        out,
    )
    want = [sum(k for k in range(lane // 32 * 32, lane // 32 * 32 + 32) if (k - lane) % 2 == 0)
            for lane in range(64)]  # fmt: skip
    assert out.tolist() == want


def test_warp_instruction_waits_for_its_members() -> None:
    """Lanes that come by different ways meet at a shuffle that names them all."""
    out = np.zeros(32, np.uint32)
    launch(
        """
    mov.u32 %r2, 0;
    setp.lt.u32 %q0, %t, 16;
    @%q0 bra SHUFFLE;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %q1, %r2, %t;
    @%q1 bra LOOP;
    bra SHUFFLE2;
SHUFFLE:
    mov.u32 %r2, 100;
SHUFFLE2:
    shfl.sync.bfly.b32 %r3, %r2, 16, 31, 0xffffffff;
    st.global.u32 [%w], %r3;""",
        out,
        threads=32,
    )
    assert out.tolist() == [*range(16, 32), *([100] * 16)]


def test_activemask_and_elect() -> None:
    out = np.zeros(64, np.uint32)
    launch("    activemask.b32 %r0;\n    st.global.u32 [%w], %r0;", out, threads=40)
    assert out[:40].tolist() == [0xFFFFFFFF] * 32 + [0xFF] * 8
    leader, chosen = run("    elect.sync %d0|%d1, 0xffffffff;", [("u32", words())], ["u32", "pred"])
    assert (leader == 0).all() and np.flatnonzero(chosen).tolist() == [0, 32]


# Atomics


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
        grid=3,
    )
    assert counter[0] == 96


# Barriers


def test_barrier_reductions() -> None:
    counts, ands = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    launch(
        """
    setp.lt.u32 %q0, %t, 10;
    bar.red.popc.u32 %r0, 0, %q0;
    st.global.u32 [%w], %r0;
    barrier.cta.red.or.aligned.pred %q1, 0, %q0;
    barrier.cta.red.and.aligned.pred %q2, 0, %q0;
    selp.u32 %r1, 2, 0, %q1;
    selp.u32 %r2, 1, 0, %q2;
    or.b32 %r1, %r1, %r2;
    mad.wide.u32 %x0, %t, 4, %p1;
    st.global.u32 [%x0], %r1;""",
        counts,
        ands,
    )
    assert (counts == 10).all() and (ands == 2).all()


PRODUCER = """
    .shared .align 4 .b8 tile[128];
    mov.u32 %r0, tile;
    and.b32 %r1, %t, 31;
    mad.lo.u32 %r0, %r1, 4, %r0;
    setp.lt.u32 %q0, %t, 32;
    @%q0 bra CONSUME;
    st.shared.u32 [%r0], %t;
    {arrive}
    bra DONE;
CONSUME:
    {wait}
    ld.shared.u32 %r2, [%r0];
    st.global.u32 [%w], %r2;
DONE:"""


def test_producer_and_consumer() -> None:
    """`bar.arrive` orders the producer's writes before the consumer's reads."""
    out = np.zeros(64, np.uint32)
    launch(PRODUCER.format(arrive="bar.arrive 3, 64;", wait="bar.sync 3, 64;"), out)
    assert out[:32].tolist() == list(range(32, 64))


def test_barrier_orders_only_those_who_come() -> None:
    """A barrier of the consumers alone does not order what the producers wrote."""
    out = np.zeros(64, np.uint32)
    body = PRODUCER.format(arrive="bar.sync 2, 32;", wait="bar.sync 3, 32;")
    found = launch(body, out, strict=False).reports
    assert {report.kind for report in found} & {"shared-race", "uninitialised"}


def test_deadlock() -> None:
    """Two warps that wait at different barriers, each for both."""
    body = """
    setp.lt.u32 %q0, %t, 32;
    @%q0 bra OTHER;
    bar.sync 1, 64;
    bra DONE;
OTHER:
    bar.sync 2, 64;
DONE:"""
    with pytest.raises(emulator.ExecutionError, match="deadlock") as caught:
        launch(body, np.zeros(64, np.uint32))
    assert "32 threads at barrier 1 here" in str(caught.value)
    assert "32 threads at barrier 2 here" in str(caught.value)


def test_memory_barrier_objects() -> None:
    """An mbarrier hands the writes of one warp to the other, by state and by parity."""
    out = np.zeros(64, np.uint32)
    body = """
    .shared .align 8 .b8 object[8];
    .shared .align 4 .b8 tile[256];
    mov.u32 %r9, object;
    setp.eq.u32 %q0, %t, 0;
    @%q0 mbarrier.init.shared.b64 [%r9], 64;
    bar.sync 0;
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 4, %r0;
    st.shared.u32 [%r1], %t;
    mbarrier.arrive.shared.b64 %x0, [%r9];
WAIT:
    mbarrier.{test} %q1, [%r9], {state};
    @!%q1 bra WAIT;
    xor.b32 %r2, %t, 63;
    mad.lo.u32 %r1, %r2, 4, %r0;
    ld.shared.u32 %r3, [%r1];
    st.global.u32 [%w], %r3;"""
    for test, state in (
        ("test_wait.shared.b64", "%x0"),
        ("test_wait.parity.shared.b64", "0"),
        ("try_wait.parity.shared.b64", "0"),
    ):
        out[:] = 0
        launch(body.format(test=test, state=state), out)
        assert out.tolist() == list(range(63, -1, -1))


# Memory


def test_asynchronous_copies_fill_with_zeros() -> None:
    source, out = words(64), np.zeros(64, np.uint32)
    launch(
        """
    .shared .align 16 .b8 tile[256];
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 16, %r0;
    mad.wide.u32 %x0, %t, 16, %p0;
    and.b32 %r2, %t, 1;
    mul.lo.u32 %r2, %r2, 8;
    setp.lt.u32 %q0, %t, 16;
    @%q0 cp.async.ca.shared.global [%r1], [%x0], 16, %r2;
    cp.async.wait_all;
    bar.sync 0;
    mad.lo.u32 %r1, %t, 4, %r0;
    ld.shared.u32 %r3, [%r1];
    mad.wide.u32 %x1, %t, 4, %p1;
    st.global.u32 [%x1], %r3;""",
        source,
        out,
    )
    chunk, word = LANES // 4, LANES % 4
    assert (out == np.where((chunk % 2 == 1) & (word < 2), source, 0)).all()


def test_spaces_and_generic_addresses() -> None:
    """Constant, global and local variables, and generic pointers to each space."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    .local .align 4 .b8 frame[16];
    .shared .align 4 .b8 tile[256];
    mov.u64 %x0, frame;
    st.local.u32 [%x0+8], %t;
    cvta.local.u64 %x1, %x0;
    ld.u32 %r0, [%x1+8];
    isspacep.local %q0, %x1;
    selp.u32 %r1, 1000, 0, %q0;
    add.u32 %r0, %r0, %r1;
    mov.u32 %r2, tile;
    mad.lo.u32 %r2, %t, 4, %r2;
    cvt.u64.u32 %x2, %r2;
    cvta.shared.u64 %x3, %x2;
    isspacep.shared %q1, %x3;
    selp.u32 %r1, 10000, 0, %q1;
    st.u32 [%x3], %r1;
    ld.shared.u32 %r3, [%r2];
    add.u32 %r0, %r0, %r3;
    ld.const.u32 %r4, [table+4];
    ld.global.u32 %r5, [pointer];
    ld.global.u64 %x4, [pointer];
    ld.u32 %r6, [%x4];
    add.u32 %r0, %r0, %r4;
    add.u32 %r0, %r0, %r6;
    st.global.u32 [%w], %r0;""",
        out,
        before="""
.const .align 4 .u32 table[3] = {7, 100000, 9};
.global .align 8 .u64 pointer[1] = {generic(table)};""",
    )
    assert (out == LANES + 1000 + 10000 + 100000 + 7).all()


def test_vectors_and_bytes() -> None:
    values, out = words(256), np.zeros(256, np.uint32)
    launch(
        """
    .reg .v4 .b32 %v;
    mad.wide.u32 %x0, %t, 16, %p0;
    ld.global.v4.b32 %v, [%x0];
    ld.global.s8 %r0, [%x0+3];
    mad.wide.u32 %x1, %t, 16, %p1;
    st.global.v4.b32 [%x1], {%v.w, %v.z, %r0, %v.x};""",
        values,
        out,
    )
    rows, got = values.reshape(64, 4), out.reshape(64, 4)
    assert (got[:, [0, 1, 3]] == rows[:, [3, 2, 0]]).all()
    assert (
        got[:, 2] == (np.ascontiguousarray(rows[:, 0]).view(np.int32) >> 24).view(np.uint32)
    ).all()


def test_stack() -> None:
    """`alloca` gives each lane its own memory, `stackrestore` takes it back."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    stacksave.u64 %x0;
    alloca.u64 %x1, 64;
    st.local.u32 [%x1+60], %t;
    alloca.u64 %x2, 16;
    setp.lt.u64 %q0, %x2, %x1;
    ld.local.u32 %r0, [%x1+60];
    stackrestore.u64 %x0;
    alloca.u64 %x3, 64;
    setp.eq.and.u64 %q0, %x3, %x1, %q0;
    selp.u32 %r1, 100, 0, %q0;
    add.u32 %r0, %r0, %r1;
    st.global.u32 [%w], %r0;""",
        out,
    )
    assert (out == LANES + 100).all()


# Control flow


def test_branch_table() -> None:
    out = np.zeros(64, np.uint32)
    launch(
        """
TABLE: .branchtargets ZERO, ONE, TWO;
    rem.u32 %r0, %t, 3;
    brx.idx %r0, TABLE;
ZERO:
    mov.u32 %r1, 10;
    bra DONE;
ONE:
    mov.u32 %r1, 11;
    bra DONE;
TWO:
    mov.u32 %r1, 12;
DONE:
    st.global.u32 [%w], %r1;""",
        out,
    )
    assert (out == 10 + LANES % 3).all()


def test_nested_divergence() -> None:
    """Loops of different length inside branches; lanes leave early."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    setp.gt.u32 %q0, %t, 50;
    @%q0 exit;
OUTER:
    mov.u32 %r2, 0;
INNER:
    add.u32 %r0, %r0, %r2;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %q1, %r2, %r1;
    @%q1 bra INNER;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %q2, %r1, %t;
    @%q2 bra OUTER;
    st.global.u32 [%w], %r0;""",
        out,
    )

    def count(thread: int) -> int:
        return sum(sum(range(max(n, 1))) for n in range(max(thread, 1)))

    assert out.tolist() == [count(t) if t <= 50 else 0 for t in range(64)]


def test_traps_and_endless_loops() -> None:
    with pytest.raises(emulator.ExecutionError, match=r"trap in thread \(5, 0, 0\)"):
        launch("    setp.eq.u32 %q0, %t, 5;\n    @%q0 trap;", words())
    with pytest.raises(emulator.ExecutionError, match="no end after 1000 basic blocks"):
        launch("FOREVER:\n    bra FOREVER;", words(), step_limit=1000)


def test_clocks_advance() -> None:
    out = np.zeros(64, np.uint32)
    launch(
        """
    mov.u64 %x0, %clock64;
    bar.sync 0;
    mov.u64 %x1, %clock64;
    setp.gt.u64 %q0, %x1, %x0;
    selp.u32 %r0, 1, 0, %q0;
    st.global.u32 [%w], %r0;""",
        out,
    )
    assert (out == 1).all()


def test_scopes_of_inline_assembly() -> None:
    """A block in braces has registers and labels of its own."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    mov.u32 %r0, 5;
    {
        .reg .b32 %r0;
        mov.u32 %r0, 7;
        bra END;
    END:
        add.u32 %r1, %r0, 0;
    }
    {
        .reg .pred END;
        setp.ne.u32 END, %r0, 5;
        @END trap;
    }
    mad.lo.u32 %r2, %r0, 100, %r1;
    st.global.u32 [%w], %r2;""",
        out,
    )
    assert (out == 507).all()


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


def test_quad_words() -> None:
    """128-bit registers move, load and store."""
    values, out = words(256), np.zeros(256, np.uint32)
    launch(
        """
    .reg .b128 %q0_, %q1_;
    mad.wide.u32 %x0, %t, 16, %p0;
    mad.wide.u32 %x1, %t, 16, %p1;
    ld.global.b128 %q0_, [%x0];
    mov.b128 {%x2, %x3}, %q0_;
    mov.b128 %q1_, {%x3, %x2};
    st.global.b128 [%x1], %q1_;""",
        values,
        out,
    )
    assert (out.reshape(64, 2, 2) == values.reshape(64, 2, 2)[:, ::-1]).all()


def test_mismatched_counts() -> None:
    """Two warps that name different numbers of threads for one barrier."""
    body = """
    setp.lt.u32 %q0, %t, 32;
    @%q0 bra FEW;
    bar.sync 1, 64;
    bra DONE;
FEW:
    bar.sync 1, 96;
DONE:"""
    with pytest.raises(emulator.ExecutionError, match="deadlock"):
        launch(body, words(), threads=64)
    found = launch(body.replace("96", "64"), words(), strict=False).reports
    assert found == []


def test_index_registers_in_other_widths() -> None:
    """A block's index read as 16 and as 64 bits follows the block."""
    out = np.zeros(3, np.uint32)
    launch(
        """
    .reg .b16 %h;
    mov.u16 %h, %ctaid.x;
    cvt.u32.u16 %r0, %h;
    mul.wide.u16 %r1, %h, 4;
    cvt.u64.u32 %x0, %r1;
    add.s64 %x0, %x0, %p0;
    cvt.u64.u64 %x1, %ctaid.x;
    cvt.u32.u64 %r2, %x1;
    mad.lo.u32 %r0, %r2, 10, %r0;
    st.global.u32 [%x0], %r0;""",
        out,
        threads=1,
        grid=3,
    )
    assert out.tolist() == [0, 11, 22]


def test_shapes_of_blocks() -> None:
    """Threads are numbered x first; blocks of less than a warp, and not a multiple of it."""
    out = np.zeros(24, np.uint32)
    launch(
        """
    mov.u32 %r0, %tid.y;
    mov.u32 %r1, %tid.z;
    mov.u32 %r2, %ntid.y;
    mad.lo.u32 %r3, %r1, %r2, %r0;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r3, %r3, %r4, %t;
    mad.wide.u32 %x0, %r3, 4, %p0;
    mov.u32 %r5, %laneid;
    mad.lo.u32 %r5, %r0, 100, %r5;
    st.global.u32 [%x0], %r5;""",
        out,
        threads=(2, 3, 4),
    )
    index = np.arange(24)
    assert (out == index // 2 % 3 * 100 + index).all()
