"""Video instructions: scalar ones on selected bytes and halves, packed ones on two or four lanes.

Every operation is done on exact integers in int64, then saturated or cut to the width of what is
written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.compare import comparison
from teenyir.emulator.syntax.program import Instruction, Operand, Register
from teenyir.emulator.types import TYPES, Array, Operation

Binary = Callable[[Array, Array], Array]

_U32 = TYPES["u32"]


def _average(a: Array, b: Array) -> Array:
    total = a + b
    return np.where(total >= 0, total + 1, total) >> 1


_BASIC: dict[str, Binary] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
    "vavrg": _average,
}

_SECOND: dict[str, Any] = {"add": np.add, "min": np.minimum, "max": np.maximum}

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def _selector(operand: Operand) -> str:
    return operand.selector if isinstance(operand, Register) else ""


def _part(words: Array, selector: str, signed: bool) -> Array:
    """The byte, half or whole of uint32 words that `b2`, `h1` or nothing selects, as int64."""
    wide = words.astype(np.int64)
    if not selector:
        return wide.astype(np.int32).astype(np.int64) if signed else wide
    bits = 8 if selector[0] == "b" else 16
    value = wide >> (bits * int(selector[1])) & ((1 << bits) - 1)
    return _signed(value, bits) if signed else value


def _signed(values: Array, bits: int) -> Array:
    return ((values & ((1 << bits) - 1)) ^ (1 << (bits - 1))) - (1 << (bits - 1))


def _clamped(values: Array, bits: int, signed: bool) -> Array:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return np.clip(values, low, high)


def _shifted(left: bool, wrap: bool) -> Binary:
    def run(a: Array, b: Array) -> Array:
        amount = b & 31 if wrap else np.minimum(b, 32)
        return a << amount if left else a >> amount

    return run


def _operation(b: Binder, i: Instruction, base: str) -> Binary:
    if base in ("vshl", "vshr"):
        return _shifted(base == "vshl", "wrap" in i.modifiers)
    if base == "vset":
        name = next(m for m in i.modifiers if m in _COMPARISONS)
        compare = comparison(name, TYPES["s64"])
        return lambda x, y: compare(x, y).astype(np.int64)
    return _BASIC[base]


def _signs(i: Instruction) -> tuple[bool, bool, bool]:
    """Whether the result and the two operands are signed."""
    kinds = [m for m in i.modifiers if m in ("u32", "s32")]
    if len(kinds) == 2:  # vset names only its operands
        kinds.insert(0, "u32")
    return kinds[0] == "s32", kinds[1] == "s32", kinds[2] == "s32"


def scalar(b: Binder, i: Instruction) -> Operation:
    """`vadd`, `vsub`, …, with a second operation or a merge into a third operand."""
    signed, left_signed, right_signed = _signs(i)
    function = _operation(b, i, i.opcode)
    sources = [b.source(operand, _U32) for operand in i.operands[1:]]
    left, right = _selector(i.operands[1]), _selector(i.operands[2])
    part = _selector(i.operands[0])
    second = next((_SECOND[m] for m in i.modifiers if m in _SECOND), None)
    bits = {"b": 8, "h": 16}.get(part[:1], 32)
    clamp = "sat" in i.modifiers

    def run(*words: Array) -> Array:
        result = function(_part(words[0], left, left_signed), _part(words[1], right, right_signed))
        if clamp:
            result = _clamped(result, bits, signed)
        if second is not None:
            whole = result.astype(np.int32).astype(np.int64) if signed else result & 0xFFFFFFFF
            return second(whole, _part(words[2], "", signed))
        return _merged(result, words, part, bits)

    return b.apply(run, b.dest(i.operands[0], _U32), sources)


def _merged(result: Array, words: tuple[Array, ...], part: str, bits: int) -> Array:
    if not part:
        return result
    shift = bits * int(part[1])
    mask = ((1 << bits) - 1) << shift
    base = words[2].astype(np.int64) if len(words) > 2 else np.zeros_like(result)
    return (base & ~mask) | (result << shift & mask)


def multiply_add(b: Binder, i: Instruction) -> Operation:
    """`vmad`: product of selected parts, plus a word, plus one with `.po`, scaled down."""
    signed, left_signed, right_signed = _signs(i)
    sources = [b.source(operand, _U32) for operand in i.operands[1:]]
    left, right = _selector(i.operands[1]), _selector(i.operands[2])
    scale = next((int(m[3:]) for m in i.modifiers if m in ("shr7", "shr15")), 0)
    one, clamp = int("po" in i.modifiers), "sat" in i.modifiers
    any_signed = left_signed or right_signed or signed

    def run(x: Array, y: Array, z: Array) -> Array:
        product = _part(x, left, left_signed) * _part(y, right, right_signed)
        total = (product + _part(z, "", any_signed) + one) >> scale
        return _clamped(total, 32, signed) if clamp else total

    return b.apply(run, b.dest(i.operands[0], _U32), sources)


def packed(b: Binder, i: Instruction) -> Operation:
    """`vadd2`, `vadd4`, …: on lanes chosen from two words, merged into or added to a third."""
    count = int(i.opcode[-1])
    bits = 32 // count
    signed, left_signed, right_signed = _signs(i)
    function = _operation(b, i, i.opcode[:-1])
    sources = [b.source(operand, _U32) for operand in i.operands[1:4]]
    chosen = [
        _lanes(_selector(i.operands[1]), list(range(count))),
        _lanes(_selector(i.operands[2]), list(range(count, 2 * count))),
    ]
    written = _lanes(_selector(i.operands[0]), list(range(count)))
    clamp, total = "sat" in i.modifiers, "add" in i.modifiers
    mask = (1 << bits) - 1

    def run(x: Array, y: Array, z: Array) -> Array:
        both = x.astype(np.int64) | y.astype(np.int64) << 32
        result = z.astype(np.int64)
        for lane in written:
            a, c = ((both >> (bits * lanes[lane])) & mask for lanes in chosen)
            a = _signed(a, bits) if left_signed else a
            c = _signed(c, bits) if right_signed else c
            value = function(a, c)
            if clamp:
                value = _clamped(value, bits, signed)
            if total:
                value = value & mask if not clamp and not signed else value
                result = result + value
            else:
                result = result & ~(mask << bits * lane) | (value & mask) << bits * lane
        return result

    return b.apply(run, b.dest(i.operands[0], _U32), sources)


def _lanes(selector: str, default: list[int]) -> list[int]:
    """`h32`, `b0123`: lane numbers, lowest lane first."""
    return [int(digit) for digit in reversed(selector[1:])] if selector else default


_SCALAR = ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"]
_PACKED = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"]

TABLE: dict[str, Builder] = {
    **dict.fromkeys(_SCALAR, scalar),
    "vmad": multiply_add,
    **{f"{name}{count}": packed for count in (2, 4) for name in _PACKED},
}
