"""Which modifiers each instruction takes here, and of which class its registers are: data.

A form is a list of groups, `a|b|c`: an instruction has at most one modifier of each group, or two
with `a|b:2`. What no form of an instruction holds is refused before it is bound, so a builder never
passes over a modifier that it does not know. Order is not checked.
"""

from __future__ import annotations

import re
from functools import cache

from teenyir.emulator.syntax.program import Function, Instruction, Register
from teenyir.emulator.types import TYPES, ScalarType

_INERT = {
    "CACHE": ("ca|cg|cs|lu|cv|wb|wt", "there are no caches"),
    "EVICTION": (
        "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
        " L2::evict_normal|L2::evict_first|L2::evict_last L2::cache_hint",
        "there are no caches",
    ),
    "PREFETCH": ("L2::64B|L2::128B|L2::256B", "there are no caches"),
    "READONLY": ("nc", "the read-only path gives what memory holds"),
    "UNIFIED": ("unified", "there is one address space"),
    "DIVERGENCE": ("uni", "says that lanes agree; lanes are followed one by one"),
    "PRECISION": ("approx|full", "a better result than promised is within the promise"),
    "NOFTZ": ("noftz", "says that subnormals are kept, as they are without it"),
    "ALIGNED": ("aligned", "says that a warp's lanes come together; where it matters it is asked"),
    "NOCOMPLETE": ("noComplete", "says that this arrival is not the last one"),
    "WEAK": ("weak", "is what an access is without a modifier"),
    "CLAMP": ("clamp", "is what is done unless .wrap is given"),
}
"""Modifiers that change no result here, and why."""

_GROUPS = {name: groups for name, (groups, _) in _INERT.items()} | {
    "S": "s16|s32|s64",
    "INT": "u16|u32|u64|s16|s32|s64",
    "INT32": "u32|s32",
    "INT64": "u32|s32|u64|s64",
    "BITS": "b16|b32|b64",
    "FLOAT": "f32|f64|f32x2",
    "HALF": "f16|f16x2|bf16|bf16x2",
    "NARROW": "f16|bf16",
    "ROUND": "rn|rz|rm|rp",
    "MEMORY": "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|HALF|f32|f64",
    "ANY": "b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|HALF|f32|f64",
    "SPACE": "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func",
    "SHARED": "shared|shared::cta",
    "SCOPE": "cta|cluster|gpu|sys",
    "ORDER": "relaxed|acquire|release|acq_rel",
    "VECTOR": "v2|v4|v8",
    "JOIN": "and|or|xor",
    "COMPARE": "eq|ne|lt|le|gt|ge",
    "UNSIGNED": "lo|ls|hi|hs",
    "UNORDERED": "equ|neu|ltu|leu|gtu|geu|num|nan",
    "SHAPES": "m8n8k4|m8n8k16|m8n8k32|m8n8k128|m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64"
    "|m16n8k128|m16n8k256|m16n16k16|m32n8k16|m8n32k16|m16n16k8",
    "ELEMENTS": "f64|f32|s32|tf32|f16|bf16|e4m3|e5m2|s8|u8|s4|u4|b1",
    "GEOMETRY": "1d|2d|3d|a1d|a2d",
    "VIDEO": "u32|s32:3",
    "SECOND": "add|min|max",
}

_SURFACE = "b GEOMETRY trap|clamp|zero CACHE b8|b16|b32|b64|u32|s32|u64 VECTOR"
_ADD = ("sat s32", "INT", "u16x2|s16x2", "ROUND ftz sat FLOAT", "ROUND ftz sat HALF")
_MIXED = "ROUND sat f32 NARROW"
_EXTREME = (
    "INT",
    "relu s32|s16x2",
    "u16x2|s16x2",
    "ftz NaN xorsign abs f32|HALF",
    "f64",
)
_FMA = (
    "ROUND ftz sat FLOAT",
    "ROUND ftz sat HALF",
    "ROUND ftz relu HALF",
    _MIXED,
)
_APPROXIMATE = ("PRECISION ftz f32|HALF|f64",)
_ROOT = ("PRECISION ROUND ftz f32|f64",)
_STORED = "add|min|max|and|or|xor|exch|inc|dec|cas"
_ATOMIC = (
    f"ORDER SCOPE SPACE {_STORED} L2::cache_hint BITS|b128|u32|u64|s32|s64|f32|f64",
    "ORDER SCOPE SPACE add|min|max NOFTZ L2::cache_hint VECTOR HALF|f32",
)
_CARRY = ("cc INT64",)
_CARRY_PRODUCT = ("lo|hi cc INT64",)
_SCALAR_VIDEO = ("VIDEO sat SECOND",)
_PACKED_VIDEO = ("VIDEO sat add",)
_MATRIX = "sync ALIGNED SHAPES row|col:2 ELEMENTS:4 satfinite xor|and popc"
_BARRIER = (
    "cta sync|arrive ALIGNED",
    "cta red popc ALIGNED u32",
    "cta red and|or ALIGNED pred",
)

