"""Reduce a range in parts, which are kept and reduced in turn.

    %k = kernel.range 0 to N                    %ko = kernel.range 0 to 16
    %v = kernel.load %x[%k]                     %ki = kernel.range 0 to min(C, N - %ko * C)
    %s = kernel.reduce %v over(%k) {..}   -->   %k = kernel.index %ko * C + %ki
                                                %v = kernel.load %x[%k]
                                                %p = kernel.reduce %v over(%ki) {..}
                                                %part = kernel.stage %p[%ko] over(%ko)
                                                %kp = kernel.range 0 to 16
                                                %a = kernel.load %part[%kp]
                                                %s = kernel.reduce %a over(%kp) {..}

The parts do not depend on each other, so that threads may share them; what comes out does not
depend on how they do. A part has `C` iterations, a multiple of 64 (whole vectors, whole cache
lines); where the extent is short there are empty parts, of which the identity comes out. What
accumulates in a stage is kept likewise, a copy of the stage for each part, and reduced where it is
loaded.

Legal, because reductions and folds may be formed in any order. Where the bounds of the range depend
on no other range; and nothing that takes it in does so in order, as a scan and a scatter do, or is
loaded under a gate. Not for reductions that stand side by side, as copies or lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import Primitive, before, find_range, name_range
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder

WHOLE = 64
"""What the iterations of a part are a multiple of."""

MOST_PARTS = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PartReduction(Primitive):
    """Reduce a range in parts, which are reduced in turn."""

    name = "part-reduction"

    range: str
    """The range."""
    parts: int = 16
    """The most parts."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        if not 1 <= self.parts <= MOST_PARTS:
            raise fail(func, f"{self.parts} parts")
        range_ = find_range(func, self.range)
        nest = kernel.Dependences(func)
        if (refusal := why_not(range_, nest)) is not None:
            raise fail(refusal[0], refusal[1])
        _Parts(func, range_, nest, self.parts).run()


def why_not(range_: kernel.RangeOp, nest: kernel.Dependences) -> tuple[Operation, str] | None:
    """Why a range cannot be reduced in parts, and at which op; None if it can."""
    name = kernel.names([range_])
    if range_.values:
        return range_, f"the bounds of {name} depend on another range"
    if kernel.is_unrolled(range_) or kernel.runs_at_once(range_):
        return range_, f"{name} is of kind `{range_.how}`"
    closers = [op for op in nest.ops if range_ in kernel.closed_by(op)]
    if (found := _taken_in_order(range_, nest)) is not None:
        return found
    for op in closers:
        if not isinstance(op, kernel.ReduceOp | kernel.FoldOp | kernel.StageOp):
            return op, f"takes in {name} as a whole"
        if copies := kernel.only_unrolled(nest.open_around(op)):
            names = kernel.names(nest.in_text_order(copies))
            return op, f"stands side by side with others, for {names}: there is no place for each"
        if isinstance(op, kernel.StageOp) and range_ in kernel.accumulated_by(op):
            gated = (load for load in _loads(op) if load.gate is not None)
            if (load := next(gated, None)) is not None:
                return load, f"loads under a gate what accumulates over {name}"
    if all(
        isinstance(op, kernel.StageOp) and range_ not in kernel.accumulated_by(op) for op in closers
    ):
        return range_, f"nothing is reduced over {name}"
    return None


def _taken_in_order(
    range_: kernel.RangeOp, nest: kernel.Dependences
) -> tuple[Operation, str] | None:
    """The op that takes a range in iteration after iteration, if there is one."""
    name = kernel.names([range_])
    for op in nest.ops:
        if range_ in kernel.scanned_by(op):
            return op, f"runs along {name}, in order"
        if isinstance(op, kernel.ScatterOp) and range_ in nest.operand_dependences[op]:
            return op, f"scatters over {name}, in order"
        if isinstance(op, kernel.StageOp) and op.scale and range_ in kernel.accumulated_by(op):
            return op, f"is scaled along {name}, in order"
    return None


def _loads(stage: kernel.StageOp) -> list[kernel.LoadOp]:
    """What reads a stage."""
    users = (use.operation for use in stage.result.uses)
    return [op for op in users if isinstance(op, kernel.LoadOp)]


