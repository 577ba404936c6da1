"""The rewrite of `running-products`: a block of queries goes through blocks of keys.

Here is what does not depend on how the two products are computed, which `running_matrices` does by
matrix instructions and `running_threads` by those of threads. In both, some lanes have a row of a
block of queries, and each lane has two rows, of which it has some columns of the result.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.lanewise import NONPOSITIVE
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.gpu.copied import (
    Holds,
    all_of,
    copied,
    factor_in_panel,
    inside,
    move,
)
from teenyir.passes.kernel.choose.gpu.panels import Factor, Order, Panel
from teenyir.passes.kernel.choose.gpu.running_matches import Match
from teenyir.passes.kernel.choose.places import Places, flattened, total
from teenyir.passes.kernel.schedule.primitive import before, erase_unused
from teenyir.passes.kernel.schedule.running_terms import Step, Sum, unless_zero
from teenyir.rewriting.base import fail
from teenyir.targets import cuda
from teenyir.targets.cuda import WARP

WARPS = 4
"""The most warps of a block."""

EACH = 2
"""The rows that a lane has a part of."""

_LEAST = -math.inf

Exprs: TypeAlias = dict[SSAValue, Expr]


@dataclass(frozen=True)
class Elements:
    """Elements of a matrix that a lane has in its registers."""

    names: Sequence[str]
    """The ranges that count them."""
    index: Sequence[Expr]
    """Where they are, over these ranges."""
    extents: Sequence[int]


BY_ROW = Elements(["h"], [Expr.of("h")], [EACH])
"""One for each row."""


class Rewrite(ABC):
    """Makes one pass over blocks of keys of a kernel with two products."""

    KEYS: ClassVar[int]
    """The most keys of a block."""
    ALONG: ClassVar[tuple[str, ...]]
    """The ranges that count the weights of a row where they are computed."""
    HALF: ClassVar[Expr]
    """Which of its rows an element of the second product is of."""

    def __init__(self, func: kernel.FuncOp, nest: kernel.Nest, named: KernelIndices, found: Match):
        self.func, self.nest, self.named, self.match = func, nest, named, found
        self.facts = named.facts
        self.original = [op for op in nest.ops if isinstance(op, kernel.RangeOp)]
        self.end = found.running.range.extent
        self.sizes = {
            "rows": total(found.rows, self.facts),
            "batches": total(found.batches, self.facts),
            "depth": total(found.depth, self.facts),
            "columns": total(found.columns, self.facts),
        }
        self.lanes = self._lanes()
        depth, columns, self.step = self._multiples()
        self.features, self.wide = self._up("depth", depth), self._up("columns", columns)
        self.warps = WARPS
        while self.warps > 1 and self._most("rows", self.high) <= self.high // 2:
            self.warps //= 2
        self.keys = self.KEYS
        self._size()
        self.ids: dict[str, SSAValue] = {}
        self.start = before(self.original[0])

    # --- tiles --------------------------------------------------------------------------------

    def _most(self, name: str, otherwise: int) -> int:
        return self.facts.interval(self.sizes[name])[1] or otherwise

    def _up(self, name: str, step: int) -> int:
        """The most of a size, up to the next multiple of a step."""
        return -(-self._most(name, step) // step) * step

    def _size(self) -> None:
        """Have so many keys in a block that there is room for two blocks beside the queries, and
        fewer queries where there is none for one."""
        most = self.facts.interval(self.end)[1]
        while self.keys > self.step and (
            not self._has_room(2) or (most is not None and self.keys // 2 >= most)
        ):
            self.keys //= 2
        while self.warps > 1 and not self._has_room(1):
            self.warps //= 2

    def _has_room(self, blocks: int) -> bool:
        *once, keys, values = self._panels()
        bytes = sum(each.bytes for each in once) + blocks * (keys.bytes + values.bytes)
        return bytes <= cuda.STATIC_SHARED

    @property
    def high(self) -> int:
        """The queries of a block."""
        return self.warps * self.rows

    @property
    def rows(self) -> int:
        """The queries of a warp."""
        return WARP // self.lanes * EACH

    @property
    def threads(self) -> int:
        return self.warps * WARP

    # --- how products are computed ------------------------------------------------------------

    @abstractmethod
    def _lanes(self) -> int:
        """How many lanes have a row."""

    @abstractmethod
    def _multiples(self) -> tuple[int, int, int]:
        """Numbers whose multiples the features, the columns and the keys of a block are."""

    @abstractmethod
    def _panels(self) -> tuple[Panel, ...]:
        """What is in shared memory, the keys and the values of a block last."""

    @abstractmethod
    def _unrolled(self) -> dict[str, int]:
        """Its own ranges."""

    @abstractmethod
    def _scored(self) -> Elements:
        """The elements of the first product."""

    @abstractmethod
    def _weighed(self) -> Elements:
        """The same, by the row and the ranges along it."""

    @abstractmethod
    def _summed(self) -> Elements:
        """The elements of the second product."""

    @abstractmethod
    def _place_of_score(self) -> tuple[Expr, Expr]:
        """Row and column of an element of the first product, in a block of queries and of keys."""

    @abstractmethod
    def _place_of_result(self) -> tuple[Expr, Expr]:
        """Row and column of an element of the second product, in a block of queries."""

    @abstractmethod
    def _first(self, panels: Sequence[Panel]) -> SSAValue:
        """The first product of a block."""

    @abstractmethod
    def _next(self, values: Panel) -> SSAValue:
        """The second one."""

    @abstractmethod
    def _in_row(self, kind: str, value: SSAValue) -> SSAValue:
        """What each lane has of a row's keys, combined."""

    # --- the rewrite --------------------------------------------------------------------------

    def run(self) -> None:
        self.build = before(self.match.running.maximum)
        panels = self._panels()
        self._open(panels)
        scores = self._scores(self._first(panels))
        self._weights(scores)
        self._total_in_lanes()
        self.build = before(self.match.second.reduction)
        self._results(self._sums(panels[-1]))
        self._finish()

    def _panel(self, prefix: str, order: Order = "") -> Panel:
        """The panel of the queries, `a`, of the keys, `b`, or of the values, `c`."""
        match, sizes = self.match, self.sizes
        along, second = (match.running.range,), (match.second.range,)
        rows, depth, columns = tuple(match.rows), tuple(match.depth), tuple(match.columns)
        high, features, keys, wide = self.high, self.features, self.keys, self.wide
        factor, side, deep = {
            "a": (Factor(match.a, rows, depth, sizes["rows"], sizes["depth"]), high, features),
            "b": (Factor(match.b, along, depth, self.end, sizes["depth"]), keys, features),
            "c": (Factor(match.v, columns, second, sizes["columns"], self.end), wide, keys),
        }[prefix]
        tile = side, deep, self.threads
        return Panel.of(factor, tile, self.nest, self.named, prefix=prefix, order=order)

    def _open(self, panels: Sequence[Panel]) -> None:
        count = self.sizes["batches"] * self.sizes["rows"].ceildiv(self.high)
        ranges = {
            "block": kernel.RangeOp(0, count, (), "grid.x"),
            "thread": kernel.RangeOp(0, self.threads, (), "thread.x"),
            "jo": kernel.RangeOp(0, self.end.ceildiv(self.keys)),
        }
        for panel in panels:
            ranges |= panel.ranges()
        ranges |= {name: kernel.RangeOp(0, n, (), "unroll") for name, n in self._unrolled().items()}
        for name, range_ in ranges.items():
            self.ids[name] = self.start.insert(range_).result
            self.ids[name].name_hint = name

    # --- places -------------------------------------------------------------------------------

    def _row_block(self) -> Expr:
        block, tiles = Expr.of("block"), self.sizes["rows"].ceildiv(self.high)
        return (block % tiles if self.match.batches else block) * self.high

    def _batch(self) -> Exprs:
        tiles = self.sizes["rows"].ceildiv(self.high)
        return flattened(self.match.batches, Expr.of("block") // tiles, self.facts)

    def _named(self, *names: str) -> dict[str, SSAValue]:
        return {name: self.ids[name] for name in names}

    def _inside(self, places: Places, at: Expr, size: Expr, tile: int) -> SSAValue | None:
        return inside(places, at, size, tile, self.facts, self.build)

    def _insert(self, op: Operation) -> SSAValue:
        return self.build.insert(op).results[0]

    def _number(self, number: float, like: SSAValue) -> SSAValue:
        return self._insert(constant(number, like.type))

    # --- shared memory ------------------------------------------------------------------------

    def _shared(self, panel: Panel, side: Expr, deep: Expr, loop: Sequence[str]) -> SSAValue:
        """A factor's panel, from a place along its side and its depth on."""
        around = Places(self._batch(), self._named("block", *loop, *panel.names))
        stage = factor_in_panel(
            *(panel, (side, deep), around, self.nest, self.facts),
            user=self._here(),
            gates=self.build,
        )
        stage.result.name_hint = {"a": "qs", "b": "ks", "c": "vs"}[panel.prefix]
        return stage.result

    def _here(self) -> Operation:
        before = self.build.insertion_point.insert_before
        assert before is not None  # in front of a sum
        return before

    # --- registers ----------------------------------------------------------------------------

    def _kept(
        self, value: SSAValue, elements: Elements, name: str, scale: SSAValue | None = None
    ) -> SSAValue:
        """A value for all iterations of unrolled ranges, in registers; with a scale, its sum over
        blocks, each of which scales what is there."""
        ids = self._named(*elements.names)
        exprs = [expr.substitute(_places(ids)) for expr in elements.index]
        along = [] if scale is None else [self.ids["jo"]]
        stage = kernel.StageOp(
            *(value, exprs, list(ids.values()), list(ids.values())),
            kernel.BufferType(elements.extents, value.type, "local"),
            *(along, None if scale is None else "add", scale),
        )
        self.build.insert(stage).result.name_hint = name
        return stage.result

    def _taken(self, stage: SSAValue, index: Sequence[Expr], over: Sequence[str]) -> SSAValue:
        ids = self._named(*over)
        exprs = [expr.substitute(_places(ids)) for expr in index]
        return self._insert(kernel.LoadOp(stage, exprs, list(ids.values())))

    def _by_row(self, value: SSAValue, name: str) -> SSAValue:
        """What there is of each row that a lane has, at the elements of a sum."""
        return self._taken(self._kept(value, BY_ROW, name), [self.HALF], ["r"])

    # --- a block ------------------------------------------------------------------------------

    def _scores(self, sum: SSAValue) -> SSAValue:
        """What the maximum is of, of the queries and keys of a block: -inf beyond the last key."""
        match, scored = self.match, self._scored()
        row, column = self._place_of_score()
        row, column = row + self._row_block(), column + Expr.of("jo") * self.keys
        exprs = {
            **self._batch(),
            **flattened(match.rows, row, self.facts),
            match.running.range.result: column,
        }
        places = Places(exprs, self._named("block", "thread", "jo", *scored.names))
        within = self._inside(places, column, self.end, self.keys)
        beside = self._inside(places, row, self.sizes["rows"], self.high)
        holds = Holds(self.build, [(match.rows, beside), ([match.running.range], within)])
        value = match.running.maximum.value
        known: dict[SSAValue, SSAValue] = {match.first.result: sum}
        score = copied(value, places, self.nest, self._here(), holds, known)
        if within is not None:
            least = self._number(_LEAST, score)
            score = self._insert(arith.SelectOp(within, score, least))
        return self._kept(score, scored, "scores")

    def _weights(self, scores: SSAValue) -> None:
        """The maxima of rows up to a block, the exponentials relative to them, and what becomes of
        those before."""
        ids = self.ids
        weighed = self._weighed()
        score = self._taken(scores, weighed.index, weighed.names)
        most = self._insert(kernel.ReduceOp("max", score, [ids[name] for name in self.ALONG]))
        self.block = self._in_row("max", most)
        earlier = self._insert(kernel.ScanOp("max", self.block, ids["jo"], exclusive=True))
        now = self._insert(arith.MaximumfOp(earlier, self.block))
        # of rows without any key so far exp(-inf) is 0, and exp(-inf - -inf) would be none
        none = self._equal(now, _LEAST)
        shift = self._insert(arith.SelectOp(none, self._number(0, now), now))
        self.scale = self._ratio(earlier, shift)
        self.weight = self._power(score, shift, self._digits())
        rounded = self.weight
        for step in self.match.casts:
            rounded = self._again(step, [rounded])
        self.rounded = self._kept(rounded, weighed, "weights")

    def _digits(self) -> arith.FastMathFlagsAttr:
        """How exact weights and the reciprocals of their sums are: where all that comes of them is
        rounded to 16 bits, as they are, more digits than those would be lost."""
        stores = [op for op in self.func.body.block.ops if isinstance(op, kernel.StoreOp)]
        rounded = all(SCALAR_BYTES[store.value.type] <= 2 for store in stores)
        return arith.FastMathFlagsAttr([FastMathFlag.APPROX_FUNC] if rounded else [])

    def _ratio(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """exp(old - new): 1 where they are equal, and infinite."""
        equal = self._insert(arith.CmpfOp(old, new, "oeq"))
        return self._insert(arith.SelectOp(equal, self._number(1, old), self._power(old, new)))

    def _power(
        self, number: SSAValue, most: SSAValue, flags: arith.FastMathFlagsAttr | None = None
    ) -> SSAValue:
        """exp(number - most), of what is no number or not above the most."""
        difference = self._insert(arith.SubfOp(number, most))
        power = type(self.match.second.power)(difference, flags)
        power.attributes[NONPOSITIVE] = UnitAttr()
        return self._insert(power)

    def _again(self, step: Step, operands: Sequence[SSAValue]) -> SSAValue:
        op = step.op
        new = type(op).create(
            operands=operands, result_types=op.result_types, properties=dict(op.properties)
        )
        return self._insert(new)

    def _total_in_lanes(self) -> None:
        """The sums without columns: of the keys of a lane, and at the end of all lanes."""
        over = [self.ids[name] for name in self.ALONG]
        part = self._insert(kernel.ReduceOp("add", self.weight, over))
        sums = self._kept(part, BY_ROW, "sums", self.scale)
        whole = self._in_row("add", self._taken(sums, BY_ROW.index, BY_ROW.names))
        self.total = self._by_row(whole, "totals")
        whole = self._insert(kernel.ReduceOp("max", self.block, [self.ids["jo"]]))
        self.highest = self._by_row(whole, "maxima")

    def _sums(self, values: Panel) -> SSAValue:
        """The second product, summed over all blocks."""
        summed = self._summed()
        sum = self._next(values)
        sums = self._kept(sum, summed, "results", self._by_row(self.scale, "scales"))
        return self._taken(sums, summed.index, summed.names)

    # --- results ------------------------------------------------------------------------------

    def _results(self, summed: SSAValue) -> None:
        """Put what was computed in the place of the maximum and the sums."""
        running = self.match.running
        formed: dict[SSAValue, SSAValue] = {running.maximum.result: self.highest}
        for each in self.match.others:
            self.build = before(each.reduction)
            formed[each.reduction.result] = self._whole(each, self.total, formed)
        self.build = before(self.match.second.reduction)
        formed[self.match.second.reduction.result] = self._whole(self.match.second, summed, formed)
        for old, new in formed.items():
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)

    def _whole(self, each: Sum, total: SSAValue, formed: dict[SSAValue, SSAValue]) -> SSAValue:
        """A sum with the factors that were left out of its terms."""
        match, is_any = self.match, None
        outside = [step for step in each.steps if step.outside and step.factor is not None]
        if not self.facts.is_nonnegative(self.end - 1):
            zero, end = (self._insert(kernel.IndexOp(expr)) for expr in (ZERO, self.end))
            is_any = self._insert(arith.CmpiOp(zero, end, "slt"))
        # a sum that is NaN makes NaN of what it divides
        is_divided = any(map(self._divides, outside))
        if each.subtracted is match.running.maximum.result and not is_divided:
            # exp(-inf - -inf) is NaN; where the maximum is a number its own weight is 1
            none = self._equal(self.total, 0) if match.others else self._equal(self.highest, _LEAST)
            none = none if is_any is None else self._insert(arith.AndIOp(none, is_any))
            total = self._insert(arith.SelectOp(none, self._number(math.nan, total), total))
        empty = total
        for step in outside:
            assert step.factor is not None  # no cast is left out of a sum
            factor = formed.get(step.factor, step.factor)
            if self._divides(step):
                # it is 1 at least, or 0 or NaN, so that this is within 1.5 ulp of a quotient
                one = self._number(1, factor)
                factor = self._insert(arith.DivfOp(one, factor, self._digits()))
                total = self._insert(arith.MulfOp(total, factor))
            else:
                total = self._again(step, [total, factor])
        if total is not empty and is_any is not None:
            total = self._insert(arith.SelectOp(is_any, total, empty))
        return total

    def _divides(self, step: Step) -> bool:
        """Whether a factor is the sum of the weights alone, as a divisor."""
        sums = [each.reduction.result for each in self.match.others if not each.steps]
        divisor = step.factor if isinstance(step.op, arith.DivfOp) else None
        return divisor is not None and unless_zero(divisor) in sums

    def _equal(self, value: SSAValue, number: float) -> SSAValue:
        return self._insert(arith.CmpfOp(value, self._number(number, value), "oeq"))

    def _finish(self) -> None:
        """Have the rest of the kernel at the elements of the sums, and nothing left of what was."""
        left = [op for op in reversed(self.nest.ops) if op.results and op not in self.original]
        erase_unused(left)
        match = self.match
        row, column = self._place_of_result()
        row = row + self._row_block()
        exprs = {
            **self._batch(),
            **flattened(match.rows, row, self.facts),
            **flattened(match.columns, column, self.facts),
        }
        self.build = self.start
        places = Places(exprs, self._named("block", "thread", *self._summed().names))
        holds = all_of(
            self.build,
            self._inside(places, row, self.sizes["rows"], self.high),
            self._inside(places, column, self.sizes["columns"], self.wide),
        )
        left = [op for op in self.nest.ops if op.parent and op not in self.original]
        move(left, places, holds, self.start)
        for range_ in self.original:
            if range_.result.first_use is not None:
                raise fail(range_, f"{kernel.names([range_])} is used besides the two products")
            range_.detach()
            range_.erase()


def _places(names: Iterable[str]) -> dict[str, str]:
    return {name: placeholder(number) for number, name in enumerate(names)}
