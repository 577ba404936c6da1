"""Conditions on indices, and the loads, stores and selects that they gate."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.ir import SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.constants import constant, integer_of, is_zero
from teenyir.dialects.expr import Expr
from teenyir.passes.kernel.simplify.known import KernelRow, Known, dependences
from teenyir.rewriting.engine import Replacement, Rewriter

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""In the order of the numbers by which `arith.cmpi` keeps them."""


class Comparison(NamedTuple):
    """`lhs predicate rhs` of indices, none of them wrapped."""

    predicate: str
    lhs: Expr
    rhs: Expr


def comparison(known: Known, value: SSAValue) -> Comparison | None:
    """The condition that a value is, where it compares indices or integers made of them."""
    op = value.owner
    if not isinstance(op, arith.CmpiOp):
        return None
    lhs, rhs = known.integer(op.lhs), known.integer(op.rhs)
    if lhs is None or rhs is None:
        return None
    return Comparison(PREDICATES[op.predicate.value.data], lhs, rhs)


def _proven(known: Known, op: arith.CmpiOp, rewriter: Rewriter) -> Replacement:
    if (found := comparison(known, op.result)) is None:
        return None
    holds = decide(known, found.predicate, found.lhs, found.rhs)
    return None if holds is None else constant(int(holds), i1)


def decide(known: Known, predicate: str, lhs: Expr, rhs: Expr) -> bool | None:
    """Whether a comparison always holds (True), never does (False), or neither is known."""
    if predicate in ("eq", "ne"):
        if lhs == rhs:
            return predicate == "eq"
        apart = _is_less(known, lhs, rhs) or _is_less(known, rhs, lhs)
        return predicate == "ne" if apart else None
    if predicate[1:] in ("gt", "ge"):
        return decide(known, f"{predicate[0]}l{predicate[2]}", rhs, lhs)
    if predicate in ("sle", "ule"):
        holds = decide(known, f"{predicate[0]}lt", rhs, lhs)
        return None if holds is None else not holds
    if predicate == "ult":
        return _is_below(known, lhs, rhs)
    if _is_less(known, lhs, rhs):
        return True
    return False if _is_less(known, rhs - 1, lhs) else None


def _is_less(known: Known, lhs: Expr, rhs: Expr) -> bool:
    return known.facts.is_nonnegative(known.facts.simplify(rhs - lhs - 1))


def _is_below(known: Known, lhs: Expr, rhs: Expr) -> bool | None:
    """Whether one unsigned number is below another; negative indices are the largest of all."""
    facts = known.facts
    negative = [facts.is_nonnegative(-e - 1) for e in (lhs, rhs)]
    natural = [facts.is_nonnegative(e) for e in (lhs, rhs)]
    if negative[0] and natural[1]:
        return False
    if natural[0] and negative[1]:
        return True
    if all(natural):
        return decide(known, "slt", lhs, rhs)
    if natural[1] and _is_less(known, rhs - 1, lhs):
        return False  # at or above the bound, whatever the sign
    return None


def _one_sided(known: Known, op: arith.CmpiOp, rewriter: Rewriter) -> Replacement:
    found = comparison(known, op.result)
    if found is None or found.predicate != "ult" or (high := found.rhs.constant) is None:
        return None
    if high < 0:
        return None  # as unsigned numbers, negative ones are below it
    offset = found.lhs.offset
    if not offset or known.facts.is_nonnegative(found.lhs):
        return None
    if not _is_less(known, found.lhs, found.rhs):
        return None
    operands = [known.index_op(found.lhs - offset), known.index_op(Expr.of(-offset))]
    rewriter.insert(operands)
    return arith.CmpiOp(operands[0], operands[1], "sge")


def is_true(gate: SSAValue | None) -> bool:
    return _constant_gate(gate) is True


def _constant_gate(gate: SSAValue | None) -> bool | None:
    number = None if gate is None else integer_of(gate)
    return None if number is None else bool(number)


