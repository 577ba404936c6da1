"""Arithmetic of integers and of bits against exact references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from one_instruction import Array, one, run
from operands import COUNT, RANDOM, bits_of, clamp, integers, wrap

from teenyir.emulator.types import TYPES


def trunc_div(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def clz(value: int, kind: str) -> int:
    return TYPES[kind].bits - bits_of(value, kind).bit_length()


def bfind(value: int, kind: str) -> int:
    raw = ~value if value < 0 else value
    return bits_of(raw, kind).bit_length() - 1 & 0xFFFFFFFF


BINARY: list[tuple[str, str, Callable[[int, int, str], int]]] = [
    ("add.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: a + b),
    ("add.sat.{k}", "s32", lambda a, b, k: clamp(a + b, k)),
    ("sub.{k}", "u16 s32 u64", lambda a, b, k: a - b),
    ("sub.sat.{k}", "s32", lambda a, b, k: clamp(a - b, k)),
    ("mul.lo.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: a * b),
    ("mul.hi.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: a * b >> TYPES[k].bits),
    ("div.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: trunc_div(a, b)),
    ("rem.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: a - b * trunc_div(a, b) if b else a),
    ("min.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: min(a, b)),
    ("max.{k}", "u16 s16 u32 s32 u64 s64", lambda a, b, k: max(a, b)),
    ("max.relu.{k}", "s32", lambda a, b, k: max(a, b, 0)),
    ("and.{k}", "b16 b32 b64", lambda a, b, k: a & b),
    ("or.{k}", "b16 b32 b64", lambda a, b, k: a | b),
    ("xor.{k}", "b16 b32 b64", lambda a, b, k: a ^ b),
]


@pytest.mark.parametrize(("name", "kinds", "expected"), BINARY, ids=[row[0] for row in BINARY])
def test_integer_binary(name: str, kinds: str, expected: Callable[[int, int, str], int]) -> None:
    for kind in kinds.split():
        a, b = integers(kind), integers(kind)
        out = one(f"    {name.format(k=kind)} %d0, %a0, %a1;", [(kind, a), (kind, b)], kind)
        want = [
            wrap(expected(x, y, kind), kind) for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
        if name.startswith(("div", "rem")):  # the machine leaves division by zero open
            assert [int(v) for v, y in zip(out, b, strict=True) if y] == [
                v for v, y in zip(want, b, strict=True) if y
            ]
        else:
            assert out.tolist() == want, kind


UNARY: list[tuple[str, str, str | None, Callable[[int, str], int]]] = [
    ("neg.{k}", "s16 s32 s64", None, lambda a, k: -a),
    ("abs.{k}", "s16 s32 s64", None, lambda a, k: abs(a)),
    ("not.{k}", "b16 b32 b64", None, lambda a, k: ~a),
    ("cnot.{k}", "b16 b32 b64", None, lambda a, k: int(a == 0)),
    ("brev.{k}", "b32 b64", None, lambda a, k: int(f"{a:0{TYPES[k].bits}b}"[::-1], 2)),
    ("popc.{k}", "b32 b64", "u32", lambda a, k: bin(a).count("1")),
    ("clz.{k}", "b32 b64", "u32", clz),
    ("bfind.{k}", "u32 s32 u64 s64", "u32", bfind),
    (
        "bfind.shiftamt.{k}",
        "u32 s32",
        "u32",
        lambda a, k: TYPES[k].bits - 1 - bfind(a, k) if bfind(a, k) != 0xFFFFFFFF else 0xFFFFFFFF,
    ),
]


@pytest.mark.parametrize(("name", "kinds", "result", "expected"), UNARY)
def test_integer_unary(
    name: str, kinds: str, result: str | None, expected: Callable[[int, str], int]
) -> None:
    for kind in kinds.split():
        a = integers(kind)
        to = result or kind
        out = one(f"    {name.format(k=kind)} %d0, %a0;", [(kind, a)], to)
        assert out.tolist() == [wrap(expected(x, kind), to) for x in a.tolist()], kind


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32"])
def test_wide_products(kind: str) -> None:
    double = f"{kind[0]}{TYPES[kind].bits * 2}"
    a, b, c = integers(kind), integers(kind), integers(double)
    sources = [(kind, a), (kind, b), (double, c)]
    rows = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    out = one(f"    mul.wide.{kind} %d0, %a0, %a1;", sources, double)
    assert out.tolist() == [wrap(x * y, double) for x, y, _ in rows]
    out = one(f"    mad.wide.{kind} %d0, %a0, %a1, %a2;", sources, double)
    assert out.tolist() == [wrap(x * y + z, double) for x, y, z in rows]


THREE: list[tuple[str, str, Callable[[int, int, int], int]]] = [
    ("mad.lo.s32", "s32", lambda a, b, c: a * b + c),
    ("mad.hi.u32", "u32", lambda a, b, c: (a * b >> 32) + c),
    ("mad.lo.u64", "u64", lambda a, b, c: a * b + c),
    ("mad.hi.sat.s32", "s32", lambda a, b, c: clamp((a * b >> 32) + c, "s32")),
    ("sad.s32", "s32", lambda a, b, c: abs(a - b) + c),
    ("sad.u16", "u16", lambda a, b, c: abs(a - b) + c),
]


@pytest.mark.parametrize(("name", "kind", "expected"), THREE)
def test_integer_ternary(name: str, kind: str, expected: Callable[[int, int, int], int]) -> None:
    a, b, c = integers(kind), integers(kind), integers(kind)
    out = one(f"    {name} %d0, %a0, %a1, %a2;", [(kind, a), (kind, b), (kind, c)], kind)
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    assert out.tolist() == [wrap(expected(x, y, z), kind) for x, y, z in rows]


def test_products_of_24_bits() -> None:
    a, b = integers("s32"), integers("s32")
    low = one("    mul24.lo.s32 %d0, %a0, %a1;", [("s32", a), ("s32", b)], "s32")
    high = one("    mul24.hi.s32 %d0, %a0, %a1;", [("s32", a), ("s32", b)], "s32")
    for x, y, lo, hi in zip(a.tolist(), b.tolist(), low.tolist(), high.tolist(), strict=True):
        product = ((x << 40 & (1 << 64) - 1 ^ 1 << 63) - (1 << 63) >> 40) * (
            (y << 40 & (1 << 64) - 1 ^ 1 << 63) - (1 << 63) >> 40
        )
        assert (lo, hi) == (wrap(product, "s32"), wrap(product >> 16, "s32"))


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64", "u16", "s16"])
def test_shifts(kind: str) -> None:
    a = integers(kind)
    amount = RANDOM.integers(0, 70, COUNT).astype(np.uint32)
    amount[0] = 2**31
    bits = TYPES[kind].bits
    rows = list(zip(a.tolist(), amount.tolist(), strict=True))
    right = one(f"    shr.{kind} %d0, %a0, %a1;", [(kind, a), ("u32", amount)], kind)
    assert right.tolist() == [x >> min(n, bits if x >= 0 else bits - 1) for x, n in rows]
    left = one(f"    shl.b{bits} %d0, %a0, %a1;", [(kind, a), ("u32", amount)], kind)
    assert left.tolist() == [wrap(x << n, kind) if n < bits else 0 for x, n in rows]


def test_funnel_shifts() -> None:
    a, b = integers("u32"), integers("u32")
    n = RANDOM.integers(0, 40, COUNT).astype(np.uint32)
    sources = [("u32", a), ("u32", b), ("u32", n)]
    rows = list(zip(a.tolist(), b.tolist(), n.tolist(), strict=True))
    for mode, limit in (("wrap", lambda k: k & 31), ("clamp", lambda k: min(k, 32))):
        left = one(f"    shf.l.{mode}.b32 %d0, %a0, %a1, %a2;", sources, "u32")
        joined = [(y << 32 | x, limit(k)) for x, y, k in rows]
        assert left.tolist() == [v << k >> 32 & 0xFFFFFFFF for v, k in joined]
        right = one(f"    shf.r.{mode}.b32 %d0, %a0, %a1, %a2;", sources, "u32")
        assert right.tolist() == [v >> k & 0xFFFFFFFF for v, k in joined]


@pytest.mark.parametrize("kind", ["u32", "s32", "u64", "s64"])
def test_bit_fields(kind: str) -> None:
    bits = TYPES[kind].bits
    a, b = integers(kind), integers(kind)
    start = RANDOM.integers(0, 80, COUNT).astype(np.uint32)
    length = RANDOM.integers(0, 80, COUNT).astype(np.uint32)
    sources = [(kind, a), (kind, b), ("u32", start), ("u32", length)]
    rows = list(zip(a.tolist(), b.tolist(), start.tolist(), length.tolist(), strict=True))

    def extract(x: int, p: int, n: int) -> int:
        raw = bits_of(x, kind)
        sign = 0
        if kind[0] == "s" and n:
            sign = raw >> min(p + n - 1, bits - 1) & 1
        value = 0
        for k in range(bits):
            bit = raw >> (p + k) & 1 if k < n and p + k < bits else sign
            value |= bit << k
        return wrap(value, kind)

    out = one(f"    bfe.{kind} %d0, %a0, %a2, %a3;", sources, kind)
    assert out.tolist() == [extract(x, p, n) for x, _, p, n in rows]

    def insert(field: int, base: int, p: int, n: int) -> int:
        value = bits_of(base, kind)
        for k in range(n):
            if p + k < bits:
                value = value & ~(1 << (p + k)) | (bits_of(field, kind) >> k & 1) << (p + k)
        return wrap(value, kind)

    out = one(f"    bfi.b{bits} %d0, %a0, %a1, %a2, %a3;", sources, kind)
    assert out.tolist() == [insert(*row) for row in rows]


def test_permute() -> None:
    a, b, selector = integers("u32"), integers("u32"), integers("u32")
    out = one(
        "    prmt.b32 %d0, %a0, %a1, %a2;", [("u32", a), ("u32", b), ("u32", selector)], "u32"
    )
    for x, y, s, result in zip(
        a.tolist(), b.tolist(), selector.tolist(), out.tolist(), strict=True
    ):
        table = (y << 32 | x).to_bytes(8, "little")
        want = 0
        for k in range(4):
            nibble = s >> 4 * k & 15
            byte = table[nibble & 7]
            want |= (0xFF * (byte >> 7) if nibble & 8 else byte) << 8 * k
        assert result == want


def test_lookup_table() -> None:
    a, b, c = integers("u32"), integers("u32"), integers("u32")
    sources = [("u32", a), ("u32", b), ("u32", c)]
    for table, want in (
        (0x96, a ^ b ^ c),
        (0xE8, (a & b) | (b & c) | (a & c)),
        (0xCA, (a & b) | (~a & c)),
        (0xFE, a | b | c),
        (0x01, ~(a | b | c)),
    ):
        assert (one(f"    lop3.b32 %d0, %a0, %a1, %a2, {table};", sources, "u32") == want).all()


def test_dot_products() -> None:
    a, b, c = integers("u32"), integers("u32"), integers("s32")
    out = one("    dp4a.s32.u32 %d0, %a0, %a1, %a2;", [("u32", a), ("u32", b), ("s32", c)], "s32")
    left = a.view(np.int8).reshape(-1, 4).astype(np.int64)
    right = b.view(np.uint8).reshape(-1, 4).astype(np.int64)
    assert (out == ((left * right).sum(axis=1) + c).astype(np.int32)).all()
    out = one(
        "    dp2a.hi.s32.u32 %d0, %a0, %a1, %a2;", [("u32", a), ("u32", b), ("s32", c)], "s32"
    )
    halves = a.view(np.int16).reshape(-1, 2).astype(np.int64)
    assert (out == ((halves * right[:, 2:]).sum(axis=1) + c).astype(np.int32)).all()


def test_carries() -> None:
    """128-bit sums and differences through the carry flag."""
    words = [integers("u32") for _ in range(8)]
    names = "    {op}.cc.u32 %d0, %a0, %a4;\n    {op}c.cc.u32 %d1, %a1, %a5;\n"
    names += "    {op}c.cc.u32 %d2, %a2, %a6;\n    {op}c.u32 %d3, %a3, %a7;"
    for op, function in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):
        outs = run(names.format(op=op), [("u32", w) for w in words], ["u32"] * 4)
        for lane in range(COUNT):
            x = sum(int(words[k][lane]) << 32 * k for k in range(4))
            y = sum(int(words[k + 4][lane]) << 32 * k for k in range(4))
            got = sum(int(outs[k][lane]) << 32 * k for k in range(4))
            assert got == function(x, y) % 2**128


def test_video_instructions() -> None:
    a, b, c = integers("u32"), integers("u32"), integers("u32")
    sources = [("u32", a), ("u32", b), ("u32", c)]

    def bytes_of(x: Array, dtype: Any) -> Array:
        return x.view(dtype).astype(np.int64)

    def run_one(code: str) -> Array:
        return one(f"    {code};", sources, "u32")

    out = run_one("vadd4.s32.s32.s32.sat %d0, %a0, %a1, %a2")
    want = np.clip(bytes_of(a, np.int8) + bytes_of(b, np.int8), -128, 127)
    assert (out.view(np.int8) == want).all()
    out = run_one("vabsdiff4.u32.u32.u32.add %d0, %a0, %a1, %a2")
    difference = np.abs(bytes_of(a, np.uint8) - bytes_of(b, np.uint8)).reshape(-1, 4)
    assert (out == (difference.sum(axis=1) + c).astype(np.uint32)).all()
    out = run_one("vavrg2.u32.u32.u32 %d0, %a0, %a1, %a2")
    assert (out.view(np.uint16) == (bytes_of(a, np.uint16) + bytes_of(b, np.uint16) + 1 >> 1)).all()
    out = run_one("vset4.u32.u32.gt %d0, %a0, %a1, %a2")
    assert (out.view(np.uint8) == (a.view(np.uint8) > b.view(np.uint8))).all()
    out = run_one("vmax2.s32.s32.s32 %d0, %a0.h01, %a1.h32, %a2")
    swapped = a.view(np.int16).reshape(-1, 2)[:, ::-1]
    assert (
        out.view(np.int16).reshape(-1, 2) == np.maximum(swapped, b.view(np.int16).reshape(-1, 2))
    ).all()
    out = run_one("vsub4.u32.u32.u32 %d0.b20, %a0, %a1, %a2")
    parts, kept = out.view(np.uint8).reshape(-1, 4), c.view(np.uint8).reshape(-1, 4)
    plain = (bytes_of(a, np.uint8) - bytes_of(b, np.uint8)).astype(np.uint8).reshape(-1, 4)
    assert (parts[:, [0, 2]] == plain[:, [0, 2]]).all() and (
        parts[:, [1, 3]] == kept[:, [1, 3]]
    ).all()
    out = run_one("vadd.s32.u32.s32 %d0, %a0.b1, %a1.h1")
    left, right = bytes_of(a, np.uint8).reshape(-1, 4)[:, 1], bytes_of(b, np.int16)[1::2]
    assert (out.view(np.int32) == left + right).all()
    out = run_one("vsub.u32.u32.u32.sat %d0.h1, %a0.h0, %a1.h0, %a2")
    gap = np.clip((a & 0xFFFF).astype(np.int64) - (b & 0xFFFF), 0, 65535)
    assert (out == (gap << 16 | c & 0xFFFF)).all()
    out = run_one("vmad.u32.u32.u32.shr7 %d0, %a0.h0, %a1.b0, %a2")
    product = (a & 0xFFFF).astype(np.int64) * (b & 0xFF)
    assert (out == (product + c >> 7).astype(np.uint32)).all()
    out = run_one("vshl.u32.u32.u32.wrap %d0, %a0, %a1")
    assert (out == (a.astype(np.uint64) << (b & np.uint32(31))).astype(np.uint32)).all()
    out = run_one("vmin.s32.s32.s32.max %d0, %a0, %a1, %a2")
    smaller = np.minimum(a.view(np.int32), b.view(np.int32))
    assert (out.view(np.int32) == np.maximum(smaller, c.view(np.int32))).all()


def test_bit_masks_and_extensions() -> None:
    a = integers("s32")
    start, count = (RANDOM.integers(0, 40, COUNT).astype(np.uint32) for _ in range(2))
    rows = list(zip(a.tolist(), start.tolist(), count.tolist(), strict=True))
    sources = [("s32", a), ("u32", start), ("u32", count)]
    out = one("    bmsk.clamp.b32 %d0, %a1, %a2;", sources, "u32")
    assert out.tolist() == [((1 << n) - 1 << p) & 0xFFFFFFFF for _, p, n in rows]
    out = one("    szext.wrap.s32 %d0, %a0, %a2;", sources, "s32")

    def extended(x: int, n: int) -> int:
        n &= 31
        low = x & ((1 << n) - 1)
        return low - (1 << n) if n and low >> (n - 1) else low

    assert out.tolist() == [extended(x, n) for x, _, n in rows]
    out = one("    fns.b32 %d0, %a1, 0, 2;", sources, "u32")
    found = [[k for k in range(32) if p >> k & 1] for _, p, _ in rows]
    assert out.tolist() == [f[1] if len(f) > 1 else 0xFFFFFFFF for f in found]
