"""Conversions between kinds of numbers, comparisons and moves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from one_instruction import Array, one, run
from operands import COUNT, RANDOM, clamp, floats, integers, round_single, wrap

from teenyir.emulator.instructions.rounding import round_fraction
from teenyir.emulator.types import TYPES

BFLOAT16 = np.dtype("bfloat16")


def test_comparisons() -> None:
    a = np.array([1.0, 2.0, np.nan, 0.0, np.inf, 1.0] * 32, np.float32)
    b = np.array([2.0, 1.0, 1.0, -0.0, np.nan, 1.0] * 32, np.float32)
    unordered = np.isnan(a) | np.isnan(b)
    table = {
        "lt": a < b, "le": a <= b, "eq": a == b, "ne": (a != b) & ~unordered, "gt": a > b,
        "ge": a >= b, "ltu": (a < b) | unordered, "equ": (a == b) | unordered, "neu": a != b,
        "num": ~unordered, "nan": unordered, "geu": (a >= b) | unordered,
    }  # fmt: skip
    for name, want in table.items():
        out = one(f"    setp.{name}.f32 %d0, %a0, %a1;", [("f32", a), ("f32", b)], "pred")
        assert (out == want).all(), name
    first, second = integers("s32"), integers("s32")
    sources = [("s32", first), ("s32", second), ("pred", first % 2)]
    holds, fails = run("    setp.lt.and.s32 %d0|%d1, %a0, %a1, !%a2;", sources, ["pred", "pred"])
    third = first % 2 == 0
    assert (holds == ((first < second) & third)).all()
    assert (fails == ((first >= second) & third)).all()
    out = one("    set.gt.u32.s32 %d0, %a0, %a1;", sources, "u32")
    assert (out == np.where(first > second, 0xFFFFFFFF, 0)).all()
    out = one("    slct.s32.s32 %d0, %a0, %a1, %a0;", sources, "s32")
    assert (out == np.where(first >= 0, first, second)).all()
    out = one("    setp.hi.u32 %d0, %a0, %a1;", sources, "pred")
    assert (out == (first.view(np.uint32) > second.view(np.uint32))).all()


@pytest.mark.parametrize("mode", ["rni", "rzi", "rmi", "rpi"])
def test_float_to_integer(mode: str) -> None:
    function: Any = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode]
    for source in ("f32", "f64"):
        values = floats(source)
        values[:40] = (RANDOM.standard_normal(40) * 1e5).astype(values.dtype)
        for kind in ("s32", "u32", "s64", "u64", "s8"):
            out = one(f"    cvt.{mode}.{kind}.{source} %d0, %a0;", [(source, values)], kind)
            info = np.iinfo(TYPES[kind].dtype)
            for x, got in zip(values.tolist(), out.tolist(), strict=True):
                if np.isnan(x):
                    continue
                want = info.max if x == np.inf else info.min if x == -np.inf else None
                if want is None:
                    want = max(int(info.min), min(int(info.max), int(function(x))))
                assert got == want, (kind, x)


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_integer_to_float(mode: str) -> None:
    for source in ("s32", "u32", "s64", "u64"):
        values = integers(source)
        for kind in ("f32", "f64"):
            out = one(f"    cvt.{mode}.{kind}.{source} %d0, %a0;", [(source, values)], kind)
            for x, got in zip(values.tolist(), out.tolist(), strict=True):
                if x:
                    rounded = round_single if kind == "f32" else round_fraction
                    assert got == rounded(Fraction(x), mode)


def test_integer_to_integer() -> None:
    for source, kind in (("s32", "s8"), ("s64", "u16"), ("u32", "s64"), ("s16", "u32")):
        values = integers(source)
        out = one(f"    cvt.{kind}.{source} %d0, %a0;", [(source, values)], kind)
        assert out.tolist() == [wrap(x, kind) for x in values.tolist()]
        if TYPES[kind].bits > TYPES[source].bits:
            continue
        out = one(f"    cvt.sat.{kind}.{source} %d0, %a0;", [(source, values)], kind)
        assert out.tolist() == [clamp(x, kind) for x in values.tolist()]


def test_narrow_floats() -> None:
    values = np.concatenate([floats("f32")[:128], RANDOM.standard_normal(128) * 100])
    values = values.astype(np.float32)
    source = [("f32", values)]
    with np.errstate(all="ignore"):
        half = one("    cvt.rn.f16.f32 %d0, %a0;", source, "f16")
        np.testing.assert_array_equal(half, values.astype(np.float16))
        brain = one("    cvt.rn.bf16.f32 %d0, %a0;", source, "bf16")
        np.testing.assert_array_equal(
            brain.astype(np.float32), values.astype(BFLOAT16).astype(np.float32)
        )
        back = one("    cvt.f32.f16 %d0, %a0;", [("f16", half)], "f32")
        np.testing.assert_array_equal(back, half.astype(np.float32))
        tensor = one("    cvt.rna.tf32.f32 %d0, %a0;", source, "f32")
    finite = np.isfinite(values)
    bits = values.view(np.uint32).astype(np.int64) + 0x1000 & 0xFFFFE000
    assert (tensor.view(np.uint32)[finite] == bits[finite]).all()


def test_pairs_and_eighths() -> None:
    a, b = (RANDOM.standard_normal(COUNT).astype(np.float32) * 50 for _ in range(2))
    sources = [("f32", a), ("f32", b)]
    packed = one("    cvt.rn.f16x2.f32 %d0, %a0, %a1;", sources, "b32")
    halves = packed.view(np.float16).reshape(-1, 2)
    np.testing.assert_array_equal(halves[:, 0], b.astype(np.float16))
    np.testing.assert_array_equal(halves[:, 1], a.astype(np.float16))
    import ml_dtypes

    for kind, dtype, largest in (
        ("e4m3", ml_dtypes.float8_e4m3fn, 448.0),
        ("e5m2", ml_dtypes.float8_e5m2, 57344.0),
    ):
        pair = one(f"    cvt.rn.satfinite.{kind}x2.f32 %d0, %a0, %a1;", sources, "b16")
        parts = pair.view(np.dtype(dtype)).reshape(-1, 2).astype(np.float32)
        want = np.clip(a, -largest, largest).astype(dtype).astype(np.float32)
        np.testing.assert_array_equal(parts[:, 1], want)
        back = one(f"    cvt.rn.f16x2.{kind}x2 %d0, %a0;", [("b16", pair)], "b32")
        np.testing.assert_array_equal(back.view(np.float16).reshape(-1, 2), parts)


def test_packing_integers() -> None:
    a, b, c = integers("s32"), integers("s32"), integers("u32")
    a[::2] %= 500
    sources = [("s32", a), ("s32", b), ("u32", c)]
    out = one("    cvt.pack.sat.u8.s32.b32 %d0, %a0, %a1, %a2;", sources, "u32")
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    want = [clamp(x, "u8") << 8 | clamp(y, "u8") | z << 16 & 0xFFFFFFFF for x, y, z in rows]
    assert out.tolist() == want


def test_moves() -> None:
    a, b = integers("u32"), integers("u32")
    wide = one("    mov.b64 %d0, {%a0, %a1};", [("u32", a), ("u32", b)], "u64")
    assert (wide == (b.astype(np.uint64) << np.uint64(32) | a)).all()
    low, high = run("    mov.b64 {%d0, %d1}, %a0;", [("u64", wide)], ["u32", "u32"])
    assert (low == a).all() and (high == b).all()


MORE: list[tuple[str, str, str, Callable[[Array], Array]]] = [
    ("cvt.rn.f16.f64", "f64", "f16", lambda x: x.astype(np.float16)),
    ("cvt.f64.f16", "f16", "f64", lambda x: x.astype(np.float64)),
    ("cvt.f64.f32", "f32", "f64", lambda x: x.astype(np.float64)),
    ("cvt.rn.f32.f64", "f64", "f32", lambda x: x.astype(np.float32)),
    ("cvt.rni.f32.f32", "f32", "f32", np.rint),
    ("cvt.rmi.f64.f64", "f64", "f64", np.floor),
    ("cvt.rzi.f16.f16", "f16", "f16", np.trunc),
    ("cvt.sat.f32.f32", "f32", "f32", lambda x: np.nan_to_num(np.clip(x, 0, 1), nan=0.0)),
    ("cvt.rn.f16.s32", "s32", "f16", lambda x: x.astype(np.float64).astype(np.float16)),
    ("cvt.f32.bf16", "bf16", "f32", lambda x: x.astype(np.float32)),
    ("cvt.rn.f32.u8", "u8", "f32", lambda x: x.astype(np.float32)),
    ("cvt.rn.f32.s16", "s16", "f32", lambda x: x.astype(np.float32)),
    ("cvt.rn.relu.f16.f32", "f32", "f16", lambda x: np.fmax(x, 0).astype(np.float16)),
]


@pytest.mark.parametrize(("name", "source", "kind", "function"), MORE, ids=[r[0] for r in MORE])
def test_more_conversions(
    name: str, source: str, kind: str, function: Callable[[Array], Array]
) -> None:
    values = integers(source) if source[0] in "us" else floats(source)
    values = values[~np.isnan(values)] if source[0] not in "us" else values
    out = one(f"    {name} %d0, %a0;", [(source, values)], kind)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, function(values))


def test_float_pairs_convert() -> None:
    halves = (RANDOM.standard_normal(2 * COUNT) * 10).astype(np.float16)
    import ml_dtypes

    out = one(
        "    cvt.rn.satfinite.e4m3x2.f16x2 %d0, %a0;", [("b32", halves.view(np.uint32))], "b16"
    )
    want = halves.astype(np.float32).astype(ml_dtypes.float8_e4m3fn)
    assert (out.view(np.uint8) == want.view(np.uint8)).all()
    a, b = (RANDOM.standard_normal(COUNT).astype(np.float32) for _ in range(2))
    out = one("    cvt.rn.relu.bf16x2.f32 %d0, %a0, %a1;", [("f32", a), ("f32", b)], "b32")
    parts = out.view(BFLOAT16).reshape(-1, 2).astype(np.float32)
    np.testing.assert_array_equal(parts[:, 1], np.fmax(a, 0).astype(BFLOAT16).astype(np.float32))
    np.testing.assert_array_equal(parts[:, 0], np.fmax(b, 0).astype(BFLOAT16).astype(np.float32))
