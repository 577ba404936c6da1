"""Branches, loops and traps, and the registers that say which thread this is."""

from __future__ import annotations

import numpy as np
import pytest
from one_instruction import launch

from teenyir import emulator

LANES = np.arange(64)


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
        launch("    setp.eq.u32 %q0, %t, 5;\n    @%q0 trap;", np.zeros(64, np.uint32))
    with pytest.raises(emulator.ExecutionError, match="no end after 1000 basic blocks"):
        launch("FOREVER:\n    bra FOREVER;", np.zeros(64, np.uint32), step_limit=1000)


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
