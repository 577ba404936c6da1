"""The algebra behind each row of simplify-kernel, proven by z3; comparisons against brute force.

Sums are proven one step at a time: what the row claims of `l..h` holds of `l..l`, and of `h + 1`
where it holds of `h`. Floats are IEEE 754's, of 8 bits, so that -0.0, infinities and NaN count.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from teenyir.dialects import kernel
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.simplify import FAST_CLOSED_FORMS, ROWS
from teenyir.passes.kernel.simplify.gates import PREDICATES, decide
from teenyir.passes.kernel.simplify.known import Known
from teenyir.passes.kernel.simplify.reductions import IDEMPOTENT

A, B, C, E, H, J, K, L, M, N, X = z3.Ints("a b c e h j k l m n x")
G, P = z3.Bools("g p")
FLOAT = z3.FPSort(4, 4)
F, V = z3.Const("f", FLOAT), z3.Const("v", FLOAT)
ZERO, ONE = z3.FPVal(0.0, FLOAT), z3.FPVal(1.0, FLOAT)
WORD = z3.BitVecSort(8)
U, W, Y = z3.BitVecs("u w y", WORD)

Proof: TypeAlias = Callable[[], None]
PROOFS: dict[str, list[Proof]] = {}
"""By the name of the row; together they prove it."""


def proves(*rows: str) -> Callable[[Proof], Proof]:
    def enter(proof: Proof) -> Proof:
        for name in rows:
            PROOFS.setdefault(name, []).append(proof)
        return proof

    return enter


def prove(claim: z3.BoolRef, *given_: z3.BoolRef) -> None:
    """Fails with a counterexample where `claim` does not follow."""
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(*given_, z3.Not(claim))
    assert solver.check() == z3.unsat, solver


def bounded(*symbols: z3.ArithRef, by: int = 40) -> list[z3.BoolRef]:
    return [z3.And(symbol >= -by, symbol <= by) for symbol in symbols]


def least(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a < b, a, b)


def greatest(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a > b, a, b)


def plus(a: z3.FPRef, b: z3.FPRef) -> z3.FPRef:
    return z3.fpAdd(z3.RNE(), a, b)


def same(a: z3.FPRef, b: z3.FPRef) -> z3.BoolRef:
    """Equal to the bit; any NaN is any other."""
    return a == b


def negative_zero(a: z3.FPRef) -> z3.BoolRef:
    return z3.And(z3.fpIsZero(a), z3.fpIsNegative(a))


COMBINERS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "add": (operator.add, z3.BitVecVal(0, WORD)),
    "mul": (operator.mul, z3.BitVecVal(1, WORD)),
    "max": (lambda a, b: z3.If(a > b, a, b), z3.BitVecVal(-128, WORD)),
    "min": (lambda a, b: z3.If(a < b, a, b), z3.BitVecVal(127, WORD)),
    "umax": (lambda a, b: z3.If(z3.UGT(a, b), a, b), z3.BitVecVal(0, WORD)),
    "umin": (lambda a, b: z3.If(z3.ULT(a, b), a, b), z3.BitVecVal(255, WORD)),
    "and": (operator.and_, z3.BitVecVal(255, WORD)),
    "or": (operator.or_, z3.BitVecVal(0, WORD)),
    "xor": (operator.xor, z3.BitVecVal(0, WORD)),
}
"""How integers are combined, and from what."""

# --- indices --------------------------------------------------------------------------------------


@proves("index-is-value")
def an_index_of_one_name_is_its_value() -> None:
    meaning = z3.Function("index", z3.IntSort(), z3.IntSort())
    prove(meaning(X) == X, z3.ForAll(A, meaning(A) == A))


@proves("cast-of-index")
def integers_that_do_not_wrap_are_indices() -> None:
    wide, other = z3.BitVecs("i j", 16)
    # what lies within a width survives it, and so do sums, differences and products of it
    fits = [z3.And(value >= -128, value < 128) for value in (wide, other)]
    prove(z3.SignExt(8, z3.Extract(7, 0, wide)) == wide, fits[0])
    prove(z3.ZeroExt(8, z3.Extract(7, 0, wide)) == wide, fits[0], wide >= 0)
    for op in (operator.add, operator.sub, operator.mul):
        narrow = op(z3.Extract(7, 0, wide), z3.Extract(7, 0, other))
        whole = op(wide, other)
        within = z3.And(whole >= -128, whole < 128)
        prove(z3.SignExt(8, narrow) == whole, *fits, within)


# --- ranges ---------------------------------------------------------------------------------------


@proves("range-of-one")
def a_range_of_one_is_its_bound() -> None:
    prove((z3.And(A <= K, A + 1 > K)) == (A == K))
    # a sum of one value starts from 0.0, the other combiners from what changes nothing
    prove(same(plus(ZERO, V), plus(V, ZERO)))
    for combine, identity in COMBINERS.values():
        prove(combine(identity, U) == U)


@proves("reduce-over-nothing")
def an_empty_range_has_no_iteration() -> None:
    prove(z3.Not(z3.And(L <= K, H > K)), H - L <= 0)


@proves("merge-ranges")
def two_ranges_are_one() -> None:
    # (i, j) in 0..M, 0..n  and  f in 0..M * n  are one to one, by f = i * n + j
    for n in range(1, 9):
        f = X * n + J
        inside = [X >= 0, J >= 0, n > J]
        prove(z3.And(f / n == X, f % n == J), *inside)
        prove(z3.And(f >= 0, f < K * n), *inside, K > X)
        prove(z3.And(H / n >= 0, H / n < K, H % n >= 0, H % n < n), H >= 0, K * n > H)


@proves("order-reduction")
def integers_are_combined_in_any_order() -> None:
    for combine, _ in COMBINERS.values():
        prove(combine(combine(U, W), Y) == combine(combine(U, Y), W))


# --- reductions -----------------------------------------------------------------------------------


@proves("reduce-the-same")
def the_same_again_and_again() -> None:
    for name in IDEMPOTENT:
        combine, identity = COMBINERS[name]
        prove(combine(identity, U) == U)
        prove(combine(U, U) == U)
    n = z3.BitVec("n", WORD)
    prove(U * z3.BitVecVal(0, WORD) == 0)
    prove(U * n + U == U * (n + 1))


@proves("reduce-the-same")
def a_sum_of_one_float_is_it_and_zero() -> None:
    # v * n + 0.0 starts as the sum does: one v, and -0.0 is 0.0
    prove(same(plus(z3.fpMul(z3.RNE(), V, ONE), ZERO), plus(ZERO, V)))


@proves("clip-range")
def what_a_gate_leaves_of_a_range() -> None:
    # k in l..h with a <= k < b  is  k in max(a, l)..min(b, h)
    inside = z3.And(L <= K, K < H, A <= K, K < B)
    prove(inside == z3.And(greatest(A, L) <= K, least(B, H) > K))
    # what is left out combined nothing in
    for combine, identity in COMBINERS.values():
        prove(combine(U, identity) == U)
    started = z3.Not(negative_zero(F))  # a sum of floats starts from 0.0
    prove(same(plus(F, ZERO), F), started)
    prove(z3.Not(negative_zero(plus(F, V))), started)


# --- gates ----------------------------------------------------------------------------------------


@proves("compare-proven")
def signed_comparisons() -> None:
    prove((A < B) == (B - A - 1 >= 0))
    prove(z3.Not(A < B) == (B - 1 < A))
    prove((A <= B) == z3.Not(B < A))


@proves("compare-proven")
def unsigned_comparisons_of_signed_numbers() -> None:
    below = z3.ULT(U, W)
    prove(z3.Not(below), U < 0, W >= 0)
    prove(below, U >= 0, W < 0)
    prove(below == (U < W), U >= 0, W >= 0)
    prove(z3.Not(below), W >= 0, U >= W)


@proves("compare-one-side")
def one_side_of_a_gate() -> None:
    # 0 <= i - a < n, where i - a < n always holds  is  i >= a
    prove(z3.And(X - A >= 0, X - A < N) == (X >= A), X - A < N)
    # what is compared is one unsigned number with another
    prove(z3.ULT(U, W) == (U >= 0), U < W, W >= 0)


@proves("load-gate", "select-of-load")
def gates_of_loads() -> None:
    def load(gate: z3.BoolRef, other: z3.FPRef) -> z3.FPRef:
        return z3.If(gate, F, other)

    prove(load(z3.BoolVal(True), V) == F)
    prove(load(z3.BoolVal(False), V) == V)
    prove(z3.If(G, load(G, V), V) == load(G, V))
    other = z3.Const("other", FLOAT)
    prove(z3.If(G, load(G, other), V) == load(G, V))


@proves("gate-for-nothing")
def gates_of_loads_that_selects_leave_out() -> None:
    function = z3.Function("f", FLOAT, FLOAT)
    other = z3.Const("other", FLOAT)
    prove(z3.If(G, function(z3.If(G, F, other)), V) == z3.If(G, function(F), V))


@proves("select-of-cast")
def gates_of_loads_that_are_cast() -> None:
    cast, other = z3.Function("cast", FLOAT, WORD), z3.Const("other", FLOAT)
    loaded = z3.If(G, F, ZERO)
    prove(z3.If(G, cast(z3.If(G, F, other)), 0) == cast(loaded), cast(ZERO) == 0)


@proves("store-gate", "scatter-gate")
def gates_of_stores() -> None:
    memory = z3.Array("memory", z3.IntSort(), WORD)
    for combine, _ in (*COMBINERS.values(), (lambda _, new: new, None)):
        written = z3.Store(memory, K, combine(memory[K], U))
        prove(z3.If(z3.BoolVal(True), written, memory) == written)


@proves("gate-within-gate")
def a_gate_within_another() -> None:
    # 0 <= i - a < n and 0 <= i - b < m  is  max(a, b) <= i < min(a + n, b + m)
    both = z3.And(X - A >= 0, X - A < N, X - B >= 0, X - B < M)
    prove(both == z3.And(greatest(A, B) <= X, least(A + N, B + M) > X))
    prove(z3.Not(both), greatest(A, B) >= least(A + N, B + M))


@proves("hoist-gate")
def a_gate_that_no_iteration_changes() -> None:
    for combine, identity in COMBINERS.values():
        gated = z3.If(G, U, identity)
        prove(combine(gated, z3.If(G, W, identity)) == z3.If(G, combine(U, W), identity))
    infinity = z3.fpMinusInfinity(FLOAT)
    for identity in (ZERO, infinity, z3.fpNeg(infinity)):
        for combine in (plus, z3.fpMax, z3.fpMin) if identity is not ZERO else (plus,):
            step = combine(z3.If(G, F, identity), z3.If(G, V, identity))
            prove(same(step, z3.If(G, combine(F, V), combine(identity, identity))))


# --- closed forms ---------------------------------------------------------------------------------


@proves("sum-of-indices")
def a_sum_of_indices() -> None:
    # sum(a + b * k over k in l..h) -> a * n + b * (h * (h - 1) - l * (l - 1)) / 2
    def total(h: z3.ArithRef) -> z3.ArithRef:
        return A * (h - L) + B * ((h * (h - 1) - L * (L - 1)) / 2)

    prove(total(L) == 0)
    prove(total(H + 1) - total(H) == A + B * H, *bounded(A, B, by=6), *bounded(L, H, by=12), H >= L)


@proves("count")
def a_count() -> None:
    # sum(1 if a <= k < b else 0 over k in l..h) -> max(0, min(b, h) - max(a, l))
    def count(h: z3.ArithRef) -> z3.ArithRef:
        return greatest(z3.IntVal(0), least(B, h) - greatest(A, L))

    prove(count(L) == 0)
    prove(count(H + 1) - count(H) == z3.If(z3.And(A <= H, B > H), 1, 0), H >= L)


@proves("scan-the-same")
def a_running_count() -> None:
    # after k it is v * (k - l + 1), before it v * (k - l)
    prove(C * (L - L) == 0)
    prove(C * (K + 1 - L) - C * (K - L) == C)


@proves("one-hot")
def the_only_iteration_that_counts() -> None:
    # k in l..h with k == e - c: there is one, e - c, where 0 <= e - c - l < h - l, else none
    place = E - C
    prove((z3.And(L <= K, K < H, K + C == E)) == z3.And(place == K, place - L >= 0, place < H))
    # floats: what is zero changes no sum, which is 0.0 until the one comes and v + 0.0 from then on
    prove(same(plus(ZERO, ZERO), ZERO))
    prove(same(plus(ZERO, V), plus(V, ZERO)))
    prove(same(plus(plus(V, ZERO), ZERO), plus(V, ZERO)))
    # integers: so does a product with the condition
    prove(z3.If(P, z3.BitVecVal(1, WORD), z3.BitVecVal(0, WORD)) * U == z3.If(P, U, 0))


@proves("one-hot-product")
def a_product_with_a_condition_of_finite_floats() -> None:
    finite = [z3.Not(z3.fpIsInf(V)), z3.Not(z3.fpIsNaN(V))]
    product = z3.fpMul(z3.RNE(), z3.If(P, ONE, ZERO), V)
    after = z3.If(P, plus(F, V), F)
    prove(same(plus(F, product), after), *finite, z3.Not(negative_zero(F)))


# --- rows -----------------------------------------------------------------------------------------

ELSEWHERE = {"simplify-index": "each rule for expressions, in test/analysis/test_division_rules.py"}
"""Rows that are a whole algebra, and where it is proven."""


@pytest.mark.parametrize("name", PROOFS)
def test_a_row_is_proven(name: str) -> None:
    for proof in PROOFS[name]:
        proof()


def test_every_row_has_a_proof() -> None:
    rows = {row.name for row in (*ROWS, *FAST_CLOSED_FORMS)}
    assert PROOFS.keys() | ELSEWHERE.keys() == rows
    assert not PROOFS.keys() & ELSEWHERE.keys()


def test_a_wrong_claim_is_refuted() -> None:
    with pytest.raises(AssertionError, match="sat"):
        prove(z3.And(X - A >= 0, X - A < N) == (X >= A))


# --- comparisons ----------------------------------------------------------------------------------

WHAT: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    **{f"s{name}": getattr(operator, name) for name in ("lt", "le", "gt", "ge")},
    **{
        f"u{name}": lambda a, b, name=name: getattr(operator, name)(a % 2**64, b % 2**64)
        for name in ("lt", "le", "gt", "ge")
    },
}


@given(
    st.sampled_from(PREDICATES),
    st.integers(-6, 6),
    st.integers(0, 6),
    *[st.integers(-3, 3)] * 2,
    *[st.integers(-8, 8)] * 2,
)
def test_a_decided_comparison_is_so_in_every_iteration(
    predicate: str, low: int, extent: int, a: int, b: int, c: int, d: int
) -> None:
    func = kernel.FuncOp("f", [], [], kernel.DimsAttr((DimRange("N", 1, 5),)))
    range_ = kernel.RangeOp(low, low + extent + 1)
    func.body.block.add_op(range_)
    known = Known(func)
    i = known.name(range_.result)
    lhs, rhs = i * a + c, Expr.of("N") * b + d
    decided = decide(known, predicate, lhs, rhs)
    held = {
        WHAT[predicate](k * a + c, n * b + d)
        for k in range(low, low + extent + 1)
        for n in range(1, 6)
    }
    assert decided is None or held == {decided}
    if extent == 0 and b == 0 and predicate[0] == "s":
        assert decided is not None
