"""Between which numbers an expression lies, given the ranges of its names: tighter than `Facts`.

Interval arithmetic, term by term, is sound but counts a name that occurs twice as two: it finds
that `N - N floordiv 2` may be negative. So each quotient, remainder, minimum or maximum is also
replaced by what bounds it, which leaves the sum to cancel: `2 * (N - N floordiv 2) >= 2 * N - N`.
The best of these bounds is the answer, sound and not always tight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from teenyir.analysis.intervals import Facts
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Compound, Expr

Ranges = Mapping[str, DimRange]

DEEPEST = 4
"""How many atoms are replaced one after the other; each may multiply the work."""


class Bounds(NamedTuple):
    """`low <= value <= high`; None where there is no bound."""

    low: int | None
    high: int | None


def bounds(expr: Expr, ranges: Ranges) -> Bounds:
    """The bounds of an expression. A name without a range has none, and so what depends on it."""
    lows = _Lows(ranges)
    high = lows.of(-expr, DEEPEST)
    return Bounds(lows.of(expr, DEEPEST), None if high is None else -high)


def lower_bound(expr: Expr, ranges: Ranges) -> int | None:
    """The lower one of the `bounds` of an expression."""
    return _Lows(ranges).of(expr, DEEPEST)


class _Lows:
    """Lower bounds of expressions over some names.

    Atoms that are replaced in another order leave the same expression, and so it is remembered.
    """

    def __init__(self, ranges: Ranges) -> None:
        self.facts = Facts(ranges)
        self.known: dict[tuple[Expr, int], int | None] = {}

    def of(self, expr: Expr, depth: int) -> int | None:
        """The greatest lower bound that is found where so many atoms are replaced."""
        key = (expr, depth)
        if key not in self.known:
            self.known[key] = self._found(expr, depth)
        return self.known[key]

    def _found(self, expr: Expr, depth: int) -> int | None:
        found = [self.facts.interval(expr)[0]]
        if depth and len(expr.terms) > 1:
            for monomial, coefficient in expr.terms:
                if len(monomial) == 1 and isinstance(monomial[0], Compound):
                    rest = expr - Expr(((monomial, coefficient),))
                    found += self._without(monomial[0], coefficient, rest, depth - 1)
        return max((low for low in found if low is not None), default=None)

    def _without(self, atom: Compound, c: int, rest: Expr, depth: int) -> Iterator[int | None]:
        """Lower bounds of `rest + c * atom` in which the atom has been replaced."""
        p = atom.args[0]
        if atom.kind in ("floordiv", "mod"):
            d = atom.args[1].constant
            if d is None or d <= 0:
                return
            if atom.kind == "floordiv":  # (p - d + 1) / d <= p floordiv d <= p / d
                near = p if c < 0 else p - (d - 1)
                low = self.of(rest * d + near * c, depth)
                yield None if low is None else -(-low // d)
            elif c < 0 and self.facts.is_nonnegative(p):  # p mod d <= p, where p >= 0
                yield self.of(rest + p * c, depth)
            return
        lows = [self.of(rest + arg * c, depth) for arg in atom.args]
        if (atom.kind == "min") == (c < 0):
            yield from lows  # min(a, b) is at most each of a and b
        elif None not in lows:
            yield min(low for low in lows if low is not None)  # and it is one of them
