"""Branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from teenyir.diagnostics import InputError
from teenyir.dialects import dtypes
from teenyir.frontend.control import cond, while_loop
from teenyir.frontend.core import TensorBase, as_tensor, current, normalize_axis
from teenyir.frontend.creation import zeros
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, less, logical_and
from teenyir.frontend.errors import TraceError, fail
from teenyir.frontend.movement import flip, moveaxis, stack
from teenyir.frontend.onnx.nodes import Body, Node, UnknownInput
from teenyir.frontend.onnx.operators.looping import at, from_behind, looped, probed, written
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.told import told_extent
from teenyir.frontend.onnx.values import Bounded, Told, UnknownExtent, Value, integer, lifted
from teenyir.frontend.tensor import Tensor

MOST_UNROLLED = 16
"""Iterations of a loop of known course that are written out; their numbers are then known."""

MOST_TRIPS = 2**32
"""Iterations that a loop may be known to make: with more it comes to no end."""


@operator("If")
def if_(node: Node, condition: Tensor) -> list[Value]:
    """One of two graphs.

    Where one of them cannot be made for these extents, or they do not give the same ones, it has
    to be known which is meant.
    """
    then, otherwise = node.body("then_branch"), node.body("else_branch")
    held = node.inputs[0]
    if isinstance(held, np.ndarray):
        return (then if bool(held.reshape(-1)[0]) else otherwise)([])
    kinds: list[list[str]] = []

    def side(body: Body) -> list[Tensor]:
        found = _tensors(body([]))
        kinds.append([str(tensor.dtype) for tensor in found])
        if kinds[0] != kinds[-1]:
            one, other = (", ".join(each) for each in (kinds[0], kinds[-1]))
            raise InputError(f"one of its graphs gives {one}, the other {other}")
        return found

    try:
        results = cond(condition.reshape(()), lambda: side(then), lambda: side(otherwise))
    except (UnknownInput, UnknownExtent):
        raise
    except TraceError as problem:
        _demand_instead(node, problem)
    return list(results)


def _demand_instead(node: Node, problem: TraceError) -> NoReturn:
    """Ask for the input of the model that decides, or else say what is wrong with a branch."""
    try:
        node.demand(0)
    except UnknownInput:
        raise
    except TraceError:
        raise problem from None
    raise problem


def _tensors(values: Sequence[Value]) -> list[Tensor]:
    """Values that a region gives."""
    found: list[Tensor] = []
    for value in values:
        if value is None or isinstance(value, Bounded):
            fail("a graph in a graph gives a value whose extents depend on data, or none")
        found.append(lifted(value))
    return found


@operator("Loop", told=(0,))
def loop(
    node: Node, trips: Tensor | Told | None, condition: Tensor | None, *carried: Tensor
) -> list[Value]:
    """A graph again and again: so many times, and while a condition holds.

    What each iteration adds is stacked. That takes the number of trips to be known; where the
    condition ends it earlier, what was not reached is left out.
    """
    body = node.body("body")
    outputs = len(node.graph("body").output) - 1
    if isinstance(trips, Told):
        return _told_loop(node, body, trips, condition, carried, outputs)
    if outputs == len(carried):
        if not _is_known_course(node):
            return _carried_on(node, body, trips, condition, carried)
    elif trips is None:
        fail("a loop that stacks what its iterations give takes a number of trips")
    else:
        node.demand(0)
        if isinstance(node.inputs[1], TensorBase):
            node.demand(1)
    limit = _trips(node)
    if _is_known_course(node) and limit is not None and limit <= MOST_UNROLLED:
        written_out = _unrolled(node, body, limit, carried)
        if written_out is not None:
            return written_out
    if outputs == len(carried):
        return _carried_on(node, body, trips, condition, carried)
    if limit is None:
        fail("a loop that stacks what its iterations give takes a number of trips")
    state, rooms, count = _stacking(node, body, limit, condition, carried)
    return [*state, *[Bounded(room, {0: count}) for room in rooms]]


def _carried_on(
    node: Node,
    body: Body,
    trips: Tensor | None,
    condition: Tensor | None,
    carried: Sequence[Tensor],
) -> list[Value]:
    """What a loop that stacks nothing carries in the end.

    Where it does not carry on what it takes (a tensor grows), the number of trips has to be known.
    """
    try:
        return list(_while(node, body, trips, condition, carried)[0])
    except (UnknownInput, UnknownExtent):
        raise
    except TraceError as problem:
        _demand_instead(node, problem)


def _told_loop(
    node: Node,
    body: Body,
    trips: Told,
    condition: Tensor | None,
    carried: Sequence[Tensor],
    outputs: int,
) -> list[Value]:
    """A loop of which each call says how many trips it makes at most."""
    if outputs == len(carried):
        return list(_while(node, body, trips.tensor, condition, carried)[0])
    limit = told_extent("trips", lambda call: max(0, int(call.array(trips).reshape(()))))
    state, rooms, count = _stacking(node, body, limit, condition, carried)
    return [*state, *[Bounded(room, {0: count}) for room in rooms]]


def _is_known_course(node: Node) -> bool:
    return all(not isinstance(value, TensorBase) for value in node.inputs[:2]) and (
        node.inputs[0] is not None
    )


def _trips(node: Node) -> int | None:
    held = node.inputs[0]
    return integer(held, "the number of trips") if isinstance(held, np.ndarray) else None


def _unrolled(node: Node, body: Body, limit: int, carried: Sequence[Tensor]) -> list[Value] | None:
    """Every iteration by itself, its number known; None where data decides whether it goes on."""
    go_on: Value = node.inputs[1] if node.inputs[1] is not None else np.array(True)
    state: list[Value] = list(carried)
    shares: list[list[Tensor]] = []
    for trip in range(limit):
        if not isinstance(go_on, np.ndarray):
            return None
        if not bool(go_on.reshape(-1)[0]):
            break
        go_on, *rest = body([np.array(trip, np.int64), go_on, *state])
        state = rest[: len(carried)]
        shares.append(_tensors(rest[len(carried) :]))
    if not shares:
        rooms = _types(body, carried, True)[1]
        return [*state, *[zeros((0, *room.shape), dtype=room.dtype) for room in rooms]]
    return [*state, *[stack(each) for each in zip(*shares, strict=True)]]


def _types(
    body: Body, carried: Sequence[Tensor], is_written_out: bool
) -> tuple[list[Tensor], list[Tensor]]:
    """What an iteration carries on and adds, for their dtypes and extents."""

    def step(i: Tensor, state: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        first: Value = np.array(0) if is_written_out else i
        _, *rest = _tensors(body([first, np.array(True), *state]))
        return rest[: len(carried)], rest[len(carried) :]

    return probed(current(), step, carried)


def _while(
    node: Node,
    body: Body,
    trips: Tensor | None,
    condition: Tensor | None,
    carried: Sequence[Tensor],
    rooms: Sequence[Tensor] = (),
) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """What is carried in the end, the rooms filled, and how many iterations there were."""
    start = as_tensor(True) if condition is None else condition.reshape(())
    limit = None if trips is None else trips.reshape(())
    first = as_tensor(0, dtypes.INT64 if limit is None else limit.dtype)

    def goes_on(state: tuple[Tensor, Tensor, list[Tensor], list[Tensor]]) -> Tensor:
        i, again = state[:2]
        return again if limit is None else logical_and(again, less(i, limit))

    def step(state: tuple[Tensor, Tensor, list[Tensor], list[Tensor]]) -> object:
        i, again, now, filled = state
        values = body([i, again, *now])
        _check_end(node, again, values[0])
        after, *rest = _tensors(values)
        shares = rest[len(carried) :]
        new = [written(room, share, i) for room, share in zip(filled, shares, strict=True)]
        return add(i, 1), after.reshape(()), rest[: len(carried)], new

    found = while_loop(goes_on, step, (first, start, list(carried), list(rooms)))
    return found[2], found[3], found[0]


def _check_end(node: Node, again: Tensor, after: Value) -> None:
    """Raise where it is known that a loop goes on for as good as ever."""
    start, limit = node.inputs[1], _trips(node)
    if start is not None and not (isinstance(start, np.ndarray) and start.all()):
        return  # there may be no iteration at all
    goes_on = after.all() if isinstance(after, np.ndarray) else after is again
    if goes_on and node.inputs[0] is None:
        fail("nothing ends the loop: it has no number of trips, and its condition stays true")
    if goes_on and limit is not None and limit > MOST_TRIPS:
        fail(f"the loop comes to no end: {limit} trips, and its condition stays true")


def _stacking(
    node: Node, body: Body, limit: Extent, condition: Tensor | None, carried: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor], Tensor]:
    shares = _types(body, carried, False)[1]
    rooms = [zeros((limit, *share.shape), dtype=share.dtype) for share in shares]
    trips = as_tensor(limit, dtypes.INT64)
    return _while(node, body, trips, condition, carried, rooms)


@operator("Scan", until=8)
def scan_of_batch(node: Node, lengths: Tensor | None, *values: Tensor) -> list[Value]:
    """A graph along the second axis, for each of the batch by itself."""
    if lengths is not None:
        fail("a scan with lengths is not supported; convert the model to a newer version")
    if not values or not all(value.ndim for value in values):
        fail("takes values of which the first axis is the batch")
    batch = values[0].shape[0]
    if not isinstance(batch, int):
        fail(f"a scan takes a constant number in the batch, got {batch}")
    count = node.integer("num_scan_inputs")
    backward = node.integers("directions", [0] * count)
    body = node.body("body")
    found = [
        _scanned(body, [value[k] for value in values], count, backward, [0] * count)
        for k in range(batch)
    ]
    return [stack(list(each)) for each in zip(*found, strict=True)]


@operator("Scan", since=9)
def scan(node: Node, *values: Tensor) -> list[Value]:
    """A graph along an axis of some inputs, carrying others."""
    count = node.integer("num_scan_inputs")
    carried = len(values) - count
    results = len(node.graph("body").output) - carried
    axes = node.integers("scan_input_axes", [0] * count)
    backward = node.integers("scan_input_directions", [0] * count)
    found = _scanned(node.body("body"), values, count, backward, axes)
    stacked = found[carried:]
    out_axes = node.integers("scan_output_axes", [0] * results)
    out_backward = node.integers("scan_output_directions", [0] * results)
    for k, (axis, is_backward) in enumerate(zip(out_axes, out_backward, strict=True)):
        each = flip(stacked[k], axis=0) if is_backward else stacked[k]
        stacked[k] = moveaxis(each, 0, axis)
    return [*found[:carried], *stacked]


def _scanned(
    body: Body, values: Sequence[Tensor], count: int, backward: Sequence[int], axes: Sequence[int]
) -> list[Tensor]:
    """What is carried in the end, then what the steps give along a new first axis."""
    if not 0 < count <= len(values) or not len(backward) == len(axes) == count:
        fail(f"a scan of {count} of its {len(values)} inputs, with {len(axes)} axes")
    carried, scanned = values[: len(values) - count], values[len(values) - count :]
    axes = [normalize_axis(axis, x.ndim) for axis, x in zip(axes, scanned, strict=True)]
    length = scanned[0].shape[axes[0]]

    def step(i: Tensor, state: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        places = [from_behind(length, i) if each else i for each in backward]
        parts = [at(x, p, a) for x, p, a in zip(scanned, places, axes, strict=True)]
        results = _tensors(body([*state, *parts]))
        return results[: len(carried)], results[len(carried) :]

    after, stacked = looped(current(), length, step, carried)
    return [*after, *stacked]
