"""Elements put around a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from teenyir.dialects import graph
from teenyir.frontend.core import Array, as_tensor, normalize_axis
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import abs, add, maximum, minimum, remainder, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
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
        x = _continued(x, axis, low[axis], high[axis], mode)
    return x


def around(x: Tensor, low: Sequence[Extent], high: Sequence[Extent], value: Tensor) -> Tensor:
    """A value around `x`; where a number is negative, as many elements less."""
    cuts = [
        slice(-a if _is_less(a) else 0, b if _is_less(b) else None)
        for a, b in zip(low, high, strict=True)
    ]
    if any(cut != slice(0, None) for cut in cuts):
        x = x[tuple(cuts)]
    before, after = ([0 if _is_less(n) else n for n in side] for side in (low, high))
    if not any(isinstance(n, int) is False or n for n in (*before, *after)):
        return x
    filler = value.trace.broadcast(value.reshape(()), ())
    ends = x.trace.learn(before), x.trace.learn(after)
    return x.trace.emit(graph.PadOp, x.value, filler.value, *ends)


def _is_less(count: Extent) -> bool:
    return isinstance(count, int) and count < 0


def _continued(x: Tensor, axis: int, low: Extent, high: Extent, mode: str) -> Tensor:
    """An axis with elements of its own before and after it."""
    if (low, high) == (0, 0):
        return x
    extent = x.shape[axis]
    last = subtract(as_tensor(extent), 1)
    place = subtract(arange(low + extent + high), as_tensor(low))
    if mode == "edge":
        place = minimum(maximum(place, 0), last)
    elif mode == "wrap":
        place = remainder(place, add(last, 1))
    else:  # there and back: 0 1 2 1 0 1 2 ...
        period = maximum(add(last, last), 1)
        place = remainder(place, period)
        place = subtract(last, abs(subtract(place, last)))
    return take(x, place, axis=axis)
