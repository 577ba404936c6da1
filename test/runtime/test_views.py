"""Outputs that show a part of an input: no kernel, no copy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir import nn

Array = NDArray[Any]

N = ty.Dim("N", min=1, max=64)


def numbers(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


CASES = {
    "a reshaped slice": (lambda x: x.reshape(64, 16)[8:40], numbers(32, 32)),
    "the input": (lambda x: x, numbers(3, 4)),
    "rows from an extent on": (lambda x: x[4:], numbers(9, 4)),
    "a row as a column": (lambda x: x[2:3].T, numbers(4, 5)),
    "bytes": (lambda x: x[1:], numbers(4, 5) > 7),
}


@pytest.mark.parametrize("target", ["cpu", "c"])
@pytest.mark.parametrize("case", CASES)
def test_an_output_is_a_part_of_an_input(case: str, target: str) -> None:
    function, x = CASES[case]
    dtype = ty.bool if x.dtype == np.bool_ else ty.float32
    compiled = ty.trace(function, ty.Spec(x.shape, dtype)).lower(target=target).compile(cache=False)
    y = compiled(x)
    np.testing.assert_array_equal(y, function(x))
    assert np.shares_memory(x, y) and not compiled.kernels and not y.flags.writeable


def test_where_it_begins_may_depend_on_an_extent() -> None:
    compiled = ty.trace(lambda x: x[N // 2 :], ty.Spec((N, 4), ty.float32)).lower().compile()
    for n in (1, 2, 7):
        x = numbers(n, 4)
        y = compiled(x)
        np.testing.assert_array_equal(y, x[n // 2 :])
        assert np.shares_memory(x, y)


def test_beside_what_is_computed() -> None:
    compiled = ty.trace(lambda x: (x + 1, x[1:], x * 2), ty.Spec((4, 4), ty.float32)).lower()
    x = numbers(4, 4)
    one, two, three = compiled.compile(cache=False)(x)
    np.testing.assert_array_equal(one, x + 1)
    np.testing.assert_array_equal(two, x[1:])
    np.testing.assert_array_equal(three, x * 2)


def test_of_an_array_that_is_not_in_order() -> None:
    compiled = ty.trace(lambda x: x.reshape(12), ty.Spec((3, 4), ty.float32)).lower().compile()
    x = numbers(4, 3).T
    np.testing.assert_array_equal(compiled(x), x.reshape(12))


def test_of_a_parameter() -> None:
    class Row(nn.Module):
        def __init__(self) -> None:
            self.weight = nn.Linear(4, 3).weight

        def __call__(self, x: Any) -> Any:
            return x + 1, self.weight[1:2]

    model = Row()
    traced = ty.trace(model, ty.Spec((2,), ty.float32))
    _, row = traced.lower().compile(cache=False)(numbers(2))
    assert row.shape == (1, 4)


@pytest.mark.parametrize("floor", ["graph", "kernel", "uop"])
def test_writing_to_what_the_interpreter_gave_changes_no_input_and_no_other_output(
    floor: str,
) -> None:
    traced = ty.trace(lambda x: (x, x, x[1:], x.T), ty.Spec((4, 6), ty.float32))
    compiled = traced.lower(target=f"interpret{{floor={floor}}}").compile()
    x = numbers(4, 6)
    before = x.copy()
    outputs = compiled(x)
    for output, expected in zip(outputs, (before, before, before[1:], before.T), strict=True):
        np.testing.assert_array_equal(output, expected)
        if output.flags.writeable:
            output[...] = -7
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("target", ["cpu", "c", "cuda-emulated"])
def test_a_caller_who_wants_it_elsewhere_gets_a_copy(target: str) -> None:
    lowered = ty.trace(lambda x: x[1:], ty.Spec((3, 4), ty.float32)).lower(target=target)
    outputs = tuple(replace(argument, view=None) for argument in lowered.signature.outputs)
    lowered.signature = replace(lowered.signature, outputs=outputs)
    x = numbers(3, 4)
    y = lowered.compile(cache=False)(x)
    np.testing.assert_array_equal(y, x[1:])
    assert not np.shares_memory(x, y)
