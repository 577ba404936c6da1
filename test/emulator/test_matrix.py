"""Matrix instructions of every shape and type, with the layouts spelled out as the ISA lists them.

The conditions on the element index below are those of the ISA's fragment sections, case by case;
the emulator has one rule for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from one_instruction import ASSEMBLE, Array, assemble, run

from teenyir import emulator

RANDOM = np.random.default_rng(2)
BFLOAT16 = np.dtype("bfloat16")
DTYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": BFLOAT16, "tf32": np.float32, "f32": np.float32, "f64": np.float64,
    "s8": np.int8, "u8": np.uint8, "s32": np.int32,
    "e4m3": np.dtype("float8_e4m3fn"), "e5m2": np.dtype("float8_e5m2"),
}  # fmt: skip

Place = Callable[[int, int, int], tuple[int, int]]
"""From group (lane / 4), lane in group, and element index to row and column."""


def a_16x16_half(g: int, t: int, i: int) -> tuple[int, int]:
    row = g if i < 2 or 4 <= i < 6 else g + 8
    return row, t * 2 + (i & 1) + (8 if i >= 4 else 0)


def b_16x8_half(g: int, t: int, i: int) -> tuple[int, int]:
    return t * 2 + (i & 1) + (8 if i >= 2 else 0), g


def a_16x32_byte(g: int, t: int, i: int) -> tuple[int, int]:
    row = g if i < 4 or 8 <= i < 12 else g + 8
    return row, t * 4 + (i & 3) + (16 if i >= 8 else 0)


def b_32x8_byte(g: int, t: int, i: int) -> tuple[int, int]:
    return t * 4 + (i & 3) + (16 if i >= 4 else 0), g


def a_16x64_nibble(g: int, t: int, i: int) -> tuple[int, int]:
    row = g if i < 8 or 16 <= i < 24 else g + 8
    return row, t * 8 + (i & 7) + (32 if i >= 16 else 0)


def a_16x256_bit(g: int, t: int, i: int) -> tuple[int, int]:
    row = g if i < 32 or 64 <= i < 96 else g + 8
    return row, t * 32 + (i & 31) + (128 if i >= 64 else 0)


def c_16x8(g: int, t: int, i: int) -> tuple[int, int]:
    return (g if i < 2 else g + 8), t * 2 + (i & 1)


def c_8x8(g: int, t: int, i: int) -> tuple[int, int]:
    return g, t * 2 + (i & 1)


# shape, types (D, A, B, C), places of A, B and C
MMA: list[tuple[str, str, Place, Place, Place]] = [
    ("m16n8k8", "f32 f16 f16 f32", lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
     lambda g, t, i: (t * 2 + i, g), c_16x8),
    ("m16n8k8", "f16 f16 f16 f16", lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
     lambda g, t, i: (t * 2 + i, g), c_16x8),
    ("m16n8k8", "f32 bf16 bf16 f32", lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
     lambda g, t, i: (t * 2 + i, g), c_16x8),
    ("m16n8k16", "f32 f16 f16 f32", a_16x16_half, b_16x8_half, c_16x8),
    ("m16n8k16", "f16 f16 f16 f16", a_16x16_half, b_16x8_half, c_16x8),
    ("m16n8k16", "f32 bf16 bf16 f32", a_16x16_half, b_16x8_half, c_16x8),
    ("m16n8k4", "f32 tf32 tf32 f32", lambda g, t, i: (g if i == 0 else g + 8, t),
     lambda g, t, i: (t, g), c_16x8),
    ("m16n8k8", "f32 tf32 tf32 f32",
     lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
     lambda g, t, i: (t if i == 0 else t + 4, g), c_16x8),
    ("m8n8k4", "f64 f64 f64 f64", lambda g, t, i: (g, t), lambda g, t, i: (t, g), c_8x8),
    ("m16n8k4", "f64 f64 f64 f64", lambda g, t, i: (g if i == 0 else g + 8, t),
     lambda g, t, i: (t, g), c_16x8),
    ("m16n8k8", "f64 f64 f64 f64",
     lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
     lambda g, t, i: (t if i == 0 else t + 4, g), c_16x8),
    ("m16n8k16", "f64 f64 f64 f64",
     lambda g, t, i: (g if i % 2 == 0 else g + 8, (i * 2 if i % 2 == 0 else i * 2 - 2) + t),
     lambda g, t, i: (t + i * 4, g), c_16x8),
    ("m8n8k16", "s32 s8 s8 s32", lambda g, t, i: (g, t * 4 + i), lambda g, t, i: (t * 4 + i, g),
     c_8x8),
    ("m8n8k16", "s32 u8 s8 s32", lambda g, t, i: (g, t * 4 + i), lambda g, t, i: (t * 4 + i, g),
     c_8x8),
    ("m16n8k16", "s32 s8 u8 s32", lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
     lambda g, t, i: (t * 4 + i, g), c_16x8),
    ("m16n8k32", "s32 s8 s8 s32", a_16x32_byte, b_32x8_byte, c_16x8),
    ("m16n8k32", "s32 u8 u8 s32", a_16x32_byte, b_32x8_byte, c_16x8),
    ("m16n8k32", "f32 e4m3 e4m3 f32", a_16x32_byte, b_32x8_byte, c_16x8),
    ("m16n8k32", "f32 e4m3 e5m2 f32", a_16x32_byte, b_32x8_byte, c_16x8),
    ("m16n8k32", "f32 e5m2 e5m2 f32", a_16x32_byte, b_32x8_byte, c_16x8),
    ("m8n8k32", "s32 s4 s4 s32", lambda g, t, i: (g, t * 8 + i), lambda g, t, i: (t * 8 + i, g),
     c_8x8),
    ("m16n8k32", "s32 u4 s4 s32", lambda g, t, i: (g if i < 8 else g + 8, t * 8 + (i & 7)),
     lambda g, t, i: (t * 8 + i, g), c_16x8),
    ("m16n8k64", "s32 s4 u4 s32", a_16x64_nibble,
     lambda g, t, i: (t * 8 + (i & 7) + (32 if i >= 8 else 0), g), c_16x8),
    ("m8n8k128", "s32 b1 b1 s32", lambda g, t, i: (g, t * 32 + i),
     lambda g, t, i: (t * 32 + i, g), c_8x8),
    ("m16n8k128", "s32 b1 b1 s32", lambda g, t, i: (g if i < 32 else g + 8, t * 32 + (i & 31)),
     lambda g, t, i: (t * 32 + i, g), c_16x8),
    ("m16n8k256", "s32 b1 b1 s32", a_16x256_bit,
     lambda g, t, i: (t * 32 + (i & 31) + (128 if i >= 32 else 0), g), c_16x8),
]  # fmt: skip


def sizes(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def numbers(kind: str, shape: tuple[int, int]) -> Array:
    """Random values that a type holds exactly, as float64 or int64."""
    if kind == "b1":
        return RANDOM.integers(0, 2, shape)
    if kind in ("s4", "s8"):
        return RANDOM.integers(-8 if kind == "s4" else -128, 8 if kind == "s4" else 128, shape)
    if kind in ("u4", "u8"):
        return RANDOM.integers(0, 16 if kind == "u4" else 256, shape)
    if kind == "s32":
        return RANDOM.integers(-1000, 1000, shape)
    values = RANDOM.standard_normal(shape)
    if kind == "tf32":
        return (values.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32)
    return values.astype(DTYPES[kind]).astype(np.float64)


def to_words(elements: Array, kind: str) -> list[Array]:
    """Elements (lanes, n) to registers, low elements in low bits."""
    if kind == "b1":
        packed = np.packbits(elements.astype(np.uint8), axis=1, bitorder="little")
        return list(np.ascontiguousarray(packed).view(np.uint32).T)
    if kind in ("s4", "u4"):
        nibbles = elements.astype(np.int64) & 15
        packed = (nibbles[:, ::2] | nibbles[:, 1::2] << 4).astype(np.uint8)
        return list(np.ascontiguousarray(packed).view(np.uint32).T)
    raw = np.ascontiguousarray(elements.astype(DTYPES[kind]))
    return list(raw.view(np.uint64 if kind == "f64" else np.uint32).T)


def fragment(matrix: Array, place: Place, count: int) -> Array:
    """The elements of each lane."""
    return np.array(
        [[matrix[place(lane // 4, lane % 4, i)] for i in range(count)] for lane in range(32)]
    )


def vector(first: int, count: int, letter: str) -> str:
    return "{" + ", ".join(f"%{letter}{first + k}" for k in range(count)) + "}"


def multiply(name: str, operands: list[tuple[str, list[Array]]], result: str, count: int) -> Array:
    """Run one mma; the result's elements (lanes, n) by registers."""
    sources, texts = [], []
    for kind, words in operands:
        texts.append(vector(len(sources), len(words), "a"))
        width = "b64" if kind == "f64" else "b32"
        sources += [(width, w) for w in words]
    outs = run(
        f"    {name} {vector(0, count, 'd')}, {', '.join(texts)};",
        sources,
        ["b64" if result == "f64" else "b32"] * count,
    )
    words = np.ascontiguousarray(np.stack(outs, axis=1))
    return words.view(DTYPES[result])


