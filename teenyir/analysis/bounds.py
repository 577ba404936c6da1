"""Between which numbers an expression lies, given the ranges of its names.

Interval arithmetic, term by term, is sound but counts a name that occurs twice as two: it finds
that `N - N floordiv 2` may be negative. So each quotient, remainder, minimum or maximum is also
replaced by what bounds it, which leaves the sum to cancel: `2 * (N - N floordiv 2) >= 2 * N - N`.
The best of these bounds is the answer, sound and not always tight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from teenyir.dialects.expr import Atom, Compound, DimRange, Expr

Ranges = Mapping[str, DimRange]

DEEPEST = 4
"""How many atoms are replaced one after the other; each may multiply the work."""


class Bounds(NamedTuple):
    """`low <= value <= high`; None where there is no bound."""

    low: int | None
    high: int | None


UNBOUNDED = Bounds(None, None)


def bounds(expr: Expr, ranges: Ranges) -> Bounds:
    """The bounds of an expression. A name without a range has none, and so what depends on it."""
    high = _low(-expr, ranges, DEEPEST)
    return Bounds(_low(expr, ranges, DEEPEST), None if high is None else -high)


def _low(expr: Expr, ranges: Ranges, depth: int) -> int | None:
    """The greatest lower bound that is found."""
    found = [_interval(expr, ranges).low]
    if depth and len(expr.terms) > 1:
        for monomial, coefficient in expr.terms:
            if len(monomial) == 1 and isinstance(monomial[0], Compound):
                rest = expr - Expr(((monomial, coefficient),))
                found += _without(monomial[0], coefficient, rest, ranges, depth - 1)
    return max((low for low in found if low is not None), default=None)


def _without(
    atom: Compound, c: int, rest: Expr, ranges: Ranges, depth: int
) -> Iterator[int | None]:
    """Lower bounds of `rest + c * atom` in which the atom has been replaced."""
    p = atom.args[0]
    if atom.kind in ("floordiv", "mod"):
        d = atom.args[1].constant
        if d is None or d <= 0:
            return
        if atom.kind == "floordiv":  # (p - d + 1) / d <= p floordiv d <= p / d
            near = p if c < 0 else p - (d - 1)
            low = _low(rest * d + near * c, ranges, depth)
            yield None if low is None else -(-low // d)
        elif c < 0 and (_low(p, ranges, depth) or -1) >= 0:  # p mod d <= p, where p >= 0
            yield _low(rest + p * c, ranges, depth)
        return
    lows = [_low(rest + arg * c, ranges, depth) for arg in atom.args]
    if (atom.kind == "min") == (c < 0):
        yield from lows  # min(a, b) is at most each of a and b
    elif None not in lows:
        yield min(low for low in lows if low is not None)  # and it is one of them


def _interval(expr: Expr, ranges: Ranges) -> Bounds:
    total = Bounds(0, 0)
    for monomial, coefficient in expr.terms:
        term = Bounds(coefficient, coefficient)
        for atom in monomial:
            term = _multiply(term, _atom(atom, ranges))
        total = Bounds(_add(total.low, term.low), _add(total.high, term.high))
    return total


def _add(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _multiply(a: Bounds, b: Bounds) -> Bounds:
    if a.low is not None and a.low == a.high:
        low, high = (None if bound is None else a.low * bound for bound in b)
        return Bounds(low, high) if a.low > 0 else Bounds(high, low) if a.low else a
    if a.low is None or b.low is None or a.high is None or b.high is None:
        if a.low is not None and b.low is not None and a.low >= 0 and b.low >= 0:
            return Bounds(a.low * b.low, None)
        if a.high is not None and b.low is not None and a.high <= 0 and b.low >= 0:
            return Bounds(None, a.high * b.low)
        return UNBOUNDED
    corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
    return Bounds(min(corners), max(corners))


def _atom(atom: Atom, ranges: Ranges) -> Bounds:
    if isinstance(atom, str):
        known = ranges.get(atom)
        return UNBOUNDED if known is None else Bounds(known.min, known.max)
    return _COMPOUND[atom.kind](atom, [_interval(arg, ranges) for arg in atom.args])


def _floordiv(atom: Compound, args: list[Bounds]) -> Bounds:
    divisor = atom.args[1].constant
    if divisor is None or divisor <= 0:
        return UNBOUNDED
    low, high = args[0]
    return Bounds(
        None if low is None else low // divisor, None if high is None else high // divisor
    )


def _mod(atom: Compound, args: list[Bounds]) -> Bounds:
    divisor = atom.args[1].constant
    if divisor is None or divisor <= 0:
        return UNBOUNDED
    low, high = args[0]
    if low is not None and high is not None and low >= 0 and high < divisor:
        return args[0]
    return Bounds(0, divisor - 1)


def _minimum(_: Compound, args: list[Bounds]) -> Bounds:
    lows = [arg.low for arg in args]
    highs = [arg.high for arg in args if arg.high is not None]
    return Bounds(
        None if None in lows else min(low for low in lows if low is not None),
        min(highs) if highs else None,
    )


def _maximum(_: Compound, args: list[Bounds]) -> Bounds:
    lows = [arg.low for arg in args if arg.low is not None]
    highs = [arg.high for arg in args]
    return Bounds(
        max(lows) if lows else None,
        None if None in highs else max(high for high in highs if high is not None),
    )


_COMPOUND = {"floordiv": _floordiv, "mod": _mod, "min": _minimum, "max": _maximum}
