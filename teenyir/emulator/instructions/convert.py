"""Conversions: `cvt` between all types with every rounding mode, `cvt.pack`, `mov`, `cvta`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.memory import SHARED_BASE, SHARED_SIZE
from teenyir.emulator.instructions.floating import canonical_nan, flush, relu, saturate
from teenyir.emulator.instructions.rounding import (
    MODES,
    directed,
    narrow,
    round_to,
    to_odd,
    two_sum,
)
from teenyir.emulator.syntax.program import (
    Immediate,
    Instruction,
    Register,
    Special,
    Symbol,
    Vector,
)
from teenyir.emulator.types import TYPES, Array, Mask, Operation, ScalarType, bits_type, unsigned

_TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _float_to_integer(source: ScalarType, dest: ScalarType, mode: str) -> Callable[[Array], Array]:
    """Rounded, clamped to the range; NaN as the machine has it."""
    info = np.iinfo(dest.dtype)
    wide = source.bits == 64 or dest.bits == 64
    nan = 1 << (dest.bits - 1) if wide else 0
    nan_value = np.array(nan, unsigned(dest.bits)).view(dest.dtype)
    top = float(2 ** (dest.bits - (dest.kind == "s")))

    def run(values: Array) -> Array:
        rounded = _TO_INTEGER[mode](values.astype(np.float64))
        inside = (rounded >= float(info.min)) & (rounded < top)
        result = np.where(inside, rounded, 0.0).astype(dest.dtype)
        if inside.all():
            return result
        result = np.where(rounded >= top, info.max, result)
        result = np.where(rounded < float(info.min), info.min, result)
        return np.where(np.isnan(rounded), nan_value, result)

    return run


def _integer_to_integer(
    source: ScalarType, dest: ScalarType, sat: bool
) -> Callable[[Array], Array]:
    if not sat:
        return lambda values: values.astype(dest.dtype)
    info = np.iinfo(dest.dtype)
    own = np.iinfo(source.dtype)
    low, high = max(int(info.min), int(own.min)), min(int(info.max), int(own.max))
    return lambda values: np.clip(values, low, high).astype(dest.dtype)


def _integer_to_float(source: ScalarType, dest: ScalarType, mode: str) -> Callable[[Array], Array]:
    def run(values: Array) -> Array:
        if source.bits < 64:
            exact, error = values.astype(np.float64), np.zeros(values.shape)
        else:
            high = (values >> 32).astype(np.float64) * 2.0**32
            low = (values & values.dtype.type(0xFFFFFFFF)).astype(np.float64)
            exact, error = two_sum(high, low)
        return to_float(exact, error, dest, mode)

    return run


def to_float(exact: Array, error: Array, dest: ScalarType, mode: str) -> Array:
    """The pair (float64, error) rounded to a floating type in a mode."""
    if dest.name == "f64":
        return exact if mode == "rn" else directed(exact, error, mode)
    if dest.name == "f32":
        return narrow(exact, error, mode)
    return encode(round_to(to_odd(exact, error), dest.name.removesuffix("x2"), mode), dest)


def encode(values: Array, dest: ScalarType) -> Array:
    """float64 values that a type holds exactly, as that type; NaN as its canonical NaN."""
    name = dest.dtype.name
    result = values.astype(np.float32).astype(dest.dtype)
    missing = np.isnan(values)
    if missing.any() and name in ("float16", "bfloat16", "float32"):
        result = np.where(missing, canonical_nan(dest.dtype), result)
    if missing.any() and name.startswith("float8"):
        raw = np.where(missing, np.uint8(0x7F), result.view(np.uint8))
        result = raw.view(dest.dtype)
    return result


def _float_to_float(source: ScalarType, dest: ScalarType, i: Instruction) -> Callable[..., Array]:
    mode = next((m for m in i.modifiers if m in MODES), "rn")
    whole = next((m for m in i.modifiers if m in _TO_INTEGER), None)
    clamp = "satfinite" in i.modifiers
    name = dest.name.removesuffix("x2")

    def run(values: Array) -> Array:
        if whole is not None:
            values = _TO_INTEGER[whole](values)
        if source.dtype == dest.dtype and name != "tf32":
            return values
        if name in ("f32", "f64") and source.bits // source.elements <= dest.bits:
            return values.astype(dest.dtype)
        exact = values.astype(np.float64)
        if name == "f32":
            return narrow(exact, np.zeros_like(exact), mode)
        return encode(round_to(exact, name, mode, saturate=clamp), dest)

    return run


def convert(source: ScalarType, dest: ScalarType, i: Instruction) -> Callable[[Array], Array]:
    """The function of `cvt` from one type to another, with the instruction's modifiers."""
    mode = next((m for m in i.modifiers if m in (*MODES, *_TO_INTEGER)), "rn")
    sat = "sat" in i.modifiers
    if not dest.is_float:
        if source.is_float:
            return _float_to_integer(source, dest, mode if mode in _TO_INTEGER else "rzi")
        return _integer_to_integer(source, dest, sat)
    if not source.is_float:
        return _integer_to_float(source, dest, mode)
    return _float_to_float(source, dest, i)