def _load(known: Known, op: kernel.LoadOp, rewriter: Rewriter) -> Replacement:
    holds = _constant_gate(op.gate)
    if holds is None:
        return None
    return kernel.LoadOp(op.buffer, op.exprs, op.values) if holds else op.other


def _store(known: Known, op: kernel.StoreOp, rewriter: Rewriter) -> Replacement:
    if is_true(op.gate):
        new = kernel.StoreOp(op.value, op.buffer, op.exprs, op.values, None, op.streaming)
        rewriter.replace(op, new)
    return None


def _scatter(known: Known, op: kernel.ScatterOp, rewriter: Rewriter) -> Replacement:
    if is_true(op.gate):
        kind = op.kind.data
        new = kernel.ScatterOp(kind, op.value, op.buffer, op.exprs, op.values, None, op.over)
        new.attributes |= op.attributes
        rewriter.replace(op, new)
    return None


_CASTS = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp)
"""Casts of 0 alone to 0."""


def _select_of_cast(known: Known, op: arith.SelectOp, rewriter: Rewriter) -> Replacement:
    cast = op.lhs.owner
    if not isinstance(cast, _CASTS) or not is_zero(op.rhs):
        return None
    load = cast.input.owner
    if not isinstance(load, kernel.LoadOp) or load.gate is not op.cond:
        return None
    if load.other is not None and is_zero(load.other):
        return cast.result
    zero = constant(0, load.result.type)
    new = kernel.LoadOp(load.buffer, load.exprs, load.values, load.gate, zero.result)
    rewriter.insert([zero, new])
    return cast.create(operands=[new.result], result_types=[op.result.type])


def _select_of_load(known: Known, op: arith.SelectOp, rewriter: Rewriter) -> Replacement:
    load = op.lhs.owner
    if not isinstance(load, kernel.LoadOp) or load.gate is not op.cond:
        return None
    if is_same(load.other, op.rhs):
        return load.result
    if not isinstance(op.rhs.owner, arith.ConstantOp) or op.lhs.has_more_than_one_use():
        return None
    return kernel.LoadOp(load.buffer, load.exprs, load.values, load.gate, op.rhs)


def is_same(a: SSAValue | None, b: SSAValue | None) -> bool:
    """Whether two values are one, or the same constant to the bit."""
    if a is b:
        return True
    if a is None or b is None:
        return False
    x, y = a.owner, b.owner
    if not isinstance(x, arith.ConstantOp) or not isinstance(y, arith.ConstantOp):
        return False
    return str(x.properties["value"]) == str(y.properties["value"])


def _both(known: Known, op: arith.AndIOp, rewriter: Rewriter) -> Replacement:
    if op.result.type != i1:
        return None
    a, b = _interval(known, op.lhs), _interval(known, op.rhs)
    if a is None or b is None or a.of != b.of:
        return None
    both = a._replace(low=max(a.low, b.low), high=min(a.high, b.high))
    if both.low >= both.high:
        return constant(0, i1)
    return op.lhs if both == a else op.rhs if both == b else None


class Interval(NamedTuple):
    """`low <= of < high`, of an expression without a constant term."""

    of: Expr
    low: int
    high: int


def _interval(known: Known, value: SSAValue) -> Interval | None:
    """The condition that a value is, where it is an interval."""
    found = comparison(known, value)
    if found is None or found.predicate != "ult" or (high := found.rhs.constant) is None:
        return None
    offset = found.lhs.offset
    return Interval(found.lhs - offset, -offset, high - offset) if high > 0 else None


def _hoisted(known: Known, op: kernel.ReduceOp, rewriter: Rewriter) -> Replacement:
    select = op.value.owner
    if not isinstance(select, arith.SelectOp) or not is_identity(op, select.rhs):
        return None
    if not dependences(select.cond).isdisjoint(op.over):
        return None
    if dependences(select.lhs).isdisjoint(op.over):
        return None
    inner = kernel.ReduceOp(op.kind.data, select.lhs, op.over)
    rewriter.insert(inner)
    return arith.SelectOp(select.cond, inner.result, select.rhs)


