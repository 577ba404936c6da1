"""Elements put around a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from teenyir.frontend.borders import around, continued
from teenyir.frontend.core import Array, as_tensor, normalize_axis
from teenyir.frontend.dims import Extent
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.values import extents, integers
from teenyir.frontend.tensor import Tensor

_MODES = ("constant", "reflect", "edge", "wrap")


@operator("Pad", until=10)
def pad_by_attributes(node: Node, x: Tensor) -> Tensor:
    """Around every axis, by attributes."""
    pads = node.integers("paddings" if "paddings" in node else "pads")
    value = as_tensor(node.number("value", 0.0), x.dtype)
    return _padded(node, x, pads, list(range(x.ndim)), value)


@operator("Pad", since=11, known=(1, 3))
def pad(
    node: Node, x: Tensor, pads: Array, value: Tensor | None = None, axes: Array | None = None
) -> Tensor:
    """Around axes; what is negative is taken away."""
    places = list(range(x.ndim)) if axes is None else integers(axes, "an axis")
    filler = value if value is not None else _nothing(x)
    return _padded(node, x, extents(pads), places, filler)


def _nothing(x: Tensor) -> Tensor:
    return as_tensor(False if x.dtype.kind == "bool" else 0, x.dtype)


def _padded(
    node: Node, x: Tensor, pads: Sequence[Extent], axes: Sequence[int], value: Tensor
) -> Tensor:
    if len(pads) != 2 * len(axes):
        fail(f"{len(axes)} axes take {2 * len(axes)} numbers, got {len(pads)}")
    low: list[Extent] = [0] * x.ndim
    high: list[Extent] = [0] * x.ndim
    for k, axis in enumerate(axes):
        place = normalize_axis(axis, x.ndim)
        low[place], high[place] = pads[k], pads[len(axes) + k]
    mode = node.choice("mode", "constant", _MODES)
    if mode == "constant":
        return around(x, low, high, value)
    for axis in range(x.ndim):
        x = continued(x, axis, low[axis], high[axis], mode)
    return x
