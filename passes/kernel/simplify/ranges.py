"""Ranges that run once or never, pairs of ranges that are one, and the order of those reduced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.passes.kernel.simplify.indices import rebuilt
from teenyir.passes.kernel.simplify.known import KernelRow, Known, dependences
from teenyir.rewriting.engine import Replacement, Rewriter


def _once(known: Known, op: kernel.RangeOp, rewriter: Rewriter) -> Replacement:
    lower, upper = (known.globally(expr, op) for expr in op.exprs)
    if upper - lower != ONE or op.how != "loop":
        return None
    users = {use.operation for use in op.result.uses}
    if any(isinstance(user, kernel.FoldOp | kernel.StageOp | kernel.ScanOp) for user in users):
        return None  # these close a range in any case
    for user in users:
        if isinstance(user, kernel.ReduceOp):
            reduce_over(rewriter, user, [v for v in user.over if v is not op.result])
        if isinstance(user, kernel.ScatterOp):
            others = [v for v in user.over if v is not op.result]
            rewriter.replace(user, user.over_others(others))
    return known.index_op(lower)


def reduce_over(rewriter: Rewriter, op: kernel.ReduceOp, over: Sequence[SSAValue]) -> None:
    """Let a reduction close other ranges; with none, its value takes its place."""
    if not over and op.kind.data == "add" and isa(op.value.type, AnyFloat):
        # the sum starts from 0.0, and so is no -0.0
        zero = constant(0, op.value.type)
        rewriter.replace(op, [zero, arith.AddfOp(op.value, zero.result)])
        return
    if not over:
        rewriter.replace(op, (), [op.value])
        return
    rewriter.replace(op, kernel.ReduceOp(op.kind.data, op.value, over))


def _never(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    for range_ in op.over:
        assert isinstance(range_.owner, kernel.RangeOp)
        if known.facts.is_nonnegative(-trips(known, range_.owner)):
            return constant(op.combiner.identity(op.result.type), op.result.type)
    return None


def trips(known: Known, range_: kernel.RangeOp) -> Expr:
    """The iterations of a range, where that is not negative."""
    lower, upper = (known.globally(expr, range_) for expr in range_.exprs)
    return known.facts.simplify(upper - lower)


# --- merging --------------------------------------------------------------------------------------


def _merged(known: Known, inner: kernel.RangeOp, rewriter: Rewriter) -> Replacement:
    outer = _before(inner)
    if outer is None or outer.lower.data != ZERO or inner.lower.data != ZERO:
        return None
    if not _are_one(known, outer, inner):
        return None
    flat = kernel.RangeOp(ZERO, outer.upper.data * inner.upper.data)
    flat.result.name_hint = outer.result.name_hint
    rewriter.insert(flat)
    i, j, f = known.name(outer.result), known.name(inner.result), known.name(flat.result)
    users = dict.fromkeys(use.operation for r in (outer, inner) for use in r.result.uses)
    for user in users:
        _use_flat(known, rewriter, user, (outer.result, inner.result), {i: ZERO, j: f})
    rewriter.erase(inner)
    rewriter.erase(outer)
    return None


def _before(inner: kernel.RangeOp) -> kernel.RangeOp | None:
    """The range just before one in the text, if both are loops with bounds without ranges."""
    op = inner.prev_op
    while op is not None and not isinstance(op, kernel.RangeOp):
        op = op.prev_op
    if op is None or op.values or inner.values or op.how != "loop" or inner.how != "loop":
        return None
    return op


def _are_one(known: Known, outer: kernel.RangeOp, inner: kernel.RangeOp) -> bool:
    """Whether two ranges are met as `i * N + j` alone, N the extent of the second one."""
    i, j = known.name(outer.result), known.name(inner.result)
    both = i * inner.upper.data + j
    users = dict.fromkeys(use.operation for r in (outer, inner) for use in r.result.uses)
    for user in users:
        if isinstance(user, kernel.StageOp | kernel.FoldOp | kernel.ScanOp | kernel.RangeOp):
            return False
        if isinstance(user, kernel.ReduceOp | kernel.ScatterOp):
            if not {outer.result, inner.result} <= set(user.over):
                return False
        elif not isinstance(user, kernel.IndexedOp):
            return False
        if isinstance(user, kernel.IndexedOp):
            for expr in (known.globally(expr, user) for expr in user.exprs):
                if _replace(_replace(expr, {i: ZERO, j: Expr.of("$f")}), {Expr.of("$f"): both}) != (
                    expr
                ):
                    return False
    return any(isinstance(user, kernel.IndexedOp) for user in users)


def _replace(expr: Expr, names: dict[Expr, Expr]) -> Expr:
    return expr.substitute({str(name): value for name, value in names.items()})


def _use_flat(
    known: Known,
    rewriter: Rewriter,
    user: Operation,
    pair: tuple[SSAValue, SSAValue],
    names: dict[Expr, Expr],
) -> None:
    (flat,) = (known.values[int(str(e)[1:])] for e in names.values() if e != ZERO)
    if isinstance(user, kernel.ReduceOp):
        over = [flat if v is pair[0] else v for v in user.over if v is not pair[1]]
        reduce_over(rewriter, user, over)
    else:
        assert isinstance(user, kernel.IndexedOp)
        if isinstance(user, kernel.ScatterOp):
            over = [flat if v is pair[0] else v for v in user.over if v is not pair[1]]
            before, user = user, user.over_others(over)
            rewriter.replace(before, user)
        exprs = [_replace(known.globally(expr, user), names) for expr in user.exprs]
        rewriter.replace(user, rebuilt(user, *known.locally(exprs)))


# --- order ----------------------------------------------------------------------------------------


def _ordered(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    closed = kernel.closed_by(op)
    ops = known.func.body.block.ops
    ranges = [r for r in ops if isinstance(r, kernel.RangeOp) and r in closed]
    if len(ranges) < 2 or any(r.values or r.how != "loop" for r in ranges):
        return None
    if any(len(list(_closers(known, r))) > 1 for r in ranges):
        return None  # another op closes them in this order too
    loads = _loads(known, op, {r.result for r in ranges})
    strides = {r: [_stride(known, load, r) for load in loads] for r in ranges}
    best = max(ranges, key=lambda r: (_unit(strides[r]), r is ranges[-1]))
    if best is ranges[-1] or _unit(strides[best]) <= _unit(strides[ranges[-1]]):
        return None
    copy = kernel.RangeOp(best.lower.data, best.upper.data)
    copy.result.name_hint = best.result.name_hint
    rewriter.insert(copy, InsertPoint.after(ranges[-1]))
    rewriter.replace(best, (), copy.results)
    return None


def _closers(known: Known, range_: kernel.RangeOp) -> Iterator[Operation]:
    """The ops, in all of the kernel, that close a range, or order it against others."""
    for op in known.func.body.block.ops:
        if range_ in kernel.closed_by(op) or isinstance(op, kernel.ScanOp | kernel.ScatterOp):
            yield op


def _loads(known: Known, op: kernel.ReduceOp, ranges: set[SSAValue]) -> list[kernel.LoadOp]:
    """The loads that a reduction makes in each iteration of some of its ranges."""
    found: dict[Operation, None] = {}
    waiting = [op.value]
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            found[owner] = None
            waiting += owner.operands
    loads = [op for op in found if isinstance(op, kernel.LoadOp)]
    return [load for load in loads if not dependences(load.result).isdisjoint(ranges)]


def _stride(known: Known, load: kernel.LoadOp, range_: kernel.RangeOp) -> int | None:
    """The elements from what one iteration of a range loads to what the next does; None if none
    is known."""
    name = known.name(range_.result)
    indices = [known.globally(expr, load) for expr in load.exprs]
    flat = Expr.row_major(indices, load.target.extents)
    step = _replace(flat, {name: name + 1}) - flat
    return known.facts.simplify(step).constant


def _unit(strides: list[int | None]) -> int:
    """How many loads move by one element."""
    return strides.count(1)


RANGES = (
    # range a to a + 1 -> a; it is closed no more
    KernelRow("range-of-one", (kernel.RangeOp,), _once),
    # reduce(v over k), k never runs -> the identity
    KernelRow("reduce-over-nothing", (kernel.ReduceOp,), _never),
    # i in 0..M, j in 0..N, met as i * N + j alone -> f in 0..M*N, as f
    KernelRow("merge-ranges", (kernel.RangeOp,), _merged),
    # reduce(x[k, i] over i, k) -> over k, i: the loads' contiguous axis innermost
    KernelRow("order-reduction", (kernel.ReduceOp,), _ordered),
)
