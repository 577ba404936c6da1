"""Attention in one pass over its keys, by matrix instructions or threads: emulated, against
float64."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError
from teenyir.runtime import cuda_tools
from teenyir.targets import cuda

TF32 = "cuda-emulated{tf32=true}"

B, M, N = ty.Dim("B", max=8), ty.Dim("M", max=300), ty.Dim("N", max=512)


@dataclass(frozen=True)
class Case:
    """Queries, keys and values of extents and types, and what else attention takes."""

    query: tuple[int, ...]
    key: tuple[int, ...]
    columns: int
    dtype: type = np.float16
    causal: bool = False
    mask: str = ""
    dims: tuple[dict[int, ty.Dim], ...] = ({}, {}, {})
    target: str = "cuda-emulated"

    def arrays(self, random: np.random.Generator) -> list[np.ndarray]:
        shapes = (self.query, self.key, (*self.key[:-1], self.columns))
        found = [random.standard_normal(s).astype(np.float32).astype(self.dtype) for s in shapes]
        scores = self.query[-2], self.key[-2]
        if self.mask == "bool":
            found.append(random.random(scores) < 0.5)
            found[-1][3] = False  # a query without keys
            found[-1][5, :64] = False  # one whose first block of keys is masked out
        elif self.mask:
            found.append(random.standard_normal(scores).astype(np.float32))
            found[-1][3] = found[-1][5, :64] = found[-1][:, -20:] = -np.inf
        return found

    def compiled(self, arrays: list[np.ndarray]):
        specs = []
        for array, named in zip(arrays, (*self.dims, {}), strict=False):
            shape = tuple(named.get(axis, n) for axis, n in enumerate(array.shape))
            specs.append(ty.Spec(shape, getattr(ty, array.dtype.name)))

        def attention(q, k, v, mask=None):
            return ty.scaled_dot_product_attention(q, k, v, mask, is_causal=self.causal)

        return ty.trace(attention, *specs).lower(target=self.target).compile(cache=False)

    def expected(self, arrays: list[np.ndarray]) -> np.ndarray:
        q, k, v = (array.astype(np.float64) for array in arrays[:3])
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        if self.mask == "bool":
            scores = np.where(arrays[3], scores, -np.inf)
        elif self.mask:
            scores = scores + arrays[3]
        if self.causal:
            below = np.tri(*scores.shape[-2:], dtype=bool)
            scores = np.where(below, scores, -np.inf)
        most = scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isneginf(most), 0, most))
        total = weights.sum(axis=-1, keepdims=True)
        return weights / np.where(total == 0, 1, total) @ v


CASES = {
    "odd": Case((65, 33), (71, 33), 37),
    "bf16, causal, batches": Case((2, 40, 48), (2, 70, 48), 24, ml_dtypes.bfloat16, causal=True),
    "-inf rows": Case((24, 48), (90, 48), 32, mask="bool"),
    "few features and keys": Case((24, 16), (90, 16), 16),
    "f32": Case((40, 33), (71, 33), 37, np.float32),
    "tf32": Case((40, 33), (71, 33), 37, np.float32, target=TF32),
}
"""What each change is to be tried with: edges, types, masks."""

MORE = {
    "floats as a mask": Case((40, 32), (130, 32), 32, mask="float"),
    "any extents": Case(
        *((2, 33, 16), (2, 130, 16), 24),
        dims=({0: B, 1: M}, {0: B, 1: N}, {0: B, 1: N}),
        causal=True,
    ),
    "heads share keys": Case((2, 3, 33, 32), (2, 1, 65, 32), 32),
    "as wide as there is room": Case((64, 128), (100, 128), 128),
    "sm_75": Case((65, 33), (71, 33), 37, target="cuda-emulated{capability=sm_75}"),
    "sm_90": Case((65, 64), (71, 64), 64, target="cuda-emulated{capability=sm_90}"),
    "CUDA C": Case((65, 33), (71, 33), 37, target="cuda-c-emulated"),
    "f32, causal, batches": Case((2, 40, 48), (2, 70, 48), 24, np.float32, causal=True),
    "tf32, causal, batches": Case(
        (2, 40, 48), (2, 70, 48), 24, np.float32, causal=True, target=TF32
    ),
    "f32, floats as a mask": Case((40, 32), (130, 32), 32, np.float32, mask="float"),
    "tf32, floats as a mask": Case((40, 32), (130, 32), 32, np.float32, mask="float", target=TF32),
    "f32, any extents": Case(
        *((2, 33, 16), (2, 130, 16), 24, np.float32),
        dims=({0: B, 1: M}, {0: B, 1: N}, {0: B, 1: N}),
        causal=True,
    ),
    "f32, as wide as there is room": Case((64, 128), (100, 128), 128, np.float32),
    "tf32, as wide as there is room": Case((64, 128), (100, 128), 128, np.float32, target=TF32),
    "f32, sm_75": Case((65, 33), (71, 33), 37, np.float32, target="cuda-emulated{capability=75}"),
    "f32, CUDA C": Case((65, 33), (71, 33), 37, np.float32, target="cuda-c-emulated"),
    "tf32, CUDA C": Case((65, 33), (71, 33), 37, np.float32, target="cuda-c-emulated{tf32=true}"),
}


@pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, id=name) for name, case in CASES.items()),
        *(pytest.param(case, id=name, marks=pytest.mark.long) for name, case in MORE.items()),
    ],
)
def test_one_kernel_against_float64(case: Case) -> None:
    arrays = case.arrays(np.random.default_rng(5))
    compiled = case.compiled(arrays)
    found = np.asarray(compiled(*arrays)).astype(np.float64)
    (statistics,) = compiled.entry.statistics.values()
    is_exact = case.dtype == np.float32 and "tf32" not in case.target
    assert any(n.startswith("mma.sync") for n in statistics.instructions) is not is_exact
    # scores, weights and results are rounded to the type, of products of about this size
    digits = 2.0**-20 if is_exact else 2.0**-7 if case.dtype == ml_dtypes.bfloat16 else 2.0**-10
    values = np.abs(arrays[2].astype(np.float64)).max()
    np.testing.assert_allclose(found, case.expected(arrays), rtol=0, atol=2 * digits * values)


@pytest.mark.parametrize(
    ("features", "dtype", "target"),
    [
        pytest.param(64, np.float16, "cuda-emulated", id="f16"),
        pytest.param(80, np.float16, "cuda-emulated", id="f16, 80", marks=pytest.mark.long),
        pytest.param(64, np.float32, "cuda-emulated", id="f32", marks=pytest.mark.long),
        pytest.param(40, np.float32, TF32, id="tf32, 40"),
        pytest.param(64, np.float32, TF32, id="tf32", marks=pytest.mark.long),
    ],
)
def test_nothing_as_long_as_the_keys_is_in_memory_and_nothing_meets_in_a_bank(
    features: int, dtype: type, target: str
) -> None:
    arrays = [np.ones((64, features), dtype), *np.ones((2, 128, features), dtype)]
    compiled = Case((64, features), (128, features), features, target=target).compiled(arrays)
    np.testing.assert_array_equal(compiled(*arrays), np.ones((64, features)))
    (statistics,) = compiled.entry.statistics.values()
    assert statistics.bank_conflicts == 0
    stored = [n for name, n in statistics.instructions.items() if name.startswith("st.global")]
    assert sum(stored) * 2 <= 64 * features  # two results at a time, and nothing else
    names = " ".join(statistics.instructions)
    # 32 keys of 80 features, for which there is room, are 2.5 times 16 bytes a thread, or 5 times 8
    copy = "cp.async.ca" if features == 80 else "cp.async.cg"
    assert "ld.local" not in names and copy in names
    try:
        cuda_tools.find_tool("ptxas")
    except CompileError:
        pytest.skip("ptxas is not installed (pip install 'teenyir[ptx]')")
    ptx = compiled.asm["ptx"]
    for capability in ("sm_80", "sm_90"):
        text = re.sub(r"\.target sm_\d+", f".target {capability}", ptx)
        (used,) = cuda_tools.assemble(text, cuda.find(capability)).resources.values()
        assert (used.spill_stores, used.spill_loads, used.stack) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("dtype", "target"),
    [(np.float16, "cuda-emulated"), (np.float32, "cuda-emulated"), (np.float32, TF32)],
    ids=["f16", "f32", "tf32"],
)
def test_values_that_are_not_finite(dtype: type, target: str) -> None:
    """Infinite scores and values make of a row what the plain formula makes of it."""
    random = np.random.default_rng(3)
    case = Case((40, 48), (130, 48), 32, dtype, mask="float", target=target)
    q, k, v, mask = case.arrays(random)
    mask[7, 3], mask[8, 69], v[2, 1], v[66, 4] = np.inf, np.nan, np.inf, -np.inf
    compiled = case.compiled([q, k, v, mask])
    found = np.asarray(compiled(q, k, v, mask)).astype(np.float64)
    assert len(compiled.entry.statistics) == 1
    with np.errstate(invalid="ignore"):
        expected = case.expected([q, k, v, mask])
    np.testing.assert_allclose(found, expected, rtol=0, atol=2.0**-8, equal_nan=True)
