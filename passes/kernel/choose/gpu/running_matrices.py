"""Two products of one pass by matrix instructions.

Fragments fit: what a lane holds of two neighbouring sums of the first product is what it has to
hold of a first factor of the second one,

    element e of A, step s   =   element e mod 4 of C, instruction s * (k floordiv 8) + e floordiv 4

with k elements along the sum (see `teenyir.targets.tensor_cores`), where a register holds two of
them. Where it holds one, as of tf32, the two of a row are neighbours in the sum and four apart in
the factor; so the values of neighbouring keys stand four apart in their panel (its order `twos`):

    element e of A, step s   =   element e mod 2 * 2 + e floordiv 2 of C, instruction s

So weights stay in the registers of the lane that computed them. The four lanes that hold a row
exchange their maxima; each sums weights of its own, and all four at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.choose.gpu.fragments import fragment_of_a, fragment_of_b, place_of_sum
from teenyir.passes.kernel.choose.gpu.panels import Panel
from teenyir.passes.kernel.choose.gpu.running_blocks import Elements, Rewrite
from teenyir.targets.cuda import WARP
from teenyir.targets.tensor_cores import Product

PAIR = 2
"""Instructions side by side whose second factor is loaded at once."""


class ByMatrices(Rewrite):
    """Has matrix instructions compute the products."""

    KEYS = 64
    ALONG = ("t", "c")
    HALF = Expr.of("r") // 2

    @property
    def _products(self) -> tuple[Product, Product]:
        first, next = self.match.product, self.match.next
        assert first is not None and next is not None
        return first, next

    def _lanes(self) -> int:
        return 4

    def _multiples(self) -> tuple[int, int, int]:
        first, next = self._products
        return first.k, PAIR * next.n, math.lcm(PAIR * first.n, next.k)

    def _panels(self) -> tuple[Panel, ...]:
        _, next = self._products
        values = self._panel("c", "twos" if next.packed == 1 else "")
        return self._panel("a"), self._panel("b"), values

    def _unrolled(self) -> dict[str, int]:
        first, next = self._products
        of_a, of_b, of_c = first.counts
        return {
            "s": self.features // first.k,
            "v": self.keys // first.n // PAIR,
            "w": PAIR,
            "p": of_a,
            "q": of_b,
            "r": of_c,
            "t": self.keys // first.n,
            "c": of_c // 2,
            "h": 2,
            "ks": self.keys // next.k,
            "u": self.wide // next.n // PAIR,
        }

    # --- elements -----------------------------------------------------------------------------

    def _scored(self) -> Elements:
        tile = Expr.of("v") * PAIR + Expr.of("w")
        return Elements(["v", "w", "r"], [tile, Expr.of("r")], self._extents(self.keys))

    def _weighed(self) -> Elements:
        element = Expr.of("h") * 2 + Expr.of("c")
        return Elements(["t", "h", "c"], [Expr.of("t"), element], self._extents(self.keys))

    def _summed(self) -> Elements:
        tile = Expr.of("u") * PAIR + Expr.of("w")
        return Elements(["u", "w", "r"], [tile, Expr.of("r")], self._extents(self.wide))

    def _extents(self, wide: int) -> Sequence[int]:
        first, _ = self._products
        return wide // first.n, first.counts[2]

    @property
    def _high(self) -> Expr:
        first, _ = self._products
        return Expr.of("thread") // WARP * first.m if self.warps > 1 else ZERO

    def _place_of_score(self) -> tuple[Expr, Expr]:
        first, _ = self._products
        return place_of_sum(first, self._high, Expr.of("v") * (first.n * PAIR))

    def _place_of_result(self) -> tuple[Expr, Expr]:
        _, next = self._products
        return place_of_sum(next, self._high, Expr.of("u") * (next.n * PAIR))

    # --- products -----------------------------------------------------------------------------

    def _first(self, panels: Sequence[Panel]) -> SSAValue:
        queries, keys, _ = panels
        product, _ = self._products
        qs = self._shared(queries, self._row_block(), ZERO, [])
        ks = self._shared(keys, Expr.of("jo") * self.keys, ZERO, ["jo"])
        wide, along = Expr.of("v") * (product.n * PAIR), Expr.of("s") * product.k
        a = fragment_of_a(product, queries, self._high, along).load(qs, self.ids)
        b = fragment_of_b(product, keys, wide, along, PAIR).load(ks, self.ids)
        return self._multiplied(product, self._insert(a), self._insert(b), "s")

    def _next(self, values: Panel) -> SSAValue:
        first, product = self._products
        vs = self._shared(values, ZERO, Expr.of("jo") * self.keys, ["jo"])
        wide, along = Expr.of("u") * (product.n * PAIR), Expr.of("ks") * product.k
        tiles, e = product.k // first.n, Expr.of("p")
        place = [Expr.of("ks") * tiles + e // 4, e % 4]
        if product.packed == 1:
            place = [Expr.of("ks"), e % 2 * 2 + e // 2]
        a = self._taken(self.rounded, place, ["ks", "p"])
        b = fragment_of_b(product, values, wide, along, PAIR).load(vs, self.ids)
        return self._multiplied(product, a, self._insert(b), "ks")

    def _multiplied(self, product: Product, a: SSAValue, b: SSAValue, along: str) -> SSAValue:
        ids = self.ids
        return self._insert(
            kernel.MmaOp(
                *((product.shape, product.name), (a, ids["p"]), (b, ids["q"])),
                *([ids[along]], ids["r"]),
            )
        )

    def _in_row(self, kind: str, value: SSAValue) -> SSAValue:
        return self._insert(kernel.AllReduceOp(kind, value, self.ids["thread"], self.lanes))
