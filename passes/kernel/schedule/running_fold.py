"""Take a maximum, and the sums that are relative to it, in one pass over blocks of a range.

    for j: m = max f(j)                    for blocks of j:
    for j: s = sum exp(f(j) - m)             for j in the block: mb = max f(j)
    for c:                                   for j in the block: sb = sum exp(f(j) - mb)
      for j: o = sum exp(f(j) - m) v(j, c)   (m, s) = (m, s) + (mb, sb)
      y[c] = o / s                           for c:
                                     -->       for j in the block: ob = sum exp(f(j) - mb) v(j, c)
                                               (m, o[c]) = (m, o[c]) + (mb, ob)
                                           for c: y[c] = o[c] / s

    (m, s) + (n, t) = (k, s * exp(m - k) + t * exp(n - k)),  k = max(m, n)

A block is computed relative to its own maximum, by two passes over what it stages. Sums are folded
along the blocks, in registers, where there is no further range around any of them. Where one has
columns, as `o`, all are summed in stages that each block scales, `accumulating(%jo) scaled(%a)`:
the loop over the blocks is outside of the columns, and its exponentials serve all sums. What f(j)
is, is computed once, and staged, where that takes a reduction or there are columns. Which terms a
sum may have stands in `running_terms`.

Where a block is all -inf, 0 is subtracted instead, of which 0 comes out, and exp(-inf - -inf)
counts as 1 in joining; so a block that is masked out changes nothing. Where all of the range is
-inf, the sums are NaN as they were, unless what was subtracted is finite then. Sums are formed in
another order, and factors are applied to them that were applied to each term; what overflowed or
did not where numbers are near the greatest may change with that.

The last block is clipped; with `edge=clamped` its loop over `f(j)` runs whole instead, over the
last iteration again, which counts as -inf: such a loop can be split.

Legal where the maximum closes one loop, from 0 on and with bounds of its own, sums are relative to
it, and the extents of their columns have maxima.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects import math as math_ops
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.lanewise import NONPOSITIVE
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    before,
    cone,
    erase_unused,
    find_range,
    name_range,
)
from teenyir.passes.kernel.schedule.running_terms import Running, Step, Sum, running_of
from teenyir.passes.kernel.schedule.split_range import MOST
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True, kw_only=True)
class RunningFold(Primitive):
    """Take a maximum and the sums relative to it in one pass over blocks."""

    name = "running-fold"

    range: str
    """The range that the maximum closes."""
    by: int
    """The iterations of a block."""
    outer: str = ""
    """The name of the range over blocks; the old one's and an `o` if it is empty."""
    inner: str = ""
    """The name of the range in a block; the old one's and an `i` if it is empty."""
    edge: Literal["clipped", "clamped"] = "clipped"
    """How the last block ends: early, or with its last iteration again and again."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        if not 1 <= self.by <= MOST:
            raise fail(func, f"blocks of {self.by} iterations")
        range_ = find_range(func, self.range)
        nest = kernel.Nest(func)
        closers = [op for op in nest.ops if range_ in kernel.closed_by(op)]
        maxima = [op for op in closers if isinstance(op, kernel.ReduceOp)]
        found = next((r for op in maxima if (r := running_of(op, nest)) is not None), None)
        if found is None:
            name = kernel.names([range_])
            raise fail(range_, f"no sum is relative to a maximum over {name}, a loop from 0 on")
        _Rewrite(self, func, nest, found).run()


Power: TypeAlias = math_ops.ExpOp | math_ops.Exp2Op


@dataclass(frozen=True)
class _Power:
    """An exponential of a difference to the maximum of a block."""

    value: SSAValue
    range: kernel.RangeOp
    """The range over the block."""
    at: SSAValue
    """The iteration of the old range."""


class _Rewrite:
    def __init__(
        self, primitive: RunningFold, func: kernel.FuncOp, nest: kernel.Nest, found: Running
    ):
        self.primitive = primitive
        self.func = func
        self.nest = nest
        self.found = found
        self.facts = kernel_indices(func).facts
        self.type = found.maximum.result.type
        self.powers: dict[tuple[type[Power], SSAValue, frozenset[str]], _Power] = {}
        self.scales: dict[tuple[type[Power], Attribute], tuple[SSAValue, SSAValue]] = {}
        self.so_far: tuple[SSAValue, SSAValue] | None = None
        """The maximum before a block, and with it."""
        self.formed: dict[SSAValue, SSAValue] = {}
        """What has taken the place of each sum."""
        for each in found.sums:
            self._require_room(each)

    def run(self) -> None:
        self._open()
        self._block_maximum()
        whole = kernel.ReduceOp("max", self.block, [self.outer.result])
        self.whole_maximum = self.build.insert(whole).result
        self.whole_maximum.name_hint = self.found.maximum.result.name_hint
        self.formed[self.found.maximum.result] = self.whole_maximum
        for each in self.found.sums:
            self._sum(each)
        self.found.maximum.result.replace_all_uses_with(self.whole_maximum)
        dead = (kernel.StoreOp, kernel.ScatterOp, kernel.SortOp)
        erase_unused([op for op in reversed(self.nest.ops) if not isinstance(op, dead)])

    # --- ranges -------------------------------------------------------------------------------

    def _open(self) -> None:
        """The range over blocks, and that over the iterations of one."""
        old, by = self.found.range, self.primitive.by
        name = kernel.range_names(self.func)[old]
        self.build = before(self.found.maximum)
        self.end = old.extent
        self.whole = self.facts.simplify(old.extent % by) == ZERO
        self.outer = self.build.insert(kernel.RangeOp(0, self.end.ceildiv(by)))
        name_range(self.func, self.outer, self.primitive.outer or f"{name}o")
        self.clamped = self.primitive.edge == "clamped" and not self.whole
        self.inner = self._inner(self.build, clipped=not self.clamped)
        name_range(self.func, self.inner, self.primitive.inner or f"{name}i")

    def _inner(self, build: LocatedBuilder, clipped: bool) -> kernel.RangeOp:
        """A new range over the iterations of a block."""
        by = self.primitive.by
        if self.whole or not clipped:
            return build.insert(kernel.RangeOp(0, by))
        left = self.end - Expr.of(placeholder(0)) * by
        return build.insert(kernel.RangeOp(0, Expr.minimum(by, left), [self.outer.result]))

    def _joined(self, build: LocatedBuilder, inner: kernel.RangeOp) -> SSAValue:
        """The iteration of the old range."""
        at = Expr.of(placeholder(0)) * self.primitive.by + placeholder(1)
        index = build.insert(kernel.IndexOp(at, [self.outer.result, inner.result]))
        index.result.name_hint = self.found.range.result.name_hint
        return index.result

    # --- a block ------------------------------------------------------------------------------

    def _block_maximum(self) -> None:
        """The maximum of a block, and what is subtracted in it."""
        build, value = self.build, self.found.maximum.value
        at = self._joined(build, self.inner)
        gate = None
        if self.clamped:
            end = build.insert(kernel.IndexOp(self.end))
            gate = build.insert(arith.CmpiOp(at, end.result, "slt")).result
            last = Expr.minimum(placeholder(0), self.end - 1)
            at = build.insert(kernel.IndexOp(last, [at])).result
        cloned = self._cloned(build, value, {self.found.range.result: at})
        self.row: SSAValue | None = None
        if is_worth_keeping(self.found, self.nest):
            self.row = self._staged(build, cloned, [self.inner], [self.primitive.by], "row")
        if gate is not None:
            least = build.insert(constant(-math.inf, self.type)).result
            cloned = build.insert(arith.SelectOp(gate, cloned, least)).result
        self.block = build.insert(kernel.ReduceOp("max", cloned, [self.inner.result])).result

    def _staged(
        self,
        build: LocatedBuilder,
        value: SSAValue,
        ranges: Sequence[kernel.RangeOp],
        extents: Sequence[int],
        name: str,
    ) -> SSAValue:
        index = [placeholder(k) for k in range(len(ranges))]
        along = [range_.result for range_ in ranges]
        buffer = kernel.BufferType(extents, value.type, "local")
        stage = build.insert(kernel.StageOp(value, index, along, along, buffer))
        stage.result.name_hint = name
        return stage.result

    def _cloned(
        self, build: LocatedBuilder, value: SSAValue, copies: dict[SSAValue, SSAValue]
    ) -> SSAValue:
        """A value at another iteration of the ranges that `copies` has."""
        ranges = {v.owner for v in copies if isinstance(v.owner, kernel.RangeOp)}
        for op in _needed(value, ranges, self.nest):
            if op.results[0] in copies:
                continue
            copy = build.insert(op.clone(copies))
            if isinstance(op, kernel.RangeOp) and isinstance(copy, kernel.RangeOp):
                name_range(self.func, copy, kernel.range_names(self.func)[op])
            for old, new in zip(op.results, copy.results, strict=True):
                new.name_hint = new.name_hint or old.name_hint
                copies[old] = new
        return copies.get(value, value)

    # --- sums ---------------------------------------------------------------------------------

    def _sum(self, each: Sum) -> None:
        """Form a sum from those of the blocks."""
        build = before(each.reduction)
        power = self._power(build, each)
        if any(other.columns for other in self.found.sums):
            total = self._in_a_stage(build, each, power)
        else:
            total = self._in_registers(build, each, power)
        total.name_hint = each.reduction.result.name_hint
        if each.subtracted is self.found.maximum.result:
            total = self._poisoned(build, total)
        empty = total
        for step in each.steps:
            if step.outside and step.factor is not None:
                factor = self.formed.get(step.factor, step.factor)
                factor = _as_type(build, factor, total.type)
                total = _again(build, step.op, [total, factor])
        if total is not empty and (any_ := self._is_any(build)) is not None:
            total = build.insert(arith.SelectOp(any_, total, empty)).result
        each.reduction.result.replace_all_uses_with(total)
        self.formed[each.reduction.result] = total

    def _power(self, build: LocatedBuilder, each: Sum) -> _Power:
        """The exponential in an iteration of a block, in a loop that all sums share."""
        known = dict(each.power.attributes)
        key = type(each.power), each.subtracted, frozenset(known)
        if key not in self.powers:
            inner = self._inner(build, clipped=True)
            name_range(self.func, inner, f"{kernel.range_names(self.func)[each.range]}i")
            at = self._joined(build, inner)
            if self.row is None:
                value = self.found.maximum.value
                value = self._cloned(build, value, {self.found.range.result: at})
            else:
                load = kernel.LoadOp(self.row, [placeholder(0)], [inner.result])
                value = build.insert(load).result
            difference = build.insert(arith.SubfOp(value, self._subtracted(build, each)))
            power = _exponential(build, each.power, difference.result)
            power.attributes |= known
            self.powers[key] = _Power(power.result, inner, at)
        return self.powers[key]

    def _subtracted(self, build: LocatedBuilder, each: Sum) -> SSAValue:
        """What is subtracted in a block: never -inf."""
        maximum, value = self.found.maximum.result, each.subtracted
        if value is maximum:
            least = build.insert(constant(-math.inf, self.type)).result
            is_least = build.insert(arith.CmpfOp(self.block, least, "oeq")).result
            zero = build.insert(constant(0, self.type)).result
            return build.insert(arith.SelectOp(is_least, zero, self.block)).result
        copies: dict[SSAValue, SSAValue] = {maximum: self.block}
        for op in _between(maximum, value):
            copies[op.results[0]] = build.insert(op.clone(copies)).results[0]
        return copies[value]

    def _in_registers(self, build: LocatedBuilder, each: Sum, power: _Power) -> SSAValue:
        """Fold what the blocks give, a maximum and a sum each."""
        part, _ = self._without_columns(build, each, power)
        block = _as_type(build, self.block, part.type)
        least = build.insert(constant(-math.inf, part.type)).result
        zero = build.insert(constant(0, part.type)).result
        body = _joining(each.power, part.type)
        fold = kernel.FoldOp([block, part], [least, zero], [self.outer.result], body)
        return build.insert(fold).results[1]

    def _in_a_stage(self, build: LocatedBuilder, each: Sum, power: _Power) -> SSAValue:
        """Sum what the blocks give in a stage, which each block scales."""
        parts = self._in_columns if each.columns else self._without_columns
        part, columns = parts(build, each, power)
        earlier, own = self._scales(build, each.power, part.type)
        part = build.insert(arith.MulfOp(part, own)).result
        index = [placeholder(k) for k in range(len(columns))]
        along = [column.result for column in columns]
        buffer = kernel.BufferType(self._extents(each.columns), part.type, "local")
        outer = [self.outer.result]
        stage = kernel.StageOp(part, index, along, along, buffer, outer, "add", earlier)
        build.insert(stage).result.name_hint = "sums" if columns else "sum"
        old = [column.result for column in each.columns]
        return build.insert(kernel.LoadOp(stage.result, index, old)).result

    def _without_columns(
        self, build: LocatedBuilder, each: Sum, power: _Power
    ) -> tuple[SSAValue, Sequence[kernel.RangeOp]]:
        """What a block gives for a sum around which there is no further range."""
        term = self._term(build, each.steps, power.value, {each.range.result: power.at})
        return build.insert(kernel.ReduceOp("add", term, [power.range.result])).result, ()

    def _in_columns(
        self, build: LocatedBuilder, each: Sum, power: _Power
    ) -> tuple[SSAValue, Sequence[kernel.RangeOp]]:
        """What a block gives for a sum of each column, and the columns."""
        head, rest = self._parted(each)
        kept = self._term(build, head, power.value, {each.range.result: power.at})
        row = self._staged(build, kept, [power.range], [self.primitive.by], "row")
        copies: dict[SSAValue, SSAValue] = {}
        names = kernel.range_names(self.func)
        columns: list[kernel.RangeOp] = []
        for column in each.columns:
            columns.append(build.insert(column.clone()))
            name_range(self.func, columns[-1], names[column])
            copies[column.result] = columns[-1].result
        inner = self._inner(build, clipped=True)
        name_range(self.func, inner, f"{names[each.range]}i")
        copies[each.range.result] = self._joined(build, inner)
        load = build.insert(kernel.LoadOp(row, [placeholder(0)], [inner.result]))
        term = self._term(build, rest, load.result, copies)
        return build.insert(kernel.ReduceOp("add", term, [inner.result])).result, columns

    def _parted(self, each: Sum) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """The steps that do not depend on columns, which are done once, and the rest."""
        columns = frozenset(each.columns)
        for number, step in enumerate(each.steps):
            depends = self.nest.dependences.get(step.factor, ()) if step.factor else ()
            if not step.outside and not columns.isdisjoint(depends):
                return each.steps[:number], each.steps[number:]
        raise AssertionError("a sum of columns that no factor depends on")

    def _term(
        self,
        build: LocatedBuilder,
        steps: Sequence[Step],
        value: SSAValue,
        copies: dict[SSAValue, SSAValue],
    ) -> SSAValue:
        """Steps towards a term, on another value, but for those that are applied to the sum."""
        for step in steps:
            if step.outside:
                continue
            operands = [value]
            if step.factor is not None:
                operands.append(self._cloned(build, step.factor, copies))
            value = _again(build, step.op, operands)
        return value

    def _scales(
        self, build: LocatedBuilder, power: Power, type: Attribute
    ) -> tuple[SSAValue, SSAValue]:
        """What the sums of earlier blocks, and that of this block, are multiplied with."""
        key = power.__class__, type
        if key not in self.scales:
            if self.so_far is None:
                scan = kernel.ScanOp("max", self.block, self.outer.result, exclusive=True)
                earlier = build.insert(scan).result
                self.so_far = earlier, build.insert(arith.MaximumfOp(earlier, self.block)).result
            earlier, now = (_as_type(build, value, type) for value in self.so_far)
            block = _as_type(build, self.block, type)
            self.scales[key] = _ratios(build, power, earlier, block, now)
        return self.scales[key]

    def _poisoned(self, build: LocatedBuilder, total: SSAValue) -> SSAValue:
        """NaN where all of the range is -inf, and there is any of it."""
        least = build.insert(constant(-math.inf, self.type)).result
        poisons = build.insert(arith.CmpfOp(self.whole_maximum, least, "oeq")).result
        if (any_ := self._is_any(build)) is not None:
            poisons = build.insert(arith.AndIOp(poisons, any_)).result
        nan = build.insert(constant(math.nan, total.type)).result
        return build.insert(arith.SelectOp(poisons, nan, total)).result

    def _is_any(self, build: LocatedBuilder) -> SSAValue | None:
        """Whether the range has an iteration; None where it always has."""
        if self.facts.is_nonnegative(self.end - 1):
            return None
        zero, end = (build.insert(kernel.IndexOp(expr)) for expr in (ZERO, self.end))
        return build.insert(arith.CmpiOp(zero.result, end.result, "slt")).result

    def _require_room(self, each: Sum) -> None:
        for column in each.columns:
            name = kernel.names([column])
            if column.how != "loop" or column.lower.data != ZERO or column.values:
                raise fail(column, f"{name}, along which sums are kept, is no loop from 0 on")
        self._extents(each.columns)

    def _extents(self, columns: Sequence[kernel.RangeOp]) -> list[int]:
        extents: list[int] = []
        for column in columns:
            most = self.facts.interval(column.extent)[1]
            if most is None:
                name = kernel.names([column])
                raise fail(column, f"{name} has no maximum: there is no room for a sum of each")
            extents.append(max(most, 1))
        return extents


def is_worth_keeping(found: Running, nest: kernel.Nest) -> bool:
    """Whether a block of what a maximum is of is staged: computing it again would take a loop, or
    there are columns, beside whose products copying a block costs little."""
    ops = _needed(found.maximum.value, {found.range}, nest)
    loops = any(isinstance(op, kernel.ReduceOp | kernel.FoldOp) for op in ops)
    return loops or any(each.columns for each in found.sums)


def _needed(
    value: SSAValue, ranges: AbstractSet[kernel.RangeOp], nest: kernel.Nest
) -> list[Operation]:
    """The ops that compute a value and depend on some of the ranges, with the loops that are
    closed on the way and what depends on those, in the order of the text."""
    wanted = set(ranges)
    while True:
        found = cone([value], wanted, nest)
        closed = frozenset[kernel.RangeOp]().union(*map(kernel.closed_by, found)) - wanted
        if not closed:
            return sorted({*found, *(wanted - set(ranges))}, key=nest.position.__getitem__)
        wanted |= closed


def _between(start: SSAValue, end: SSAValue) -> list[Operation]:
    """The ops that make one value of another, each after those that it needs."""
    op = end.owner
    if end is start or not isinstance(op, Operation) or not op.operands:
        return []
    found = dict.fromkeys(each for value in op.operands for each in _between(start, value))
    return [*found, op]


def _joining(power: Power, type: Attribute) -> Region:
    """(m, s) + (n, t) = (k, s * exp(m - k) + t * exp(n - k)),  k = max(m, n)."""
    block = Block(arg_types=[type] * 4)
    m, s, n, t = block.args
    build = LocatedBuilder(InsertPoint.at_end(block))
    k = build.insert(arith.MaximumfOp(m, n)).result
    of_s, of_t = _ratios(build, power, m, n, k)
    first = build.insert(arith.MulfOp(s, of_s)).result
    second = build.insert(arith.MulfOp(t, of_t)).result
    total = build.insert(arith.AddfOp(first, second)).result
    build.insert(kernel.YieldOp([k, total]))
    return Region(block)


def _exponential(build: LocatedBuilder, like: Power, exponent: SSAValue) -> Power:
    """A power of the same base as another, and from where that comes."""
    power = build.insert(type(like)(exponent))
    power.location = like.location
    return power


def _ratios(
    build: LocatedBuilder, power: Power, one: SSAValue, other: SSAValue, greatest: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """What makes terms relative to each of two numbers relative to the greater one of them:

        exp(one - greatest), exp(other - greatest)   -->   e = exp((one == greatest ? other : one)
                                                                   - greatest)
                                                           one == greatest ? 1 : e
                                                           other == greatest ? 1 : e

    1 where they are equal, infinite ones too: one of the two always is, or there is a NaN.
    """
    is_one = build.insert(arith.CmpfOp(one, greatest, "oeq")).result
    is_other = build.insert(arith.CmpfOp(other, greatest, "oeq")).result
    less = build.insert(arith.SelectOp(is_one, other, one)).result
    difference = build.insert(arith.SubfOp(less, greatest)).result
    ratio = _exponential(build, power, difference)
    ratio.attributes[NONPOSITIVE] = UnitAttr()
    same = build.insert(constant(1, one.type)).result
    first, second = (
        build.insert(arith.SelectOp(is_greatest, same, ratio.result)).result
        for is_greatest in (is_one, is_other)
    )
    return first, second


def _again(build: LocatedBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """An op on other operands, of the type of the first one unless it is a cast."""
    cast = isinstance(op, arith.ExtFOp | arith.TruncFOp)
    types = op.result_types if cast else [operands[0].type]
    new = type(op).create(operands=operands, result_types=types, properties=dict(op.properties))
    build.insert(new).location = op.location
    return new.results[0]


def _as_type(build: LocatedBuilder, value: SSAValue, type: Attribute) -> SSAValue:
    """A float of a type that is no wider as one of another."""
    return value if value.type == type else build.insert(arith.ExtFOp(value, type)).result
