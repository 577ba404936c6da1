"""Products in tiles of registers: emulated, against float64; and what machine code they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir.runtime import cuda_tools
from teenyir.targets import cuda

RANDOM = np.random.default_rng(12)


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    if dtype == np.int32:
        return RANDOM.integers(-(1 << 31), 1 << 31, shape).astype(dtype)
    return RANDOM.standard_normal(shape).astype(dtype)


def product(a, b):
    return a @ b


def turned(a, b):
    return ty.permute_dims(a, (1, 0)) @ ty.permute_dims(b, (1, 0))


def lowered(
    arrays: Sequence[np.ndarray],
    function: Callable[..., Any] = product,
    capability: str = "sm_80",
    target: str = "cuda-emulated",
) -> Any:
    specs = [ty.Spec(a.shape, getattr(ty, a.dtype.name)) for a in arrays]
    return ty.trace(function, *specs).lower(target=f"{target}{{capability={capability}}}")


def is_tiled(program: Any) -> bool:
    return re.search(r"kernel\.stage .*shared>", program.as_text("kernel")) is not None


def check(arrays: Sequence[np.ndarray], function: Callable[..., Any], program: Any) -> None:
    found = np.asarray(program.compile(cache=False)(*arrays)).astype(np.float64)
    wide = [array.astype(np.float64) for array in arrays]
    exact, size = function(*wide), np.abs(wide[0]) @ np.abs(wide[1])
    assert (np.abs(found - exact) <= wide[0].shape[-1] * 2.0**-24 * size).all()


@pytest.mark.parametrize("capability", ["sm_75", "sm_80", "sm_89", "sm_90"])
@pytest.mark.parametrize("shape", [(67, 45, 35), (64, 33, 130)], ids=str)
def test_odd_sizes_on_each_architecture(capability: str, shape: tuple[int, int, int]) -> None:
    """Each launch is checked: no race, no access out of bounds, no barrier that some miss."""
    rows, depth, columns = shape
    arrays = numbers(rows, depth), numbers(depth, columns)
    program = lowered(arrays, capability=capability)
    assert is_tiled(program)
    check(arrays, product, program)


def test_f64() -> None:
    arrays = numbers(65, 19, dtype=np.float64), numbers(19, 66, dtype=np.float64)
    program = lowered(arrays)
    assert is_tiled(program)
    # in the order of the sum, as numpy's own dot of two columns is
    a, b = arrays
    exact = sum(np.longdouble(a[:, k, None]) * np.longdouble(b[k]) for k in range(19))
    found = np.asarray(program.compile(cache=False)(*arrays))
    assert np.abs(found - exact).max() < 1e-14


def test_i32_wraps() -> None:
    arrays = numbers(33, 17, dtype=np.int32), numbers(17, 40, dtype=np.int32)
    program = lowered(arrays)
    assert is_tiled(program)
    assert (np.asarray(program.compile(cache=False)(*arrays)) == arrays[0] @ arrays[1]).all()


def test_batches() -> None:
    arrays = numbers(3, 40, 24), numbers(3, 24, 36)
    program = lowered(arrays)
    assert is_tiled(program)
    check(arrays, product, program)


def test_what_stands_around_a_product() -> None:
    arrays = numbers(48, 24), numbers(24, 50), numbers(50)
    program = lowered(arrays, lambda a, b, c: ty.tanh(ty.maximum(a, 0) @ b + c))
    assert is_tiled(program)
    a, b, c = (array.astype(np.float64) for array in arrays)
    found = np.asarray(program.compile(cache=False)(*arrays))
    assert np.abs(found - np.tanh(np.maximum(a, 0) @ b + c)).max() < 1e-5


def test_a_convolution() -> None:
    image, weights = numbers(1, 5, 9, 7), numbers(32, 5, 3, 3)
    program = lowered((image, weights), lambda x, w: ty.conv(x, w, padding=1))
    assert is_tiled(program)
    padded = np.pad(image.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    exact = np.einsum("nchwuv,ocuv->nohw", windows, weights.astype(np.float64))
    assert np.abs(np.asarray(program.compile(cache=False)(image, weights)) - exact).max() < 1e-4


def test_sizes_that_are_not_known_before_the_call() -> None:
    rows, depth = ty.Dim("M", min=1, max=512), ty.Dim("K", min=0, max=512)
    specs = ty.Spec((rows, depth), ty.float32), ty.Spec((depth, 40), ty.float32)
    program = ty.trace(product, *specs).lower(target="cuda-emulated")
    assert is_tiled(program)
    compiled = program.compile(cache=False)
    for m, k in ((1, 1), (129, 17), (64, 0)):
        a, b = numbers(m, k), numbers(k, 40)
        assert np.allclose(compiled(a, b), a @ b, atol=1e-4)


def test_cuda_c_gives_the_same() -> None:
    arrays = numbers(40, 21), numbers(21, 36)
    found = [
        np.asarray(lowered(arrays, target=target).compile(cache=False)(*arrays))
        for target in ("cuda-emulated", "cuda-c-emulated")
    ]
    assert np.abs(found[0] - found[1]).max() < 1e-5


@pytest.mark.parametrize("function", [product, turned])
def test_tiles_are_read_16_bytes_at_a_time_without_conflicts(function: Callable[..., Any]) -> None:
    a, b = (64, 32), (32, 64)
    arrays = (numbers(*a), numbers(*b)) if function is product else (numbers(*b), numbers(*a))
    compiled = lowered(arrays, function).compile(cache=False)
    compiled(*arrays)
    (counted,) = compiled.entry.statistics.values()
    assert counted.bank_conflicts == 0
    requests = [each for each in counted.accesses.values() if each.space == "global"]
    assert sum(each.actual for each in requests) == sum(each.ideal for each in requests)
    names = set(counted.instructions)
    assert "ld.shared.v4.b32" in names
    assert not {name for name in names if name.startswith("ld.shared.b")}
    assert "cp.async.cg.shared.global" in names


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("capability", ["sm_75", "sm_80", "sm_90"])
def test_machine_code_has_no_spills(capability: str, dtype: Any) -> None:
    arrays = np.zeros((1024, 256), dtype), np.zeros((256, 1024), dtype)
    compiled = lowered(arrays, capability=capability).compile(cache=False)
    code = cuda_tools.assemble(compiled.asm["ptx"], cuda.find(capability))
    (used,) = code.resources.values()
    assert (used.spill_stores, used.spill_loads) == (0, 0)
    assert used.registers <= 168
    (mix,) = cuda_tools.mix(cuda_tools.disassemble(code.cubin)).values()
    # 4 by 4 products, at least, of 8 elements that are loaded, 16 bytes at a time
    multiplied = mix["FFMA" if dtype == np.float32 else "DFMA"]
    assert multiplied >= 2 * 16 // np.dtype(dtype).itemsize * mix["LDS"]
