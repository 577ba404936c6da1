"""The array API's published signatures, and what `teenyir.array` does with them.

`array_api/record.py` has written the signatures down.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir import array as xp

SIGNATURES: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "array_api" / "signatures.json").read_text()
)
METHODS = SIGNATURES.pop("array")
FUNCTIONS = {name: given for group in SIGNATURES.values() for name, given in group.items()}

MISSING = {
    **dict.fromkeys(("conj", "imag", "real"), "there are no complex numbers"),
}
"""Functions that are not there, and why."""


def has(function: Any, wanted: list[str]) -> None:
    known = inspect.signature(function).parameters
    for text in wanted:
        kind, name = int(text[0]), text[2:]
        if kind in (0, 2):  # its name is nobody's business
            continue
        assert name in known
        assert known[name].kind.value in (kind, 1), f"{name}: {known[name].kind}"
    places = [p for p in known.values() if p.kind.value in (0, 1)]
    assert len(places) >= sum(text[0] == "0" for text in wanted)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_published_signatures(name: str):
    if name in MISSING:
        assert not hasattr(xp, name), f"{name} is there: take it off the list"
        return
    has(getattr(xp, name), FUNCTIONS[name])


@pytest.mark.parametrize("name", METHODS)
def test_arrays_have_the_published_methods(name: str):
    method = getattr(xp.Array, name)
    if callable(method):
        wanted = METHODS[name]
        known = inspect.signature(method).parameters
        assert {text[2:] for text in wanted if text[0] == "3"} <= set(known)


def test_values_leave_and_enter():
    x = xp.asarray([[1, 2], [3, 4]], dtype=xp.int16)
    assert np.asarray(x).tolist() == [[1, 2], [3, 4]]
    assert np.from_dlpack(x).dtype == np.int16
    assert xp.from_dlpack(np.arange(3)).dtype == ty.int64
    assert int(x[1, 0]) == 3
    assert bool(x[0, 0])
    assert float(xp.sum(x)) == 10.0
    assert [int(row[0]) for row in x] == [1, 3]
    assert repr(xp.asarray(1.5)) == "Array(1.5, dtype=float32)"
    with pytest.raises(TypeError, match="rank 0"):
        bool(x)


def test_data_dependent_extents():
    x = xp.asarray([0.0, 3.0, 0.0, -1.0])
    (where,) = xp.nonzero(x)
    assert np.asarray(where).tolist() == [1, 3]
    assert np.asarray(x[x != 0]).tolist() == [3, -1]
    x[x < 0] = 7.0
    x[0] = 1
    assert np.asarray(x).tolist() == [1, 3, 0, 7]
    with pytest.raises(IndexError, match="a mask"):
        x[xp.asarray([True])]


def test_operators():
    x = xp.asarray([1, 2, 3])
    y = x
    y += 1
    assert np.asarray(x).tolist() == [2, 3, 4]
    assert np.asarray(10 - x).tolist() == [8, 7, 6]
    assert np.asarray(x @ x) == 29
    assert np.asarray(-x % 3).tolist() == [1, 0, 2]
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(ty.CompileError, match="does not hold"):
        x += xp.asarray([[1, 2, 3]])


def test_dtypes():
    assert xp.result_type(xp.int8, xp.asarray([1], dtype=xp.int16), 1) == xp.int16
    assert xp.can_cast(xp.int8, xp.int64)
    assert not xp.can_cast(xp.float64, xp.float32)
    assert not xp.can_cast(xp.int8, xp.float32)
    assert xp.isdtype(xp.uint8, ("integral", "bool"))
    assert not xp.isdtype(xp.float32, "complex floating")
    assert xp.finfo(xp.bfloat16).eps == 2**-7
    assert xp.iinfo(xp.uint16).max == 65535
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == xp.float32
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)
    with pytest.raises(ValueError, match="the only device"):
        xp.zeros(3, device="gpu")
