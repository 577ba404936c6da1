"""Matrix products whose factors are computed: one kernel by matrix instructions, emulated."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty

RANDOM = np.random.default_rng(5)
F16, BF16, F32, I8 = np.float16, ml_dtypes.bfloat16, np.float32, np.int8


def product(a, b):
    """In the type that the instruction sums in."""
    wide = ty.int32 if a.dtype == ty.int8 else ty.float32
    return a.astype(wide) @ b.astype(wide)


def small(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Numbers whose products add up exactly."""
    return RANDOM.integers(-4, 5, shape).astype(dtype)


def rectified(m: int, k: int, n: int, dtype: type):
    arrays = [small((m, k), dtype), small((k, n), dtype)]
    wide = [a.astype(np.float64) for a in arrays]
    return lambda a, b: product(ty.maximum(a, 0), b), arrays, np.maximum(wide[0], 0) @ wide[1]


def both(m: int, k: int, n: int, dtype: type):
    arrays = [small((m, k), dtype), small((n, k), dtype)]
    wide = [a.astype(np.float64) for a in arrays]
    expected = np.maximum(wide[0], 0) @ (wide[1] * 2).T

    def function(a, b):
        return product(ty.maximum(a, 0), ty.permute_dims(b * 2, (1, 0)))

    return function, arrays, expected


def dequantised(m: int, k: int, n: int, dtype: type):
    weights, scale, x = small((m, k), I8), small((m, 1), dtype), small((k, n), dtype)
    wide = [a.astype(np.float64) for a in (weights, scale, x)]
    type = getattr(ty, np.dtype(dtype).name)
    expected = (wide[0] * wide[1]) @ wide[2]
    return lambda w, s, x: product(w.astype(type) * s, x), [weights, scale, x], expected


def gathered(m: int, k: int, n: int, dtype: type):
    table, rows, w = small((7, k), dtype), RANDOM.integers(0, 7, m), small((k, n), dtype)
    expected = table[rows].astype(np.float64) @ w.astype(np.float64)
    arrays = [table, rows.astype(np.int32), w]
    return lambda table, rows, w: product(ty.take(table, rows, axis=0), w), arrays, expected


def narrowed(m: int, k: int, n: int, dtype: type):
    arrays = [small((m, k), F32), small((k, n), dtype)]
    type = getattr(ty, np.dtype(dtype).name)
    expected = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
    return lambda a, b: product(a.astype(type), b), arrays, expected


KINDS = [rectified, both, dequantised, gathered, narrowed]
TARGETS = [("sm_75", F16), ("sm_80", F16), ("sm_80", BF16), ("sm_80", F32), ("sm_80", I8)]
CASES = [
    *((kind, target) for kind in KINDS for target in TARGETS[:3]),
    *((kind, target) for kind in (rectified, both, gathered) for target in TARGETS[3:]),
]


def compiled_for(function, arrays, capability: str, dtype: type):
    specs = [ty.Spec(a.shape, getattr(ty, a.dtype.name)) for a in arrays]
    tf32 = str(dtype == F32).lower()
    target = f"cuda-emulated{{capability={capability} tf32={tf32}}}"
    return ty.trace(function, *specs).lower(target=target).compile(cache=False)


