"""The matrix of ops, element types and floors: each cell gives what numpy and ml_dtypes say.

A cell that does not is a *hole*, and is in `holes.json` with its reason: a limit of hardware or of
a format. The docs show how many cells and holes there are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrix import control, off_by, table
from matrix_table import Entry, Table
from random_graphs import Sample
from test_casts import EVERY
from test_floors import emulated

from teenyir.diagnostics import CompileError
from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType

FLOORS: dict[str, Callable[[Sample], list[np.ndarray]]] = {
    **{name: EVERY[name] for name in ("graph", "kernel", "uop", "c")},
    "cpu": EVERY["native"],
    "cuda-emulated": emulated,
    "cuda-c": lambda sample: emulated(sample, "cuda-c-emulated"),
}
"""Three interpreters and four targets."""

PAGE = Path(__file__).parents[2] / "docs" / "graph.md"
HOLES: list[dict[str, str]] = json.loads(Path(__file__).with_name("holes.json").read_text())
"""Cells that fail: `op`, `dtype`, `floor` and `reason`."""

NO_NAMES = {"constant", "iota", "reshape"}
"""Ops whose extents are stated as numbers."""

NO_CELLS = {
    "graph.yield": "ends a region",
    "graph.custom_call": "is what the kernel that it calls is",
}


@cache
def table_of(dtype: DType) -> Table:
    return table(dtype)


@lru_cache(maxsize=1)
def sample_of(dtype: DType) -> Sample:
    """Every op of a type: the same for all floors, of which several begin alike."""
    return table_of(dtype).sample()


@lru_cache(maxsize=1)
def named_sample_of(dtype: DType) -> tuple[Sample, list[Entry]]:
    """The same with extents that have names, and the results that it has then."""
    return table_of(dtype).named()


def ops_of(dtype: DType) -> set[str]:
    """The ops that an element type has."""
    return {entry.op for entry in table_of(dtype).entries} | set(control(dtype)[1])


def failures(dtype: DType, floor: str) -> dict[str, str]:
    """What is wrong with each op that does not give what it should."""
    entries = table_of(dtype).entries
    sample, expected = control(dtype)
    named = [(name, array, 0) for name, array in expected.items()]
    found = wrong(floor, sample, named)
    problems = wrong(floor, sample_of(dtype), named_of(entries))
    if "all" in problems:  # one that cannot be compiled keeps the others from it
        problems = {}
        for entry in entries:
            alone = table_of(dtype).sample([entry])
            for problem in wrong(floor, alone, named_of([entry])).values():
                problems[entry.op] = problem
    return found | problems


def named_of(entries: list[Entry]) -> list[tuple[str, np.ndarray, int]]:
    return [(entry.op, entry.expected, entry.ulps) for entry in entries]


def wrong(floor: str, sample: Sample, named: list[tuple[str, np.ndarray, int]]) -> dict[str, str]:
    """By op what differs, or under `all` why it does not run."""
    try:
        results = FLOORS[floor](sample)
    except CompileError as problem:
        return {"all": str(problem)}
    problems: dict[str, str] = {}
    for (name, expected, ulps), result in zip(named, results, strict=True):
        if (distance := off_by(expected, result)) > ulps:
            problems[name] = f"off by {distance} units in the last place"
    return problems


COVERING = (dtypes.FLOAT32, dtypes.INT32, dtypes.FLOAT64)
"""Types that share the ops between them where each op is run once."""

QUICK = {dtypes.BOOL, dtypes.INT4, dtypes.FLOAT8_E8M0FNU}
"""Types with few ops, whose code is compiled in every run of the tests."""


def is_long(dtype: DType, floor: str, quick: set[DType]) -> bool:
    """Whether the code of a type's ops takes long to be made, or to be run."""
    if floor in ("cuda-emulated", "cuda-c"):
        return dtype != dtypes.INT4
    return floor in ("cpu", "c") and dtype not in quick


def cells(quick: set[DType]) -> list[Any]:
    """Each type on each floor; `quick` are the types that are compiled in every run."""
    return [
        pytest.param(
            *(dtype, floor),
            marks=pytest.mark.long if is_long(dtype, floor, quick) else (),
            id=f"{dtype}-{floor}",
        )
        for dtype in dtypes.DTYPES
        for floor in FLOORS
    ]


@pytest.mark.parametrize(("dtype", "floor"), cells(QUICK))
def test_cells(dtype: DType, floor: str):
    known = {h["op"] for h in HOLES if (h["dtype"], h["floor"]) == (str(dtype), floor)}
    problems = failures(dtype, floor)
    new = {op: problem for op, problem in problems.items() if op not in known}
    assert not new
    assert not known - set(problems), "holes.json has cells that hold by now"


@cache
def smallest_entries(dtype: DType) -> dict[str, Entry]:
    """By op the one of its cells that takes and gives the fewest elements, but gives some."""
    entries = [entry for entry in table_of(dtype).entries if entry.expected.size]
    entries.sort(key=lambda entry: -entry.expected.size - taken(entry))
    return {entry.op: entry for entry in entries}


