"""The instruction set: what runs, and that what is said to run can be bound."""

from __future__ import annotations

import pytest
from one_instruction import HEADER

from teenyir import emulator
from teenyir.emulator.instructions.isa import ISA, of_architectures
from teenyir.emulator.instructions.table import BUILDERS, lookup_name, runs

EXAMPLES = """
add.s32 %r0, %r1, %r2
sub.s32 %r0, %r1, %r2
mul.lo.s32 %r0, %r1, %r2
mad.lo.s32 %r0, %r1, %r2, %r3
mul24.lo.u32 %r0, %r1, %r2
mad24.hi.u32 %r0, %r1, %r2, %r3
sad.u32 %r0, %r1, %r2, %r3
div.u32 %r0, %r1, %r2
rem.u32 %r0, %r1, %r2
abs.s32 %r0, %r1
neg.s32 %r0, %r1
min.s32 %r0, %r1, %r2
max.s32 %r0, %r1, %r2
popc.b32 %r0, %r1
clz.b32 %r0, %r1
bfind.u32 %r0, %r1
brev.b32 %r0, %r1
bfe.u32 %r0, %r1, 3, 4
bfi.b32 %r0, %r1, %r2, 3, 4
fns.b32 %r0, %r1, 0, 1
bmsk.clamp.b32 %r0, %r1, %r2
szext.clamp.s32 %r0, %r1, %r2
dp4a.u32.u32 %r0, %r1, %r2, %r3
dp2a.lo.u32.u32 %r0, %r1, %r2, %r3
add.cc.u32 %r0, %r1, %r2
addc.u32 %r0, %r1, %r2
sub.cc.u32 %r0, %r1, %r2
subc.u32 %r0, %r1, %r2
mad.lo.cc.u32 %r0, %r1, %r2, %r3
madc.hi.u32 %r0, %r1, %r2, %r3
testp.finite.f32 %p0, %f1
copysign.f32 %f0, %f1, %f2
fma.rn.f32 %f0, %f1, %f2, %f3
rcp.rn.f32 %f0, %f1
sqrt.rn.f32 %f0, %f1
rsqrt.approx.f32 %f0, %f1
sin.approx.f32 %f0, %f1
cos.approx.f32 %f0, %f1
lg2.approx.f32 %f0, %f1
ex2.approx.f32 %f0, %f1
tanh.approx.f32 %f0, %f1
set.lt.u32.s32 %r0, %r1, %r2
setp.lt.s32 %p0, %r1, %r2
selp.b32 %r0, %r1, %r2, %p1
slct.s32.s32 %r0, %r1, %r2, %r3
and.b32 %r0, %r1, %r2
or.b32 %r0, %r1, %r2
xor.b32 %r0, %r1, %r2
not.b32 %r0, %r1
cnot.b32 %r0, %r1
shl.b32 %r0, %r1, 3
shr.u32 %r0, %r1, 3
lop3.b32 %r0, %r1, %r2, %r3, 0x96
shf.l.wrap.b32 %r0, %r1, %r2, 3
mov.b32 %r0, %r1
prmt.b32 %r0, %r1, %r2, 0x5410
ld.global.b32 %r0, [%d0]
ldu.global.b32 %r0, [%d0]
st.global.b32 [%d0], %r0
prefetch.global.L1 [%d0]
prefetchu.L1 [%d0]
isspacep.global %p0, %d0
cvta.to.global.u64 %d1, %d0
cvt.rn.f32.s32 %f0, %r1
shfl.sync.idx.b32 %r0, %r1, 0, 31, 0xffffffff
applypriority.global.L2::evict_normal [%d0], 128
discard.global.L2 [%d0], 128
createpolicy.fractional.L2::evict_last.b64 %d1, 1.0
cp.async.ca.shared.global [tile], [%d0], 16
cp.async.commit_group
cp.async.wait_group 0
cp.async.wait_all
bar.sync 0
barrier.cta.sync 0
membar.gl
red.global.add.u32 [%d0], %r1
atom.global.add.u32 %r0, [%d0], %r1
vote.sync.any.pred %p0, %p1, 0xffffffff
bar.warp.sync 0xffffffff
activemask.b32 %r0
fence.acq_rel.gpu
match.any.sync.b32 %r0, %r1, 0xffffffff
redux.sync.add.u32 %r0, %r1, 0xffffffff
mbarrier.init.shared.b64 [tile], 32
mbarrier.inval.shared.b64 [tile]
mbarrier.arrive.shared.b64 %d1, [tile]
mbarrier.arrive_drop.shared.b64 %d1, [tile]
mbarrier.test_wait.shared.b64 %p0, [tile], %d1
mbarrier.pending_count.b64 %r0, %d1
cp.async.mbarrier.arrive.noinc.shared.b64 [tile]
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [tile]
movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1
wmma.load.c.sync.aligned.row.m8n8k4.f64 {%e0, %e1}, [%d0], 8
wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d0], {%e0, %e1}, 8
wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%e0, %e1}, {%e2}, {%e3}, {%e0, %e1}
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e0, %e1}, {%e2}, {%e3}, {%e0, %e1}
mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, \
{%r2, %r3}, {%f0, %f1, %f2, %f3}, %r4, 0x1
stacksave.u64 %d1
stackrestore.u64 %d1
alloca.u64 %d1, 16
vadd.s32.s32.s32 %r0, %r1, %r2
vsub.s32.s32.s32 %r0, %r1, %r2
vabsdiff.s32.s32.s32 %r0, %r1, %r2
vmin.s32.s32.s32 %r0, %r1, %r2
vmax.s32.s32.s32 %r0, %r1, %r2
vshl.u32.u32.u32.clamp %r0, %r1, %r2
vshr.u32.u32.u32.wrap %r0, %r1, %r2
vmad.s32.s32.s32 %r0, %r1, %r2, %r3
vset.s32.s32.lt %r0, %r1, %r2
brx.idx %r0, table
elect.sync %r0|%p0, 0xffffffff
stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%r0}
mbarrier.try_wait.shared.b64 %p0, [tile], %d1
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [tile], 16
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [tile], 16
griddepcontrol.wait
setmaxnreg.inc.sync.aligned.u32 64
mapa.shared::cluster.u32 %r0, %r1, 0
getctarank.shared::cluster.u32 %r0, %r1
brkpt
pmevent 3
nanosleep.u32 10
trap
exit
bra DONE
ret
"""
PACKED = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")
LINES = [
    *EXAMPLES.replace("\\\n", "").strip().splitlines(),
    *(f"{name}{n}.u32.u32.u32 %r0, %r1, %r2, %r3" for name in PACKED for n in (2, 4)),
    *(f"vset{n}.u32.u32.lt %r0, %r1, %r2, %r3" for n in (2, 4)),
]
ELSEWHERE = {"call", "tex", "tld4", "txq", "istypep", "suld", "sust", "sured", "suq"}
"""Tested by the fixtures alone: they need functions or handles."""


