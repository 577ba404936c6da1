"""A loop over steps that carries values and stacks what each step gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block

from teenyir.dialects import dtypes, graph
from teenyir.frontend.control import fori_loop
from teenyir.frontend.core import Trace, as_tensor, cast_to
from teenyir.frontend.creation import zeros
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import dynamic_update_slice, take
from teenyir.frontend.movement import expand_dims
from teenyir.frontend.tensor import Tensor

Step = Callable[[Tensor, "list[Tensor]"], "tuple[list[Tensor], list[Tensor]]"]
"""Takes the number of the step and what is carried; gives what is carried on, and its share."""


def looped(
    trace: Trace, count: Extent, step: Step, carried: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """What is carried in the end, and the shares of the steps along a new first axis.

    Raises TraceError where a step does not carry on what it takes, in dtype and extents.
    """
    first = as_tensor(0, dtypes.INT64)
    if count == 1:
        after, shares = step(first, list(carried))
        _check(carried, after)
        return after, [expand_dims(share, axis=0) for share in shares]
    after, shares = probed(trace, step, carried)
    _check(carried, after)
    rooms = [zeros((count, *share.shape), dtype=share.dtype) for share in shares]

    def body(i: Tensor, state: tuple[list[Tensor], list[Tensor]]) -> object:
        now, filled = state
        new, given = step(i, now)
        return new, [written(room, share, i) for room, share in zip(filled, given, strict=True)]

    if not carried and not rooms:
        return [], []
    found = fori_loop(first, as_tensor(count, dtypes.INT64), body, (list(carried), rooms))
    return found


def probed(
    trace: Trace, step: Step, carried: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """What a step gives, for its dtypes and extents alone: the ops are thrown away."""
    block = Block(arg_types=[graph.tensor(dtypes.INT64.element, ())])
    with trace.inside(block) as (i,):
        return step(i, list(carried))


def written(room: Tensor, share: Tensor, place: Tensor) -> Tensor:
    """A room with one more share in it."""
    nothing = as_tensor(0, place.dtype)
    starts = [place, *[nothing] * share.ndim]
    return dynamic_update_slice(room, expand_dims(share, axis=0), starts)


def at(x: Tensor, place: Tensor, axis: int = 0) -> Tensor:
    """The slice of `x` at one place along an axis."""
    return take(x, place, axis=axis)


def from_behind(count: Extent, place: Tensor) -> Tensor:
    """The place as far from the end as one is from the start."""
    return subtract(subtract(cast_to(as_tensor(count), place.dtype), 1), place)


def _check(before: Sequence[Tensor], after: Sequence[Tensor]) -> None:
    if len(before) != len(after):
        fail(f"a step takes {len(before)} values and carries on {len(after)}")
    for taken, given in zip(before, after, strict=True):
        if taken.type != given.type:
            fail(f"a step takes {taken!r} and carries on {given!r}; both are to be alike")
