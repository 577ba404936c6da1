"""Operators whose extents data decides, and such that look for the best."""

from __future__ import annotations

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import gathering, reductions
from teenyir.frontend.control import fori_loop
from teenyir.frontend.core import as_tensor, normalize_axis
from teenyir.frontend.creation import full, zeros
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    equal,
    greater,
    less_equal,
    logical_and,
    maximum,
    minimum,
    multiply,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, dynamic_update_slice, take_along_axis
from teenyir.frontend.movement import broadcast_to, concat, expand_dims, flatten, reshape, stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.values import Bounded, integer
from teenyir.frontend.tensor import Tensor


@operator("NonZero")
def nonzero(node: Node, x: Tensor) -> Bounded:
    """Where elements are other than 0: [axes, found]."""
    flat = x if x.ndim else reshape(x, (1,))
    places, count = gathering.nonzero(flat)
    return Bounded(stack(list(places)), {1: count})


@operator("Compress")
def compress(node: Node, x: Tensor, condition: Tensor) -> Bounded:
    """The slices along an axis, or all elements, for which a condition holds."""
    axis = normalize_axis(node.integer("axis"), x.ndim) if "axis" in node else None
    source, place = (flatten(x, 0), 0) if axis is None else (x, axis)
    source = source if source.ndim else reshape(source, (1,))
    (places,), count = gathering.nonzero(condition)
    return Bounded(gathering.take(source, places, axis=place), {place: count})


@operator("NonMaxSuppression", ranks=(3, 3))
def non_max_suppression(
    node: Node,
    boxes: Tensor,
    scores: Tensor,
    most: Tensor | None = None,
    overlap: Tensor | None = None,
    threshold: Tensor | None = None,
) -> Bounded:
    """Boxes of high scores that do not overlap with ones of higher scores.

    `boxes` is [batch, boxes, 4], `scores` [batch, classes, boxes]. The result is [found, 3]: batch,
    class and box; batch by batch, class by class, the highest score first.
    """
    batch, classes, count = scores.shape
    if not (isinstance(batch, int) and isinstance(classes, int) and isinstance(count, int)):
        fail("takes constant extents")
    held = node.inputs[2] if most is not None else None
    limit = max(0, min(integer(held, "how many"), count)) if isinstance(held, np.ndarray) else count
    if most is None or not limit:
        empty = zeros((0, 3), dtype=dtypes.INT64)
        return Bounded(empty, {0: as_tensor(0, dtypes.INT64)})
    corners = _corners(boxes, node.flag("center_point_box"))
    lowest = as_tensor(-np.inf, scores.dtype) if threshold is None else reshape(threshold, ())
    left = where(greater(scores, lowest), scores, -float("inf"))
    most_shared = as_tensor(0.0, boxes.dtype) if overlap is None else reshape(overlap, ())
    found = full((batch, classes, limit), -1, dtype=dtypes.INT64)

    def step(k: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        remaining, picks = state
        best = reductions.argmax(remaining, axis=2, keepdims=True)  # [batch, classes, 1]
        score = take_along_axis(remaining, best, axis=2)
        is_there = greater(score, -float("inf"))
        shared = _shared(corners, best)
        own = equal(counted(broadcast_to(best, scores.shape), 2), best)
        gone = logical_and(is_there, greater(shared, most_shared) | own)
        nothing = as_tensor(0, k.dtype)
        picked = dynamic_update_slice(picks, where(is_there, best, -1), [nothing, nothing, k])
        return where(gone, -float("inf"), remaining), picked

    steps = minimum(astype(reshape(most, ()), dtypes.INT64), limit)
    _, picks = fori_loop(as_tensor(0), steps, step, (left, found))
    return _listed(picks)


def _corners(boxes: Tensor, centered: bool) -> list[Tensor]:
    """The lower and the upper end along both axes, each [batch, 1, boxes]."""
    a, b, c, d = (boxes[:, None, :, k] for k in range(4))
    if centered:
        half_width, half_height = divide(c, 2.0), divide(d, 2.0)
        return [
            subtract(b, half_height),
            subtract(a, half_width),
            add(b, half_height),
            add(a, half_width),
        ]
    return [minimum(a, c), minimum(b, d), maximum(a, c), maximum(b, d)]


def _shared(corners: list[Tensor], best: Tensor) -> Tensor:
    """The share of the area of two boxes together that both cover: [batch, classes, boxes]."""
    own = [take_along_axis(each, best, axis=2) for each in corners]
    sides: list[Tensor] = []
    for k in range(2):
        low, high = maximum(own[k], corners[k]), minimum(own[k + 2], corners[k + 2])
        sides.append(maximum(subtract(high, low), 0.0))
    both = multiply(*sides)
    areas = add(_area(own), _area(corners))
    either = subtract(areas, both)
    return where(greater(either, 0.0), divide(both, either), 0.0)


def _area(box: list[Tensor]) -> Tensor:
    return multiply(subtract(box[2], box[0]), subtract(box[3], box[1]))


def _listed(picks: Tensor) -> Bounded:
    """Picks [batch, classes, places] that are not -1, as rows."""
    axes = [expand_dims(counted(picks, axis), axis=-1) for axis in range(2)]
    rows = concat([*axes, expand_dims(picks, axis=-1)], axis=-1)
    rows = reshape(rows, (-1, 3))
    (places,), count = gathering.nonzero(less_equal(0, rows[:, 2]))
    return Bounded(gathering.take(rows, places, axis=0), {0: count})
