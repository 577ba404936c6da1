"""Places between the elements of an axis, worked out when the program runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from teenyir.dialects import dtypes
from teenyir.frontend import reductions
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import (
    abs,
    add,
    astype,
    clip,
    divide,
    equal,
    floor,
    floor_divide,
    minimum,
    multiply,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor

PLACES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
"""How the places of a new axis lie in the old one."""

HALVES = {"round_prefer_floor": -0.5, "ceil": 0.0, "floor": 0.0, "round_prefer_ceil": 0.5}
"""By the way of rounding, what is added before the place is rounded up, or down."""


@dataclass(frozen=True)
class Axis:
    """How one axis changes."""

    axis: int
    old: Extent
    new: Extent
    scale: float | Tensor
    """New by old; 0 where that is so, of extents with names, and no number."""
    region: tuple[float | Tensor, float | Tensor] = (0.0, 1.0)
    taps: Extent = 0
    """How many elements are mixed for a place with antialias, of extents with names."""


def number_of(value: float | Tensor) -> float:
    """A scale, or an end of a region, that is known. Raises TraceError where it is none."""
    if not isinstance(value, int | float):
        fail("a resize of constant extents takes constant scales")
    return value


def taps_of(reach: int, scale: float) -> int:
    """How many elements are mixed for a place with antialias: the same number on both sides."""
    return 2 * math.ceil(reach / min(scale, 1.0))


def counted_as_float(extent: Extent) -> Tensor:
    """An extent as float64."""
    return astype(
        as_tensor(extent, None if isinstance(extent, Dim) else dtypes.INT64), dtypes.FLOAT64
    )


def at_names(node: Node, x: Tensor, each: Axis, mode: str) -> tuple[Tensor, Tensor | None]:
    """One axis resized, and which of its places lie outside where that is asked for."""
    place, beyond = _places(node, each)
    last = as_tensor(each.old) - 1
    if mode == "nearest":
        rounding = node.choice("nearest_mode", "round_prefer_floor", list(HALVES))
        if node.opset < 11:
            rounding = "floor"
        half = HALVES[rounding]
        moved = add(place, half)
        found = floor(moved) if half > 0 or rounding == "floor" else -floor(-moved)
        picks = clip(astype(found, dtypes.INT64), as_tensor(0), last)
        return take(x, picks, axis=each.axis), beyond
    low = floor(place)
    taps = _taps(node, each, mode)
    offsets = add(arange(taps), subtract(1, floor_divide(as_tensor(taps), 2)))
    indices = add(astype(low, dtypes.INT64)[:, None], offsets)  # [new, taps]
    away = subtract(astype(offsets, dtypes.FLOAT64), subtract(place, low)[:, None])
    weights = _weights(node, each, mode, away)
    if node.flag("exclude_outside"):
        weights = where((indices < 0) | (indices > last), 0.0, weights)
    if node.flag("exclude_outside") or node.flag("antialias"):
        weights = divide(weights, reductions.sum(weights, axis=1, keepdims=True))
    parts = take(x, clip(indices, as_tensor(0), last), axis=each.axis)
    own: dict[int, Extent] = {each.axis: each.new, each.axis + 1: taps}
    shape = [own.get(k, 1) for k in range(x.ndim + 1)]
    mixed = multiply(parts, reshape(astype(weights, x.dtype), shape))
    return reductions.sum(mixed, axis=each.axis + 1), beyond


def _taps(node: Node, each: Axis, mode: str) -> Extent:
    """How many elements are mixed for a place."""
    if node.flag("antialias"):
        return each.taps
    return 2 if mode == "linear" else 4


def _weights(node: Node, each: Axis, mode: str, away: Tensor) -> Tensor:
    """By how far an element is away, its weight."""
    if node.flag("antialias"):
        old, new = counted_as_float(each.old), counted_as_float(each.new)
        scale = each.scale if _has_scale(each) else divide(new, old)
        away = multiply(away, minimum(scale, 1.0))
    x = abs(away)
    if mode == "linear":
        return clip(subtract(1.0, x), 0.0, 1.0)
    a = node.number("cubic_coeff_a", -0.75)  # Keys, as in `resizing`
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return where(x <= 1.0, near, where(x < 2.0, far, 0.0))


def _has_scale(each: Axis) -> bool:
    return not isinstance(each.scale, float) or each.scale != 0.0


def _places(node: Node, each: Axis) -> tuple[Tensor, Tensor | None]:
    """Where in the old axis each place of the new one lies, and which lie outside."""
    usual = "half_pixel" if node.opset > 10 else "asymmetric"
    kind = node.choice("coordinate_transformation_mode", usual, PLACES)
    place = astype(arange(each.new), dtypes.FLOAT64)
    old, new = counted_as_float(each.old), counted_as_float(each.new)
    has_scale = _has_scale(each)
    exact = multiply(old, each.scale) if has_scale else new
    is_one = equal(exact, 1.0)
    steps = where(is_one, 1.0, subtract(exact, 1.0))
    last = subtract(old, 1.0)
    if kind == "align_corners":
        return where(is_one, 0.0, multiply(place, divide(last, steps))), None
    if kind == "tf_crop_and_resize":
        low, high = each.region
        step = multiply(subtract(high, low), last)
        moved = where(is_one, divide(step, 2.0), divide(multiply(place, step), steps))
        found = add(multiply(last, low), moved)
        return found, (found < 0.0) | (found > last)

    def back(at: Tensor) -> Tensor:
        """The place that the scale has moved."""
        return divide(at, each.scale) if has_scale else divide(multiply(at, old), new)

    if kind == "asymmetric":
        return back(place), None
    moved = back(add(place, 0.5))
    if kind == "tf_half_pixel_for_nn":
        return moved, None
    found = subtract(moved, 0.5)
    if kind == "pytorch_half_pixel":
        return where(is_one, -0.5, found), None
    if kind == "half_pixel_symmetric":
        off = multiply(divide(old, 2.0), subtract(1.0, divide(new, exact)))
        return add(found, off), None
    return found, None
