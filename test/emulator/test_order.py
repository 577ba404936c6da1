"""Happens-before: what orders two accesses, and what does not."""

from __future__ import annotations

import numpy as np
import pytest
from one_instruction import launch


def zeros(count: int = 64) -> np.ndarray:
    return np.zeros(count, np.uint32)


def kinds(body: str, *arrays: np.ndarray, threads: int = 64, grid: int = 1) -> list[str]:
    """The kinds of report that a kernel gives."""
    found = launch(body, *arrays, threads=threads, grid=grid, strict=False).reports
    return [report.kind for report in found]


MESSAGE = """
    setp.eq.u32 %q0, %t, 0;
    setp.eq.u32 %q1, %t, {receiver};
    @%q0 bra SEND;
    @%q1 bra RECEIVE;
    bra DONE;
SEND:
    mov.u32 %r0, 42;
    st.global.u32 [%p0], %r0;
    {release}
    bra DONE;
RECEIVE:
    {acquire}
    setp.eq.u32 %q2, %r1, 0;
    @%q2 bra RECEIVE;
    {after}
    ld.global.u32 %r2, [%p0];
    st.global.u32 [%p2], %r2;
DONE:"""

FENCE = "fence.acq_rel.gpu;"
# how the flag is raised, how it is read, what follows, whether the data may then be read
MESSAGES: list[tuple[str, str, str, bool]] = [
    ("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%p1], 1;",
     "ld.relaxed.gpu.global.u32 %r1, [%p1];", FENCE, True),
    ("membar.gl; st.volatile.global.u32 [%p1], 1;", "ld.volatile.global.u32 %r1, [%p1];",
     "membar.gl;", True),
    ("st.release.gpu.global.u32 [%p1], 1;", "ld.acquire.gpu.global.u32 %r1, [%p1];", "", True),
    ("membar.gl; atom.global.exch.b32 %r3, [%p1], 1;", "atom.global.or.b32 %r1, [%p1], 0;", FENCE,
     True),
    ("atom.release.gpu.global.add.u32 %r3, [%p1], 1;",
     "atom.acquire.gpu.global.add.u32 %r1, [%p1], 0;", "", True),
    ("atom.acq_rel.gpu.global.add.u32 %r3, [%p1], 1;",
     "ld.acquire.gpu.global.u32 %r1, [%p1];", "", True),
    ("st.relaxed.gpu.global.u32 [%p1], 1;", "ld.relaxed.gpu.global.u32 %r1, [%p1];", FENCE, False),
    ("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%p1], 1;",
     "ld.relaxed.gpu.global.u32 %r1, [%p1];", "", False),
    ("atom.global.exch.b32 %r3, [%p1], 1;", "atom.global.or.b32 %r1, [%p1], 0;", "", False),
    ("st.relaxed.gpu.global.u32 [%p1], 1; fence.acq_rel.gpu;",
     "ld.relaxed.gpu.global.u32 %r1, [%p1];", FENCE, False),
    ("st.release.gpu.global.u32 [%p1+4], 1; st.relaxed.gpu.global.u32 [%p1], 1;",
     "ld.acquire.gpu.global.u32 %r1, [%p1];", "", False),
]  # fmt: skip


@pytest.mark.parametrize(("release", "acquire", "after", "ordered"), MESSAGES)
@pytest.mark.parametrize("receiver", [1, 33])
def test_messages(release: str, acquire: str, after: str, ordered: bool, receiver: int) -> None:
    """Data and a flag, from a lane to one of its warp and to one of another."""
    data, flag, out = zeros(), zeros(), zeros()
    body = MESSAGE.format(release=release, acquire=acquire, after=after, receiver=receiver)
    assert kinds(body, data, flag, out) == ([] if ordered else ["global-race"])
    assert out[0] == 42


