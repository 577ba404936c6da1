"""Faults of LLVM that are gone round: the code does what the text says."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.runtime.jit import compile_object, load, optimized
from teenyir.runtime.llvm_faults import without_one_lane_stores
from teenyir.targets.cpu import host

PAIRS = [
    ("i32", "i16"),
    ("i32", "i8"),
    ("i64", "i32"),
    ("i64", "i16"),
    ("i64", "i8"),
    ("i16", "i8"),
]


def masked_store(count: int, wide: str, narrow: str, lanes: tuple[int, ...]) -> str:
    mask = ", ".join(f"i1 {'true' if lane in lanes else 'false'}" for lane in range(count))
    return f"""
define void @main(ptr %to, ptr %from) {{
  %wide = load <{count} x {wide}>, ptr %from, align 1
  %one = trunc <{count} x {wide}> %wide to <{count} x {narrow}>
  call void @llvm.masked.store.v{count}{narrow}.p0(
    <{count} x {narrow}> %one, ptr %to, i32 1, <{count} x i1> <{mask}>)
  ret void
}}
declare void @llvm.masked.store.v{count}{narrow}.p0(<{count} x {narrow}>, ptr, i32, <{count} x i1>)
"""


@pytest.mark.parametrize("lanes", [(0,), (2,), (3,), (0, 1), ()], ids=str)
@pytest.mark.parametrize("count", [4, 8, 16])
@pytest.mark.parametrize(("wide", "narrow"), PAIRS)
def test_a_masked_store_writes_its_lanes_alone(
    wide: str, narrow: str, count: int, lanes: tuple[int, ...]
) -> None:
    """With AVX-512, a store of one lane of truncated numbers writes the wide number."""
    source = np.arange(-3, count - 3).astype(f"i{int(wide[1:]) // 8}") * 257
    found = np.full(count, 0x55, f"i{int(narrow[1:]) // 8}")
    expected = found.copy()
    expected[list(lanes)] = source[list(lanes)].astype(found.dtype)
    library = load(compile_object(masked_store(count, wide, narrow, lanes)))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(library.address("main"))
    function(found.ctypes.data, source.ctypes.data)
    np.testing.assert_array_equal(found, expected)


def test_what_is_no_store_of_one_lane_stays() -> None:
    module, _ = optimized(masked_store(8, "i32", "i16", (0, 1)), host())
    assert "llvm.masked.store" in str(module) and without_one_lane_stores(str(module)) is None


def test_names_that_the_text_has_are_not_taken() -> None:
    module, _ = optimized(masked_store(8, "i32", "i16", (0,)).replace("%to", "%one1"), host())
    assert "%one.1 = extractelement" in str(module)


@pytest.mark.parametrize("width", [17, 33])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.int8, np.uint16])
def test_a_row_with_one_element_too_many_ends_where_it_ends(dtype: type, width: int) -> None:
    """What lies behind the result of a product stays."""
    given = [np.ones((42, 3), dtype), np.ones((3, width), dtype)]
    specs = [ty.Spec(a.shape, getattr(ty, a.dtype.name)) for a in given]
    compiled = ty.trace(lambda a, b: a @ b, *specs).lower(target="cpu").compile(cache=False)
    memory = np.full(42 * width + 16, 7, dtype)
    compiled(*given, out=memory[: 42 * width].reshape(42, width))
    assert (memory[: 42 * width] == 3).all()
    assert (memory[42 * width :] == 7).all()
