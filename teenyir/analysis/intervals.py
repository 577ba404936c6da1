"""What is known of index expressions: intervals, and the simplifications that they allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

from teenyir.analysis.divisions import RULES
from teenyir.analysis.rejoining import rejoined
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Compound, Expr

Bound: TypeAlias = int | None
Interval: TypeAlias = tuple[Bound, Bound]
"""The least and the greatest value, None where there is no bound."""

ANYTHING: Interval = (None, None)

Question = TypeVar("Question", bound=Callable[..., Any])
"""A method of `Facts` whose arguments can be hashed."""


def _answered_once(question: Question) -> Question:
    """Keeps the answers: one expression comes up at many places of a kernel."""

    @wraps(question)
    def answer(self: Facts, *asked: Hashable) -> Any:
        key = (question, asked)
        if key not in self.answers:
            self.answers[key] = question(self, *asked)
        return self.answers[key]

    return cast(Question, answer)


@dataclass(frozen=True)
class Facts:
    """What is known of names: the range of each extent, the loop that each index runs over.

    Loops of new names may be added, before anything is asked about those.
    """

    dims: Mapping[str, DimRange] = field(default_factory=dict[str, DimRange])
    loops: Mapping[str, tuple[Expr, Expr]] = field(default_factory=dict[str, tuple[Expr, Expr]])
    """For an index the bounds of its loop, the upper one not included."""
    answers: dict[Hashable, Any] = field(
        default_factory=dict[Hashable, Any], init=False, repr=False, compare=False
    )
    """What was asked before."""

    @staticmethod
    def of(dims: Iterable[DimRange]) -> Facts:
        """Facts about extents alone."""
        return Facts({dim.name: dim for dim in dims})

    # --- intervals ----------------------------------------------------------------------------

    @_answered_once
    def interval(self, expr: Expr) -> Interval:
        """Bounds on the value, for every value of the names that the facts allow."""
        total: Interval = (0, 0)
        for monomial, coefficient in expr.terms:
            product: Interval = (coefficient, coefficient)
            for atom in monomial:
                known = self._name(atom) if isinstance(atom, str) else self._compound(atom)
                product = _times(product, known)
            total = (_plus(total[0], product[0]), _plus(total[1], product[1]))
        return total

    def _name(self, name: str) -> Interval:
        if (dim := self.dims.get(name)) is not None:
            return (dim.min, dim.max)
        if (loop := self.loops.get(name)) is not None:
            return (self.interval(loop[0])[0], _plus(self.interval(loop[1])[1], -1))
        return ANYTHING

    def _compound(self, atom: Compound) -> Interval:
        known = [self.interval(arg) for arg in atom.args]
        if atom.kind in ("min", "max"):
            return _extremum(atom.kind, known)
        (low, high), divisor = known[0], atom.args[1].constant
        if divisor is None or divisor <= 0:
            return ANYTHING
        if atom.kind == "floordiv":
            return (
                None if low is None else low // divisor,
                None if high is None else high // divisor,
            )
        if low is not None and low >= 0 and high is not None:
            return (0, min(high, divisor - 1))
        return (0, divisor - 1)

    def is_within(self, expr: Expr, low: int, high: Bound) -> bool:
        """Whether `low <= expr <= high` always holds; without `high`, whether `low <= expr`."""
        least, greatest = self.interval(expr)
        if least is None or least < low:
            return False
        return high is None or (greatest is not None and greatest <= high)

    @_answered_once
    def is_nonnegative(self, expr: Expr) -> bool:
        """Whether the value is never negative."""
        return self.is_within(expr, 0, None) or self.is_within(self._least(expr), 0, None)

    @_answered_once
    def _least(self, expr: Expr) -> Expr:
        """What the value is never below: with loops at the end that makes it less, as written.

        So the bounds of loops meet the extents they come from: for `i` below N, `N - i >= 1`.
        """
        for monomial, coefficient in expr.terms:
            name = monomial[0] if len(monomial) == 1 else None
            if not isinstance(name, str) or name not in self.loops:
                continue
            rest = expr - Expr(((monomial, coefficient),))
            if name not in rest.names:
                lower, upper = self.loops[name]
                end = lower if coefficient > 0 else upper - 1
                return self._least(rest + end * coefficient)
        return expr

    # --- divisibility -------------------------------------------------------------------------

    @_answered_once
    def divisor(self, expr: Expr) -> int:
        """The greatest number that is known to divide the value; 0 if the value is 0.

        The step of an extent divides it; what is known of a loop's index is nothing.
        """
        return math.gcd(*(c * math.prod(map(self._atom_divisor, m)) for m, c in expr.terms))

    def _atom_divisor(self, atom: str | Compound) -> int:
        if isinstance(atom, str):
            return self.dims[atom].step if atom in self.dims else 1
        divisors = [self.divisor(arg) for arg in atom.args]
        if atom.kind == "floordiv":
            d = atom.args[1].constant
            return divisors[0] // d if d is not None and d > 0 and divisors[0] % d == 0 else 1
        return math.gcd(*divisors)  # of a minimum, a maximum, and a remainder: x - q*d

    # --- simplification -----------------------------------------------------------------------

    @_answered_once
    def simplify(self, expr: Expr) -> Expr:
        """An expression of the same value, for every value of the names that the facts allow."""
        if expr.is_polynomial:
            return expr
        simple = expr.rebuild(
            lambda atom: None if isinstance(atom, str) else self._simplify_compound(atom)
        )
        return rejoined(self, simple)

    def _simplify_compound(self, atom: Compound) -> Expr:
        args = [self.simplify(arg) for arg in atom.args]
        if atom.kind in ("min", "max"):
            return self._simplify_extremum(atom, args)
        quotient, remainder = self.divide(args[0], args[1])
        return quotient if atom.kind == "floordiv" else remainder

    def _simplify_extremum(self, atom: Compound, args: list[Expr]) -> Expr:
        kept = list(args)
        for arg in args:
            others = [other for other in kept if other is not arg]
            differences = (arg - o if atom.kind == "min" else o - arg for o in others)
            if any(self.is_nonnegative(difference) for difference in differences):
                kept = others
        return atom.rebuild(kept)

    @_answered_once
    def divide(self, value: Expr, divisor: Expr) -> tuple[Expr, Expr]:
        """The quotient and the remainder of simplified expressions, by the first rule that fits."""
        for rule in RULES:
            if (found := rule.apply(self, value, divisor)) is not None:
                return found
        return value // divisor, value % divisor

    def is_below(self, value: Expr, bound: Expr) -> bool:
        """Whether `0 <= value < bound` always holds."""
        return self.is_nonnegative(value) and self.is_nonnegative(bound - value - 1)


def _plus(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else a + b


def _times(a: Interval, b: Interval) -> Interval:
    if a == (0, 0) or b == (0, 0):
        return (0, 0)
    if None not in (*a, *b):
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return (min(corners), max(corners))
    if a[0] == a[1] and a[0] is not None:
        scale = a[0]
        low, high = (None if x is None else x * scale for x in b)
        return (low, high) if scale > 0 else (high, low)
    if b[0] == b[1] and b[0] is not None:
        return _times(b, a)
    # two half-open intervals of naturals
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 0:
        return (a[0] * b[0], None)
    return ANYTHING


def _extremum(kind: str, known: list[Interval]) -> Interval:
    lows, highs = [low for low, _ in known], [high for _, high in known]
    if kind == "min":
        bounds = [h for h in highs if h is not None]
        return (
            None if None in lows else min(low for low in lows if low is not None),
            min(bounds) if bounds else None,
        )
    bounds = [low for low in lows if low is not None]
    return (
        max(bounds) if bounds else None,
        None if None in highs else max(h for h in highs if h is not None),
    )
