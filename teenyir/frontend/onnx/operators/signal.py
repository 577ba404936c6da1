"""Fourier transforms, and what is made of them."""

from __future__ import annotations

import numpy as np

from teenyir.frontend.borders import around
from teenyir.frontend.core import Array, as_tensor, normalize_axis
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, astype, multiply, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.linear import matmul
from teenyir.frontend.movement import moveaxis, stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.operators.windows import zero
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.onnx.values import integer
from teenyir.frontend.tensor import Tensor

LONGEST = 2**11
"""Elements of a transform, which is a product with a matrix of as many rows and columns."""


@operator("DFT", until=19, known=(1,))
def dft_by_attribute(node: Node, x: Tensor, length: Array | None = None) -> Tensor:
    """The discrete Fourier transform along an axis."""
    return _transformed(node, x, length, node.integer("axis", 1))


@operator("DFT", since=20, known=(1, 2))
def dft(node: Node, x: Tensor, length: Array | None = None, axis: Array | None = None) -> Tensor:
    """The discrete Fourier transform along an axis."""
    return _transformed(node, x, length, -2 if axis is None else integer(axis, "the axis"))


def _transformed(node: Node, x: Tensor, length: Array | None, axis: int) -> Tensor:
    """Real numbers have a last axis of 1, complex ones of 2, as the result has."""
    place = normalize_axis(axis, x.ndim)
    x = moveaxis(x, place, -2)
    extent = x.shape[-2]
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    count = extent if length is None else integer(length, "the length")
    if inverse and onesided:
        return moveaxis(_real_of_half(x, None if length is None else count), -2, place)
    if not isinstance(count, int) or not isinstance(extent, int) or not 1 <= count <= LONGEST:
        fail(f"a transform is of 1 to {LONGEST} elements, got {count}")
    if count != extent:
        more = [0] * (x.ndim - 2) + [count - extent, 0]
        x = around(x, [0] * x.ndim, more, zero(x))
    return moveaxis(fourier(x, count, inverse, onesided), -2, place)


def fourier(x: Tensor, count: int, inverse: bool, onesided: bool) -> Tensor:
    """[..., count, 1 or 2] transformed to [..., count or its half, 2]."""
    rows = count // 2 + 1 if onesided else count
    real, imaginary = _matrices(x, rows, count, inverse)
    parts = [_times(matrix, x[..., 0]) for matrix in (real, imaginary)]
    if x.shape[-1] == 2:
        more = [_times(matrix, x[..., 1]) for matrix in (real, imaginary)]
        parts = [subtract(parts[0], more[1]), add(parts[1], more[0])]
    return stack(parts, axis=-1)


def _matrices(x: Tensor, rows: int, count: int, inverse: bool) -> tuple[Tensor, Tensor]:
    """Cosines and sines [rows, count]."""
    turns = np.outer(np.arange(rows), np.arange(count)) % count / count
    angle = 2 * np.pi * turns * (1 if inverse else -1)
    scale = 1 / count if inverse else 1.0
    dtype = x.dtype.numpy()
    real, imaginary = ((part * scale).astype(dtype) for part in (np.cos(angle), np.sin(angle)))
    return as_tensor(real), as_tensor(imaginary)


def _times(matrix: Tensor, x: Tensor) -> Tensor:
    return matmul(x, matrix.mT)


def _real_of_half(x: Tensor, count: Extent | None) -> Tensor:
    """The real numbers of which the first half of a transform is known."""
    size = x.shape[-2]
    full = (size - 1) * 2 if count is None else count
    if not isinstance(size, int) or not isinstance(full, int) or not 1 <= full <= LONGEST:
        fail(f"a transform is of 1 to {LONGEST} elements, got {full}")
    half = full // 2 + 1
    if size < half:
        fail(f"{size} elements are less than half of {full}")
    weight = np.array([1.0 if k == 0 or 2 * k == full else 2.0 for k in range(half)])
    angle = 2 * np.pi * np.outer(np.arange(full), np.arange(half)) / full
    dtype = x.dtype.numpy()
    real = as_tensor((np.cos(angle) * weight / full).astype(dtype))
    imaginary = as_tensor((np.sin(angle) * weight / full).astype(dtype))
    part = x[..., :half, :]
    return subtract(_times(real, part[..., 0]), _times(imaginary, part[..., 1]))[..., None]


@operator("STFT", known=(1, 3))
def stft(
    node: Node,
    x: Tensor,
    step: Array,
    window: Tensor | None = None,
    length: Array | None = None,
) -> Tensor:
    """Fourier transforms of windows that slide over [batch, elements, 1 or 2]."""
    stride = integer(step, "the step")
    size = window.shape[0] if length is None and window is not None else None
    if length is not None:
        size = integer(length, "the length")
    extent = x.shape[1]
    if not isinstance(size, int) or not isinstance(extent, int) or stride < 1 or size < 1:
        fail("takes windows of a constant length, and a positive step")
    count = (extent - size) // stride + 1
    starts = multiply(arange(count), stride)
    places = add(starts[:, None], arange(size)[None, :])
    signal = x if x.ndim == 3 else x[..., None]
    frames = take(signal, places, axis=1)  # [batch, windows, size, 1 or 2]
    if window is not None:
        frames = multiply(frames, window[:, None])
    return fourier(frames, size, False, node.flag("onesided", True))


@operator("MelWeightMatrix", known=(0, 1, 2, 3, 4))
def mel_weight_matrix(
    node: Node, bins: Array, length: Array, rate: Array, lowest: Array, highest: Array
) -> Tensor:
    """Triangles on the mel scale: [length / 2 + 1, bins]."""
    count, size = integer(bins, "the number of bins"), integer(length, "the length")
    spectrum = size // 2 + 1
    if not 0 < count <= LONGEST or not 0 < spectrum <= LONGEST:
        fail(f"{spectrum} elements and {count} bins")
    low, high = (2595 * np.log10(1 + float(each) / 700) for each in (lowest, highest))
    mels = low + np.arange(count + 2) * (high - low) / (count + 2)
    hertz = 700 * (10 ** (mels / 2595) - 1)
    edges = np.floor((size + 1) * hertz / integer(rate, "the rate")).astype(np.int64)
    found = np.zeros((spectrum, count))
    for k in range(count):
        start, middle, end = edges[k : k + 3]
        rise = middle - start
        if rise == 0:
            found[middle, k] = 1
        for row in range(start, middle + 1 if rise else start):
            found[row, k] = (row - start) / rise
        for row in range(middle, end):
            found[row, k] = (end - row) / (end - middle)
    dtype = dtype_of(node.integer("output_datatype", 1), "the result")
    return astype(as_tensor(found.astype(np.float32)), dtype)
