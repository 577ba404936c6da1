"""A running fold gives what the plain formula gives, whatever a row holds, on every floor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.lowered import lower

Array = NDArray[Any]

ROWS, COLUMNS, BLOCK = 3, 5, 4
INF, NAN = np.inf, np.nan


def element(name: str, j: str) -> str:
    """Scores that are a sum themselves, so that a row of them is staged."""
    return f"""
  %d{name} = kernel.range 0 to 2
  %l{name} = kernel.load %x[%i, %{j}, %d{name}]
  %{name} = kernel.reduce %l{name} over(%d{name}) {{kind = "add"}}"""


def program(safe: bool) -> str:
    """`y = softmax(sum(x)) @ v` and the sums of the exponentials, with loops for each of them."""
    subtracted = "safe" if safe else "m"
    return f"""builtin.module {{
kernel.func @attention(out %y: !kernel.buf<[3, 5] x f32>, out %t: !kernel.buf<[3] x f32>,
    in %x: !kernel.buf<[3, N, 2] x f32>, in %v: !kernel.buf<[N, 5] x f32>) dims(N in 0..) {{
  %i = kernel.range 0 to 3
  %c = kernel.range 0 to 5
  %low = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %j = kernel.range 0 to N{element("a", "j")}
  %m = kernel.reduce %a over(%j) {{kind = "max"}}
  %is = arith.cmpf oeq, %m, %low : f32
  %safe = arith.select %is, %zero, %m : f32
  %k = kernel.range 0 to N{element("b", "k")}
  %d1 = arith.subf %b, %{subtracted} : f32
  %e1 = math.exp %d1 : f32
  %s = kernel.reduce %e1 over(%k) {{kind = "add"}}
  kernel.store %s, %t[%i]
  %n = kernel.range 0 to N{element("g", "n")}
  %d2 = arith.subf %g, %{subtracted} : f32
  %e2 = math.exp %d2 : f32
  %w = arith.divf %e2, %s : f32
  %u = kernel.load %v[%n, %c]
  %p = arith.mulf %w, %u : f32
  %o = kernel.reduce %p over(%n) {{kind = "add"}}
  kernel.store %o, %y[%i, %c]
}}
program.func @main(in %x: !kernel.buf<[3, N, 2] x f32>, in %v: !kernel.buf<[N, 5] x f32>,
    out %y: !kernel.buf<[3, 5] x f32>, out %t: !kernel.buf<[3] x f32>) dims(N in 0..)
    attributes {{program.names = ["x", "v", "y", "t"]}} {{
  program.launch @attention(%y, %t, %x, %v)
}}
}}"""


def expected(x: Array, v: Array, safe: bool) -> tuple[Array, Array]:
    """The plain formula, in float64."""
    scores = x.astype(np.float64).sum(-1)
    top = scores.max(-1, initial=-INF, keepdims=True)
    powers = np.exp(scores - np.where(safe & (top == -INF), 0, top))
    total = powers.sum(-1)
    return (powers / total[:, None]) @ v.astype(np.float64), total


def random(n: int) -> Array:
    return np.random.default_rng(n).standard_normal((ROWS, n)).astype(np.float32)


def masked(n: int, *at: int | slice) -> Array:
    """Random scores, some of which are -inf."""
    scores = random(n)
    for each in at:
        scores[:, each] = -INF
    return scores


def with_(value: float, *at: int) -> Array:
    """Random scores, one of which is a value, at another place in each row."""
    scores = random(11)
    for row, each in enumerate(at):
        scores[row, each] = value
    return scores


HOSTILE = {
    "no column": random(0),
    "one column": random(1),
    "a part of a block": random(3),
    "one block": random(BLOCK),
    "a last block of one": random(2 * BLOCK + 1),
    "whole blocks": random(3 * BLOCK),
    "all masked": masked(11, slice(None)),
    "the first block masked": masked(11, slice(0, BLOCK)),
    "a block in the middle masked": masked(11, slice(BLOCK, 2 * BLOCK)),
    "the last block masked": masked(11, slice(2 * BLOCK, None)),
    "all but the last masked": masked(11, slice(0, 10)),
    "all but the first masked": masked(11, slice(1, None)),
    "a NaN": with_(NAN, 0, 5, 10),
    "an infinity": with_(INF, 0, 5, 10),
    "far above": with_(1e30, 0, 5, 10),
    "far below": with_(-1e30, 0, 5, 10),
    "only far below": random(11) - np.float32(3e4),
    "only far above": random(11) + np.float32(3e4),
    "rising": np.tile(np.arange(11, dtype=np.float32) * 40, (ROWS, 1)),
    "falling": np.tile(-np.arange(11, dtype=np.float32) * 40, (ROWS, 1)),
}


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("edge", ["clipped", "clamped"])
@pytest.mark.parametrize("safe", [False, True], ids=["plain", "safe"])
def test_hostile_rows(safe: bool, edge: str) -> None:
    module = parse_module(program(safe), "attention")
    fold = f"running-fold{{range=j by={BLOCK} edge={edge}}}"
    PassManager.parse(f"kernel.func({fold}),canonicalize,cse").run(module)
    native = lower(module, "cpu").compile(cache=False)
    for name, scores in HOSTILE.items():
        x = np.stack([scores, np.zeros_like(scores)], -1)
        v = np.random.default_rng(1).standard_normal((scores.shape[1], COLUMNS)).astype(np.float32)
        wanted = expected(x, v, safe)
        for found in (run(module, [x, v]), native(x, v)):
            for got, want in zip(found, wanted, strict=True):
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_summed_may_be_anything(value: float) -> None:
    """An infinity in a column is one in the sum, next to zeros of masked blocks a NaN."""
    module = parse_module(program(False), "attention")
    PassManager.parse(f"kernel.func(running-fold{{range=j by={BLOCK}}})").run(module)
    for scores in (random(11), masked(11, slice(0, BLOCK))):
        x = np.stack([scores, np.zeros_like(scores)], -1)
        for at in (0, 5, 10):
            v = np.ones((11, COLUMNS), np.float32)
            v[at, 2] = value
            want, _ = expected(x, v, False)
            np.testing.assert_allclose(run(module, [x, v])[0], want, rtol=2e-5)


@pytest.mark.parametrize("divided", [False, True], ids=["sum", "quotients"])
def test_sums_of_a_narrower_type_than_what_they_are_relative_to(divided: bool) -> None:
    """A maximum of f64, and a total of f64 that quotients are of, are no numbers of f32."""

    def program(x: ty.Tensor) -> ty.Tensor:
        scores = x if not divided else ty.astype(x, ty.float32)
        powers = ty.exp(scores - ty.max(scores, axis=-1, keepdims=True))
        if divided:
            powers = ty.astype(powers, ty.float64)
            powers = powers / ty.sum(powers, axis=-1, keepdims=True)
        return ty.sum(ty.astype(powers, ty.float32), axis=-1)

    traced = ty.trace(program, ty.Spec((ROWS, ty.Dim("N", min=1)), ty.float64))
    native = traced.lower("cpu").compile(cache=False)
    for offset in (0.0, 1e4 if divided else 1e300):
        x = random(300).astype(np.float64) + offset
        scores = x.astype(np.float32).astype(np.float64) if divided else x
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        want = np.ones(ROWS) if divided else powers.sum(-1)
        np.testing.assert_allclose(native(x), want, rtol=1e-5)
