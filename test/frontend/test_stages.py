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


@pytest.mark.parametrize("floor", ["graph", "kernel", "uop"])
def test_the_interpreter_of_a_floor_is_a_target(floor: str) -> None:
    traced = ty.trace(lambda x: {"y": x * 2 + 1, "sum": x.sum()}, ROWS)
    lowered = traced.lower(target=f"interpret{{floor={floor}}}")
    assert lowered.floors[-1] == floor
    compiled = lowered.compile()
    result = compiled(X)
    assert np.array_equal(result["y"], X * 2 + 1) and result["sum"] == X.sum()
    assert (compiled.cost_analysis()["flops"] is not None) == (floor == "uop")
    with pytest.raises(ty.CompileError, match="axis 1 is 4, not 3"):
        compiled(np.zeros((2, 4), np.float32))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("interpret{flor=graph}", "1:11.*has no option 'flor'; did you mean 'floor'"),
        ("interpret{floor=kernl}", "1:11.*'kernl' can be interpreted; did you mean 'kernel'"),
        ("interpret{floor=machine}", "there is graph, kernel, uop"),
        ("interpret,cpu", "'interpret,cpu' is not a target"),
        ("interpret(cpu)", "is not a target"),
    ],
)
def test_a_wrong_interpreter_is_a_diagnostic(target: str, message: str) -> None:
    with pytest.raises(ty.CompileError, match=message):
        ty.trace(lambda x: x, ROWS).lower(target=target)


def test_sizes_read_as_they_are_written() -> None:
    costs = ty.trace(lambda x: x * 2, ROWS).lower().compile().cost_analysis()
    assert repr(costs["flops"]) == "Expr(N * 3)"
