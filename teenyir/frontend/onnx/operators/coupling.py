"""Probabilities of several classes from those between each two of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teenyir.frontend import elementwise, reductions
from teenyir.frontend.control import fori_loop, while_loop
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import arange, full
from teenyir.frontend.elementwise import (
    add,
    clip,
    divide,
    equal,
    greater_equal,
    less,
    multiply,
    square,
    subtract,
    where,
)
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import concat
from teenyir.frontend.tensor import Tensor

_SURE = 1e-7
"""No class is surer than this against another."""

_ROUNDS = 100
"""How often all classes are gone through, unless there are more classes."""

_OFF = 0.005
"""How far classes may be off together."""


def coupled(between: Tensor, pairs: Sequence[tuple[int, int]], count: int) -> Tensor:
    """The probabilities of `count` classes: [batch, pairs] to [batch, classes].

    `between` is the probability of the first class of a pair where it is one of both. This is the
    second method of Wu, Lin and Weng, "Probability estimates for multi-class classification by
    pairwise coupling" (2004): p with the least p Q p, class by class. A row is done where LIBSVM
    and onnxruntime end, which is before it is exact.
    """
    q, own = _quadratic(clip(between, _SURE, 1 - _SURE), pairs, count)
    start = full((between.shape[0], count), 1 / count, dtype=between.dtype)

    def measured(p: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """p, Q p, p Q p, and in which rows a class is off."""
        product = reductions.sum(multiply(q, p[:, None, :]), axis=2)
        whole = reductions.sum(multiply(p, product), axis=1)
        off = reductions.max(elementwise.abs(subtract(product, whole[:, None])), axis=1)
        return p, product, whole, greater_equal(off, _OFF / count)

    def corrected(
        t: Tensor, p: Tensor, product: Tensor, whole: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The next values with p of one class put right, and all of p a sum of 1 again."""
        own_t, product_t, row = take(own, t, axis=1), take(product, t, axis=1), take(q, t, axis=1)
        more = divide(subtract(whole, product_t), own_t)
        sum_of_all = add(1.0, more)
        change = multiply(more, add(multiply(more, own_t), multiply(product_t, 2.0)))
        at = where(equal(arange(count), t), more[:, None], 0.0)
        return (
            divide(add(p, at), sum_of_all[:, None]),
            divide(add(product, multiply(row, more[:, None])), sum_of_all[:, None]),
            divide(add(whole, change), square(sum_of_all)),
        )

    def round_of_all(
        done: Tensor, p: Tensor, product: Tensor, whole: Tensor, is_open: Tensor
    ) -> tuple[Tensor, ...]:
        after, _, _ = fori_loop(0, count, corrected, p, product, whole)
        return add(done, 1), *measured(where(is_open[:, None], after, p))

    def goes_on(done: Tensor, *state: Tensor) -> Tensor:
        return less(done, max(_ROUNDS, count)) & reductions.any(state[-1])

    return while_loop(goes_on, round_of_all, as_tensor(0), *measured(start))[1]


def _quadratic(
    between: Tensor, pairs: Sequence[tuple[int, int]], count: int
) -> tuple[Tensor, Tensor]:
    """Q [batch, classes, classes], and its diagonal [batch, classes].

    Of r_ij, the probability of i where it is i or j, Q_ij = -r_ji r_ij, and Q_ii the sum of r_ji².
    """
    places = np.zeros((count, count), np.int64)
    for k, (i, j) in enumerate(pairs, start=1):
        places[i, j], places[j, i] = k, k + len(pairs)
    known = concat([between[:, :1] * 0.0, between, subtract(1.0, between)], axis=1)
    r, turned = (take(known, as_tensor(each), axis=1) for each in (places, places.T.copy()))
    own = reductions.sum(square(turned), axis=2)
    diagonal = as_tensor(np.eye(count, dtype=np.bool_))
    return where(diagonal, own[:, :, None], -multiply(r, turned)), own
