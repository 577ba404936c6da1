"""Each row of simplify-graph keeps every bit: the goldens are run before and after, on the values
that break folds, and each row is met in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from teenyir.dialects import graph
from teenyir.interpreter import run
from teenyir.passes.graph.simplify import FAST_ROWS, ROWS, SimplifyGraph
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.rewriting.base import Session

Array = NDArray[Any]

GOLDENS = sorted((Path(__file__).parent / "simplify").glob("*.mlir"))
FAST = ("fast_math", "fast_one_hot", "convolutions")
FLOATS = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 2.5, -3.0, 0.1, 1e30, -1e30, 1e-40, 3e38)
SIZES = (1, 3)
"""What named extents are, where their ranges allow it."""


def functions() -> list[Any]:
    found: list[Any] = []
    for path in GOLDENS:
        for func in parse_module(path.read_text(), str(path)).body.block.ops:
            assert isinstance(func, FuncOp)
            name = f"{path.stem}/{func.sym_name.data}"
            found.append(pytest.param(func, path.stem in FAST, id=name))
    return found


def simplified(func: FuncOp, fast: bool) -> tuple[ModuleOp, Session]:
    module, session = ModuleOp([func.clone()]), Session(pass_name="simplify-graph")
    (copy,) = module.body.block.ops
    SimplifyGraph(fast_math=fast).run(copy, session)
    verify_module(module)
    return module, session


def values(rng: np.random.Generator, shape: tuple[int, ...], type: graph.Tensor) -> Array:
    dtype = graph.dtype_of(type.element_type)
    if dtype.kind == "float":
        with np.errstate(over="ignore"):
            numbers = np.array(FLOATS).astype(dtype.numpy())
    else:
        low, high = (0, 2) if dtype.kind == "bool" else _range(dtype.numpy())
        numbers = np.array([low, low + 1, 0, 1, high - 1, *rng.integers(low, high, 20)])
    return rng.choice(numbers, shape).astype(dtype.numpy())


def _range(dtype: Any) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def sizes(func: FuncOp) -> list[dict[str, int]]:
    dims = graph.symbols(func)
    return [
        {dim.name: max(dim.min, min(size * dim.step, dim.max or size)) for dim in dims}
        for size in (SIZES if dims else SIZES[:1])
    ]


@pytest.mark.parametrize(("func", "fast"), [p for p in functions() if p.values[1]])
def test_fast_math_keeps_finite_values_within_roundings(func: FuncOp, fast: bool) -> None:
    rng = np.random.default_rng(0)
    arrays: list[Array] = []
    for argument in func.args:
        type = graph.tensor_type(argument)
        shape = tuple(extent.evaluate({}) for extent in graph.extents(type))
        arrays.append((rng.random(shape) * 9 + 1).astype(graph.dtype_of(type.element_type).numpy()))
    before = run(ModuleOp([func.clone()]), arrays)
    after = run(simplified(func, fast)[0], arrays)
    for x, y in zip(before, after, strict=True):
        np.testing.assert_allclose(y, x, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize(("func", "fast"), [p for p in functions() if not p.values[1]])
def test_every_bit_is_kept(func: FuncOp, fast: bool) -> None:
    module, _ = simplified(func, fast)
    for dims in sizes(func):
        for seed in range(8):
            rng = np.random.default_rng(seed)
            arrays: list[Array] = []
            for argument in func.args:
                type = graph.tensor_type(argument)
                shape = tuple(extent.evaluate(dims) for extent in graph.extents(type))
                arrays.append(values(rng, shape, type))
            before = run(ModuleOp([func.clone()]), arrays, dims=dims)
            after = run(module, arrays, dims=dims)
            for x, y in zip(before, after, strict=True):
                assert (x.dtype, x.shape) == (y.dtype, y.shape)
                numbers = x == x  # the sign and payload of a NaN are nobody's
                np.testing.assert_array_equal(y == y, numbers)
                assert x[numbers].tobytes() == y[numbers].tobytes()


def test_every_row_fires_in_a_golden() -> None:
    fired = set[str]()
    for parameter in functions():
        func, fast = parameter.values
        fired |= {name for _, name in simplified(func, fast)[1].statistics}
    assert {row.name for row in (*ROWS, *FAST_ROWS)} <= fired


def spelled(value: SSAValue) -> str:
    """A value as one expression of ops."""
    op = value.owner
    if not isinstance(op, Operation):
        return f"argument {value.index}" if isinstance(value, BlockArgument) else ""
    constant = f" {op.properties['value']}" if isinstance(op, graph.ConstantOp) else ""
    return f"{op.name}({', '.join(map(spelled, op.operands))}{constant})"


def test_three_spellings_of_gelu_come_to_one_under_fast_math() -> None:
    found: list[str] = []
    for parameter in functions():
        func, fast = parameter.values
        if func.sym_name.data.startswith("gelu_"):
            (copy,) = simplified(func, fast)[0].body.block.ops
            assert isinstance(copy, FuncOp)
            end = copy.body.block.last_op
            assert end is not None
            found.append(spelled(end.operands[0]))
    assert len(found) == 3
    assert len(set(found)) == 1
