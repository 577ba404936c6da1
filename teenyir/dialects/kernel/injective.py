"""Which iterations an access tells apart by its indices: none is to write another's element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache, reduce
from math import gcd, prod
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.expr import ZERO, Atom, Compound, Expr, Monomial
from teenyir.dialects.kernel.ops import IndexedOp, RangeOp, StoreOp, written_out
from teenyir.dialects.syntax import is_placeholder, placeholder


def told_apart(op: IndexedOp) -> set[RangeOp]:
    """Ranges whose iterations an op's indices tell apart: no two of them address one element.

    Iterations in which the gate of a store does not hold address none.
    """
    bounds = list(_bounds_of(op.gate)) if isinstance(op, StoreOp) else []
    count = len(op.index_values)
    ends = [Expr.of(placeholder(count + k)) for k in range(len(bounds))]
    below = (value for value, _ in bounds)
    written, values = written_out([*op.exprs, *ends], [*op.index_values, *below])
    exprs, rest = written[: len(op.exprs)], written[len(op.exprs) :]
    conditions = [(expr, end) for expr, (_, end) in zip(rest, bounds, strict=True)]
    joined = _joined(exprs)
    found = set[RangeOp]().union(*(_told_apart(expr, values) for expr in joined))
    if _indexing(joined, values) <= found:
        return found
    for each in (exprs, joined):
        found |= _by_counting(each, values, conditions)
    return found


Conditions: TypeAlias = Sequence[tuple[Expr, int]]
"""Expressions, each below a number."""

_LESS = ("slt", "ult")


def _bounds_of(gate: SSAValue | None) -> Iterator[tuple[SSAValue, int]]:
    """What is below which number where a gate holds."""
    for op in (each.owner for each in conjuncts(gate)):
        if not isinstance(op, arith.CmpiOp) or not isinstance(op.lhs.type, IndexType):
            continue
        predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        (end,), _ = written_out([Expr.of(placeholder(0))], [op.rhs])
        if predicate not in _LESS or end.constant is None:
            continue
        if predicate == "slt" or end.constant >= 0:  # as unsigned numbers negative ones are large
            yield op.lhs, end.constant


def _indexing(exprs: Sequence[Expr], values: Sequence[SSAValue]) -> set[RangeOp]:
    names = frozenset[str]().union(*(expr.names for expr in exprs))
    owners = (value.owner for k, value in enumerate(values) if placeholder(k) in names)
    return {owner for owner in owners if isinstance(owner, RangeOp)}


def _joined(exprs: Sequence[Expr]) -> list[Expr]:
    """Expressions that tell no more apart, in which quotients and remainders are numbers again.

    y + (x floordiv d) * (d * c) + (x mod d) * c     -> y + x * c
    y + x floordiv d, and another z + (x mod d) * c  -> y * (d * c) + x * c + z, a sum of both
    """
    for expr in exprs:
        for part, x, d, c in _remainders(expr):
            for quotient in _quotients(x, d):
                high = quotient * (d * c)
                if set(high.terms) <= set(expr.terms):
                    return _joined([*_without(exprs, expr), expr - part - high + x * c])
                for other in _without(exprs, expr):
                    if set(quotient.terms) <= set(other.terms):
                        number = (other - quotient) * (d * c) + x * c + (expr - part)
                        return _joined([*_without(exprs, expr, other), number])
    return list(exprs)


def _without(exprs: Sequence[Expr], *gone: Expr) -> list[Expr]:
    return [expr for expr in exprs if expr not in gone]


def _remainders(expr: Expr) -> Iterator[tuple[Expr, Expr, Expr, Expr]]:
    """The terms (x mod d) * c of an expression, each with x, d and c, a number times extents."""
    for monomial, coefficient in expr.terms:
        varying = [atom for atom in monomial if _varies(atom)]
        if len(varying) != 1 or not isinstance(atom := varying[0], Compound) or atom.kind != "mod":
            continue
        x, d = atom.args
        c = Expr(((tuple(other for other in monomial if other is not atom), coefficient),))
        yield Expr(((monomial, coefficient),)), x, d, c


def _quotients(value: Expr, divisor: Expr) -> Iterator[Expr]:
    """The spellings of a quotient: (y + x floordiv e) floordiv d is (y * e + x) floordiv (e * d)"""
    yield value // divisor
    for monomial, coefficient in value.terms:
        atom = monomial[0] if len(monomial) == 1 else None
        if coefficient == 1 and isinstance(atom, Compound) and atom.kind == "floordiv":
            x, e = atom.args
            yield from _quotients((value - x // e) * e + x, divisor * e)


def _told_apart(expr: Expr, values: Sequence[SSAValue]) -> set[RangeOp]:
    """The ranges whose iterations give different values of an expression.

    Sound and simple: a sum of ranges times extents and constants, where each factor is larger than
    all that the ranges with smaller factors can add up to, as in a mixed-radix number.
    """
    factors: dict[RangeOp, Expr] = {}
    for monomial, coefficient in expr.terms:
        varying = [atom for atom in monomial if _varies(atom)]
        if not varying:
            continue
        range_ = _single_range(varying, values)
        if range_ is None:
            return set()
        others = tuple(atom for atom in monomial if atom is not varying[0])
        factors[range_] = factors.get(range_, ZERO) + Expr(((others, abs(coefficient)),))
    reach: Expr | None = ZERO
    # of equal factors that of the shortest range first: one of a single iteration adds nothing
    for range_, factor in sorted(
        factors.items(), key=lambda item: (_size(item[1]), _size(item[0].extent))
    ):
        if reach is None or not _is_natural(factor - reach - 1):
            return set()
        most = _reach(range_)
        reach = None if most is None else reach + factor * most
    return set(factors)


def _reach(range_: RangeOp) -> Expr | None:
    """How far a range goes from its start; None where that depends on other indices.

    Of a start that does, what it adds is not the range's alone; an end may be clipped by them.
    """
    lower, upper = range_.exprs
    (monomial, coefficient), *more = upper.terms or (((), 0),)
    atom = monomial[0] if len(monomial) == 1 and coefficient == 1 and not more else None
    ends = atom.args if isinstance(atom, Compound) and atom.kind == "min" else (upper,)
    fixed = [end for end in ends if not any(map(is_placeholder, end.names))]
    if not fixed or any(map(is_placeholder, lower.names)):
        return None
    return fixed[0] - lower - 1


def _varies(atom: Atom) -> bool:
    """Whether an atom depends on an index, not just on extents."""
    return any(map(is_placeholder, (atom,) if isinstance(atom, str) else atom.names))


def _size(factor: Expr) -> int:
    """A guess at the order of factors, for extents that are large."""
    return factor.evaluate(dict.fromkeys(factor.names, 1 << 16))


def _is_natural(expr: Expr) -> bool:
    """Whether an expression over extents, which are naturals, is plainly one."""
    return expr.is_polynomial and all(coefficient >= 0 for _, coefficient in expr.terms)


def _single_range(atoms: Sequence[Atom], values: Sequence[SSAValue]) -> RangeOp | None:
    """The range that the only atom stands for."""
    if len(atoms) != 1 or not isinstance(atoms[0], str):
        return None
    owner = values[int(atoms[0][1:])].owner
    return owner if isinstance(owner, RangeOp) else None


Numbers: TypeAlias = npt.NDArray[np.int64]

# --- few iterations, counted ----------------------------------------------------------------------

MOST_COUNTED = 1 << 15
"""The most iterations that are tried one by one."""


def _by_counting(
    exprs: Sequence[Expr], values: Sequence[SSAValue], conditions: Conditions
) -> set[RangeOp]:
    """As `_told_apart`, by trying all iterations of the threads and of what is unrolled.

    Each expression is to be what these give, from 0 up to less than g, and a multiple of g.
    """
    few = {placeholder(k): v.owner for k, v in enumerate(values) if _is_few(v.owner)}
    parts = [_split(expr, few.keys()) for expr in exprs]
    if not few or any(rest.names & few.keys() for _, rest, _ in parts):
        return set()
    ranges = {name: cast(RangeOp, owner) for name, owner in few.items()}
    extents = tuple((name, _bounds(range_)) for name, range_ in ranges.items())
    if prod(high - low for _, (low, high) in extents) > MOST_COUNTED:
        return set()
    decided = tuple((e, end) for e, end in conditions if e.names <= few.keys())
    if not _is_injective(tuple((local, g) for local, _, g in parts), extents, decided):
        return set()
    rests = _joined([_multiple(rest, g) for _, rest, g in parts])
    return set(ranges.values()).union(*(_told_apart(rest, values) for rest in rests))


def _is_few(owner: object) -> bool:
    """Whether a range is one of threads or unrolled, with constant bounds."""
    if not isinstance(owner, RangeOp) or not owner.how.startswith(("thread.", "unroll", "vector")):
        return False
    return all(expr.constant is not None for expr in owner.exprs)


def _bounds(range_: RangeOp) -> tuple[int, int]:
    low, high = (expr.evaluate({}) for expr in range_.exprs)
    return low, high


def _split(expr: Expr, few: Set[str]) -> tuple[Expr, Expr, int]:
    """What is of a few ranges alone, the rest, and what divides what varies in that, or 0."""
    local = Expr(tuple(t for t in expr.terms if any(map(_varies, t[0])) and _names(t[0]) <= few))
    rest = expr - local
    return local, rest, gcd(*(c for monomial, c in rest.terms if any(map(_varies, monomial))))


def _names(monomial: Monomial) -> frozenset[str]:
    return frozenset[str]().union(*({a} if isinstance(a, str) else a.names for a in monomial))


def _multiple(rest: Expr, g: int) -> Expr:
    """What varies in an expression, divided by g."""
    return Expr(tuple((m, c // g) for m, c in rest.terms if any(map(_varies, m))))


@lru_cache
def _is_injective(
    parts: tuple[tuple[Expr, int], ...],
    extents: tuple[tuple[str, tuple[int, int]], ...],
    conditions: tuple[tuple[Expr, int], ...],
) -> bool:
    """Whether all iterations in which conditions hold give different values, an expression's
    within its g if that is > 0."""
    axes = np.meshgrid(*(np.arange(low, high) for _, (low, high) in extents), indexing="ij")
    at = {name: axis.reshape(-1) for (name, _), axis in zip(extents, axes, strict=True)}
    holds = np.ones(axes[0].size, np.bool_)
    for expr, end in conditions:
        holds &= _values(expr, at) < end
    values = np.stack([np.broadcast_to(_values(e, at), holds.size)[holds] for e, _ in parts])
    if not holds.any():
        return True
    if np.unique(values, axis=1).shape[1] < values.shape[1]:
        return False
    widths = values.max(axis=1) - values.min(axis=1)
    return all(not g or width < g for width, (_, g) in zip(widths, parts, strict=True))


def _values(expr: Expr, at: Mapping[str, Numbers]) -> Numbers:
    """The values of an expression without extents in all iterations."""
    total = np.zeros((), np.int64)
    for monomial, coefficient in expr.terms:
        term = np.full((), coefficient, np.int64)
        for atom in monomial:
            term = term * (at[atom] if isinstance(atom, str) else _compound(atom, at))
        total = total + term
    return total


def _compound(atom: Compound, at: Mapping[str, Numbers]) -> Numbers:
    args = [_values(arg, at) for arg in atom.args]
    return reduce(_OPERATIONS[atom.kind], args)


_OPERATIONS: Mapping[str, np.ufunc] = {
    **{"floordiv": np.floor_divide, "mod": np.remainder},
    **{"min": np.minimum, "max": np.maximum},
}
