"""Every elementwise op on every element type: the graph floor against what it is lowered to."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from teenyir.dialects import dtypes, graph
from teenyir.interpreter import run
from teenyir.interpreter.arrays import silent
from teenyir.interpreter.convert import convert
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.pipeline.manager import PassManager

Array = NDArray[Any]

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-7, 7.25, 300.0, math.inf, -math.inf, math.nan]


def values(dtype: dtypes.DType) -> Array:
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.kind == "float":
        with silent():
            return convert(np.array(FLOATS), dtype.numpy())
    info = np.iinfo(dtype.numpy())
    chosen = [0, 1, 2, 3, 7, 8, 31, 64, 100, -1, -2, -7, info.max, info.min, info.max - 1]
    return np.array([v for v in chosen if info.min <= v <= info.max], dtype.numpy())


def module_of(dtype: dtypes.DType, count: int) -> str:
    """One function that computes every op, each a result of its own."""
    plain = f"tensor<{count}x{dtype.element}>"
    lines: list[str] = []
    results: list[str] = []

    def result(line: str, type: str) -> None:
        lines.append(f"%r{len(results)} = {line}")
        results.append(type)

    for op in graph.UNARY_OPS:
        if dtype.kind in op.accepts():
            result(f"{op.name} %a : {plain}", plain)
    for op in graph.BINARY_OPS:
        if dtype.kind in op.accepts():
            result(f"{op.name} %a, %b : {plain}", plain)
    bools = f"tensor<{count}xi1>"
    for predicate in graph.PREDICATES:
        result(f"graph.compare {predicate} %a, %b : {plain}", bools)
    for other in dtypes.DTYPES:
        target = f"tensor<{count}x{other.element}>"
        result(f"graph.cast %a : {plain} to {target}", target)
    names = ", ".join(f"%r{k}" for k in range(len(results)))
    types = ", ".join(results)
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%a: {plain}, %b: {plain}) -> ({types}) {{\n  {body}\n"
        f"  func.return {names} : {types}\n}}"
    )


@pytest.mark.parametrize("dtype", dtypes.COMPUTED, ids=str)
def test_elementwise(dtype: dtypes.DType) -> None:
    grid = np.meshgrid(values(dtype), values(dtype))
    inputs = [np.ascontiguousarray(each).reshape(-1) for each in grid]
    text = module_of(dtype, inputs[0].size)
    module = parse_module(text, "elementwise.mlir")
    verify_module(module)
    ops = [line.split("=")[1].strip() for line in text.splitlines() if "=" in line]
    expected = run(module, inputs)
    for step in ("graph-to-kernel", "kernel-to-uop"):
        PassManager.parse(step).run(module)
        for op, got, wanted in zip(ops, run(module, inputs), expected, strict=True):
            a, b = got.view(wanted.dtype).astype(float), wanted.astype(float)
            wrong = ~((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b))
            first = [(inputs[0][k], inputs[1][k], a[k], b[k]) for k in np.flatnonzero(wrong)[:3]]
            assert not wrong.any(), f"{step}: {op}: (a, b, got, expected) {first}"
