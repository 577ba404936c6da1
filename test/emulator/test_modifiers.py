"""Every modifier is accounted for: what the emulator does not know, it does not run."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from one_instruction import one
from test_isa import LINES, program

from teenyir import emulator
from teenyir.emulator.instructions.isa import ISA
from teenyir.emulator.instructions.modifiers import FORMS, groups_of
from teenyir.emulator.instructions.table import runs


def refusals(line: str) -> list[str]:
    return [diagnostic.message for diagnostic in emulator.load(program(line)).unsupported()]


def with_modifier(line: str, modifier: str) -> str:
    name, *rest = line.split(" ", 1)
    return " ".join([f"{name}.{modifier}", *rest])


@pytest.mark.parametrize("line", LINES, ids=[line.split()[0] for line in LINES])
def test_unknown_modifier_is_refused(line: str) -> None:
    (refusal,) = refusals(with_modifier(line, "frob"))
    assert "the modifier '.frob' of" in refusal


def test_every_running_instruction_has_forms() -> None:
    assert set(FORMS) == {name for name in ISA if runs(name)}


def test_groups_of_a_form_are_disjoint() -> None:
    """Otherwise which group a modifier fills would depend on their order."""
    for name in FORMS:
        for groups in groups_of(name):
            for (group, _), (other, _) in combinations(groups, 2):
                assert not group & other, name


def test_group_names_are_all_expanded() -> None:
    known = {"L1", "L2", "L2::64B", "L2::128B", "L2::256B"}
    for name in FORMS:
        for groups in groups_of(name):
            words = {word for group, _ in groups for word in group}
            assert not {word for word in words if word.isupper()} - known, name


@pytest.mark.parametrize(
    ("line", "modifier"),
    [
        ("add.rn.u32 %r0, %r1, %r2", "rn"),
        ("add.rn.rz.f32 %f0, %f1, %f2", "rz"),
        ("add.u32.u32 %r0, %r1, %r2", "u32"),
        ("add.sat.u32 %r0, %r1, %r2", "sat"),
        ("mad24.hi.sat.s32 %r0, %r1, %r2, %r3", "sat"),
        ("fma.rn.oob.bf16 %r0, %r1, %r2, %r3", "oob"),
        ("ld.global.acquire.nc.gpu.u32 %r0, [%d0]", "nc"),
        ("mbarrier.arrive.noComplete.expect_tx.shared.b64 %d1, [tile], 16", "expect_tx"),
        ("istypep.samplerref %p0, %d0", "samplerref"),
    ],
)
def test_modifier_that_does_not_belong_is_refused(line: str, modifier: str) -> None:
    (refusal,) = refusals(line)
    assert f"the modifier '.{modifier}' of" in refusal


@pytest.mark.parametrize(
    "line",
    [
        "ld.global.ca.u32 %r0, [%d0]",
        "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {%r0, %r1, %r2, %r3}, [%d0]",
        "ld.global.L1::evict_last.L2::cache_hint.b32 %r0, [%d0], %d1",
        "ld.weak.shared::cta.b32 %r0, [tile]",
        "st.global.L1::evict_first.cs.b32 [%d0], %r0",
        "st.release.sys.global.u32 [%d0], %r0",
        "cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B [tile], [%d0], 16, %d1",
        "atom.global.gpu.acq_rel.add.noftz.f16x2 %r0, [%d0], %r1",
        "fence.proxy.async.shared::cta",
        "fence.mbarrier_init.release.cluster",
        "bar.red.popc.u32 %r0, 0, %p1",
        "barrier.cta.sync.aligned 0",
        "cvt.rn.satfinite.relu.e4m3x2.f32 %r0, %f0, %f1",
        "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3",
        "min.xorsign.abs.ftz.NaN.f32 %f0, %f1, %f2",
        "div.approx.ftz.f32 %f0, %f1, %f2",
        "shfl.sync.bfly.b32 %f0, %f1, 1, 31, -1",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r0, %r1, %r2, %r3}, "
        "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r0, %r1, %r2, %r3}",
    ],
)
def test_what_compilers_write_is_taken(line: str) -> None:
    assert refusals(line) == []


@pytest.mark.parametrize(
    "line",
    ["add.u32 %r0, %f1, %r2", "add.s64 %e0, %d1, %d2", "setp.lt.s32 %p0, %r1, %f2"],
)
def test_register_of_the_wrong_class_is_refused(line: str) -> None:
    (refusal,) = refusals(line)
    assert "does not take register" in refusal


def test_refused_when_it_is_about_to_run() -> None:
    """Skipped, it does no harm; reached, it ends the launch with its line and a caret."""
    text = program("bra DONE")
    skipped = emulator.load(program("add.frob.u32 %r0, %r1, %r2"))
    skipped.launch("test", grid=1, block=32)
    reached = text.replace("bra DONE;", "add.frob.u32 %r0, %r1, %r2;", 1)
    with pytest.raises(emulator.UnsupportedError, match=r"(?s)'\.frob'.*\^"):
        emulator.load(reached).launch("test", grid=1, block=32)


@pytest.mark.parametrize(
    "line",
    [
        "suld.b.2d.frob.b32.trap {%r0}, [%d0, {%r1, %r2}]",
        "sust.p.2d.b32.trap [%d0, {%r1, %r2}], {%r0}",
        "tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}], %f6",
        "tld4.frob.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}]",
        "txq.level.width.b32 %r0, [%d0], %r1",
    ],
)
def test_unknown_modifier_of_a_texture_is_refused(line: str) -> None:
    (refusal,) = refusals(line)
    assert "the modifier '." in refusal


def test_pack_reads_its_sources_as_signed() -> None:
    sources = [("s32", np.array([-1, -9, 9])), ("s32", np.array([1, 2, -3]))]
    packed = one("cvt.pack.sat.s4.s32.b32 %d0, %a0, %a1, 0;", sources, "u32")
    assert packed.tolist() == [0xF1, 0x82, 0x7D]