def test_orders_add_up() -> None:
    """A warp barrier, then a release: the receiver also knows what the barrier's others wrote."""
    body = """
    setp.eq.u32 %q1, %t, 40;
    setp.ge.u32 %q0, %t, 32;
    @%q0 bra SECOND;
    st.global.u32 [%w], %t;
    {barrier}
    setp.ne.u32 %q0, %t, 3;
    @%q0 bra DONE;
    st.release.gpu.global.u32 [%p1], 1;
    bra DONE;
SECOND:
    @!%q1 bra DONE;
WAIT:
    ld.acquire.gpu.global.u32 %r1, [%p1];
    setp.eq.u32 %q2, %r1, 0;
    @%q2 bra WAIT;
    ld.global.u32 %r2, [%p0+68];
    st.global.u32 [%p2], %r2;
DONE:"""
    out = zeros()
    assert kinds(body.format(barrier="bar.warp.sync 0xffffffff;"), zeros(), zeros(), out) == []
    assert out[0] == 17
    without = kinds(body.format(barrier=""), zeros(), zeros(), out)
    assert without == ["global-race"]


EXCHANGE = """
    .shared .align 16 .b8 tile[1024];
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 4, %r0;
    st.shared.u32 [%r1], %t;
    {between}
    xor.b32 %r2, %t, {distance};
    mad.lo.u32 %r3, %r2, 4, %r0;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%w], %r4;"""


@pytest.mark.parametrize(
    ("between", "distance", "ordered"),
    [
        ("bar.sync 0;", 63, True),
        ("bar.warp.sync 0xffffffff;", 1, True),
        ("bar.warp.sync 0xffffffff;", 32, False),
        ("shfl.sync.idx.b32 %r5, %t, 0, 31, 0xffffffff;", 1, False),
        ("vote.sync.any.pred %q0, %q1, 0xffffffff;", 1, False),
        ("membar.cta;", 1, False),
        ("", 0, True),
        ("", 1, False),
    ],
)
def test_exchange(between: str, distance: int, ordered: bool) -> None:
    out = zeros()
    body = EXCHANGE.format(between=between, distance=distance)
    assert kinds(body, out) == ([] if ordered else ["shared-race"])
    assert (out == np.arange(64) ^ distance).all()


def test_partial_warp_barriers() -> None:
    """A warp barrier of each half orders the halves, not the warp."""
    halves = "setp.lt.u32 %q0, %t, 16;\n selp.b32 %r6, 0xffff, 0xffff0000, %q0;\n"
    between = halves + "bar.warp.sync %r6;"
    for distance, ordered in ((8, True), (16, False)):
        body = EXCHANGE.format(between=between, distance=distance)
        found = launch(body, zeros(), threads=32, strict=False).reports
        assert [r.kind for r in found] == ([] if ordered else ["shared-race"])


@pytest.mark.parametrize(
    ("store", "kind"),
    [
        ("st.shared.u32 [%r0], 7;", "shared-race"),  # one value, but from two warps
        ("@%q0 st.shared.u32 [%r0], 7;", None),  # one value, one warp
        ("@%q0 st.shared.u32 [%r0], %t;", "shared-race"),  # different values
        ("st.relaxed.cta.shared.u32 [%r0], %t;", None),
        ("atom.shared.exch.b32 %r1, [%r0], %t;", None),
        ("red.shared.add.u32 [%r0], 1;", None),
    ],
)
def test_one_cell(store: str, kind: str | None) -> None:
    """Many lanes write one cell in one instruction."""
    first = "atom" in store or "red" in store
    body = f"""
    .shared .align 4 .b8 cell[4];
    mov.u32 %r0, cell;
    setp.lt.u32 %q0, %t, 32;
    setp.eq.u32 %q1, %t, 0;
    {"@%q1 st.shared.u32 [%r0], 0;" if first else ""}
    bar.sync 0;
    {store}"""
    found = launch(body, zeros(), strict=False).reports
    assert [report.kind for report in found] == ([] if kind is None else [kind])
    if "7" in store and found:
        assert found[0].message.endswith("; both write the same value")