@dataclass
class _Parts:
    func: kernel.FuncOp
    range_: kernel.RangeOp
    nest: kernel.Dependences
    most: int

    def run(self) -> None:
        range_, facts = self.range_, kernel_indices(self.func).facts
        each = facts.simplify(range_.extent.ceildiv(self.most * WHOLE) * WHOLE)
        self.count, end = self.most, Expr.minimum(each, range_.extent - Expr.of("_0") * each)
        if (size := each.constant) and (extent := range_.extent.constant):
            self.count = -(-extent // size)
            end = each if extent % size == 0 else end
        self.outer = kernel.RangeOp(0, self.count)
        self.inner = kernel.RangeOp(0, end, [self.outer.result] if "_0" in end.names else [])
        self.old = kernel.range_names(self.func)[range_]
        name_range(self.func, self.outer, f"{self.old}o")
        name_range(self.func, self.inner, f"{self.old}i")
        build = before(range_)
        build.insert(self.outer)
        build.insert(self.inner)
        at = range_.lower.data + Expr.of("_0") * each + "_1"
        index = build.insert(kernel.IndexOp(at, [self.outer.result, self.inner.result]))
        index.result.name_hint = range_.result.name_hint
        for op in [op for op in self.nest.ops if range_ in kernel.closed_by(op)]:
            self._part(op)
        range_.result.replace_all_uses_with(index.result)
        range_.detach()
        range_.erase()

    def _part(self, op: Operation) -> None:
        match op:
            case kernel.ReduceOp():
                self._reduction(op)
            case kernel.FoldOp():
                self._fold(op)
            case kernel.StageOp() if self.range_ in kernel.accumulated_by(op):
                self._accumulation(op)
            case _:
                assert isinstance(op, kernel.StageOp)
                pair = (self.outer.result, self.inner.result)
                _replace(op, before(op).insert(op.changed(over=self._closed(op.over, pair))))

    def _closed(self, over: Sequence[SSAValue], new: Sequence[SSAValue]) -> list[SSAValue]:
        """Ranges with some in the place of that which is parted."""
        return [v for old in over for v in (new if old is self.range_.result else [old])]

    def _keep(self, build: LocatedBuilder, value: SSAValue) -> SSAValue:
        """Keep a value of each part."""
        buffer = kernel.BufferType([self.count], value.type, "local")
        own = self.outer.result
        stage = build.insert(kernel.StageOp(value, [placeholder(0)], [own], [own], buffer))
        stage.result.name_hint = "part"
        return stage.result

    def _every(self, build: LocatedBuilder) -> SSAValue:
        """A range over all parts."""
        range_ = kernel.RangeOp(0, self.count)
        name_range(self.func, range_, f"{self.old}p")
        return build.insert(range_).result

    def _reduction(self, op: kernel.ReduceOp) -> None:
        build = before(op)
        inner = self._closed(op.over, [self.inner.result])
        part = build.insert(kernel.ReduceOp(op.kind.data, op.value, inner))
        kept = self._keep(build, part.result)
        every = self._every(build)
        load = build.insert(kernel.LoadOp(kept, [placeholder(0)], [every]))
        total = build.insert(kernel.ReduceOp(op.kind.data, load.result, [every]))
        total.attributes |= op.attributes
        _replace(op, total)

    def _fold(self, op: kernel.FoldOp) -> None:
        build = before(op)
        inner = self._closed(op.over, [self.inner.result])
        part = build.insert(kernel.FoldOp(op.inputs, op.initial, inner, op.body.clone()))
        kept = [self._keep(build, result) for result in part.outputs]
        every = self._every(build)
        loads = [build.insert(kernel.LoadOp(each, [placeholder(0)], [every])) for each in kept]
        values = [load.result for load in loads]
        total = build.insert(kernel.FoldOp(values, op.initial, [every], op.body.clone()))
        total.attributes |= op.attributes
        _replace(op, total)

    def _accumulation(self, op: kernel.StageOp) -> None:
        assert op.kind is not None  # it accumulates
        loads, own = _loads(op), self.outer.result
        shifted = {placeholder(k): placeholder(k + 1) for k in range(len(op.values))}
        exprs = [expr.substitute(shifted) for expr in op.exprs]
        new = kernel.StageOp(
            op.value,
            [Expr.of(placeholder(0)), *exprs],
            [own, *op.values],
            [own, *op.over],
            kernel.BufferType([self.count, *op.target.extents], op.target.element, "local"),
            self._closed(op.accumulating, [self.inner.result]),
            op.kind.data,
        )
        new.result.name_hint = op.result.name_hint
        before(op).insert(new)
        for load in loads:
            self._reduced(load, new)
        op.detach()
        op.erase()

    def _reduced(self, load: kernel.LoadOp, stage: kernel.StageOp) -> None:
        """Reduce over the copies of a stage where it is loaded."""
        build = before(load)
        every = self._every(build)
        last = placeholder(len(load.values))
        new = build.insert(
            kernel.LoadOp(stage.result, [Expr.of(last), *load.exprs], [*load.values, every])
        )
        assert stage.kind is not None
        _replace(load, build.insert(kernel.ReduceOp(stage.kind.data, new.result, [every])))


def _replace(op: Operation, new: Operation) -> None:
    """Put an op that has been inserted in the place of another."""
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
