"""Have a window read the edge again where it reaches beyond it, instead of nothing.

    max over l of                              max over l of
      x[2*j + l - 1] if 0 <= 2*j + l - 1 < H   -->   x[min(max(2*j + l - 1, 0), H - 1)]
                     else -inf

Legal for a reduction that gives the same however often it takes a value in: maxima, minima, bitwise
and and or. What it takes in from beyond an edge is its identity, so the value of the edge may be
there instead where the window has the edge itself in it: its elements are neighbours, and each
window has some of the image. Nothing else that is read, or that it is reduced over, depends on the
window: an element at its edge would be one of another row, or of another image. Other conditions of
the load stay, which do not depend on the window.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from teenyir.dialects import kernel
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.constants import number_of
from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.schedule.primitive import Primitive, before, find_range, put_in_place
from teenyir.passes.kernel.simplify.gates import Comparison, comparison
from teenyir.passes.kernel.simplify.known import Known
from teenyir.rewriting.base import fail
from teenyir.rewriting.surgery import users_of

IDEMPOTENT = ("max", "min", "umax", "umin", "and", "or")


@dataclass(frozen=True, kw_only=True)
class ClampWindow(Primitive):
    """Have a window read the edge again where it reaches beyond it."""

    name = "clamp-window"

    window: str
    """The range of the window."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        window = find_range(func, self.window)
        found = find_clamp(func, window)
        if isinstance(found, str):
            raise fail(window, f"{kernel.names([window])} cannot be clamped: {found}")
        op, build = found.load, before(found.load)
        exprs, values = found.known.locally(found.exprs)
        gate: SSAValue | None = None
        for condition in found.others:
            both = gate and build.insert(arith.AndIOp(gate, condition)).result
            gate = both or condition
        other = op.other if gate else None
        put_in_place(build, op, kernel.LoadOp(op.buffer, exprs, values, gate, other))


@dataclass
class Clamp:
    """A load that can be clamped."""

    known: Known
    load: kernel.LoadOp
    exprs: list[Expr]
    """Where it reads then."""
    others: list[SSAValue]
    """The conditions that it still has."""


def find_clamp(func: kernel.FuncOp, window: kernel.RangeOp) -> Clamp | str:
    """The load of a window that can be clamped, or what is in the way."""
    known = Known(func)
    loads = [op for op in func.body.block.ops if isinstance(op, kernel.LoadOp)]
    loads = [op for op in loads if op.gate is not None and known.depends(op.gate, window.result)]
    if len(loads) != 1:
        return f"{len(loads)} loads have a condition on it"
    (load,) = loads
    if window not in kernel.closed_by(_taken_in(load)) or not _is_identity(load):
        return "no reduction takes a value twice, or nothing from beyond an edge"
    at, size = known.name(window.result), window.extent.constant
    exprs = [known.globally(expr, load) for expr in load.exprs]
    # (the values of all names, so also those of indices that are read)
    read = [v for v in known.values if any(known.name(v).names & expr.names for expr in exprs)]
    over = [range_.result for range_ in kernel.closed_by(_taken_in(load))]
    beside = {load.buffer, *read, *over} - {window.result}
    if any(known.depends(value, window.result) for value in beside):
        return "the buffer, another index or another range of what is reduced depends on the window"
    axes = [k for k, expr in enumerate(exprs) if not at.names.isdisjoint(expr.names)]
    if len(axes) != 1 or size is None or size < 1 or window.lower.data != ZERO:
        return "it is not along one axis, from 0 to a number"
    place = exprs[axes[0]]
    if not (place - at).names.isdisjoint(at.names):
        return "its elements are no neighbours"
    conditions = [each for each in conjuncts(load.gate) if not isinstance(each.owner, arith.AndIOp)]
    others = [each for each in conditions if not known.depends(each, window.result)]
    own = [each for each in conditions if each not in others]
    limits = [_limits(comparison(known, each), place, known) for each in own]
    if not all(limits):
        return "a condition is none on the place along its axis alone"
    lows, highs = ([e for pair in limits if pair and (e := pair[n]) is not None] for n in range(2))
    first, last = (place.substitute({str(at): n}) for n in (0, size - 1))
    inside = [*(last - low for low in lows), *(high - first for high in highs)]
    inside += [high - low for low in lows for high in highs]  # there is an image
    if not all(map(known.facts.is_nonnegative, inside)):
        return "a window may have nothing of the image"
    exprs[axes[0]] = Expr.minimum(Expr.maximum(place, *lows), *highs)
    return Clamp(known, load, exprs, others)


def _limits(
    found: Comparison | None, place: Expr, known: Known
) -> tuple[Expr | None, Expr | None] | None:
    """The least and the greatest place for which a comparison holds, None for no limit, which
    depend on no range; None where it is another condition."""
    low = high = None
    match found:
        case Comparison("sge", lhs, rhs):
            low = place - lhs + rhs
        case Comparison("slt", lhs, rhs):
            high = place - lhs + rhs - 1
        case Comparison("ult", lhs, rhs) if known.facts.is_nonnegative(rhs):
            low = place - lhs
            high = low + rhs - 1
        case _:
            return None
    names = [limit.names for limit in (low, high) if limit is not None]
    return (low, high) if all(each <= known.facts.dims.keys() for each in names) else None


def _taken_in(load: kernel.LoadOp) -> Operation:
    """What uses a load, but for what it is extended to."""
    op: Operation = load
    while len(users := users_of(op.results[0])) == 1 and isinstance(users[0], arith.ExtFOp):
        op = users[0]
    return users[0] if len(users) == 1 else op


def _is_identity(load: kernel.LoadOp) -> bool:
    """Whether a load gives the identity, elsewhere, of the idempotent reduction that takes it."""
    op = _taken_in(load)
    if not isinstance(op, kernel.ReduceOp) or op.kind.data not in IDEMPOTENT or load.other is None:
        return False
    identity = op.combiner.identity(op.value.type)
    number = number_of(load.other)
    if number is None or not isa(op.value.type, IntegerType):
        return number == identity
    return (int(number) - int(identity)) % (1 << op.value.type.bitwidth) == 0
