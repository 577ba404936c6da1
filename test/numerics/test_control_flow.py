"""Random programs of branches and loops inside of each other mean the same on every floor."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir.interpreter import run
from teenyir.pipeline.manager import PassManager

N = ty.Dim("N", min=0, max=16)
SPECS = {
    "matrix": ty.Spec((N, 3), ty.float32),
    "row": ty.Spec((3,), ty.float32),
    "number": ty.Spec((), ty.int32),
}
Values = dict[str, list[Any]]
"""The tensors that there are so far, by kind."""

STEPS: list[tuple[str, Callable[[Random, Values], Any]]] = [
    ("matrix", lambda r, v: ty.tanh(pick(r, v, "matrix") + pick(r, v, "row"))),
    ("matrix", lambda r, v: pick(r, v, "matrix") * 0.5),
    ("matrix", lambda r, v: ty.broadcast_to(pick(r, v, "row"), v["matrix"][0].shape)),
    ("matrix", lambda r, v: ty.cumulative_sum(pick(r, v, "matrix"), axis=1) * 0.25),
    ("matrix", lambda r, v: ty.softmax(pick(r, v, "matrix"), axis=-1)),
    ("row", lambda r, v: ty.tanh(pick(r, v, "matrix").sum(axis=0))),
    ("row", lambda r, v: ty.zeros((3,)) + r.randint(0, 2)),
    ("number", lambda r, v: (pick(r, v, "number") * 3 + 1) % 7),
    ("number", lambda r, v: ty.where(pick(r, v, "number") > 2, pick(r, v, "number") - 1, 1)),
]


def pick(random: Random, values: Values, kind: str) -> Any:
    return random.choice(values[kind][-4:])


def grow(random: Random, depth: int, values: Values) -> None:
    """Compute some more tensors, by branches and loops up to a depth."""
    for _ in range(random.randint(1, 4)):
        choice = random.randrange(len(STEPS) + 3 * bool(depth))
        if choice < len(STEPS):
            kind, step = STEPS[choice]
            values[kind].append(step(random, values))
            continue
        kinds = random.choices(list(SPECS), k=random.randint(1, 3))
        make = branch if choice == len(STEPS) else loop
        for kind, result in zip(kinds, make(random, depth, values, kinds), strict=True):
            values[kind].append(result)


def branch(random: Random, depth: int, values: Values, kinds: list[str]) -> Any:
    def side() -> Any:
        inner = {kind: list(known) for kind, known in values.items()}
        grow(random, depth - 1, inner)
        return tuple(pick(random, inner, kind) for kind in kinds)

    return ty.cond(pick(random, values, "number") > random.randint(0, 4), side, side)


def loop(random: Random, depth: int, values: Values, kinds: list[str]) -> Any:
    def body(i: Any, carried: Any) -> Any:
        inner = {kind: list(known) for kind, known in values.items()}
        for kind, value in zip(kinds, carried, strict=True):
            inner[kind].append(value)
        inner["number"].append(i)
        grow(random, depth - 1, inner)
        return tuple(pick(random, inner, kind) for kind in kinds)

    start = tuple(pick(random, values, kind) for kind in kinds)
    return ty.fori_loop(0, pick(random, values, "number"), body, start)


def program(random: Random) -> ty.Traced:
    def function(*arguments: Any) -> Any:
        values = {kind: [value] for kind, value in zip(SPECS, arguments, strict=True)}
        grow(random, 3, values)
        grow(random, 3, values)
        return tuple(pick(random, values, kind) for kind in SPECS)

    return ty.trace(function, *SPECS.values())


PIPELINES = (
    "optimize-graph",
    "graph-to-kernel,program.func(plan-arena)",
    "optimize-graph,graph-to-kernel,kernel-to-uop",
)


@pytest.mark.parametrize("seed", range(8))
def test_random_control_flow(seed: int):
    traced = program(Random(seed))
    numbers = np.random.default_rng(seed)
    inputs = [
        numbers.standard_normal((seed % 5, 3)).astype(np.float32),
        numbers.standard_normal(3).astype(np.float32),
        np.array(seed % 4, np.int32),
    ]
    expected = run(traced.module, inputs)
    for pipeline in PIPELINES:
        module = traced.module.clone()
        PassManager.parse(pipeline).run(module)
        check(run(module, inputs), expected, pipeline)
    for target in ("cpu", "c"):
        check(traced.lower(target).compile(cache=False)(*inputs), expected, target)


def check(found: Any, expected: list[Any], where: str) -> None:
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), where
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=where)
