"""PTX text: what producers write, and what is said of what is no PTX."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from teenyir import emulator
from teenyir.emulator.syntax.program import Immediate, SourceLine

FIXTURES = Path(__file__).parent / "fixtures"
HEAD = ".version 7.5\n.target sm_75, debug\n.address_size 64\n"


def test_module() -> None:
    program = emulator.parse(
        HEAD
        + """
.file 1 "dir/kernel.cu", 1234, 56
.extern .shared .align 16 .b8 dynamic[];
.visible .const .align 4 .u32 table[2][3] = {{1, 2, 3}, {0x10, 07, 0b11}};
.global .align 8 .f64 numbers[2] = {0d3FF0000000000000, -2.5};
.global .u64 address = generic(table) + 4;
.weak .global .align 4 .b8 text[6] = {104, 105, 0};
.section .debug_str { info: .b8 1, 2 }
.extern .func (.param .b32 result) other (.param .b64 a, .param .b32 b);
.visible .entry kernel(
    .param .u64 .ptr .global .align 16 pointer,
    .param .align 8 .b8 structure[16],
    .param .f32 scale
) .maxntid 256, 1, 1 .minnctapersm 2
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>, %single;
    .reg .v2 .f32 %pair;
    .loc 1 7 3
    @!%p1 mov.b32 %r1, -5;
    .loc 1 9 5, function_name name, inlined_at 1 20 2
    add.f32 %pair.x, %pair.y, 0f40000000; // a comment
    /* and
       another */ ret;
}
"""
    )
    assert program.version == (7, 5) and program.target == ("sm_75", "debug")
    assert program.entries == ["kernel"] and not program.functions["other"].defined
    kernel = program.functions["kernel"]
    assert kernel.directives == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}
    assert [p.bytes for p in kernel.parameters] == [8, 16, 4]
    move, add, _ = kernel.instructions
    assert move.guard is not None and move.guard.negated
    assert move.operands[1] == Immediate(-5)
    assert move.source == SourceLine("dir/kernel.cu", 7, 3)
    assert add.source == SourceLine("dir/kernel.cu", 9, 5, SourceLine("dir/kernel.cu", 20, 2))
    assert add.operands[2] == Immediate(0x40000000, 32)
    assert [i.value for i in program.variables["table"].initial] == [1, 2, 3, 16, 7, 3]
    assert program.variables["dynamic"].count is None


def test_initial_values() -> None:
    module = emulator.load(
        HEAD
        + """