def taken(entry: Entry) -> int:
    """How many elements an op takes."""
    return sum(graph.tensor_type(value).element_count() for value in entry.value.owner.operands)


@pytest.mark.parametrize("dtype", COVERING, ids=str)
def test_each_op_on_a_gpu(dtype: DType):
    """Every op by way of PTX, in turn of one of the types that have it, on few elements."""
    chosen: list[Entry] = []
    every = sorted({op for each in COVERING for op in smallest_entries(each)})
    for k, op in enumerate(every):
        types = [each for each in COVERING if op in smallest_entries(each)]
        if types[k % len(types)] == dtype:
            chosen.append(smallest_entries(dtype)[op])
    assert len(chosen) > 25
    assert not wrong("cuda-emulated", table_of(dtype).sample(chosen), named_of(chosen))


@pytest.mark.parametrize("dtype", [dtypes.FLOAT32, dtypes.FLOAT64], ids=str)
def test_constants_in_cuda_c(dtype: DType):
    """Infinities and NaNs stand in arrays that nothing computes before the program starts."""
    entries = [entry for entry in table_of(dtype).entries if entry.op == "constant"]
    assert any(np.isnan(entry.expected).any() for entry in entries)
    assert not wrong("cuda-c", table_of(dtype).sample(entries), named_of(entries))


def named_failures(dtype: DType, floor: str) -> dict[str, str]:
    """What is wrong with each op where extents have names."""
    sample, entries = named_sample_of(dtype)
    return wrong(floor, sample, named_of(entries))


@pytest.mark.parametrize(("dtype", "floor"), cells({dtypes.BOOL}))
def test_cells_with_named_extents(dtype: DType, floor: str):
    known = {h["op"] for h in HOLES if (h["dtype"], h["floor"]) == (str(dtype), floor)}
    problems = named_failures(dtype, floor)
    assert not {op: problem for op, problem in problems.items() if op not in known}


def test_named_extents_are_those_of_all_ops_but_few():
    every, named = ops_of(dtypes.FLOAT32), table_of(dtypes.FLOAT32).named()[1]
    left = every - {entry.op for entry in named} - set(control(dtypes.FLOAT32)[1])
    assert left == NO_NAMES


def classes_of(some: Iterable[DType]) -> set[str]:
    """The ops of the graph floor that have cells in some types."""
    found = {entry.value.owner.name for dtype in some for entry in table_of(dtype).entries}
    return found | {f"graph.{name}" for name in control(dtypes.FLOAT32)[1]}


def test_every_op_has_cells():
    every = {op.name for op in graph.GRAPH.operations}
    assert every - classes_of(dtypes.DTYPES) == set(NO_CELLS)
    # and is run on a GPU each time (`test_each_op_on_a_gpu`; branches and loops on i4)
    assert every - classes_of(COVERING) == set(NO_CELLS)


def test_holes_are_few_and_have_reasons(capsys: pytest.CaptureFixture[str]):
    counts = {dtype: len(ops_of(dtype)) * len(FLOORS) for dtype in dtypes.DTYPES}
    refused = sum(len(table_of(dtype).undefined) for dtype in dtypes.DTYPES)
    line = (
        f"{sum(counts.values())} cells: {len(dtypes.DTYPES)} element types on {len(FLOORS)} "
        f"floors, {len(HOLES)} holes; {refused} pairs of an op and a type are refused by the "
        "verifier."
    )
    with capsys.disabled():
        print(f"\n{line}")
    assert line in " ".join(PAGE.read_text().split()), line
    assert len(HOLES) <= sum(counts.values()) / 100
    for hole in HOLES:
        assert hole["dtype"] not in ("float32", "int32", "bool")
        assert hole["op"] in ops_of(next(d for d in dtypes.DTYPES if d.name == hole["dtype"]))
        assert len(hole["reason"].split()) > 4
        assert f"`{hole['op']}` of {hole['dtype']}" in " ".join(PAGE.read_text().split())


def test_distances():
    one = np.array([1.0, -0.0, np.nan], np.float32)
    assert off_by(one, one) == 0
    assert off_by(one[:1], np.nextafter(one[:1], np.float32(2))) == 1
    assert off_by(one, np.array([1.0, 0.0, np.nan], np.float32)) == 1
    assert off_by(one, np.array([1.0, -0.0, 0.0], np.float32)) == 2**64
    assert off_by(one, one[:2]) > 2**40
    assert off_by(np.array([3], np.uint8), np.array([3], np.int8)) == 0
    assert off_by(np.array([3], np.uint8), np.array([4], np.int8)) > 2**40
    byte = np.array([0x38, 0x7F], np.uint8)  # 1.0 and NaN of e4m3fn
    assert off_by(byte.view(dtypes.FLOAT8_E4M3FN.numpy()), np.array([0x39, 0x7F], np.int8)) == 1
