"""Two products of one pass by the arithmetic of threads, where no matrix instruction takes factors.

Of L lanes that have a row, lane l has features and columns 4 (L a + l) + b, with b < 4:

    s = sum of its features' products, and of all L lanes     so that each has all scores of a row
    o = o * a + p v                                           of its columns

Queries stay in the registers of the lanes that have their features. Lanes take 16 bytes of a key or
of values at a time, side by side; lanes of other rows take the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.choose.gpu.copied import Holds, zero_beyond
from teenyir.passes.kernel.choose.gpu.panels import Panel
from teenyir.passes.kernel.choose.gpu.running_blocks import EACH, Elements, Rewrite
from teenyir.passes.kernel.choose.places import Places, flattened
from teenyir.targets.cuda import WARP

SIDE = 4
"""Neighbouring features, or columns, of a lane."""

MOST = 16
"""The most features, or columns, of a row that a lane has where 8 may share it."""


class ByThreads(Rewrite):
    """Has threads multiply and add."""

    KEYS = 16
    ALONG = ("t",)
    HALF = Expr.of("r")

    def _lanes(self) -> int:
        wide = max(self._most("depth", MOST), self._most("columns", MOST))
        return 4 if wide <= 4 * MOST else 8

    def _multiples(self) -> tuple[int, int, int]:
        return self.lanes * SIDE, self.lanes * SIDE, self.KEYS

    def _panels(self) -> tuple[Panel, ...]:
        return self._panel("b", "deep"), self._panel("c", "side")

    def _unrolled(self) -> dict[str, int]:
        features, columns = self.features // self.lanes, self.wide // self.lanes
        return {
            **{"y": EACH, "f": features, "x": self.keys, "z": EACH, "d": features},
            **{"t": self.keys, "h": EACH, "ks": self.keys, "g": columns, "r": EACH},
        }

    # --- elements -----------------------------------------------------------------------------

    def _scored(self) -> Elements:
        return Elements(["z", "x"], [Expr.of("z"), Expr.of("x")], [EACH, self.keys])

    def _weighed(self) -> Elements:
        return Elements(["h", "t"], [Expr.of("h"), Expr.of("t")], [EACH, self.keys])

    def _summed(self) -> Elements:
        index = [Expr.of("r"), Expr.of("g")]
        return Elements(["r", "g"], index, [EACH, self.wide // self.lanes])

    def _row(self, half: str) -> Expr:
        thread = Expr.of("thread")
        warp = thread // WARP * self.rows if self.warps > 1 else ZERO
        return warp + thread % WARP // self.lanes + Expr.of(half) * (self.rows // EACH)

    def _mine(self, number: str) -> Expr:
        """A feature, or column, of a lane."""
        each, lane = Expr.of(number), Expr.of("thread") % self.lanes
        return each // SIDE * (self.lanes * SIDE) + lane * SIDE + each % SIDE

    def _place_of_score(self) -> tuple[Expr, Expr]:
        return self._row("z"), Expr.of("x")

    def _place_of_result(self) -> tuple[Expr, Expr]:
        return self._row("r"), self._mine("g")

    # --- products -----------------------------------------------------------------------------

    def _first(self, panels: Sequence[Panel]) -> SSAValue:
        keys, _ = panels
        features = self.features // self.lanes
        queries = Elements(["y", "f"], [Expr.of("y"), Expr.of("f")], [EACH, features])
        qs = self._kept(self._query(), queries, "qs")
        ks = self._shared(keys, Expr.of("jo") * self.keys, ZERO, ["jo"])
        a = self._taken(qs, [Expr.of("z"), Expr.of("d")], ["z", "d"])
        b = self._insert(keys.element(ks, Expr.of("x"), self._mine("d"), self.ids))
        part = self._multiplied(self.match.first.value.owner, a, b, "d")
        return self._insert(kernel.AllReduceOp("add", part, self.ids["thread"], self.lanes))

    def _query(self) -> SSAValue:
        """A feature of a query, or 0 beyond the last one."""
        match, sizes = self.match, self.sizes
        row, feature = self._row("y") + self._row_block(), self._mine("f")
        exprs = {
            **self._batch(),
            **flattened(match.rows, row, self.facts),
            **flattened(match.depth, feature, self.facts),
        }
        places = Places(exprs, self._named("block", "thread", "y", "f"))
        beside = self._inside(places, row, sizes["rows"], self.high)
        within = self._inside(places, feature, sizes["depth"], self.features)
        return zero_beyond(
            *(match.a, places, self.nest),
            user=self._here(),
            holds=Holds(self.build, [(match.rows, beside), (match.depth, within)]),
            within=within,
        )

    def _next(self, values: Panel) -> SSAValue:
        vs = self._shared(values, ZERO, Expr.of("jo") * self.keys, ["jo"])
        a = self._taken(self.rounded, [Expr.of("r"), Expr.of("ks")], ["r", "ks"])
        b = self._insert(values.element(vs, self._mine("g"), Expr.of("ks"), self.ids))
        steps = self.match.second.steps
        multiply = next(step.op for step in steps if step.factor is not None and not step.outside)
        return self._multiplied(multiply, a, b, "ks")

    def _multiplied(
        self, like: Operation | Block, a: SSAValue, b: SSAValue, along: str
    ) -> SSAValue:
        """A sum of products, as those of another op."""
        assert isinstance(like, arith.MulfOp)  # the matcher has found it
        product = self._insert(arith.MulfOp(a, b, like.fastmath))
        return self._insert(kernel.ReduceOp("add", product, [self.ids[along]]))

    def _in_row(self, kind: str, value: SSAValue) -> SSAValue:
        return value
