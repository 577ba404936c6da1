"""Rows that threads share, such as those of a softmax: emulated, against float64."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.diagnostics import CompileError
from teenyir.runtime import cuda_tools
from teenyir.targets import cuda

RANDOM = np.random.default_rng(5)


def layer_norm(x):
    centred = x - ty.mean(x, axis=-1, keepdims=True)
    variance = ty.mean(centred * centred, axis=-1, keepdims=True)
    return centred * ty.rsqrt(variance + 1e-5)


def rms_norm(x):
    return x * ty.rsqrt(ty.mean(x * x, axis=-1, keepdims=True) + 1e-5)


def softmax64(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm64(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def rms_norm64(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


ROWS: list[tuple[Callable, Callable]] = [
    (ty.softmax, softmax64),
    (layer_norm, layer_norm64),
    (rms_norm, rms_norm64),
    (lambda x: ty.sum(x, axis=-1), lambda x: x.sum(-1)),
]
NAMES = ["softmax", "layer norm", "rms norm", "sum"]


@pytest.mark.parametrize("length", [50, 256, 1000])
@pytest.mark.parametrize(("function", "expected"), ROWS, ids=NAMES)
def test_rows_in_registers(function, expected, length: int) -> None:
    """Each element is loaded once, by a warp or by several that meet at one barrier each time."""
    x = RANDOM.standard_normal((6, length)).astype(np.float32)
    traced = ty.trace(function, ty.Spec(x.shape, ty.float32))
    compiled = traced.lower(target="cuda-emulated").compile(cache=False)
    np.testing.assert_allclose(compiled(x), expected(x.astype(np.float64)), rtol=2e-6, atol=2e-6)
    (statistics,) = compiled.entry.statistics.values()
    counts = statistics.instructions
    width = 2 if length == 50 else 4
    loaded = {name: n for name, n in counts.items() if name.startswith("ld.global")}
    assert loaded == {f"ld.global.nc.v{width}.b32": x.size // width}
    assert any(name.startswith("shfl.sync.bfly") for name in counts)
    assert statistics.bank_conflicts == 0
    assert not any(name.startswith(("ld.local", "st.local")) for name in counts)


def test_rows_of_bf16_are_moved_16_bytes_at_a_time() -> None:
    x = RANDOM.standard_normal((5, 512)).astype(ml_dtypes.bfloat16)
    traced = ty.trace(ty.softmax, ty.Spec(x.shape, ty.bfloat16))
    compiled = traced.lower(target="cuda-emulated").compile(cache=False)
    expected = softmax64(x.astype(np.float64))
    np.testing.assert_allclose(np.asarray(compiled(x), np.float64), expected, rtol=2**-8)
    (statistics,) = compiled.entry.statistics.values()
    assert statistics.instructions["ld.global.nc.v4.b32"] == x.size // 8
    assert statistics.instructions["st.global.v4.b32"] == x.size // 8
    assert statistics.uncoalesced_sectors == 0


@pytest.mark.parametrize("length", [1, 31, 77, 777])
def test_rows_of_a_length_that_is_known_when_called(length: int) -> None:
    lengths = ty.Dim("N", min=1)
    traced = ty.trace(ty.softmax, ty.Spec((3, lengths), ty.float32))
    compiled = traced.lower(target="cuda-emulated").compile(cache=False)
    x = RANDOM.standard_normal((3, length)).astype(np.float32)
    np.testing.assert_allclose(compiled(x), softmax64(x.astype(np.float64)), rtol=2e-6)


@pytest.mark.parametrize("count", [0, 1, 7, 9])
def test_rows_whose_number_is_known_when_called(count: int) -> None:
    """Of the rows of the last block some are none."""
    rows = ty.Dim("N", min=0, max=64)
    traced = ty.trace(layer_norm, ty.Spec((rows, 64), ty.float32))
    compiled = traced.lower(target="cuda-emulated").compile(cache=False)
    x = RANDOM.standard_normal((count, 64)).astype(np.float32)
    expected = layer_norm64(x.astype(np.float64))
    np.testing.assert_allclose(compiled(x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64, np.float16])
def test_what_lanes_exchange_has_any_size(dtype) -> None:
    x = RANDOM.integers(-9, 9, (3, 200)).astype(dtype)
    traced = ty.trace(lambda x: ty.max(x, axis=-1), ty.Spec(x.shape, getattr(ty, x.dtype.name)))
    compiled = traced.lower(target="cuda-emulated").compile(cache=False)
    np.testing.assert_array_equal(compiled(x), x.max(axis=-1))


@pytest.mark.parametrize("capability", ["sm_80", "sm_90"])
@pytest.mark.parametrize("function", [ty.softmax, layer_norm], ids=NAMES[:2])
def test_rows_take_no_memory_of_a_thread(function, capability: str) -> None:
    try:
        cuda_tools.find_tool("ptxas")
    except CompileError:
        pytest.skip("ptxas is not installed (pip install 'teenyir[ptx]')")
    traced = ty.trace(function, ty.Spec((64, 4096), ty.float32))
    target = f"cuda-emulated{{capability={capability}}}"
    ptx = traced.lower(target=target).compile(cache=False).asm["ptx"]
    (resources,) = cuda_tools.assemble(ptx, cuda.find(capability)).resources.values()
    assert (resources.spill_stores, resources.spill_loads, resources.stack) == (0, 0, 0)
