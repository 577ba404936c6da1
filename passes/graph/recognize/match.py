"""How a form is written, and compared with the ops that give a tensor.

A form is a pattern of tensors. Sums and products are compared as a whole, however they are
associated and ordered: `x * 0.5 * y`, `(y / 2) * x` and `0.5 * (x * y)` are one product. What is
used elsewhere too counts as one term or factor.

Every tensor is seen from the form's result: with each of its axes goes the axis of the result that
it lies along. So `e / sum(e)` is a softmax if the sum is repeated along the axis that it summed,
and none if along another one. An axis that is summed and not repeated has a number of its own.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import graph
from teenyir.dialects.expr import ONE
from teenyir.passes.graph.simplify.constants import splat

CLOSE = 1e-3
"""The relative difference within which a constant is the one that a form has: `0.7979` is the root
of 2 / pi, and constants of narrow types are rounded."""

MOST_OPS = 8
"""A product or a sum of more ops has no name, and is not written out further."""

NO_AXIS = -1
"""What an axis of one element lies along."""


class Term(NamedTuple):
    """A tensor within a form."""

    value: SSAValue
    axes: tuple[int, ...]
    """The axis of the form's result that each of its axes lies along."""


@dataclass(frozen=True)
class State:
    """What is known while a form is compared."""

    bound: Mapping[str, Term]
    """The tensors that names stand for."""
    axes: tuple[int, ...]
    """The axes met so far: those of the result, and those summed within."""
    written_out: dict[Term, Factors | Summands]
    """Products and sums met so far, for all forms that are looked for at one place."""


class Pattern(ABC):
    """A set of tensors."""

    @abstractmethod
    def match(self, term: Term, state: State) -> Iterator[State]:
        """The ways in which a tensor is one of the set."""


@dataclass(frozen=True)
class Anything(Pattern):
    """`x`: any tensor, the same one wherever the name stands."""

    name: str

    def match(self, term: Term, state: State) -> Iterator[State]:
        yield from Shared(self.name, None).match(term, state)


@dataclass(frozen=True)
class Shared(Pattern):
    """A tensor of a set, the same one wherever the name stands."""

    name: str
    pattern: Pattern | None

    def match(self, term: Term, state: State) -> Iterator[State]:
        if (known := state.bound.get(self.name)) is not None:
            if known == term:
                yield state
            return
        bound = replace(state, bound={**state.bound, self.name: term})
        if self.pattern is None:
            yield bound
        else:
            yield from self.pattern.match(term, bound)


@dataclass(frozen=True)
class Number(Pattern):
    """A constant."""

    value: float

    def match(self, term: Term, state: State) -> Iterator[State]:
        found = splat(term.value)
        if found is not None and _is_close(float(found), self.value):
            yield state


@dataclass(frozen=True)
class Of(Pattern):
    """What an op gives of tensors of some sets, in their order."""

    op: type[graph.GraphOp]
    operands: tuple[Pattern, ...]

    def match(self, term: Term, state: State) -> Iterator[State]:
        owner = term.value.owner
        if not isinstance(owner, self.op) or len(owner.operands) != len(self.operands):
            return
        if isinstance(owner, graph.ElementwiseOp):
            terms = [peeled(Term(operand, term.axes)) for operand in owner.operands]
        else:
            terms, state = _afresh(owner, state)
        yield from _each(self.operands, terms, state)


@dataclass(frozen=True)
class Reduced(Pattern):
    """A reduction over some axes."""

    kind: str
    operand: Pattern

    def match(self, term: Term, state: State) -> Iterator[State]:
        owner = term.value.owner
        if not isinstance(owner, graph.ReduceOp) or owner.kind != self.kind:
            return
        inner, state = _within(owner, term, state)
        yield from self.operand.match(inner, state)


