"""Integer and bitwise arithmetic: rows of `opcode -> builder`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import TYPES, Array, Compute, Mask, Operation, ScalarType, unsigned

Choice = Callable[[ScalarType, Instruction], Compute]

_U32 = TYPES["u32"]


def arithmetic(choose: Choice) -> Builder:
    """A builder for `op.type d, sources…` with every operand of the one type."""

    def build(b: Binder, i: Instruction) -> Operation:
        kind = b.type(i)
        sources = [b.source(operand, kind) for operand in i.operands[1:]]
        return b.apply(choose(kind, i), b.dest(i.operands[0], kind), sources)

    return build


def limits(kind: ScalarType) -> tuple[int, int]:
    """The smallest and largest value of an integer type."""
    info = np.iinfo(kind.dtype)
    return int(info.min), int(info.max)


def wider(kind: ScalarType) -> np.dtype[Any]:
    """The 64-bit dtype of the same signedness."""
    return np.dtype(np.int64 if kind.kind == "s" else np.uint64)


# Addition, multiplication, division


def _saturated(function: Any, kind: ScalarType) -> Compute:
    low, high = limits(kind)

    def run(left: Array, right: Array) -> Array:
        return np.clip(function(left.astype(np.int64), right.astype(np.int64)), low, high)

    return run


def add_or_subtract(function: Any) -> Choice:
    """`add`/`sub`, wrapping, or saturating with `.sat`."""

    def choose(kind: ScalarType, i: Instruction) -> Compute:
        return _saturated(function, kind) if "sat" in i.modifiers else function

    return choose


def high_product(left: Array, right: Array) -> Array:
    """The high half of the product of two arrays of one integer dtype."""
    bits = left.dtype.itemsize * 8
    if bits < 64:
        wide = np.int64 if left.dtype.kind == "i" else np.uint64
        return ((left.astype(wide) * right.astype(wide)) >> bits).astype(left.dtype)
    a, b = left.view(np.uint64), right.view(np.uint64)
    low = np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & low, a >> 32, b & low, b >> 32
    middle = a1 * b0 + (a0 * b0 >> 32)
    other = a0 * b1 + (middle & low)
    high = a1 * b1 + (middle >> 32) + (other >> 32)
    if left.dtype.kind == "i":
        high = high - np.where(left < 0, b, 0) - np.where(right < 0, a, 0)
    return high.view(left.dtype)


def multiply(kind: ScalarType, i: Instruction) -> Compute:
    """`mul.lo` or `mul.hi`."""
    return high_product if "hi" in i.modifiers else np.multiply


def _multiply_add(kind: ScalarType, i: Instruction) -> Compute:
    product: Any = multiply(kind, i)
    if "sat" not in i.modifiers:
        return lambda a, b, c: product(a, b) + c
    low, high = limits(kind)
    return lambda a, b, c: np.clip(product(a, b).astype(np.int64) + c, low, high)


def wide_product(b: Binder, i: Instruction) -> Operation:
    """`mul.wide`/`mad.wide`: the result and the addend are twice as wide."""
    kind = b.type(i)
    double = TYPES[f"{kind.kind}{kind.bits * 2}"]
    left, right = (b.source(operand, kind) for operand in i.operands[1:3])
    dest = b.dest(i.operands[0], double)
    if i.opcode == "mul":
        return b.apply(
            lambda x, y: np.multiply(x, y, dtype=double.dtype, casting="unsafe"),
            dest,
            [left, right],
        )
    addend = b.source(i.operands[3], double)
    return b.apply(
        lambda x, y, z: np.multiply(x, y, dtype=double.dtype, casting="unsafe") + z,
        dest,
        [left, right, addend],
    )


def integer_multiply(b: Binder, i: Instruction) -> Operation:
    """`mul` of integers."""
    return wide_product(b, i) if "wide" in i.modifiers else arithmetic(multiply)(b, i)


def integer_multiply_add(b: Binder, i: Instruction) -> Operation:
    """`mad` of integers."""
    return wide_product(b, i) if "wide" in i.modifiers else arithmetic(_multiply_add)(b, i)


def _product24(kind: ScalarType, i: Instruction) -> Compute:
    shift = 16 if "hi" in i.modifiers else 0

    def run(left: Array, right: Array) -> Array:
        a, b = ((x.astype(np.int64) << 40) for x in (left, right))
        if kind.kind == "s":
            a, b = a >> 40, b >> 40
        else:
            a, b = (x.astype(np.int64) & 0xFFFFFF for x in (left, right))
        return ((a * b) >> shift).astype(kind.dtype)

    if i.opcode == "mul24":
        return run
    return lambda a, b, c: run(a, b) + c


def divide(left: Array, right: Array) -> Array:
    """Quotient towards zero; all ones where the divisor is zero."""
    remainder = np.fmod(left, right)
    quotient = np.floor_divide(left - remainder, right)
    return np.where(right == 0, np.full(1, -1).astype(left.dtype), quotient)


def remainder(left: Array, right: Array) -> Array:
    """Remainder with the sign of the dividend; the dividend where the divisor is zero."""
    return np.where(right == 0, left, np.fmod(left, right))


def _absolute_difference(kind: ScalarType, i: Instruction) -> Compute:
    def run(a: Array, b: Array, c: Array) -> Array:
        return c + np.where(a < b, b - a, a - b)

    return run


def integer_extreme(function: Any) -> Choice:
    """`min`/`max`, with `.relu` for signed types."""

    def choose(kind: ScalarType, i: Instruction) -> Compute:
        if "relu" in i.modifiers:
            return lambda a, b: np.maximum(function(a, b), 0)
        return function

    return choose


# Bits


def _leading_zeros(values: Array) -> Array:
    """Leading zeros of unsigned values."""
    bits = values.dtype.itemsize * 8
    filled = values.copy()
    shift = 1
    while shift < bits:
        filled |= filled >> shift
        shift *= 2
    return bits - np.bitwise_count(filled).astype(np.uint32)


def _counting(function: Callable[[Array], Array]) -> Builder:
    """`popc`, `clz`: an unsigned source, a 32-bit result."""

    def build(b: Binder, i: Instruction) -> Operation:
        source = b.source(i.operands[1], b.type(i))
        return b.apply(function, b.dest(i.operands[0], _U32), [source])

    return build


def _find_leading(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    source = b.source(i.operands[1], kind)
    amount = "shiftamt" in i.modifiers

    def run(values: Array) -> Array:
        raw = np.where(values < 0, ~values, values) if kind.kind == "s" else values
        zeros = _leading_zeros(raw.view(unsigned(kind.bits)))
        found = zeros if amount else kind.bits - 1 - zeros
        return np.where(raw == 0, np.uint32(0xFFFFFFFF), found.astype(np.uint32))

    return b.apply(run, b.dest(i.operands[0], _U32), [source])


def _find_nth(b: Binder, i: Instruction) -> Operation:
    """`fns`: the n-th set bit from a base, up for n > 0 and down for n < 0."""
    mask, base = (b.source(operand, _U32) for operand in i.operands[1:3])
    offset = b.source(i.operands[3], TYPES["s32"])

    def one(word: int, start: int, count: int) -> int:
        if count == 0:
            return start if word >> start & 1 else 0xFFFFFFFF
        places = range(start, 32) if count > 0 else range(start, -1, -1)
        found = [place for place in places if word >> place & 1]
        return found[abs(count) - 1] if len(found) >= abs(count) else 0xFFFFFFFF

    def run(words: Array, starts: Array, counts: Array) -> Array:
        rows = zip(words.tolist(), starts.tolist(), counts.tolist(), strict=True)
        return np.array([one(w, s & 31, n) for w, s, n in rows], np.uint32)

    return b.apply(run, b.dest(i.operands[0], _U32), [mask, base, offset])


def _reverse_bits(kind: ScalarType, i: Instruction) -> Compute:
    steps = [(1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)]
    limit = 2**kind.bits - 1

    def run(values: Array) -> Array:
        result = values.copy()
        for shift, mask in steps:
            low = kind.dtype.type(mask & limit)
            result = (result >> shift & low) | ((result & low) << shift)
        return result.byteswap()

    return run


def _field_extract(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    source = b.source(i.operands[1], kind)
    start, length = (b.source(operand, _U32) for operand in i.operands[2:4])

    def run(values: Array, position: Array, count: Array) -> Array:
        wide = values.astype(wider(kind))
        position, count = (position & 0xFF).astype(np.int64), (count & 0xFF).astype(np.int64)
        last = np.minimum(position + count - 1, kind.bits - 1)
        moved = _shift_right(wide, position, kind)
        mask = _low_mask(count)
        raw = moved.astype(np.uint64) & mask
        if kind.kind == "s":
            sign = (wide.astype(np.uint64) >> np.maximum(last, 0).astype(np.uint64)) & np.uint64(1)
            raw = np.where((sign == 1) & (count > 0), raw | ~_low_mask(last - position + 1), raw)
        return np.where(count == 0, 0, raw)

    return b.apply(run, b.dest(i.operands[0], kind), [source, start, length])


def _shift_right(values: Array, amount: Array, kind: ScalarType) -> Array:
    """64-bit shift right, with amounts of any size."""
    clipped = np.minimum(amount, 63).astype(values.dtype)
    shifted = values >> clipped
    return np.where(amount > 63, 0, shifted) if kind.kind != "s" else shifted


def _low_mask(count: Array) -> Array:
    """A 64-bit word with `count` low bits set, for counts of any size."""
    clipped = np.clip(count, 0, 63).astype(np.uint64)
    return np.where(count >= 64, np.uint64(2**64 - 1), (np.uint64(1) << clipped) - np.uint64(1))


def _field_insert(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    field, into = (b.source(operand, kind) for operand in i.operands[1:3])
    start, length = (b.source(operand, _U32) for operand in i.operands[3:5])

    def run(bits: Array, base: Array, position: Array, count: Array) -> Array:
        position, count = (position & 0xFF).astype(np.int64), (count & 0xFF).astype(np.int64)
        inside = position < kind.bits
        shift = np.where(inside, position, 0).astype(np.uint64)
        mask = np.where(inside, _low_mask(count) << shift, 0).astype(np.uint64)
        moved = bits.astype(np.uint64) << shift
        return (base.astype(np.uint64) & ~mask) | (moved & mask)

    return b.apply(run, b.dest(i.operands[0], kind), [field, into, start, length])


def _bit_mask(b: Binder, i: Instruction) -> Operation:
    wrap = "wrap" in i.modifiers

    def run(position: Array, count: Array) -> Array:
        position, count = position.astype(np.int64), count.astype(np.int64)
        if wrap:
            position, count = position & 31, count & 31
        shift = np.minimum(position, 63).astype(np.uint64)
        return (_low_mask(count) << shift).astype(np.uint32)

    sources = [b.source(operand, _U32) for operand in i.operands[1:3]]
    return b.apply(run, b.dest(i.operands[0], _U32), sources)


def _sign_or_zero_extend(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    wrap = "wrap" in i.modifiers

    def run(values: Array, count: Array) -> Array:
        count = count.astype(np.int64)
        count = count & 31 if wrap else np.minimum(count, 32)
        mask = _low_mask(count)
        raw = values.astype(np.uint32).astype(np.uint64) & mask
        if kind.kind == "s":
            sign = raw >> np.maximum(count - 1, 0).astype(np.uint64) & np.uint64(1)
            raw = np.where(sign == 1, raw | ~mask, raw)
        return raw.astype(np.uint32)

    sources = [b.source(i.operands[1], kind), b.source(i.operands[2], _U32)]
    return b.apply(run, b.dest(i.operands[0], kind), sources)


# Dot products and carries


def _dot_product(b: Binder, i: Instruction) -> Operation:
    first, second = b.types(i)
    result = TYPES["s32" if "s" in (first.kind, second.kind) else "u32"]
    left, right = b.source(i.operands[1], first), b.source(i.operands[2], second)
    addend = b.source(i.operands[3], result)
    half = i.opcode == "dp2a"
    high = 2 if "hi" in i.modifiers else 0

    def run(x: Array, y: Array, z: Array) -> Array:
        prefix = {"s": "i", "u": "u"}
        bytes_y = y.view(np.dtype(f"{prefix[second.kind]}1")).reshape(-1, 4).astype(np.int64)
        if half:
            parts = x.view(np.dtype(f"{prefix[first.kind]}2")).reshape(-1, 2).astype(np.int64)
            bytes_y = bytes_y[:, high : high + 2]
        else:
            parts = x.view(np.dtype(f"{prefix[first.kind]}1")).reshape(-1, 4).astype(np.int64)
        return (parts * bytes_y).sum(axis=1) + z

    return b.apply(run, b.dest(i.operands[0], result), [left, right, addend])


def _with_carry(b: Binder, i: Instruction) -> Operation:
    """`add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc` by way of the carry of the frame."""
    kind = b.type(i)
    raw = TYPES[f"u{kind.bits}"]
    sources = [b.source(operand, kind) for operand in i.operands[1:]]
    dest = b.dest(i.operands[0], raw)
    carry = b.frame.arrays.setdefault("carry flag", np.zeros(b.lanes, np.uint64))
    takes, gives = i.opcode.endswith("c"), "cc" in i.modifiers
    subtract = i.opcode.startswith("sub")
    product: Any = multiply(kind, i) if i.opcode.startswith("mad") else None

    def operation(mask: Mask) -> None:
        operands = [product(sources[0], sources[1]), sources[2]] if product else sources
        left, right = (operand.view(raw.dtype) for operand in operands)
        taken = carry.astype(raw.dtype) if takes else raw.dtype.type(0)
        if subtract:
            result = left - right - taken
            out = (left < right) | ((left == right) & (taken != 0))
        else:
            result = left + right + taken
            out = (result < left) | ((result == left) & (taken != 0) & (right != 0))
        np.copyto(dest, result, where=mask)
        if gives:
            np.copyto(carry, out, where=mask)

    return operation


# Shifts, permutes, logic


def shift(b: Binder, i: Instruction) -> Operation:
    """`shl`, `shr`: amounts beyond the width shift everything out."""
    kind = b.type(i)
    source, amount = b.source(i.operands[1], kind), b.source(i.operands[2], _U32)
    left = i.opcode == "shl"
    most = kind.dtype.type(kind.bits - 1)

    def run(values: Array, count: Array) -> Array:
        clipped = np.minimum(count, np.uint32(kind.bits - 1)).astype(kind.dtype)
        shifted = values << clipped if left else values >> clipped
        beyond = count >= kind.bits
        if beyond.any():
            outside = values >> most if kind.kind == "s" and not left else kind.dtype.type(0)
            return np.where(beyond, outside, shifted)
        return shifted

    return b.apply(run, b.dest(i.operands[0], kind), [source, amount])


def _funnel(b: Binder, i: Instruction) -> Operation:
    wrap, left = "wrap" in i.modifiers, "l" in i.modifiers

    def run(low: Array, high: Array, count: Array) -> Array:
        joined = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
        amount = (count & 31 if wrap else np.minimum(count, 32)).astype(np.uint64)
        return (joined << amount) >> np.uint64(32) if left else joined >> amount

    sources = [b.source(operand, _U32) for operand in i.operands[1:4]]
    return b.apply(run, b.dest(i.operands[0], _U32), sources)


_PERMUTES: dict[str, Callable[[Array], list[Array]]] = {
    "f4e": lambda s: [s + k for k in range(4)],
    "b4e": lambda s: [(s - k) & 7 for k in range(4)],
    "rc8": lambda s: [s, s, s, s],
    "ecl": lambda s: [np.maximum(s, k) for k in range(4)],
    "ecr": lambda s: [np.minimum(s, k) for k in range(4)],
    "rc16": lambda s: [(s & 1) * 2, (s & 1) * 2 + 1, (s & 1) * 2, (s & 1) * 2 + 1],
}
"""Which of the eight bytes each result byte takes, from the low two bits of the selector."""


def _permute(b: Binder, i: Instruction) -> Operation:
    mode = next((m for m in i.modifiers if m in _PERMUTES), None)

    def run(low: Array, high: Array, selector: Array) -> Array:
        table = np.stack([low, high], axis=1).view(np.uint8)
        if mode is not None:
            chosen = _PERMUTES[mode]((selector & 3).astype(np.int64))
            index = np.stack(chosen, axis=1) & 7
            return np.take_along_axis(table, index, axis=1).view(np.uint32)[:, 0]
        nibbles = selector[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)
        taken = np.take_along_axis(table, (nibbles & 7).astype(np.int64), axis=1)
        sign = np.where(taken & 0x80, np.uint8(0xFF), np.uint8(0))
        return np.where(nibbles & 8, sign, taken).view(np.uint32)[:, 0]

    sources = [b.source(operand, _U32) for operand in i.operands[1:4]]
    return b.apply(run, b.dest(i.operands[0], _U32), sources)


def lookup(a: Array, b: Array, c: Array, table: int) -> Array:
    """`lop3`: the 8-entry truth table applied to every bit."""
    invert = bin(table).count("1") > 4
    result = np.zeros_like(a)
    for entry in range(8):
        if bool(table >> entry & 1) != invert:
            x = a if entry & 4 else ~a
            y = b if entry & 2 else ~b
            z = c if entry & 1 else ~c
            result |= x & y & z
    return ~result if invert else result


def _logic3(b: Binder, i: Instruction) -> Operation:
    first, flag = b.pair(i.operands[0])
    sources = [b.source(operand, _U32) for operand in i.operands[1:4]]
    table = int(b.source(i.operands[4], _U32)[0])
    dest = b.dest(first, _U32)
    if flag is None:
        return b.apply(lambda x, y, z: lookup(x, y, z, table), dest, sources)
    other = b.predicate(i.operands[5])
    predicate = b.dest(flag, TYPES["pred"])
    both = "and" in i.modifiers

    def operation(mask: Mask) -> None:
        result = lookup(sources[0], sources[1], sources[2], table)
        nonzero, second = result != 0, other()
        np.copyto(predicate, nonzero & second if both else nonzero | second, where=mask)
        np.copyto(dest, result, where=mask)

    return operation


def bitwise(function: Any) -> Builder:
    """`and`, `or`, `xor` on bits or predicates."""

    def build(b: Binder, i: Instruction) -> Operation:
        kind = b.type(i)
        dest = b.dest(i.operands[0], kind)
        if kind.kind != "p":
            return b.apply(function, dest, [b.source(o, kind) for o in i.operands[1:]])
        left, right = (b.predicate(operand) for operand in i.operands[1:3])
        return b.apply(lambda: function(left(), right()), dest, [])

    return build


def _complement(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    return b.apply(np.invert, b.dest(i.operands[0], kind), [b.source(i.operands[1], kind)])


def _c_not(kind: ScalarType, i: Instruction) -> Compute:
    return lambda values: (values == 0).astype(kind.dtype)


INTEGER: dict[str, Builder] = {
    "add": arithmetic(add_or_subtract(np.add)),
    "sub": arithmetic(add_or_subtract(np.subtract)),
    "mul": integer_multiply,
    "mad": integer_multiply_add,
    "div": arithmetic(lambda kind, i: divide),
    "abs": arithmetic(lambda kind, i: np.abs),
    "neg": arithmetic(lambda kind, i: np.negative),
    "min": arithmetic(integer_extreme(np.minimum)),
    "max": arithmetic(integer_extreme(np.maximum)),
}
"""Opcodes that floating point has as well: used for integer types."""

TABLE: dict[str, Builder] = {
    "mul24": arithmetic(_product24),
    "mad24": arithmetic(_product24),
    "sad": arithmetic(_absolute_difference),
    "rem": arithmetic(lambda kind, i: remainder),
    "popc": _counting(lambda values: np.bitwise_count(values).astype(np.uint32)),
    "clz": _counting(_leading_zeros),
    "bfind": _find_leading,
    "fns": _find_nth,
    "brev": arithmetic(_reverse_bits),
    "bfe": _field_extract,
    "bfi": _field_insert,
    "bmsk": _bit_mask,
    "szext": _sign_or_zero_extend,
    "dp4a": _dot_product,
    "dp2a": _dot_product,
    "addc": _with_carry,
    "add.cc": _with_carry,
    "subc": _with_carry,
    "sub.cc": _with_carry,
    "madc": _with_carry,
    "mad.cc": _with_carry,
    "and": bitwise(np.bitwise_and),
    "or": bitwise(np.bitwise_or),
    "xor": bitwise(np.bitwise_xor),
    "not": _complement,
    "cnot": arithmetic(_c_not),
    "lop3": _logic3,
    "shl": shift,
    "shr": shift,
    "shf": _funnel,
    "prmt": _permute,
}
"""Opcodes of integers and bits alone."""