MOST_USERS = 64
"""How many users of a load are looked at to find that its gate makes no difference."""


def _gate_for_nothing(known: Known, op: kernel.LoadOp, rewriter: Rewriter) -> Replacement:
    gate = op.gate
    if gate is None or not _is_only_read(known, op.buffer) or not _is_for_selects(op.result, gate):
        return None
    exprs = [known.globally(expr, op) for expr in op.exprs]
    ends = [end - 1 - expr for expr, end in zip(exprs, op.target.extents, strict=True)]
    if not all(known.facts.is_nonnegative(expr) for expr in [*exprs, *ends]):
        return None
    return kernel.LoadOp(op.buffer, op.exprs, op.values)


def _is_only_read(known: Known, buffer: SSAValue) -> bool:
    return any(mode == "in" and value is buffer for mode, value in known.func.buffers)


def _is_for_selects(value: SSAValue, gate: SSAValue) -> bool:
    """Whether floats that depend on a value are asked for only where a gate holds."""
    met = {value: None}
    waiting = [value]
    while waiting and len(met) <= MOST_USERS:
        each = waiting.pop()
        for use in each.uses:
            user = use.operation
            match user:
                case arith.SelectOp() if user.cond is gate and use.index == 1:
                    continue
                case kernel.StoreOp() if user.gate is gate:
                    continue
                case kernel.ReduceOp() if dependences(gate).isdisjoint(user.over):
                    pass
                case _ if kernel.is_scalar_op(user):
                    pass  # scans and the like take in what other iterations give
                case _:
                    return False
            if not all(isinstance(r.type, AnyFloat) for r in user.results):
                return False  # integers may be divisors, conditions and indices
            for result in user.results:
                if result not in met:
                    met[result] = None
                    waiting.append(result)
    return not waiting


def is_identity(op: kernel.ReduceOp, value: SSAValue | None) -> bool:
    """Whether a value is the constant that the reduction starts from."""
    if value is None or not isinstance(value.owner, arith.ConstantOp):
        return False
    identity = constant(op.combiner.identity(value.type), value.type)
    return is_same(value, identity.result)


GATES = (
    # i < n -> true or false, by intervals; of integers made of indices too
    KernelRow("compare-proven", (arith.CmpiOp,), _proven),
    # 0 <= i - a < n, where i - a < n always holds -> i >= a
    KernelRow("compare-one-side", (arith.CmpiOp,), _one_sided),
    # x[i] if true else v -> x[i], x[i] if false else v -> v
    KernelRow("load-gate", (kernel.LoadOp,), _load),
    # select(g, f(x[i] if g else v), w) -> select(g, f(x[i]), w), where i is always in bounds
    KernelRow("gate-for-nothing", (kernel.LoadOp,), _gate_for_nothing),
    # store .. if true -> store ..
    KernelRow("store-gate", (kernel.StoreOp,), _store),
    # scatter .. if true -> scatter ..
    KernelRow("scatter-gate", (kernel.ScatterOp,), _scatter),
    # select(g, x[i] if g else v, v) -> x[i] if g else v, and so for any constant in v's place
    KernelRow("select-of-load", (arith.SelectOp,), _select_of_load),
    # select(g, cast(x[i] if g else v), 0) -> cast(x[i] if g else 0)
    KernelRow("select-of-cast", (arith.SelectOp,), _select_of_cast),
    # 0 <= i - a < n and 0 <= i - b < m -> the narrower one, or false
    KernelRow("gate-within-gate", (arith.AndIOp,), _both),
    # reduce(select(g, v, identity) over k) -> select(g, reduce(v over k), identity), g without k
    KernelRow("hoist-gate", (kernel.ReduceOp,), _hoisted),
)