@dataclass(frozen=True)
class Mean(Pattern):
    """A sum over some axes, divided by the number of their elements."""

    operand: Pattern

    def match(self, term: Term, state: State) -> Iterator[State]:
        product = _written_out(Factors, term, state)
        sums = [t for t, power in product.powers.items() if power == 1]
        counts = [t for t, power in product.powers.items() if power == -1]
        if len(sums) != 1 or len(sums) + len(counts) != len(product.powers):
            return
        (total,) = sums
        owner = total.value.owner
        if not isinstance(owner, graph.ReduceOp) or owner.kind != "add":
            return
        extents = graph.extents(graph.tensor_type(owner.operand))
        reduced = [extents[axis].constant for axis in owner.axes]
        known = math.prod(extent for extent in reduced if extent is not None)
        if not counts and not _is_close(product.coefficient * known, 1):
            return
        # named extents are divided by as numbers
        if len(counts) > reduced.count(None) or any(len(t.axes) > 0 for t in counts):
            return
        inner, state = _within(owner, total, state)
        yield from self.operand.match(inner, state)


@dataclass(frozen=True)
class Product(Pattern):
    """`coefficient * a ** power * ..`, each factor of a set."""

    coefficient: float
    factors: tuple[tuple[Pattern, float], ...]

    def match(self, term: Term, state: State) -> Iterator[State]:
        found = _written_out(Factors, term, state)
        if len(found.powers) == len(self.factors) and _is_close(
            found.coefficient, self.coefficient
        ):
            yield from _any_order(self.factors, [*found.powers.items()], state)


@dataclass(frozen=True)
class Sum(Pattern):
    """`offset + sign * a + ..`, each term of a set; an offset of None is any small constant."""

    offset: float | None
    terms: tuple[tuple[Pattern, float], ...]

    def match(self, term: Term, state: State) -> Iterator[State]:
        found = _written_out(Summands, term, state)
        if len(found.signs) != len(self.terms):
            return
        if self.offset is None:
            fits = 0 <= found.offset <= SMALL
        else:
            fits = _is_close(found.offset, self.offset)
        if fits:
            yield from _any_order(self.terms, found.signs, state)


SMALL = 0.1
"""Beyond this a constant is none that keeps a quotient from being one by zero."""


@dataclass(frozen=True)
class Guarded(Pattern):
    """A tensor of a set, or a constant where that would do harm."""

    pattern: Pattern

    def match(self, term: Term, state: State) -> Iterator[State]:
        yield from self.pattern.match(term, state)
        owner = term.value.owner
        if isinstance(owner, graph.SelectOp):
            for kept, other in (
                (owner.on_true, owner.on_false),
                (owner.on_false, owner.on_true),
            ):
                if splat(other) is not None:
                    yield from self.pattern.match(peeled(Term(kept, term.axes)), state)


@dataclass(frozen=True)
class LeadsTo(Pattern):
    """What elementwise ops make of tensors, one of which is of a set."""

    pattern: Pattern

    def match(self, term: Term, state: State) -> Iterator[State]:
        yield from self.pattern.match(term, state)
        owner = term.value.owner
        if isinstance(owner, graph.ElementwiseOp | graph.SelectOp | graph.CastOp):
            for operand in owner.operands:
                yield from self.match(peeled(Term(operand, term.axes)), state)


def _is_close(found: float, wanted: float) -> bool:
    return math.isclose(found, wanted, rel_tol=CLOSE, abs_tol=0.0)


def _each(patterns: Sequence[Pattern], terms: Sequence[Term], state: State) -> Iterator[State]:
    if not patterns:
        yield state
        return
    for after in patterns[0].match(terms[0], state):
        yield from _each(patterns[1:], terms[1:], after)


def _any_order(
    patterns: Sequence[tuple[Pattern, float]],
    terms: Sequence[tuple[Term, float]],
    state: State,
) -> Iterator[State]:
    if not patterns:
        yield state
        return
    (pattern, weight), *others = patterns
    for position, (term, found) in enumerate(terms):
        if found != weight:
            continue
        rest = [*terms[:position], *terms[position + 1 :]]
        for after in pattern.match(term, state):
            yield from _any_order(others, rest, after)


# --- axes -----------------------------------------------------------------------------------------


