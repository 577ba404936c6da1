"""Barriers of blocks, and barriers that are objects in memory."""

from __future__ import annotations

import numpy as np
import pytest
from one_instruction import launch

from teenyir import emulator


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


TWO_WAYS = """
    setp.lt.u32 %q0, %t, 32;
    @%q0 bra OTHER;
    bar.sync {one};
    bra DONE;
OTHER:
    bar.sync {other};
DONE:"""


def test_deadlock() -> None:
    """Two warps that wait at different barriers, each for both."""
    body = TWO_WAYS.format(one="1, 64", other="2, 64")
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


def test_a_phase_waits_for_transactions() -> None:
    """Arrivals alone do not end a phase that expects bytes, nor do bytes without arrivals; bytes
    that come before they are expected are counted all the same."""
    modifiers = "relaxed.cta.shared::cta.b64"
    steps = (
        (0, "arrive.expect_tx.release.cta.shared::cta.b64 _, [%r9], 48"),
        (0, f"complete_tx.{modifiers} [%r9], 32"),
        (0, "arrive.shared.b64 %x0, [%r9]"),
        (0, f"complete_tx.{modifiers} [%r9], 16"),
        (1, "arrive.shared.b64 %x0, [%r9], 2"),
        (0, f"complete_tx.{modifiers} [%r9], 7"),
        (0, f"arrive_drop.expect_tx.{modifiers} %x0, [%r9], 5"),
        (0, f"expect_tx.{modifiers} [%r9], 2"),
        (0, "arrive.shared.b64 %x0, [%r9]"),
        (1, "arrive.shared.b64 %x0, [%r9]"),
    )
    body = """
    .shared .align 8 .b8 object[8];
    mov.u32 %r9, object;
    mbarrier.init.shared.b64 [%r9], 2;"""
    for k, (parity, step) in enumerate(steps):
        body += f"""
    mbarrier.{step};
    mbarrier.test_wait.parity.shared.b64 %q1, [%r9], {parity};
    selp.u32 %r0, 1, 0, %q1;
    st.global.u32 [%p0+{4 * k}], %r0;"""
    out = np.zeros(len(steps), np.uint32)
    launch(body, out, threads=1)
    assert out.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 1, 1]


def test_mismatched_counts() -> None:
    """Two warps that name different numbers of threads for one barrier."""
    body = TWO_WAYS.format(one="1, 64", other="1, 96")
    with pytest.raises(emulator.ExecutionError, match="deadlock"):
        launch(body, np.zeros(64, np.uint32), threads=64)
    found = launch(body.replace("96", "64"), np.zeros(64, np.uint32), strict=False).reports
    assert found == []
