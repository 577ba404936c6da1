"""Spaces of memory, vectors, and copies between them."""

from __future__ import annotations

import numpy as np
from one_instruction import launch
from operands import RANDOM

LANES = np.arange(64)


def test_asynchronous_copies_fill_with_zeros() -> None:
    source, out = RANDOM.integers(0, 2**32, 64, np.uint32), np.zeros(64, np.uint32)
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
    values, out = RANDOM.integers(0, 2**32, 256, np.uint32), np.zeros(256, np.uint32)
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


def test_quad_words() -> None:
    """128-bit registers move, load and store."""
    values, out = RANDOM.integers(0, 2**32, 256, np.uint32), np.zeros(256, np.uint32)
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