def _convert(b: Binder, i: Instruction) -> Operation:
    if "pack" in i.modifiers:
        return _pack(b, i)
    dest_kind, source_kind = b.types(i)[:2]
    if source_kind.kind == "b":
        source_kind = TYPES[f"u{source_kind.bits}"]
    function = _with_flags(convert(source_kind, dest_kind, i), source_kind, dest_kind, i)
    dest = b.dest(i.operands[0], dest_kind)
    if dest_kind.elements == 2 and source_kind.elements == 1:
        # The first source becomes the upper half.
        upper, lower = (b.source(operand, source_kind) for operand in i.operands[1:3])
        return b.apply(
            lambda x, y: np.stack([function(y), function(x)], axis=1), dest, [upper, lower]
        )
    return b.apply(function, dest, [b.source(i.operands[1], source_kind)])


def _with_flags(
    function: Callable[[Array], Array], source: ScalarType, dest: ScalarType, i: Instruction
) -> Callable[[Array], Array]:
    before = "ftz" in i.modifiers and source.dtype == np.float32
    after: list[Callable[[Array], Array]] = []
    if "ftz" in i.modifiers and dest.dtype == np.float32:
        after.append(flush)
    if "sat" in i.modifiers and dest.is_float:
        after.append(saturate)
    if "relu" in i.modifiers:
        after.append(_relu_any)
    if not before and not after:
        return function

    def run(values: Array) -> Array:
        result = function(flush(values) if before else values)
        for step in after:
            result = step(result)
        return result

    return run


def _relu_any(values: Array) -> Array:
    if values.dtype.itemsize > 1:
        return relu(values)
    negative = (values.astype(np.float32) < 0) | (values.view(np.uint8) == 0x80)
    return np.where(negative, np.zeros(1, values.dtype), values)


def _pack(b: Binder, i: Instruction) -> Operation:
    """`cvt.pack.sat.d.s32[.b32] d, a, b[, c]`: a above b in the low bits, c above both."""
    source_kind, dest = TYPES["s32"], b.dest(i.operands[0], TYPES["u32"])
    sources = [b.source(operand, source_kind) for operand in i.operands[1:3]]
    carried = b.source(i.operands[3], TYPES["u32"]) if len(i.operands) > 3 else None
    low, high = _pack_limits(i)
    bits = _pack_bits(i)
    mask = (1 << bits) - 1

    def run(upper: Array, lower: Array) -> Array:
        x, y = (np.clip(v.astype(np.int64), low, high) & mask for v in (upper, lower))
        packed = x << bits | y
        if carried is not None:
            packed |= carried.astype(np.int64) << (2 * bits)
        return packed.astype(np.uint32)

    return b.apply(run, dest, sources)


def _pack_bits(i: Instruction) -> int:
    kind = next(m for m in i.modifiers if m[1:].isdigit())
    return int(kind[1:])


def _pack_limits(i: Instruction) -> tuple[int, int]:
    kind = next(m for m in i.modifiers if m[1:].isdigit())
    bits = int(kind[1:])
    if kind.startswith("s"):
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


# Moves


