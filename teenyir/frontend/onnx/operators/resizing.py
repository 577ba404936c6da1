"""Tensors read at places between their elements, along each axis by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import Array, normalize_axis
from teenyir.frontend.dims import Dim, Extent, merge_ranges, ranges_of, to_expr
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    maximum,
    minimum,
    multiply,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.between import (
    PLACES,
    Axis,
    at_names,
    counted_as_float,
    number_of,
    taps_of,
)
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.slots import decided
from teenyir.frontend.onnx.values import Call, Told, constants, extents, lifted
from teenyir.frontend.tensor import Tensor

LONGEST = 2**22
"""Places that are worked out one by one while a model is imported."""

POLICIES = ("stretch", "not_larger", "not_smaller")
"""What is to become of the aspect ratio."""

_ROUNDING: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@operator("Upsample", since=7, until=8)
def upsample_by_attribute(node: Node, x: Tensor) -> Tensor:
    """Larger by a factor for each axis."""
    return _resized(node, x, _by_scale(node, x, range(x.ndim), node.numbers("scales")))


@operator("Upsample", since=9, known=(1,), told=(1,))
def upsample(node: Node, x: Tensor, scales: Array | Told) -> Tensor:
    """Larger by a factor for each axis."""
    return resize_by_scale(node, x, scales)


@operator("Resize", until=10, known=(1,), told=(1,))
def resize_by_scale(node: Node, x: Tensor, scales: Array | Told) -> Tensor:
    """By a factor for each axis."""
    if isinstance(scales, Told):
        return _resized(node, x, _as_told(node, x, range(x.ndim), None, scales, None))
    return _resized(node, x, _by_scale(node, x, range(x.ndim), scales.tolist()))


@operator("Resize", since=11, known=(1, 2, 3), told=(1, 2, 3))
def resize(
    node: Node,
    x: Tensor,
    roi: Array | Told | None = None,
    scales: Array | Told | None = None,
    sizes: Array | Told | None = None,
) -> Tensor:
    """By a factor for each axis, or to extents that are given."""
    axes = [normalize_axis(axis, x.ndim) for axis in node.integers("axes", list(range(x.ndim)))]
    if isinstance(roi, Told) or isinstance(scales, Told) or isinstance(sizes, Told):
        return _resized(node, x, _as_told(node, x, axes, roi, scales, sizes))
    if scales is not None and scales.size:
        found = _by_scale(node, x, axes, scales.astype(np.float64).tolist())
    elif sizes is not None and sizes.size:
        found = _by_size(node, x, axes, extents(sizes))
    else:
        fail("takes scales or sizes")
    if roi is not None and roi.size:
        region = roi.astype(np.float64).tolist()
        found = [
            replace(each, region=(region[k], region[len(axes) + k])) for k, each in enumerate(found)
        ]
    return _resized(node, x, found)


def _by_scale(node: Node, x: Tensor, axes: Sequence[int], scales: Sequence[float]) -> list[Axis]:
    if len(scales) != len(axes) or not all(0 < scale < 2**24 for scale in scales):
        fail(f"takes {len(axes)} positive scales, got {list(scales)}")
    reach = _reach(node)
    return [
        Axis(axis, old, _times(old, scale), scale, taps=taps_of(reach, scale))
        for axis, scale in zip(axes, scales, strict=True)
        for old in (x.shape[axis],)
    ]


def _times(extent: Extent, scale: float) -> Extent:
    """An extent times a scale, rounded down."""
    if isinstance(extent, int):
        return _scaled(extent, scale)
    if (fraction := _fraction(scale)) is not None:
        return extent * fraction.numerator // fraction.denominator
    fail(f"the extent {extent} times {scale} is no simple fraction of it")


def _scaled(extent: int, scale: float) -> int:
    """In float32, as onnxruntime and ONNX's inference of shapes do: 10 times 0.7 is 7."""
    return int(np.float32(extent) * np.float32(scale))


