"""Expressions: canonical, right for all integers, the same again when parsed from their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from teenyir.dialects.dim_ranges import DimRange, parse_dim_ranges, unsafe_divisor
from teenyir.dialects.expr import ONE, ZERO, Expr, parse_expr

Values: TypeAlias = Mapping[str, int]
Meaning: TypeAlias = Callable[[Values], int]
"""What an expression means, in Python's integers."""
Pair: TypeAlias = tuple[Expr, Meaning]

NAMES = ("A", "B", "N")
INTEGERS = st.integers(-12, 12)
VALUES = st.fixed_dictionaries({name: st.integers(-30, 30) for name in NAMES})


def name_of(name: str) -> Pair:
    return Expr.of(name), lambda values: values[name]


def number(value: int) -> Pair:
    return Expr.of(value), lambda _: value


LEAVES = st.one_of(st.sampled_from(NAMES).map(name_of), INTEGERS.map(number))

BINARY: dict[str, Callable[[Pair, Pair], Pair]] = {
    "+": lambda a, b: (a[0] + b[0], lambda v: a[1](v) + b[1](v)),
    "-": lambda a, b: (a[0] - b[0], lambda v: a[1](v) - b[1](v)),
    "*": lambda a, b: (a[0] * b[0], lambda v: a[1](v) * b[1](v)),
    "floordiv": lambda a, b: (a[0] // b[0], lambda v: a[1](v) // b[1](v)),
    "mod": lambda a, b: (a[0] % b[0], lambda v: a[1](v) % b[1](v)),
    "min": lambda a, b: (Expr.minimum(a[0], b[0]), lambda v: min(a[1](v), b[1](v))),
    "max": lambda a, b: (Expr.maximum(a[0], b[0]), lambda v: max(a[1](v), b[1](v))),
}


@st.composite
def combined(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    word = draw(st.sampled_from(list(BINARY)))
    lhs, rhs = draw(inner), draw(inner)
    assume(word not in ("floordiv", "mod") or rhs[0].constant != 0)
    return BINARY[word](lhs, rhs)


PAIRS = st.recursive(LEAVES, combined, max_leaves=10)
EXPRS = PAIRS.map(lambda pair: pair[0])


def parsed(text: str) -> Expr:
    parser = Parser(Context(), text, "test")
    result = parse_expr(parser)
    assert parser.pos == len(text), f"{text[parser.pos :]} is left over"
    return result


def value_of(meaning: Meaning, values: Values) -> int:
    try:
        return meaning(values)
    except ZeroDivisionError:
        assume(False)
        raise


# --- canonical form against Python's integers -----------------------------------------------------


@given(PAIRS, VALUES)
def test_the_value_is_that_of_the_integers(pair: Pair, values: Values):
    expr, meaning = pair
    value = value_of(meaning, values)
    assert expr.evaluate(values) == value


@given(EXPRS, st.integers(-9, 9).filter(bool), VALUES)
def test_quotients_and_remainders_by_a_constant(expr: Expr, divisor: int, values: Values):
    value = value_of(expr.evaluate, values)
    assert (expr // divisor).evaluate(values) == value // divisor
    assert (expr % divisor).evaluate(values) == value % divisor
    if divisor > 0:
        assert expr.ceildiv(divisor).evaluate(values) == -(-value // divisor)


@given(EXPRS, EXPRS, EXPRS)
def test_equal_sums_and_products_are_one_object_to_a_dict(a: Expr, b: Expr, c: Expr):
    for left, right in [
        (a + b, b + a),
        ((a + b) + c, a + (b + c)),
        (a * b, b * a),
        ((a * b) * c, a * (b * c)),
        (a * (b + c), a * b + a * c),
        (a - a, ZERO),
        (a * 1, a),
        (a + 0, a),
        (a * 0, ZERO),
        (0 - (-a), a),
        (Expr.minimum(a, b), Expr.minimum(b, a)),
        (Expr.maximum(a, a), a),
    ]:
        assert left == right
        assert hash(left) == hash(right)


@given(EXPRS, st.integers(), st.integers(-9, 9).filter(bool))
def test_multiples_of_the_divisor_leave_a_quotient(a: Expr, k: int, d: int):
    other = Expr.of("other")
    assert (a * d + k) // d == a + k // d
    assert (a * d + k) % d == Expr.of(k % d)
    assert (a * d + other + k) // d == a + (other + k) // d
    assert (a * d + other + k) % d == (other + k) % d


@given(EXPRS, VALUES)
def test_names_are_those_that_the_value_may_depend_on(expr: Expr, values: Values):
    value = value_of(expr.evaluate, values)
    given_names = {name: values[name] for name in expr.names}
    assert expr.evaluate(given_names) == value
    assert (expr.constant is None) or (not expr.names and expr.constant == value)


def test_forms_that_the_docstring_promises():
    n = Expr.of("N")
    assert str(n + 1 + n) == "N * 2 + 1"
    assert str((n * 4 + 6) // 4) == "N + 1"
    assert str((n * 4 + 3) % 4) == "3"
    assert str((n + 9) // 4) == "(N + 1) floordiv 4 + 2"
    assert (n // 2) // 3 == n // 6
    assert (n % 12) % 4 == n % 4
    assert (n % 6) % 4 != n % 4
    assert n // 1 == n
    assert n % 1 == ZERO
    assert n % -1 == ZERO
    assert ZERO // n == ZERO


def test_division_by_zero_is_an_error_of_python():
    with pytest.raises(ZeroDivisionError, match="N floordiv 0"):
        Expr.of("N") // 0
    with pytest.raises(ZeroDivisionError, match="N mod 0"):
        Expr.of("N") % 0


# --- text -----------------------------------------------------------------------------------------


@given(EXPRS)
def test_text_parses_to_the_same_expression(expr: Expr):
    assert parsed(str(expr)) == expr


@given(EXPRS, EXPRS)
def test_text_in_parentheses_stands_for_the_expression_in_another(a: Expr, b: Expr):
    assert parsed(f"({a}) * ({b}) - ({b})") == a * b - b


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("-N floordiv 2", "(-N) floordiv 2"),
        ("-(N floordiv 2)", "-(N floordiv 2)"),
        ("N * 2 floordiv 4", "(N * 2) floordiv 4"),
        ("N floordiv 2 * 4", "N floordiv 2 * 4"),
        ("A * (N mod 3)", "A * (N mod 3)"),
        ("N ceildiv 8", "(N + 7) floordiv 8"),
        ("min(N, 4, 7) + max(A, A)", "A + min(N, 4)"),
        ("- - 3", "3"),
        ("0", "0"),
        ("N mod -4", "N mod (-4)"),
        ("N mod A mod B", "(N mod A) mod B"),
        ("a.b$c_1 + 1", "a.b$c_1 + 1"),
    ],
)
def test_text_is_printed_canonically(text: str, canonical: str):
    assert str(parsed(text)) == canonical
    assert parsed(canonical) == parsed(text)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("N floordiv 0", "floordiv by 0", "0"),
        ("N mod (2 - 2)", "mod by 0", "(2 - 2)"),
        ("N ceildiv -2", "ceildiv by -2", "-2"),
        ("N ceildiv 0", "ceildiv by 0", "0"),
        ("N +", "or an integer in an extent", ""),
        ("(N", "Expected '\\)'", ""),
        ("min()", "min of nothing", None),
        ("* 2", "or an integer in an extent", "*"),
    ],
)
def test_parse_errors_stand_at_their_place(text: str, message: str, at: str | None):
    with pytest.raises(ParseError, match=message) as caught:
        parsed(text)
    if at is not None:
        span = caught.value.span
        assert text[span.start :].startswith(at)
        assert span.start == (text.rindex(at) if at else len(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("N in 4..2", "the range of N is empty: N in 4..2"),
        ("N in 0..8 step 0", "the step of N must be positive"),
        ("N in 1..8, N in 2..3", "N already has a range"),
        ("min in 1..8", "an extent cannot be named 'min'"),
        ("_0 in 1..8", "an extent cannot be named '_0'"),
        ("N in a", "expected a range such as 1..1024"),
    ],
)
def test_ranges_without_sense_are_refused(text: str, message: str):
    with pytest.raises(ParseError, match=message.replace(".", "[.]")):
        parse_dim_ranges(Parser(Context(), text, "test"))


@given(st.integers(0, 50), st.one_of(st.none(), st.integers(0, 50)), st.integers(1, 9))
def test_ranges_are_the_same_again_when_parsed(low: int, extra: int | None, step: int):
    dim = DimRange("a.b", low, None if extra is None else low + extra, step)
    assert parse_dim_ranges(Parser(Context(), str(dim), "test")) == (dim,)


@given(*[st.builds(DimRange, st.just("N"), st.integers(0, 6), st.sampled_from([None, 6, 9, 12]),
                   st.integers(1, 4)) for _ in range(2)])  # fmt: skip
def test_a_range_contains_another_where_it_refuses_none_of_its_values(a: DimRange, b: DimRange):
    top = 60
    allowed = [value for value in range(top) if b.refuse(value) is None]
    if a.contains(b):
        assert all(a.refuse(value) is None for value in allowed)


@given(
    EXPRS,
    st.fixed_dictionaries({name: st.integers(0, 3) for name in NAMES}),
    st.fixed_dictionaries({name: st.integers(0, 9) for name in NAMES}),
)
def test_what_divides_safely_never_divides_by_zero(
    expr: Expr, least: dict[str, int], more: dict[str, int]
):
    ranges = {name: DimRange(name, low) for name, low in least.items()}
    if unsafe_divisor(expr, ranges) is None:
        expr.evaluate({name: low + more[name] for name, low in least.items()})


# --- substitution and exact division --------------------------------------------------------------


@given(EXPRS, st.fixed_dictionaries({"A": EXPRS, "N": EXPRS}), VALUES)
def test_substitution_is_evaluation_of_what_is_put_in(
    expr: Expr, replacements: dict[str, Expr], values: Values
):
    try:
        replaced = expr.substitute(replacements)
        inner = {name: e.evaluate(values) for name, e in replacements.items()}
        expected = expr.evaluate({**values, **inner})
    except ZeroDivisionError:
        assume(False)
        return
    assert replaced.evaluate(values) == expected


@given(EXPRS, st.sampled_from(["A", "N"]), st.integers(-5, 5).filter(bool))
def test_an_exact_quotient_multiplies_back(expr: Expr, name: str, factor: int):
    divisor = Expr.of(name) * factor
    assert (expr * divisor).exact_quotient(divisor) == expr
    quotient = expr.exact_quotient(divisor)
    assert quotient is None or quotient * divisor == expr


def test_no_exact_quotient_by_a_sum_or_of_what_is_not_divisible():
    n, a = Expr.of("N"), Expr.of("A")
    assert (n * 2).exact_quotient(n + a) is None
    assert (n * 3).exact_quotient(2) is None
    assert (n * n + n).exact_quotient(n) == n + ONE
    assert n.exact_quotient(0) is None