FORMS: dict[str, tuple[str, ...]] = {
    "add": (*_ADD, _MIXED),
    "sub": ("sat s32", "INT", "ROUND ftz sat FLOAT", "ROUND ftz sat HALF", _MIXED),
    "mul": ("lo|hi|wide INT", "ROUND ftz sat FLOAT", "ROUND ftz sat HALF"),
    "mad": ("lo|hi|wide INT", "hi sat s32", "ROUND ftz sat f32|f64"),
    "fma": _FMA,
    **dict.fromkeys(("mul24", "mad24"), ("lo|hi INT32",)),
    "sad": ("INT",),
    "div": ("INT", "PRECISION ROUND ftz f32|f64"),
    "rem": ("INT",),
    **dict.fromkeys(("abs", "neg"), ("S", "ftz f32|f64|HALF")),
    **dict.fromkeys(("min", "max"), _EXTREME),
    **dict.fromkeys(("popc", "clz"), ("b32|b64",)),
    "bfind": ("shiftamt INT64",),
    "fns": ("b32",),
    **dict.fromkeys(("brev", "bfi"), ("b32|b64",)),
    "bfe": ("INT64",),
    "bmsk": ("CLAMP|wrap b32",),
    "szext": ("CLAMP|wrap INT32",),
    "dp4a": ("INT32:2",),
    "dp2a": ("lo|hi INT32:2",),
    **dict.fromkeys(("add.cc", "addc", "sub.cc", "subc"), _CARRY),
    **dict.fromkeys(("mad.cc", "madc"), _CARRY_PRODUCT),
    "testp": ("finite|infinite|number|notanumber|normal|subnormal f32|f64",),
    "copysign": ("f32|f64",),
    **dict.fromkeys(("rcp", "sqrt"), _ROOT),
    **dict.fromkeys(("rsqrt", "sin", "cos", "lg2", "ex2", "tanh"), _APPROXIMATE),
    "set": ("COMPARE|UNSIGNED|UNORDERED JOIN ftz ANY:2",),
    "setp": (
        "COMPARE|UNSIGNED JOIN INT|b16|b32|b64",
        "COMPARE|UNORDERED JOIN ftz f32|f64|HALF",
    ),
    "selp": ("ANY",),
    "slct": ("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64:2",),
    **dict.fromkeys(("and", "or", "xor", "not"), ("BITS|pred",)),
    "cnot": ("BITS",),
    "shl": ("BITS",),
    "shr": ("BITS|INT",),
    "lop3": ("and|or b32",),
    "shf": ("l|r CLAMP|wrap b32",),
    "mov": ("ANY|pred",),
    "prmt": ("b32 f4e|b4e|rc8|ecl|ecr|rc16",),
    **dict.fromkeys(
        ("ld", "ldu"),
        (
            "WEAK SPACE CACHE READONLY EVICTION PREFETCH UNIFIED VECTOR MEMORY",
            "volatile|relaxed|acquire|mmio SCOPE SPACE EVICTION PREFETCH VECTOR MEMORY",
        ),
    ),
    "st": (
        "WEAK SPACE CACHE EVICTION VECTOR MEMORY",
        "volatile|relaxed|release|mmio SCOPE SPACE EVICTION VECTOR MEMORY",
    ),
    "prefetch": ("global|local L1|L2|L2::evict_last|L2::evict_normal", "const|param tensormap"),
    "prefetchu": ("L1",),
    "applypriority": ("global L2::evict_normal",),
    "discard": ("global L2",),
    "createpolicy": (
        "fractional|range global L2::evict_last|L2::evict_normal|L2::evict_first"
        "|L2::evict_unchanged:2 b64",
        "cvt L2 b64",
    ),
    "isspacep": ("SPACE",),
    "cvta": ("to SPACE u32|u64",),
    "cvt": (
        "ROUND|rni|rzi|rmi|rpi|rna ftz sat relu satfinite"
        " u8|u16|u32|u64|s8|s16|s32|s64|b8|b16|b32|b64|f16|f16x2|bf16|bf16x2|tf32|f32|f64"
        "|e4m3x2|e5m2x2:2",
        "pack sat u16|s16|u8|s8|u4|s4|u2|s2 s32 b32",
    ),
    "shfl": ("sync up|down|bfly|idx b32",),
    "vote": ("sync all|any|uni pred", "sync ballot b32"),
    "match": ("any|all sync b32|b64",),
    "redux": (
        "sync add|min|max|and|or|xor b32|u32|s32",
        "sync min|max abs NaN f32",
    ),
    "activemask": ("b32",),
    "elect": ("sync",),
    "mapa": ("shared::cluster u32|u64",),
    "getctarank": ("shared::cluster u32|u64",),
    "griddepcontrol": ("launch_dependents|wait",),
    "setmaxnreg": ("inc|dec sync ALIGNED u32",),
    "cp.async": ("async ca|cg shared|shared::cta|shared::cluster global L2::cache_hint PREFETCH",),
    "cp.async.commit_group": ("async commit_group",),
    "cp.async.wait_group": ("async wait_group",),
    "cp.async.wait_all": ("async wait_all",),
    **dict.fromkeys(("bar", "barrier"), _BARRIER),
    "bar.warp": ("warp sync",),
    "membar": ("cta|gl|sys", "proxy alias|async|async.global|async.shared::cta"),
    "fence": (
        "sc|acq_rel|acquire|release SCOPE",
        "proxy alias|async|tensormap::generic|async::generic global|shared::cta|shared::cluster"
        " ORDER SCOPE sync_restrict::shared::cta|sync_restrict::shared::cluster",
        "mbarrier_init ORDER SCOPE",
    ),
    **dict.fromkeys(("atom", "red"), _ATOMIC),
    "mbarrier.init": ("init SHARED b64",),
    "mbarrier.inval": ("inval SHARED b64",),
    **dict.fromkeys(
        ("mbarrier.arrive", "mbarrier.arrive_drop"),
        (
            "arrive|arrive_drop NOCOMPLETE ORDER SCOPE SHARED|shared::cluster b64",
            "arrive|arrive_drop expect_tx ORDER SCOPE SHARED|shared::cluster b64",
        ),
    ),
    **dict.fromkeys(
        ("mbarrier.expect_tx", "mbarrier.complete_tx"),
        ("expect_tx|complete_tx relaxed SCOPE SHARED|shared::cluster b64",),
    ),
    **dict.fromkeys(
        ("mbarrier.test_wait", "mbarrier.try_wait"),
        ("test_wait|try_wait parity ORDER SCOPE SHARED b64",),
    ),
    "mbarrier.pending_count": ("pending_count b64",),
    "cp.async.mbarrier.arrive": ("async mbarrier arrive noinc SHARED b64",),
    "ldmatrix": ("sync ALIGNED m8n8 x1|x2|x4 trans SHARED b16",),
    "stmatrix": ("sync ALIGNED m8n8 x1|x2|x4 trans SHARED b16",),
    "movmatrix": ("sync ALIGNED m8n8 trans b16",),
    "mma": (_MATRIX,),
    "mma.sp": (f"sp|sp::ordered_metadata {_MATRIX}",),
    "wmma.load": ("load a|b|c sync ALIGNED row|col SHAPES SPACE ELEMENTS",),
    "wmma.store": ("store d sync ALIGNED row|col SHAPES SPACE ELEMENTS",),
    "wmma.mma": (f"mma {_MATRIX} rn",),
    **dict.fromkeys(("alloca", "stacksave", "stackrestore"), ("u32|u64",)),
    "bra": ("DIVERGENCE",),
    "brx.idx": ("idx DIVERGENCE",),
    "call": ("DIVERGENCE",),
    "ret": ("DIVERGENCE",),
    "exit": ("",),
    "trap": ("",),
    "brkpt": ("",),
    "pmevent": ("mask",),
    "nanosleep": ("u32",),
    "tex": ("base GEOMETRY VECTOR s32|u32|f16|f32:2",),
    "tld4": ("r|g|b|a GEOMETRY VECTOR u32|s32|f32:2",),
    "txq": ("width|height|depth|array_size b32",),
    "suq": ("width|height|depth|array_size b32",),
    "istypep": ("texref|surfref",),
    **dict.fromkeys(("suld", "sust"), (_SURFACE,)),
    "sured": ("b GEOMETRY trap|clamp|zero add|min|max|and|or u32|s32|u64|b32|b64|s64",),
    **dict.fromkeys(("vadd", "vsub", "vabsdiff", "vmin", "vmax"), _SCALAR_VIDEO),
    **dict.fromkeys(("vshl", "vshr"), ("VIDEO sat clamp|wrap SECOND",)),
    "vmad": ("VIDEO sat po shr7|shr15",),
    "vset": ("INT32:2 COMPARE SECOND",),
    **{
        f"{name}{count}": _PACKED_VIDEO
        for count in (2, 4)
        for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")
    },
    **dict.fromkeys(("vset2", "vset4"), ("INT32:2 COMPARE add",)),
}
"""The forms of each instruction that the emulator runs."""

