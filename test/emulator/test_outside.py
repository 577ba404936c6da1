"""PTX made by nvcc, Triton and LLVM gives numpy's results, and checking finds nothing in it.

The fixtures are made by `fixtures/generate.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teenyir import emulator

FIXTURES = Path(__file__).parent / "fixtures"
BFLOAT16 = np.dtype("bfloat16")
RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module")
def cuda() -> emulator.Module:
    return emulator.load(FIXTURES / "kernels.ptx")


def triton(name: str, grid: Any, args: list[Any], threads: int = 128) -> emulator.Launch:
    """Launch a Triton fixture: its dynamic shared memory stands in its first line, and its last
    two parameters are scratch pointers, which none of these uses."""
    path = FIXTURES / f"{name}.ptx"
    module = emulator.load(path)
    shared = int(path.read_text().splitlines()[0].rpartition("=")[2])
    kernel = module.kernels[0]
    missing = len(module.program.functions[kernel].parameters) - len(args)
    return module.launch(
        kernel, grid=grid, block=threads, args=[*args, *[0] * missing], shared=shared
    )


def test_vector_add(cuda: emulator.Module) -> None:
    x, y = RANDOM.random((2, 1000), np.float32)
    out = np.zeros(1000, np.float32)
    launch = cuda.launch("vector_add", grid=4, block=256, args=[x, y, out, np.int32(1000)])
    assert (out == x + y).all()
    assert launch.statistics.ctas == 4
    assert launch.statistics.uncoalesced_sectors == 0


def test_tiled_product(cuda: emulator.Module) -> None:
    n = 48
    a, b = RANDOM.standard_normal((2, n, n)).astype(np.float32)
    c = np.zeros((n, n), np.float32)
    launch = cuda.launch("tiled_product", grid=(3, 3), block=(16, 16), args=[a, b, c, n])
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)
    assert launch.statistics.barriers == 9 * 6


def test_histogram(cuda: emulator.Module) -> None:
    data = RANDOM.integers(0, 256, 5000).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    cuda.launch("histogram", grid=3, block=128, args=[data, bins, data.size])
    assert (bins == np.bincount(data, minlength=256)).all()


def test_scan(cuda: emulator.Module) -> None:
    data = RANDOM.integers(-100, 100, 500).astype(np.int32)
    out = np.zeros_like(data)
    cuda.launch("scan_blocks", grid=2, block=256, args=[data, out, data.size])
    expected = np.concatenate([data[:256].cumsum(), data[256:].cumsum()])
    assert (out == expected).all()


def test_radix_sort(cuda: emulator.Module) -> None:
    keys = RANDOM.integers(0, 2**16, 256).astype(np.uint32)
    source, target = keys.copy(), np.zeros_like(keys)
    for shift in range(0, 16, 4):
        cuda.launch("radix_pass", grid=1, block=256, args=[source, target, shift])
        source, target = target, source
    assert (source == np.sort(keys)).all()


def test_last_block_sum(cuda: emulator.Module) -> None:
    """Fences and an atomic counter order what earlier blocks wrote."""
    data = RANDOM.random(3000, np.float32)
    partial, out = np.zeros(4, np.float32), np.zeros(1, np.float32)
    for _ in range(2):  # the counter in global memory is back at zero after a launch
        out[:] = 0
        cuda.launch("last_block_sum", grid=4, block=256, args=[data, partial, out, data.size])
        np.testing.assert_allclose(out[0], data.astype(np.float64).sum(), rtol=1e-6)
    assert cuda.variable("finished", np.uint32)[0] == 0


def test_mma_product(cuda: emulator.Module) -> None:
    m, n, k = 64, 128, 96
    a = RANDOM.standard_normal((m, k)).astype(BFLOAT16)
    b = RANDOM.standard_normal((n, k)).astype(BFLOAT16)
    c = np.zeros((m, n), np.float32)
    cuda.launch("mma_product", grid=(n // 64, m // 64), block=128, args=[a, b, c, n, k])
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, atol=1e-3)


def test_functions(cuda: emulator.Module) -> None:
    numbers, doubles = np.zeros(64, np.int32), RANDOM.random(64)
    before = doubles.copy()
    launch = cuda.launch("functions", grid=1, block=64, args=[numbers, doubles])
    index = np.arange(64)
    fibonacci = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    assert (numbers == fibonacci[index % 10]).all()
    assert (doubles == np.where(index % 3 != 0, before * 2, before / 2)).all()
    lines = launch.output.splitlines()
    assert sorted(lines) == [
        f"thread 0 has {doubles[0]:5.2f} and zero",
        f"thread 1 has {doubles[1]:5.2f} and one",
    ]


def test_virtual_calls(cuda: emulator.Module) -> None:
    x = RANDOM.random(32, np.float32)
    before = x.copy()
    cuda.launch("virtual_calls", grid=1, block=32, args=[x])
    assert (x == np.where(np.arange(32) % 2, before * 3, before + 1)).all()


def test_llvm() -> None:
    x, out = RANDOM.random(128, np.float32), np.zeros(128, np.float32)
    module = emulator.load(FIXTURES / "reverse.ptx")
    module.launch("reverse", grid=1, block=128, args=[x, out, 128])
    assert (out == (np.sqrt(x[::-1]).astype(np.float16) + np.float16(1)).astype(np.float32)).all()


@pytest.mark.long
def test_large_product(cuda: emulator.Module) -> None:
    """512 by 512 by 512 in bf16, checked; the benchmark says in which time."""
    n = 512
    a, b = RANDOM.standard_normal((2, n, n)).astype(BFLOAT16)
    c = np.zeros((n, n), np.float32)
    cuda.launch("mma_product", grid=(8, 8), block=128, args=[a, b, c, n, n])
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, atol=1e-3)


# name, dtype of the operands and of the result, bound on the error
MATMULS: list[tuple[str, Any, Any, float]] = [
    ("f16", np.float16, np.float32, 1e-3),
    ("bf16", BFLOAT16, np.float32, 1e-3),
    ("tf32", np.float32, np.float32, 0.1),
    ("f64", np.float64, np.float64, 1e-10),
    ("s8", np.int8, np.int32, 0),
    ("e4m3", np.dtype("float8_e4m3fn"), np.float32, 1e-3),
]


@pytest.mark.parametrize(("name", "dtype", "result", "bound"), MATMULS, ids=[r[0] for r in MATMULS])
def test_triton_matmul(name: str, dtype: Any, result: Any, bound: float) -> None:
    m, n, k = 80, 64, 112
    if name == "s8":
        a, b = (RANDOM.integers(-128, 128, shape).astype(dtype) for shape in ((m, k), (k, n)))
    else:
        a, b = (RANDOM.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), result)
    tile = 32 if name == "f64" else 64
    triton(f"matmul_{name}", (-(-m // tile), n // tile), [a, b, c, m, n, k])
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=0, atol=bound)


def test_triton_softmax() -> None:
    x = RANDOM.standard_normal((3, 777)).astype(np.float32) * 4
    out = np.zeros_like(x)
    triton("softmax", 3, [x, out, 777])
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


def test_triton_layer_norm() -> None:
    x = RANDOM.standard_normal((3, 1000)).astype(np.float32) * 3 + 1
    weight, bias = RANDOM.standard_normal((2, 1000)).astype(np.float32)
    out = np.zeros_like(x)
    triton("layer_norm", 3, [x, weight, bias, out, 1000, np.float32(1e-5)])
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_allclose(out, expected, atol=1e-5)


def test_triton_attention() -> None:
    length, width = 100, 32
    q, k, v = RANDOM.standard_normal((3, length, width)).astype(np.float16)
    out = np.zeros((length, width), np.float16)
    triton("attention", 2, [q, k, v, out, length, np.float32(width**-0.5)])
    scores = q.astype(np.float64) @ k.astype(np.float64).T * width**-0.5
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = e / e.sum(axis=1, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(out.astype(np.float64), expected, atol=4e-3)