@pytest.mark.parametrize("bits", [8, 16])
def test_neighbours_do_not_race(bits: int) -> None:
    body = f"""
    .shared .align 4 .b8 tile[256];
    mov.u32 %r0, tile;
    mad.lo.u32 %r0, %t, {bits // 8}, %r0;
    st.shared.u{bits} [%r0], %t;
    bar.warp.sync 0xffffffff;
    ld.shared.u{bits} %r1, [%r0];"""
    assert kinds(body, zeros()) == []


def test_vectors_overlap() -> None:
    """A wide load races with a narrow store inside it."""
    body = """
    .shared .align 16 .b8 tile[256];
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 4, %r0;
    st.shared.u32 [%r1], %t;
    {barrier}
    setp.ne.u32 %q0, %t, 63;
    @%q0 bra DONE;
    ld.shared.v4.u32 {{%r2, %r3, %r4, %r5}}, [%r0+32];
DONE:"""
    assert kinds(body.format(barrier="bar.sync 0;"), zeros()) == []
    assert kinds(body.format(barrier=""), zeros()) == ["shared-race"]


def test_write_after_read() -> None:
    body = """
    .shared .align 4 .b8 tile[256];
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 4, %r0;
    st.shared.u32 [%r1], %t;
    bar.sync 0;
    xor.b32 %r2, %t, 33;
    mad.lo.u32 %r3, %r2, 4, %r0;
    ld.shared.u32 %r4, [%r3];
    {barrier}
    st.shared.u32 [%r1], %r4;"""
    assert kinds(body.format(barrier="bar.sync 0;"), zeros()) == []
    found = launch(body.format(barrier=""), zeros(), strict=False).reports
    assert [r.kind for r in found] == ["shared-race"]
    assert "has read, with nothing to order the two" in found[0].message


def test_broadcast_then_write() -> None:
    """Everybody reads one cell, then one of the readers writes it."""
    body = """
    .shared .align 4 .b8 cell[4];
    mov.u32 %r0, cell;
    setp.eq.u32 %q0, %t, 9;
    @%q0 st.shared.u32 [%r0], 1;
    bar.sync 0;
    ld.shared.u32 %r1, [%r0];
    {barrier}
    @%q0 st.shared.u32 [%r0], 2;"""
    assert kinds(body.format(barrier="bar.sync 0;"), zeros()) == []
    assert kinds(body.format(barrier=""), zeros()) == ["shared-race"]


def test_blocks() -> None:
    """Blocks may read what all of them read; what one writes, another may not read."""
    read = "ld.global.u32 %r0, [%p1];"
    assert kinds(read, zeros(), zeros(), grid=3) == []
    update = "red.global.add.u32 [%p1], 1;"
    assert kinds(update, zeros(), zeros(), grid=3) == []
    mixed = "setp.eq.u32 %q0, %t, 0;\n @%q0 st.global.u32 [%p1], 1;\n bar.sync 0;\n" + read
    assert kinds(mixed, zeros(), zeros()) == []
    assert set(kinds(mixed, zeros(), zeros(), grid=2)) == {"global-race"}


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("red.gpu.global.add.u32 [%p1], 1;", []),
        ("red.relaxed.cta.global.add.u32 [%p1], 1;", ["global-race"]),
        ("st.relaxed.cta.global.u32 [%p1], 1;", ["global-race"]),
        ("st.relaxed.sys.global.u32 [%p1], 1;", []),
    ],
)
def test_scopes(update: str, expected: list[str]) -> None:
    """Atomics of scope .cta do not make a cell safe between blocks."""
    assert kinds(update, zeros(), zeros()) == []
    assert kinds(update, zeros(), zeros(), grid=2) == expected


