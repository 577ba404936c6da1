"""The algebra behind the rows of simplify-kernel, proven by z3; comparisons against brute force."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from teenyir.dialects import kernel
from teenyir.dialects.expr import DimRange, Expr
from teenyir.passes.kernel.simplify.gates import PREDICATES, decide
from teenyir.passes.kernel.simplify.known import Known

A, B, C, H, J, K, L, N, X = z3.Ints("a b c h j k l n x")


def prove(claim: z3.BoolRef, *given_: z3.BoolRef) -> None:
    """Fails with a counterexample where `claim` does not follow."""
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(*given_, z3.Not(claim))
    assert solver.check() == z3.unsat, solver


def bounded(*symbols: z3.ArithRef, by: int = 40) -> list[z3.BoolRef]:
    return [z3.And(symbol >= -by, symbol <= by) for symbol in symbols]


def least(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a < b, a, b)


def greatest(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a > b, a, b)


def test_sum_of_indices() -> None:
    # sum(a + b * k over k in l..h) -> a * n + b * (h * (h - 1) - l * (l - 1)) / 2, step by step
    def total(h: z3.ArithRef) -> z3.ArithRef:
        return A * (h - L) + B * ((h * (h - 1) - L * (L - 1)) / 2)

    prove(total(L) == 0)
    prove(total(H + 1) - total(H) == A + B * H, *bounded(A, B, by=6), *bounded(L, H, by=12), H >= L)


def test_count_one_step_at_a_time() -> None:
    # sum(1 if a <= k < b else 0 over k in l..h) -> max(0, min(b, h) - max(a, l))
    def count(h: z3.ArithRef) -> z3.ArithRef:
        return greatest(z3.IntVal(0), least(B, h) - greatest(A, L))

    prove(count(L) == 0)
    prove(count(H + 1) - count(H) == z3.If(z3.And(A <= H, B > H), 1, 0), H >= L)


def test_clip_range() -> None:
    # k in l..h with a <= k < b  is  k in max(a, l)..min(b, h)
    inside = z3.And(L <= K, K < H, A <= K, K < B)
    prove(inside == z3.And(greatest(A, L) <= K, least(B, H) > K))


def test_one_side_of_a_gate() -> None:
    # 0 <= i - a < n, where i - a < n always holds  is  i >= a
    prove(z3.And(X - A >= 0, X - A < N) == (X >= A), X - A < N)


def test_gate_within_gate() -> None:
    # 0 <= i - a < n and 0 <= i - b < m  is  max(a, b) <= i < min(a + n, b + m)
    both = z3.And(X - A >= 0, X - A < N, X - B >= 0, X - B < C)
    prove(both == z3.And(greatest(A, B) <= X, least(A + N, B + C) > X))


@pytest.mark.parametrize("n", range(1, 9))
def test_merge_ranges(n: int) -> None:
    # (i, j) in 0..M, 0..n  and  f in 0..M * n  are one to one, by f = i * n + j
    f = X * n + J
    inside = [X >= 0, J >= 0, n > J]
    prove(z3.And(f / n == X, f % n == J), *inside)
    prove(z3.And(f >= 0, f < K * n), *inside, K > X)
    prove(z3.And(H / n >= 0, H / n < K, H % n >= 0, H % n < n), H >= 0, K * n > H)


def test_one_hot() -> None:
    # k in l..h with k == e - c: there is one, e - c, where 0 <= e - c - l < h - l, else none
    place = B - C
    prove((z3.And(L <= K, K < H, K + C == B)) == z3.And(place == K, place - L >= 0, place < H))


# --- comparisons ----------------------------------------------------------------------------------

WHAT: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    **{f"s{name}": getattr(operator, name) for name in ("lt", "le", "gt", "ge")},
    **{
        f"u{name}": lambda a, b, name=name: getattr(operator, name)(a % 2**64, b % 2**64)
        for name in ("lt", "le", "gt", "ge")
    },
}


@given(
    st.sampled_from(PREDICATES),
    st.integers(-6, 6),
    st.integers(0, 6),
    *[st.integers(-3, 3)] * 2,
    *[st.integers(-8, 8)] * 2,
)
def test_a_decided_comparison_is_so_in_every_iteration(
    predicate: str, low: int, extent: int, a: int, b: int, c: int, d: int
) -> None:
    func = kernel.FuncOp("f", [], [], kernel.DimsAttr((DimRange("N", 1, 5),)))
    range_ = kernel.RangeOp(low, low + extent + 1)
    func.body.block.add_op(range_)
    known = Known(func)
    i = known.name(range_.result)
    lhs, rhs = i * a + c, Expr.of("N") * b + d
    decided = decide(known, predicate, lhs, rhs)
    held = {
        WHAT[predicate](k * a + c, n * b + d)
        for k in range(low, low + extent + 1)
        for n in range(1, 6)
    }
    assert decided is None or held == {decided}
    if extent == 0 and b == 0 and predicate[0] == "s":
        assert decided is not None
