"""Convolutions and their transposes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.frontend import linear
from teenyir.frontend.borders import around
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.creation import arange, zeros
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, multiply
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import move, permute_dims, reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.operators.windows import windows_of, zero
from teenyir.frontend.onnx.slots import decided
from teenyir.frontend.onnx.told import filled, viewed
from teenyir.frontend.onnx.values import Call, Told, integers
from teenyir.frontend.tensor import Tensor


@operator("Conv")
def conv(node: Node, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    """A cross-correlation."""
    return with_bias(convolved(node, x, w), bias)


def convolved(node: Node, x: Tensor, w: Tensor) -> Tensor:
    """`x` with a kernel slid over it as the attributes say."""
    windows = windows_of(node, x, kernel_of(w))
    low, high = windows.low, windows.high
    if min(*low, *high) < 0:
        x, low, high = _cut(x, low, high)
    return x.trace.emit(
        graph.ConvOp,
        x.value,
        w.value,
        windows.stride,
        list(zip(low, high, strict=True)),
        windows.dilation,
        node.integer("group", 1),
    )


def _cut(
    x: Tensor, low: Sequence[int], high: Sequence[int]
) -> tuple[Tensor, tuple[int, ...], tuple[int, ...]]:
    """`x` without what negative padding takes away, and the rest of the padding."""
    less = [[min(n, 0) for n in side] for side in (low, high)]
    x = around(x, (0, 0, *less[0]), (0, 0, *less[1]), zero(x))
    return x, tuple(max(n, 0) for n in low), tuple(max(n, 0) for n in high)


def kernel_of(w: Tensor) -> list[int]:
    """The extents of a kernel, which are constant."""
    found = [extent for extent in w.shape[2:] if isinstance(extent, int)]
    if len(found) != w.ndim - 2 or w.ndim < 3:
        fail(f"a kernel is [outputs, channels, constant extents...], got {w!r}")
    return found


def with_bias(x: Tensor, bias: Tensor | None) -> Tensor:
    """One value added for each channel."""
    if bias is None:
        return x
    return add(x, move(bias, [*bias.extents, *[Expr.of(1)] * (x.ndim - 2)]))


@operator("ConvTranspose")
def conv_transpose(node: Node, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    """The transpose of a convolution: all of it, cut where `pads` say."""
    kernel = kernel_of(w)
    count = len(kernel)
    stride = node.integers("strides", [1] * count)
    dilation = node.integers("dilations", [1] * count)
    whole = linear.conv_transpose(
        x, w, stride=stride, dilation=dilation, groups=node.integer("group", 1)
    )
    extra = node.integers("output_padding", [0] * count)
    low, high = _crops(node, x, whole, stride, extra)
    found = around(whole, (0, 0, *low), (0, 0, *high), zero(whole))
    return with_bias(found, bias)


def _crops(
    node: Node, x: Tensor, whole: Tensor, stride: Sequence[int], extra: Sequence[int]
) -> tuple[list[Extent], list[Extent]]:
    """What is put around the whole; negative numbers are taken away."""
    count = len(stride)
    auto = node.text("auto_pad", "NOTSET")
    if "output_shape" in node:
        wanted: list[Extent] = list(node.integers("output_shape")[-count:])
    elif auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [n * s for n, s in zip(x.shape[2:], stride, strict=True)]
    else:
        pads = node.integers("pads", [0] * (2 * count)) if auto == "NOTSET" else [0] * (2 * count)
        return [-n for n in pads[:count]], [e - n for e, n in zip(extra, pads[count:], strict=True)]
    low: list[Extent] = []
    high: list[Extent] = []
    for extent, size, more in zip(whole.shape[2:], wanted, extra, strict=True):
        total = extent + more - size
        half = total // 2
        before = half if auto == "SAME_UPPER" else total - half
        low.append(-before)
        high.append(more - (total - before))
    return low, high


@operator("Col2Im", known=(1, 2), told=(1, 2))
def columns_to_image(node: Node, x: Tensor, image: Array | Told, block: Array | Told) -> Tensor:
    """Blocks put back where they were taken from, and added where they lie on each other.

    [batch, channels * block elements, blocks] to [batch, channels, image...]: the transpose of a
    convolution whose kernel picks each element of a block.
    """
    if isinstance(image, Told) or isinstance(block, Told):
        return _columns_as_told(node, x, image, block)
    size, extents = integers(block, "an extent of the block"), integers(image, "an extent")
    count = len(size)
    stride = node.integers("strides", [1] * count)
    dilation = node.integers("dilations", [1] * count)
    pads = node.integers("pads", [0] * (2 * count))
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilation, strict=True)]
    padded = [n + a + b for n, a, b in zip(extents, pads[:count], pads[count:], strict=True)]
    blocks = [(n - r) // s + 1 for n, r, s in zip(padded, reach, stride, strict=True)]
    if min(blocks) < 0:
        fail(f"an image of {extents} has no room for a block of {size}")
    elements = 1
    for extent in size:
        elements *= extent
    batch, channels = x.shape[0], x.shape[1] // elements
    found = x.reshape((batch * channels, elements, *blocks))
    kernel = _picking(x, size, elements)
    whole = linear.conv_transpose(found, kernel, stride=stride, dilation=dilation)
    low = [-n for n in pads[:count]]
    high = [n + a - m for n, a, m in zip(extents, pads[:count], whole.shape[2:], strict=True)]
    cut = around(whole, (0, 0, *low), (0, 0, *high), zero(whole))
    return cut.reshape((batch, channels, *extents))


def _columns_as_told(node: Node, x: Tensor, image: Array | Told, block: Array | Told) -> Tensor:
    """The same where a call says the extents: each element is added at its place."""
    count = block.size
    stride = node.integers("strides", [1] * count)
    dilation = node.integers("dilations", [1] * count)
    pads = node.integers("pads", [0] * (2 * count))

    def rule(call: Call) -> list[int]:
        """By axis how many blocks, elements of a block and of the image and what is around it."""
        sizes, extents = (call.array(each).tolist() for each in (block, image))
        padded = [n + a + b for n, a, b in zip(extents, pads[:count], pads[count:], strict=True)]
        reach = [(k - 1) * d + 1 for k, d in zip(sizes, dilation, strict=True)]
        blocks = [(n - r) // s + 1 for n, r, s in zip(padded, reach, stride, strict=True)]
        return [call.extent(x.shape[1]) // math.prod(sizes), *blocks, *sizes, *padded]

    labels = [f"{what}_{k}" for what in ("blocks", "block", "padded") for k in range(count)]
    channels, *found = decided(["channels", *labels], rule)
    blocks, sizes, padded = (found[k * count : (k + 1) * count] for k in range(3))
    batch = x.shape[0]
    parts = viewed(x, [batch, channels, *sizes, *blocks])
    place: Tensor = as_tensor(0, dtypes.INT64)
    for k in range(count):  # of each element of a block, for each block
        within, which = (
            reshape(arange(n), _line(n, j, 2 * count))
            for n, j in ((sizes[k], k), (blocks[k], count + k))
        )
        along = add(multiply(within, dilation[k]), multiply(which, stride[k]))
        place = add(multiply(place, as_tensor(padded[k])), along)
    order = [*range(2, parts.ndim), 0, 1]
    empty = zeros((math.prod(padded, start=1), batch, channels), dtype=x.dtype)
    whole = empty.at[place].add(permute_dims(parts, order))
    whole = permute_dims(
        reshape(whole, (*padded, batch, channels)), (count, count + 1, *range(count))
    )
    ends = [(0, 0), (0, 0), *[(-a, -b) for a, b in zip(pads[:count], pads[count:], strict=True)]]
    return filled(whole, lambda _: ends, zero(whole))


def _line(extent: Extent, axis: int, rank: int) -> list[Extent]:
    return [extent if k == axis else 1 for k in range(rank)]


def _picking(x: Tensor, size: Sequence[int], elements: int) -> Tensor:
    """[elements, 1, block...]: a kernel for each element of a block that is 1 there alone."""
    from teenyir.frontend.arrangement import eye

    one = eye(elements, dtype=x.dtype)
    return permute_dims(one, (0, 1)).reshape((elements, 1, *size))
