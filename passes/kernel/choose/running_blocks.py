"""The rewrite of `running-products`: a block of queries goes through blocks of keys.

Fragments fit: what a lane holds of two neighbouring sums of the first product is what it has to
hold of a first factor of the second one,

    element e of A, step s   =   element e mod 4 of C, instruction s * (k floordiv 8) + e floordiv 4

with k elements along the sum (see `teenyir.targets.tensor_cores`). So weights stay in the registers
of the lane that computed them. The four lanes that hold a row exchange their maxima; each sums
weights of its own, and all four at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.constants import constant
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.copied import all_of, copied, factor_in_panel, inside, move
from teenyir.passes.kernel.choose.fragments import (
    fragment_of_a,
    fragment_of_b,
    place_of_sum,
)
from teenyir.passes.kernel.choose.panels import Factor, Panel
from teenyir.passes.kernel.choose.places import Places, flattened, total
from teenyir.passes.kernel.choose.running_matches import Match
from teenyir.passes.kernel.schedule.primitive import before, erase_unused
from teenyir.passes.kernel.schedule.running_terms import Step, Sum, unless_zero
from teenyir.rewriting.base import fail
from teenyir.targets import cuda
from teenyir.targets.cuda import WARP

WARPS = 4
"""The most warps of a block; each has as many queries as an instruction has rows."""

KEYS = 64
"""The most keys of a block."""

PAIR = 2
"""Instructions side by side whose second factor is loaded at once."""

LANES = 4
"""The lanes that hold a row of an instruction's sum."""

_LEAST = -math.inf

Exprs: TypeAlias = dict[SSAValue, Expr]


