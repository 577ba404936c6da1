"""Sums whose value is known without a loop: of indices, of conditions on them, of one element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.simplify.gates import PREDICATES
from teenyir.passes.kernel.simplify.known import KernelRow, Known, dependences
from teenyir.passes.kernel.simplify.ranges import trips
from teenyir.passes.kernel.simplify.reductions import (
    as_integer,
    bounds_by,
    can_count,
    copied,
    gated,
    insert,
    range_of,
    times,
    within,
)
from teenyir.rewriting.engine import Replacement, Rewriter

# --- sums of indices ------------------------------------------------------------------------------


def _sum_of_indices(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    type = op.value.type
    if op.kind.data != "add" or len(op.over) != 1 or not isa(type, IntegerType):
        return None
    if op.value.owner is op.over[0].owner or (expr := known.integer(op.value)) is None:
        return None
    k, range_ = known.name(op.over[0]), range_of(op.over[0])
    count = trips(known, range_)
    step = expr.substitute({str(k): k + 1}) - expr
    if _mentions(step, k) or not known.facts.is_nonnegative(count):
        return None
    start = expr.substitute({str(k): ZERO})
    low, high = (known.globally(e, range_) for e in range_.exprs)
    total = start * count + step * ((high * (high - 1) - low * (low - 1)) // 2)
    return as_integer(known, rewriter, known.facts.simplify(total), type)


def _mentions(expr: Expr, name: Expr) -> bool:
    return not expr.names.isdisjoint(name.names)


# --- counting -------------------------------------------------------------------------------------


def _counted(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    if op.kind.data != "add" or len(op.over) != 1 or not can_count(op):
        return None
    k = op.over[0]
    gate, value = _indicator(op)
    if gate is None or (value is not None and k in dependences(value)):
        return None
    bounds = bounds_by(known, gate, k)
    if bounds is None or range_of(k).how != "loop":
        return None
    low, high = within(known, range_of(k), bounds)
    count = known.facts.simplify(Expr.maximum(high - low, 0))
    if value is None:
        value = insert(rewriter, constant(1, op.value.type))
    return times(known, rewriter, value, count)


def _indicator(op: kernel.ReduceOp) -> tuple[SSAValue | None, SSAValue | None]:
    """The condition, and the value where it holds, None for 1, of what is else the identity."""
    match op.value.owner:
        case arith.ExtUIOp(input=condition) | arith.UIToFPOp(input=condition):
            return (condition, None) if condition.type == IntegerType(1) else (None, None)
        case arith.SelectOp() as select:
            return gated(op), select.lhs
        case _:
            return None, None


def _scanned(known: Known, op: kernel.ScanOp, rewriter: Rewriter) -> Replacement:
    if op.along in dependences(op.value) or op.kind.data != "add" or not can_count(op):
        return None
    lower = known.globally(range_of(op.along).exprs[0], range_of(op.along))
    before = known.name(op.along) - lower
    return times(known, rewriter, op.value, before if op.exclusive else before + 1)


# --- one element ----------------------------------------------------------------------------------


class OneHot(NamedTuple):
    """A value that is `element` where `place` equals a range, elsewhere zero."""

    equal: arith.CmpiOp
    element: SSAValue | None
    """None for 1."""


def _one_hot(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    if op.kind.data != "add":
        return None
    if (found := _selected(op)) is None and isa(op.value.type, IntegerType):
        found = _multiplied(op.value)
    return None if found is None else _picked(known, op, rewriter, found)


def _one_hot_product(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    found = _multiplied(op.value) if op.kind.data == "add" else None
    return None if found is None else _picked(known, op, rewriter, found)


def _selected(op: kernel.ReduceOp) -> OneHot | None:
    gate, value = _indicator(op)
    equal = None if gate is None else _equality(gate)
    return None if equal is None else OneHot(equal, value)


def _equality(value: SSAValue) -> arith.CmpiOp | None:
    op = value.owner
    if not isinstance(op, arith.CmpiOp) or PREDICATES[op.predicate.value.data] != "eq":
        return None
    return op


def _multiplied(value: SSAValue) -> OneHot | None:
    op = value.owner
    if not isinstance(op, arith.MuliOp | arith.MulfOp):
        return None
    for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        cast = one.owner
        if isinstance(cast, arith.ExtUIOp | arith.UIToFPOp):
            equal = _equality(cast.input)
            if equal is not None:
                return OneHot(equal, other)
    return None


def _picked(known: Known, op: kernel.ReduceOp, rewriter: Rewriter, found: OneHot) -> Replacement:
    for range_ in op.over:
        cone = [] if found.element is None else known.cone(found.element, range_)
        if cone is None:
            continue
        if (place := _place(known, rewriter, found.equal, range_, op.over)) is None:
            continue
        low, high = (known.globally(e, range_of(range_)) for e in range_of(range_).exprs)
        offset, size = (insert(rewriter, known.index_op(e)) for e in (place - low, high - low))
        inside = insert(rewriter, arith.CmpiOp(offset, size, "ult"))
        at = insert(rewriter, known.index_op(place))
        if found.element is None:
            value = insert(rewriter, constant(1, op.value.type))
        else:
            value = copied(rewriter, found.element, cone, {range_: at}, inside)
        zero = insert(rewriter, constant(0, op.value.type))
        chosen = insert(rewriter, arith.SelectOp(inside, value, zero))
        if isa(op.value.type, AnyFloat):
            # the sum that starts from 0.0 has no -0.0
            chosen = insert(rewriter, arith.AddfOp(chosen, zero))
        left = [value for value in op.over if value is not range_]
        return kernel.ReduceOp("add", chosen, left) if left else chosen
    return None


def _place(
    known: Known,
    rewriter: Rewriter,
    equal: arith.CmpiOp,
    range_: SSAValue,
    over: Sequence[SSAValue],
) -> Expr | None:
    """The iteration of a range in which an equality holds, if it asks for one."""
    k = known.name(range_)
    for side, other in ((equal.lhs, equal.rhs), (equal.rhs, equal.lhs)):
        expr = known.integer(side)
        if expr is None or _mentions(shift := expr - k, k) or range_ in dependences(other):
            continue
        if any(not _is_free(known, range_of(range_), value) for value in over):
            continue
        wanted = known.integer(other)
        if wanted is None:
            index = insert(rewriter, arith.IndexCastOp(other, kernel.INDEX))
            wanted = known.name(index)
        return wanted - shift
    return None


def _is_free(known: Known, range_: kernel.RangeOp, other: SSAValue) -> bool:
    """Whether the bounds of another range do not depend on a range."""
    return other is range_.result or range_.result not in dependences(other)


CLOSED_FORMS = (
    # sum(a + b * k over k in l..h) -> a * n + b * (h * (h - 1) - l * (l - 1)) / 2, integers
    KernelRow("sum-of-indices", (kernel.ReduceOp,), _sum_of_indices),
    # sum(v if a <= k < b else 0 over k in l..h) -> v * max(0, min(b, h) - max(a, l)), v without k
    KernelRow("count", (kernel.ReduceOp,), _counted),
    # scan(v along k in l..h) -> v * (k - l + 1), v without k
    KernelRow("scan-the-same", (kernel.ScanOp,), _scanned),
    # sum(v[k] if k == e else 0 over k in l..h) -> (v[e] if l <= e < h else 0) + 0.0; in integers
    # sum((k == e) * v[k]) too
    KernelRow("one-hot", (kernel.ReduceOp,), _one_hot),
)

FAST_CLOSED_FORMS = (
    # sum((k == e) * v[k] over k in l..h) -> v[e] if l <= e < h else 0: no v is infinite or NaN
    KernelRow("one-hot-product", (kernel.ReduceOp,), _one_hot_product),
)