_CLASSED = (
    *("add", "sub", "mul", "mad", "fma", "mul24", "mad24", "sad", "div", "rem", "abs", "neg"),
    *("min", "max", "bfind", "sqrt", "rsqrt", "rcp", "sin", "cos", "lg2", "ex2", "tanh"),
    *("copysign", "testp", "setp", "shr", "addc", "subc", "madc"),
)
"""Instructions whose register operands, predicates aside, are all of the one class of their types.

Others take what they get as bits (`shfl`, `prmt`), convert it, or have operands of a fixed type.
"""

_NAME = re.compile(r"(?<![\w:])[A-Z][A-Z0-9]*(?!\w|::)")


def _expanded(text: str) -> str:
    """A form with its names of groups replaced."""
    while (longer := _NAME.sub(lambda m: _GROUPS.get(m[0], m[0]), text)) != text:
        text = longer
    return text


@cache
def groups_of(name: str) -> list[list[tuple[frozenset[str], int]]]:
    """The forms of an instruction: of each, groups with how many modifiers they may give."""
    forms: list[list[tuple[frozenset[str], int]]] = []
    for form in FORMS[name]:
        groups: list[tuple[frozenset[str], int]] = []
        for word in _expanded(form).split():
            head, _, count = word.rpartition(":")
            repeats = bool(head) and count.isdigit()
            group = frozenset((head if repeats else word).split("|"))
            groups.append((group, int(count) if repeats else 1))
        forms.append(groups)
    return forms


