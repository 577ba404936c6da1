"""The polynomials of the tables behind `expand-math` are what `fit_math.py` finds."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from teenyir.passes.uop import math_tables, math_tables_f64, math_tables_lookup

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


SLOW = (
    *("EXP", "EXP_OF_TWICE", "EXP2", "LOG", "TANH", "ERFC", "ATAN", "POW_LOG2", "POW_EXP2"),
    *("F64_EXP", "F64_EXP2", "F64_LOG", "F64_SIN", "F64_COS", "F64_ERF", "F64_ERFC"),
    *("F64_ERFC_FAR", "F64_ATAN", "F64_POW_LOG2"),
)


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_slower_fit(name: str) -> None:
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", ["ERF", "TANH", "ERF_8"])
def test_fit_of_pieces(name: str) -> None:
    rows, _ = script().fitted_pieces(f"LOOKUP_{name}")
    to_f32 = script().to_f32
    table = getattr(math_tables_lookup, name)
    assert [[float(to_f32(number)) for number in row] for row in table] == rows


def check(name: str) -> None:
    fit_math = script()
    coefficients, _ = fit_math.fitted(name)
    to_type = float if name.startswith(fit_math.F64) else fit_math.to_f32
    assert [float(to_type(c)) for c in polynomials()[name]] == coefficients


def polynomials() -> dict[str, tuple[float, ...]]:
    """The polynomials of both tables, by the names that their fits have."""
    return {
        prefix + name: value
        for prefix, table in (("", math_tables), ("F64_", math_tables_f64))
        for name, value in vars(table).items()
        if name.isupper() and isinstance(value, tuple) and isinstance(value[0], float)
    }


def test_every_polynomial_has_its_fit() -> None:
    assert set(polynomials()) == set(script().FITS) == {"SIN", "COS", *SLOW}
