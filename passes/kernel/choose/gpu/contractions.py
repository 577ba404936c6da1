"""Sums of products as products of matrices: which ranges are rows, columns, batches and depth.

A sum is matched by what its factors depend on, not by how it is written: the rows are the ranges of
the first factor alone, the columns those of the second alone, and what both have that is not summed
over are batches. Each of the three may be several ranges, permuted or computed with: a convolution
is a product with rows n, h, w and a sum over c, u, v.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from teenyir.dialects import kernel

Ranges = list[kernel.RangeOp]

_CASTS = (arith.ExtFOp, arith.ExtSIOp)


@dataclass(frozen=True)
class Match:
    """A sum of products, and the ranges of its matrices, each in the order of the text."""

    sum: kernel.ReduceOp
    a: SSAValue
    """The first factor, before it was cast."""
    b: SSAValue
    rows: Ranges
    columns: Ranges
    batches: Ranges
    depth: Ranges
    """What is summed over."""


def match(
    reduction: kernel.ReduceOp,
    nest: kernel.Nest,
    refuses: Callable[[SSAValue, SSAValue, SSAValue], str | None],
) -> Match | str:
    """How a sum is one of matrix products, or why it is not. `refuses` says why factors before they
    are cast, and their sum, are of the wrong types."""
    others = [op for op in nest.ops if isinstance(op, _CLOSING) and op is not reduction]
    if others:
        return f"the kernel has a {others[0].name.removeprefix('kernel.')} besides it"
    multiply = reduction.value.owner
    if not isinstance(multiply, arith.MulfOp | arith.MuliOp):
        return "what is summed is no product"
    a, b = (before_cast(factor) for factor in (multiply.lhs, multiply.rhs))
    if refusal := refuses(a, b, reduction.result):
        return refusal
    of_a, of_b = nest.dependences[a], nest.dependences[b]
    depth, around = kernel.closed_by(reduction), nest.dependences[reduction.result]
    if not depth <= of_a or not depth <= of_b:
        return f"{kernel.names(nest.in_text_order(depth))} is not of both factors"
    if refusal := irregular(nest, depth | around):
        return refusal
    if not of_a - of_b or not of_b - of_a:
        return "one factor has no axis of its own: it is a vector"
    for store in nest.ops:
        if isinstance(store, kernel.StoreOp) and nest.operand_dependences[store] != around:
            return "what is stored is not one element for each sum"
    order = nest.in_text_order
    return Match(
        *(reduction, a, b, order(of_a - of_b), order(of_b - of_a)),
        *(order(of_a & of_b & around), order(depth)),
    )


_CLOSING = (
    *(kernel.ReduceOp, kernel.FoldOp, kernel.ScanOp, kernel.StageOp),
    *(kernel.ScatterOp, kernel.SortOp, kernel.MmaOp),
)


def before_cast(value: SSAValue) -> SSAValue:
    """A factor as it was before it was made wider."""
    owner = value.owner
    return owner.input if isinstance(owner, _CASTS) else value


def irregular(nest: kernel.Nest, ranges: frozenset[kernel.RangeOp]) -> str | None:
    """Why ranges are no loops with bounds of their own; None where they are."""
    for range_ in nest.in_text_order(ranges):
        if range_.values:
            return f"the bounds of {kernel.names([range_])} depend on other ranges"
        if range_.how not in ("loop", "parallel"):
            return f"{kernel.names([range_])} is of kind `{range_.how}` already"
    return None
