"""What operators do where each call tells axes, bounds and extents: see `slots`.

A tensor is then looked at under extents that are names. Whatever the axes are of a reduction, it is
one along the second axis of [before, along, after], and what these are the call works out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.borders import around, fitted
from teenyir.frontend.core import Array, as_tensor, normalize_axes
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, multiply, subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.movement import move
from teenyir.frontend.onnx.slots import decided, promise_zero
from teenyir.frontend.onnx.values import Call, Told
from teenyir.frontend.tensor import Tensor

Given: TypeAlias = "Told | Array | None"


def numbered(count: int) -> list[str]:
    """Labels for the extents of a tensor."""
    return [str(k) for k in range(count)]


def told_extents(told: Told, least: int = 0) -> list[Extent]:
    """The elements of a vector, or a number, as extents."""

    def rule(call: Call) -> list[int]:
        return [int(each) for each in call.array(told).reshape(-1)]

    return decided(numbered(told.size), rule, least)


def told_extent(label: str, work_out: Callable[[Call], int], least: int = 0) -> Extent:
    """One extent that a call works out."""
    (found,) = decided([label], lambda call: [work_out(call)], least)
    return found


# --- views ----------------------------------------------------------------------------------------


def viewed(x: Tensor, shape: Sequence[Extent]) -> Tensor:
    """`x` under extents that multiply to as many elements in every call, which is promised."""
    wanted = x.trace.learn(shape)
    missing = Expr.product(wanted) - Expr.product(x.extents)
    if missing != Expr.of(0) and not promise_zero(missing):
        fail(f"{x!r} cannot be seen as ({', '.join(map(str, shape))})")
    return first_elements(x, wanted)


def first_elements(x: Tensor, extents: Sequence[Expr]) -> Tensor:
    """The first elements of `x` under extents."""
    total, count = Expr.product(x.extents), Expr.product(extents)
    if total == count:
        return move(x, extents)
    flat = move(x, [total])
    part = x.trace.emit(graph.SliceOp, flat.value, [0], [count])
    return move(part, extents)


def along(x: Tensor, axes: Told, combine: Callable[[Tensor, tuple[int, ...]], Tensor]) -> Tensor:
    """What `combine` makes of the axes that are told, the extents of the others kept.

    It is given a view of `x` in which these axes and what lies between them take turns, and the
    numbers of the axes in it; the result has the same rank.
    """
    count = axes.size
    labels = [f"{what}_{k}" for k in range(count) for what in ("before", "along")]

    def segments(call: Call) -> list[int]:
        own = _own(x, call)
        found, start = list[int](), 0
        for place in sorted(places_in(call, axes, x.ndim)):
            found += [prod(own[start:place]), own[place]]
            start = place + 1
        return [*found, prod(own[start:])]

    view = viewed(x, decided([*labels, "after"], segments))
    return combine(view, tuple(range(1, 2 * count, 2)))


def with_ones(x: Tensor, axes: Told, like: Tensor) -> Tensor:
    """`x` under the extents of another tensor, those of the axes that are told being 1."""

    def rule(call: Call) -> list[int]:
        places = places_in(call, axes, like.ndim)
        return [1 if k in places else own for k, own in enumerate(_own(like, call))]

    return viewed(x, decided(numbered(like.ndim), rule))


def without_axes(x: Tensor, axes: Told, like: Tensor | None = None) -> Tensor:
    """`x` under the extents of another tensor (or its own) but those of the axes that are told.

    Of `x` itself these have to be 1.
    """
    source = x if like is None else like

    def rule(call: Call) -> list[int]:
        places, own = places_in(call, axes, source.ndim), _own(source, call)
        if like is None and any(own[place] != 1 for place in places):
            fail("an axis that is dropped is not 1")
        return [extent for k, extent in enumerate(own) if k not in places]

    return viewed(x, decided(numbered(source.ndim - axes.size), rule))


def with_axes(x: Tensor, axes: Told) -> Tensor:
    """`x` with new axes of extent 1."""
    rank = x.ndim + axes.size

    def rule(call: Call) -> list[int]:
        places, own = places_in(call, axes, rank), iter(_own(x, call))
        return [1 if k in places else next(own) for k in range(rank)]

    return viewed(x, decided(numbered(rank), rule))


def places_in(call: Call, axes: Told | Array, rank: int) -> tuple[int, ...]:
    """The axes that a call names, counted from the front. Raises TraceError on a wrong one."""
    return normalize_axes(call.array(axes).reshape(-1).tolist(), rank)


def _own(x: Tensor, call: Call) -> list[int]:
    return [call.extent(extent) for extent in x.shape]


# --- parts ----------------------------------------------------------------------------------------


def cut(x: Tensor, starts: Given, ends: Given, axes: Given, steps: Given) -> Tensor:
    """The part from `starts` to `ends` along axes, in steps: as `Slice` has these."""
    whole = x
    is_plain = steps is None or (not isinstance(steps, Told) and all(n == 1 for n in steps.flat))

    def bounds(call: Call) -> list[tuple[int, int, int]]:
        """By axis, the first index, how many are taken, and in which steps."""
        first, last = _numbers(call, starts), _numbers(call, ends)
        places = range(len(first)) if axes is None else places_in(call, axes, whole.ndim)
        strides = [1] * len(first) if steps is None else _numbers(call, steps)
        found = [(0, extent, 1) for extent in _own(whole, call)]
        for place, start, end, step in zip(places, first, last, strides, strict=True):
            found[place] = _bounds(start, end, step, found[place][1])
        return found

    if is_plain:
        labels = [f"{what}_{k}" for what in ("start", "stop") for k in range(x.ndim)]
        found = decided(labels, lambda call: _ends(bounds(call)))
        learned = x.trace.learn(found)
        return x.trace.emit(graph.SliceOp, x.value, learned[: x.ndim], learned[x.ndim :])
    for axis in range(x.ndim):
        x = _in_steps(x, axis, bounds)
    return x


def _numbers(call: Call, given: Given) -> list[int]:
    assert given is not None
    return call.array(given).reshape(-1).tolist()


def _bounds(start: int, end: int, step: int, extent: int) -> tuple[int, int, int]:
    if not step:
        fail("a step is 0")
    places = range(*slice(start, end, step).indices(extent))
    return (places.start if places else 0), len(places), step


def _ends(bounds: Sequence[tuple[int, int, int]]) -> list[int]:
    """Where the parts start, and then where they stop."""
    starts = [start for start, _, _ in bounds]
    return [*starts, *[start + count for start, count, _ in bounds]]


def _in_steps(
    x: Tensor, axis: int, bounds: Callable[[Call], Sequence[tuple[int, int, int]]]
) -> Tensor:
    """The elements along one axis that are taken, in steps up or down."""

    def rule(call: Call) -> list[int]:
        start, count, step = bounds(call)[axis]
        return [start, count, max(step, 0), max(-step, 0)]

    labels = [f"{what}_{axis}" for what in ("start", "count", "up", "down")]
    start, count, up, down = decided(labels, rule)
    step = subtract(as_tensor(up), as_tensor(down))
    return take(x, add(as_tensor(start), multiply(arange(count), step)), axis=axis)


# --- borders --------------------------------------------------------------------------------------

Widths: TypeAlias = Callable[[Call], Sequence[tuple[int, int]]]
"""By axis, how much is put before and after it; what is negative is taken away."""


def widened(
    x: Tensor,
    widths: Widths,
    put: Callable[[Tensor, list[Extent], list[Extent]], Tensor],
    is_continued: bool = False,
) -> Tensor:
    """`x` with as much taken away at both ends of each axis, or put there, as a call says.

    What is put there `is_continued` where it takes an element that is left.
    """
    rank = x.ndim

    def rule(call: Call) -> list[int]:
        fits = list[tuple[int, ...]]()
        for own, each in zip(_own(x, call), widths(call), strict=True):
            start, stop, low, high = map(call.extent, fitted(own, *each))
            if is_continued and start == stop and (low or high):
                fail("nothing is left of an axis that could be continued")
            fits.append((start, stop - start, low, high))
        return [side[k] for k in range(4) for side in fits]

    labels = [f"{what}_{k}" for what in ("start", "kept", "low", "high") for k in range(rank)]
    found = decided(labels, rule)
    start, kept, low, high = (found[k * rank : (k + 1) * rank] for k in range(4))
    first, count = x.trace.learn(start), x.trace.learn(kept)
    stop = [a + n for a, n in zip(first, count, strict=True)]
    part = x.trace.emit(graph.SliceOp, x.value, first, stop)
    return put(part, low, high)


def filled(x: Tensor, widths: Widths, value: Tensor) -> Tensor:
    """`x` with a value put around it."""
    return widened(x, widths, lambda part, low, high: around(part, low, high, value))
