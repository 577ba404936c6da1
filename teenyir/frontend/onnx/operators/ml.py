"""The operators of classical models, `ai.onnx.ml`, on numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.creation import full
from teenyir.frontend.elementwise import add, astype, divide, equal, greater, multiply, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, gather, take
from teenyir.frontend.movement import broadcast_to, concat
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

ML = "ai.onnx.ml"


@operator("Binarizer", domain=ML)
def binarizer(node: Node, x: Tensor) -> Tensor:
    """1 where an element is greater than a threshold, otherwise 0."""
    threshold = node.number("threshold", 0.0)
    limit = threshold if x.dtype.kind == "float" else int(threshold)
    return astype(greater(x, limit), x.dtype)


@operator("Scaler", domain=ML)
def scaler(node: Node, x: Tensor) -> Tensor:
    """Moved and scaled, one number a feature."""
    wide = astype(x, dtypes.FLOAT32)
    offset = np.array(node.numbers("offset", [0.0]), np.float32)
    scale = np.array(node.numbers("scale", [1.0]), np.float32)
    return multiply(wide - as_tensor(offset), as_tensor(scale))


@operator("Normalizer", domain=ML)
def normalizer(node: Node, x: Tensor) -> Tensor:
    """Each row divided by its greatest element, or by one of its norms."""
    wide = astype(x, dtypes.FLOAT32)
    kind = node.choice("norm", "MAX", ("MAX", "L1", "L2"))
    if kind == "MAX":
        size = reductions.max(wide, axis=-1, keepdims=True)
    elif kind == "L1":
        size = reductions.sum(elementwise.abs(wide), axis=-1, keepdims=True)
    else:
        squares = reductions.sum(elementwise.square(wide), axis=-1, keepdims=True)
        size = elementwise.sqrt(squares)
    return divide(wide, where(equal(size, 0.0), 1.0, size))


@operator("Imputer", domain=ML)
def imputer(node: Node, x: Tensor) -> Tensor:
    """A value of its own for each feature where an element is missing."""
    if x.dtype.kind == "float":
        values = np.array(node.numbers("imputed_value_floats"), x.dtype.numpy())
        missing = node.number("replaced_value_float", float("nan"))
        gone = elementwise.isnan(x) if np.isnan(missing) else equal(x, missing)
    else:
        values = np.array(node.integers("imputed_value_int64s"), x.dtype.numpy())
        gone = equal(x, node.integer("replaced_value_int64", 0))
    return where(gone, as_tensor(values), x)


@operator("FeatureVectorizer", domain=ML)
def feature_vectorizer(node: Node, *parts: Tensor) -> Tensor:
    """Features one after the other."""
    return concat([astype(part, dtypes.FLOAT32) for part in parts], axis=-1)


@operator("LinearRegressor", domain=ML)
def linear_regressor(node: Node, x: Tensor) -> Tensor:
    """A sum of features times coefficients."""
    targets = node.integer("targets", 1)
    weights = np.array(node.numbers("coefficients"), np.float32).reshape(targets, -1)
    found = astype(x, dtypes.FLOAT32) @ as_tensor(weights.T.copy())
    if "intercepts" in node:
        found = add(found, as_tensor(np.array(node.numbers("intercepts"), np.float32)))
    return found


@operator("LabelEncoder", since=2, domain=ML)
def label_encoder(node: Node, x: Tensor) -> Tensor:
    """Numbers in place of others, by a table."""
    keys, values = _column(node, "keys"), _column(node, "values")
    if keys.size != values.size:
        fail(f"{keys.size} keys and {values.size} values")
    default = _default(node, values)
    found = full(x.shape, default.item(), dtype=as_tensor(values).dtype)
    for key, value in zip(keys[::-1], values[::-1], strict=True):
        is_key = elementwise.isnan(x) if key != key else equal(x, key.item())
        found = where(is_key, value.item(), found)
    return found


def _column(node: Node, what: str) -> Array:
    if f"{what}_tensor" in node:
        return node.array(f"{what}_tensor").reshape(-1)
    if f"{what}_int64s" in node:
        return np.array(node.integers(f"{what}_int64s"), np.int64)
    if f"{what}_floats" in node:
        return np.array(node.numbers(f"{what}_floats"), np.float32)
    fail(f"its {what} are no numbers")


def _default(node: Node, values: Array) -> Array:
    if "default_tensor" in node:
        return node.array("default_tensor").reshape(-1)[0]
    if values.dtype == np.int64:
        return np.array(node.integer("default_int64", -1), np.int64)
    return np.array(node.number("default_float", -0.0), np.float32)


@operator("TreeEnsemble", since=5, domain=ML)
def tree_ensemble(node: Node, x: Tensor) -> Tensor:
    """What trees of decisions come to, put together: [batch, targets].

    All trees are gone down at once, a level a step, by tables of nodes. A leaf leads to itself.
    """
    trees = _Trees(node)
    batch, dtype = x.shape[0], x.dtype
    roots = as_tensor(trees.roots)
    place = broadcast_to(roots[None, :], (batch, len(trees.roots)))
    tables = [as_tensor(table) for table in trees.tables(dtype.numpy())]
    for _ in range(trees.depth):
        feature, split, yes, no, mode = (take(table, place, axis=0) for table in tables)
        row = counted(feature, 0)
        value = gather(x, [row, feature], (0, 1))
        decided = trees.decided(value, split, mode)
        place = where(decided, yes, no)
    targets, weights = (as_tensor(each) for each in trees.leaves(dtype.numpy()))
    count = node.integer("n_targets")
    target, weight = take(targets, place, axis=0), take(weights, place, axis=0)
    target = broadcast_to(target[..., None], (*target.shape, count))
    hit = equal(target, counted(target, 2))
    return _aggregated(node.integer("aggregate_function", 1), hit, weight[..., None], trees)


def _aggregated(kind: int, hit: Tensor, weight: Tensor, trees: _Trees) -> Tensor:
    """Over the trees: mean 0, sum 1, minimum 2, maximum 3."""
    if kind in (0, 1):
        total = reductions.sum(where(hit, weight, 0.0), axis=1)
        return divide(total, float(len(trees.roots))) if kind == 0 else total
    far = float("inf") if kind == 2 else -float("inf")
    reduce: Any = reductions.min if kind == 2 else reductions.max
    return reduce(where(hit, weight, far), axis=1)


class _Trees:
    """The tables of an ensemble: inner nodes, then leaves."""

    def __init__(self, node: Node) -> None:
        self.modes = node.array("nodes_modes").astype(np.int64)
        inner = len(self.modes)
        self.features = node.integers("nodes_featureids")
        self.splits = node.array("nodes_splits").astype(np.float64)
        self.yes = self._links(node, "true", inner)
        self.no = self._links(node, "false", inner)
        self.targets = node.integers("leaf_targetids")
        self.weights = node.array("leaf_weights").astype(np.float64)
        self.members = self._members(node)
        if not len(self.features) == len(self.splits) == len(self.yes) == inner:
            fail("its tables of nodes are not of one length")
        count = inner + len(self.weights)
        if any(not 0 <= link < count for link in (*self.yes, *self.no)):
            fail("a node leads to one that is not there")
        self.roots = np.array(node.integers("tree_roots"), np.int64)
        if any(not 0 <= root < count for root in self.roots.tolist()):
            fail("a tree starts at a node that is not there")
        self.depth = self._depth(inner)

    @staticmethod
    def _links(node: Node, side: str, inner: int) -> list[int]:
        nodes = node.integers(f"nodes_{side}nodeids")
        leafs = node.integers(f"nodes_{side}leafs")
        return [inner + n if leaf else n for n, leaf in zip(nodes, leafs, strict=True)]

    def _members(self, node: Node) -> list[list[float]]:
        """By node that asks whether a value is one of several, these."""
        if "membership_values" not in node:
            return []
        groups: list[list[float]] = [[]]
        for value in node.array("membership_values").astype(np.float64).tolist():
            if value != value:
                groups.append([])
            else:
                groups[-1].append(value)
        return groups[:-1] if not groups[-1] else groups

    def _depth(self, inner: int) -> int:
        """How many decisions there are at most on the way to a leaf."""
        roots: list[int] = self.roots.tolist()
        level, depth = set(roots), 0
        while any(place < inner for place in level):
            depth += 1
            if depth > inner:
                fail("a tree leads in a circle")
            level = {n for p in level if p < inner for n in (self.yes[p], self.no[p])}
        return depth

    def _padded(self, values: Sequence[Any] | Array, fill: Sequence[Any], dtype: Any) -> Array:
        return np.array([*values, *fill], dtype)

    def tables(self, dtype: Any) -> list[Array]:
        """Feature, threshold, ways and kind of each node; of leaves such that they stay."""
        inner, count = len(self.modes), len(self.weights)
        stay, nothing = list(range(inner, inner + count)), [0] * count
        sets = iter(range(len(self.members)))
        modes = [int(m) if m < 6 else 6 + next(sets, 0) for m in self.modes]
        return [
            self._padded(self.features, nothing, np.int64),
            self._padded(self.splits, nothing, dtype),
            self._padded(self.yes, stay, np.int64),
            self._padded(self.no, stay, np.int64),
            self._padded(modes, nothing, np.int64),
        ]

    def leaves(self, dtype: Any) -> list[Array]:
        """The target and the weight of each node; of inner ones nothing."""
        nothing = [0] * len(self.modes)
        return [
            np.array([*nothing, *self.targets], np.int64),
            np.array([*nothing, *self.weights], dtype),
        ]

    def decided(self, value: Tensor, split: Tensor, mode: Tensor) -> Tensor:
        """Whether the way is that of `true`, for each kind that occurs."""
        kinds = [
            elementwise.less_equal,
            elementwise.less,
            elementwise.greater_equal,
            elementwise.greater,
            elementwise.equal,
            elementwise.not_equal,
        ]
        found = kinds[0](value, split)
        for kind in sorted({int(m) for m in self.modes if 0 < m < 6}):
            found = where(equal(mode, kind), kinds[kind](value, split), found)
        for k, members in enumerate(self.members):
            inside = equal(value, members[0]) if members else equal(value, value) & False
            for member in members[1:]:
                inside = inside | equal(value, member)
            found = where(equal(mode, 6 + k), inside, found)
        return found
