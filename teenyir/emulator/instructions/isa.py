"""Every instruction of PTX ISA 9.0, and since which architecture it exists.

The names are those of the instruction set's chapters, in its order; an instruction whose forms
came with different architectures stands at its first. Whether the emulator runs an instruction is
derived from its builders (`table.runs`), never stated here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """An instruction: its group, the first `sm_` that has it, the last one or None."""

    name: str
    group: str
    since: int
    until: int | None = None


def _group(group: str, since: int, names: str, until: int | None = None) -> list[Entry]:
    return [Entry(name, group, since, until) for name in names.split()]


ISA: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *_group("integer", 20, "add sub mul mad mul24 mad24 sad div rem abs neg min max"),
        *_group("integer", 20, "popc clz bfind brev bfe bfi"),
        *_group("integer", 30, "fns"),
        *_group("integer", 70, "bmsk szext"),
        *_group("integer", 61, "dp4a dp2a"),
        *_group("carry", 20, "add.cc addc sub.cc subc mad.cc madc"),
        *_group("floating point", 20, "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2"),
        *_group("floating point", 75, "tanh"),
        *_group("comparison", 20, "set setp selp slct"),
        *_group("logic", 20, "and or xor not cnot shl shr"),
        *_group("logic", 50, "lop3"),
        *_group("logic", 32, "shf"),
        *_group("data movement", 20, "mov prmt ld ldu st prefetch prefetchu isspacep cvta cvt"),
        *_group("data movement", 30, "shfl"),
        *_group("data movement", 80, "applypriority discard createpolicy"),
        *_group("data movement", 90, "mapa getctarank st.async"),
        *_group("data movement", 100, "st.bulk"),
        *_group(
            "asynchronous copy",
            80,
            "cp.async cp.async.commit_group cp.async.wait_group cp.async.wait_all",
        ),
        *_group(
            "bulk copy",
            90,
            "cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch.L2 cp.async.bulk.tensor "
            "cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor "
            "cp.async.bulk.commit_group cp.async.bulk.wait_group tensormap.replace "
            "multimem.ld_reduce multimem.st multimem.red multimem.cp.async.bulk "
            "multimem.cp.reduce.async.bulk",
        ),
        *_group("texture", 20, "tex tld4 txq istypep"),
        *_group("surface", 20, "suld sust sured suq"),
        *_group("control", 20, "bra call ret exit"),
        *_group("control", 30, "brx.idx"),
        *_group("synchronisation", 20, "bar barrier membar red atom vote"),
        *_group("synchronisation", 30, "bar.warp activemask"),
        *_group("synchronisation", 70, "fence match"),
        *_group("synchronisation", 80, "redux"),
        *_group("synchronisation", 90, "barrier.cluster griddepcontrol elect red.async"),
        *_group(
            "mbarrier",
            80,
            "mbarrier.init mbarrier.inval mbarrier.arrive mbarrier.arrive_drop "
            "mbarrier.test_wait mbarrier.pending_count cp.async.mbarrier.arrive",
        ),
        *_group("mbarrier", 90, "mbarrier.try_wait mbarrier.expect_tx mbarrier.complete_tx"),
        *_group("cluster launch", 90, "tensormap.cp_fenceproxy"),
        *_group(
            "cluster launch",
            100,
            "clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel",
        ),
        *_group("matrix", 70, "wmma.load wmma.store wmma.mma mma"),
        *_group("matrix", 75, "ldmatrix movmatrix"),
        *_group("matrix", 80, "mma.sp"),
        *_group("matrix", 90, "stmatrix"),
        *_group(
            "warpgroup matrix",
            90,
            "wgmma.mma_async wgmma.mma_async.sp wgmma.fence wgmma.commit_group wgmma.wait_group",
        ),
        *_group(
            "tensor memory",
            100,
            "tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.st "
            "tcgen05.ld.red tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp "
            "tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence tcgen05.commit",
        ),
        *_group("stack", 52, "stacksave stackrestore alloca"),
        *_group("video", 20, "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset"),
        *_group("packed video", 30, "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2"),
        *_group("packed video", 30, "vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4"),
        *_group("miscellaneous", 20, "brkpt pmevent trap"),
        *_group("miscellaneous", 70, "nanosleep"),
        *_group("miscellaneous", 90, "setmaxnreg"),
    )
}
"""The instruction set by name."""


def of_architectures(first: int, last: int) -> list[Entry]:
    """The instructions that every architecture from one to another has at least in part."""
    return [e for e in ISA.values() if e.since <= last and (e.until is None or e.until >= first)]
