"""Branches, loops and called kernels from Python: against numpy on every floor, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir import nn
from teenyir.interpreter import run
from teenyir.pipeline.manager import PassManager

Array = NDArray[Any]

N = ty.Dim("N", min=0, max=64)
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((5, 3)).astype(np.float32)

BELOW = {
    "graph": "",
    "optimized": "optimize-graph",
    "kernel": "optimize-graph,graph-to-kernel",
    "arena": "graph-to-kernel,program.func(plan-arena)",
    "uop": "graph-to-kernel,kernel-to-uop",
}

SIGNLESS = ("kernel", "arena", "uop")
"""Floors on which integers have no sign."""


def everywhere(traced: ty.Traced, *inputs: Array) -> dict[str, list[Array]]:
    """The outputs on every floor, and as native code and C."""
    arguments = dict(zip(traced.input_names, inputs, strict=True)) | traced.parameters
    found: dict[str, list[Array]] = {}
    for floor, pipeline in BELOW.items():
        module = traced.module.clone()
        PassManager.parse(pipeline).run(module)
        found[floor] = run(module, arguments)
    for target in ("cpu", "c"):
        outputs = traced.lower(target).compile(cache=False)(*inputs)
        if isinstance(outputs, dict):
            outputs = tuple(outputs.values())
        found[target] = list(outputs) if isinstance(outputs, tuple) else [outputs]
    return found


def check(traced: ty.Traced, inputs: tuple[Array, ...], *expected: Any) -> None:
    for floor, outputs in everywhere(traced, *inputs).items():
        for output, wanted in zip(outputs, expected, strict=True):
            wanted = np.asarray(wanted)
            if wanted.dtype.kind == "u" and floor in SIGNLESS:
                output = output.view(wanted.dtype)
            assert (output.dtype, output.shape) == (wanted.dtype, wanted.shape), floor
            np.testing.assert_allclose(output, wanted, rtol=2e-6, err_msg=floor)


def collatz(n: Any) -> Any:
    def step(n: Any, steps: Any) -> Any:
        return ty.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return ty.while_loop(lambda n, steps: n != 1, step, n, ty.zeros((), dtype=ty.int32))[1]


@pytest.mark.parametrize(("n", "steps"), [(1, 0), (6, 8), (27, 111)])
def test_collatz(n: int, steps: int):
    check(ty.trace(collatz, ty.Spec((), ty.int32)), (np.array(n, np.int32),), np.int32(steps))


def newton(x: Any) -> Any:
    """The square root of each element, until none moves any more."""

    def step(root: Any, _: Any) -> Any:
        following = (root + x / root) * 0.5
        return following, abs(following - root).max()

    start = (x + 1.0, ty.full((), float("inf"), dtype=ty.float32))
    return ty.while_loop(lambda _, moved: moved > 1e-6, step, *start)[0]


def test_newton():
    values = np.linspace(0.1, 4, 7, dtype=np.float32)
    check(ty.trace(newton, ty.Spec((N,), ty.float32)), (values,), np.sqrt(values))


def nested(x: Any, k: Any) -> Any:
    """An if in a while in a while, with tensors of several shapes and dtypes."""

    def inner(i: Any, carried: Any) -> Any:
        total, flags = carried
        even = (i % 2) == 0
        total = ty.cond(even, lambda t: t + x.sum(axis=0), lambda t: t * 0.5, total)
        return total, flags | even

    def outer(i: Any, carried: Any) -> Any:
        value, count, flags = carried["value"], carried["count"], carried["flags"]
        row, flags = ty.fori_loop(0, i, inner, (value[0], flags))
        return {"value": value + row, "count": (count + i).astype(ty.uint8), "flags": flags}

    zero = ty.zeros((), dtype=ty.uint8)
    start = {"value": x * 1.0, "count": zero, "flags": ty.zeros((1,), dtype=ty.bool)}

    def step(i: Any, carried: Any) -> Any:
        return outer(i, carried)

    return ty.fori_loop(0, k, step, start)


def nested_in_numpy(x: Array, k: int) -> tuple[Array, Any, Array]:
    value, count, flags = x.copy(), 0, np.zeros(1, np.bool_)
    for i in range(k):
        row = value[0].copy()
        for j in range(i):
            row = row + x.sum(axis=0) if j % 2 == 0 else row * np.float32(0.5)
            flags = flags | (j % 2 == 0)
        value, count = value + row, count + i
    return value, np.uint8(count), flags


@pytest.mark.parametrize("k", [0, 1, 4])
def test_an_if_in_a_loop_in_a_loop(k: int):
    some = ty.Dim("N", min=1, max=64)
    traced = ty.trace(nested, ty.Spec((some, 3), ty.float32), ty.Spec((), ty.uint8))
    check(traced, (X, np.array(k, np.uint8)), *nested_in_numpy(X, k))


def test_nothing_runs_for_no_iteration():
    traced = ty.trace(
        lambda x: ty.while_loop(lambda x: x.sum() > 1e30, lambda x: x / 0.0, x),
        ty.Spec((N, 3), ty.float32),
    )
    check(traced, (X,), X)


def test_no_elements():
    traced = ty.trace(
        lambda x: ty.fori_loop(0, 3, lambda i, x: ty.cond(i > 1, lambda: x, lambda: x + 1.0), x),
        ty.Spec((N, 3), ty.float32),
    )
    check(traced, (X[:0],), X[:0])
    check(traced, (X,), X + 2)


def test_values_change_places():
    """Each new value is of the old ones, not of those that have been replaced already."""
    traced = ty.trace(
        lambda x, y, z: ty.fori_loop(0, 4, lambda i, a, b, c: (b, c, a), x, y, z),
        *[ty.Spec((3,), ty.float32)] * 3,
    )
    a, b, c = X[:3]
    check(traced, (a, b, c), b, c, a)
    fibonacci = ty.trace(
        lambda k: ty.fori_loop(0, k, lambda i, a, b: (b, a + b), 0, 1), ty.Spec((), ty.int64)
    )
    check(fibonacci, (np.array(20),), np.int64(6765), np.int64(10946))


WEIGHT = RANDOM.standard_normal((3, 3)).astype(np.float32)
LINEAR = nn.Linear(3, 3)


def test_regions_see_the_weights_around_them():
    traced = ty.trace(
        lambda x: ty.cond(x.sum() > 0, lambda x: LINEAR(x), lambda x: x @ WEIGHT, x),
        ty.Spec((N, 3), ty.float32),
    )
    assert list(traced.parameters) == ["LINEAR.weight", "LINEAR.bias", "WEIGHT"]
    positive = abs(X)
    check(traced, (positive,), positive @ LINEAR.weight.T + LINEAR.bias)
    check(traced, (-positive,), -positive @ WEIGHT)


def test_power_iteration():
    """What a loop asks for and does not change is computed before it."""
    symmetric = WEIGHT + WEIGHT.T

    def function(v: Any) -> Any:
        matrix = ty.exp(ty.asarray(symmetric) * 0.5)
        return ty.fori_loop(
            0, 30, lambda i, v: (matrix @ v) / ((matrix @ v) ** 2.0).sum() ** 0.5, v
        )

    traced = ty.trace(function, ty.Spec((3,), ty.float32))
    matrix = np.exp(symmetric * np.float32(0.5))
    v = np.ones(3, np.float32)
    for _ in range(30):
        v = matrix @ v / np.linalg.norm(matrix @ v)
    check(traced, (np.ones(3, np.float32),), v)
    text = traced.lower("cpu").as_text("kernel")
    loop = text.index("program.while")
    assert loop > text.index("program.launch @mul_exp(")


def test_branches_alone_are_computed():
    """The other branch would not come to an end."""

    def forever(x: Any) -> Any:
        return ty.while_loop(lambda _: True, lambda x: x, x)

    traced = ty.trace(
        lambda x: ty.cond(x.sum() < 1e30, lambda: (x, 1.0), lambda: (forever(x), x.sum())),
        ty.Spec((N, 3), ty.float32),
    )
    check(traced, (X,), X, np.float32(1))


SCALE = """
kernel.func @scale(
  out %y: !kernel.buf<[N] x f32>,
  inout %calls: !kernel.buf<[] x i32>,
  in %x: !kernel.buf<[N] x f32>
) dims(N in 0..) {
  %two = arith.constant 2.0 : f32
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %w = arith.mulf %v, %two : f32
  kernel.store %w, %y[%i]
  %one = arith.constant 1 : i32
  kernel.scatter %one, %calls[] {kind = "add"}
}
"""


def test_a_kernel_is_called_from_a_loop():
    def step(i: Any, x: Any, calls: Any) -> Any:
        return ty.custom_call(SCALE, calls, x + 1.0)

    traced = ty.trace(
        lambda x, calls: ty.fori_loop(0, 3, step, x, calls),
        *(ty.Spec((N,), ty.float32), ty.Spec((), ty.int32)),
    )
    expected = X[:, 0]
    for _ in range(3):
        expected = (expected + 1) * 2
    check(traced, (X[:, 0], np.array(4, np.int32)), expected, np.int32(7))


def _leaked(x: Any) -> Any:
    kept: list[Any] = []
    ty.cond(x.sum() > 0, lambda: kept.append(x * 2.0) or x, lambda: x)
    return kept[0]


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a condition with axes": (
        lambda x: ty.cond(x > 0, lambda: x, lambda: x),
        "the condition of a branch is a boolean of rank 0, got bool[4]",
    ),
    "a number as a condition": (
        lambda x: ty.cond(x.sum(), lambda: x, lambda: x),
        "the condition of a branch is a boolean of rank 0, got float32[]",
    ),
    "two nests": (
        lambda x: ty.cond(True, lambda: x, lambda: (x, {"a": x, "b": [x]})),
        "the branches return a tensor and (tensor, {a: tensor, b: [tensor]})",
    ),
    "two shapes": (
        lambda x: ty.cond(True, lambda: {"a": x}, lambda: {"a": x.sum()}),
        "the branches return a as float32[4] and float32[]; both are to be alike",
    ),
    "nothing": (lambda x: ty.cond(True, lambda: (), lambda: ()), "the branches return no tensor"),
    "None": (lambda x: ty.cond(True, lambda: x, lambda: None), "expected a tensor"),
    "a loop's condition": (
        lambda x: ty.while_loop(lambda x: x > 0, lambda x: x, x),
        "the condition of a loop is a boolean of rank 0, got bool[4]",
    ),
    "another shape": (
        lambda x: ty.while_loop(lambda x: True, lambda x: x.sum(), x),
        "the body takes float32[4] and returns float32[]",
    ),
    "another dtype": (
        lambda x: ty.fori_loop(0, 3, lambda i, x, y: (x, y.astype(ty.float16)), x, x),
        "the body takes 1 as float32[4] and returns float16[4]",
    ),
    "another nest": (
        lambda x: ty.while_loop(lambda x, y: True, lambda x, y: x, x, x),
        "the body takes (tensor, tensor) and returns a tensor",
    ),
    "nothing carried": (
        lambda x: ty.while_loop(lambda: True, lambda: ()),
        "a loop carries one tensor at least",
    ),
    "a bound that is no integer": (
        lambda x: ty.fori_loop(0.0, 2.0, lambda i, x: x, x),
        "a bound of a loop is an integer of rank 0, got float32[]",
    ),
    "a tensor that left its branch": (
        _leaked,
        "a tensor of a branch or a loop does not exist outside of it; let its function return it",
    ),
    "text without a kernel": (
        lambda x: ty.custom_call("func.func @f() { func.return }", x),
        "a custom call takes the text of one kernel.func",
    ),
    "a kernel of other tensors": (
        lambda x: ty.custom_call(SCALE, 1, x),
        "argument 0 of @scale is !kernel.buf<[] x i32>, not tensor<i64>",
    ),
    "two kernels of one name": (
        lambda x: (ty.custom_call(SCALE, x, x), ty.custom_call(SCALE.replace("2.0", "3.0"), x, x)),
        "@scale is the name of something else in this program",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str):
    function, message = REFUSED[case]
    with pytest.raises(ty.CompileError) as caught:
        ty.trace(function, ty.Spec((4,), ty.float32))
    (problem, *_) = caught.value.diagnostics
    assert message in problem.message
    assert problem.location is not None and problem.location.file == __file__


def test_kernels_read_along_what_a_scatter_or_a_loop_has_written():
    n = ty.Dim("N", min=1)

    def function(x, mask):
        (places,), count = ty.nonzero(mask)
        doubled = ty.while_loop(lambda y: y.max() < 8, lambda y: y + y, x)
        return ty.take(x, places, axis=0) + 1, doubled - x, ty.sum(doubled) + ty.sum(x), count

    x, mask = np.array([[1, 2], [3, 4]], np.float32), np.array([0, 1], np.float32)
    compiled = ty.trace(function, ty.Spec((n, 2)), ty.Spec((n,))).lower().compile()
    picked, moved, total, count = compiled(x, mask)
    assert picked[:1].tolist() == [[4, 5]] and count == 1
    assert moved.tolist() == [[1, 2], [3, 4]] and total == 30
