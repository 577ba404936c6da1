"""What computes values of a kernel, at other places of its ranges: copied, or moved there, behind
gates where a place may be outside of what there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant, is_zero
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.choose.gpu.panels import Panel
from teenyir.passes.kernel.choose.places import GATED, Places, flattened, gate_of, gated, replace
from teenyir.passes.kernel.schedule.primitive import before, cone
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class Holds:
    """Where accesses may happen: each where all ranges that it depends on are at a place that there
    is. So what is of rows alone can be loaded once for a loop that runs along them."""

    build: LocatedBuilder
    """Combines conditions."""
    axes: Sequence[tuple[Iterable[kernel.RangeOp], SSAValue | None]]
    """Ranges, and the condition for their places; None where all are such."""

    def of(self, depends: frozenset[kernel.RangeOp]) -> SSAValue | None:
        """The condition for an access that depends on ranges."""
        conditions = (holds for ranges, holds in self.axes if not depends.isdisjoint(ranges))
        return all_of(self.build, *conditions)


def copied(
    value: SSAValue,
    places: Places,
    nest: kernel.Nest,
    user: Operation,
    holds: Holds,
    known: Mapping[SSAValue, SSAValue] | None = None,
) -> SSAValue:
    """A value at the places of its ranges, computed in front of its user.

    Accesses happen only where that `holds`; loads give zero elsewhere, or what they did. What is
    `known` already at these places is taken as it is.
    """
    copies = dict(known or {})
    until = frozenset(v.owner for v in copies if isinstance(v.owner, Operation))
    ranges = [v.owner for v in places.exprs if isinstance(v.owner, kernel.RangeOp)]
    for op in cone([value], ranges, nest, until):
        builder = LocatedBuilder(InsertPoint.before(user), op.location)
        for operand in op.operands:
            if operand in places.exprs and not isinstance(op, kernel.IndexedOp):
                copies[operand] = builder.insert(places.index(places.exprs[operand])).result
        copy = builder.insert(op.clone(copies))
        if isinstance(copy, kernel.IndexedOp):
            gate = gate_of(copy)
            if isinstance(copy, GATED):
                inside = holds.of(nest.operand_dependences[op])
                gate = gate if inside is None else gated(copy, gate, inside)
            moved = builder.insert(places.rebuilt(copy, gate))
            replace(copy, moved)
            copy = moved
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            copies[old] = new
    return copies.get(value, value)


def move(
    ops: Iterable[Operation], places: Places, holds: SSAValue | None, start: LocatedBuilder
) -> None:
    """Have ops at the places of ranges, which are computed at the start. Stores, and accesses whose
    indices name such a range, happen only where it `holds`."""
    for op in ops:
        if isinstance(op, kernel.IndexedOp):
            _move(op, places, holds)
    for value, expr in places.exprs.items():
        if value.first_use is not None:
            value.replace_all_uses_with(start.insert(places.index(expr)).result)


def _move(op: kernel.IndexedOp, places: Places, holds: SSAValue | None) -> None:
    gate = gate_of(op)
    named = any(value in places.exprs for value in op.index_values)
    if isinstance(op, GATED) and holds is not None and (named or isinstance(op, kernel.StoreOp)):
        gate = gated(op, gate, holds)
    if named or gate != gate_of(op):
        builder = LocatedBuilder(InsertPoint.before(op), op.location)
        replace(op, builder.insert(places.rebuilt(op, gate)))


def is_zero_beyond(value: SSAValue) -> bool:
    """Whether a value is a load, which is 0 where the gate that it has, or gets, does not hold."""
    load = value.owner
    return isinstance(load, kernel.LoadOp) and (load.other is None or is_zero(load.other))


def inside(
    places: Places, at: Expr, size: Expr, tile: int, facts: Facts, build: LocatedBuilder
) -> SSAValue | None:
    """Whether a place is below a size; None if it always is, since the size is a whole number of
    tiles."""
    if facts.divisor(size) % tile == 0:
        return None
    index = build.insert(places.index(at)).result
    end = build.insert(kernel.IndexOp(size)).result
    return build.insert(arith.CmpiOp(index, end, "slt")).result


def all_of(build: LocatedBuilder, *conditions: SSAValue | None) -> SSAValue | None:
    """Whether all conditions hold, of which None always does; None if all do."""

    def both(a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
        return b if a is None else a if b is None else build.insert(arith.AndIOp(a, b)).result

    return reduce(both, conditions)


def factor_in_panel(
    panel: Panel,
    start: tuple[Expr, Expr],
    around: Places,
    nest: kernel.Nest,
    facts: Facts,
    *,
    user: Operation,
    gates: LocatedBuilder,
) -> kernel.StageOp:
    """Put a factor into its panel, from a place along its side and its depth on.

    What is `around` are the places of the ranges that are neither its side nor its depth, over
    names among which are those of the panel's ranges. It is staged in front of its user; where it
    is outside of the factor it is 0 along the depth, and anything along the side.
    """
    factor = panel.factor
    side, deep = (a + b for a, b in zip(panel.place_in_tile(), start, strict=True))
    exprs = {
        **around.exprs,
        **flattened(factor.ranges, side, facts),
        **flattened(factor.depth, deep, facts),
    }
    places = Places(exprs, around.ids)
    first = {panel.names[2]: 0}
    axes = [(side, factor.size, panel.side), (deep, factor.deep, panel.deep)]
    found: list[SSAValue | None] = [None, None]
    # what is the same wherever the tile is comes first
    for number in sorted(range(2), key=lambda number: bool(start[number].names)):
        at, size, tile = axes[number]
        found[number] = inside(places, at.substitute(first), size, tile, facts, gates)
    beside, within = found
    holds = Holds(gates, [(factor.ranges, beside), (factor.depth, within)])
    value = zero_beyond(factor.value, places, nest, user=user, holds=holds, within=within)
    return before(user).insert(panel.staged(value, around.ids))


def zero_beyond(
    value: SSAValue,
    places: Places,
    nest: kernel.Nest,
    *,
    user: Operation,
    holds: Holds,
    within: SSAValue | None,
) -> SSAValue:
    """A value at the places of its ranges, computed in front of its user, with accesses where that
    `holds`, and 0 where it is not `within` a sum."""
    copy = copied(value, places, nest, user, holds)
    # what is not just loaded may be anything beyond the end of the sum
    if within is None or is_zero_beyond(value):
        return copy
    build = before(user)
    zero = build.insert(constant(0, copy.type)).result
    return build.insert(arith.SelectOp(within, copy, zero)).result
