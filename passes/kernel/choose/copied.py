"""What computes values of a kernel, at other places of its ranges: copied, or moved there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import kernel
from teenyir.dialects.constants import is_zero
from teenyir.passes.kernel.choose.places import GATED, Places, gate_of, gated, replace
from teenyir.passes.kernel.schedule.primitive import cone
from teenyir.rewriting.locations import LocatedBuilder


def copied(
    value: SSAValue,
    places: Places,
    nest: kernel.Nest,
    before: Operation,
    holds: SSAValue | None,
    known: Mapping[SSAValue, SSAValue] | None = None,
) -> SSAValue:
    """A value at the places of its ranges, computed in front of an op.

    Accesses happen only where `holds`; loads give zero elsewhere, or what they did. What is `known`
    already at these places is taken as it is.
    """
    copies = dict(known or {})
    until = frozenset(v.owner for v in copies if isinstance(v.owner, Operation))
    ranges = [v.owner for v in places.exprs if isinstance(v.owner, kernel.RangeOp)]
    for op in cone([value], ranges, nest, until):
        builder = LocatedBuilder(InsertPoint.before(before), op.location)
        for operand in op.operands:
            if operand in places.exprs and not isinstance(op, kernel.IndexedOp):
                copies[operand] = builder.insert(places.index(places.exprs[operand])).result
        copy = builder.insert(op.clone(copies))
        if isinstance(copy, kernel.IndexedOp):
            gate = gate_of(copy)
            if isinstance(copy, GATED) and holds is not None:
                gate = gated(copy, gate, holds)
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