@pytest.mark.parametrize(
    ("shape", "types", "place_a", "place_b", "place_c"),
    MMA,
    ids=[f"{row[0]}-{row[1].replace(' ', '.')}" for row in MMA],
)
def test_mma(shape: str, types: str, place_a: Place, place_b: Place, place_c: Place) -> None:
    m, n, k = sizes(shape)
    d_kind, a_kind, b_kind, c_kind = types.split()
    a, b, c = numbers(a_kind, (m, k)), numbers(b_kind, (k, n)), numbers(c_kind, (m, n))
    operands = [
        (a_kind, to_words(fragment(a, place_a, m * k // 32), a_kind)),
        (b_kind, to_words(fragment(b, place_b, k * n // 32), b_kind)),
        (c_kind, to_words(fragment(c, place_c, m * n // 32), c_kind)),
    ]
    suffix = ".xor.popc" if a_kind == "b1" else ""
    name = f"mma.sync.aligned.{shape}.row.col.{'.'.join(types.split())}{suffix}"
    registers = m * n // 32 // (2 if d_kind == "f16" else 1)
    out = multiply(name, operands, d_kind, registers)
    product = (a[:, :, None] != b[None, :, :]).sum(axis=1) if a_kind == "b1" else a @ b
    want = product + c
    got = np.zeros((m, n))
    for lane in range(32):
        for i in range(m * n // 32):
            got[place_c(lane // 4, lane % 4, i)] = out[lane, i]
    if d_kind == "s32":
        assert (got == want).all()
    else:
        bound = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-12}[d_kind]
        np.testing.assert_allclose(got, want, rtol=bound, atol=bound * 10)


@pytest.mark.parametrize("layouts", ["row.col", "row.row", "col.col", "col.row"])
@pytest.mark.parametrize("kind", ["f32", "f16"])
def test_volta(layouts: str, kind: str) -> None:
    """m8n8k4 in f16: four products in the quads of the warp."""
    a, b, c = numbers("f16", (4, 8, 4)), numbers("f16", (4, 4, 8)), numbers(kind, (4, 8, 8))
    major_a, major_b = layouts.split(".")
    lanes_a, lanes_b, lanes_c = np.zeros((32, 4)), np.zeros((32, 4)), np.zeros((32, 8))

    def place_c(lane: int, i: int) -> tuple[int, int]:
        if kind == "f16":
            return lane % 4 + (4 if lane >= 16 else 0), i
        row = (lane & 1) + (i & 2) + (4 if lane >= 16 else 0)
        return row, (i & 4) + (lane & 2) + (i & 1)

    for lane in range(32):
        quad, half = lane % 16 // 4, 4 if lane >= 16 else 0
        for i in range(4):
            row, column = (lane % 4 + half, i) if major_a == "row" else (i + half, lane % 4)
            lanes_a[lane, i] = a[quad, row, column]
            row, column = (lane % 4, i + half) if major_b == "row" else (i, lane % 4 + half)
            lanes_b[lane, i] = b[quad, row, column]
        for i in range(8):
            lanes_c[lane, i] = c[(quad, *place_c(lane, i))]
    name = f"mma.sync.aligned.m8n8k4.{layouts}.{kind}.f16.f16.{kind}"
    operands = [
        ("f16", to_words(lanes_a, "f16")),
        ("f16", to_words(lanes_b, "f16")),
        (kind, to_words(lanes_c, kind)),
    ]
    out = multiply(name, operands, kind, 8 if kind == "f32" else 4)
    want = a @ b + c
    for lane in range(32):
        for i in range(8):
            expected = want[(lane % 16 // 4, *place_c(lane, i))]
            assert out[lane, i] == pytest.approx(expected, rel=4e-3, abs=4e-3)


WMMA: list[tuple[str, str]] = [
    ("m16n16k16", "f16"), ("m32n8k16", "f16"), ("m8n32k16", "f16"), ("m16n16k16", "bf16"),
    ("m16n16k8", "tf32"), ("m8n8k4", "f64"), ("m16n16k16", "s8"), ("m32n8k16", "u8"),
    ("m8n8k32", "s4"), ("m8n8k32", "u4"), ("m8n8k128", "b1"),
]  # fmt: skip

REGISTERS = {
    "f16": (8, 8, 8), "tf32": (4, 4, 8), "f64": (1, 1, 2), "s4": (1, 1, 2), "u4": (1, 1, 2),
    "b1": (1, 1, 2),
}  # fmt: skip
"""Registers of A, B and C where the shape does not matter."""

BY_SHAPE = {"m16n16k16": (2, 2, 8), "m32n8k16": (4, 1, 8), "m8n32k16": (1, 4, 8)}
"""Registers for bytes; twice as many of A and B for bf16."""


@pytest.mark.parametrize(
    ("shape", "kind", "majors"),
    [
        (shape, kind, majors)
        for shape, kind in WMMA
        for majors in ("row.col", "col.row")
        if majors == "row.col" or kind not in ("s4", "u4", "b1")  # these have one layout alone
    ],
)
def test_wmma(shape: str, kind: str, majors: str) -> None:
    m, n, k = sizes(shape)
    total = {"f64": "f64", "s8": "s32", "u8": "s32", "s4": "s32", "u4": "s32", "b1": "s32"}.get(
        kind, "f32"
    )
    counts = REGISTERS.get(kind) or BY_SHAPE[shape]
    if kind == "bf16":
        counts = (counts[0] * 2, counts[1] * 2, counts[2])
    a, b, c = numbers(kind, (m, k)), numbers(kind, (k, n)), numbers(total, (m, n))
    major_a, major_b = majors.split(".")
    shown_a, shown_b = (a if major_a == "row" else a.T), (b if major_b == "row" else b.T)
    infix = ".xor.popc" if kind == "b1" else ""
    types = f"{total}.{total}" if kind == "f16" else f"{total}.{kind}.{kind}.{total}"
    stride_a, stride_b = shown_a.shape[1], shown_b.shape[1]
    register = "b64" if kind == "f64" else "b32"
    lists = [
        ", ".join(f"%{x}{r}" for r in range(count))
        for x, count in zip("abcd", (*counts, counts[2]), strict=True)
    ]
    text = f""".version 8.0
.target sm_80
.address_size 64
.visible .entry test(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{
    .reg .b64 %p;
    .reg .{register} {lists[0]};
    .reg .{register} {lists[1]};
    .reg .{"b64" if total == "f64" else "b32"} {lists[2]}, {lists[3]};
    ld.param.u64 %p, [pa];
    wmma.load.a.sync.aligned.{major_a}.{shape}.global.{kind} {{{lists[0]}}}, [%p], {stride_a};
    ld.param.u64 %p, [pb];
    wmma.load.b.sync.aligned.{major_b}.{shape}.global.{kind} {{{lists[1]}}}, [%p], {stride_b};
    ld.param.u64 %p, [pc];
    wmma.load.c.sync.aligned.row.{shape}.global.{total} {{{lists[2]}}}, [%p], {n};
    wmma.mma{infix}.sync.aligned.{majors}.{shape}.{types}
        {{{lists[3]}}}, {{{lists[0]}}}, {{{lists[1]}}}, {{{lists[2]}}};
    ld.param.u64 %p, [pd];
    wmma.store.d.sync.aligned.col.{shape}.global.{total} [%p], {{{lists[3]}}}, {m};
    ret;
}}
"""
    if ASSEMBLE:
        assemble(text)
    out = np.zeros((n, m), DTYPES[total])
    args = [stored(shown_a, kind), stored(shown_b, kind), stored(c, total), out]
    if kind in ("s4", "u4", "b1"):
        args[1] = stored(b.T, kind)  # column-major: along k
    emulator.load(text).launch("test", grid=1, block=32, args=args)
    product = (a[:, :, None] != b[None, :, :]).sum(axis=1) if kind == "b1" else a @ b
    bound = 1e-5 if total == "f32" else 1e-12
    np.testing.assert_allclose(out.T, product + c, rtol=bound, atol=bound * 10)


def stored(matrix: Array, kind: str) -> Array:
    """A matrix as it lies in memory, row after row."""
    flat = np.ascontiguousarray(matrix).reshape(-1)
    if kind in ("s4", "u4", "b1"):
        return np.stack(to_words(flat[None, :], kind), axis=1).reshape(-1)
    return flat.astype(DTYPES[kind])


def test_transposed_matrices() -> None:
    """movmatrix transposes; ldmatrix.trans is ldmatrix and a transposition."""
    matrix = np.arange(64, dtype=np.uint16).reshape(8, 8)
    words = np.ascontiguousarray(matrix).view(np.uint32).reshape(-1)
    out = run("    movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;", [("b32", words)], ["b32"])[0]
    assert (out.view(np.uint16).reshape(8, 8) == matrix.T).all()
    code = """
    .shared .align 16 .b8 tile[512];
    mov.u32 %word, tile;
    mad.lo.u32 %word, %thread, 16, %word;
    st.shared.v4.b32 [%word], {%a0, %a1, %a2, %a3};
    bar.warp.sync 0xffffffff;
    ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%d0, %d1, %d2, %d3}}, [%word];
    """.replace("{%a0, %a1, %a2, %a3}", "{{%a0, %a1, %a2, %a3}}")
    data = RANDOM.integers(0, 2**32, (32, 4)).astype(np.uint32)
    rows = data.view(np.uint16).reshape(4, 8, 8)
    for trans in ("", ".trans"):
        sources = [("b32", np.ascontiguousarray(data[:, k])) for k in range(4)]
        outs = run(code.format(trans=trans), sources, ["b32"] * 4)
        for k in range(4):
            got = outs[k].view(np.uint16).reshape(8, 8)
            assert (got == (rows[k].T if trans else rows[k])).all()


def test_stmatrix_is_the_inverse() -> None:
    code = """
    .shared .align 16 .b8 tile[512];
    mov.u32 %word, tile;
    mad.lo.u32 %word, %thread, 16, %word;
    stmatrix.sync.aligned.m8n8.x4.{trans}shared.b16 [%word], {{%a0, %a1, %a2, %a3}};
    bar.warp.sync 0xffffffff;
    ldmatrix.sync.aligned.m8n8.x4.{trans}shared.b16 {{%d0, %d1, %d2, %d3}}, [%word];
    """
    data = [RANDOM.integers(0, 2**32, 32).astype(np.uint32) for _ in range(4)]
    for trans in ("", "trans."):
        outs = run(code.format(trans=trans), [("b32", d) for d in data], ["b32"] * 4)
        for before, after in zip(data, outs, strict=True):
            assert (before == after).all()


# shape, types (D, A, B, C), selector, and of a row and chunk of A: lane and shift of its metadata
SPARSE: list[tuple[str, str, int, Callable[[int, int], tuple[int, int]]]] = [
    ("m16n8k16", "f32 f16 f16 f32", 3, lambda r, c: (r % 8 * 4 + 3, r // 8 * 16 + c * 4)),
    ("m16n8k32", "f32 bf16 bf16 f32", 1,
     lambda r, c: (r % 8 * 4 + 2 + c // 4, r // 8 * 16 + c % 4 * 4)),
    ("m16n8k8", "f32 tf32 tf32 f32", 0, lambda r, c: (r % 8 * 4, r // 8 * 16 + c * 4)),
    ("m16n8k16", "f32 tf32 tf32 f32", 0,
     lambda r, c: (r % 8 * 4 + c // 4, r // 8 * 16 + c % 4 * 4)),
    ("m16n8k32", "s32 s8 u8 s32", 1, lambda r, c: (r % 8 * 4 + 2 + r // 8, c * 4)),
    ("m16n8k64", "s32 u8 s8 s32", 0, lambda r, c: (r % 8 * 4 + r // 8 + c // 8 * 2, c % 8 * 4)),
    ("m16n8k64", "f32 e4m3 e5m2 f32", 0,
     lambda r, c: (r % 8 * 4 + r // 8 + c // 8 * 2, c % 8 * 4)),
    ("m16n8k128", "s32 s4 s4 s32", 0, lambda r, c: (r % 8 * 4 + r // 8 + c // 8 * 2, c % 8 * 4)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "types", "selector", "metadata"),
    SPARSE,
    ids=[f"{row[0]}-{row[1].replace(' ', '.')}" for row in SPARSE],
)
def test_sparse(
    shape: str, types: str, selector: int, metadata: Callable[[int, int], tuple[int, int]]
) -> None:
    """A random matrix with half of each chunk kept, against the dense product."""
    m, n, k = sizes(shape)
    d_kind, a_kind, b_kind, c_kind = types.split()
    width = {"tf32": 2, "s4": 8}.get(a_kind, 4)
    unit = 2 if a_kind == "s4" else 1
    a, b, c = numbers(a_kind, (m, k)), numbers(b_kind, (k, n)), numbers(c_kind, (m, n))
    words, kept, dense = np.zeros(32, np.uint32), np.zeros((m, k // 2), a.dtype), np.zeros_like(a)
    for row in range(m):
        for chunk in range(k // width):
            if a_kind == "tf32":
                pick = int(RANDOM.integers(2))
                nibble, places = (0b1110 if pick else 0b0100), [pick]
            else:
                low, high = sorted(RANDOM.choice(4, 2, replace=False).tolist())
                nibble = low | high << 2
                places = [u * unit + e for u in (low, high) for e in range(unit)]
            lane, shift = metadata(row, chunk)
            words[lane] |= np.uint32(nibble << shift)
            columns = [chunk * width + place for place in places]
            dense[row, columns] = a[row, columns]
            start = chunk * width // 2
            kept[row, start : start + len(columns)] = a[row, columns]
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "s4": 4}.get(a_kind, 8)
    e = 32 // bits

    def place_a(g: int, t: int, i: int) -> tuple[int, int]:
        register = i // e
        return g + 8 * (register % 2), t * e + i % e + register // 2 * 4 * e

    def place_b(g: int, t: int, i: int) -> tuple[int, int]:
        return t * e + i % e + i // e * 4 * e, g

    operands = [
        (a_kind, to_words(fragment(kept, place_a, m * k // 64), a_kind)),
        (b_kind, to_words(fragment(b, place_b, k * n // 32), b_kind)),
        (c_kind, to_words(fragment(c, c_16x8, m * n // 32), c_kind)),
    ]
    sources = [("b32", w) for _, parts in operands for w in parts] + [("b32", words)]
    first, texts = 0, []
    for _, parts in operands:
        texts.append(vector(first, len(parts), "a"))
        first += len(parts)
    name = f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{'.'.join(types.split())}"
    code = f"    {name} {vector(0, 4, 'd')}, {', '.join(texts)}, %a{first}, {selector};"
    outs = np.stack(run(code, sources, ["b32"] * 4), axis=1)
    got = np.zeros((m, n))
    for lane in range(32):
        for i in range(4):
            got[c_16x8(lane // 4, lane % 4, i)] = outs.view(DTYPES[d_kind])[lane, i]
    np.testing.assert_allclose(got, dense @ b + c, rtol=1e-5, atol=1e-4)
