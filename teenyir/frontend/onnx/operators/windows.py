"""Where windows lie on spatial axes: strides, dilations, and what is put around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from teenyir.dialects import graph
from teenyir.frontend.borders import around, overhang
from teenyir.frontend.core import as_tensor
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor

_AUTO = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


@dataclass(frozen=True)
class Windows:
    """Windows that slide over the spatial axes of [batch, channels, spatial...]."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    over: tuple[int, ...]
    """How far the last window reaches beyond what is put after an axis."""

    def pairs(self) -> list[tuple[int, int]]:
        """What is put before and after each axis."""
        return list(zip(self.low, self.high, strict=True))

    def of(self, x: Tensor, value: Tensor, outside: Tensor | None = None) -> Tensor:
        """The windows of `x`, their elements along trailing axes.

        `value` is put around `x`, and `outside` (or the same) where a window reaches beyond that.
        """
        padded = around(x, (0, 0, *self.low), (0, 0, *self.high), value)
        far = value if outside is None else outside
        padded = around(padded, (0, 0, *[0] * len(self.size)), (0, 0, *self.over), far)
        return padded.trace.emit(
            graph.WindowOp,
            padded.value,
            tuple(range(2, x.ndim)),
            self.size,
            self.stride,
            self.dilation,
        )


def windows_of(node: Node, x: Tensor, size: Sequence[int]) -> Windows:
    """What the attributes of a node say of its windows."""
    count = x.ndim - 2
    if count < 1 or len(size) != count:
        fail(f"takes [batch, channels, spatial...] and windows of as many axes, got {x!r}, {size}")
    stride = _positive("strides", node.integers("strides", [1] * count), count)
    dilation = _positive("dilations", node.integers("dilations", [1] * count), count)
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilation, strict=True)]
    low, high = _pads(node, x, reach, stride)
    over = [0] * count
    if "ceil_mode" in node and node.flag("ceil_mode"):
        over = [
            overhang(x.shape[2 + k], reach[k], stride[k], low[k], high[k]) for k in range(count)
        ]
    return Windows(tuple(size), stride, dilation, tuple(low), tuple(high), tuple(over))


def _positive(name: str, values: Sequence[int], count: int) -> tuple[int, ...]:
    if len(values) != count or any(value < 1 for value in values):
        fail(f"the attribute {name} is {count} positive numbers, got {list(values)}")
    return tuple(values)


def _pads(
    node: Node, x: Tensor, reach: Sequence[int], stride: Sequence[int]
) -> tuple[list[int], list[int]]:
    """What is put before and after each axis, given or such that extents are `n / stride`."""
    count = len(reach)
    auto = node.choice("auto_pad", "NOTSET", _AUTO)
    if auto == "VALID":
        return [0] * count, [0] * count
    if auto == "NOTSET":
        pads = node.integers("pads", [0] * (2 * count))
        if len(pads) != 2 * count:
            fail(f"the attribute pads is {2 * count} numbers, got {pads}")
        return pads[:count], pads[count:]
    low, high = [0] * count, [0] * count
    for k in range(count):
        extent = x.shape[2 + k]
        if isinstance(extent, int):
            total = max((ceil(extent / stride[k]) - 1) * stride[k] + reach[k] - extent, 0)
        elif stride[k] == 1:
            total = reach[k] - 1
        else:
            fail(f"auto_pad of the extent {extent} with stride {stride[k]} depends on the call")
        half = total // 2
        low[k], high[k] = (half, total - half) if auto == "SAME_UPPER" else (total - half, half)
    return low, high


def zero(x: Tensor) -> Tensor:
    """Zero in the dtype of `x`."""
    return as_tensor(0, x.dtype)
