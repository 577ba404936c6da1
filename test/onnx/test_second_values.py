"""Inputs that decide what is compiled, with a second value, on the model that had the first."""

from dataclasses import dataclass

import numpy as np
import pytest
from onnx_cases import REPORT, Case, cases, difference, outputs_on_cpu
from second_values import References, deciding, second_value, without_output_shapes

import teenyir as ty

EVERY = 40
"""Of the cases in order, the first of so many is run in `make test`."""

LEAST_RIGHT, LEAST_AT_ONCE = 232, 57
"""How many cases are right with a second value, and how many of these without compiling again:
never fewer."""

REASONS = {
    "test_dft_irfft": "The references differ from each other by 1e-4 in what is 0.",
    "test_range_bfloat16_type_positive_delta_expanded": (
        "ONNX's reference gives a column, [n, 1], for a loop of which each iteration gives a "
        "number; onnxruntime does not know the dtype."
    ),
}
"""By case, why its results are not the references'."""


@dataclass
class Found:
    """What came of a case."""

    varies: bool
    problem: str | None = None
    at_once: bool = False
    """Whether the program that is compiled for the first values served all others."""


def outcome(case: Case) -> Found | None:
    """None where no input decides."""
    model = without_output_shapes(case)
    loaded = ty.load_onnx(model)
    inputs = case.data_sets()[0][0]
    given = {n: np.asarray(a) for n, a in zip(loaded.specs, inputs, strict=False)}
    names = deciding(loaded, given)
    if not names:
        return None
    references = References(model)
    seconds = [found for n in names if (found := second_value(references, given, n)) is not None]
    if not seconds:
        return Found(False)
    loaded(**given)
    compiled = len(loaded.remarks)
    for other, expected in seconds:
        results = outputs_on_cpu(loaded, other)
        problems = [
            [
                d
                for got, want in zip(results, each, strict=True)
                if (d := difference(got, want, case))
            ]
            for each in expected
        ]
        if all(problems):  # of several references one has to agree
            return Found(True, f"{case.name}: {problems[0]}")
    return Found(True, None, len(loaded.remarks) == compiled)


def failing(found: list[Case], title: str) -> tuple[list[str], int, int]:
    """What is wrong; how many are right, and how many of these at once."""
    results = {case.name: each for case in found if (each := outcome(case)) is not None}
    vary = {name: each for name, each in results.items() if each.varies}
    right = sum(each.problem is None for each in vary.values())
    once = sum(each.at_once for each in vary.values())
    REPORT.append(
        f"{title}: an input decides in {len(results)} cases, and may be another in {len(vary)}; "
        f"{right} of these are right with a second value, {once} by the program of the first"
    )
    wrong = [e.problem for n, e in vary.items() if e.problem is not None and n not in REASONS]
    return wrong, right, once


def test_a_sample_of_second_values():
    wrong, right, _ = failing(cases("node")[::EVERY], "second values, a sample")
    assert not wrong and right


@pytest.mark.long
def test_every_second_value():
    wrong, right, once = failing(cases("node"), "second values")
    assert not wrong
    assert right >= LEAST_RIGHT and once >= LEAST_AT_ONCE


def test_every_reason_is_of_a_case():
    assert REASONS.keys() <= {case.name for case in cases("node")}