@cache
def _fraction(scale: float) -> Fraction | None:
    """The fraction that gives the same of all extents that an image may have, if one is simple."""
    found = Fraction(scale).limit_denominator(64)
    extents = np.arange(2**16)
    products = extents.astype(np.float32) * np.float32(scale)
    exact = extents * found.numerator // found.denominator
    return found if (products.astype(np.int64) == exact).all() else None


def _by_size(node: Node, x: Tensor, axes: Sequence[int], sizes: Sequence[Extent]) -> list[Axis]:
    if len(sizes) != len(axes):
        fail(f"takes {len(axes)} sizes, got {list(map(str, sizes))}")
    if any(isinstance(size, int) and size < 0 for size in sizes):
        fail(f"takes sizes from 0 on, got ({', '.join(map(str, sizes))})")
    policy = node.choice("keep_aspect_ratio_policy", "stretch", POLICIES)
    found = [
        _to_size(node, axis, x.shape[axis], new) for axis, new in zip(axes, sizes, strict=True)
    ]
    return found if policy == "stretch" else _in_proportion(node, found, policy)


def _to_size(node: Node, axis: int, old: Extent, new: Extent) -> Axis:
    if isinstance(old, int) and isinstance(new, int):
        return Axis(axis, old, new, new / old if old else 1.0)
    return Axis(axis, old, new, 1.0 if old == new else 0.0, taps=_taps_between(node, old, new))


def _reach(node: Node) -> int:
    """How far the elements are that are mixed, on each side of a place."""
    return 2 if node.text("mode", "nearest") == "cubic" else 1


def _taps_between(node: Node, old: Extent, new: Extent) -> Extent:
    """How many elements are mixed for a place: as far as the kernel reaches on both sides."""
    reach = _reach(node)
    if isinstance(new, int) and new == 0:
        return 2 * reach
    wide = (to_expr(old) * reach).ceildiv(to_expr(new))
    ranges = merge_ranges(ranges_of(old), ranges_of(new))
    return 2 * Dim.of(Expr.maximum(wide, reach), ranges)


def _in_proportion(node: Node, axes: Sequence[Axis], policy: str) -> list[Axis]:
    """All axes by one scale: the least of those that each would have, or the greatest."""
    is_least = policy == "not_larger"
    if all(isinstance(extent, int) for each in axes for extent in (each.old, each.new)):
        scale = (min if is_least else max)(number_of(each.scale) for each in axes)
        old = constants([each.old for each in axes], "a resize")
        return [Axis(e.axis, n, _rounded(n, scale), scale) for e, n in zip(axes, old, strict=True)]
    if any(isinstance(each.old, int) and each.old == 0 for each in axes):
        fail("an axis without elements has no aspect ratio")
    ratios = [divide(counted_as_float(e.new), counted_as_float(e.old)) for e in axes]
    scale = reduce(minimum if is_least else maximum, ratios)
    taps = [to_expr(each.taps) for each in axes]
    ranges = merge_ranges(*(ranges_of(extent) for e in axes for extent in (e.old, e.new)))
    return [
        Axis(
            each.axis,
            each.old,
            # what divides by names has no bounds that are known, and is not negative
            Dim.of(Expr.maximum(_least([_in_ratio(each, e) for e in axes], is_least), 0), ranges),
            scale,
            taps=Dim.of(Expr.maximum(_least(taps, not is_least), 0), ranges),
        )
        for each in axes
    ]


def _in_ratio(each: Axis, other: Axis) -> Expr:
    """The new extent by the scale of another axis, rounded."""
    old, by, new = to_expr(each.old), to_expr(other.old), to_expr(other.new)
    return (2 * old * new + by) // (2 * by)


def _least(values: Sequence[Expr], is_least: bool) -> Expr:
    return (Expr.minimum if is_least else Expr.maximum)(*values)


def _rounded(extent: int, scale: float) -> int:
    return math.floor(extent * scale + 0.5)


