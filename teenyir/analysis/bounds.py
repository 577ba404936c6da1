"""Between which numbers an expression lies, given the ranges of its names.

Interval arithmetic on the canonical form: sound, and not always tight (`N - N mod 8` counts N
twice).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from teenyir.dialects.expr import Atom, Compound, DimRange, Expr


class Bounds(NamedTuple):
    """`low <= value <= high`; None where there is no bound."""

    low: int | None
    high: int | None


UNBOUNDED = Bounds(None, None)


def bounds(expr: Expr, ranges: Mapping[str, DimRange]) -> Bounds:
    """The bounds of an expression. A name without a range has none, and so what depends on it."""
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
    if (0, 0) in (a, b):
        return Bounds(0, 0)
    if a.low is None or b.low is None or a.high is None or b.high is None:
        if a.low is not None and b.low is not None and a.low >= 0 and b.low >= 0:
            return Bounds(a.low * b.low, None)
        if a.high is not None and b.low is not None and a.high <= 0 and b.low >= 0:
            return Bounds(None, a.high * b.low)
        return UNBOUNDED
    corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
    return Bounds(min(corners), max(corners))


def _atom(atom: Atom, ranges: Mapping[str, DimRange]) -> Bounds:
    if isinstance(atom, str):
        known = ranges.get(atom)
        return UNBOUNDED if known is None else Bounds(known.min, known.max)
    return _COMPOUND[atom.kind](atom, [bounds(arg, ranges) for arg in atom.args])


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
