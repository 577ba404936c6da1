"""Ranges replaced by expressions over others, and accesses that happen only inside of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class Gate:
    """Where an access happens; of a load, the value elsewhere."""

    holds: SSAValue | None = None
    other: SSAValue | None = None


Gated = kernel.LoadOp | kernel.StoreOp | kernel.ScatterOp
GATED = (kernel.LoadOp, kernel.StoreOp, kernel.ScatterOp)


@dataclass(frozen=True)
class Places:
    """What the values of some ranges are, as expressions over others."""

    exprs: Mapping[SSAValue, Expr]
    """Of each range its place, over the names of `ids`."""
    ids: Mapping[str, SSAValue]

    def index(self, expr: Expr) -> kernel.IndexOp:
        """An expression over the names as a value."""
        values = tuple(self.ids.values())
        (moved,), kept = used([self._moved(expr, (), values)], values)
        return kernel.IndexOp(moved, kept)

    def rebuilt(self, op: kernel.IndexedOp, gate: Gate) -> Operation:
        """An op at the places of its ranges, with a gate."""
        values = tuple(v for v in op.index_values if v not in self.exprs)
        values = (*values, *(v for v in self.ids.values() if v not in values))
        exprs, values = used([self._moved(e, op.index_values, values) for e in op.exprs], values)
        new = _REBUILD[type(op)](op, exprs, values, gate)
        new.attributes |= op.attributes
        return new

    def _moved(self, expr: Expr, before: Sequence[SSAValue], after: Sequence[SSAValue]) -> Expr:
        ids = {name: placeholder(after.index(value)) for name, value in self.ids.items()}
        new: dict[str, Expr] = {}
        for number, value in enumerate(before):
            if value in self.exprs:
                new[placeholder(number)] = self.exprs[value].substitute(ids)
            else:
                new[placeholder(number)] = Expr.of(placeholder(after.index(value)))
        return expr.substitute({**ids, **new})


def used(
    exprs: Sequence[Expr], values: Sequence[SSAValue]
) -> tuple[list[Expr], tuple[SSAValue, ...]]:
    """Expressions over those values alone that occur in them, in the order of the text.

    The order of terms depends on the names, so that it takes some rounds until both are settled.
    """
    exprs = list(exprs)
    for _ in range(8):
        text = ", ".join(map(str, exprs))
        found = [int(number) for number in re.findall(r"_(\d+)", text)]
        kept = list(dict.fromkeys(found))
        if kept == list(range(len(values))):
            break
        counted = {placeholder(old): placeholder(new) for new, old in enumerate(kept)}
        exprs = [expr.substitute(counted) for expr in exprs]
        values = tuple(values[number] for number in kept)
    return exprs, tuple(values)


def flattened(ranges: Sequence[kernel.RangeOp], at: Expr, facts: Facts) -> dict[SSAValue, Expr]:
    """The place of each of some nested ranges in the iteration `at` of all of them, row-major."""
    places: dict[SSAValue, Expr] = {}
    stride = Expr.of(1)
    for number, range_ in enumerate(reversed(ranges)):
        size = extent(range_, facts)
        place = at // stride
        outermost = number == len(ranges) - 1
        places[range_.result] = range_.lower.data + (place if outermost else place % size)
        stride = stride * size
    return places


def extent(range_: kernel.RangeOp, facts: Facts) -> Expr:
    """The number of iterations of a range."""
    size = range_.extent
    return size if facts.is_nonnegative(size) else Expr.maximum(size, ZERO)


def total(ranges: Sequence[kernel.RangeOp], facts: Facts) -> Expr:
    """The number of iterations of ranges that nest."""
    return Expr.product(extent(range_, facts) for range_ in ranges)


def gate_of(op: kernel.IndexedOp) -> Gate:
    """The gate that an op has."""
    if isinstance(op, kernel.LoadOp):
        return Gate(op.gate, op.other)
    return Gate(op.gate) if isinstance(op, kernel.StoreOp | kernel.ScatterOp) else Gate()


def gated(op: Gated, own: Gate, holds: SSAValue) -> Gate:
    """A gate of an access with one more condition; a load gives zero elsewhere, or what it did."""
    builder = LocatedBuilder(InsertPoint.before(op), op.location)
    both, other = holds, own.other
    if own.holds is not None:
        both = builder.insert(arith.AndIOp(holds, own.holds)).result
    if isinstance(op, kernel.LoadOp) and other is None:
        other = builder.insert(constant(0, op.result.type)).result
    return Gate(both, other)


def replace(op: Operation, new: Operation) -> None:
    """Put an op that has been inserted in the place of another."""
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()


def _range(
    op: kernel.RangeOp, exprs: Sequence[Expr], values: Sequence[SSAValue], gate: Gate
) -> Operation:
    lower, upper = exprs
    return kernel.RangeOp(lower, upper, values, op.how)


Rebuild = Callable[[Any, Sequence[Expr], Sequence[SSAValue], Gate], Operation]

_REBUILD: Mapping[type[Operation], Rebuild] = {
    kernel.RangeOp: _range,
    kernel.IndexOp: lambda op, exprs, values, gate: kernel.IndexOp(exprs[0], values),
    kernel.LoadOp: lambda op, exprs, values, gate: kernel.LoadOp(
        op.buffer, exprs, values, gate.holds, gate.other
    ),
    kernel.StoreOp: lambda op, exprs, values, gate: kernel.StoreOp(
        op.value, op.buffer, exprs, values, gate.holds, op.streaming
    ),
    kernel.ScatterOp: lambda op, exprs, values, gate: kernel.ScatterOp(
        op.kind.data, op.value, op.buffer, exprs, values, gate.holds, op.over
    ),
    kernel.StageOp: lambda op, exprs, values, gate: op.changed(index=(exprs, values)),
}
