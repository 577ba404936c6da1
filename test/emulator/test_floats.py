"""Arithmetic of floats against exact references."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from one_instruction import Array, one
from operands import COUNT, RANDOM, floats, round_single

from teenyir.emulator.instructions.rounding import round_fraction
from teenyir.emulator.types import TYPES


def exact(function: Callable[..., Fraction], mode: str, kind: str, *values: float) -> float | None:
    """The correctly rounded result where operands are finite and it is not zero."""
    if not all(np.isfinite(v) for v in values):
        return None
    result = function(*(Fraction(float(v)) for v in values))
    if result == 0:
        return None
    if kind == "f64":
        return round_fraction(result, mode)
    return round_single(result, mode)


FLOAT: list[tuple[str, int, Callable[..., Fraction]]] = [
    ("add", 2, lambda x, y: x + y),
    ("sub", 2, lambda x, y: x - y),
    ("mul", 2, lambda x, y: x * y),
    ("fma", 3, lambda x, y, z: x * y + z),
    ("div", 2, lambda x, y: x / y if y else Fraction(0)),
]


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(("op", "count", "function"), FLOAT, ids=[row[0] for row in FLOAT])
def test_float_rounding(
    op: str, count: int, function: Callable[..., Fraction], mode: str, kind: str
) -> None:
    operands = [floats(kind) for _ in range(count)]
    # Close exponents, so that digits are lost.
    operands[0][1::4] = (RANDOM.standard_normal(64) * 3).astype(TYPES[kind].dtype)
    arguments = ", ".join(f"%a{k}" for k in range(count))
    out = one(f"    {op}.{mode}.{kind} %d0, {arguments};", [(kind, o) for o in operands], kind)
    for lane in range(COUNT):
        want = exact(function, mode, kind, *(o[lane] for o in operands))
        if op == "div" and operands[1][lane] == 0:
            continue
        if want is not None:
            assert float(out[lane]) == want, [float(o[lane]).hex() for o in operands]


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_float_roots(mode: str) -> None:
    for kind in ("f32", "f64"):
        a = np.abs(floats(kind))
        out = one(f"    sqrt.{mode}.{kind} %d0, %a0;", [(kind, a)], kind)
        for x, root in zip(a, out, strict=True):
            if not np.isfinite(x) or x == 0:
                continue
            low, high = (np.nextafter(root, to) for to in (x.dtype.type(0), x.dtype.type(np.inf)))
            value, square = Fraction(float(x)), Fraction(float(root)) ** 2
            if mode in ("rz", "rm"):
                assert square <= value < Fraction(float(high)) ** 2
            elif mode == "rp":
                assert Fraction(float(low)) ** 2 < value <= square
            else:
                below = (Fraction(float(low)) + Fraction(float(root))) / 2
                above = (Fraction(float(high)) + Fraction(float(root))) / 2
                assert below**2 <= value <= above**2


def test_special_values() -> None:
    """Infinities, zeros and NaN in sums, products and quotients."""
    a = np.array([np.inf, np.inf, 0.0, -0.0, 1.0, -1.0, 0.0, np.nan] * 32, np.float32)
    b = np.array([-np.inf, 2.0, -0.0, -0.0, 0.0, 0.0, 0.0, 1.0] * 32, np.float32)
    sources = [("f32", a), ("f32", b)]
    with np.errstate(all="ignore"):
        for op, want in (("add.f32", a + b), ("mul.f32", a * b), ("div.rn.f32", a / b)):
            out = one(f"    {op} %d0, %a0, %a1;", sources, "f32")
            np.testing.assert_array_equal(out, want)
            same = np.isnan(want) | (np.signbit(out) == np.signbit(want))
            assert same.all()
    down = one("    sub.rm.f32 %d0, %a0, %a0;", [("f32", np.ones(32))], "f32")
    assert np.signbit(down).all()


def test_minimum_and_maximum() -> None:
    a = np.array([0.0, -0.0, np.nan, 1.0, np.nan, -np.inf] * 32, np.float32)
    b = np.array([-0.0, 0.0, 2.0, np.nan, np.nan, 5.0] * 32, np.float32)
    sources = [("f32", a), ("f32", b)]
    low = one("    min.f32 %d0, %a0, %a1;", sources, "f32")[:6]
    high = one("    max.f32 %d0, %a0, %a1;", sources, "f32")[:6]
    np.testing.assert_array_equal(low, [-0.0, -0.0, 2.0, 1.0, np.nan, -np.inf])
    np.testing.assert_array_equal(high, [0.0, 0.0, 2.0, 1.0, np.nan, 5.0])
    assert np.signbit(low[:2]).all() and not np.signbit(high[:2]).any()
    assert np.isnan(one("    min.NaN.f32 %d0, %a0, %a1;", sources, "f32")[2:5]).all()
    assert low.view(np.uint32)[4] == 0x7FFFFFFF


def test_flush_and_saturate() -> None:
    a = np.array([1e-40, -1e-40, 2.0, -2.0, 0.25, np.nan, 1e-30, 3e38] * 32, np.float32)
    sources = [("f32", a)]
    flushed = one("    add.ftz.f32 %d0, %a0, 0f00000000;", sources, "f32")
    np.testing.assert_array_equal(flushed[:3], np.float32([0.0, 0.0, 2.0]))
    kept = one("    mul.f32 %d0, %a0, 0f3F800000;", sources, "f32")
    np.testing.assert_array_equal(kept, a)
    small = one("    mul.ftz.f32 %d0, %a0, 0f00800000;", sources, "f32")
    assert small[4] == 0.0
    clamped = one("    add.sat.f32 %d0, %a0, 0f00000000;", sources, "f32")
    np.testing.assert_array_equal(clamped[2:6], np.float32([1.0, 0.0, 0.25, 0.0]))


APPROXIMATE: list[tuple[str, Callable[[Array], Array], float, float, float]] = [
    # name, function, range of operands, bound on the relative error (or absolute, if negative)
    ("rcp.approx.f32", lambda x: 1 / x, 1e-20, 1e20, 2.0**-23),
    ("sqrt.approx.f32", np.sqrt, 1e-20, 1e20, 2.0**-23),
    ("rsqrt.approx.f32", lambda x: 1 / np.sqrt(x), 1e-20, 1e20, 2.0**-22.9),
    ("ex2.approx.f32", np.exp2, -100.0, 100.0, 2.0**-22.5),
    ("lg2.approx.f32", np.log2, 2.0, 1e20, 2.0**-22),
    ("sin.approx.f32", np.sin, -3.0, 3.0, -(2.0**-20.5)),
    ("cos.approx.f32", np.cos, -3.0, 3.0, -(2.0**-20.5)),
    ("tanh.approx.f32", np.tanh, -5.0, 5.0, 2.0**-11),
]


@pytest.mark.parametrize(
    ("name", "function", "low", "high", "bound"), APPROXIMATE, ids=[row[0] for row in APPROXIMATE]
)
def test_approximations(
    name: str, function: Callable[[Array], Array], low: float, high: float, bound: float
) -> None:
    values = (RANDOM.random(COUNT) * (high - low) + low).astype(np.float32)
    out = one(f"    {name} %d0, %a0;", [("f32", values)], "f32").astype(np.float64)
    want = function(values.astype(np.float64))
    error = np.abs(out - want)
    assert (error <= -bound).all() if bound < 0 else (error <= bound * np.abs(want)).all()


def test_halves() -> None:
    for kind in ("f16", "bf16"):
        a, b, c = floats(kind), floats(kind), floats(kind)
        x, y, z = (v.astype(np.float64) for v in (a, b, c))
        sources = [(kind, a), (kind, b), (kind, c)]
        with np.errstate(all="ignore"):
            for op, want in (("add", x + y), ("mul", x * y), ("sub", x - y)):
                out = one(f"    {op}.{kind} %d0, %a0, %a1;", sources, kind)
                if kind == "f16":
                    np.testing.assert_array_equal(out, want.astype(np.float16))
                else:
                    near = np.isnan(want) | (out.astype(np.float64) == nearest_bfloat(want))
                    assert near.all()
            out = one(f"    fma.rn.{kind} %d0, %a0, %a1, %a2;", sources, kind).astype(np.float64)
            want = x * y + z
            unit = 2.0**-8 if kind == "bf16" else 2.0**-11
            close = np.abs(out - want) <= np.abs(want) * unit + 2.0**-25 * (kind == "f16")
        assert (close | ~np.isfinite(want) | np.isinf(out)).all()


def nearest_bfloat(values: Array) -> Array:
    """float64 to the nearest bfloat16 by comparing neighbours."""
    down = (values.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    best = np.full(values.shape, np.nan)
    distance = np.full(values.shape, np.inf)
    base = down.view(np.uint32)
    for step in (-1, 0, 1):
        bits = (base.astype(np.int64) + step * 0x10000).astype(np.uint32)
        candidate = bits.view(np.float32).astype(np.float64)
        gap = np.abs(candidate - values)
        better = (gap < distance) | ((gap == distance) & (bits >> 16 & 1 == 0))
        best, distance = np.where(better, candidate, best), np.where(better, gap, distance)
    largest = float.fromhex("0x1.fep127")
    over = np.abs(values) >= largest * (1 + 2.0**-9)
    return np.where(over | np.isinf(values), np.copysign(np.inf, values), best)


def test_packed_halves() -> None:
    a, b = (RANDOM.standard_normal(2 * COUNT).astype(np.float16) for _ in range(2))
    packed = [("b32", a.view(np.uint32)), ("b32", b.view(np.uint32))]
    out = one("    add.f16x2 %d0, %a0, %a1;", packed, "b32").view(np.float16)
    np.testing.assert_array_equal(out, a + b)
    out = one("    max.f16x2 %d0, %a0, %a1;", packed, "b32").view(np.float16)
    np.testing.assert_array_equal(out, np.maximum(a, b))
    out = one("    fma.rn.relu.f16x2 %d0, %a0, %a1, %a0;", packed, "b32").view(np.float16)
    exactly = a.astype(np.float64) * b.astype(np.float64) + a.astype(np.float64)
    np.testing.assert_array_equal(out, np.maximum(exactly.astype(np.float16), np.float16(0)))
    integer = a.view(np.uint32)
    out = one("    max.s16x2 %d0, %a0, %a1;", [("b32", integer), ("b32", b.view(np.uint32))], "b32")
    np.testing.assert_array_equal(
        out.view(np.int16), np.maximum(a.view(np.int16), b.view(np.int16))
    )


def test_packed_floats() -> None:
    a, b, c = (RANDOM.standard_normal(2 * COUNT).astype(np.float32) for _ in range(3))
    packed = [("b64", x.view(np.uint64)) for x in (a, b, c)]
    text = "    {} %d0, %a0, %a1;"
    for name, want in (("add.rn.f32x2", a + b), ("mul.rn.f32x2", a * b)):
        out = one(text.format(name), packed, "b64", assembled=False)
        np.testing.assert_array_equal(out.view(np.float32), want)
    out = one("    fma.rn.f32x2 %d0, %a0, %a1, %a2;", packed, "b64", assembled=False)
    exactly = a.astype(np.float64) * b + c
    np.testing.assert_allclose(out.view(np.float32), exactly.astype(np.float32), rtol=1e-7)
