"""Planted bugs are found, at the right line and thread; their correct twins give no report.

The kernels are in `fixtures/planted.cu`, compiled with and without its bugs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teenyir import emulator

FIXTURES = Path(__file__).parent / "fixtures"
SOURCE = (FIXTURES / "planted.cu").read_text().splitlines()

Arguments = Callable[[], list[Any]]


def ints(count: int) -> Any:
    return np.arange(count, dtype=np.int32)


def floats(count: int) -> Any:
    return np.arange(count, dtype=np.float32)


# kernel, kind of report, grid, block, arguments, text of the source line that it must name
PLANTED: list[tuple[str, str, int, int, Arguments, str]] = [
    ("read_past_end", "out-of-bounds", 2, 32, lambda: [floats(64), floats(64), 64], "in[i + 1]"),
    ("write_past_shared", "out-of-bounds", 1, 96, lambda: [ints(64)], "tile[threadIdx.x] = thr"),
    ("misaligned", "misaligned", 1, 8, lambda: [floats(64), floats(8)], "float4 v = wide"),
    ("use_after_free", "use-after-free", 1, 4, lambda: [ints(4)], "*(volatile int *)block"),
    ("uninitialised_shared", "uninitialised", 1, 64, lambda: [ints(64), ints(64)], "tile[63 -"),
    (
        "uninitialised_global",
        "uninitialised",
        1,
        32,
        lambda: [emulator.Uninitialised(ints(32))],
        "(volatile int *)&out[i]",
    ),
    ("missing_barrier", "shared-race", 1, 128, lambda: [ints(128), ints(128)], "tile[127 -"),
    (
        "missing_second_barrier",
        "shared-race",
        1,
        64,
        lambda: [ints(256), ints(64), 4],
        "tile[threadIdx.x] = in[r",
    ),
    ("warp_lockstep", "shared-race", 1, 32, lambda: [ints(32), ints(1)], "tile[t"),
    (
        "lost_updates",
        "global-race",
        2,
        32,
        lambda: [np.arange(64, dtype=np.uint8), np.zeros(8, np.int32)],
        "bins[bin] += 1",
    ),
    ("blocks_overlap", "global-race", 2, 32, lambda: [ints(64)], "out[WRONG"),
    (
        "missing_fence",
        "global-race",
        2,
        32,
        lambda: [ints(1), np.zeros(1, np.uint32), ints(1)],
        "*out = *data",
    ),
    ("divergent_barrier", "barrier", 1, 64, lambda: [ints(64), ints(64)], "bar.sync 0"),
    ("missing_wait", "async-copy", 1, 64, lambda: [floats(256), floats(256)], "tile[63 -"),
    ("wait_too_little", "async-copy", 1, 64, lambda: [floats(512), floats(256)], "tile[1][63 -"),
    ("inactive_lanes", "inactive-lane", 1, 32, lambda: [ints(32), ints(32)], "__shfl_xor"),
    ("write_constant", "read-only", 1, 32, lambda: [ints(4)], "place[threadIdx.x] ="),
]


def line_of(source: emulator.SourceLine) -> str:
    """The line of planted.cu, also where a function of a header was expanded."""
    while source.inlined_at is not None:
        source = source.inlined_at
    return SOURCE[source.line - 1]


NAMES = [row[0] for row in PLANTED]


@pytest.fixture(scope="module")
def wrong() -> emulator.Module:
    return emulator.load(FIXTURES / "planted_wrong.ptx")


@pytest.fixture(scope="module")
def right() -> emulator.Module:
    return emulator.load(FIXTURES / "planted_right.ptx")


@pytest.mark.parametrize(("name", "kind", "grid", "block", "args", "text"), PLANTED, ids=NAMES)
def test_bug_is_found(
    wrong: emulator.Module,
    name: str,
    kind: str,
    grid: int,
    block: int,
    args: Arguments,
    text: str,
) -> None:
    with pytest.raises(emulator.CheckError) as caught:
        wrong.launch(name, grid=grid, block=block, args=args())
    reports = caught.value.reports
    assert kind in {report.kind for report in reports}
    found = next(report for report in reports if report.kind == kind)
    assert found.source is not None
    lines = [line_of(report.source) for report in reports if report.source]
    assert any(text in line for line in lines), lines
    rendered = str(found)
    assert f"[{kind}]" in rendered and f"in thread {found.thread} of block" in rendered
    assert "planted.cu" in rendered
    if kind not in ("barrier", "inactive-lane"):
        assert found.allocation is not None and "address 0x" in found.allocation


@pytest.mark.parametrize(("name", "kind", "grid", "block", "args", "text"), PLANTED, ids=NAMES)
def test_twin_is_clean(
    right: emulator.Module,
    name: str,
    kind: str,
    grid: int,
    block: int,
    args: Arguments,
    text: str,
) -> None:
    launch = right.launch(name, grid=grid, block=block, args=args(), strict=False)
    assert [str(report) for report in launch.reports] == []


def test_wrong_count(wrong: emulator.Module, right: emulator.Module) -> None:
    """A barrier that can never open is a deadlock, which ends the launch."""
    with pytest.raises(emulator.ExecutionError, match="deadlock") as caught:
        wrong.launch("wrong_count", grid=1, block=64, args=[ints(64), ints(64)])
    assert "32 threads at barrier 1 here, which expects 64" in str(caught.value)
    right.launch("wrong_count", grid=1, block=64, args=[ints(64), ints(64)])


def test_results_without_checking() -> None:
    """Checking off, the wrong programs run to their end; a missing wait leaves stale bytes."""
    out = np.full(256, -1, np.float32)
    wrong = emulator.load(FIXTURES / "planted_wrong.ptx")  # its shared memory is still zero
    wrong.launch("missing_wait", grid=1, block=64, args=[floats(256), out], check=False)
    assert (out == 0).all()


def test_freed_buffer() -> None:
    """A buffer of the host that was freed is named when a kernel still uses it."""
    module = emulator.load(FIXTURES / "kernels.ptx")
    x = module.buffer(floats(32), "x")
    out = np.zeros(32, np.float32)
    module.launch("vector_add", grid=1, block=32, args=[x, x, out, 32])
    assert (out == floats(32) * 2).all()
    x.free()
    with pytest.raises(emulator.CheckError, match="freed global 'x'"):
        module.launch("vector_add", grid=1, block=32, args=[x, x, out, 32])


def test_read_only_array() -> None:
    """An array that numpy does not let us write is not written by kernels either."""
    module = emulator.load(FIXTURES / "kernels.ptx")
    out = np.zeros(32, np.float32)
    out.flags.writeable = False
    with pytest.raises(emulator.CheckError, match="read-only"):
        module.launch("vector_add", grid=1, block=32, args=[floats(32), floats(32), out, 32])
    assert (out == 0).all()


def test_bank_conflicts_and_coalescing() -> None:
    """Strided accesses are counted against the fewest passes and sectors possible."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry strided(.param .u64 p, .param .u32 step) {
    .reg .b32 %t, %s, %a, %v;
    .reg .b64 %p, %o;
    .shared .align 4 .b8 tile[16384];
    mov.u32 %t, %tid.x;
    ld.param.u32 %s, [step];
    ld.param.u64 %p, [p];
    mul.lo.u32 %a, %t, %s;
    mul.wide.u32 %o, %a, 4;
    add.s64 %p, %p, %o;
    ld.global.u32 %v, [%p];
    mov.u32 %s, tile;
    shl.b32 %a, %a, 2;
    add.u32 %s, %s, %a;
    st.shared.u32 [%s], %v;
    ret;
}
"""
    module = emulator.load(text)
    expected = {1: (1, 4), 2: (2, 8), 32: (32, 32), 33: (1, 32)}
    for step, (wavefronts, sectors) in expected.items():
        args = [ints(32 * step), step]
        statistics = module.launch("strided", grid=1, block=32, args=args).statistics
        by_space = {access.space: access for access in statistics.accesses.values()}
        assert by_space["shared"].actual == wavefronts
        assert by_space["shared"].ideal == 1
        assert (by_space["global"].actual, by_space["global"].ideal) == (sectors, 4)
        assert statistics.bank_conflicts == wavefronts - 1
        assert statistics.uncoalesced_sectors == sectors - 4
        assert f"{wavefronts - 1} bank-conflict" in statistics.summary()


def test_a_copy_is_counted_in_both_memories() -> None:
    """What it reads far apart is no conflict of the banks that it writes, nor the other way."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry copied(.param .u64 p, .param .u32 from, .param .u32 to) {
    .reg .b32 %t, %s, %a, %k;
    .reg .b64 %p, %o;
    .shared .align 4 .b8 tile[16384];
    mov.u32 %t, %tid.x;
    ld.param.u32 %k, [from];
    ld.param.u64 %p, [p];
    mul.lo.u32 %a, %t, %k;
    mul.wide.u32 %o, %a, 4;
    add.s64 %p, %p, %o;
    ld.param.u32 %k, [to];
    mul.lo.u32 %a, %t, %k;
    shl.b32 %a, %a, 2;
    mov.u32 %s, tile;
    add.u32 %s, %s, %a;
    cp.async.ca.shared.global [%s], [%p], 4;
    cp.async.wait_all;
    ret;
}
"""
    module = emulator.load(text)
    for read, written in ((1, 1), (8, 1), (1, 32)):
        args = [ints(32 * read), read, written]
        statistics = module.launch("copied", grid=1, block=32, args=args).statistics
        assert statistics.uncoalesced_sectors == (28 if read == 8 else 0)
        assert statistics.bank_conflicts == written - 1
