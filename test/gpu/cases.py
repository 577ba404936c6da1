"""What is compared on a GPU: the fusion table, small models, products and the matrix of ops."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

TEST = Path(__file__).parents[1]
sys.path[:0] = [str(TEST.parent), str(TEST / "fusion"), str(TEST / "numerics")]

import small_models  # noqa: E402
from fusion_table import TABLE, Row  # noqa: E402
from matrix import control, off_by, table  # noqa: E402
from matrix_table import Table  # noqa: E402
from random_graphs import Sample  # noqa: E402

import teenyir as ty  # noqa: E402
from teenyir.dialects import dtypes  # noqa: E402
from teenyir.dialects.dtypes import DType  # noqa: E402
from teenyir.runtime.lowered import lower  # noqa: E402

Check = Callable[[str], None]
"""Compares something on a target; raises what is wrong."""

MATRIX = ("float32", "float16", "bfloat16", "float64", "int32", "uint32", "int8", "int64", "bool")
"""The element types whose ops are compared."""

PARTS = 16
"""Programs that the ops of an element type are divided into."""

HOLES = {
    (hole["op"], hole["dtype"])
    for hole in json.loads((TEST / "numerics" / "holes.json").read_text())
    if hole["floor"] == "cuda-emulated"
}

PRODUCTS = ("float16", "bfloat16", "float32", "int8", "float64")
SHAPES = ((1, 1, 1), (65, 33, 71), (128, 128, 128), (200, 96, 136))
"""Rows, elements of a sum, and columns of the products."""


def checks() -> dict[str, Check]:
    """By name everything that can be compared."""
    found: dict[str, Check] = {}
    for row in TABLE:
        found[f"fusion: {row.name}"] = lambda target, row=row: compare_row(row, target)
    for name, model in small_models.MODELS.items():
        for dtype in small_models.element_types(model):
            label = f"model: {name} {dtype}"
            found[label] = lambda target, m=model, d=dtype: compare_model(m, d, target)
    for name in PRODUCTS:
        for shape in SHAPES:
            label = f"product: {name} {'x'.join(map(str, shape))}"
            found[label] = lambda target, n=name, s=shape: compare_product(n, s, target)
    for name in MATRIX:
        dtype = next(each for each in dtypes.DTYPES if each.name == name)
        found[f"matrix: {name} control"] = lambda target, d=dtype: compare_control(d, target)
        for part in range(PARTS):
            label = f"matrix: {name} {part}"
            found[label] = lambda target, d=dtype, p=part: compare_part(d, p, target)
    return found


def many(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def compare(traced: Any, inputs: Sequence[np.ndarray], target: str, rtol: float) -> None:
    """A program on a target beside the interpreter of the graph floor, twice over."""
    expected = many(traced.lower(target="interpret{floor=graph}").compile()(*inputs))
    compiled = traced.lower(target=target).compile(cache=False)
    for _ in range(2):
        for one, other in zip(many(compiled(*inputs)), expected, strict=True):
            assert one.dtype == other.dtype, f"{one.dtype} for {other.dtype}"
            wide = other.astype(np.float64)
            scale = max(1.0, float(np.abs(wide).max(initial=0)))
            np.testing.assert_allclose(one.astype(np.float64), wide, rtol, rtol * 0.1 * scale)


def compare_row(row: Row, target: str) -> None:
    compare(ty.trace(row.spellings[0], *row.specs()), row.inputs, target, 1e-4)


def compare_model(model: small_models.Model, dtype: DType, target: str) -> None:
    small_models.compare(model, dtype, target)


def compare_product(name: str, shape: tuple[int, int, int], target: str) -> None:
    m, k, n = shape
    dtype = getattr(ty, name)
    random = np.random.default_rng(m)
    inputs = [random.integers(-4, 5, s).astype(dtype.numpy()) for s in ((m, k), (k, n))]
    wide = ty.int32 if dtype.kind == "int" else ty.float32
    wide = dtype if dtype.bits > 32 else wide
    traced = ty.trace(
        lambda a, b: a.astype(wide) @ b.astype(wide), ty.Spec((m, k), dtype), ty.Spec((k, n), dtype)
    )
    compare(traced, inputs, target, 0.0)  # sums of small integers are exact in any order


def run(sample: Sample, target: str) -> list[np.ndarray]:
    compiled = lower(sample.module, target).compile(cache=False)
    return many(compiled(*sample.inputs, dims=sample.dims))


@cache
def table_of(dtype: DType) -> Table:
    return table(dtype)


def compare_part(dtype: DType, part: int, target: str) -> None:
    whole = table_of(dtype)
    entries = [e for e in whole.entries if (e.op, dtype.name) not in HOLES][part::PARTS]
    found = run(whole.sample(entries), target)
    wrong = {
        entry.op: f"off by {distance} units in the last place"
        for entry, result in zip(entries, found, strict=True)
        if (distance := off_by(entry.expected, result)) > entry.ulps
    }
    assert not wrong, wrong


def compare_control(dtype: DType, target: str) -> None:
    sample, expected = control(dtype)
    for (name, array), result in zip(expected.items(), run(sample, target), strict=True):
        assert not off_by(array, result), name