@pytest.mark.parametrize(
    "size", [(33, 71, 45), pytest.param((64, 96, 64), marks=pytest.mark.long)], ids=str
)
@pytest.mark.parametrize(
    ("kind", "target"), CASES, ids=lambda each: getattr(each, "__name__", str(each))
)
def test_one_kernel_computes_its_factors(kind, target, size: tuple[int, int, int]) -> None:
    """Loads of one step are under way while the one before is multiplied; one barrier a step."""
    capability, dtype = target
    function, arrays, expected = kind(*size, dtype)
    compiled = compiled_for(function, arrays, capability, dtype)
    np.testing.assert_array_equal(np.asarray(compiled(*arrays)).astype(np.float64), expected)
    (statistics,) = compiled.entry.statistics.values()
    assert any(name.startswith("mma") for name in statistics.instructions)
    assert statistics.bank_conflicts == 0
    steps = -(-size[1] * np.dtype(dtype).itemsize // 64)
    assert statistics.barriers == steps
    assert capability == "sm_80" or not any("cp.async" in n for n in statistics.instructions)


def test_threads_that_find_a_sum_together_do_not_read_where_one_writes_it() -> None:
    """One element of a sum, and what it is multiplied with, are no buffer written in place."""
    arrays = [small(shape, F16) for shape in ((1, 33), (33, 1), (33, 1))]
    a, b, c = (array.astype(np.float64) for array in arrays)
    found = compiled_for(lambda a, b, c: product(a, b) * product(a, c), arrays, "sm_80", F16)(
        *arrays
    )
    np.testing.assert_array_equal(found, (a @ b) * (a @ c))


def test_of_one_row_and_column() -> None:
    """A product of vectors is formed otherwise."""
    for kind in KINDS:
        function, arrays, expected = kind(1, 130, 1, F16)
        found = compiled_for(function, arrays, "sm_80", F16)(*arrays)
        np.testing.assert_array_equal(np.asarray(found).astype(np.float64), expected)


def test_loads_are_of_16_bytes_where_they_can_be() -> None:
    """Of bytes that become 2 bytes each, 8 at a time; of 4 bytes, twice 4."""
    for kind in KINDS:
        function, arrays, _ = kind(128, 64, 128, F16)
        compiled = compiled_for(function, arrays, "sm_80", F16)
        compiled(*arrays)
        (statistics,) = compiled.entry.statistics.values()
        widest = "v2.b32" if kind is dequantised else "v4.b32"
        found = {n: c for n, c in statistics.instructions.items() if n.startswith("ld.global")}
        assert f"ld.global.nc.{widest}" in found, found
        assert statistics.uncoalesced_sectors == 0


def test_what_is_rounded_before_a_product_is_written_and_copied_so() -> None:
    x, w = small((64, 96), F16), small((96, 64), F16)

    def weighted(x, w):
        return ty.softmax(x.astype(ty.float32)).astype(ty.float16) @ w

    compiled = compiled_for(weighted, [x, w], "sm_80", F16)
    powers = np.exp(x.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True) @ w.astype(np.float64)
    found = np.asarray(compiled(x, w)).astype(np.float64)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2.0**-9 * np.abs(w).max())
    first, second = compiled.entry.statistics.values()
    assert not any("cp.async" in name for name in first.instructions)
    names = {name for name in second.instructions if name.startswith(("cp.async", "ld.global"))}
    assert "cp.async.cg.shared.global" in names and not any("ld." in name for name in names)


def test_special_numbers_and_rows_that_are_not_known() -> None:
    """Beyond the end of the sum a factor is 0, whatever is computed of what is not there."""
    rows, depth = ty.Dim("M", min=0, max=70), ty.Dim("K", min=0, max=70)
    specs = (ty.Spec((rows, depth), ty.float16), ty.Spec((depth, 9), ty.float16))

    def function(a, b):
        return product(ty.maximum(a, -1) + 1, b + 1)

    compiled = ty.trace(function, *specs).lower(target="cuda-emulated").compile(cache=False)
    assert "mma.sync" in compiled.asm["ptx"]
    for m, k in ((0, 5), (5, 0), (1, 1), (65, 33)):
        a, b = small((m, k), F16), small((k, 9), F16)
        if m > 4:
            a[1:3, :1] = np.nan
            a[3:4, :1] = np.inf
        expected = (np.maximum(a, F16(-1)) + 1).astype(np.float64) @ (b + 1).astype(np.float64)
        np.testing.assert_array_equal(compiled(a, b), expected)
    a = np.full((4, 5), -0.0, F16)
    np.testing.assert_array_equal(compiled(a, np.zeros((5, 9), F16)), np.full((4, 9), 5.0))
