"""Sums in which quotients and remainders of one number are that number again: rules as rows.

A rule is asked about one term of a sum, a multiple `c` of a quotient or a remainder, and answers
the terms that it would replace and what takes their place, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from teenyir.dialects.expr import Compound, Expr, Monomial

if TYPE_CHECKING:
    from teenyir.analysis.intervals import Facts

Exchange: TypeAlias = tuple[Expr, Expr]
"""What is replaced, besides the term that was asked about, and what takes the place of both."""


class Rule(NamedTuple):
    """One row."""

    name: str
    apply: Callable[[Facts, Compound, int, int], Exchange | None]
    """Of facts, the quotient or remainder, its divisor, and its coefficient."""


def _other_half(other: Expr, whole: Expr) -> Exchange | None:
    # spelled canonically, which may have come to nothing
    return (other, whole) if other.terms else None


def _with_remainder(facts: Facts, atom: Compound, d: int, c: int) -> Exchange | None:
    if atom.kind != "floordiv" or c % d:
        return None
    x = atom.args[0]
    return _other_half((x % d) * (c // d), x * (c // d))


def _with_quotient(facts: Facts, atom: Compound, d: int, c: int) -> Exchange | None:
    if atom.kind != "mod":
        return None
    x = atom.args[0]
    return _other_half((x // d) * (d * c), x * c)


def _digits(facts: Facts, atom: Compound, d: int, c: int) -> Exchange | None:
    inner = atom.args[0].terms[0][0][0] if atom.args[0].is_atom else None
    if atom.kind != "mod" or not isinstance(inner, Compound) or inner.kind != "floordiv":
        return None
    e = inner.args[1].constant
    if e is None or e <= 0 or d <= 0 or c % e:
        return None
    x = inner.args[0]
    return _other_half((x % e) * (c // e), (x % (d * e)) * (c // e))


def _exact(facts: Facts, atom: Compound, d: int, c: int) -> Exchange | None:
    if atom.kind != "floordiv" or c % d or facts.divisor(atom.args[0]) % d:
        return None
    return Expr.of(0), atom.args[0] * (c // d)


RULES = (
    # (x floordiv d) * (d*c) + (x mod d) * c -> x * c, met at either term
    Rule("with-remainder", _with_remainder),
    Rule("with-quotient", _with_quotient),
    # ((x floordiv e) mod d) * (e*c) + (x mod e) * c -> (x mod (d*e)) * c
    Rule("digits", _digits),
    # d divides x, by the steps of named extents:  (x floordiv d) * (d*c) -> x * c
    Rule("exact", _exact),
)


def rejoined(facts: Facts, expr: Expr, rules: Sequence[Rule] = RULES) -> Expr:
    """An expression of the same value, with the rules applied until none fits."""
    for term in expr.terms:
        for rule in rules:
            exchange = _exchange(facts, rule, term)
            if exchange is not None and all(t in expr.terms for t in exchange[0].terms):
                other, replacement = exchange
                return rejoined(facts, expr - Expr((term,)) - other + replacement, rules)
    return expr


def _exchange(facts: Facts, rule: Rule, term: tuple[Monomial, int]) -> Exchange | None:
    """What a rule says of a term, if that is a multiple of one quotient or remainder."""
    monomial, coefficient = term
    atom = monomial[0] if len(monomial) == 1 else None
    if not isinstance(atom, Compound) or atom.kind not in ("floordiv", "mod"):
        return None
    d = atom.args[1].constant
    return rule.apply(facts, atom, d, coefficient) if d else None
