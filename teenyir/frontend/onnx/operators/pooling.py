"""Operators that combine the elements of windows."""

from __future__ import annotations

import math

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.borders import around
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.creation import arange, full
from teenyir.frontend.elementwise import astype, divide
from teenyir.frontend.gathering import take_along_axis
from teenyir.frontend.movement import expand_dims, reshape, squeeze
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.operators.windows import Windows, windows_of, zero
from teenyir.frontend.onnx.told import filled
from teenyir.frontend.onnx.values import Call, Told, constants, integers
from teenyir.frontend.reductions import least, reduce
from teenyir.frontend.tensor import Tensor


def _axes(x: Tensor, windows: Tensor) -> tuple[int, ...]:
    return tuple(range(x.ndim, windows.ndim))


@operator("MaxPool")
def max_pool(node: Node, x: Tensor) -> list[Tensor]:
    """The maximum of each window, and where in all of `x` it is."""
    windows = windows_of(node, x, node.integers("kernel_shape"))
    low = as_tensor(least("max", x.dtype), x.dtype)
    found = windows.of(x, low)
    best = reduce("max", found, _axes(x, found), False)
    if not node.wants(1):
        return [best]
    return [best, _places(node, x, windows, found)]


def _places(node: Node, x: Tensor, windows: Windows, found: Tensor) -> Tensor:
    """The place in `x`, in row-major order or with the spatial axes in column-major order."""
    total = math.prod(constants(x.shape, "the indices of a pool"))
    if node.flag("storage_order"):
        spatial = x.shape[2:]
        flat = reshape(arange(total), (*x.shape[:2], *spatial[::-1]))
        count = flat.permute_dims(0, 1, *range(x.ndim - 1, 1, -1))
    else:
        count = reshape(arange(total), x.shape)
    places = windows.of(count, as_tensor(0, dtypes.INT64))
    outer, size = found.shape[: x.ndim], math.prod(windows.size)
    best = reductions.argmax(reshape(found, (*outer, size)), axis=-1)
    picks = expand_dims(best, axis=-1)
    return squeeze(take_along_axis(reshape(places, (*outer, size)), picks, axis=-1), axis=-1)


@operator("AveragePool")
def average_pool(node: Node, x: Tensor) -> Tensor:
    """The mean of each window, over what is put around `x` too if that counts."""
    windows = windows_of(node, x, node.integers("kernel_shape"))
    wide = astype(x, x.dtype.accumulator)
    found = windows.of(wide, zero(wide))
    total = reduce("add", found, _axes(x, found), False)
    one = full(x.shape, 1, dtype=wide.dtype)
    counts = node.flag("count_include_pad")
    inside = windows.of(one, as_tensor(int(counts), wide.dtype), zero(wide))
    count = reduce("add", inside, _axes(x, inside), False)
    if counts and not any(windows.over):
        return astype(divide(total, float(math.prod(windows.size))), x.dtype)
    return astype(divide(total, count), x.dtype)


@operator("LpPool")
def lp_pool(node: Node, x: Tensor) -> Tensor:
    """The p-norm of each window."""
    p = float(node.number("p", 2.0) if node.opset < 2 else node.integer("p", 2))
    windows = windows_of(node, x, node.integers("kernel_shape"))
    powers = elementwise.pow(elementwise.abs(astype(x, x.dtype.accumulator)), p)
    found = windows.of(powers, zero(powers))
    total = reduce("add", found, _axes(x, found), False)
    return astype(elementwise.pow(total, 1.0 / p), x.dtype)


@operator("GlobalAveragePool")
def global_average_pool(node: Node, x: Tensor) -> Tensor:
    """The mean over the spatial axes."""
    return reductions.mean(x, axis=range(2, x.ndim), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(node: Node, x: Tensor) -> Tensor:
    """The maximum over the spatial axes."""
    return reductions.max(x, axis=range(2, x.ndim), keepdims=True)


@operator("GlobalLpPool")
def global_lp_pool(node: Node, x: Tensor) -> Tensor:
    """The p-norm over the spatial axes."""
    p = float(node.integer("p", 2))
    powers = elementwise.pow(elementwise.abs(x), p)
    total = reductions.sum(powers, axis=range(2, x.ndim), keepdims=True, dtype=x.dtype)
    return elementwise.pow(total, 1.0 / p)


@operator("MaxUnpool", known=(2,), told=(2,))
def max_unpool(node: Node, x: Tensor, indices: Tensor, shape: Array | Told | None = None) -> Tensor:
    """Elements put back where a pool has taken them from, zeros elsewhere."""
    count = x.ndim - 2
    size = node.integers("kernel_shape")
    stride = node.integers("strides", [1] * count)
    pads = node.integers("pads", [0] * (2 * count))
    own = constants(x.shape, "a pool undone")
    natural = [
        (n - 1) * s - pads[k] - pads[count + k] + size[k]
        for k, (n, s) in enumerate(zip(own[2:], stride, strict=True))
    ]
    inner = [*own[:2], *natural]
    empty = full((math.prod(inner),), 0, dtype=x.dtype)
    found = reshape(empty.at[indices.reshape((-1,))].set(x.reshape((-1,))), inner)
    if shape is None:
        return found
    if isinstance(shape, Told):

        def widths(call: Call) -> list[tuple[int, int]]:
            return [(0, n - m) for n, m in zip(call.array(shape).tolist(), inner, strict=True)]

        return filled(found, widths, zero(found))
    high = [n - m for n, m in zip(integers(shape, "an extent"), inner, strict=True)]
    return around(found, [0] * x.ndim, high, zero(found))