def _as_told(
    node: Node,
    x: Tensor,
    axes: Sequence[int],
    roi: Array | Told | None,
    scales: Array | Told | None,
    sizes: Array | Told | None,
) -> list[Axis]:
    """How axes change where a call says it."""
    by_scale = scales is not None and scales.size > 0
    given = scales if by_scale else sizes
    if given is None or not given.size:
        fail("takes scales or sizes")
    policy = node.choice("keep_aspect_ratio_policy", "stretch", POLICIES)
    policy = "stretch" if by_scale else policy
    reach, count = _reach(node), len(axes)

    def rule(call: Call) -> list[int]:
        """The new extents, and then how many elements are mixed for each."""
        own = [call.extent(x.shape[axis]) for axis in axes]
        numbers: list[float] = call.array(given).astype(np.float64).tolist()
        if len(numbers) != count or not all(0 < number < 2**24 for number in numbers):
            fail(f"takes {count} positive numbers, got {numbers}")
        factors = numbers
        if not by_scale:
            factors = [n / max(old, 1) for n, old in zip(numbers, own, strict=True)]
        if policy != "stretch":
            factors = [(min if policy == "not_larger" else max)(factors)] * count
        new = [int(number) for number in numbers]
        if by_scale or policy != "stretch":
            size_of = _scaled if by_scale else _rounded
            new = [size_of(old, factor) for old, factor in zip(own, factors, strict=True)]
        return [*new, *[taps_of(reach, factor) for factor in factors]]

    found = decided([f"{what}_{k}" for what in ("new", "taps") for k in axes], rule)
    parts = [astype(lifted(given)[k], dtypes.FLOAT64) for k in range(count)]
    factors: list[Tensor | float] = []
    factors += parts if by_scale else [0.0] * count
    if policy != "stretch":
        ratios = [
            divide(part, counted_as_float(x.shape[a])) for part, a in zip(parts, axes, strict=True)
        ]
        factors = [reduce(minimum if policy == "not_larger" else maximum, ratios)] * count
    region: list[Tensor | float] = [*[0.0] * count, *[1.0] * count]
    if roi is not None and roi.size:
        region = [astype(lifted(roi)[k], dtypes.FLOAT64) for k in range(2 * count)]
    return [
        Axis(
            axis,
            x.shape[axis],
            found[k],
            factors[k],
            (region[k], region[count + k]),
            found[count + k],
        )
        for k, axis in enumerate(axes)
    ]


def _resized(node: Node, x: Tensor, axes: Sequence[Axis]) -> Tensor:
    mode = node.choice("mode", "nearest", ("nearest", "linear", "cubic"))
    outside: Tensor | None = None
    result = x if mode == "nearest" else astype(x, _wide(x))
    for each in axes:
        crops = node.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize"
        if each.old == each.new and each.scale == 1.0 and not crops:
            continue
        if isinstance(each.old, Dim) or isinstance(each.new, Dim):
            result, beyond = at_names(node, result, each, mode)
        else:
            result, beyond = _along(node, result, each, mode)
        if beyond is not None:
            shape = [each.new if k == each.axis else 1 for k in range(x.ndim)]
            mask = reshape(lifted(beyond), shape)
            outside = mask if outside is None else outside | mask
    if outside is not None:
        result = where(outside, node.number("extrapolation_value", 0.0), result)
    return _back(result, x)


def _wide(x: Tensor) -> Any:
    return dtypes.FLOAT64 if x.dtype == dtypes.FLOAT64 else dtypes.FLOAT32


def _back(result: Tensor, x: Tensor) -> Tensor:
    return astype(result, x.dtype)


