"""What is put around a tensor: a value, or elements of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import abs, add, maximum, minimum, remainder, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


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


def overhang(extent: Extent, reach: int, stride: int, low: int, high: int) -> int:
    """How far the last window reaches out where their number is rounded up.

    `low` and `high` are put around an axis, and windows span `reach`. A window that would start
    beyond the axis and what is put before it is left out.
    """
    if not isinstance(extent, int):
        fail(f"ceil_mode takes constant extents, got {extent}")
    count = ceil((extent + low + high - reach) / stride) + 1
    if (count - 1) * stride >= extent + low:
        count -= 1
    return max((count - 1) * stride + reach - (extent + low + high), 0)


def _is_less(count: Extent) -> bool:
    return isinstance(count, int) and count < 0


def continued(x: Tensor, axis: int, low: Extent, high: Extent, mode: str) -> Tensor:
    """An axis with elements of its own before and after it.

    The modes are numpy's: "edge", "wrap" and "reflect", there and back without the ends twice.
    """
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