class Rewrite:
    """Makes one pass over blocks of keys of a kernel with two products."""

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
        self.features = self._up("depth", found.product.k)
        self.wide = self._up("columns", PAIR * found.next.n)
        self.warps = WARPS
        while self.warps > 1 and self._most("rows", self.high) <= self.high // 2:
            self.warps //= 2
        self.keys = self._keys()
        self.ids: dict[str, SSAValue] = {}
        self.start = before(self.original[0])

    # --- tiles --------------------------------------------------------------------------------

    def _most(self, name: str, otherwise: int) -> int:
        return self.facts.interval(self.sizes[name])[1] or otherwise

    def _up(self, name: str, step: int) -> int:
        """The most of a size, up to the next multiple of a step."""
        return -(-self._most(name, step) // step) * step

    def _keys(self) -> int:
        """The keys of a block: so many that there is room for two blocks beside the queries."""
        match = self.match
        bytes = SCALAR_BYTES[match.a.type]
        room = cuda.STATIC_SHARED - self.high * self.features * bytes
        most = self.facts.interval(self.end)[1]
        step, keys = math.lcm(PAIR * match.product.n, match.next.k), KEYS
        while keys > step and (
            2 * keys * (self.features + self.wide) * bytes > room
            or (most is not None and keys // 2 >= most)
        ):
            keys //= 2
        return keys

    @property
    def high(self) -> int:
        """The queries of a block."""
        return self.warps * self.match.product.m

    @property
    def threads(self) -> int:
        return self.warps * WARP

    # --- the rewrite --------------------------------------------------------------------------

    def run(self) -> None:
        self.build = before(self.match.running.maximum)
        panels = self._panels()
        self._open(panels)
        queries, keys, values = panels
        scores = self._scores(queries, keys)
        self._weights(scores)
        self._total_in_lanes()
        self.build = before(self.match.second.reduction)
        summed = self._products(values)
        self._results(summed)
        self._finish()

    def _panels(self) -> tuple[Panel, Panel, Panel]:
        match, sizes, threads = self.match, self.sizes, self.threads
        along, second = (match.running.range,), (match.second.range,)
        rows, depth, columns = tuple(match.rows), tuple(match.depth), tuple(match.columns)
        a = Factor(match.a, rows, depth, sizes["rows"], sizes["depth"])
        b = Factor(match.b, along, depth, self.end, sizes["depth"])
        v = Factor(match.v, columns, second, sizes["columns"], self.end)

        def panel(factor: Factor, side: int, deep: int, prefix: str) -> Panel:
            return Panel.of(factor, (side, deep, threads), self.nest, self.named, prefix=prefix)

        return (
            panel(a, self.high, self.features, "a"),
            panel(b, self.keys, self.features, "b"),
            panel(v, self.wide, self.keys, "c"),
        )

    def _open(self, panels: Sequence[Panel]) -> None:
        match = self.match
        product, next = match.product, match.next
        count = self.sizes["batches"] * self.sizes["rows"].ceildiv(self.high)
        of_a, of_b, of_c = product.counts
        ranges = {
            "block": kernel.RangeOp(0, count, (), "grid.x"),
            "thread": kernel.RangeOp(0, self.threads, (), "thread.x"),
            "jo": kernel.RangeOp(0, self.end.ceildiv(self.keys)),
        }
        for panel in panels:
            ranges |= panel.ranges()
        unrolled = {
            "s": self.features // product.k,
            "v": self.keys // product.n // PAIR,
            "w": PAIR,
            "p": of_a,
            "q": of_b,
            "r": of_c,
            "t": self.keys // product.n,
            "c": of_c // 2,
            "h": 2,
            "ks": self.keys // next.k,
            "u": self.wide // next.n // PAIR,
        }
        ranges |= {name: kernel.RangeOp(0, n, (), "unroll") for name, n in unrolled.items()}
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
        self,
        value: SSAValue,
        index: Sequence[Expr],
        over: Sequence[str],
        extents: Sequence[int],
        name: str,
        scale: SSAValue | None = None,
    ) -> SSAValue:
        """A value for all iterations of unrolled ranges, in registers; with a scale, its sum over
        blocks, each of which scales what is there."""
        ids = self._named(*over)
        exprs = [expr.substitute(_places(ids)) for expr in index]
        along = [] if scale is None else [self.ids["jo"]]
        stage = kernel.StageOp(
            *(value, exprs, list(ids.values()), list(ids.values())),
            kernel.BufferType(extents, value.type, "local"),
            *(along, None if scale is None else "add", scale),
        )
        self.build.insert(stage).result.name_hint = name
        return stage.result

    def _taken(self, stage: SSAValue, index: Sequence[Expr], over: Sequence[str]) -> SSAValue:
        ids = self._named(*over)
        exprs = [expr.substitute(_places(ids)) for expr in index]
        return self._insert(kernel.LoadOp(stage, exprs, list(ids.values())))

    def _by_row(self, value: SSAValue, name: str) -> SSAValue:
        """What there is of each row that a lane holds, at the elements of a sum."""
        stage = self._kept(value, [Expr.of("h")], ["h"], [2], name)
        return self._taken(stage, [Expr.of("r") // 2], ["r"])

    # --- a block ------------------------------------------------------------------------------

    def _scores(self, queries: Panel, keys: Panel) -> SSAValue:
        """What the maximum is of, of the queries and keys of a block: -inf beyond the last key."""
        match, product = self.match, self.match.product
        jo = Expr.of("jo") * self.keys
        qs = self._shared(queries, self._row_block(), ZERO, [])
        ks = self._shared(keys, jo, ZERO, ["jo"])
        high = Expr.of("thread") // WARP * product.m if self.warps > 1 else ZERO
        wide, along = Expr.of("v") * (product.n * PAIR), Expr.of("s") * product.k
        a = self._insert(fragment_of_a(product, queries, high, along).load(qs, self.ids))
        b = self._insert(fragment_of_b(product, keys, wide, along, PAIR).load(ks, self.ids))
        ids = self.ids
        sum = self._insert(
            kernel.MmaOp(
                *((product.shape, product.name), (a, ids["p"]), (b, ids["q"])),
                *([ids["s"]], ids["r"]),
            )
        )
        row, column = place_of_sum(product, high, wide)
        row, column = row + self._row_block(), column + jo
        exprs = {
            **self._batch(),
            **flattened(match.rows, row, self.facts),
            match.running.range.result: column,
        }
        places = Places(exprs, self._named("block", "thread", "jo", "v", "w", "r"))
        within = self._inside(places, column, self.end, self.keys)
        beside = self._inside(places, row, self.sizes["rows"], self.high)
        holds = all_of(self.build, beside, within)
        value = match.running.maximum.value
        known: dict[SSAValue, SSAValue] = {match.first.result: sum}
        score = copied(value, places, self.nest, self._here(), holds, known)
        if within is not None:
            least = self._number(_LEAST, score)
            score = self._insert(arith.SelectOp(within, score, least))
        tile = Expr.of("v") * PAIR + Expr.of("w")
        extents = [self.keys // product.n, product.counts[2]]
        return self._kept(score, [tile, Expr.of("r")], ["v", "w", "r"], extents, "scores")

    def _weights(self, scores: SSAValue) -> None:
        """The maxima of rows up to a block, the exponentials relative to them, and what becomes of
        those before."""
        ids = self.ids
        element = Expr.of("h") * 2 + Expr.of("c")
        score = self._taken(scores, [Expr.of("t"), element], ["t", "h", "c"])
        most = self._insert(kernel.ReduceOp("max", score, [ids["t"], ids["c"]]))
        self.block = self._insert(kernel.AllReduceOp("max", most, ids["thread"], LANES))
        earlier = self._insert(kernel.ScanOp("max", self.block, ids["jo"], exclusive=True))
        now = self._insert(arith.MaximumfOp(earlier, self.block))
        # of rows without any key so far exp(-inf) is 0, and exp(-inf - -inf) would be none
        none = self._equal(now, _LEAST)
        shift = self._insert(arith.SelectOp(none, self._number(0, now), now))
        power = type(self.match.second.power)
        self.scale = self._ratio(earlier, shift)
        difference = self._insert(arith.SubfOp(score, shift))
        self.weight = self._insert(power(difference, self._digits()))
        rounded = self.weight
        for step in self.match.casts:
            rounded = self._again(step, [rounded])
        extents = [self.keys // self.match.product.n, self.match.product.counts[2]]
        self.rounded = self._kept(
            rounded, [Expr.of("t"), element], ["t", "h", "c"], extents, "weights"
        )

    def _digits(self) -> arith.FastMathFlagsAttr:
        """How exact weights and the reciprocals of their sums are: where all that comes of them is
        rounded to 16 bits, as they are, more digits than those would be lost."""
        stores = [op for op in self.func.body.block.ops if isinstance(op, kernel.StoreOp)]
        rounded = all(SCALAR_BYTES[store.value.type] <= 2 for store in stores)
        return arith.FastMathFlagsAttr([FastMathFlag.APPROX_FUNC] if rounded else [])

    def _ratio(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """exp(old - new): 1 where they are equal, and infinite."""
        equal = self._insert(arith.CmpfOp(old, new, "oeq"))
        power = type(self.match.second.power)
        ratio = self._insert(power(self._insert(arith.SubfOp(old, new))))
        return self._insert(arith.SelectOp(equal, self._number(1, old), ratio))

    def _again(self, step: Step, operands: Sequence[SSAValue]) -> SSAValue:
        op = step.op
        new = type(op).create(
            operands=operands, result_types=op.result_types, properties=dict(op.properties)
        )
        return self._insert(new)

    def _total_in_lanes(self) -> None:
        """The sums without columns: of the keys of a lane, and at the end of all lanes."""
        over = [self.ids["t"], self.ids["c"]]
        part = self._insert(kernel.ReduceOp("add", self.weight, over))
        sums = self._kept(part, [Expr.of("h")], ["h"], [2], "sums", self.scale)
        mine = self._taken(sums, [Expr.of("h")], ["h"])
        whole = self._insert(kernel.AllReduceOp("add", mine, self.ids["thread"], LANES))
        self.total = self._by_row(whole, "totals")
        whole = self._insert(kernel.ReduceOp("max", self.block, [self.ids["jo"]]))
        self.highest = self._by_row(whole, "maxima")

    def _products(self, values: Panel) -> SSAValue:
        """The second product, summed over all blocks."""
        ids, next = self.ids, self.match.next
        jo = Expr.of("jo") * self.keys
        vs = self._shared(values, ZERO, jo, ["jo"])
        wide, along = Expr.of("u") * (next.n * PAIR), Expr.of("ks") * next.k
        tiles, e = next.k // self.match.product.n, Expr.of("p")
        place = [Expr.of("ks") * tiles + e // 4, e % 4]
        a = self._taken(self.rounded, place, ["ks", "p"])
        b = self._insert(fragment_of_b(next, values, wide, along, PAIR).load(vs, ids))
        sum = self._insert(
            kernel.MmaOp(
                *((next.shape, next.name), (a, ids["p"]), (b, ids["q"])),
                *([ids["ks"]], ids["r"]),
            )
        )
        tile = Expr.of("u") * PAIR + Expr.of("w")
        extents = [self.wide // next.n, next.counts[2]]
        scale = self._by_row(self.scale, "scales")
        index = [tile, Expr.of("r")]
        sums = self._kept(sum, index, ["u", "w", "r"], extents, "results", scale)
        return self._taken(sums, index, ["u", "w", "r"])

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
        match, next = self.match, self.match.next
        high = Expr.of("thread") // WARP * next.m if self.warps > 1 else ZERO
        row, column = place_of_sum(next, high, Expr.of("u") * (next.n * PAIR))
        row = row + self._row_block()
        exprs = {
            **self._batch(),
            **flattened(match.rows, row, self.facts),
            **flattened(match.columns, column, self.facts),
        }
        self.build = self.start
        places = Places(exprs, self._named("block", "thread", "u", "w", "r"))
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
