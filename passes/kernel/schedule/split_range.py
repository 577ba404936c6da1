"""Split a range into an outer one over blocks and an inner one over the iterations of a block.

    %i = kernel.range 0 to N         %io = kernel.range 0 to (N + 11) floordiv 12
                               -->   %ii = kernel.range 0 to 12
                                     %i = kernel.index %io * 12 + %ii

Closers of the range close both. Where the extent is not known to be a multiple of the block, the
last block has iterations that were not there: loads and stores in them are gated off, and what a
reduction takes in from them is its identity. A sum of products whose two factors are loads, which
give 0 there, needs no selection. A stage that closes the range has room for the whole last block,
of which nothing reads what was not there. With `loads=clamped` loads read the last element again
instead, without a gate.

Legal where the bounds of the range depend on no other range; no scan runs along it; and, unless the
extent is a multiple, no fold closes it, since that cannot be gated, and a stage only along an axis
of its own. The blocks of a range of kind `unroll` are of that kind too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.conditions import implies
from teenyir.dialects.constants import constant, is_zero
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    close_others,
    find_range,
    name_range,
    put_in_place,
    require_exchangeable,
    scatter_over,
)
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder

MOST = 1 << 31
"""Iterations of a block: an extent and a block are added, which must not overflow."""


@dataclass(frozen=True, kw_only=True)
class SplitRange(Primitive):
    """Split a range into blocks."""

    name = "split-range"

    range: str
    """The range to split."""
    by: int
    """The iterations of a block."""
    outer: str = ""
    """The name of the range over blocks; the old one's and an `o` if it is empty."""
    inner: str = ""
    """The name of the range in a block; the old one's and an `i` if it is empty."""
    loads: Literal["gated", "clamped"] = "gated"
    """What loads do in iterations that were not there."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        if not 1 <= self.by <= MOST:
            raise fail(func, f"blocks of {self.by} iterations")
        range_ = find_range(func, self.range)
        nest = kernel.Dependences(func)
        divides = _divides(func, range_, self.by)
        _require_legal(range_, nest, divides)
        outer, inner = self._ranges(func, range_)
        build = before(range_)
        for new in (outer, inner):
            build.insert(new)
        joined = range_.lower.data + Expr.of("_0") * self.by + "_1"
        index = build.insert(kernel.IndexOp(joined, [outer.result, inner.result]))
        index.result.name_hint = range_.result.name_hint
        touched = [op for op in nest.ops if range_ in nest.operand_dependences[op]]
        gate = None if divides else _gate(build, range_, index.result)
        guarded = [op for op in touched if isinstance(op, _GUARDED)]
        closers = [op for op in touched if range_ in kernel.closed_by(op)]
        if gate is not None and self.loads == "clamped":
            guarded = _clamp(build, range_, index.result, guarded, nest)
        if gate is not None:
            for op in guarded:
                _guard(op, gate)
            for op in closers:
                if not _keeps(op, range_):
                    _neutralise(op, gate)
            closers = [self._with_room(op, range_) for op in closers]

        def both(values: Sequence[SSAValue]) -> list[SSAValue]:
            pair = [outer.result, inner.result]
            return [v for old in values for v in (pair if old is range_.result else [old])]

        for closer in closers:
            close_others(closer, both)
        scatter_over(range_, both)
        range_.result.replace_all_uses_with(index.result)
        range_.detach()
        range_.erase()

    def _ranges(
        self, func: kernel.FuncOp, range_: kernel.RangeOp
    ) -> tuple[kernel.RangeOp, kernel.RangeOp]:
        old = kernel.range_names(func)[range_]
        outer = kernel.RangeOp(0, range_.extent.ceildiv(self.by), kind=range_.how)
        inner = kernel.RangeOp(0, self.by, kind="unroll" if range_.how == "unroll" else "loop")
        name_range(func, outer, self.outer or f"{old}o")
        name_range(func, inner, self.inner or f"{old}i")
        return outer, inner

    def _with_room(self, op: Operation, range_: kernel.RangeOp) -> Operation:
        """A closer, or the stage in its place that has room for the iterations of whole blocks."""
        if not _keeps(op, range_):
            return op
        assert isinstance(op, kernel.StageOp)
        extents = list(op.target.extents)
        axis = _axis_along(op, range_)
        assert axis is not None  # else it is refused
        extents[axis] = extents[axis].ceildiv(self.by) * self.by
        new = op.changed(extents=extents)
        put_in_place(before(op), op, new)
        return new


def _divides(func: kernel.FuncOp, range_: kernel.RangeOp, by: int) -> bool:
    """Whether the extent is known to be a multiple of the block."""
    facts = kernel_indices(func).facts
    return facts.simplify(range_.extent % by).constant == 0


def _keeps(op: Operation, range_: kernel.RangeOp) -> bool:
    """Whether a stage has an element for each iteration of a range."""
    return (
        isinstance(op, kernel.StageOp)
        and range_ in kernel.closed_by(op)
        and range_ not in kernel.accumulated_by(op)
    )


def _axis_along(stage: kernel.StageOp, range_: kernel.RangeOp) -> int | None:
    """The axis whose index a range is, if it occurs in no other; else None."""
    exprs, values = kernel.written_out(stage.exprs, stage.values)
    names = {placeholder(k) for k, value in enumerate(values) if value is range_.result}
    axes = [axis for axis, expr in enumerate(exprs) if not names.isdisjoint(expr.names)]
    return axes[0] if len(axes) == 1 and exprs[axes[0]].name in names else None


def _require_legal(range_: kernel.RangeOp, nest: kernel.Dependences, divides: bool) -> None:
    name = kernel.names([range_])
    if range_.values:
        raise fail(range_, f"the bounds of {name} depend on another range")
    for op in nest.ops:
        if range_ in kernel.scanned_by(op):
            raise fail(op, f"runs along {name}, which cannot be split")
        if isinstance(op, kernel.StageOp) and op.scale and range_ in kernel.accumulated_by(op):
            raise fail(op, f"is scaled along {name}, which cannot be split")
        require_exchangeable(op, [range_])
        closes = range_ in kernel.closed_by(op)
        no_room = (
            isinstance(op, kernel.StageOp)
            and _keeps(op, range_)
            and (_axis_along(op, range_) is None or range_.lower.data != ZERO)
        )
        if closes and not divides and (no_room or isinstance(op, kernel.FoldOp)):
            raise fail(
                op,
                f"closes {name}, whose extent {range_.extent} is not known to be a multiple of "
                "the block: what it takes in cannot be gated",
            )


# --- guards ---------------------------------------------------------------------------------------

_GUARDED = (kernel.LoadOp, kernel.StoreOp, kernel.ScatterOp)


def _gate(build: LocatedBuilder, range_: kernel.RangeOp, index: SSAValue) -> SSAValue:
    """Whether an iteration of the blocks is one of the range."""
    end = build.insert(kernel.IndexOp(range_.upper.data))
    return build.insert(arith.CmpiOp(index, end.result, "slt")).result


def _clamp(
    build: LocatedBuilder,
    range_: kernel.RangeOp,
    index: SSAValue,
    guarded: Sequence[Operation],
    nest: kernel.Dependences,
) -> list[Operation]:
    """Have loads read the last iteration's element again; what is left to be gated."""
    name = kernel.names([range_])
    last = build.insert(kernel.IndexOp(Expr.minimum("_0", range_.upper.data - 1), [index]))
    rest: list[Operation] = []
    for op in guarded:
        if not isinstance(op, kernel.LoadOp):
            rest.append(op)
            continue
        if range_.result in op.values:
            for number, operand in enumerate(op.operands):
                if operand is range_.result:
                    op.operands[number] = last.result
        elif any(range_ in nest.dependences[value] for value in op.values):
            raise fail(op, f"its index depends on {name} by way of another value")
    return rest


