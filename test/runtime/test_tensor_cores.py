"""Products in the matrix instructions of tensor cores: emulated, against float64; and in SASS."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from in_pairs import in_pairs

import teenyir as ty
from teenyir.diagnostics import CompileError
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module
from teenyir.runtime import cuda_tools
from teenyir.targets import cuda

RANDOM = np.random.default_rng(11)
ODD = ((65, 33), (33, 71))
"""Rows, depth and columns that no instruction divides."""


def numbers(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    if dtype == np.int8:
        return RANDOM.integers(-128, 128, shape).astype(dtype)
    return RANDOM.standard_normal(shape).astype(np.float32).astype(dtype)


def product(a, b):
    """In the type that the instruction sums in."""
    wide = ty.int32 if a.dtype == ty.int8 else ty.float32
    return a.astype(wide) @ b.astype(wide)


ROWS = [
    ("sm_75", np.float16, "m16n8k8.row.col.f32.f16.f16.f32", "HMMA"),
    ("sm_80", np.float16, "m16n8k16.row.col.f32.f16.f16.f32", "HMMA"),
    ("sm_80", ml_dtypes.bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32", "HMMA"),
    ("sm_80", np.int8, "m16n8k32.row.col.s32.s8.s8.s32", "IMMA"),
    ("sm_89", ml_dtypes.float8_e4m3fn, "m16n8k32.row.col.f32.e4m3.e4m3.f32", "QMMA"),
    ("sm_89", ml_dtypes.float8_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", "QMMA"),
    ("sm_80", np.float32, "m16n8k8.row.col.f32.tf32.tf32.f32", "HMMA"),
]
"""For each row of the table the instruction in PTX, and in SASS."""


def traced(arrays, function=product):
    names = {ml_dtypes.float8_e5m2: "float8_e5m2", ml_dtypes.float8_e4m3fn: "float8_e4m3fn"}
    specs = [ty.Spec(a.shape, getattr(ty, names.get(a.dtype.type, a.dtype.name))) for a in arrays]
    return ty.trace(function, *specs)


@pytest.mark.parametrize(("capability", "dtype", "instruction", "sass"), ROWS)
def test_each_row_against_float64(capability, dtype, instruction: str, sass: str) -> None:
    arrays = [numbers(shape, dtype) for shape in ODD]
    target = f"cuda-emulated{{capability={capability} tf32={str(dtype == np.float32).lower()}}}"
    compiled = traced(arrays).lower(target=target).compile(cache=False)
    found = compiled(*arrays)
    assert instruction in compiled.asm["ptx"]
    a, b = (array.astype(np.float64) for array in arrays)
    scale = np.abs(a) @ np.abs(b)
    # a factor that is rounded to 10 digits behind the point is off by half a unit at most
    digits = 0 if dtype == np.int8 else 1.001 * 2.0**-10 if dtype == np.float32 else 2.0**-22
    assert (np.abs(found - a @ b) <= digits * scale).all()


LAYOUTS = [
    ("sm_80", ml_dtypes.bfloat16, "tf32=false"),
    ("sm_75", np.float16, "tf32=false"),
    ("sm_80", np.float32, "tf32=true"),
]


@pytest.mark.parametrize("turned", [(False, False), (True, True)], ids=["plain", "turned"])
@pytest.mark.parametrize(("capability", "dtype", "options"), LAYOUTS)
def test_factors_go_by_way_of_shared_memory_without_conflicts(
    capability, dtype, options: str, turned: tuple[bool, bool]
) -> None:
    """16 bytes at a time, from sm_80 on ahead of their use, and no two in one bank."""

    def function(a, b):
        pair = [ty.permute_dims(x, (1, 0)) if t else x for x, t in zip((a, b), turned, strict=True)]
        return product(*pair)

    a, b = numbers((64, 96), dtype), numbers((96, 64), dtype)
    arrays = [x.T.copy() if t else x for x, t in zip((a, b), turned, strict=True)]
    target = f"cuda-emulated{{capability={capability} {options}}}"
    compiled = traced(arrays, function).lower(target=target).compile(cache=False)
    found = compiled(*arrays)
    wide = a.astype(np.float64) @ b.astype(np.float64)
    scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    assert (np.abs(found - wide) <= (2.0**-9 if dtype == np.float32 else 2.0**-22) * scale).all()
    (statistics,) = compiled.entry.statistics.values()
    assert (statistics.bank_conflicts, statistics.uncoalesced_sectors) == (0, 0)
    names = " ".join(statistics.instructions)
    assert "ldmatrix" in names or dtype == np.float32
    assert ("cp.async.cg" in names) == (capability == "sm_80")
    assert "ld.global.nc.b16" not in names and "ld.global.nc.b32" not in names


FEW = [(5, 7, 3), (40, 32, 8), (17, 33, 40), (64, 64, 64), (16, 64, 24)]


TAKEN = [
    ("sm_80", np.int8, "tf32=false"),
    ("sm_89", ml_dtypes.float8_e4m3fn, "tf32=false"),
    ("sm_80", np.float32, "tf32=true"),
]


@pytest.mark.parametrize(
    ("row", "size", "turned"),
    in_pairs(TAKEN, FEW, [(False, False), (True, False), (True, True)]),
)
def test_elements_taken_one_by_one_are_in_different_banks(
    row, size: tuple[int, int, int], turned: tuple[bool, bool]
) -> None:
    """Whatever lies along memory, and however little of it there is."""
    capability, dtype, options = row

    def function(a, b):
        pair = [ty.permute_dims(x, (1, 0)) if t else x for x, t in zip((a, b), turned, strict=True)]
        return product(*pair)

    m, k, n = size
    random = np.random.default_rng(3)
    a, b = (random.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    arrays = [x.T.copy() if t else x for x, t in zip((a, b), turned, strict=True)]
    target = f"cuda-emulated{{capability={capability} {options}}}"
    compiled = traced(arrays, function).lower(target=target).compile(cache=False)
    found = np.asarray(compiled(*arrays)).astype(np.float64)
    np.testing.assert_array_equal(found, a.astype(np.float64) @ b.astype(np.float64))
    (statistics,) = compiled.entry.statistics.values()
    assert statistics.bank_conflicts == 0
    assert any(name.startswith("mma") for name in statistics.instructions)


def test_bytes_of_the_second_factor_are_transposed_by_two() -> None:
    """Two permutations of bytes for the four instructions of a warp that share a second factor, and
    no element by itself."""
    arrays = [RANDOM.integers(-128, 128, shape).astype(np.int8) for shape in ((64, 64), (64, 64))]
    compiled = traced(arrays).lower(target="cuda-emulated").compile(cache=False)
    a, b = (array.astype(np.int64) for array in arrays)
    np.testing.assert_array_equal(compiled(*arrays), a @ b)
    (statistics,) = compiled.entry.statistics.values()
    counted = statistics.instructions
    assert not any(name.startswith("ld.shared") for name in counted)
    (multiplied,) = [count for name, count in counted.items() if name.startswith("mma")]
    assert counted["prmt.b32"] == multiplied // 4 * 2
    assert (statistics.bank_conflicts, statistics.uncoalesced_sectors) == (0, 0)


def tf32(numbers: np.ndarray) -> np.ndarray:
    """The nearest numbers with 10 digits behind the point, ties away from zero, in f64."""
    mantissa, exponent = np.frexp(numbers.astype(np.float64))
    scaled = np.abs(mantissa) * 2.0**11
    return np.copysign(np.ldexp(np.floor(scaled + 0.5) * 2.0**-11, exponent), numbers)


def test_factors_are_rounded_to_tf32() -> None:
    """Numbers just below the next one with 10 digits, and ties, of both signs."""
    steps = np.arange(33, dtype=np.float32)
    a = 1 + steps * np.float32(2**-10) + np.float32(2**-10 - 2**-23)
    b = np.float32(2**-11) - 1 - steps * np.float32(2**-10)
    left, right = np.tile(a, (20, 1)), np.tile(b[:, None], (1, 9))
    target = "cuda-emulated{tf32=true}"
    lowered = traced([left, right]).lower(target=target)
    compiled = lowered.compile(cache=False)
    found = compiled(left, right)
    expected = tf32(left) @ tf32(right)
    np.testing.assert_allclose(found, expected, rtol=2.0**-22)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    assert (np.abs(found - exact) <= 2.0**-10 * np.abs(exact)).all()
    assert "cvt.rna.tf32.f32" in compiled.asm["ptx"]
    for floor in ("kernel", "uop"):
        (interpreted,) = run(parse_module(lowered.as_text(floor), floor), [left, right])
        np.testing.assert_allclose(interpreted, expected, rtol=2.0**-22)


@pytest.mark.parametrize(("capability", "dtype", "instruction", "sass"), ROWS)
def test_each_row_in_machine_code(capability, dtype, instruction: str, sass: str) -> None:
    try:
        cuda_tools.find_tool("ptxas")
    except CompileError:
        pytest.skip("ptxas is not installed (pip install 'teenyir[ptx]')")
    arrays = [numbers(shape, dtype) for shape in ODD]
    target = f"cuda-emulated{{capability={capability} tf32={str(dtype == np.float32).lower()}}}"
    ptx = traced(arrays).lower(target=target).compile(cache=False).asm["ptx"]
    code = cuda_tools.assemble(ptx, cuda.find(capability))
    (instructions,) = cuda_tools.mix(cuda_tools.disassemble(code.cubin)).values()
    (resources,) = code.resources.values()
    assert instructions[sass] >= 8, instructions
    # ptxas keeps to 64 registers on sm_75 alone
    assert resources.spill_stores == 0 or capability == "sm_75"


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda a, b: ty.maximum(a @ b, 0), [(40, 24), (24, 9)]),
        (lambda a, b: a @ b, [(3, 17, 20), (3, 20, 9)]),
        (lambda a, b: ty.permute_dims(a, (1, 0)) @ ty.permute_dims(b, (1, 0)), [(20, 17), (9, 20)]),
        (lambda a, b: (a + 1) @ (b * 2), [(18, 19), (19, 8)]),
    ],
    ids=["epilogue", "batches", "transposed", "computed factors"],
)
def test_what_stands_around_a_product(function, shapes) -> None:
    arrays = [numbers(shape, np.float16) for shape in shapes]
    lowered = traced(arrays, function).lower(target="cuda-emulated")
    compiled = lowered.compile(cache=False)
    expected = traced(arrays, function).lower(target="cpu").compile(cache=False)(*arrays)
    np.testing.assert_allclose(
        compiled(*arrays).astype(np.float32), expected.astype(np.float32), rtol=2e-2, atol=2e-2
    )
    assert "mma.sync" in compiled.asm["ptx"]


def test_rows_that_are_not_known_before_the_call() -> None:
    rows = ty.Dim("N", min=0, max=300)
    specs = (ty.Spec((rows, 20), ty.float16), ty.Spec((20, 9), ty.float16))
    compiled = ty.trace(product, *specs).lower(target="cuda-emulated").compile(cache=False)
    assert "mma.sync" in compiled.asm["ptx"]
    b = numbers((20, 9), np.float16)
    for count in (0, 1, 130):
        a = numbers((count, 20), np.float16)
        expected = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_allclose(compiled(a, b), expected, rtol=1e-3, atol=1e-4)


def test_lanes_that_wait_for_each_other_stay_together() -> None:
    """Few rows and many steps: lanes without a row come to the instruction before the others."""
    arrays = [numbers((3, 256), np.float16), numbers((256, 10), np.float16)]
    found = traced(arrays).lower(target="cuda-emulated").compile(cache=False)(*arrays)
    a, b = (array.astype(np.float64) for array in arrays)
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-4)


def share_in_matrix_instructions(statistics) -> float:
    """Of all multiply-adds of a launch the part that matrix instructions do."""
    matrix = scalar = 0
    for name, lanes in statistics.instructions.items():
        if shape := re.match(r"mma\.sync\.aligned\.m(\d+)n(\d+)k(\d+)", name):
            m, n, k = map(int, shape.groups())
            matrix += lanes // 32 * m * n * k
        elif name.startswith(("fma.", "mad.lo", "mul.f", "mul.rn")):
            scalar += lanes
    return matrix / max(matrix + scalar, 1)


def conv(**options):
    """A convolution in the type that the instruction sums in."""

    def function(x, w):
        wide = ty.int32 if x.dtype == ty.int8 else ty.float32
        return ty.conv(x.astype(wide), w.astype(wide), **options)

    return function


F16, BF16, I8 = np.float16, ml_dtypes.bfloat16, np.int8

SAMPLE = {
    "product": (product, [(17, 19), (19, 23)], [F16], [BF16, I8]),
    "blocks": (product, [(65, 33), (33, 71)], [], [F16, BF16, I8]),
    "small": (product, [(5, 7), (7, 3)], [I8], [F16, BF16]),
    "deep": (product, [(31, 129), (129, 65)], [], [F16, I8]),
    "high": (product, [(129, 31), (31, 9)], [], [BF16, I8]),
    "batches": (product, [(3, 17, 21), (3, 21, 19)], [BF16], [I8]),
    "one factor for all": (product, [(3, 17, 21), (21, 19)], [], [F16, I8]),
    "batches of batches": (product, [(2, 3, 17, 21), (2, 3, 21, 19)], [], [F16]),
    "turned": (
        lambda a, b: ty.permute_dims(product(ty.permute_dims(a, (1, 0)), b.T), (1, 0)),
        *([(21, 17), (19, 21)], [], [F16, BF16, I8]),
    ),
    "batches inside": (
        lambda a, b: product(ty.permute_dims(a, (1, 0, 2)), b),
        *([(17, 3, 21), (3, 21, 19)], [], [F16, I8]),
    ),
    "images": (conv(padding=1), [(2, 5, 9, 11), (7, 5, 3, 3)], [], [F16, BF16, I8]),
    "pixels": (conv(), [(2, 5, 9, 7), (11, 5, 1, 1)], [], [F16, I8]),
    "signals": (conv(stride=3), [(2, 5, 41), (7, 5, 5)], [], [F16, I8]),
    "volumes": (conv(padding=1), [(1, 3, 5, 5, 7), (5, 3, 3, 3, 3)], [], [BF16]),
    "stride": (conv(stride=2, padding=1), [(2, 5, 11, 9), (7, 5, 3, 3)], [], [F16, I8]),
    "dilation": (conv(dilation=2, padding=2), [(2, 5, 11, 9), (7, 5, 3, 3)], [], [F16, I8]),
    "groups": (conv(groups=3, padding=1), [(2, 9, 7, 9), (15, 3, 3, 3)], [], [F16, I8]),
    "groups, stride and dilation": (
        conv(groups=3, stride=2, dilation=2, padding=1),
        *([(2, 9, 13, 11), (15, 3, 3, 3)], [BF16], [I8]),
    ),
}
"""By name: a sum of products, shapes without a multiple of a tile, and the types of the factors in
which it is summed each time, and in long tests alone."""


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(
            *(name, dtype),
            id=f"{name}-{np.dtype(dtype).name}",
            marks=pytest.mark.long if dtype in slow else (),
        )
        for name, (_, _, quick, slow) in SAMPLE.items()
        for dtype in (*quick, *slow)
    ],
)
def test_odd_products_are_nearly_all_in_matrix_instructions(name: str, dtype) -> None:
    function, shapes, _, _ = SAMPLE[name]
    arrays = [RANDOM.integers(-4, 5, shape).astype(dtype) for shape in shapes]
    compiled = traced(arrays, function).lower(target="cuda-emulated").compile(cache=False)
    found = compiled(*arrays)
    exact = traced(arrays, function).lower(target="interpret{floor=graph}").compile()
    np.testing.assert_array_equal(found, exact(*arrays))  # small integers add up exactly
    (statistics,) = compiled.entry.statistics.values()
    assert share_in_matrix_instructions(statistics) >= 0.8


def test_both_products_of_attention_are_in_matrix_instructions() -> None:
    from teenyir.frontend.attention import scaled_dot_product_attention

    arrays = [numbers((2, 37, 32), ml_dtypes.bfloat16) for _ in "qkv"]
    compiled = (
        traced(arrays, scaled_dot_product_attention)
        .lower(target="cuda-emulated")
        .compile(cache=False)
    )
    found = compiled(*arrays).astype(np.float64)
    q, k, v = (a.astype(np.float64) for a in arrays)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(32)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(found, weights @ v, rtol=5e-2, atol=2e-2)
    shares = [share_in_matrix_instructions(s) for s in compiled.entry.statistics.values()]
    assert min(shares) >= 0.8, shares  # of either product alone it would be about a half
