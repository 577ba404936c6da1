"""ONNX's own test suite: value, shape and dtype of what its models compute."""

import numpy as np
import pytest
from onnx import TensorProto
from onnx_cases import (
    REPORT,
    all_cases,
    cases,
    exclusions,
    failures,
    outputs_by_interpreter,
    outputs_on_cpu,
)

import teenyir as ty

OTHERS = ("simple", "pytorch-operator", "pytorch-converted")
EVERY = {"by the interpreter": 4, "on the CPU": 27}
"""Of the node cases in order, the first of so many is run in `make test`: what imports operators is
seen by the interpreter, which takes a tenth of the time."""
RUNNERS = {"by the interpreter": outputs_by_interpreter, "on the CPU": outputs_on_cpu}

LEAST = {"node": 1784, "simple": 7, "pytorch-operator": 35, "pytorch-converted": 82}
"""How many cases of a kind are run: never fewer."""


@pytest.mark.parametrize("where", EVERY)
def test_a_sample_of_node_cases(where: str):
    families = sorted(cases("node"), key=lambda case: (case.family, case.name))
    few = families[:: EVERY[where]]
    assert not failures(few, RUNNERS[where], f"one in {EVERY[where]} node cases {where}")


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
    reasons = [exclusions().get(case.name, "") for case in every]
    beyond = sum(reason.startswith("Out of scope: ") for reason in reasons)
    share = len(found) / (len(every) - beyond)
    REPORT.append(
        f"{kind}: {len(found)} of {len(every)} cases are run; {beyond} are out of scope, "
        f"of the others {share:.1%} are run"
    )
    assert len(found) >= LEAST[kind]
    assert share >= 0.97
    assert all(exclusions().values())


def test_every_exclusion_is_of_a_case():
    known = {case.name for kind in LEAST for case in all_cases(kind)}
    assert exclusions().keys() <= known


SIXTEEN_BITS = sorted(
    name for name, reason in exclusions().items() if "16 bits" in reason and "expanded" not in name
)


@pytest.mark.parametrize("name", SIXTEEN_BITS)
def test_sums_of_16_bits_are_nearer_to_the_truth_than_what_is_expected(name: str):
    """Why these are excluded: the same model in float64 says which of both is nearer."""
    (case,) = [case for case in all_cases("node") if case.name == name]
    wide = type(case.model)()
    wide.CopyFrom(case.model)
    for value in [*wide.graph.input, *wide.graph.output]:
        if value.type.tensor_type.elem_type in (TensorProto.FLOAT16, TensorProto.BFLOAT16):
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    ((inputs, (expected, *_)),) = case.data_sets()
    narrow = ty.load_onnx(case.model)
    given = dict(zip(narrow.specs, inputs, strict=False))
    (found, *_) = outputs_by_interpreter(narrow, given)
    exact = {
        name: array if array.dtype.kind in "bi" else array.astype(np.float64)
        for name, array in given.items()
    }
    (truth, *_) = outputs_by_interpreter(ty.load_onnx(wide), exact)
    away, expected_away = (np.abs(x.astype(np.float64) - truth).mean() for x in (found, expected))
    assert away <= expected_away
