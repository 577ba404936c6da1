"""Fourier transforms, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend.borders import around
from teenyir.frontend.core import Array, as_tensor, normalize_axis
from teenyir.frontend.creation import arange, zeros
from teenyir.frontend.dims import Extent, to_expr
from teenyir.frontend.elementwise import (
    add,
    astype,
    cos,
    divide,
    equal,
    floor,
    greater_equal,
    less,
    log,
    logical_or,
    maximum,
    multiply,
    pow,
    remainder,
    sin,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.linear import matmul
from teenyir.frontend.movement import moveaxis, stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.operators.windows import zero
from teenyir.frontend.onnx.slots import decided, promise_zero
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.onnx.told import filled, numbered, places_in, told_extent, viewed
from teenyir.frontend.onnx.values import Call, Told, integer, lifted
from teenyir.frontend.tensor import Tensor

LONGEST = 2**11
"""Elements of a transform, which is a product with a matrix of as many rows and columns."""

MOST_KNOWN = 2**24
"""Elements of such a matrix that is made beforehand; a larger one is when the program runs."""


@operator("DFT", until=19, known=(1,), told=(1,))
def dft_by_attribute(node: Node, x: Tensor, length: Array | Told | None = None) -> Tensor:
    """The discrete Fourier transform along an axis."""
    return _transformed(node, x, length, node.integer("axis", 1))


@operator("DFT", since=20, known=(1, 2), told=(1, 2))
def dft(
    node: Node, x: Tensor, length: Array | Told | None = None, axis: Array | Told | None = None
) -> Tensor:
    """The discrete Fourier transform along an axis."""
    if isinstance(axis, Told):
        return _along_told(node, x, length, axis)
    return _transformed(node, x, length, -2 if axis is None else integer(axis, "the axis"))


def _along_told(node: Node, x: Tensor, length: Array | Told | None, axis: Told) -> Tensor:
    """The transform along the axis of [before, along, after, parts] that a call tells."""

    def place_in(call: Call) -> tuple[int, list[int]]:
        (place,) = places_in(call, axis, x.ndim)
        if place == x.ndim - 1:
            fail("the last axis holds the parts of numbers, and is not transformed")
        return place, [call.extent(extent) for extent in x.shape]

    def segments(call: Call) -> list[int]:
        place, own = place_in(call)
        return [math.prod(own[:place]), own[place], math.prod(own[place + 1 : -1])]

    view = viewed(x, [*decided(["before", "along", "after"], segments, 1), x.shape[-1]])
    found = _transformed(node, view, length, 1)

    def shape(call: Call) -> list[int]:
        place, own = place_in(call)
        return [call.extent(found.shape[1]) if k == place else n for k, n in enumerate(own[:-1])]

    return viewed(found, [*decided(numbered(x.ndim - 1), shape), found.shape[-1]])


def _transformed(node: Node, x: Tensor, length: Array | Told | None, axis: int) -> Tensor:
    """Real numbers have a last axis of 1, complex ones of 2, as the result has."""
    place = normalize_axis(axis, x.ndim)
    x = moveaxis(x, place, -2)
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    count = None if length is None else _positive("length", length)
    if inverse and onesided:
        return moveaxis(_real_of_half(x, count), -2, place)
    count = x.shape[-2] if count is None else count
    _check_length(count)
    return moveaxis(fourier(_of_length(x, count), count, inverse, onesided), -2, place)


def _check_length(count: Extent) -> None:
    if isinstance(count, int) and not 1 <= count <= LONGEST:
        fail(f"a transform is of 1 to {LONGEST} elements, got {count}")


def _of_length(x: Tensor, count: Extent) -> Tensor:
    """[..., elements, parts] with as many elements, the last ones left out or zeros added."""
    extent = x.shape[-2]
    if count == extent:
        return x
    before = [0] * (x.ndim - 2)
    if isinstance(count, int) and isinstance(extent, int):
        return around(x, [0] * x.ndim, [*before, count - extent, 0], zero(x))

    def widths(call: Call) -> list[tuple[int, int]]:
        more = call.extent(count) - call.extent(extent)
        return [*[(0, 0) for _ in before], (0, more), (0, 0)]

    return filled(x, widths, zero(x))


def fourier(x: Tensor, count: Extent, inverse: bool, onesided: bool) -> Tensor:
    """[..., count, 1 or 2] transformed to [..., count or its half, 2]."""
    rows = count // 2 + 1 if onesided else count
    real, imaginary = _matrices(x, rows, count, count, inverse)
    parts = [_times(matrix, x[..., 0]) for matrix in (real, imaginary)]
    if x.shape[-1] == 2:
        more = [_times(matrix, x[..., 1]) for matrix in (real, imaginary)]
        parts = [subtract(parts[0], more[1]), add(parts[1], more[0])]
    return stack(parts, axis=-1)


def _matrices(
    x: Tensor, rows: Extent, columns: Extent, period: Extent, inverse: bool, is_half: bool = False
) -> tuple[Tensor, Tensor]:
    """Cosines and sines [rows, columns] of the product of both numbers by the period.

    Of an inverse they are divided by it; of the half of a transform of real numbers they stand for
    the other half too.
    """
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(period, int):
        places = np.ogrid[:rows, :columns] if rows * columns <= MOST_KNOWN else None
        if places is not None:
            return _known_matrices(x, places, period, inverse, is_half)
    row, column = arange(rows)[:, None], arange(columns)[None, :]
    turns = astype(remainder(multiply(row, column), as_tensor(period)), dtypes.FLOAT64)
    whole = astype(as_tensor(period), dtypes.FLOAT64)
    angle = multiply(divide(turns, whole), 2 * math.pi if inverse else -2 * math.pi)
    found = cos(angle), sin(angle)
    if inverse:
        found = divide(found[0], whole), divide(found[1], whole)
    if is_half:
        is_own = logical_or(equal(column, 0), equal(multiply(column, 2), as_tensor(period)))
        weight = where(is_own, as_tensor(1.0, dtypes.FLOAT64), as_tensor(2.0, dtypes.FLOAT64))
        found = multiply(found[0], weight), multiply(found[1], weight)
    return astype(found[0], x.dtype), astype(found[1], x.dtype)


def _known_matrices(
    x: Tensor, places: Sequence[Array], period: int, inverse: bool, is_half: bool
) -> tuple[Tensor, Tensor]:
    """The same of known extents: they are parameters."""
    row, column = places
    angle = (row * column % period) * ((2 if inverse else -2) * np.pi / period)
    weight = np.where((column == 0) | (2 * column == period) | (not is_half), 1.0, 2.0)
    weight = weight / period if inverse else weight
    dtype = x.dtype.numpy()
    real, imaginary = ((part * weight).astype(dtype) for part in (np.cos(angle), np.sin(angle)))
    return as_tensor(real), as_tensor(imaginary)


def _times(matrix: Tensor, x: Tensor) -> Tensor:
    return matmul(x, matrix.mT)


def _real_of_half(x: Tensor, count: Extent | None) -> Tensor:
    """The real numbers of which the first half of a transform is known."""
    full = (x.shape[-2] - 1) * 2 if count is None else count
    _check_length(full)
    half = full // 2 + 1
    part = _of_length(x, half)
    real, imaginary = _matrices(x, full, half, full, True, True)
    return subtract(_times(real, part[..., 0]), _times(imaginary, part[..., 1]))[..., None]


@operator("STFT", known=(1, 3), told=(1, 3))
def stft(
    node: Node,
    x: Tensor,
    step: Array | Told,
    window: Tensor | None = None,
    length: Array | Told | None = None,
) -> Tensor:
    """Fourier transforms of windows that slide over [batch, elements, 1 or 2]."""
    stride = _positive("step", step)
    if length is None and window is None:
        fail("takes a window, or its length")
    size = window.shape[0] if window is not None else _positive("length", length)
    if window is not None and length is not None:
        _check_window(size, _positive("length", length))
    count = _how_many(x.shape[1], size, stride)
    if count == 0:
        bins: Extent = size // 2 + 1 if node.flag("onesided", True) else size
        return zeros((x.shape[0], 0, bins, 2), dtype=x.dtype)
    starts = multiply(arange(count), as_tensor(stride))
    places = add(starts[:, None], arange(size)[None, :])
    signal = x if x.ndim == 3 else x[..., None]
    frames = take(signal, places, axis=1)  # [batch, windows, size, 1 or 2]
    if window is not None:
        frames = multiply(frames, window[:, None])
    return fourier(frames, size, False, node.flag("onesided", True))


def _how_many(extent: Extent, size: Extent, stride: Extent) -> Extent:
    """How many windows there are."""
    if isinstance(extent, int) and isinstance(size, int) and isinstance(stride, int):
        return max((extent - size) // stride + 1, 0)

    def rule(call: Call) -> int:
        return max((call.extent(extent) - call.extent(size)) // call.extent(stride) + 1, 0)

    return told_extent("windows", rule)


def _positive(what: str, given: Array | Told | None) -> Extent:
    """A number from 1 on that an input gives."""
    if isinstance(given, Told):
        return told_extent(what, lambda call: int(call.array(given).reshape(())), least=1)
    assert given is not None
    if (found := integer(given, f"the {what}")) < 1:
        fail(f"the {what} is {found}, and is to be positive")
    return found


def _check_window(size: Extent, length: Extent) -> None:
    """Raise TraceError where a window is not as long as is said."""
    if size != length and not promise_zero(to_expr(size) - to_expr(length)):
        fail(f"the window has {size} elements, and the length is {length}")


@operator("MelWeightMatrix", known=(0, 1, 2, 3, 4), told=(0, 1, 2, 3, 4))
def mel_weight_matrix(
    node: Node,
    bins: Array | Told,
    length: Array | Told,
    rate: Array | Told,
    lowest: Array | Told,
    highest: Array | Told,
) -> Tensor:
    """Triangles on the mel scale: [length / 2 + 1, bins].

    The k-th rises from the k-th edge to the next one, and falls to the one after that; edges are
    equally far from each other on the scale, and the rows that their frequencies belong to.
    """
    count, size = _positive("bins", bins), _positive("length", length)
    for extent in (count, size):
        _check_length(extent)
    wide = [astype(lifted(each).reshape(()), dtypes.FLOAT64) for each in (rate, lowest, highest)]
    mel = 2595 / math.log(10)  # 2595 log10(1 + hertz / 700)
    low, high = (multiply(log(add(divide(each, 700.0), 1.0)), mel) for each in wide[1:])
    apart = divide(subtract(high, low), astype(as_tensor(count + 2), dtypes.FLOAT64))
    scale = divide(astype(as_tensor(size + 1), dtypes.FLOAT64), wide[0])

    def edge(k: int) -> Tensor:
        mel = add(multiply(astype(add(arange(count), k), dtypes.FLOAT64), apart), low)
        ten = as_tensor(10.0, dtypes.FLOAT64)
        hertz = multiply(subtract(pow(ten, divide(mel, 2595.0)), 1.0), 700.0)
        return floor(multiply(hertz, scale))

    start, middle, end = map(edge, range(3))
    row = astype(arange(size // 2 + 1), dtypes.FLOAT64)[:, None]
    rise = divide(subtract(row, start), maximum(subtract(middle, start), 1.0))
    fall = divide(subtract(end, row), maximum(subtract(end, middle), 1.0))
    outside = logical_or(less(row, start), greater_equal(row, end))
    found = where(outside, 0.0, where(less(row, middle), rise, fall))
    found = where(equal(row, middle), 1.0, found)
    dtype = dtype_of(node.integer("output_datatype", 1), "the result")
    return astype(astype(found, dtypes.FLOAT32), dtype)
