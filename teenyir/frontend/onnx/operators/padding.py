"""Elements put around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from teenyir.frontend.borders import around, continued
from teenyir.frontend.core import Array, as_tensor, normalize_axes
from teenyir.frontend.dims import Extent
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.slots import decided, require_not_negative
from teenyir.frontend.onnx.told import places_in, widened
from teenyir.frontend.onnx.values import Call, Told, extents, integers
from teenyir.frontend.tensor import Tensor

_MODES = ("constant", "reflect", "edge", "wrap")


@operator("Pad", until=10)
def pad_by_attributes(node: Node, x: Tensor) -> Tensor:
    """Around every axis, by attributes."""
    pads = node.integers("paddings" if "paddings" in node else "pads")
    value = as_tensor(node.number("value", 0.0), x.dtype)
    return _padded(node, x, pads, list(range(x.ndim)), value)


@operator("Pad", since=11, known=(1, 3), told=(1, 3))
def pad(
    node: Node,
    x: Tensor,
    pads: Array | Told,
    value: Tensor | None = None,
    axes: Array | Told | None = None,
) -> Tensor:
    """Around axes; what is negative is taken away."""
    filler = value if value is not None else _nothing(x)
    if isinstance(pads, Told) or isinstance(axes, Told):
        return _padded_as_told(node, x, pads, axes, filler)
    places = list(range(x.ndim)) if axes is None else integers(axes, "an axis")
    return _padded(node, x, extents(pads), places, filler)


def _nothing(x: Tensor) -> Tensor:
    return as_tensor(False if x.dtype.kind == "bool" else 0, x.dtype)


def _padded_as_told(
    node: Node, x: Tensor, pads: Array | Told, axes: Array | Told | None, value: Tensor
) -> Tensor:
    def widths(call: Call) -> list[tuple[int, int]]:
        places = range(x.ndim) if axes is None else places_in(call, axes, x.ndim)
        numbers: list[int] = call.array(pads).tolist()
        found = [(0, 0)] * x.ndim
        for place, low, high in zip(places, numbers, numbers[len(places) :], strict=False):
            found[place] = low, high
        if len(numbers) != 2 * len(places):
            fail(f"{len(places)} axes take {2 * len(places)} numbers, got {len(numbers)}")
        return found

    is_continued = node.text("mode", "constant") != "constant"
    return widened(x, widths, partial(_put, node, value=value), is_continued)


def _put(
    node: Node, x: Tensor, low: Sequence[Extent], high: Sequence[Extent], value: Tensor
) -> Tensor:
    mode = node.choice("mode", "constant", _MODES)
    if mode == "constant":
        return around(x, low, high, value)
    for axis in range(x.ndim):
        x = continued(x, axis, low[axis], high[axis], mode)
    return x


def _padded(
    node: Node, x: Tensor, pads: Sequence[Extent], axes: Sequence[int], value: Tensor
) -> Tensor:
    if len(pads) != 2 * len(axes):
        fail(f"{len(axes)} axes take {2 * len(axes)} numbers, got {len(pads)}")
    mode = node.text("mode", "constant")
    low: list[Extent] = [0] * x.ndim
    high: list[Extent] = [0] * x.ndim
    for k, place in enumerate(normalize_axes(axes, x.ndim)):
        low[place], high[place] = pads[k], pads[len(axes) + k]
        require_not_negative(x.shape[place] + low[place] + high[place])
        ends = [n for n in (low[place], high[place]) if isinstance(n, int)]
        if min(ends, default=0) < 0 < max(ends, default=0) and mode != "constant":
            require_not_negative(x.shape[place] + min(ends) - 1)
    return _put(node, x, low, high, value)


@operator("CenterCropPad", since=18, known=(1,), told=(1,))
def center_crop_pad(node: Node, x: Tensor, shape: Array | Told) -> None:
    """As ONNX defines it, to extents that are not negative."""
    if isinstance(shape, Told):
        decided([], lambda call: _check(call.array(shape).tolist()))
    else:
        found = extents(shape)
        _check([extent for extent in found if isinstance(extent, int)])
        for extent in found:
            require_not_negative(extent)


def _check(shape: Sequence[int]) -> tuple[()]:
    for extent in shape:
        if extent < 0:
            fail(f"the extent {extent} that is to be cut or filled to is negative")
    return ()
