"""simplify-graph keeps every value, on generated programs and on the values that break folds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import teenyir as ty
from teenyir.interpreter import run

SPECIAL = {
    "float32": [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40, 3e38, 2.5],
    "float16": [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 6e-8, 65504, 2.5],
    "int8": [0, 1, -1, 127, -128, 5],
    "uint8": [0, 1, 255, 128, 7],
    "bool": [False, True],
}

DRAWN = st.data()
Step = Callable[[Any, Any], Any]


def constant(data: Any, x: Any) -> Any:
    numbers = SPECIAL[x.dtype.name]
    return ty.full_like(x, data.draw(st.sampled_from(numbers)))


def binary(names: list[str]) -> Step:
    def step(data: Any, x: Any) -> Any:
        other = data.draw(st.sampled_from([x, constant(data, x)]))
        pair = (x, other) if data.draw(st.booleans()) else (other, x)
        return getattr(ty, data.draw(st.sampled_from(names)))(*pair)

    return step


def unary(names: list[str]) -> Step:
    return lambda data, x: getattr(ty, data.draw(st.sampled_from(names)))(x)


def sliced(data: Any, x: Any) -> Any:
    return x[tuple(slice(0, None, data.draw(st.sampled_from([1, 1, -1, 2]))) for _ in x.shape)]


def cast(data: Any, x: Any) -> Any:
    middle, last = (data.draw(st.sampled_from(list(SPECIAL))) for _ in range(2))
    return x.astype(middle).astype(last).astype(x.dtype)


MOVES: list[Step] = [
    sliced,
    cast,
    lambda data, x: x.flatten() if x.ndim else x,
    lambda data, x: ty.permute_dims(x, data.draw(st.permutations(range(x.ndim)))),
    lambda data, x: x[None] if x.ndim < 4 else x.flatten(),
    lambda data, x: ty.broadcast_to(x, (2, *x.shape)) if x.ndim < 3 else x,
    lambda data, x: ty.flip(x),
    lambda data, x: ty.pad(x, data.draw(st.sampled_from([0, 0, 1]))),
    lambda data, x: ty.where(ty.full_like(x, data.draw(st.booleans()), dtype=ty.bool), x, x),
]
STEPS: dict[str, list[Step]] = {
    "float": [
        binary(["add", "subtract", "multiply", "divide", "maximum", "minimum"]),
        unary(["negative", "abs", "floor", "ceil", "trunc", "sign"]),
    ],
    "int": [
        binary(["add", "subtract", "multiply", "floor_divide", "maximum"]),
        binary(["bitwise_and", "bitwise_or", "bitwise_xor"]),
        binary(["bitwise_left_shift", "bitwise_right_shift"]),
        unary(["negative", "abs", "bitwise_invert", "sign"]),
    ],
    "bool": [binary(["bitwise_and", "bitwise_or", "bitwise_xor"]), unary(["bitwise_invert"])],
}
STEPS["uint"] = STEPS["int"]


@pytest.mark.parametrize("dtype", SPECIAL)
@given(data=DRAWN)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_values_are_kept(dtype, data):
    numbers = np.array(SPECIAL[dtype], dtype)
    x = np.resize(numbers, (2, len(numbers)))

    def function(x):
        for _ in range(data.draw(st.integers(1, 6))):
            steps = STEPS[x.dtype.kind] + MOVES
            x = steps[data.draw(st.integers(0, len(steps) - 1))](data, x)
        return x

    program = ty.trace(function, ty.Spec(x.shape, dtype))
    (before,) = run(program.module, [x])
    text = program.as_text()
    ty.PassManager.parse("optimize-graph").run(program.module)
    (after,) = run(program.module, [x])
    np.testing.assert_array_equal(after, before, err_msg=text)
    if before.dtype.kind == "f":
        known = ~np.isnan(before)
        np.testing.assert_array_equal(np.signbit(after[known]), np.signbit(before[known]), text)
