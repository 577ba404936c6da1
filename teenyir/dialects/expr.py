"""Symbolic integers: the extents of tensors, the bounds of ranges, the indices of loads.

An `Expr` is a polynomial with integer coefficients over *atoms*: names (`N`), and quotients,
remainders, minima and maxima of other expressions. It is kept in one canonical form, so that
equal expressions that the rules below can see are equal objects with equal hashes:

    N + 1 + N           is  N * 2 + 1
    (N * 4 + 6) floordiv 4  is  N + (6 floordiv 4)  is  N + 1
    (N * 4 + 3) mod 4   is  3

Quotients round toward minus infinity and remainders take the sign of the divisor, as in Python.
Every rule holds for all integers, negative ones included.

The textual form is MLIR's affine one, with products of names allowed:

    expr ::= term (('+' | '-') term)*
    term ::= factor (('*' | 'floordiv' | 'ceildiv' | 'mod') factor)*
    factor ::= integer | '-' factor | name | value | '(' expr ')'
             | ('min' | 'max') '(' expr, ... ')'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Literal, TypeAlias

from xdsl.parser import AttrParser

from teenyir.once import once

ExprLike: TypeAlias = "Expr | int | str"


Kind: TypeAlias = Literal["floordiv", "mod", "min", "max"]


@dataclass(frozen=True)
class Compound:
    """An atom made of other expressions: `floordiv`, `mod`, `min` or `max` of `args`."""

    kind: Kind
    args: tuple[Expr, ...]

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash((self.kind, self.args))

    def __str__(self) -> str:
        return self._text

    @once
    def _text(self) -> str:
        return _atom_text(self, str)

    @once
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(arg.names for arg in self.args))

    def rebuild(self, args: list[Expr]) -> Expr:
        return _REBUILD[self.kind](args)


Atom: TypeAlias = str | Compound
Monomial: TypeAlias = tuple[Atom, ...]

# Where an expression stands in its parent decides whether it needs parentheses.
_SUM, _TERM, _FACTOR = 0, 1, 2


@lru_cache(4096)
def _monomial_key(monomial: Monomial) -> tuple[int, list[str]]:
    # higher degrees first, then by spelling: the order is the printed order
    return (-len(monomial), [str(atom) for atom in monomial])


MOST_ELEMENTS = 2**60
"""What the constant extents of an array may come to: 64 bits are to count its bytes."""


@dataclass(frozen=True)
class Expr:
    """A canonical symbolic integer. Build it with `Expr.of` and the operators."""

    terms: tuple[tuple[Monomial, int], ...]
    """Monomials in printed order with their coefficients, none of them zero."""

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash(self.terms)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Expr) and self.terms == other.terms

    def __repr__(self) -> str:
        return f"Expr({self})"

    # --- building -----------------------------------------------------------------------------

    @staticmethod
    def of(value: ExprLike) -> Expr:
        """The expression of an integer, of a name, or itself."""
        if isinstance(value, Expr):
            return value
        return _name(value) if isinstance(value, str) else _number(int(value))

    @staticmethod
    def _collect(terms: Iterable[tuple[Monomial, int]]) -> Expr:
        sums: dict[Monomial, int] = {}
        for monomial, coefficient in terms:
            sums[monomial] = sums.get(monomial, 0) + coefficient
        kept = [(m, c) for m, c in sums.items() if c]
        if len(kept) > 1:
            kept.sort(key=lambda term: _monomial_key(term[0]))
        return Expr(tuple(kept))

    def __add__(self, other: ExprLike) -> Expr:
        more = Expr.of(other)
        if not more.terms:
            return self
        if not self.terms:
            return more
        return Expr._collect((*self.terms, *more.terms))

    def __radd__(self, other: ExprLike) -> Expr:
        return self + other

    def __neg__(self) -> Expr:
        return Expr(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: ExprLike) -> Expr:
        less = Expr.of(other)
        if not less.terms:
            return self
        return Expr._collect((*self.terms, *((m, -c) for m, c in less.terms)))

    def __rsub__(self, other: ExprLike) -> Expr:
        return Expr.of(other) - self

    def __mul__(self, other: ExprLike) -> Expr:
        by = Expr.of(other)
        if (factor := by.constant) is not None:
            return self._scaled(factor)
        if (factor := self.constant) is not None:
            return by._scaled(factor)
        return Expr._collect(
            (tuple(sorted((*m, *n), key=str)), c * d) for m, c in self.terms for n, d in by.terms
        )

    def _scaled(self, factor: int) -> Expr:
        if factor == 1:
            return self
        return Expr(tuple([(m, c * factor) for m, c in self.terms])) if factor else ZERO

    def __rmul__(self, other: ExprLike) -> Expr:
        return self * other

    def __floordiv__(self, other: ExprLike) -> Expr:
        divisor = Expr.of(other)
        if (d := divisor.constant) is None:
            if not self.terms:
                return self  # 0 floordiv d -> 0, whatever d is not zero
            return _atom("floordiv", self, divisor)
        if d == 0:
            raise ZeroDivisionError(f"{self} floordiv 0")
        # (d*q + r) floordiv d -> q + r floordiv d, for the terms whose coefficients d divides
        whole = Expr(tuple((m, c // d) for m, c in self.terms if c % d == 0))
        rest = Expr(tuple((m, c) for m, c in self.terms if c % d))
        if (r := rest.constant) is not None:
            return whole + r // d
        # keep the constant of the rest small: (x + d + 1) floordiv d -> 1 + (x + 1) floordiv d
        carry, offset = divmod(rest.offset, d)
        return whole + carry + _quotient(rest - rest.offset + offset, d)

    def __mod__(self, other: ExprLike) -> Expr:
        divisor = Expr.of(other)
        if (d := divisor.constant) is None:
            return _atom("mod", self, divisor) if self.terms else self
        if d == 0:
            raise ZeroDivisionError(f"{self} mod 0")
        # (d*q + r) mod d -> r mod d
        rest = Expr._collect((m, c % abs(d) if m == () else c) for m, c in self.terms if c % d)
        if (r := rest.constant) is not None:
            return Expr.of(r % d)
        return _remainder(rest, d)

    def ceildiv(self, other: ExprLike) -> Expr:
        """The quotient rounded up; `other` must be positive where it is a constant."""
        divisor = Expr.of(other)
        return (self + divisor - 1) // divisor

    @staticmethod
    def minimum(*values: ExprLike) -> Expr:
        """The least of `values` (at least one)."""
        return _extremum("min", values)

    @staticmethod
    def maximum(*values: ExprLike) -> Expr:
        """The greatest of `values` (at least one)."""
        return _extremum("max", values)

    @staticmethod
    def product(values: Iterable[ExprLike]) -> Expr:
        """The product of `values`, 1 of none."""
        result = ONE
        for value in values:
            result = result * value
        return result

    @staticmethod
    def row_major(indices: Iterable[ExprLike], extents: Iterable[ExprLike]) -> Expr:
        """The place of an element, of so many indices and extents, where the last axis runs on."""
        flat = ZERO
        for index, extent in zip(indices, extents, strict=True):
            flat = flat * extent + index
        return flat

    # --- asking -------------------------------------------------------------------------------

    @once
    def parts(self) -> int:
        """How many numbers, names and operations it is written with, roughly."""
        atoms = [atom for monomial, _ in self.terms for atom in monomial]
        inner = sum(1 if isinstance(a, str) else 1 + sum(x.parts for x in a.args) for a in atoms)
        return len(self.terms) + inner

    @property
    def constant(self) -> int | None:
        """The value where it does not depend on any name, otherwise None."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms[-1][1] if self.terms and self.terms[-1][0] == () else 0

    @property
    def is_atom(self) -> bool:
        """Whether the expression is just one name, quotient, remainder, minimum or maximum."""
        return len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1

    @property
    def name(self) -> str | None:
        """The name, where the expression is just one."""
        atom = self.terms[0][0][0] if self.is_atom else None
        return atom if isinstance(atom, str) else None

    @property
    def is_polynomial(self) -> bool:
        """Whether it is sums and products of names and integers alone."""
        return all(isinstance(atom, str) for monomial, _ in self.terms for atom in monomial)

    @once
    def names(self) -> frozenset[str]:
        """Every name that occurs in it."""
        names: set[str] = set()
        for monomial, _ in self.terms:
            for atom in monomial:
                names.update({atom} if isinstance(atom, str) else atom.names)
        return frozenset(names)

    def exact_quotient(self, divisor: ExprLike) -> Expr | None:
        """`q` with `q * divisor == self` for all values of the names, where `divisor` is one term
        and divides every term; otherwise None."""
        terms = Expr.of(divisor).terms
        if len(terms) != 1:
            return None
        (monomial, coefficient), result = terms[0], list[tuple[Monomial, int]]()
        for m, c in self.terms:
            left = list(m)
            for atom in monomial:
                if atom not in left:
                    return None
                left.remove(atom)
            if c % coefficient:
                return None
            result.append((tuple(left), c // coefficient))
        return Expr._collect(result)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value for given values of the names. Raises KeyError on a name without one."""
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                product *= values[atom] if isinstance(atom, str) else _evaluate(atom, values)
            total += product
        return total

    def substitute(self, values: Mapping[str, ExprLike]) -> Expr:
        """The expression with names replaced, all at once."""
        if self.names.isdisjoint(values):
            return self

        def change(atom: Atom) -> ExprLike | None:
            if isinstance(atom, str):
                return values.get(atom)
            return atom.rebuild([arg.substitute(values) for arg in atom.args])

        return self.rebuild(change)

    def rebuild(self, change: Callable[[Atom], ExprLike | None]) -> Expr:
        """The expression with each atom replaced by what `change` makes of it, None for itself."""
        terms: list[tuple[Monomial, int]] = []
        for monomial, coefficient in self.terms:
            changed = [change(atom) for atom in monomial]
            if all(new is None for new in changed):
                terms.append((monomial, coefficient))
                continue
            product = ONE
            for atom, new in zip(monomial, changed, strict=True):
                product = product * (Expr((((atom,), 1),)) if new is None else new)
            terms += [(m, c * coefficient) for m, c in product.terms]
        return Expr._collect(terms)

    # --- printing -----------------------------------------------------------------------------

    def text(self, place: int = _SUM, spell: Callable[[str], str] = str) -> str:
        """The textual form, in parentheses where `place` needs them; `spell` prints a name."""
        if not self.terms:
            return "0"
        sign = "-" if self.terms[0][1] < 0 else ""
        pieces = [_term_text(m, abs(c), spell) for m, c in self.terms]
        if sign and _is_quotient(self.terms[0][0][:1]):
            # a leading minus binds to the first factor alone
            pieces[0] = _term_text(self.terms[0][0], abs(self.terms[0][1]), spell, wrap=True)
        result = sign + pieces[0]
        for (_, c), piece in zip(self.terms[1:], pieces[1:], strict=True):
            result += (" - " if c < 0 else " + ") + piece
        simple = len(self.terms) == 1 and _is_simple(*self.terms[0])
        if place == _SUM or simple or (place == _TERM and len(pieces) == 1):
            return result
        return f"({result})"

    def __str__(self) -> str:
        return self.text()


@lru_cache(4096)
def _number(value: int) -> Expr:
    return Expr((((), value),) if value else ())


@lru_cache(4096)
def _name(name: str) -> Expr:
    return Expr((((name,), 1),))


def _atom(kind: Kind, *args: Expr) -> Expr:
    return Expr((((Compound(kind, args),), 1),))


ZERO = Expr(())
ONE = Expr((((), 1),))


def _quotient(rest: Expr, d: int) -> Expr:
    # (x floordiv a) floordiv d -> x floordiv (a*d), for a and d positive
    if d > 0 and rest.is_atom:
        atom = rest.terms[0][0][0]
        if isinstance(atom, Compound) and atom.kind == "floordiv":
            inner = atom.args[1].constant
            if inner is not None and inner > 0:
                return atom.args[0] // (inner * d)
    return _atom("floordiv", rest, Expr.of(d))


def _remainder(rest: Expr, d: int) -> Expr:
    # (x mod a) mod d -> x mod d, where d divides a
    atom = rest.terms[0][0][0]
    if rest.is_atom and isinstance(atom, Compound) and atom.kind == "mod":
        inner = atom.args[1].constant
        if inner is not None and inner % d == 0:
            return atom.args[0] % d
    return _atom("mod", rest, Expr.of(d))


def _extremum(kind: Literal["min", "max"], values: Iterable[ExprLike]) -> Expr:
    pick = min if kind == "min" else max
    constants: list[int] = []
    others: dict[Expr, None] = {}
    for value in map(Expr.of, values):
        if (c := value.constant) is None:
            others[value] = None
        else:
            constants.append(c)
    args = sorted(others, key=str)
    if constants:
        args.append(Expr.of(pick(constants)))
    if len(args) == 1:
        return args[0]
    return _atom(kind, *args)


_REBUILD: dict[str, Callable[[list[Expr]], Expr]] = {
    "floordiv": lambda args: args[0] // args[1],
    "mod": lambda args: args[0] % args[1],
    "min": lambda args: Expr.minimum(*args),
    "max": lambda args: Expr.maximum(*args),
}

_EVALUATE: dict[str, Callable[[list[int]], int]] = {
    "floordiv": lambda args: args[0] // args[1],
    "mod": lambda args: args[0] % args[1],
    "min": min,
    "max": max,
}


def _evaluate(atom: Compound, values: Mapping[str, int]) -> int:
    return _EVALUATE[atom.kind]([arg.evaluate(values) for arg in atom.args])


def _is_quotient(monomial: Monomial) -> bool:
    return any(isinstance(a, Compound) and a.kind in ("floordiv", "mod") for a in monomial)


def _is_simple(monomial: Monomial, coefficient: int) -> bool:
    """Whether a term reads as one factor: a natural number, a name, or a min or max."""
    if not monomial:
        return coefficient > 0
    return coefficient == 1 and len(monomial) == 1 and not _is_quotient(monomial)


def _term_text(
    monomial: Monomial, coefficient: int, spell: Callable[[str], str], wrap: bool = False
) -> str:
    pieces: list[str] = []
    for position, atom in enumerate(monomial):
        piece = _atom_text(atom, spell)
        # left-associative: only the first factor may be a bare quotient
        bare = not _is_quotient((atom,)) or (position == 0 and not wrap)
        pieces.append(piece if bare else f"({piece})")
    if coefficient != 1 or not pieces:
        pieces.append(str(coefficient))
    return " * ".join(pieces)


def _atom_text(atom: Atom, spell: Callable[[str], str]) -> str:
    if isinstance(atom, str):
        return spell(atom)
    if atom.kind in ("min", "max"):
        return f"{atom.kind}({', '.join(arg.text(_SUM, spell) for arg in atom.args)})"
    lhs, rhs = (arg.text(_FACTOR, spell) for arg in atom.args)
    return f"{lhs} {atom.kind} {rhs}"


# --- parsing --------------------------------------------------------------------------------------

ParseValue: TypeAlias = Callable[[], str | None]
"""Parses an SSA value where the grammar allows one, and answers the name that stands for it."""


def parse_expr(parser: AttrParser, parse_value: ParseValue = lambda: None) -> Expr:
    """Parse an expression. Raises the parser's ParseError at what it does not understand."""
    result = _parse_term(parser, parse_value)
    while True:
        if parser.parse_optional_punctuation("+"):
            result = result + _parse_term(parser, parse_value)
        elif parser.parse_optional_punctuation("-"):
            result = result - _parse_term(parser, parse_value)
        else:
            return result


_DIVISIONS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: a.ceildiv(b),
    "mod": lambda a, b: a % b,
}


def _parse_term(parser: AttrParser, parse_value: ParseValue) -> Expr:
    result = _parse_factor(parser, parse_value)
    while True:
        if parser.parse_optional_punctuation("*"):
            result = result * _parse_factor(parser, parse_value)
        elif word := parser.parse_optional_keyword_in(_DIVISIONS):
            pos = parser.pos
            divisor = _parse_factor(parser, parse_value)
            if divisor.constant == 0 or (word == "ceildiv" and (divisor.constant or 1) < 0):
                parser.raise_error(f"{word} by {divisor}", pos, parser.pos)
            result = _DIVISIONS[word](result, divisor)
        else:
            return result


def _parse_factor(parser: AttrParser, parse_value: ParseValue) -> Expr:
    if parser.parse_optional_punctuation("("):
        result = parse_expr(parser, parse_value)
        parser.parse_punctuation(")")
        return result
    if parser.parse_optional_punctuation("-"):
        return -_parse_factor(parser, parse_value)
    integer = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if integer is not None:
        return Expr.of(integer)
    if (value := parse_value()) is not None:
        return Expr.of(value)
    if word := parser.parse_optional_keyword_in(("min", "max")):
        args = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_expr(parser, parse_value)
        )
        if not args:
            parser.raise_error(f"{word} of nothing")
        return _extremum("min" if word == "min" else "max", args)
    return Expr.of(parser.parse_identifier(context_msg=" or an integer in an extent"))


def parse_extents(parser: AttrParser) -> tuple[Expr, ...]:
    """Parse `[N, 784]`."""
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_expr(parser))
    )


def too_large(extents: Iterable[Expr]) -> bool:
    """Whether the constant ones of these extents come to more than MOST_ELEMENTS."""
    constants = [size for extent in extents if (size := extent.constant) is not None]
    return prod(max(size, 1) for size in constants) > MOST_ELEMENTS
