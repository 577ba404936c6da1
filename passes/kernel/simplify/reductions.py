"""Reductions of what is the same in every iteration, and of what a gate keeps out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.simplify.gates import comparison, is_identity
from teenyir.passes.kernel.simplify.known import KernelRow, Known, dependences
from teenyir.passes.kernel.simplify.ranges import trips
from teenyir.rewriting.engine import Replacement, Rewriter

IDEMPOTENT = ("max", "min", "umax", "umin", "and", "or")


def insert(rewriter: Rewriter, op: Operation) -> SSAValue:
    """Insert an op of one result before the one that is rewritten."""
    return rewriter.insert(op).results[0]


# --- the same in every iteration ------------------------------------------------------------------


def _invariant(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    needed = dependences(op.value)
    idle = [value for value in op.over if value not in needed]
    left = [value for value in op.over if value in needed]
    if not idle or any(not dependences(v).isdisjoint({*op.over} - {v}) for v in idle):
        return None
    extents = [known.facts.simplify(Expr.maximum(trips(known, range_of(v)), 0)) for v in idle]
    count = Expr.product(extents)
    if op.kind.data not in (*IDEMPOTENT, "add") or not can_count(op):
        return None
    inner = insert(rewriter, kernel.ReduceOp(op.kind.data, op.value, left)) if left else op.value
    if op.kind.data == "add":
        return times(known, rewriter, inner, count)
    if known.facts.is_within(count, 1, None):
        return inner
    identity = insert(rewriter, constant(op.combiner.identity(inner.type), inner.type))
    return arith.SelectOp(_is_positive(known, rewriter, count), inner, identity)


def range_of(value: SSAValue) -> kernel.RangeOp:
    """The range that a value is."""
    assert isinstance(value.owner, kernel.RangeOp)
    return value.owner


def can_count(op: kernel.ReduceOp | kernel.ScanOp) -> bool:
    """Whether a sum is a product: of integers always; floats are to hold the count."""
    return (
        op.kind.data != "add"
        or isinstance(op.value.type, IntegerType)
        or op.value.type
        in (
            f32,
            f64,
        )
    )


def _is_positive(known: Known, rewriter: Rewriter, count: Expr) -> SSAValue:
    zero, number = (insert(rewriter, known.index_op(e)) for e in (ZERO, count))
    return insert(rewriter, arith.CmpiOp(zero, number, "slt"))


def times(known: Known, rewriter: Rewriter, value: SSAValue, count: Expr) -> SSAValue:
    """The sum of so many copies of an integer, or of an f32 or f64.

    Of -0.0 it is 0.0, which the sum starts from, and so it is of no copies of an infinity.
    """
    type = value.type
    if isa(type, IntegerType):
        number = as_integer(known, rewriter, count, type)
        return insert(rewriter, arith.MuliOp(value, number))
    assert isa(type, AnyFloat)
    if (many := count.constant) is not None:
        number = insert(rewriter, constant(many, type))
    else:
        wide = as_integer(known, rewriter, count, IntegerType(64))
        number = insert(rewriter, arith.SIToFPOp(wide, type))
    zero = insert(rewriter, constant(0, type))
    product = insert(rewriter, arith.MulfOp(value, number))
    total = insert(rewriter, arith.AddfOp(product, zero))
    if known.facts.is_within(count, 1, None):
        return total
    return insert(rewriter, arith.SelectOp(_is_positive(known, rewriter, count), total, zero))


def as_integer(known: Known, rewriter: Rewriter, expr: Expr, type: IntegerType) -> SSAValue:
    """An index as an integer, wrapped to its width."""
    if (number := expr.constant) is not None:
        half = 1 << max(type.bitwidth - 1, 1)
        wrapped = (number + half) % (2 * half) - half if type.bitwidth > 1 else number & 1
        return insert(rewriter, constant(wrapped, type))
    index = insert(rewriter, known.index_op(expr))
    return insert(rewriter, arith.IndexCastOp(index, type))


# --- what a gate keeps out ------------------------------------------------------------------------


class Bounds(NamedTuple):
    """`low <= k < high`; None where nothing bounds it."""

    low: Expr | None
    high: Expr | None


def bounds_by(known: Known, gate: SSAValue, range_: SSAValue) -> Bounds | None:
    """The iterations of a range, an interval, in which a condition on indices holds."""
    found = comparison(known, gate)
    if found is None:
        return None
    k = known.name(range_)
    predicate, lhs, rhs = found
    if predicate[1:] in ("gt", "ge"):
        predicate, lhs, rhs = f"{predicate[0]}l{predicate[2]}", rhs, lhs
    if predicate == "ult":
        # 0 <= k + c < n
        c = lhs - k
        if _mentions(c, k) or _mentions(rhs, k) or not known.facts.is_nonnegative(rhs):
            return None
        return Bounds(-c, rhs - c)
    if predicate not in ("slt", "sle"):
        return None
    rest = rhs - lhs - (1 if predicate == "slt" else 0)  # the condition is rest >= 0
    if not _mentions(below := rest + k, k):
        return Bounds(None, below + 1)  # rest is below - k
    return Bounds(-above, None) if not _mentions(above := rest - k, k) else None


def _mentions(expr: Expr, name: Expr) -> bool:
    return not expr.names.isdisjoint(name.names)


def within(known: Known, range_: kernel.RangeOp, bounds: Bounds) -> tuple[Expr, Expr]:
    """The iterations of a range that lie within bounds as well."""
    lower, upper = (known.globally(expr, range_) for expr in range_.exprs)
    low = lower if bounds.low is None else Expr.maximum(lower, bounds.low)
    high = upper if bounds.high is None else Expr.minimum(upper, bounds.high)
    return known.facts.simplify(low), known.facts.simplify(high)


def gated(op: kernel.ReduceOp) -> SSAValue | None:
    """The condition outside of which a reduction is fed its identity, if there is one."""
    match op.value.owner:
        case arith.SelectOp() as select:
            return select.cond if is_identity(op, select.rhs) else None
        case kernel.LoadOp() as load:
            return load.gate if is_identity(op, load.other) else None
        case _:
            return None


def _clipped(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    if (gate := gated(op)) is None:
        return None
    for value in op.over:
        range_ = range_of(value)
        bounds = bounds_by(known, gate, value)
        if bounds is None or range_.how != "loop" or range_.values:
            continue
        low, high = within(known, range_, bounds)
        new = known.facts.simplify(high - low)
        if new == trips(known, range_) or not _is_of_extents(known, low, high):
            continue
        cone = known.cone(op.value, value)
        if cone is None or _closes_elsewhere(known, op, value, cone):
            continue
        fresh = kernel.RangeOp(ZERO, new)
        fresh.result.name_hint = value.name_hint
        rewriter.insert(fresh, InsertPoint.before(range_))
        at = known.index_op(known.name(fresh.result) + low)
        rewriter.insert(at, InsertPoint.after(fresh))
        copy = copied(rewriter, op.value, cone, {value: at.result})
        over = [fresh.result if v is value else v for v in op.over]
        return kernel.ReduceOp(op.kind.data, copy, over)
    return None


def _is_of_extents(known: Known, *exprs: Expr) -> bool:
    """Whether expressions speak of named extents and numbers alone."""
    return all(expr.names <= known.facts.dims.keys() for expr in exprs)


def _closes_elsewhere(
    known: Known, op: kernel.ReduceOp, range_: SSAValue, cone: Sequence[Operation]
) -> bool:
    """Whether a range is closed, or what depends on it is used, besides by one reduction."""
    users = {
        use.operation
        for source in (range_, *(r for o in cone for r in o.results))
        for use in source.uses
    }
    return not users <= {op, *cone}


def copied(
    rewriter: Rewriter,
    value: SSAValue,
    cone: Sequence[Operation],
    values: dict[SSAValue, SSAValue],
    inside: SSAValue | None = None,
) -> SSAValue:
    """A value computed anew, by copies of ops, from other values in the place of some.

    With `inside` the copies of loads load where that holds alone.
    """
    known = dict(values)
    for op in cone:
        if inside is not None and isinstance(op, kernel.LoadOp):
            copy = _gated(rewriter, op, known, inside)
        else:
            copy = op.clone(known)
        rewriter.insert(copy)
        for before, after in zip(op.results, copy.results, strict=True):
            after.name_hint = before.name_hint
            known[before] = after
    return known.get(value, value)


def _gated(
    rewriter: Rewriter, load: kernel.LoadOp, known: dict[SSAValue, SSAValue], inside: SSAValue
) -> kernel.LoadOp:
    """A copy of a load that loads where a condition holds alone, elsewhere gives zero."""
    if load.gate is None or load.other is None:
        gate, other = inside, insert(rewriter, constant(0, load.result.type))
    else:
        held = known.get(load.gate, load.gate)
        gate, other = (
            insert(rewriter, arith.AndIOp(held, inside)),
            known.get(load.other, load.other),
        )
    values = [known.get(value, value) for value in load.values]
    return kernel.LoadOp(known.get(load.buffer, load.buffer), load.exprs, values, gate, other)


REDUCTIONS = (
    # sum(v over k) -> v * n, max(v over k) -> v if n > 0 else the identity: v without k
    KernelRow("reduce-the-same", (kernel.ReduceOp,), _invariant),
    # reduce(v if a <= k < b else identity over k in 0..n) -> over k in max(a, 0)..min(b, n)
    KernelRow("clip-range", (kernel.ReduceOp,), _clipped),
)