def _guard(op: Operation, gate: SSAValue) -> None:
    """Gate an access, besides the gate that it has."""
    assert isinstance(op, _GUARDED)
    build = before(op)
    both = gate if op.gate is None else build.insert(arith.AndIOp(op.gate, gate)).result
    match op:
        case kernel.LoadOp():
            other = op.other
            if other is None:
                other = build.insert(constant(0, op.result.type)).result
            new = kernel.LoadOp(op.buffer, op.exprs, op.values, both, other)
            new.result.name_hint = op.result.name_hint
        case kernel.StoreOp():
            new = kernel.StoreOp(op.value, op.buffer, op.exprs, op.values, both, op.streaming)
        case kernel.ScatterOp():
            kind = op.kind.data
            new = kernel.ScatterOp(kind, op.value, op.buffer, op.exprs, op.values, both, op.over)
    put_in_place(build, op, new)


def _neutralise(op: Operation, gate: SSAValue) -> None:
    """Have a closer take its identity in where the gate does not hold."""
    assert isinstance(op, kernel.ReduceOp | kernel.StageOp) and op.combiner is not None
    value, kind = op.value, op.kind.data if op.kind is not None else ""
    if kind == "add" and (_is_zero_outside(value, gate) or _is_product_of_zeros(value, gate)):
        return
    build = before(op)
    identity = build.insert(constant(op.combiner.identity(value.type), value.type)).result
    chosen = build.insert(arith.SelectOp(gate, value, identity)).result
    op.operands[0] = chosen


def _is_product_of_zeros(value: SSAValue, gate: SSAValue) -> bool:
    """Whether a value is a product whose two factors are 0 where a gate does not hold."""
    op = value.owner
    if not isinstance(op, arith.MulfOp | arith.MuliOp):
        return False
    return _is_zero_outside(op.lhs, gate) and _is_zero_outside(op.rhs, gate)


def _is_zero_outside(value: SSAValue, gate: SSAValue) -> bool:
    """Whether a value is a load that gives 0 where a gate does not hold."""
    op = value.owner
    if not isinstance(op, kernel.LoadOp) or op.gate is None or op.other is None:
        return False
    return is_zero(op.other) and implies(op.gate, gate)
