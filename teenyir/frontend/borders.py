"""What is put around a tensor: a value, or elements of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Dim, Extent, merge_ranges, ranges_of, to_expr
from teenyir.frontend.elementwise import abs, add, maximum, minimum, remainder, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def around(x: Tensor, low: Sequence[Extent], high: Sequence[Extent], value: Tensor) -> Tensor:
    """A value around `x`; where a number is negative, as many elements less.

    Raises TraceError where more is taken away than there is.
    """
    fits = [fitted(*each) for each in zip(x.shape, low, high, strict=True)]
    starts, stops, before, after = zip(*fits, strict=True) if fits else ((),) * 4
    if any((a, b) != (0, n) for a, b, n in zip(starts, stops, x.shape, strict=True)):
        x = x.trace.emit(graph.SliceOp, x.value, x.trace.learn(starts), x.trace.learn(stops))
    if not any(isinstance(n, Dim) or n for n in (*before, *after)):
        return x
    filler = value.trace.broadcast(value.reshape(()), ())
    ends = x.trace.learn(before), x.trace.learn(after)
    return x.trace.emit(graph.PadOp, x.value, filler.value, *ends)


def fitted(extent: Extent, low: Extent, high: Extent) -> tuple[Extent, Extent, Extent, Extent]:
    """Which elements of an axis stay, from one to another, and how many are put before and after.

    `low` and `high` are put there or, where they are negative, taken away: what is not there is
    taken of what is put at the other end. Raises TraceError where that is not there either.
    """
    if not (_is_less(low) or _is_less(high)):
        return 0, extent, low, high
    total = extent + low + high
    if isinstance(total, int) and total < 0:
        fail(f"{-_less(low) - _less(high)} of {extent} elements cannot be taken away")
    if _is_less(low) and _is_less(high):
        return -low, extent + high, 0, 0
    if _is_less(low):
        start = _least(-low, extent)
        return start, extent, 0, total - (extent - start)
    stop = _most(extent + high, 0)
    return 0, stop, total - stop, 0


def _is_less(count: Extent) -> bool:
    return isinstance(count, int) and count < 0


def _less(count: Extent) -> int:
    """What is taken away, as a negative number."""
    return count if isinstance(count, int) and count < 0 else 0


def _least(a: Extent, b: Extent) -> Extent:
    ranges = merge_ranges(ranges_of(a), ranges_of(b))
    return Dim.of(Expr.minimum(to_expr(a), to_expr(b)), ranges)


def _most(a: Extent, b: Extent) -> Extent:
    ranges = merge_ranges(ranges_of(a), ranges_of(b))
    return Dim.of(Expr.maximum(to_expr(a), to_expr(b)), ranges)


def overhang(extent: Extent, reach: int, stride: int, low: int, high: int) -> int:
    """How far the last window reaches out where their number is rounded up.

    `low` and `high` are put around an axis, and windows span `reach`. A window that would start
    beyond the axis and what is put before it is left out. Of an extent with a name it is how far
    the last window may reach out: there are as many windows, of which the last may end before.
    """
    if not isinstance(extent, int):
        if high >= reach:
            fail(f"ceil_mode of {extent} takes less than a window of {reach} after it, got {high}")
        return min(stride, reach - high) - 1
    count = ceil((extent + low + high - reach) / stride) + 1
    if (count - 1) * stride >= extent + low:
        count -= 1
    return max((count - 1) * stride + reach - (extent + low + high), 0)


def continued(x: Tensor, axis: int, low: Extent, high: Extent, mode: str) -> Tensor:
    """An axis with elements of its own before and after it.

    The modes are numpy's: "edge", "wrap" and "reflect", there and back without the ends twice.
    Where a number is negative, so many elements less are there to begin with. Raises TraceError
    where none is left to go on with.
    """
    if _is_less(low) or _is_less(high):
        x = _shortened(x, axis, low, high)
        low, high = (0 if _is_less(n) else n for n in (low, high))
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


def _shortened(x: Tensor, axis: int, low: Extent, high: Extent) -> Tensor:
    starts, stops = [0] * x.ndim, list(x.shape)
    starts[axis], stops[axis] = -_less(low), stops[axis] + _less(high)
    left = stops[axis] - starts[axis]
    if isinstance(left, int) and left < 0:
        fail(f"{-_less(low) - _less(high)} of {x.shape[axis]} elements cannot be taken away")
    shorter = x.trace.emit(graph.SliceOp, x.value, x.trace.learn(starts), x.trace.learn(stops))
    is_longer = not (_is_less(low) and _is_less(high)) and (low, high) != (_less(low), _less(high))
    if shorter.shape[axis] == 0 and is_longer:
        fail(f"nothing is left of axis {axis} that could be continued")
    return shorter