def _move(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    dest, source = i.operands[0], i.operands[1]
    if isinstance(source, Vector):
        return _move_pack(b, kind, source, i)
    if isinstance(dest, Vector):
        return _move_unpack(b, kind, dest, i)
    if isinstance(source, Special):
        dynamic = b.image.dynamic_special(source.name)
        if dynamic is not None:
            target = b.dest(dest, kind)
            return lambda mask: np.copyto(target, dynamic(mask), where=mask, casting="unsafe")
    if isinstance(source, Symbol):
        offset = b.image.frame_offset(b.function, source)
        if offset is not None:
            frame = b.machine.frame
            return b.apply(lambda: frame + offset, b.dest(dest, kind), [])
    value = b.source(source, kind)
    target = b.dest(dest, kind)
    if kind.bits == 128 or kind.elements == 2:
        return b.apply(lambda v: v, target, [value])

    def operation(mask: Mask) -> None:
        np.copyto(target, value, where=mask, casting="unsafe")

    return operation


def _move_pack(b: Binder, kind: ScalarType, source: Vector, i: Instruction) -> Operation:
    part = bits_type(kind.bits // len(source.items))
    parts = [b.source(item, part) for item in source.items]
    dest = _raw_parts(b, i.operands[0], part)

    def operation(mask: Mask) -> None:
        for index, value in enumerate(parts):
            np.copyto(dest[:, index], value, where=mask)

    return operation


def _raw_parts(b: Binder, operand: object, part: ScalarType) -> Array:
    if isinstance(operand, Register):
        array = b.frame.register(operand.name)
        return array.view(part.dtype).reshape(b.lanes, -1)
    if isinstance(operand, Immediate):
        raw = np.full(b.lanes, operand.value & (2**64 - 1), np.uint64)
        return raw.view(part.dtype).reshape(b.lanes, -1)
    raise TypeError(f"operand {operand} has no parts")


def _move_unpack(b: Binder, kind: ScalarType, dest: Vector, i: Instruction) -> Operation:
    part = bits_type(kind.bits // len(dest.items))
    source = _raw_parts(b, i.operands[1], part)
    targets = [b.dest(item, part) for item in dest.items]

    def operation(mask: Mask) -> None:
        for index, target in enumerate(targets):
            np.copyto(target, source[:, index], where=mask)

    return operation


def _convert_address(b: Binder, i: Instruction) -> Operation:
    """`cvta`: shared and local addresses differ from generic ones by a base."""
    kind = b.type(i)
    space = next(m for m in i.modifiers if m.split("::")[0] in _SPACES).split("::")[0]
    base = b.image.space_base(space)
    sign = -1 if "to" in i.modifiers else 1
    dest = b.dest(i.operands[0], kind)
    source = i.operands[1]
    if isinstance(source, Symbol):
        offset = b.image.frame_offset(b.function, source)
        if offset is not None:
            frame = b.machine.frame
            return b.apply(lambda: frame + offset, dest, [])
    value = b.source(source, kind)
    if base is None:
        return b.apply(lambda v: v, dest, [value])
    offset_by = sign * base
    return b.apply(lambda v: v.astype(np.int64) + offset_by, dest, [value])


_SPACES = ("global", "shared", "const", "local", "param")


def _is_space(b: Binder, i: Instruction) -> Operation:
    space = next(m for m in i.modifiers if m.split("::")[0] in _SPACES).split("::")[0]
    source = b.source(i.operands[1], TYPES["u64"] if b.image.wide else TYPES["u32"])
    local = b.machine.stack_base
    size = b.machine.stack_size

    def run(address: Array) -> Array:
        value = address.astype(np.int64)
        shared = (value >= SHARED_BASE) & (value < SHARED_BASE + SHARED_SIZE)
        own = (value >= local) & (value < local + size)
        constant = b.image.is_constant(value)
        table = {"shared": shared, "local": own, "const": constant, "param": constant & False}
        return table.get(space, ~shared & ~own & ~constant)

    return b.apply(run, b.dest(i.operands[0], TYPES["pred"]), [source])


TABLE: dict[str, Builder] = {
    "cvt": _convert,
    "mov": _move,
    "cvta": _convert_address,
    "isspacep": _is_space,
}
