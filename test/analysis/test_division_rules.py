"""Each rule of division and of rejoining, proven by z3 where it fires and silent where it must be.

A case is an expression and what is known of its names. Where the rule fires, z3 looks for values of
the names, within what is known, for which the result is another number: there are none. Random
expressions are evaluated in `test_intervals`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import z3

from teenyir.analysis import divisions, rejoining
from teenyir.analysis.intervals import Facts
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Compound, Expr

i, j, k, N, S = map(Expr.of, "ijkNS")
DIMS = {"N": DimRange("N", 1, 12), "S": DimRange("S", 0, 32, 8)}


@dataclass(frozen=True)
class Case:
    value: Expr
    divisor: Expr
    loops: dict[str, tuple[Expr, Expr]] = field(default_factory=dict[str, tuple[Expr, Expr]])


def case(value: Expr, divisor: Expr | int, **loops: tuple[Expr | int, Expr | int]) -> Case:
    bounds = {name: (Expr.of(low), Expr.of(high)) for name, (low, high) in loops.items()}
    return Case(value, Expr.of(divisor), bounds)


DIVISION_CASES: dict[str, tuple[list[Case], list[Case]]] = {
    "below": (
        [case(j, 12, j=(0, 12)), case(i * 3 + j, 12, i=(0, 4), j=(0, 3)), case(j, N, j=(0, N))],
        [case(j, 12, j=(0, 13)), case(j, 12, j=(-1, 4)), case(j, N, j=(0, N + 1))],
    ),
    "one-period": (
        [case(j, 12, j=(24, 36)), case(j - 3, 8, j=(0, 3)), case(i + j, 8, i=(8, 10), j=(0, 6))],
        [case(j, 12, j=(24, 37)), case(j - 3, 8, j=(0, 4))],
    ),
    "multiples-of-a-name": (
        [case(i * N + j, N, i=(0, 4), j=(0, N)), case(i * N + k, N, i=(-3, 4), k=(-5, 40))],
        [case(i * S + j, S, i=(0, 4), j=(0, S)), case(i + j, N, i=(0, 4), j=(0, N))],
    ),
    "multiples": (
        [case(i * 12 + j, 12, i=(0, 4), j=(-9, 99)), case(i * 12 - j * 24, 6, i=(0, 4), j=(0, 9))],
        [case(i * 7 + j, 12, i=(0, 4), j=(0, 9))],
    ),
    "congruent": (
        [case(i * 9 + j, 8, i=(0, 4), j=(0, 4)), case(i * 7 + 3, 8, i=(0, 4))],
        [case(i * 9 + j, 8, i=(0, 4), j=(0, 6)), case(i * 7 + 2, 8, i=(0, 4))],
    ),
    "common-factor": (
        [case(i * 4 + j, 12, i=(0, 50), j=(0, 4)), case(i * 4 + k * 8, 12, i=(-9, 9), k=(0, 9))],
        [case(i * 4 + j, 12, i=(0, 50), j=(0, 5)), case(i * 5 + j, 12, i=(0, 50), j=(0, 4))],
    ),
    "of-a-remainder": (
        [case(i % 12, 4, i=(-50, 50))],
        [case(i % 12, 5, i=(-50, 50)), case(i % 12 + 1, 4, i=(-50, 50))],
    ),
    "divisible": (
        [case(S, 8), case(S * 3 + 16, 4)],
        [case(S + 4, 8), case(N, 2)],
    ),
}

REJOINING_CASES: dict[str, tuple[list[Case], list[Case]]] = {
    # the divisor is of no use here: the value is the sum that is rejoined
    "with-remainder": ([case(i // 5 * 10 + i % 5 * 2, 1)], [case(i // 5 * 10 + i % 5, 1)]),
    "with-quotient": ([case(i // 5 * -10 - i % 5 * 2, 1)], [case(i // 5 * 10 - i % 5 * 2, 1)]),
    "digits": (
        [case(i // 4 % 3 * 4 + i % 4, 1), case(i // 4 % 3 * 8 + i % 4 * 2 + j, 1)],
        [case(i // 4 % 3 * 3 + i % 4, 1), case(i // 4 % 3 * 4 + j % 4, 1)],
    ),
    "exact": ([case(S // 8 * 16, 1)], [case(N // 8 * 16, 1), case(S // 8 * 4, 1)]),
}


def z3_of(expr: Expr) -> z3.ArithRef:
    total = z3.IntVal(0)
    for monomial, coefficient in expr.terms:
        product = z3.IntVal(coefficient)
        for atom in monomial:
            product = product * (z3.Int(atom) if isinstance(atom, str) else _compound(atom))
        total = total + product
    return total


def _compound(atom: Compound) -> z3.ArithRef:
    a, b = map(z3_of, atom.args)
    # z3 rounds so that the remainder is no less than 0: down, by the positive divisors here
    return {"floordiv": a / b, "mod": a % b}[atom.kind]


def known(loops: dict[str, tuple[Expr, Expr]]) -> list[z3.BoolRef]:
    claims: list[z3.BoolRef] = []
    for name, dim in DIMS.items():
        value = z3.Int(name)
        claims += [value >= dim.min, value <= (dim.max or 64), value % dim.step == 0]
    for name, (low, high) in loops.items():
        claims += [z3.Int(name) >= z3_of(low), z3.Int(name) < z3_of(high)]
    return claims


def prove_equal(before: z3.ArithRef, after: Expr, given: list[z3.BoolRef]) -> None:
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*given, before != z3_of(after))
    assert solver.check() == z3.unsat, solver


DIVISION_RULES = {rule.name: rule for rule in divisions.RULES}
REJOINING_RULES = {rule.name: rule for rule in rejoining.RULES}


def test_every_rule_has_cases() -> None:
    assert DIVISION_CASES.keys() == DIVISION_RULES.keys()
    assert REJOINING_CASES.keys() == REJOINING_RULES.keys()


@pytest.mark.parametrize(
    ("rule", "at"), [(rule, at) for rule, (fires, _) in DIVISION_CASES.items() for at in fires]
)
def test_division_rule_is_proven(rule: str, at: Case) -> None:
    found = DIVISION_RULES[rule].apply(Facts(DIMS, at.loops), at.value, at.divisor)
    assert found is not None
    given, value, divisor = known(at.loops), z3_of(at.value), z3_of(at.divisor)
    prove_equal(value / divisor, found[0], given)
    prove_equal(value % divisor, found[1], given)


@pytest.mark.parametrize(
    ("rule", "at"), [(rule, at) for rule, (_, silent) in DIVISION_CASES.items() for at in silent]
)
def test_division_rule_is_silent(rule: str, at: Case) -> None:
    assert DIVISION_RULES[rule].apply(Facts(DIMS, at.loops), at.value, at.divisor) is None


def _rejoin(rule: rejoining.Rule, at: Case) -> Expr:
    return rejoining.rejoined(Facts(DIMS, at.loops), at.value, (rule,))


@pytest.mark.parametrize(
    ("rule", "at"), [(rule, at) for rule, (fires, _) in REJOINING_CASES.items() for at in fires]
)
def test_rejoining_rule_is_proven(rule: str, at: Case) -> None:
    found = _rejoin(REJOINING_RULES[rule], at)
    assert found != at.value
    prove_equal(z3_of(at.value), found, known(at.loops))


@pytest.mark.parametrize(
    ("rule", "at"), [(rule, at) for rule, (_, silent) in REJOINING_CASES.items() for at in silent]
)
def test_rejoining_rule_is_silent(rule: str, at: Case) -> None:
    assert _rejoin(REJOINING_RULES[rule], at) == at.value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # what a reshape of named extents makes
        (((i * N + j) // N) * N + (i * N + j) % N, i * N + j),
        ((i * N + j) % N, j),
        # padded indices, one period below zero
        ((j + i * 12 - 12) // 12, i - 1),
        # an index taken apart into three digits and put together again
        (k // 16 * 16 + k // 4 % 4 * 4 + k % 4, k),
        (k // 4 % 4 * 4 + k % 4, k % 16),
        (S // 8 * 8, S),
        (S % 4, Expr.of(0)),
    ],
)
def test_what_the_rules_come_to(before: Expr, after: Expr) -> None:
    loops = {"i": (0, 5), "j": (0, N), "k": (0, 999)}
    facts = Facts(DIMS, {n: (Expr.of(a), Expr.of(b)) for n, (a, b) in loops.items()})
    assert facts.simplify(before) == after
