"""A plug-in of pytest that has numpy's tests of ufuncs call `teenyir.array` in numpy's stead.

In a test's module `np` and `ncu` become stand-ins whose ufuncs are ours. A test is skipped where it
asks for what is numpy's alone: other dtypes, keywords, floats made of integers, methods of a ufunc.
What ours refuses fails. Which tests came to call ours, and what became of them, goes to the file
that `--found` names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir import array as xp
from teenyir.dialects import dtypes

OTHER_NAMES = {
    **{"absolute": "abs", "true_divide": "divide", "mod": "remainder", "power": "pow"},
    **{"rint": "round", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift"},
    **{"right_shift": "bitwise_right_shift", "arcsin": "asin", "arccos": "acos"},
    **{"arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"},
    "arctan2": "atan2",
}
"""The array API's names of numpy's ufuncs, where they differ."""

calls = 0
"""Of our functions, by the test that runs."""


def stand_in(ufunc: np.ufunc, function: Callable[..., Any]) -> Callable[..., Any]:
    """Our function with numpy's arrays for operands and result."""

    def call(*operands: Any, **keywords: Any) -> Any:
        global calls
        if keywords or len(operands) != ufunc.nin:
            pytest.skip("keywords are numpy's")
        try:
            arrays = [np.asarray(operand) for operand in operands]
            common = np.result_type(*operands) if len(arrays) > 1 else arrays[0].dtype
            result = ufunc(*operands).dtype
            arrays = [array.astype(common) for array in arrays]
        except (TypeError, ValueError, FloatingPointError):
            pytest.skip("numpy raises")
        except OverflowError:
            pytest.skip("integers that no array holds")
        if any(dtypes.of_numpy(dtype) is None for dtype in (common, result)):
            pytest.skip(f"there is no {common}")
        if common.kind in "iub" and result.kind == "f":
            pytest.skip("integers do not become floats by themselves")
        calls += 1
        try:
            found = np.asarray(function(*map(xp.asarray, arrays)))
        except ty.CompileError as problem:
            pytest.fail(f"refused: {problem}")
        return found if found.ndim else found[()]

    return call


class StandIn(ModuleType):
    """A module of numpy with our functions for its ufuncs."""

    def __init__(self, module: ModuleType):
        super().__init__(module.__name__)
        self.__dict__["module"] = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["module"], name)
        ours = OTHER_NAMES.get(name, name)
        if isinstance(value, np.ufunc) and ours in dir(xp):
            return stand_in(value, getattr(xp, ours))
        return value


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--found", help="the file for what became of the tests that call ours")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FOUND] = {}


FOUND = pytest.StashKey[dict[str, str]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        module: Any = getattr(item, "module")  # noqa: B009
        for name in ("np", "ncu"):
            if not isinstance(getattr(module, name), StandIn):
                setattr(module, name, StandIn(getattr(module, name)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    global calls
    calls = 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: Any = yield
    if report.when == "call" and calls and report.outcome != "skipped":
        name = item.nodeid.split("::", 1)[1]
        item.config.stash[FOUND][name] = report.outcome
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    target = session.config.getoption("--found")
    Path(target).write_text(json.dumps(session.config.stash[FOUND]))
