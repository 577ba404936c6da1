"""Floating-point arithmetic of f16, bf16, f32 and f64, and their packed pairs.

Exact where IEEE 754 fixes the result: all rounding modes, fused multiply-add, `.ftz`, `.sat`.
The approximate instructions are computed in float64 and rounded once, which is inside every
documented bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder, check_arity
from teenyir.emulator.instructions.integer import INTEGER
from teenyir.emulator.instructions.rounding import (
    MODES,
    directed,
    exact_fma,
    exact_quotient,
    exact_root,
    exact_zero_sign,
    narrow,
    round_to,
    to_odd,
    two_product,
    two_sum,
)
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import TYPES, Array, Compute, Operation, ScalarType, unsigned

_TINY = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
_NAN_BITS = {"float16": 0x7FFF, "bfloat16": 0x7FFF, "float32": 0x7FFFFFFF, "float64": 0x7FF8 << 48}


def canonical_nan(dtype: np.dtype[Any]) -> Any:
    """The NaN that instructions produce, as a scalar of the dtype."""
    bits = np.array(_NAN_BITS[dtype.name], unsigned(dtype.itemsize * 8))
    return bits.view(dtype)[()]


def flush(values: Array) -> Array:
    """Subnormal numbers as zeros of their sign."""
    small = np.abs(values) < values.dtype.type(_TINY[values.dtype.name])
    if not small.any():
        return values
    return np.where(small, np.copysign(values.dtype.type(0), values), values)


def saturate(values: Array) -> Array:
    """Clamped to [0, 1], NaN as +0."""
    one, zero = values.dtype.type(1), values.dtype.type(0)
    return np.where(values > zero, np.minimum(values, one), zero)


def relu(values: Array) -> Array:
    """Negative numbers as +0, NaN as the canonical NaN."""
    nan = canonical_nan(values.dtype)
    return np.where(np.isnan(values), nan, np.where(values > 0, values, values.dtype.type(0)))


def to_bfloat16(values: Array) -> Array:
    """float64 to bfloat16, rounded once."""
    return round_to(values, "bf16").astype(np.float32).astype(np.dtype("bfloat16"))


# f32 and f64 cores by rounding mode


def _wide(arrays: tuple[Array, ...]) -> list[Array]:
    return [array.astype(np.float64) for array in arrays]


def _add(kind: ScalarType, mode: str) -> Compute:
    if mode == "rn":
        return np.add

    def run(a: Array, b: Array) -> Array:
        x, y = _wide((a, b))
        s, e = two_sum(x, y)
        e = np.where(np.isfinite(s), e, 0.0)
        if kind.dtype == np.float64:
            result = _double(s, e, x, y, mode)
        else:
            result = narrow(s, e, mode)
        return exact_zero_sign(result, (s == 0) & (e == 0), x, y, mode)

    return run


def _double(s: Array, e: Array, a: Array, b: Array, mode: str) -> Array:
    """Directed rounding of float64, with overflow to the largest number where the mode says so."""
    overflow = np.isinf(s) & np.isfinite(a) & np.isfinite(b)
    return directed(s, np.where(overflow, -np.sign(s), e), mode)


def _subtract(kind: ScalarType, mode: str) -> Compute:
    add: Any = _add(kind, mode)
    return np.subtract if mode == "rn" else lambda a, b: add(a, -b)


def _multiply(kind: ScalarType, mode: str) -> Compute:
    if mode == "rn":
        return np.multiply
    if kind.dtype == np.float64:
        zero = np.zeros(1)

        def run(a: Array, b: Array) -> Array:
            # -0 as the addend keeps the sign of a zero product.
            return exact_fma(a, b, np.copysign(np.broadcast_to(zero, a.shape), a * b), mode)

        return run
    return lambda a, b: narrow(*(_product(*_wide((a, b)))), mode)


def _product(a: Array, b: Array) -> tuple[Array, Array]:
    """The product of float32 values: exact in float64."""
    product = a * b
    return product, np.zeros_like(product)


def _fma(kind: ScalarType, mode: str) -> Compute:
    if kind.dtype == np.float64:
        return lambda a, b, c: exact_fma(a, b, c, mode)
    if kind.dtype.itemsize == 2:
        return _half_fma(kind)
    if mode == "rn":
        return fma32

    def run(a: Array, b: Array, c: Array) -> Array:
        x, y, z = _wide((a, b, c))
        product = x * y
        s, e = two_sum(product, z)
        result = narrow(s, np.where(np.isfinite(s), e, 0.0), mode)
        return exact_zero_sign(result, (s == 0) & (e == 0), product, z, mode)

    return run


_FLOAT32_HALF = np.uint64(0x1FFFFFFF)
_MIDPOINT = np.uint64(0x10000000)


def fma32(a: Array, b: Array, c: Array) -> Array:
    """Fused multiply-add of float32, to nearest even.

    The product is exact in float64. Rounding the sum twice goes wrong only if the float64 sum is
    a midpoint between two float32 values, or small enough for the result to be subnormal.
    """
    product = a.astype(np.float64)
    product *= b
    s = product + c
    risky = (s.view(np.uint64) & _FLOAT32_HALF) == _MIDPOINT
    if risky.any() or (np.abs(s) < 2.0**-126).any():
        s, e = two_sum(product, c.astype(np.float64))
        s = to_odd(s, np.where(np.isfinite(s), e, 0.0))
    return s.astype(np.float32)


def _half_fma(kind: ScalarType) -> Compute:
    brain = kind.dtype.name == "bfloat16"

    def run(a: Array, b: Array, c: Array) -> Array:
        x, y, z = _wide((a, b, c))
        s, e = two_sum(x * y, z)
        s = to_odd(s, np.where(np.isfinite(s), e, 0.0))
        return to_bfloat16(s) if brain else s.astype(np.float16)

    return run


def _divide(kind: ScalarType, mode: str) -> Compute:
    if mode == "rn":
        return np.divide
    if kind.dtype == np.float64:
        return lambda a, b: exact_quotient(a, b, mode)

    def run(a: Array, b: Array) -> Array:
        x, y = _wide((a, b))
        q = x / y
        p, e = two_product(q, y)
        rest = ((x - p) - e) * np.sign(y)
        rest = np.where(np.isfinite(rest), rest, 0.0)
        return narrow(q, rest, mode)

    return run


def _root(kind: ScalarType, mode: str) -> Compute:
    if mode == "rn":
        return np.sqrt
    if kind.dtype == np.float64:
        return lambda a: exact_root(a, mode)

    def run(a: Array) -> Array:
        x = a.astype(np.float64)
        q = np.sqrt(x)
        p, e = two_product(q, q)
        rest = (x - p) - e
        rest = np.where(np.isfinite(rest), rest, 0.0)
        return narrow(q, rest, mode)

    return run


def _reciprocal(kind: ScalarType, mode: str) -> Compute:
    divide: Any = _divide(kind, mode)
    return lambda a: divide(np.ones_like(a), a)


# Functions without rounding modes


def _through_double(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Compute in float64 and round to the operand's type."""

    def run(values: Array) -> Array:
        result = function(values.astype(np.float64))
        if values.dtype.name == "bfloat16":
            return to_bfloat16(result)
        return result.astype(values.dtype)

    return run


