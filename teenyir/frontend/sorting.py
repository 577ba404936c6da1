"""Elements in order, under the array API's names and numpy's.

NaN comes last, and first where the greatest do; equal elements stay in their order, always. Zeros
of both signs are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from teenyir.analysis.bounds import bounds
from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, normalize_axis, promoted
from teenyir.frontend.creation import full
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import (
    add,
    equal,
    isnan,
    less,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, gather, joined
from teenyir.frontend.movement import move
from teenyir.frontend.reductions import sum
from teenyir.frontend.scans import scan

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

MOST_BITS = 48
"""Of the number of elements of a tensor: what processors can address."""


def _places(x: Tensor, axis: int) -> Tensor:
    """The index along an axis, int64."""
    wide = x.trace.broadcast(x.trace.constant(0, dtypes.INT64), x.extents)
    return counted(wide, axis)


def _sorted(
    keys: Sequence[Tensor],
    others: Sequence[Tensor],
    axis: int,
    descending: bool = False,
    first: Expr | None = None,
) -> list[Tensor]:
    """Tensors of equal extents in the order of the keys, the first one deciding first."""
    for key in keys:
        if key.dtype.storage:
            fail(f"{key.dtype} is for storage, and has no order: cast before")
    values = [tensor.value for tensor in (*keys, *others)]
    return keys[0].trace.insert(graph.SortOp(values, axis, len(keys), descending, first))


@checked
def sort(
    x: ArrayLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """The elements along an axis in ascending order or, `descending`, from the greatest on.

    It is stable, whatever `stable` says.
    """
    tensor = as_tensor(x)
    return _sorted([tensor], [], normalize_axis(axis, tensor.ndim), descending)[0]


@checked
def argsort(
    x: ArrayLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """Where each element of `sort` stands along the axis, int64. It is stable in any case."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    return _sorted([tensor], [_places(tensor, place)], place, descending)[1]


@checked
def lexsort(keys: Sequence[ArrayLike], /, *, axis: int = -1) -> Tensor:
    """The indices that sort along an axis by several keys of equal extents, the last one first."""
    tensors = [as_tensor(key) for key in reversed(keys)]
    if not tensors:
        fail("lexsort takes one key at least")
    if any(tensor.extents != tensors[0].extents for tensor in tensors):
        fail("the keys of lexsort are to have equal extents")
    place = normalize_axis(axis, tensors[0].ndim)
    return _sorted(tensors, [_places(tensors[0], place)], place)[-1]


@checked
def top_k(
    x: ArrayLike, k: Extent, /, *, axis: int = -1, largest: bool = True
) -> tuple[Tensor, Tensor]:
    """The `k` greatest elements along an axis, from the greatest on, and their indices, int64.

    With `largest=False` the least ones. Of equal elements the first ones are taken. `k` is to be no
    more than the extent, for every value of the names in it.
    """
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    (count,) = tensor.trace.learn([k])
    extent = tensor.extents[place]
    room = bounds(extent - count, tensor.trace.ranges).low
    if room is None or room < 0:
        fail(f"the top {count} of {extent} elements: not for every value are there so many")
    values, indices = _sorted([tensor], [_places(tensor, place)], place, largest, count)
    return values, indices


# --- in what is sorted ----------------------------------------------------------------------------


def _comes_before(a: Tensor, b: Tensor) -> Tensor:
    """Whether an element is sorted before another that it is not equal to."""
    found = less(a, b)
    if a.dtype.kind != "float":
        return found
    return logical_or(found, logical_and(isnan(b), logical_not(isnan(a))))


