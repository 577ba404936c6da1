"""Index expressions on arrays mean what they mean on integers."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from teenyir.dialects.expr import Expr
from teenyir.interpreter.indices import evaluate

NAMES = ("_0", "_1", "N")


def combined(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    positive = st.integers(1, 7)
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, st.integers(-3, 3)),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a // b, inner, positive),
        st.builds(lambda a, b: a % b, inner, positive),
        st.builds(lambda a, b: a.ceildiv(b), inner, positive),
        st.builds(lambda a, b: Expr.minimum(a, b), inner, inner),
        st.builds(lambda a, b: Expr.maximum(a, b), inner, inner),
    )


LEAVES = st.one_of(st.integers(-5, 5).map(Expr.of), st.sampled_from(NAMES).map(Expr.of))
EXPRS = st.recursive(LEAVES, combined, max_leaves=6)
NUMBERS = st.lists(st.integers(-20, 20), min_size=1, max_size=4)


@given(EXPRS, NUMBERS, NUMBERS, st.integers(0, 20))
def test_expressions(expr: Expr, first: list[int], second: list[int], n: int) -> None:
    arrays: dict[str, Any] = {
        "_0": np.array(first)[:, None],
        "_1": np.array(second)[None, :],
        "N": n,
    }
    got = np.broadcast_to(evaluate(expr, arrays), (len(first), len(second)))
    expected = [[expr.evaluate({"_0": a, "_1": b, "N": n}) for b in second] for a in first]
    np.testing.assert_array_equal(got, expected)
