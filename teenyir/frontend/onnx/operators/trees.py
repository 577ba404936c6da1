"""Trees of decisions. All are gone down at once, a level a step, by tables of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.elementwise import add, astype, divide, equal, multiply, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, gather, take
from teenyir.frontend.movement import broadcast_to, concat
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.ml import ML
from teenyir.frontend.onnx.operators.scores import (
    KINDS,
    both_sides,
    by_kind,
    classes,
    label_of_greatest,
    label_of_two,
    transformed,
)
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "LEAF")
_MEMBER, _LEAF = 6, -1
"""Numbers of kinds of nodes; those that ask for members of a set are from 6 on."""

_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")

MOST_WEIGHTS = 2**24
"""Nodes times targets."""


@dataclass
class Forest:
    """Tables of the nodes of all trees; a leaf leads to itself."""

    modes: list[int]
    features: list[int]
    splits: Array
    yes: list[int]
    no: list[int]
    missing: list[bool]
    """Whether NaN goes the way of `yes`."""
    roots: list[int]
    weights: Array
    """[nodes, targets]: what a leaf adds; NaN where it has no part in a target."""
    members: list[list[float]]
    """The sets that nodes ask for."""

    def __post_init__(self) -> None:
        count = len(self.modes)
        if not len(self.features) == len(self.splits) == len(self.yes) == len(self.no) == count:
            fail("its tables of nodes are not of one length")
        if any(not 0 <= link < count for link in (*self.yes, *self.no)):
            fail("a node leads to one that is not there")
        if not self.roots or any(not 0 <= root < count for root in self.roots):
            fail("a tree starts at a node that is not there")
        if any(feature < 0 for feature in self.features):
            fail("a node asks for a negative feature")

    def depth(self) -> int:
        """How many decisions there are at most on the way to a leaf."""
        level, depth = set(self.roots), 0
        while inner := {place for place in level if self.modes[place] != _LEAF}:
            depth += 1
            if depth > len(self.modes):
                fail("a tree leads in a circle")
            level = {link for place in inner for link in (self.yes[place], self.no[place])}
        return depth

    def leaves(self, x: Tensor) -> Tensor:
        """The leaf of each tree that each row of `x` ends at: [batch, trees]."""
        batch, dtype = x.shape[0], x.dtype.numpy()
        width = x.shape[1]
        if isinstance(width, int) and max(self.features) >= width:
            fail(f"a node asks for the feature {max(self.features)} of {width}")
        place = broadcast_to(as_tensor(np.array(self.roots))[None, :], (batch, len(self.roots)))
        tables = [
            as_tensor(np.array(table, kind))
            for table, kind in (
                (self.features, np.int64),
                (self.splits, dtype),
                (self.yes, np.int64),
                (self.no, np.int64),
                (self.modes, np.int64),
                (self.missing, np.bool_),
            )
        ]
        for _ in range(self.depth()):
            feature, split, yes, no, mode, gone = (take(table, place, axis=0) for table in tables)
            value = gather(x, [counted(feature, 0), feature], (0, 1))
            decided = self._decided(value, split, mode)
            if any(self.missing):
                decided = where(elementwise.isnan(value), gone, decided)
            place = where(decided, yes, no)
        return place

    def _decided(self, value: Tensor, split: Tensor, mode: Tensor) -> Tensor:
        """Whether the way is that of `yes`, for each kind that occurs."""
        kinds = [
            elementwise.less_equal,
            elementwise.less,
            elementwise.greater_equal,
            elementwise.greater,
            elementwise.equal,
            elementwise.not_equal,
        ]
        found = kinds[0](value, split)
        for kind in sorted({m for m in self.modes if 0 < m < _MEMBER}):
            found = where(equal(mode, kind), kinds[kind](value, split), found)
        for k, members in enumerate(self.members):
            inside = equal(value, members[0]) if members else equal(value, value) & False
            for member in members[1:]:
                inside = inside | equal(value, member)
            found = where(equal(mode, _MEMBER + k), inside, found)
        return found

    def scores(self, x: Tensor, how: str) -> Tensor:
        """What the trees come to, put together: [batch, targets]."""
        place = self.leaves(x)
        dtype = x.dtype.numpy()
        part = ~np.isnan(self.weights)
        fill = {"MIN": np.inf, "MAX": -np.inf}.get(how, 0.0)
        table = np.where(part, self.weights, fill).astype(dtype)
        each = take(as_tensor(table), place, axis=0)  # [batch, trees, targets]
        if how in ("MIN", "MAX"):
            reduce: Any = reductions.min if how == "MIN" else reductions.max
            found = reduce(each, axis=1)
            has_part = reductions.any(take(as_tensor(part), place, axis=0), axis=1)
            return where(has_part, found, 0.0)
        total = reductions.sum(each, axis=1, dtype=x.dtype)
        return divide(total, float(len(self.roots))) if how == "AVERAGE" else total


# --- the operators --------------------------------------------------------------------------------


@operator("TreeEnsemble", since=5, domain=ML, ranks=(2,))
def tree_ensemble(node: Node, x: Tensor) -> Tensor:
    """What trees of decisions come to, put together: [batch, targets]."""
    how = node.integer("aggregate_function", 1)
    if not 0 <= how < len(_AGGREGATES):
        fail(f"the attribute aggregate_function is 0 to {len(_AGGREGATES) - 1}, got {how}")
    kind = node.integer("post_transform", 0)
    if not 0 <= kind < len(KINDS):
        fail(f"the attribute post_transform is 0 to {len(KINDS) - 1}, got {kind}")
    return by_kind(KINDS[kind], _forest(node).scores(x, _AGGREGATES[how]))


def _forest(node: Node) -> Forest:
    """Inner nodes, then leaves."""
    modes = node.array("nodes_modes").astype(np.int64).tolist()
    targets = node.integers("leaf_targetids")
    leaf_weights = node.array("leaf_weights").astype(np.float64)
    inner, count = len(modes), len(targets)
    stay, nothing = list(range(inner, inner + count)), [0] * count
    members = _members(node)
    sets = iter(range(_MEMBER, _MEMBER + len(members)))
    known = [m if m < _MEMBER else next(sets, _MEMBER) for m in modes]
    splits = node.array("nodes_splits").astype(np.float64)
    tracks = node.integers("nodes_missing_value_tracks_true", [0] * inner)
    weights = _weights(inner + count, node.integer("n_targets"))
    _place(weights, stay, targets, leaf_weights.tolist())
    return Forest(
        [*known, *[_LEAF] * count],
        [*node.integers("nodes_featureids"), *nothing],
        np.concatenate([splits, np.zeros(count)]),
        [*_links(node, "true", inner), *stay],
        [*_links(node, "false", inner), *stay],
        [*map(bool, tracks), *[False] * count],
        node.integers("tree_roots"),
        weights,
        members,
    )


def _links(node: Node, side: str, inner: int) -> list[int]:
    nodes, leafs = node.integers(f"nodes_{side}nodeids"), node.integers(f"nodes_{side}leafs")
    if len(nodes) != len(leafs):
        fail("its tables of nodes are not of one length")
    return [inner + n if leaf else n for n, leaf in zip(nodes, leafs, strict=True)]


def _members(node: Node) -> list[list[float]]:
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


def _weights(nodes: int, targets: int) -> Array:
    if targets < 1 or nodes * targets > MOST_WEIGHTS:
        fail(f"{nodes} nodes of {targets} targets: there are 1 to {MOST_WEIGHTS} weights")
    return np.full((nodes, targets), np.nan)


def _place(
    weights: Array, places: Sequence[int], targets: Sequence[int], values: Sequence[float]
) -> None:
    """Add what each leaf adds to a target."""
    if not len(places) == len(targets) == len(values):
        fail("its tables of leaves are not of one length")
    for place, target, value in zip(places, targets, values, strict=True):
        if not 0 <= target < weights.shape[1]:
            fail(f"a leaf adds to the target {target} of {weights.shape[1]}")
        held = weights[place, target]
        weights[place, target] = value if held != held else held + value


# --- the older operators, whose nodes have the numbers of their trees -----------------------------


@operator("TreeEnsembleRegressor", domain=ML, ranks=(2,))
def tree_ensemble_regressor(node: Node, x: Tensor) -> Tensor:
    """What trees of decisions come to, put together: [batch, targets]."""
    how = node.choice("aggregate_function", "SUM", _AGGREGATES)
    forest = _older_forest(node, "target", node.integer("n_targets"))
    scores = astype(forest.scores(_wide(x), how), dtypes.FLOAT32)
    return transformed(node, _with_base(node, scores))


@operator("TreeEnsembleClassifier", domain=ML, ranks=(2,))
def tree_ensemble_classifier(node: Node, x: Tensor) -> list[Tensor]:
    """The label of each row, and the scores of all classes: [batch], [batch, classes].

    Where the leaves speak of the first of two classes alone, the score is that of the second, and
    the first has what is left.
    """
    labels = classes(node, "classlabels_int64s")
    forest = _older_forest(node, "class", len(labels))
    spoken = {int(k) for k in np.nonzero(~np.isnan(forest.weights))[1]}
    if len(labels) != 2 or len(spoken) != 1:
        found = astype(forest.scores(_wide(x), "SUM"), dtypes.FLOAT32)
        scores = _with_base(node, found)
        return [label_of_greatest(labels, scores), transformed(node, scores)]
    (column,) = spoken
    forest.weights = forest.weights[:, column : column + 1]
    score = astype(forest.scores(_wide(x), "SUM"), dtypes.FLOAT32)
    is_probability = bool(np.nanmin(forest.weights) >= 0)
    limit = 0.5 if is_probability else 0.0
    base = _numbers(node, "base_values")
    if column == 1:
        if base.size:
            fail("base values where leaves speak of the second of two classes are not supported")
        found = concat([multiply(score, 0.0), score], axis=1)
        return [label_of_two(labels, score, limit), transformed(node, found)]
    if base.size > 1:
        fail(f"{base.size} base values for leaves that speak of one class")
    score = add(score, float(base.sum()))
    return [label_of_two(labels, score, limit), both_sides(node, score, is_probability)]


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype == dtypes.FLOAT64 else astype(x, dtypes.FLOAT32)


def _with_base(node: Node, scores: Tensor) -> Tensor:
    base = _numbers(node, "base_values")
    return add(scores, as_tensor(base.astype(scores.dtype.numpy()))) if base.size else scores


def _numbers(node: Node, name: str) -> Array:
    """Floats of an attribute, or of the tensor that newer versions have in its place."""
    if f"{name}_as_tensor" in node:
        return node.array(f"{name}_as_tensor").astype(np.float64)
    return np.array(node.numbers(name, []), np.float64)


def _older_forest(node: Node, what: str, targets: int) -> Forest:
    trees, numbers = node.integers("nodes_treeids"), node.integers("nodes_nodeids")
    if len(trees) != len(numbers):
        fail("its tables of nodes are not of one length")
    index = {key: k for k, key in enumerate(zip(trees, numbers, strict=True))}
    modes = [_mode(text) for text in node.texts("nodes_modes")]
    yes, no = (_older_links(node, side, modes, trees, index) for side in ("true", "false"))
    count = len(modes)
    weights = _weights(count, targets)
    owners = zip(node.integers(f"{what}_treeids"), node.integers(f"{what}_nodeids"), strict=False)
    places = [index.get(owner, -1) for owner in owners]
    if any(place < 0 for place in places):
        fail("a leaf is none of the nodes")
    _place(
        weights, places, node.integers(f"{what}_ids"), _numbers(node, f"{what}_weights").tolist()
    )
    led_to = {link for k in range(count) if modes[k] != _LEAF for link in (yes[k], no[k])}
    return Forest(
        modes,
        node.integers("nodes_featureids"),
        _numbers(node, "nodes_values"),
        yes,
        no,
        list(map(bool, node.integers("nodes_missing_value_tracks_true", [0] * count))),
        [k for k in range(count) if k not in led_to],
        weights,
        [],
    )


def _mode(text: str) -> int:
    if text not in _MODES:
        fail(f"a node's kind is one of {', '.join(_MODES)}, got '{text}'")
    return _LEAF if text == "LEAF" else _MODES.index(text)


def _older_links(
    node: Node,
    side: str,
    modes: Sequence[int],
    trees: Sequence[int],
    index: dict[tuple[int, int], int],
) -> list[int]:
    links = node.integers(f"nodes_{side}nodeids")
    if not len(links) == len(modes) == len(trees):
        fail("its tables of nodes are not of one length")
    return [
        k if mode == _LEAF else index.get((tree, link), -1)
        for k, (mode, tree, link) in enumerate(zip(modes, trees, links, strict=True))
    ]
