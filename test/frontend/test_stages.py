"""Traced, lowered, compiled: each stage from the one before, in Python."""

import numpy as np
import pytest

import teenyir as ty

N = ty.Dim("N", min=1, max=64)
ROWS = ty.Spec((N, 3), ty.float32)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_the_stages_in_order() -> None:
    traced = ty.trace(lambda x: x * 2 + 1, ROWS)
    lowered = traced.lower(target="cpu")
    assert isinstance(lowered, ty.Lowered)
    compiled = lowered.compile()
    assert isinstance(compiled, ty.Compiled)
    assert np.array_equal(compiled(X), X * 2 + 1)


def test_lowering_leaves_the_traced_program_as_it_is() -> None:
    traced = ty.trace(lambda x: x * 2 + 1, ROWS)
    before = traced.as_text()
    traced.lower()
    assert traced.as_text() == before


def test_outputs_come_in_the_nest_that_the_function_returns() -> None:
    def statistics(x):
        return {"mean": x.mean(axis=1), "ends": [x.min(), (x.max(),)]}

    result = ty.trace(statistics, ROWS).lower().compile()(X)
    assert set(result) == {"mean", "ends"}
    assert np.array_equal(result["mean"], [1, 4])
    low, (high,) = result["ends"]
    assert (low, high) == (0, 5)


def test_a_tuple_of_one_stays_a_tuple() -> None:
    (result,) = ty.trace(lambda x: (x + 1,), ROWS).lower().compile()(X)
    assert np.array_equal(result, X + 1)


def test_a_program_from_text_compiles() -> None:
    text = ty.trace(lambda x: x - 1, ROWS).as_text()
    assert np.array_equal(ty.parse(text).lower().compile()(X), X - 1)


def test_an_unknown_target_is_a_diagnostic() -> None:
    with pytest.raises(ty.CompileError, match="cpuu"):
        ty.trace(lambda x: x, ROWS).lower(target="cpuu")
