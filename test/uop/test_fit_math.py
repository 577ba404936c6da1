"""The polynomials of `math_tables` are what `fit_math.py` finds."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from teenyir.passes.uop import math_tables

SCRIPT = Path(__file__).with_name("fit_math.py")


def script() -> Any:
    spec = importlib.util.spec_from_file_location("fit_math", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_math"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["SIN", "COS"])
def test_fit(name: str) -> None:
    check(name)


SLOW = ("EXP", "EXP2", "LOG", "TANH", "ERF", "ERFC", "ATAN", "POW_LOG2", "POW_EXP2")


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_slower_fit(name: str) -> None:
    check(name)


def check(name: str) -> None:
    fit_math = script()
    coefficients, _ = fit_math.fitted(name)
    to_type = float if name.startswith("POW_") else fit_math.to_f32
    assert [float(to_type(c)) for c in getattr(math_tables, name)] == coefficients


def test_every_polynomial_has_its_fit() -> None:
    polynomials = {
        name
        for name, value in vars(math_tables).items()
        if name.isupper() and isinstance(value, tuple) and isinstance(value[0], float)
    }
    assert polynomials == set(script().FITS)
