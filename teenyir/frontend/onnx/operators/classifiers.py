"""Linear classifiers and support vector machines."""

from __future__ import annotations

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.activations import sigmoid
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.elementwise import add, astype, exp, multiply, square, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.coupling import coupled
from teenyir.frontend.onnx.operators.ml import ML
from teenyir.frontend.onnx.operators.scores import (
    both_sides,
    classes,
    label_of_greatest,
    label_of_two,
    transformed,
)
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor


@operator("LinearClassifier", domain=ML)
def linear_classifier(node: Node, x: Tensor) -> list[Tensor]:
    """The label of each row, and the scores of all classes: [batch], [batch, classes]."""
    labels = classes(node, "classlabels_ints")
    weights = _table(node, "coefficients", x)
    scores = astype(x, dtypes.FLOAT32) @ as_tensor(weights.T.copy())
    if "intercepts" in node:
        scores = add(scores, as_tensor(np.array(node.numbers("intercepts"), np.float32)))
    if len(weights) == 1:
        score = scores
        return [label_of_two(labels, score, 0.0), both_sides(node, score, True)]
    if len(weights) != len(labels):
        fail(f"{len(weights)} rows of coefficients for {len(labels)} classes")
    return [label_of_greatest(labels, scores), transformed(node, scores)]


def _table(node: Node, name: str, x: Tensor) -> Array:
    """An attribute as rows of as many numbers as `x` has features."""
    values = np.array(node.numbers(name), np.float32)
    width = x.shape[-1]
    if x.ndim != 2 or not isinstance(width, int):
        fail(f"takes [batch, features], got {x!r}")
    if not width or not values.size or values.size % width:
        fail(f"{values.size} {name} are no rows of {width} features")
    return values.reshape(-1, width)


@operator("SVMRegressor", domain=ML)
def svm_regressor(node: Node, x: Tensor) -> Tensor:
    """A weighted sum of how alike a row is to each support vector: [batch, 1]."""
    coefficients = np.array(node.numbers("coefficients"), np.float32)
    rho = node.numbers("rho", [0.0])[0]
    if node.integer("n_supports", 0):
        alike = _kernel(node, astype(x, dtypes.FLOAT32), _table(node, "support_vectors", x))
        if alike.shape[1] != coefficients.size:
            fail(f"{coefficients.size} coefficients for {alike.shape[1]} support vectors")
    else:
        alike = _kernel(node, astype(x, dtypes.FLOAT32), _table(node, "coefficients", x))
        coefficients = np.ones(1, np.float32)
    score = add(alike @ as_tensor(coefficients[:, None].copy()), rho)
    if node.flag("one_class"):
        return where(elementwise.greater(score, 0.0), 1.0, -1.0)
    return transformed(node, score)


def _kernel(node: Node, x: Tensor, vectors: Array) -> Tensor:
    """How alike each row is to each vector: [batch, vectors]."""
    kind = node.choice("kernel_type", "LINEAR", ("LINEAR", "POLY", "RBF", "SIGMOID"))
    gamma, offset, degree = (*node.numbers("kernel_params", []), 0.0, 0.0, 0.0)[:3]
    if kind == "RBF":
        away = subtract(x[:, None, :], as_tensor(vectors)[None])
        return exp(multiply(reductions.sum(square(away), axis=2), -gamma))
    product = x @ as_tensor(vectors.T.copy())
    if kind == "LINEAR":
        return product
    moved = add(multiply(product, gamma), offset)
    return elementwise.pow(moved, degree) if kind == "POLY" else elementwise.tanh(moved)


@operator("SVMClassifier", domain=ML)
def svm_classifier(node: Node, x: Tensor) -> list[Tensor]:
    """The label of each row, and scores: of each two classes, or of all with probabilities.

    Each two classes have a machine of their own, and each votes for one of them. Without support
    vectors each class has one, and the greatest score says which it is.
    """
    labels = classes(node, "classlabels_ints")
    counts = node.integers("vectors_per_class", [])
    if not counts:
        return _one_machine_a_class(node, x, labels)
    if len(counts) != len(labels):
        fail(f"vectors_per_class has a number for each of {len(labels)} classes, got {counts}")
    vectors = _table(node, "support_vectors", x)
    weights = np.array(node.numbers("coefficients"), np.float32)
    if sum(counts) != len(vectors) or weights.size != len(vectors) * (len(labels) - 1):
        fail(f"{weights.size} coefficients for {len(vectors)} support vectors of {counts}")
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    table = _of_pairs(weights.reshape(len(labels) - 1, -1), counts, pairs)
    alike = _kernel(node, astype(x, dtypes.FLOAT32), vectors)
    scores = add(alike @ as_tensor(table), _a_pair(node, "rho", pairs))
    votes = stack([_votes(scores, pairs, k) for k in range(len(labels))], axis=1)
    label = label_of_greatest(labels, votes)
    if "prob_a" in node and node.numbers("prob_a"):
        slope, start = (_a_pair(node, name, pairs) for name in ("prob_a", "prob_b"))
        first = sigmoid(-add(multiply(scores, slope), start))
        return [label, transformed(node, coupled(first, pairs, len(labels)))]
    if len(labels) == 2:
        return [label, both_sides(node, scores, "SOFTMAX" in node.text("post_transform", "NONE"))]
    return [label, transformed(node, scores)]


def _one_machine_a_class(node: Node, x: Tensor, labels: list[int]) -> list[Tensor]:
    weights = _table(node, "coefficients", x)
    if len(weights) != len(labels):
        fail(f"{len(weights)} rows of coefficients for {len(labels)} classes")
    moved = astype(x, dtypes.FLOAT32) @ as_tensor(weights.T.copy())
    scores = add(moved, node.numbers("rho", [0.0])[0])
    return [label_of_greatest(labels, scores), transformed(node, scores)]


def _a_pair(node: Node, name: str, pairs: list[tuple[int, int]]) -> Tensor:
    """An attribute with a number for each two classes."""
    values = np.array(node.numbers(name), np.float32)
    if values.size != len(pairs):
        fail(f"{values.size} numbers of {name} for {len(pairs)} pairs of classes")
    return as_tensor(values)


def _of_pairs(weights: Array, counts: list[int], pairs: list[tuple[int, int]]) -> Array:
    """The coefficient of each vector in the machine of each pair: [vectors, pairs]."""
    starts = np.cumsum([0, *counts])
    found = np.zeros((int(starts[-1]), len(pairs)), np.float32)
    for column, (i, j) in enumerate(pairs):
        for own, other in ((i, j - 1), (j, i)):
            part = slice(starts[own], starts[own + 1])
            found[part, column] = weights[other, part]
    return found


def _votes(scores: Tensor, pairs: list[tuple[int, int]], label: int) -> Tensor:
    """How many machines vote for a class."""
    total = multiply(scores[:, 0], 0.0)
    for column, (i, j) in enumerate(pairs):
        if label in (i, j):
            is_first = elementwise.greater(scores[:, column], 0.0)
            total = add(total, where(is_first, float(label == i), float(label == j)))
    return total