def peeled(term: Term) -> Term:
    """What a tensor repeats, along which axes."""
    while True:
        owner = term.value.owner
        if isinstance(owner, graph.BroadcastOp):
            term = Term(owner.operand, tuple(term.axes[axis] for axis in owner.axes))
        elif isinstance(owner, graph.ReshapeOp) and (axes := _kept(owner, term.axes)) is not None:
            term = Term(owner.operand, axes)
        else:
            return term


def _kept(op: graph.ReshapeOp, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes of what is reshaped, where only axes of one element come or go."""
    before, after = (graph.extents(graph.tensor_type(v)) for v in (op.operand, op.result))
    kept = [(extent, axis) for extent, axis in zip(after, axes, strict=True) if extent != ONE]
    if [extent for extent in before if extent != ONE] != [extent for extent, _ in kept]:
        return None
    along = iter(axis for _, axis in kept)
    return tuple(NO_AXIS if extent == ONE else next(along) for extent in before)


def _within(op: graph.ReduceOp, term: Term, state: State) -> tuple[Term, State]:
    """What is reduced: along the axes that the result has and its reduction has not, if so many."""
    rank = len(graph.extents(graph.tensor_type(op.operand)))
    free = [axis for axis in state.axes if axis not in term.axes]
    if len(free) != len(op.axes):
        free = [len(state.axes) + k for k in range(len(op.axes))]
        state = replace(state, axes=(*state.axes, *free))
    reduced, kept = iter(free), iter(term.axes)
    axes = tuple(next(reduced) if axis in op.axes else next(kept) for axis in range(rank))
    return peeled(Term(op.operand, axes)), state


def _afresh(op: graph.GraphOp, state: State) -> tuple[list[Term], State]:
    """The operands of an op whose axes are not its result's."""
    terms: list[Term] = []
    for operand in op.operands:
        rank = len(graph.extents(graph.tensor_type(operand)))
        axes = tuple(len(state.axes) + k for k in range(rank))
        terms.append(peeled(Term(operand, axes)))
        state = replace(state, axes=axes)
    return terms, state


# --- sums and products ----------------------------------------------------------------------------


@dataclass
class Factors:
    """A product: a number, and tensors to powers."""

    coefficient: float = 1.0
    powers: dict[Term, float] = field(default_factory=dict[Term, float])
    ops: int = 0
    """The ops that were written out."""

    @classmethod
    def of(cls, term: Term) -> Factors:
        found = cls()
        found._multiply(term, 1.0, is_root=True)
        found.powers = {term: power for term, power in found.powers.items() if power}
        return found

    def _multiply(self, term: Term, power: float, is_root: bool = False) -> None:
        term = peeled(term)
        if (number := splat(term.value)) is not None and number and number == number:
            sign = math.copysign(1.0, number) if power == int(power) else 1.0
            self.coefficient *= sign * abs(float(number)) ** power
            return
        is_open = (is_root or term.value.has_one_use()) and self.ops < MOST_OPS
        parts = _factors(term.value) if is_open else []
        self.ops += bool(parts)
        if isinstance(term.value.owner, graph.NegOp) and parts:
            self.coefficient *= -1.0
        for operand, exponent in parts:
            self._multiply(Term(operand, term.axes), power * exponent)
        if not parts:
            self.powers[term] = self.powers.get(term, 0.0) + power


def _factors(value: SSAValue) -> list[tuple[SSAValue, float]]:
    """The tensors that one is the product of, to which powers, but for the sign."""
    match value.owner:
        case graph.MulOp(lhs=lhs, rhs=rhs):
            return [(lhs, 1.0), (rhs, 1.0)]
        case graph.DivOp(lhs=lhs, rhs=rhs):
            return [(lhs, 1.0), (rhs, -1.0)]
        case graph.SqrtOp(operand=operand):
            return [(operand, 0.5)]
        case graph.RsqrtOp(operand=operand):
            return [(operand, -0.5)]
        case graph.PowOp(lhs=lhs, rhs=rhs) if (exponent := splat(rhs)) is not None:
            return [(lhs, float(exponent))]
        case graph.NegOp(operand=operand):
            return [(operand, 1.0)]
        case _:
            return []


@dataclass
class Summands:
    """A sum: a number, and tensors with signs."""

    offset: float = 0.0
    signs: list[tuple[Term, float]] = field(default_factory=list[tuple[Term, float]])
    ops: int = 0
    """The ops that were written out."""

    @classmethod
    def of(cls, term: Term) -> Summands:
        found = cls()
        found._add(term, 1.0, is_root=True)
        return found

    def _add(self, term: Term, sign: float, is_root: bool = False) -> None:
        term = peeled(term)
        if (number := splat(term.value)) is not None:
            self.offset += sign * float(number)
            return
        owner = term.value.owner
        is_open = (is_root or term.value.has_one_use()) and self.ops < MOST_OPS
        if isinstance(owner, graph.AddOp | graph.SubOp) and is_open:
            self.ops += 1
            self._add(Term(owner.lhs, term.axes), sign)
            self._add(Term(owner.rhs, term.axes), sign if isinstance(owner, graph.AddOp) else -sign)
        else:
            self.signs.append((term, sign))


Parts = TypeVar("Parts", Factors, Summands)


def _written_out(kind: type[Parts], term: Term, state: State) -> Parts:
    known = state.written_out.get(term)
    if not isinstance(known, kind):
        known = state.written_out[term] = kind.of(term)
    return known


# --- forms ----------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A pattern that has a name."""

    name: str
    """The composite's, in the frontend."""
    pattern: Pattern

    @property
    def roots(self) -> tuple[type[Operation], ...]:
        """The ops that may give what is of the form."""
        match self.pattern:
            case Product():
                return (graph.MulOp, graph.DivOp, graph.RsqrtOp, graph.SqrtOp)
            case Sum():
                return (graph.AddOp, graph.SubOp)
            case Of(op=op):
                return (op,)
            case pattern:
                raise NotImplementedError(f"{self.name}: {pattern}")


class Match(NamedTuple):
    """Where a form was found."""

    form: Form
    ops: set[Operation]
    """What computes the result from the form's inputs."""


def match(forms: Iterable[Form], root: Operation) -> Match | None:
    """The first of some forms that the result of an op is of, or None."""
    result = root.results[0]
    axes = tuple(range(len(graph.extents(graph.tensor_type(result)))))
    start = State({}, axes, {})
    for form in forms:
        for state in form.pattern.match(Term(result, axes), start):
            names = set(_inputs(form.pattern)) & state.bound.keys()
            return Match(form, _between(root, {state.bound[name].value for name in names}))
    return None


def _inputs(pattern: Pattern) -> Iterator[str]:
    """The names of any tensors in a pattern."""
    match pattern:
        case Anything(name=name):
            yield name
        case Shared(pattern=Pattern() as inner) | Guarded(pattern=inner) | LeadsTo(pattern=inner):
            yield from _inputs(inner)
        case Reduced(operand=inner) | Mean(operand=inner):
            yield from _inputs(inner)
        case Of(operands=operands):
            for inner in operands:
                yield from _inputs(inner)
        case Product(factors=parts) | Sum(terms=parts):
            for inner, _ in parts:
                yield from _inputs(inner)
        case _:
            return


def _between(root: Operation, inputs: set[SSAValue]) -> set[Operation]:
    """The ops on the ways from some tensors, and from constants, to what an op gives."""
    reaches: dict[Operation, bool] = {}
    waiting = [root]
    while waiting:
        op = waiting[-1]
        before = [value.owner for value in op.operands if value not in inputs]
        owners = [owner for owner in before if isinstance(owner, graph.GraphOp)]
        if asked := [owner for owner in owners if owner not in reaches]:
            waiting += asked
            continue
        is_first = isinstance(op, graph.ConstantOp) or not inputs.isdisjoint(op.operands)
        reaches[op] = is_first or any(reaches[owner] for owner in owners)
        waiting.pop()
    return {op for op, does in reaches.items() if does}