@checked
def searchsorted(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> Tensor:
    """Where in a sorted vector `x1` the values of `x2` would go, int64: before equal ones or, with
    the side "right", after them. `sorter` holds the indices that sort `x1`."""
    if sorter is not None:
        x1 = _in_order(as_tensor(x1), as_tensor(sorter))
    vector, values = promoted(x1, x2)
    if vector.ndim != 1:
        fail(f"searchsorted takes a vector, got {graph.as_text(vector.extents)}")
    most = bounds(vector.extents[0], vector.trace.ranges).high
    bits = MOST_BITS if most is None else most.bit_length()
    there = vector.trace.constant(1, dtypes.BOOL, vector.extents)
    found = vector.trace.constant(0, dtypes.INT64, values.extents)
    # bit by bit from the highest on: whether so many elements and more go before the value
    for bit in reversed(range(bits)):
        longer = add(found, 1 << bit)
        last = [subtract(longer, 1)]
        element = gather(vector, last, (0,))
        if side == "left":
            before = _comes_before(element, values)
        else:
            before = logical_not(_comes_before(values, element))
        found = where(logical_and(gather(there, last, (0,)), before), longer, found)
    return found


def _in_order(x: Tensor, sorter: Tensor) -> Tensor:
    """A vector with its elements in the order of the indices that sort it."""
    if x.extents != sorter.extents:
        given, needed = (graph.as_text(tensor.extents) for tensor in (sorter, x))
        fail(f"searchsorted takes a sorter with an index for each element: {given} of {needed}")
    return x[sorter]


# --- each value once ------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """What `unique_all` finds."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What `unique_counts` finds."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What `unique_inverse` finds."""

    values: Tensor
    inverse_indices: Tensor


class _Groups:
    """The elements of a tensor in order, and which of them are equal."""

    def __init__(self, x: ArrayLike, size: Extent | None) -> None:
        self.x = as_tensor(x)
        total = Expr.product(self.x.extents)
        self.room = Dim.of(total, self.x.trace.ranges) if size is None else size
        flat = move(self.x, [total])
        places = _places(flat, 0)
        self.ordered, self.origin = _sorted([flat], [places], 0)
        before = gather(self.ordered, [subtract(places, 1)], (0,))
        # NaN differs from NaN, and so is there as often as it is in `x`
        self.starts = logical_or(equal(places, 0), not_equal(self.ordered, before))
        running = scan("add", cast_to(self.starts, dtypes.INT64), axis=0)
        self.number = subtract(running, 1)
        self.count = sum(self.starts)

    def of_each(self, values: Tensor, fill: int = 0) -> Tensor:
        """For each group the value that goes with its first element."""
        return self._placed("set", where(self.starts, self.number, -1), values, fill)

    def counts(self) -> Tensor:
        """How many elements each group has."""
        ones = self.x.trace.constant(1, dtypes.INT64, self.number.extents)
        return self._placed("add", self.number, ones, 0)

    def inverse(self) -> Tensor:
        """For each element of `x` the number of its group."""
        empty = self.x.trace.constant(0, dtypes.INT64, self.number.extents)
        return move(_scattered("set", empty, self.origin, self.number), self.x.extents)

    def _placed(self, kind: str, places: Tensor, values: Tensor, fill: int) -> Tensor:
        number = bool(fill) if values.dtype.kind == "bool" else fill
        empty = full((self.room,), number, dtype=values.dtype)
        return _scattered(kind, empty, places, values)  # -1 and what has no room is dropped


def _scattered(kind: str, target: Tensor, places: Tensor, values: Tensor) -> Tensor:
    indices = joined([places]).value
    return target.trace.emit(graph.ScatterOp, kind, target.value, indices, values.value, (0,))


@checked
def unique_values(
    x: ArrayLike, /, *, size: Extent | None = None, fill_value: int = 0
) -> tuple[Tensor, Tensor]:
    """The different elements of `x`, in order, and how many there are.

    A compiled program has no room for a number of elements that it does not know: the result has
    `size`, as many as `x` unless said otherwise. Those after the last one found are `fill_value`,
    and what there is beyond `size` is left out; the count says. NaN is different from NaN.
    """
    groups = _Groups(x, size)
    return groups.of_each(groups.ordered, fill_value), groups.count


@checked
def unique_counts(
    x: ArrayLike, /, *, size: Extent | None = None, fill_value: int = 0
) -> tuple[UniqueCounts, Tensor]:
    """As `unique_values`, with how often each is there, int64."""
    groups = _Groups(x, size)
    found = groups.of_each(groups.ordered, fill_value)
    return UniqueCounts(found, groups.counts()), groups.count


@checked
def unique_inverse(
    x: ArrayLike, /, *, size: Extent | None = None, fill_value: int = 0
) -> tuple[UniqueInverse, Tensor]:
    """As `unique_values`, with the index among these of each element of `x`, int64."""
    groups = _Groups(x, size)
    found = groups.of_each(groups.ordered, fill_value)
    return UniqueInverse(found, groups.inverse()), groups.count


@checked
def unique_all(
    x: ArrayLike, /, *, size: Extent | None = None, fill_value: int = 0
) -> tuple[UniqueAll, Tensor]:
    """As `unique_values`, with where each is in the flattened `x` first, and what `unique_inverse`
    and `unique_counts` tell, int64."""
    groups = _Groups(x, size)
    found = groups.of_each(groups.ordered, fill_value)
    first = groups.of_each(groups.origin)
    return UniqueAll(found, first, groups.inverse(), groups.counts()), groups.count