def _extreme(smallest: bool) -> Callable[[ScalarType, Instruction], Compute]:
    def choose(kind: ScalarType, i: Instruction) -> Compute:
        pick: Any = np.fmin if smallest else np.fmax
        integer = unsigned(kind.dtype.itemsize * 8)
        nan = canonical_nan(kind.dtype)
        propagate, xor_sign = "NaN" in i.modifiers, "xorsign" in i.modifiers

        def run(a: Array, b: Array, *more: Array) -> Array:
            if xor_sign:
                x, y = np.abs(a), np.abs(b)
            else:
                x, y = a, b
            result = pick(x, y)
            equal = x == y
            if equal.any():
                # Zeros of two signs are equal here, but -0 is the smaller: join the sign bits.
                left, right = (np.ascontiguousarray(v).view(integer) for v in (x, y))
                joined = (left | right) if smallest else (left & right)
                result = np.where(equal, joined.view(kind.dtype), result)
            missing = np.isnan(x) | np.isnan(y) if propagate else np.isnan(result)
            if missing.any():
                result = np.where(missing, nan, result)
            if xor_sign:
                sign = np.signbit(a) != np.signbit(b)
                result = np.copysign(result, np.where(sign, -1, 1).astype(kind.dtype))
            return run(result, *more) if more else result

        return run

    return choose


def _absolute(values: Array) -> Array:
    return np.abs(values)


def _float_builder(name: str, core: Callable[[ScalarType, str], Compute]) -> Builder:
    """A builder for an instruction with rounding mode, `.ftz`, `.sat` and `.relu`."""

    def build(b: Binder, i: Instruction) -> Operation:
        kinds = b.types(i)
        kind = kinds[0]
        if not kind.is_float:
            return INTEGER[name](b, i)
        mode = next((m for m in i.modifiers if m in MODES), "rn")
        exact = core(kind, mode)
        check_arity(exact, len(i.operands) - 1)
        function = finish(exact, kind, i)
        # Mixed precision (`add.f32.f16`): the operands come in the second type.
        sources = [b.source(operand, kind) for operand in i.operands[1:]]
        if len(kinds) > 1:
            return _mixed(b, i, kinds, function)
        return b.apply(function, b.dest(i.operands[0], kind), sources)

    return build


def _mixed(b: Binder, i: Instruction, kinds: list[ScalarType], function: Compute) -> Operation:
    kind, narrow_kind = kinds[0], kinds[1]
    last = len(i.operands) - 1
    sources = [
        b.source(operand, kind if index == last else narrow_kind)
        for index, operand in enumerate(i.operands[1:], 1)
    ]

    compute: Any = function

    def run(*values: Array) -> Array:
        return compute(*(v.astype(kind.dtype) for v in values))

    return b.apply(run, b.dest(i.operands[0], kind), sources)


