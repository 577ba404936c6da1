"""Nest loops in another order: put ranges into the text in the order that is asked for.

    %i = kernel.range 0 to 8         %j = kernel.range 0 to 8
    %j = kernel.range 0 to 8   -->   %i = kernel.range 0 to 8

The loops around one closer nest in the order of their text (see `kernel.Nest`), so that is what
decides. All of them move to where the first one stands.

Legal where the bounds of the ranges depend on no other range and every order that is asked for is
one that the loops then have: a loop that a closer closes lies inside those open around it, whatever
the text says. The loops of a scatter stay in their order, in which it combines.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, find_ranges
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class OrderRanges(Primitive):
    """Nest loops in another order."""

    name = "order-ranges"

    order: tuple[str, ...]
    """The ranges, outermost first."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        ranges = find_ranges(func, self.order)
        for range_ in ranges:
            if range_.values:
                name = kernel.names([range_])
                raise fail(range_, f"the bounds of {name} depend on another range")
        places = _scattering(func)
        block = func.body.block
        first = next(op for op in block.ops if op in ranges)
        following: Operation | None = first
        while following is not None and following in ranges:
            following = following.next_op
        assert following is not None  # something uses them
        for range_ in ranges:
            range_.detach()
            block.insert_op_before(range_, following)
        _require_order(func, ranges)
        for op, place in _scattering(func).items():
            if place != places[op]:
                raise fail(op, f"combines in the order of {kernel.names(places[op])}")


def _scattering(func: kernel.FuncOp) -> dict[Operation, list[kernel.RangeOp]]:
    """The loops around each scatter, outermost first, and the ranges that it has copies for."""
    if not any(isinstance(op, kernel.ScatterOp) for op in func.body.block.ops):
        return {}
    nest = _nest(func)
    return {
        op: nest.place(op) + nest.in_text_order(kernel.only_unrolled(nest.operand_dependences[op]))
        for op in nest.ops
        if isinstance(op, kernel.ScatterOp)
    }


def _nest(func: kernel.FuncOp) -> kernel.Nest:
    try:
        nest = kernel.Nest(func)
        nest.require_order()
        return nest
    except VerifyException as problem:
        raise fail(func, f"no loops have this order: {problem}") from None


def _require_order(func: kernel.FuncOp, ranges: list[kernel.RangeOp]) -> None:
    nest = _nest(func)
    for outer, inner in itertools.combinations(ranges, 2):
        if inner in nest.outside.get(outer, ()):
            raise fail(
                outer,
                f"the loop of {kernel.names([outer])} lies inside that of "
                f"{kernel.names([inner])}, whatever the order of the text",
            )