@cache
def refused_modifier(name: str, modifiers: tuple[str, ...]) -> str | None:
    """The first modifier that the nearest form of an instruction does not hold, if there is one.

    Of two forms as near, the one that holds the type.
    """
    leftovers = [_leftover(groups, modifiers) for groups in groups_of(name)]
    nearest = min(leftovers, key=lambda left: (len(left), [m in TYPES for m in left]))
    return nearest[0] if nearest else None


def _leftover(groups: list[tuple[frozenset[str], int]], modifiers: tuple[str, ...]) -> list[str]:
    room = [count for _, count in groups]
    left: list[str] = []
    for modifier in modifiers:
        for index, (group, _) in enumerate(groups):
            if modifier in group and room[index]:
                room[index] -= 1
                break
        else:
            left.append(modifier)
    return left


def misplaced_register(function: Function, i: Instruction) -> tuple[Register, ScalarType] | None:
    """A floating register in integer arithmetic or the reverse, with its type; if there is one.

    Untyped registers (`.b32`) go with everything, as do instructions on untyped bits.
    """
    kinds = {TYPES[m].kind for m in i.modifiers if m in TYPES}
    if i.opcode not in _CLASSED or not kinds or not (kinds <= {"u", "s"} or kinds == {"f"}):
        return None
    wrong = "us" if kinds == {"f"} else "f"
    for operand in i.operands:
        if isinstance(operand, Register):
            declared = function.registers.get(operand.name)
            if declared is not None and declared.kind in wrong:
                return operand, declared
    return None


def complaint(function: Function, name: str, i: Instruction) -> str | None:
    """What is wrong with an instruction's modifiers or registers, if anything is."""
    if name not in FORMS:
        return None
    modifier = refused_modifier(name, i.modifiers)
    if modifier is not None:
        return f"the modifier '.{modifier}' of '{i.name}' is not supported"
    misplaced = misplaced_register(function, i)
    if misplaced is not None:
        register, kind = misplaced
        return f"'{i.name}' does not take register '{register.name}' of type .{kind.name}"
    return None
