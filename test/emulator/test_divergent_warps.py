"""Lanes that come to a warp instruction at different times go on from it together."""

import numpy as np

from teenyir import emulator

# Lanes above 11 take the shorter way to the shuffle, which stands before both ways in the text.
LOOP = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 out) {
    .reg .b64 %p<2>;
    .reg .b32 %t, %v, %w, %k, %sum;
    .reg .pred %q, %more;
    mov.u32 %t, %tid.x;
    mov.u32 %k, 0;
    mov.u32 %sum, 0;
    setp.gt.u32 %q, %t, 11;
    bra START;
SHUFFLE:
    shfl.sync.bfly.b32 %w, %v, 31, 31, 0xffffffff;
    add.u32 %sum, %sum, %w;
    add.u32 %k, %k, 1;
    setp.lt.u32 %more, %k, 4;
    @%more bra START;
    bra END;
START:
    mad.lo.u32 %v, %k, 100, %t;
    @%q bra SHUFFLE;
    add.u32 %v, %v, 1000;
    bra SHUFFLE;
END:
    ld.param.u64 %p0, [out];
    mad.wide.u32 %p1, %t, 4, %p0;
    st.global.u32 [%p1], %sum;
    ret;
}
"""


def test_a_loop_with_two_ways_to_a_shuffle() -> None:
    out = np.zeros(32, np.uint32)
    emulator.load(LOOP).launch("turn", grid=1, block=32, args=[out])
    lanes = np.arange(32)
    values = [k * 100 + lanes + np.where(lanes > 11, 0, 1000) for k in range(4)]
    assert (out == sum(v[::-1] for v in values)).all()
