"""Whether two values of a kernel are one function of two ranges: `f(j)` and `f(k)`."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.syntax import placeholder


class SameValues:
    """Compares values, the ranges of one with those of the other that take their place."""

    def __init__(self, nest: kernel.Nest, pairs: Iterable[tuple[kernel.RangeOp, kernel.RangeOp]]):
        self.nest = nest
        self.ranges = dict(pairs)
        self.known: dict[tuple[SSAValue, SSAValue], bool] = {}

    def same(self, one: SSAValue, other: SSAValue) -> bool:
        """Whether the first value, of the ranges on the left, is the second, of those on the
        right. Both are computed by the same ops in the same way."""
        if one is other and self.nest.dependences.get(one, frozenset()).isdisjoint(self.ranges):
            return True
        if (one, other) not in self.known:
            a, b = one.owner, other.owner
            self.known[one, other] = (
                isinstance(a, Operation)
                and isinstance(b, Operation)
                and a.results.index(one) == b.results.index(other)
                and self._same_ops(a, b)
            )
        return self.known[one, other]

    def _same_ops(self, a: Operation, b: Operation) -> bool:
        if isinstance(a, kernel.RangeOp):
            return self.ranges.get(a) is b
        if type(a) is not type(b) or len(a.operands) != len(b.operands):
            return False
        if a.result_types != b.result_types:
            return False
        if isinstance(a, kernel.ReduceOp | kernel.FoldOp) and isinstance(b, type(a)):
            return self._same_reductions(a, b)
        if isinstance(a, kernel.IndexedOp) and isinstance(b, kernel.IndexedOp):
            return self._same_indices(a, b)
        if a.regions or isinstance(a, kernel.StageOp) or a.properties != b.properties:
            return False
        return all(map(self.same, a.operands, b.operands))

    def _same_reductions(
        self, a: kernel.ReduceOp | kernel.FoldOp, b: kernel.ReduceOp | kernel.FoldOp
    ) -> bool:
        """The ranges that reductions close are those of the other, in their order."""
        for mine, its in zip(a.over, b.over, strict=False):
            r, s = mine.owner, its.owner
            if not isinstance(r, kernel.RangeOp) or not isinstance(s, kernel.RangeOp):
                return False
            if (r.how, r.exprs) != (s.how, s.exprs) or not all(map(self.same, r.values, s.values)):
                return False
            self.ranges[r] = s
        regions = zip(a.regions, b.regions, strict=False)
        return (
            (len(a.over), len(a.regions)) == (len(b.over), len(b.regions))
            and a.properties == b.properties
            and all(r.is_structurally_equivalent(s) for r, s in regions)
            and all(map(self.same, a.operands, b.operands))
        )

    def _same_indices(self, a: kernel.IndexedOp, b: kernel.IndexedOp) -> bool:
        """Ops count their index values for themselves, in an order of their own."""
        if isinstance(a, kernel.AccessOp):
            rest = [[v for v in op.operands if v not in op.index_values] for op in (a, b)]
            if len(rest[0]) != len(rest[1]) or not all(map(self.same, *rest)):
                return False
        if len(a.index_values) != len(b.index_values):
            return False
        places: dict[str, str] = {}
        for number, value in enumerate(a.index_values):
            found = [k for k, v in enumerate(b.index_values) if self.same(value, v)]
            if not found:
                return False
            places[placeholder(number)] = placeholder(found[0])
        return [expr.substitute(places) for expr in a.exprs] == list(b.exprs)
