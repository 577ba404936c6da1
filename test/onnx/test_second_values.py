"""Inputs that decide what is compiled, with a second value, on the model that had the first."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from onnx_cases import REPORT, Case, cases, difference, outputs_on_cpu
from second_values import Given, References, deciding, second_value, without_output_shapes

import teenyir as ty

EVERY = 80
"""Of the cases in order, the first of so many is run in `make test`."""

LEAST_RIGHT, LEAST_AT_ONCE = 303, 302
"""How many inputs are right with a second value, and how many of these without compiling again:
never fewer."""

LEAST_SHARE = 0.9
"""Of the inputs that can vary, how many are right without compiling again."""

REASONS = {
    "test_dft_irfft": "The references differ from each other by 1e-4 in what is 0.",
    "test_range_bfloat16_type_positive_delta_expanded": (
        "ONNX's reference gives a column, [n, 1], for a loop of which each iteration gives a "
        "number; onnxruntime does not know the dtype."
    ),
}
"""By case, why its results are not the references'."""


@cache
def fixed() -> dict[str, str]:
    """By input, `CASE: NAME`, why it can have no other value."""
    text = (Path(__file__).parent / "fixed_values.toml").read_text()
    return {name: row["reason"] for row in tomllib.loads(text)["fixed"] for name in row["inputs"]}


@dataclass
class Found:
    """What came of an input that decides."""

    name: str
    """`CASE: NAME`."""
    varies: bool
    problem: str | None = None
    at_once: bool = False
    """Whether the program that was compiled before served the second value."""


def outcomes(case: Case) -> list[Found]:
    """What came of each input that decides."""
    model = without_output_shapes(case)
    loaded = ty.load_onnx(model)
    inputs = case.data_sets()[0][0]
    given = {n: np.asarray(a) for n, a in zip(loaded.specs, inputs, strict=False)}
    names = deciding(loaded, given)
    if not names:
        return []
    references = References(model)
    loaded(**given)
    return [outcome(case, loaded, references, given, name) for name in names]


def outcome(
    case: Case, model: ty.OnnxModel, references: References, given: Given, name: str
) -> Found:
    """What comes of a second value of one input, on the model that had the first values."""
    called = f"{case.name}: {name}"
    is_beyond = fixed().get(called, "").startswith("Out of scope: ")
    found = None if is_beyond else second_value(references, given, name)
    if found is None:
        return Found(called, False)
    other, expected = found
    compiled = len(model.remarks)
    try:
        results = outputs_on_cpu(model, other)
    except ty.CompileError as error:
        return Found(called, True, f"{called}: {error}")
    problems = [
        [d for got, want in zip(results, each, strict=True) if (d := difference(got, want, case))]
        for each in expected
    ]
    # of several references one has to agree
    problem = f"{called}: {problems[0]}" if all(problems) else None
    return Found(called, True, problem, len(model.remarks) == compiled)


@dataclass
class Counts:
    """How many inputs are right with a second value, and what is wrong."""

    vary: int
    right: int
    at_once: int
    wrong: list[str]
    """What is not right and has no reason."""
    misplaced: list[str]
    """Inputs that have no other value, and no row that says why; or both."""


def counted(found: list[Case], title: str) -> Counts:
    """What comes of all inputs that decide in these cases; it goes to the report too."""
    every = [each for case in found for each in outcomes(case)]
    vary = [each for each in every if each.varies]
    right = [each for each in vary if each.problem is None]
    at_once = sum(each.at_once for each in right)
    REPORT.append(
        f"{title}: of {len(every)} inputs that decide {len(vary)} can vary, the others' reasons "
        f"are rows; {len(right)} of these are right with a second value, {at_once} by the program "
        "of the first"
    )
    wrong = [e.problem for e in vary if e.problem and e.name.partition(":")[0] not in REASONS]
    rows = fixed()
    misplaced = [each.name for each in every if each.varies == (each.name in rows)]
    return Counts(len(vary), len(right), at_once, wrong, misplaced)


def test_a_sample_of_second_values():
    counts = counted(cases("node")[::EVERY], "second values, a sample")
    assert not counts.wrong and not counts.misplaced and counts.right


@pytest.mark.long
def test_every_second_value():
    counts = counted(cases("node"), "second values")
    assert not counts.wrong and not counts.misplaced
    assert counts.right >= LEAST_RIGHT and counts.at_once >= LEAST_AT_ONCE
    assert counts.at_once >= LEAST_SHARE * counts.vary


def test_every_reason_is_of_a_case():
    known = {case.name for case in cases("node")}
    assert REASONS.keys() <= known
    assert {name.partition(":")[0] for name in fixed()} <= known
    assert all(fixed().values())


def test_a_loop_that_goes_round_not_once():
    """Of which ONNX's reference says nothing: `fixed_values.toml`."""
    (case,) = (case for case in cases("node") if case.name == "test_loop11")
    model = without_output_shapes(case)
    loaded = ty.load_onnx(model)
    given = dict(zip(loaded.specs, map(np.asarray, case.data_sets()[0][0]), strict=True))
    given["cond"] = np.array(False)
    (expected,) = References(model)(given)
    for got, wanted in zip(outputs_on_cpu(loaded, given), expected, strict=True):
        assert difference(got, wanted, case) is None
