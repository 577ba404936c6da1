"""ONNX's own test suite: value, shape and dtype of what its models compute."""

import pytest
from onnx_cases import (
    REPORT,
    all_cases,
    cases,
    exclusions,
    failures,
    outputs_by_interpreter,
    outputs_on_cpu,
)

OTHERS = ("simple", "pytorch-operator", "pytorch-converted")
EVERY = 6
"""Of the node cases in order, the first of so many is run on the CPU in `make test`."""

LEAST = {"node": 1784, "simple": 7, "pytorch-operator": 35, "pytorch-converted": 82}
"""How many cases of a kind are run: never fewer."""


def test_a_sample_of_node_cases_on_the_cpu():
    found = cases("node")
    families = sorted(found, key=lambda case: (case.family, case.name))
    assert not failures(families[::EVERY], outputs_on_cpu, "a sample of node cases on the CPU")


@pytest.mark.long
def test_every_node_case_on_the_cpu():
    assert not failures(cases("node"), outputs_on_cpu, "node cases on the CPU")


@pytest.mark.long
def test_every_node_case_by_the_interpreter():
    assert not failures(cases("node"), outputs_by_interpreter, "node cases by the interpreter")


@pytest.mark.parametrize("kind", OTHERS)
def test_models_by_the_interpreter(kind: str):
    assert not failures(cases(kind), outputs_by_interpreter, f"{kind} by the interpreter")


@pytest.mark.long
@pytest.mark.parametrize("kind", OTHERS)
def test_models_on_the_cpu(kind: str):
    assert not failures(cases(kind), outputs_on_cpu, f"{kind} on the CPU")


@pytest.mark.parametrize("kind", LEAST)
def test_exclusions_have_a_reason_and_do_not_grow(kind: str):
    every, found = all_cases(kind), cases(kind)
    REPORT.append(f"{kind}: {len(found)} of {len(every)} cases are run")
    assert len(found) >= LEAST[kind]
    assert all(exclusions().values())


def test_every_exclusion_is_of_a_case():
    known = {case.name for kind in LEAST for case in all_cases(kind)}
    assert exclusions().keys() <= known
