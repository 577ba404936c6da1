"""Intervals hold every value, simplified expressions keep it, the rules behind both are true."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from teenyir.analysis.bounds import bounds
from teenyir.analysis.intervals import Facts
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr

N, M = DimRange("N", 0, 9), DimRange("M", 1, None)
K = DimRange("K", 0, 24, 6)
DIMS = {"N": N, "M": M}

LOOPS: list[dict[str, tuple[Expr, Expr]]] = [
    {"i": (Expr.of(0), Expr.of("N")), "j": (Expr.of(0), Expr.of(12))},
    {"i": (Expr.of(0), Expr.of("M") * 3), "j": (Expr.of("i"), Expr.of("i") + 4)},
    {"i": (Expr.of("N") - 4, Expr.of("N")), "j": (Expr.of(0), Expr.of("i") + 1)},
    {"i": (Expr.of(2), Expr.of(7)), "j": (Expr.of("M"), Expr.of("M") * Expr.of("N"))},
]


@st.composite
def names_and_values(draw: st.DrawFn) -> tuple[Facts, dict[str, int]]:
    """Facts, and values of all names that they allow."""
    values = {"N": draw(st.integers(0, 9)), "M": draw(st.integers(1, 20))}
    loops = draw(st.sampled_from(LOOPS))
    for name, (lower, upper) in loops.items():
        low, high = lower.evaluate(values), upper.evaluate(values)
        assume(low < high)
        values[name] = draw(st.integers(low, high - 1))
    return Facts(DIMS, loops), values


LEAVES = st.one_of(
    st.sampled_from(["N", "M", "i", "j"]).map(Expr.of), st.integers(-9, 9).map(Expr.of)
)
DIVISORS = st.one_of(
    st.integers(-6, 12).filter(bool).map(Expr.of), st.sampled_from(["M"]).map(Expr.of)
)


def deeper(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, k: a * k, inner, st.integers(-8, 8)),
        st.builds(lambda a, b: a * b, inner, LEAVES),
        st.builds(lambda a, d: a // d, inner, DIVISORS),
        st.builds(lambda a, d: a % d, inner, DIVISORS),
        st.builds(lambda a, b: Expr.minimum(a, b), inner, inner),
        st.builds(lambda a, b: Expr.maximum(a, b), inner, inner),
    )


EXPRS = st.recursive(LEAVES, deeper, max_leaves=8)


def is_between(low: int | None, value: int, high: int | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


@given(names_and_values(), EXPRS)
def test_an_interval_holds_every_value(known: tuple[Facts, dict[str, int]], expr: Expr):
    facts, values = known
    low, high = facts.interval(expr)
    assert is_between(low, expr.evaluate(values), high)


@given(names_and_values(), EXPRS, st.sampled_from([6, 12, 24]))
def test_a_divisor_divides_every_value(known: tuple[Facts, dict[str, int]], expr: Expr, k: int):
    facts, values = known
    facts = Facts({**facts.dims, "K": K}, facts.loops)
    expr = expr.substitute({"N": Expr.of("K"), "i": Expr.of("K") * 2})
    divisor, value = facts.divisor(expr), expr.evaluate({**values, "K": k})
    assert value == 0 if divisor == 0 else value % divisor == 0


def test_the_step_of_an_extent_divides_it():
    facts = Facts.of([K])
    k = Expr.of("K")
    assert facts.divisor(k * 5 + 12) == 6
    assert facts.divisor(k // 3) == 2
    assert facts.divisor(k % 4) == 2
    assert facts.divisor(Expr.minimum(k, 9)) == 3


@given(names_and_values(), EXPRS)
def test_bounds_hold_every_value(known: tuple[Facts, dict[str, int]], expr: Expr):
    _, values = known
    low, high = bounds(expr, DIMS)
    assert is_between(low, expr.evaluate(values), high)


@given(names_and_values(), EXPRS)
def test_simplification_keeps_the_value(known: tuple[Facts, dict[str, int]], expr: Expr):
    facts, values = known
    assert facts.simplify(expr).evaluate(values) == expr.evaluate(values)


def questions(exprs: list[Expr], divisors: list[Expr]) -> list[tuple[str, tuple[Expr, ...]]]:
    """All that may be asked about expressions: methods of `Facts`, and their arguments."""
    alone = ("interval", "is_nonnegative", "divisor", "simplify")
    return [
        *((question, (expr,)) for question in alone for expr in exprs),
        *(("divide", (expr, divisor)) for expr in exprs for divisor in divisors),
        *(("is_below", (expr, bound)) for expr in exprs for bound in exprs),
    ]


@settings(max_examples=40)
@given(
    st.sampled_from(LOOPS),
    st.lists(EXPRS, min_size=1, max_size=2),
    st.lists(DIVISORS, min_size=1, max_size=2),
    st.randoms(use_true_random=False),
)
def test_answers_that_are_kept_are_those_of_new_facts(
    known: dict[str, tuple[Expr, Expr]], exprs: list[Expr], divisors: list[Expr], random: Random
):
    """After other questions, and after a loop was added that nothing has been asked about."""
    loops = dict(known)
    facts = Facts(DIMS, loops)
    asked = questions(exprs, divisors)
    random.shuffle(asked)
    for question, about in asked:
        getattr(facts, question)(*about)
    loops["k"] = (Expr.of("i"), Expr.of("i") * 2 + Expr.of("N"))
    inside = [expr.substitute({"j": Expr.of("k")}) for expr in exprs]
    asked += questions(inside, divisors)
    random.shuffle(asked)
    for question, about in asked:
        assert getattr(facts, question)(*about) == getattr(Facts(DIMS, loops), question)(*about)


@given(names_and_values(), EXPRS, EXPRS, st.integers(1, 6), st.integers(1, 6))
def test_quotients_of_flat_indices_keep_the_value(
    known: tuple[Facts, dict[str, int]], a: Expr, b: Expr, g: int, e: int
):
    # what reshapes make: a row-major offset, taken apart by other extents
    facts, values = known
    flat = a * (g * e) + b * g + Expr.of("i") % g
    for expr in (flat // (g * e), flat % (g * e), (flat // g) % e, flat % (g * e) // g):
        assert facts.simplify(expr).evaluate(values) == expr.evaluate(values)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        (lambda i, j: (i * 12 + j) // 12, "i"),
        (lambda i, j: (i * 12 + j) % 12, "j"),
        (lambda i, j: (i * 12 + j) // 4, "i * 3 + j floordiv 4"),
        (lambda i, j: (i * 12 + j) % 4, "j mod 4"),
        (lambda i, j: (i * 4 + j // 4) // 8, "i floordiv 2"),
        (lambda i, j: (i * 4 + j // 4) % 8, "i mod 2 * 4 + j floordiv 4"),
        (lambda i, j: j // 5 * 5 + j % 5, "j"),
        (lambda i, j: i * 7 + j // 6 * 12 + j % 6 // 3 * 6 + j % 3 * 2, "i * 7 + j * 2"),
        (lambda i, j: j // 6 * 6 + j // 2 % 3 * 2 + j % 2, "j"),
        (lambda i, j: (i + j) // 5 * -10 - (i + j) % 5 * 2, "-i * 2 - j * 2"),
        (lambda i, j: j // 5 * 5 + j % 4, "j floordiv 5 * 5 + j mod 4"),
        (lambda i, j: Expr.minimum(i, 9), "i"),
        (lambda i, j: Expr.maximum(j - 20, 0), "0"),
        (lambda i, j: i % Expr.of("N"), "i"),
        (lambda i, j: j % 11, "j mod 11"),
        (lambda i, j: (i * 12 + j) // 5, "(i * 12 + j) floordiv 5"),
    ],
)
def test_what_is_simplified(text: Callable[[Expr, Expr], Expr], simple: str):
    facts = Facts(DIMS, LOOPS[0])
    assert str(facts.simplify(text(Expr.of("i"), Expr.of("j")))) == simple


# --- proofs ---------------------------------------------------------------------------------------

DIVISOR_RANGE = range(1, 13)


def floordiv(x: z3.ArithRef, d: int) -> z3.ArithRef:
    # z3 rounds so that the remainder is no less than 0: down, by a positive divisor
    return x / d if d > 0 else -x / -d


def mod(x: z3.ArithRef, d: int) -> z3.ArithRef:
    return x - floordiv(x, d) * d


def prove(claim: z3.BoolRef | bool, *given_: z3.BoolRef | bool) -> None:
    """Fails with a counterexample where `claim` does not follow."""
    solver = z3.Solver()
    solver.add(*given_, z3.Not(claim))
    assert solver.check() == z3.unsat, solver.model()


X, Y, Q = z3.Ints("x y q")


@pytest.mark.parametrize("d", [d for d in range(-12, 13) if d])
def test_rule_multiples_leave_a_quotient(d: int):
    # (d*q + x) floordiv d -> q + x floordiv d, (d*q + x) mod d -> x mod d
    prove(floordiv(Q * d + X, d) == Q + floordiv(X, d))
    prove(mod(Q * d + X, d) == mod(X, d))


@pytest.mark.parametrize("d", DIVISOR_RANGE)
def test_rule_what_is_below_the_divisor(d: int):
    # 0 <= x < d: x floordiv d -> 0, x mod d -> x
    below = z3.And(X >= 0, d > X)
    prove(floordiv(X, d) == 0, below)
    prove(mod(X, d) == X, below)


@pytest.mark.parametrize("d", DIVISOR_RANGE)
def test_rule_nested_quotients(d: int):
    # (x floordiv a) floordiv d -> x floordiv (a*d), for a and d positive
    for a in range(1, 7):
        prove(floordiv(floordiv(X, a), d) == floordiv(X, a * d))


@pytest.mark.parametrize("d", [d for d in range(-12, 13) if d])
def test_rule_remainders_of_remainders_and_of_quotients(d: int):
    # (x mod a) mod d -> x mod d, where d divides a; (x floordiv d) * d + x mod d -> x
    prove(floordiv(X, d) * d + mod(X, d) == X)
    for k in (-3, -1, 1, 2, 5):
        prove(mod(mod(X, d * k), d) == mod(X, d))


@pytest.mark.parametrize("e", range(1, 8))
def test_rule_common_divisors(e: int):
    # (g*y + x) floordiv (g*e) -> y floordiv e, (g*y + x) mod (g*e) -> g*(y mod e) + x, 0 <= x < g
    for g in range(1, 8):
        below = z3.And(X >= 0, g > X)
        prove(floordiv(Y * g + X, g * e) == floordiv(Y, e), below)
        prove(mod(Y * g + X, g * e) == mod(Y, e) * g + X, below)


@pytest.mark.parametrize("d", DIVISOR_RANGE)
def test_rule_quotients_and_remainders_are_between(d: int):
    # the interval of x floordiv d from that of x; x mod d in 0..d-1, and no more than x >= 0
    prove(z3.And(floordiv(Y, d) <= floordiv(X, d), mod(X, d) >= 0, mod(X, d) < d), Y <= X)
    prove(mod(X, d) <= X, X >= 0)
    # the bounds: (x - d + 1) / d <= x floordiv d <= x / d
    prove(z3.And(X - d + 1 <= floordiv(X, d) * d, floordiv(X, d) * d <= X))
