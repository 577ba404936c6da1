"""What classical models make of their scores: post transforms, and labels of classes."""

from __future__ import annotations

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import activations, elementwise, normalization, reductions
from teenyir.frontend.core import as_tensor
from teenyir.frontend.elementwise import astype, divide, exp, greater, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import concat
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor

_NOTHING = 1e-7
"""Scores that `SOFTMAX_ZERO` takes to be 0 are no larger."""


def transformed(node: Node, scores: Tensor) -> Tensor:
    """The scores [batch, classes] as the attribute `post_transform` says."""
    kind = _kind(node)
    if kind == "LOGISTIC":
        return activations.sigmoid(scores)
    if kind == "SOFTMAX":
        return normalization.softmax(scores, axis=-1)
    if kind == "SOFTMAX_ZERO":
        most = reductions.max(scores, axis=-1, keepdims=True)
        powers = exp(subtract(scores, most))
        powers = where(greater(elementwise.abs(scores), _NOTHING), powers, 0.0)
        return divide(powers, reductions.sum(powers, axis=-1, keepdims=True))
    return scores


def _kind(node: Node) -> str:
    kinds = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
    kind = node.choice("post_transform", "NONE", kinds)
    if kind == "PROBIT":
        fail("the post transform PROBIT is not supported")
    return kind


def both_sides(node: Node, score: Tensor, is_probability: bool) -> Tensor:
    """The scores of two classes from that of the second one, [batch, 1].

    A probability has its complement, and another score its negative, on the other side.
    """
    is_logistic = _kind(node) == "LOGISTIC"
    if is_probability:
        yes = activations.sigmoid(score) if is_logistic else score
        return concat([subtract(1.0, yes), yes], axis=1)
    sides = concat([-score, score], axis=1)
    return activations.sigmoid(sides) if is_logistic else sides


def classes(node: Node, name: str) -> list[int]:
    """The labels of classes, which are integers."""
    if name not in node:
        fail("its classes are no integers: strings are not supported")
    return node.integers(name)


def label_of_greatest(labels: list[int], scores: Tensor) -> Tensor:
    """The label of the class with the greatest score, of [batch, classes]."""
    return take(as_tensor(np.array(labels, np.int64)), reductions.argmax(scores, axis=1))


def label_of_two(labels: list[int], score: Tensor, limit: float) -> Tensor:
    """The second label where the score, [batch, 1], is above a limit, otherwise the first."""
    known = labels if len(labels) == 2 else [0, 1]
    is_second = astype(greater(score[:, 0], limit), dtypes.INT64)
    return take(as_tensor(np.array(known, np.int64)), is_second)
