"""Every elementwise op on every pair of special values, on all floors: nothing is undefined."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from compare import differences
from random_graphs import SETTLED, SPECIAL, Array, Sample
from test_floors import FLOORS, interpreted
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.pipeline.ir import parse_module
from teenyir.runtime.lowered import lower


def values_of(dtype: DType) -> Array:
    if dtype.kind == "bool":
        return np.array([False, True])
    ordinary = [0, 1, 2, 3, 7, 31] + ([] if dtype.kind == "uint" else [-1, -2, -5])
    with np.errstate(over="ignore", under="ignore"):
        special = np.array(SPECIAL[dtype.kind](dtype), dtype.numpy())
    return np.concatenate([np.array(ordinary).astype(dtype.numpy()), special])


def sample_of(
    dtype: DType, build: Callable[[Sequence[SSAValue]], list[tuple[graph.GraphOp, bool]]]
) -> Sample:
    """A function of two tensors that hold every pair of values; each op's result is returned."""
    values = values_of(dtype)
    pairs = [np.repeat(values, len(values)), np.tile(values, len(values))]
    type = graph.tensor(dtype.element, [len(pairs[0])])
    block = Block(arg_types=[type, type])
    ops = build(block.args)
    results = [op.result for op, _ in ops]
    block.add_ops([*(op for op, _ in ops), ReturnOp(*results)])
    func = FuncOp("main", ([type, type], [r.type for r in results]), Region(block))
    return Sample(ModuleOp([func]), pairs, [exact for _, exact in ops], {})


def arithmetic(dtype: DType, args: Sequence[SSAValue]) -> list[tuple[graph.GraphOp, bool]]:
    is_float = dtype.kind == "float"
    ops: list[tuple[graph.GraphOp, bool]] = []
    for op in graph.UNARY_OPS:
        # libraries differ in the sine of 1e300
        if dtype.kind in op.accepts() and op not in (graph.SinOp, graph.CosOp):
            ops.append((op(args[0]), not is_float or op in SETTLED))
    for op in graph.BINARY_OPS:
        if dtype.kind in op.accepts():
            ops.append((op(*args), not is_float or op in SETTLED))
    return ops + [(graph.CompareOp(word, *args), True) for word in graph.PREDICATES]


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("dtype", dtypes.COMPUTED, ids=str)
def test_arithmetic(dtype: DType, floor: str):
    sample = sample_of(dtype, lambda args: arithmetic(dtype, args))
    assert not differences(interpreted(sample), FLOORS[floor](sample), sample.exact)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("dtype", dtypes.COMPUTED, ids=str)
def test_conversions(dtype: DType, floor: str):
    sample = sample_of(
        dtype, lambda args: [(graph.CastOp(args[0], d.element), True) for d in dtypes.DTYPES]
    )
    assert not differences(interpreted(sample), FLOORS[floor](sample), sample.exact)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("dtype", dtypes.COMPUTED, ids=str)
def test_reductions_of_nothing_and_of_special_values(dtype: DType, floor: str):
    def build(args: Sequence[SSAValue]) -> list[tuple[graph.GraphOp, bool]]:
        nothing = graph.SliceOp(args[0], [3], [3])
        ops: list[tuple[graph.GraphOp, bool]] = [(nothing, True)]
        for kind, accepts in graph.REDUCTIONS.items():
            if dtype.kind in accepts:
                ops.append((graph.ReduceOp(kind, nothing, [0]), True))
                if dtype.kind != "float" or kind in ("max", "min"):
                    ops.append((graph.ReduceOp(kind, args[0], [0]), True))
        return ops

    sample = sample_of(dtype, build)
    assert not differences(interpreted(sample), FLOORS[floor](sample), sample.exact)


ZEROS = ((0.0, -0.0, -0.0), (-0.0, 1.0, 0.0), (-1.0, -0.0, 0.0), (0.0, 0.0, -0.0))


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("dtype", [d for d in dtypes.COMPUTED if d.kind == "float"], ids=str)
def test_scans_and_scatters_put_the_one_zero_above_the_other(dtype: DType, kind: str):
    x = np.array(ZEROS, dtype.numpy())
    type = f"tensor<4x3x{dtype.element}>"
    module = parse_module(f"""
      func.func @main(%x: {type}) -> ({type}, {type}) {{
        %s = graph.scan {kind} %x axis 1 : {type} -> {type}
        %rows = graph.constant dense<[[1], [1], [2], [0]]> : tensor<4x1xi32>
        %t = graph.scatter {kind} %x, %rows, %x axes [0]
            : ({type}, tensor<4x1xi32>, {type}) -> {type}
        func.return %s, %t : {type}, {type}
      }}""")
    scanned, scattered = np.array(x), np.array(x)
    for column in (1, 2):
        scanned[:, column] = either(kind, scanned[:, column - 1], x[:, column])
    for row, update in zip((1, 1, 2, 0), x, strict=True):
        scattered[row] = either(kind, scattered[row], update)
    sample = Sample(module, [x], [True, True], {})
    for outputs in (interpreted(sample), *(floor(sample) for floor in FLOORS.values())):
        assert not differences([scanned, scattered], outputs, sample.exact)


def either(kind: str, a: Array, b: Array) -> Array:
    """The greater or the lesser of two, -0.0 being less than 0.0."""
    is_less = (a < b) | ((a == b) & np.signbit(a))
    return np.where(is_less == (kind == "min"), a, b)


@pytest.mark.parametrize("word", ["exp", "cos", "erf", "tanh", "floor", "sqrt"])
@pytest.mark.parametrize("entry", ["main", "cos", "exp", "memset", "malloc"])
def test_names_of_the_c_library_are_free(word: str, entry: str):
    # a kernel `cos` that calls libm's `cos` once called itself
    module = parse_module(
        f"""
        func.func @{entry}(%x: tensor<5xf64>) -> tensor<5xf64> {{
          %y = graph.{word} %x : tensor<5xf64>
          func.return %y : tensor<5xf64>
        }}"""
    )
    x = np.array([0.25, 1.0, 2.0, 3.5, 9.0])
    expected = interpreted(Sample(module, [x], [False], {}))
    found = lower(module, "cpu").compile(cache=False)(x)
    np.testing.assert_allclose(found, expected[0], rtol=1e-14)
