"""simplify-kernel keeps what a kernel computes: on every golden, and each row is met in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from teenyir.dialects import dtypes, kernel
from teenyir.interpreter import run
from teenyir.passes.kernel.simplify import FAST_CLOSED_FORMS, ROWS, SimplifyKernel
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.rewriting.base import Session

Array = NDArray[Any]

GOLDENS = sorted((Path(__file__).parent / "simplify").glob("*.mlir"))
FAST = "fast_math"
SPECIAL = (0.0, -0.0, 1.5, -2.0, np.nan, np.inf, -np.inf)
"""Sums of these are the same in any order."""


def kernels() -> list[Any]:
    found: list[Any] = []
    for path in GOLDENS:
        module = parse_module(path.read_text(), str(path))
        for func in module.body.block.ops:
            assert isinstance(func, kernel.FuncOp)
            name = f"{path.stem}/{func.sym_name.data}"
            found.append(pytest.param(func, path.stem == FAST, id=name))
    return found


def alone(func: kernel.FuncOp) -> ModuleOp:
    return ModuleOp([func.clone()])


def simplified(func: kernel.FuncOp, fast: bool) -> tuple[ModuleOp, Session]:
    module, session = alone(func), Session(pass_name="simplify-kernel")
    (copy,) = module.body.block.ops
    SimplifyKernel(fast_math=fast).run(copy, session)
    verify_module(module)
    return module, session


def values(rng: np.random.Generator, shape: tuple[int, ...], element: Any, special: bool) -> Array:
    dtype = dtypes.of_element(element)
    assert dtype is not None
    if dtype.kind != "float":
        # small ones: many are indices, some of them out of range
        return rng.integers(-2 if dtype.bits > 1 else 0, 12, shape).astype(dtype.numpy())
    if special:
        return rng.choice(SPECIAL, shape).astype(dtype.numpy())
    return rng.integers(-8, 8, shape).astype(dtype.numpy())


def inputs(func: kernel.FuncOp, dims: dict[str, int], seed: int, special: bool) -> list[Array]:
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for mode, argument in func.buffers:
        type = argument.type
        assert isinstance(type, kernel.BufferType)
        if mode != "out":
            shape = tuple(extent.evaluate(dims) for extent in type.extents)
            found.append(values(rng, shape, type.element, special))
    return found


def sizes(func: kernel.FuncOp) -> list[dict[str, int]]:
    if not func.dims.data:
        return [{}]
    (dim,) = func.dims.data
    return [{dim.name: size} for size in dict.fromkeys((dim.min, dim.min + 3 * dim.step))]


@pytest.mark.parametrize(("func", "fast"), kernels())
def test_values_stay(func: kernel.FuncOp, fast: bool) -> None:
    require_same(func, fast, special=False)


@pytest.mark.parametrize(("func", "fast"), [p for p in kernels() if not p.values[1]])
def test_special_values_stay(func: kernel.FuncOp, fast: bool) -> None:
    require_same(func, fast, special=True)


def require_same(func: kernel.FuncOp, fast: bool, special: bool) -> None:
    module, _ = simplified(func, fast)
    for dims in sizes(func):
        for seed in range(5):
            arrays = inputs(func, dims, seed, special)
            before = run(alone(func), arrays, dims=dims)
            after = run(module, arrays, dims=dims)
            for x, y in zip(before, after, strict=True):
                assert x.dtype == y.dtype
                np.testing.assert_array_equal(y, x)
                numbers = ~np.isnan(x)
                np.testing.assert_array_equal(np.signbit(y)[numbers], np.signbit(x)[numbers])


def test_every_row_fires_in_a_golden() -> None:
    fired = set[str]()
    for parameter in kernels():
        func, fast = parameter.values
        fired |= {name for _, name in simplified(func, fast)[1].statistics}
    assert {row.name for row in (*ROWS, *FAST_CLOSED_FORMS)} <= fired