def _along(node: Node, x: Tensor, each: Axis, mode: str) -> tuple[Tensor, Array | None]:
    """One axis resized, and which of its places lie outside where that is asked for."""
    old, new = constants((each.old, each.new), "a resize")
    scale = number_of(each.scale)
    if new > LONGEST:
        fail(f"an axis of {new} elements is too long to be worked out")
    places, beyond = _places(node, each, old, new)
    if mode == "nearest":
        rounding = node.choice("nearest_mode", "round_prefer_floor", list(_ROUNDING))
        if node.opset < 11:
            rounding = "floor"
        picks = np.clip(_ROUNDING[rounding](places), 0, max(old - 1, 0)).astype(np.int64)
        return take(x, lifted(picks), axis=each.axis), beyond
    first, weights = _taps(node, places, scale, mode)
    lowest: Array = np.floor(places).astype(np.int64)
    taps: Array = first + np.arange(weights.shape[1], dtype=np.int64)
    indices: Array = np.add(lowest[:, None], taps)
    if node.flag("exclude_outside"):
        weights = np.where((indices < 0) | (indices >= old), 0.0, weights)
        weights = weights / weights.sum(axis=1, keepdims=True)
    return _mixed(x, np.clip(indices, 0, old - 1), weights, each.axis), beyond


def _mixed(x: Tensor, indices: Array, weights: Array, axis: int) -> Tensor:
    """The sum over taps, of which each output place has its own."""
    total: Tensor | None = None
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    dtype = x.dtype.numpy()
    for k in range(weights.shape[1]):
        part = take(x, lifted(indices[:, k].copy()), axis=axis)
        term = multiply(part, lifted(weights[:, k].astype(dtype).reshape(shape)))
        total = term if total is None else add(total, term)
    assert total is not None
    return total


def _places(node: Node, each: Axis, old: int, new: int) -> tuple[Array, Array | None]:
    """Where in the old axis each place of the new one lies."""
    place = np.arange(new, dtype=np.float64)
    usual = "half_pixel" if node.opset > 10 else "asymmetric"
    kind = node.choice("coordinate_transformation_mode", usual, PLACES)
    scale = number_of(each.scale)
    exact = old * scale
    if kind == "align_corners":
        return (place * (old - 1) / (exact - 1) if exact != 1 else place * 0), None
    if kind == "asymmetric":
        return place / scale, None
    if kind == "tf_half_pixel_for_nn":
        return (place + 0.5) / scale, None
    if kind == "tf_crop_and_resize":
        low, high = map(number_of, each.region)
        step = (high - low) * (old - 1)
        found = low * (old - 1) + (place * step / (exact - 1) if exact != 1 else step / 2)
        found = found + place * 0
        return found, (found < 0) | (found > old - 1)
    found = (place + 0.5) / scale - 0.5
    if kind == "pytorch_half_pixel" and exact == 1:
        return place * 0 - 0.5, None
    if kind == "half_pixel_symmetric":
        return found + old / 2 * (1 - new / exact), None
    return found, None


def _taps(node: Node, places: Array, scale: float, mode: str) -> tuple[int, Array]:
    """The first tap, from the element at or before a place, and the weights of all."""
    away = places - np.floor(places)
    shrink = min(scale, 1.0) if node.flag("antialias") else 1.0
    reach: int
    weigh: Callable[[Array], Array]
    if mode == "linear":
        reach, weigh = 1, _linear
    else:
        a = node.number("cubic_coeff_a", -0.75)
        reach, weigh = 2, partial(_cubic, a=a)
    if reach / shrink * len(places) > LONGEST:
        fail(f"a scale of {scale} mixes too many elements")
    count = taps_of(reach, shrink)
    first = 1 - count // 2
    taps = np.arange(first, first + count)
    weights = weigh((taps[None, :] - away[:, None]) * shrink)
    return first, weights / weights.sum(axis=1, keepdims=True) if shrink < 1 else weights


def _linear(x: Array) -> Array:
    return np.clip(1 - np.abs(x), 0, 1)


def _cubic(x: Array, a: float) -> Array:
    """Keys, "Cubic convolution interpolation for digital image processing" (1981)."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))
