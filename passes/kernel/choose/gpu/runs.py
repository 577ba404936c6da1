"""Which elements that an access touches are neighbours in memory, and how well they are aligned."""

from __future__ import annotations

from collections.abc import Sequence

from teenyir.analysis.indices import KernelIndices
from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.places import flattened

ALWAYS = 16
"""What divides an address that is 0: as much as anybody asks for."""


def run_of(
    op: kernel.LoadOp | kernel.StoreOp,
    counted: Sequence[tuple[Sequence[kernel.RangeOp], str, Expr]],
    named: KernelIndices,
    name: str,
) -> int:
    """What divides the offset of an element apart from its place along an axis; 0 where neighbours
    there are no neighbours in memory.

    `counted` are ranges that are counted through as one, the name of its number, and how many there
    are; the axis is one of those names.
    """
    loops = {each: (ZERO, size) for _, each, size in counted}
    facts = Facts(named.facts.dims, {**named.facts.loops, **loops})
    places = {
        value: expr
        for ranges, each, _ in counted
        for value, expr in flattened(ranges, Expr.of(each), named.facts).items()
    }
    exprs, values = kernel.written_out(op.exprs, op.index_values)
    flat = Expr.row_major(exprs, op.target.extents)
    at = {
        placeholder(number): places.get(value, Expr.of(named.names[value]))
        for number, value in enumerate(values)
    }
    rest = facts.simplify(flat.substitute(at)) - Expr.of(name)
    return 0 if name in rest.names else facts.divisor(rest) or ALWAYS