.const .align 4 .u32 table[3] = {1, 2, 3 << 2 | 1};
.global .align 8 .f64 numbers[2] = {0d3FF0000000000000, -2.5};
.global .align 8 .u64 address = generic(table) + 4;
"""
    )
    assert module.variable("table", np.uint32).tolist() == [1, 2, 13]
    assert module.variable("numbers", np.float64).tolist() == [1.0, -2.5]
    assert module.variable("address", np.uint64)[0] == module.addresses["table"] + 4
    with pytest.raises(emulator.LaunchError, match="no variable 'nothing'"):
        module.variable("nothing")


WRONG: list[tuple[str, str]] = [
    ("add.s32 %r0 %r1, %r2;", "test.ptx:5:13: error: expected ';', found '%r1'"),
    ("bra NOWHERE;", "branch to an undefined label 'NOWHERE'"),
    ("L: L: ret;", "label 'L' defined twice"),
    ("@%q bra L; L:", "guard '%q' is not a declared predicate"),
    (".reg .b99 %x;", "unknown type '.b99'"),
    (".frob 3;", "unknown directive '.frob'"),
    ("/* no end", "comment without an end"),
    ("mov.b32 %r0, #;", "unexpected '#'"),
    ("mov.b32 %r0, `;", "unexpected '`'"),
    ("ld.u32 %r0, [%q];", "'%q' is not a declared register or variable"),
    ("ld.u32 %r0, [%tid.x", "error"),
    ("mov.b32 %r0, 1/0;", "division by zero in a constant"),
    (".shared .b8 x[4;", "expected ']'"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_diagnostics(body: str, message: str) -> None:
    text = f"{HEAD}.entry k() {{ .reg .b32 %r<3>;\n{body}\nret;\n}}\n"
    with pytest.raises(emulator.EmulatorError) as caught:
        module = emulator.load(text, "test.ptx")
        module.launch("k", grid=1, block=1)
    assert message in str(caught.value)
    assert "test.ptx:" in str(caught.value)


OF = "this form of '{}' is not supported"

FORMS: list[tuple[str, str]] = [
    ("add.s32 %r0, %r1;", f"{OF.format('add.s32')}: it takes 2 sources, not 1"),
    ("max.f32 %f0, %f1;", f"{OF.format('max.f32')}: it takes 2 or 3 sources, not 1"),
    (
        "mov.b64 %r0, %r1;",
        f"{OF.format('mov.b64')}: a register of 32 bits cannot hold .b64",
    ),
    (
        "add.s32 %r0, %r1, %p1;",
        f"{OF.format('add.s32')}: a predicate cannot hold .s32",
    ),
    (
        "selp.b32 %r0, %r1, %r2, %r1;",
        f"{OF.format('selp.b32')}: a predicate is needed, not a register of bits",
    ),
    ("add.s32 %r0, %r1, %zz;", "unknown name '%zz' in 'add.s32'"),
    ("call (%r0), missing, (%r1);", "function 'missing' has no body in this module"),
    ("setp.foo.s32 %p0, %r1, %r2;", "the modifier '.foo' of 'setp.foo.s32' is not supported"),
    ("wgmma.fence.sync.aligned;", "'wgmma.fence.sync.aligned' is not supported"),
    ("frobnicate.b32 %r0;", "'frobnicate.b32' is not an instruction of PTX 9.0"),
    (
        "cvt.rn.e2m1x2.f32 %r0, %f0, %f1;",
        "the modifier '.e2m1x2' of 'cvt.rn.e2m1x2.f32' is not supported",
    ),
]


@pytest.mark.parametrize(("line", "message"), FORMS)
def test_refused_when_about_to_run(line: str, message: str) -> None:
    """An instruction that cannot run is listed at once, and raised only if it is reached."""
    text = f"""{HEAD}.entry k(.param .u32 run) {{
    .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .pred %p<2>;
    ld.param.u32 %r1, [run];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 ret;
    {line}
    ret;
}}"""
    module = emulator.load(text, "test.ptx")
    assert [d.message for d in module.unsupported()] == [message]
    module.launch("k", grid=1, block=1, args=[0])
    with pytest.raises(emulator.UnsupportedError) as caught:
        module.launch("k", grid=1, block=1, args=[1])
    assert str(caught.value).startswith(f"test.ptx:9:5: error: {message}\n")


DEEP = 20_000

HOSTILE: list[tuple[str, str]] = [
    (".entry k() {" + "{" * DEEP + "}" * DEEP + "}", "nested too deeply"),
    (".entry k() { mov.u32 %r, " + "(" * DEEP + "; }", "nested too deeply"),
    (".entry k() { mov.u32 %r, " + "-" * DEEP + "1; }", "nested too deeply"),
    (".global .b32 a[2] = " + "{" * DEEP + ";", "nested too deeply"),
    (".entry k() { .reg .b32 %r<999999999>; }", "999999999 registers are too many"),
    (".entry k() { .reg .b32 %a; .reg .f32 %a; }", "register '%a' is declared twice"),
    (".entry k() { .reg .b32 %a; @%a ret; }", "guard '%a' is not a predicate"),
    (".entry k() { ret; } .entry k() { ret; }", "'k' is defined twice"),
    (".entry k() { mov.u32 %r, " + "9" * 10_000 + "; }", "fits no register"),
    (".global .b8 a[-4];", "-4 is not between 0 and"),
    (".global .b64 a[1099511627776];", "there is no room"),
    (".global .align 3 .b8 a[4];", "3 is no alignment"),
    (".global .b32 a = 1 << 9999999999;", "shift of a constant by 9999999999"),
    (".address_size 7", "addresses have 32 or 64 bits"),
    (".version 0x8", "a version is two numbers"),
    (".section .debug_str", "section without an end"),
    (".global .attribute(.managed", "expected ')'"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE, ids=[row[1] for row in HOSTILE])
def test_hostile_text_is_refused_at_once(text: str, message: str) -> None:
    """Neither a traceback, nor minutes, nor all of memory."""
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(text, "hostile.ptx")
    assert message in str(caught.value)


def test_only_sixteen_barriers() -> None:
    (refused,) = emulator.load(f"{HEAD}.entry k() {{ bar.sync 16; ret; }}").unsupported()
    assert refused.message == "a CTA has 16 barriers, numbered from 0"


def test_damaged_text_gives_diagnostics() -> None:
    """Whatever is cut out of real PTX or put into it, the errors are of the one family."""
    chance = random.Random(4)
    text = (FIXTURES / "softmax.ptx").read_text()
    for _ in range(40):
        start = chance.randrange(len(text))
        piece = chance.choice(["", "{", "}", ";", "%r", "[", "0f", "@", '"', ".reg"])
        damaged = text[:start] + piece + text[start + chance.randrange(4) :]
        try:
            emulator.load(damaged).unsupported()
        except emulator.EmulatorError as caught:
            assert caught.diagnostics[0].location is not None


def test_old_text() -> None:
    """PTX of the first versions: 32-bit addresses, 16-bit index registers, no rounding modes."""
    text = """
    .version 1.4
    .target sm_10, map_f64_to_f32
    .entry scale (
        .param .u32 __cudaparm_x,
        .param .f32 __cudaparm_f,
        .param .s32 __cudaparm_n)
    {
    .reg .u16 %rh<4>;
    .reg .u32 %r<8>;
    .reg .f32 %f<4>;
    .reg .pred %p<3>;
    .loc 28 3 0
$LBB1_scale:
    mov.u16 %rh1, %ctaid.x;
    mov.u16 %rh2, %ntid.x;
    mul.wide.u16 %r1, %rh1, %rh2;
    cvt.u32.u16 %r2, %tid.x;
    add.u32 %r3, %r2, %r1;
    ld.param.s32 %r4, [__cudaparm_n];
    setp.le.s32 %p1, %r4, %r3;
    @%p1 bra $Lt_0_1026;
    mul24.lo.u32 %r5, %r3, 4;
    ld.param.u32 %r6, [__cudaparm_x];
    add.u32 %r7, %r6, %r5;
    ld.global.f32 %f1, [%r7+0];
    ld.param.f32 %f2, [__cudaparm_f];
    mad.f32 %f3, %f1, %f2, 0f3f800000;
    st.global.f32 [%r7+0], %f3;
$Lt_0_1026:
    exit;
$LDWend_scale:
    } // scale
"""
    module = emulator.load(text)
    assert module.program.address_size == 32
    x = np.arange(100, dtype=np.float32)
    module.launch("scale", grid=2, block=64, args=[x, 2.0, 90])
    assert (x[:90] == np.arange(90) * 2 + 1).all() and (x[90:] == np.arange(90, 100)).all()
