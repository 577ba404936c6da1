"""Division and remainder with proofs: each rule as a row, tried in order.

A rule is asked for the quotient (toward minus infinity) and the remainder of a value by a divisor,
and answers both or None. What it may rely on comes from `Facts`: intervals, the loops of indices,
the divisors of named extents. Every rule holds for all values that the facts allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from teenyir.dialects.expr import ZERO, Compound, Expr

if TYPE_CHECKING:
    from teenyir.analysis.intervals import Facts

Divided: TypeAlias = tuple[Expr, Expr]
"""A quotient and a remainder."""


class Rule(NamedTuple):
    """One row."""

    name: str
    apply: Callable[[Facts, Expr, Expr], Divided | None]


def _below(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    return (ZERO, value) if facts.is_below(value, divisor) else None


def _multiples_of_a_name(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    if divisor.constant is not None or not facts.is_within(divisor, 1, None):
        return None
    whole = rest = ZERO
    for term in value.terms:
        quotient = Expr((term,)).exact_quotient(divisor)
        if quotient is None:
            rest = rest + Expr((term,))
        else:
            whole = whole + quotient
    if not whole.terms:
        return None
    quotient, remainder = facts.divide(rest, divisor)
    return whole + quotient, remainder


def _divisor(divisor: Expr) -> int | None:
    """The divisor where it is a positive constant."""
    d = divisor.constant
    return d if d is not None and d > 0 else None


def _one_period(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    d, (low, high) = _divisor(divisor), facts.interval(value)
    if d is None or low is None or high is None or low // d != high // d:
        return None
    return Expr.of(low // d), value - low // d * d


def _multiples(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    if (d := _divisor(divisor)) is None:
        return None
    whole = Expr(tuple((m, c // d) for m, c in value.terms if c % d == 0))
    if not whole.terms:
        return None
    quotient, remainder = facts.divide(value - whole * d, divisor)
    return whole + quotient, remainder


def _congruent(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    if (d := _divisor(divisor)) is None:
        return None
    for whole in (
        Expr(tuple((m, c // d) for m, c in value.terms if c // d)),
        Expr(tuple((m, (c + d // 2) // d) for m, c in value.terms if (c + d // 2) // d)),
    ):
        rest = value - whole * d
        if whole.terms and (found := _one_period(facts, rest, divisor)) is not None:
            return whole + found[0], found[1]
    return None


def _common_factor(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    if (d := _divisor(divisor)) is None:
        return None
    factors = {math.gcd(c, d) for _, c in value.terms} - {1, d}
    for g in sorted(factors, reverse=True):
        big = Expr(tuple((m, c // g) for m, c in value.terms if c % g == 0))
        small = Expr(tuple((m, c) for m, c in value.terms if c % g))
        if big.terms and facts.is_below(small, Expr.of(g)):
            quotient, remainder = facts.divide(big, Expr.of(d // g))
            return quotient, remainder * g + small
    return None


def _of_a_remainder(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    atom = value.terms[0][0][0] if value.is_atom else None
    d = _divisor(divisor)
    if d is None or not isinstance(atom, Compound) or atom.kind != "mod":
        return None
    m = atom.args[1].constant
    if m is None or m <= 0 or m % d:
        return None
    quotient, remainder = facts.divide(atom.args[0], divisor)
    return facts.divide(quotient, Expr.of(m // d))[1], remainder


def _divisible(facts: Facts, value: Expr, divisor: Expr) -> Divided | None:
    d = _divisor(divisor)
    return (value // d, ZERO) if d is not None and facts.divisor(value) % d == 0 else None


RULES = (
    # 0 <= x < d:  x floordiv d -> 0, x mod d -> x
    Rule("below", _below),
    # k*d <= x < (k + 1)*d:  x floordiv d -> k, x mod d -> x - k*d
    Rule("one-period", _one_period),
    # n > 0:  (n*q + x) floordiv n -> q + x floordiv n, (n*q + x) mod n -> x mod n
    Rule("multiples-of-a-name", _multiples_of_a_name),
    # (d*q + x) floordiv d -> q + x floordiv d, (d*q + x) mod d -> x mod d
    Rule("multiples", _multiples),
    # coefficients give up multiples of d where that leaves no division:
    # 0 <= i + j < 8:  (9*i + j) floordiv 8 -> i, (9*i + j) mod 8 -> i + j
    Rule("congruent", _congruent),
    # 0 <= x < g:  (g*y + x) floordiv (g*e) -> y floordiv e,
    #              (g*y + x) mod (g*e) -> g*(y mod e) + x
    Rule("common-factor", _common_factor),
    # (x mod (d*e)) floordiv d -> (x floordiv d) mod e, (x mod (d*e)) mod d -> x mod d
    Rule("of-a-remainder", _of_a_remainder),
    # d divides x, by the steps of named extents:  x mod d -> 0
    Rule("divisible", _divisible),
)
"""In the order in which they are tried; the first that answers is taken."""
