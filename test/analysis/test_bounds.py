"""Bounds of expressions: sound by brute force over generated ones, and tight where it counts."""

from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teenyir.analysis.bounds import DEEPEST, bounds, lower_bound
from teenyir.analysis.intervals import Facts
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr

N, M = Expr.of("N"), Expr.of("M")
RANGES = {"N": DimRange("N", 2, 9), "M": DimRange("M", 0, 5)}

small = st.integers(-4, 4).map(Expr.of)
expressions = st.recursive(
    st.sampled_from([N, M]) | small,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda ab: ab[0] + ab[1]),
        st.tuples(inner, inner).map(lambda ab: ab[0] - ab[1]),
        st.tuples(inner, small).map(lambda ab: ab[0] * ab[1]),
        st.tuples(inner, st.integers(1, 5)).map(lambda ab: ab[0] // ab[1]),
        st.tuples(inner, st.integers(1, 5)).map(lambda ab: ab[0] % ab[1]),
        st.tuples(inner, inner).map(lambda ab: Expr.minimum(*ab)),
        st.tuples(inner, inner).map(lambda ab: Expr.maximum(*ab)),
    ),
    max_leaves=6,
)


@given(expressions)
@settings(max_examples=300, deadline=None)
def test_sound(expr):
    low, high = bounds(expr, RANGES)
    assert lower_bound(expr, RANGES) == low
    values = [expr.evaluate({"N": n, "M": m}) for n, m in product(range(2, 10), range(6))]
    assert low is None or low <= min(values)
    assert high is None or high >= max(values)


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (N, 2, 9),
        (-N, -9, -2),
        (N * M, 0, 45),
        (N - N // 2, 1, 5),
        (N - N % 4, 0, 9),
        (N - Expr.minimum(N, M), 0, 9),
        (Expr.maximum(N, M) - M, 0, 9),
        (Expr.minimum(N, 3) - N, -6, 0),
        ((N * 2 + 1) // 2 - N, 0, 0),
        (Expr.of("K"), None, None),
        (Expr.of("K") % 8, 0, 7),
        (Expr.minimum("K", 3), None, 3),
    ],
)
def test_tight(expr, low, high):
    assert bounds(expr, RANGES) == (low, high)


def test_unbounded_above():
    ranges = {"N": DimRange("N", 1)}
    assert bounds(N * 2 - 1, ranges) == (1, None)
    assert bounds(3 - N, ranges) == (None, 2)
    assert bounds(N - Expr.minimum(N, 3), ranges) == (0, None)
    assert bounds(N - N // 3, ranges) == (1, None)


def test_atoms_are_not_replaced_in_every_order(monkeypatch: pytest.MonkeyPatch):
    """The sizes of an arena are sums of many quotients, over many names."""
    asked: list[Expr] = []
    interval = Facts.interval

    def counted(facts: Facts, expr: Expr):
        asked.append(expr)
        return interval(facts, expr)

    monkeypatch.setattr(Facts, "interval", counted)
    names = [f"N{k}" for k in range(9)]
    total = sum((Expr.of(name).ceildiv(64) for name in names), Expr.of(0))
    assert lower_bound(total, {name: DimRange(name, 1) for name in names}) == len(names)
    atoms = len(names)
    sums = sum(comb(atoms, k) for k in range(DEEPEST + 1))
    assert len(asked) <= sums * (2 * atoms + 1)  # of a sum, and of what is in each of its atoms
