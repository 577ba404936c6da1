"""What classical models make of their scores: post transforms, and labels of classes."""

from __future__ import annotations

import math

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import activations, elementwise, normalization, reductions
from teenyir.frontend.core import as_tensor
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    exp,
    greater,
    less,
    log,
    multiply,
    sqrt,
    square,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import concat
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor

_NOTHING = 1e-7
"""Scores that `SOFTMAX_ZERO` takes to be 0 are no larger."""


KINDS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""Post transforms; newer operators have their places here in the place of their names."""


def transformed(node: Node, scores: Tensor) -> Tensor:
    """The scores [batch, classes] as the attribute `post_transform` says."""
    return by_kind(_kind(node), scores)


def by_kind(kind: str, scores: Tensor) -> Tensor:
    """The scores [batch, classes] under a post transform."""
    if kind == "LOGISTIC":
        return activations.sigmoid(scores)
    if kind == "SOFTMAX":
        return normalization.softmax(scores, axis=-1)
    if kind == "SOFTMAX_ZERO":
        most = reductions.max(scores, axis=-1, keepdims=True)
        powers = exp(subtract(scores, most))
        powers = where(greater(elementwise.abs(scores), _NOTHING), powers, 0.0)
        return divide(powers, reductions.sum(powers, axis=-1, keepdims=True))
    return _probit(scores) if kind == "PROBIT" else scores


def _probit(x: Tensor) -> Tensor:
    """The number that a normal one is below with the probability `x`; NaN outside of 0 to 1.

    By the inverse of erf to three digits, which onnxruntime and ONNX's reference have: Winitzki,
    "A handy approximation for the error function and its inverse" (2008), with a = 0.147.
    """
    a = 0.147
    twice = subtract(multiply(x, 2.0), 1.0)
    product = log(multiply(subtract(1.0, twice), add(1.0, twice)))
    half = add(multiply(product, 0.5), 2 / (math.pi * a))
    rest = multiply(product, 1 / a)
    root = sqrt(subtract(square(half), rest))
    # root - half, without two numbers that are nearly equal
    found = where(greater(half, 0.0), divide(-rest, add(root, half)), subtract(root, half))
    size = multiply(sqrt(found), math.sqrt(2))
    return where(less(twice, 0.0), -size, size)


def _kind(node: Node) -> str:
    return node.choice("post_transform", "NONE", KINDS)


def both_sides(node: Node, score: Tensor, is_probability: bool) -> Tensor:
    """The scores of two classes from that of the second one, [batch, 1].

    A probability has its complement, and another score its negative, on the other side.
    """
    if _kind(node) == "PROBIT":
        return _probit(concat([subtract(1.0, score), score], axis=1))
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