def program(line: str) -> str:
    return f"""{HEADER}
.visible .entry test() {{
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    .reg .f64 %e<8>;
    .reg .b64 %d<8>;
    .reg .pred %p<8>;
    .shared .align 16 .b8 tile[256];
    table: .branchtargets DONE, DONE;
    setp.eq.u32 %p7, %r0, 1;
    @%p7 bra SKIPPED;
    bra DONE;
SKIPPED:
    {line};
DONE:
    ret;
}}
"""


@pytest.mark.parametrize("line", LINES, ids=[line.split()[0] for line in LINES])
def test_binds(line: str) -> None:
    """Each instruction parses, is known, and is bound: the branch around it is always taken."""
    module = emulator.load(program(line))
    assert module.unsupported() == []
    module.launch("test", grid=1, block=32)
    instructions = module.program.functions["test"].instructions
    assert lookup_name(instructions[3]) in ISA


def test_coverage() -> None:
    """Of what sm_75 to sm_89 have, at least 95 % runs."""
    entries = of_architectures(75, 89)
    running = [entry.name for entry in entries if runs(entry.name)]
    assert len(running) >= 0.95 * len(entries)
    assert len(entries) > 130


def test_examples_are_complete() -> None:
    """Everything that is said to run has an example above, or stands with the fixtures."""
    shown: set[str] = set()
    for line in LINES:
        module = emulator.load(program(line))
        shown.add(lookup_name(module.program.functions["test"].instructions[3]) or "")
    expected = {entry.name for entry in of_architectures(75, 89) if runs(entry.name)}
    assert expected - shown == ELSEWHERE
    assert {entry.name for entry in ISA.values() if runs(entry.name)} - shown == ELSEWHERE


def test_builders_are_instructions() -> None:
    assert set(BUILDERS) <= set(ISA)