def finish(function: Compute, kind: ScalarType, i: Instruction) -> Compute:
    """The function with `.ftz` around it and `.sat`, `.relu` after it."""
    modifiers = i.modifiers
    after: list[Callable[[Array], Array]] = []
    ftz = "ftz" in modifiers and kind.dtype.name in _TINY
    if ftz:
        after.append(flush)
    if "sat" in modifiers:
        after.append(saturate)
    if "relu" in modifiers:
        after.append(relu)
    if not after:
        return function
    compute: Any = function

    def run(*values: Array) -> Array:
        result = compute(*(flush(v) for v in values)) if ftz else compute(*values)
        for step in after:
            result = step(result)
        return result

    return run


def _unary(function: Callable[[Array], Array], name: str = "") -> Builder:
    def build(b: Binder, i: Instruction) -> Operation:
        kind = b.type(i)
        if not kind.is_float:
            return INTEGER[name](b, i)
        source = b.source(i.operands[1], kind)
        return b.apply(finish(function, kind, i), b.dest(i.operands[0], kind), [source])

    return build


def _negate(values: Array) -> Array:
    return np.negative(values)


def _extreme_builder(name: str) -> Builder:
    choose = _extreme(name == "min")

    def build(b: Binder, i: Instruction) -> Operation:
        kind = b.type(i)
        if not kind.is_float:
            return _packed_integer(b, i) if kind.elements == 2 else INTEGER[name](b, i)
        sources = [b.source(operand, kind) for operand in i.operands[1:]]
        if len(sources) not in (2, 3):
            raise TypeError(f"it takes 2 or 3 sources, not {len(sources)}")
        function = finish(choose(kind, i), kind, i)
        return b.apply(function, b.dest(i.operands[0], kind), sources)

    return build


def _packed_integer(b: Binder, i: Instruction) -> Operation:
    """`add`, `min`, `max` of `.u16x2` and `.s16x2`."""
    kind = b.type(i)
    table: dict[str, Any] = {"add": np.add, "min": np.minimum, "max": np.maximum}
    function = table[i.opcode]
    if "relu" in i.modifiers:
        return b.apply(
            lambda x, y: np.maximum(function(x, y), 0),
            b.dest(i.operands[0], kind),
            [b.source(operand, kind) for operand in i.operands[1:]],
        )
    sources = [b.source(operand, kind) for operand in i.operands[1:]]
    return b.apply(function, b.dest(i.operands[0], kind), sources)


def _add_builder(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    if kind.kind in "us" and kind.elements == 2:
        return _packed_integer(b, i)
    return _ADD(b, i)


_ADD = _float_builder("add", _add)


def _copy_sign(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    sign, value = (b.source(operand, kind) for operand in i.operands[1:3])
    return b.apply(lambda s, v: np.copysign(v, s), b.dest(i.operands[0], kind), [sign, value])


def _is_subnormal(values: Array) -> Array:
    return (np.abs(values) < _TINY[values.dtype.name]) & (values != 0)


_PROPERTIES: dict[str, Callable[[Array], Array]] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda values: ~np.isnan(values),
    "notanumber": np.isnan,
    "normal": lambda values: np.isfinite(values) & (np.abs(values) >= _TINY[values.dtype.name]),
    "subnormal": _is_subnormal,
}


def _test_property(b: Binder, i: Instruction) -> Operation:
    function = _PROPERTIES[i.modifiers[0]]
    source = b.source(i.operands[1], b.type(i))
    return b.apply(function, b.dest(i.operands[0], TYPES["pred"]), [source])


def _reciprocal_root(values: Array) -> Array:
    return 1.0 / np.sqrt(values)


TABLE: dict[str, Builder] = {
    "add": _add_builder,
    "sub": _float_builder("sub", _subtract),
    "mul": _float_builder("mul", _multiply),
    "fma": _float_builder("fma", _fma),
    "mad": _float_builder("mad", _fma),
    "div": _float_builder("div", _divide),
    "rcp": _float_builder("rcp", _reciprocal),
    "sqrt": _float_builder("sqrt", _root),
    "rsqrt": _unary(_through_double(_reciprocal_root)),
    "sin": _unary(_through_double(np.sin)),
    "cos": _unary(_through_double(np.cos)),
    "lg2": _unary(_through_double(np.log2)),
    "ex2": _unary(_through_double(np.exp2)),
    "tanh": _unary(_through_double(np.tanh)),
    "abs": _unary(_absolute, "abs"),
    "neg": _unary(_negate, "neg"),
    "min": _extreme_builder("min"),
    "max": _extreme_builder("max"),
    "copysign": _copy_sign,
    "testp": _test_property,
}
"""Opcodes that floating-point types have; those of integers too go on to `INTEGER`."""