@pytest.mark.parametrize(
    ("fence", "store", "ordered"),
    [
        ("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32 [%p1], 1;", True),
        ("membar.gl;", "atom.global.exch.b32 %r3, [%p1], 1;", True),
        ("membar.cta;", "st.relaxed.gpu.global.u32 [%p1], 1;", False),
        ("fence.acq_rel.cta;", "atom.global.exch.b32 %r3, [%p1], 1;", False),
    ],
)
def test_scopes_of_fences(fence: str, store: str, ordered: bool) -> None:
    """From one block to the next: a fence of scope .cta does not reach it."""
    body = f"""
    mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %q0, %t, 0;
    @%q0 bra DONE;
    setp.ne.u32 %q1, %r0, 0;
    @%q1 bra RECEIVE;
    st.global.u32 [%p0], 42;
    {fence}
    {store}
    bra DONE;
RECEIVE:
    ld.relaxed.gpu.global.u32 %r1, [%p1];
    fence.acq_rel.gpu;
    ld.global.u32 %r2, [%p0];
DONE:"""
    assert kinds(body, zeros(), zeros(), grid=2) == ([] if ordered else ["global-race"])


def test_a_later_store_hides_a_release() -> None:
    """Reading another lane's plain strong store, one learns nothing of the release before it."""
    body = """
    setp.eq.u32 %q0, %t, 0;
    setp.eq.u32 %q1, %t, 32;
    @%q0 st.global.u32 [%p0], 42;
    @%q0 st.release.gpu.global.u32 [%p1], 1;
    {between}
    @%q1 ld.acquire.gpu.global.u32 %r1, [%p1];
    @%q1 ld.global.u32 %r2, [%p0];"""
    hide = "setp.eq.u32 %q2, %t, 5;\n@%q2 {}.relaxed.gpu.global{} [%p1], 2;"
    for between, expected in (
        ("", []),
        (hide.format("st", ".u32"), ["global-race"]),
        (hide.format("red", ".add.u32"), []),
    ):
        assert kinds(body.format(between=between), zeros(), zeros()) == expected


COPY = """
    .shared .align 16 .b8 tile[2048];
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 16, %r0;
    mad.wide.u32 %x0, %t, 16, %p1;
    cp.async.ca.shared.global [%r1], [%x0], 16;
    cp.async.commit_group;
    {after}
    xor.b32 %r2, %t, {distance};
    mad.lo.u32 %r3, %r2, 16, %r0;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%w], %r4;
    {more}"""


@pytest.mark.parametrize(
    ("after", "distance", "more", "expected"),
    [
        ("cp.async.wait_group 0;", 0, "", []),
        ("cp.async.wait_all;\nbar.sync 0;", 40, "", []),
        ("cp.async.wait_group 0;", 40, "", ["shared-race"]),
        ("bar.sync 0;", 40, "", ["async-copy"]),
        ("cp.async.wait_group 1;\nbar.sync 0;", 40, "", ["async-copy"]),
        # The next copy comes before the others have read this one.
        ("cp.async.wait_all;\nbar.sync 0;", 40, "cp.async.ca.shared.global [%r1], [%x0], 16;",
         ["shared-race"]),
        ("cp.async.wait_all;\nbar.sync 0;", 40,
         "bar.sync 0;\ncp.async.ca.shared.global [%r1], [%x0], 16;", []),
    ],
)  # fmt: skip
def test_copies(after: str, distance: int, more: str, expected: list[str]) -> None:
    body = COPY.format(after=after, distance=distance, more=more)
    assert kinds(body, zeros(), zeros(256)) == expected


def test_lanes_that_left() -> None:
    """Whole warps may leave before a barrier; part of a warp may not."""
    body = """
    setp.ge.u32 %q0, %t, {limit};
    @%q0 exit;
    bar.sync 0;
    st.global.u32 [%w], %t;"""
    assert kinds(body.format(limit=32), zeros()) == []
    found = launch(body.format(limit=40), zeros(), strict=False).reports
    assert [r.kind for r in found] == ["barrier"]
    assert "24 of 32 threads of warp 1 never reach it" in found[0].message


def test_uniform_branches() -> None:
    body = "setp.lt.u32 %q0, %t, {limit};\n@%q0 bra.uni DONE;\nst.global.u32 [%w], %t;\nDONE:"
    assert kinds(body.format(limit=32), zeros()) == []
    assert kinds(body.format(limit=5), zeros()) == ["divergent-uniform"]
