"""Two products of matrices with a running softmax between them, as attention has.

    m = max f(j);  l = sum exp(f(j) - m);  y[c] = sum exp(f(j) - m) / l * v[j, c]

where f(j) is computed of a product, `q[i, d] k[j, d]` summed over d, and the numbers that the
second product multiplies are rounded to a type of matrix instructions. Which sums are relative to
the maximum is told in `running_terms`; ranges are matched by what depends on them. The rows, `i`,
are the ranges around the maximum that neither `k` nor `v` depends on, the others batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.gpu.contractions import before_cast, irregular
from teenyir.passes.kernel.choose.places import total
from teenyir.passes.kernel.schedule.primitive import cone
from teenyir.passes.kernel.schedule.running_terms import Running, Step, Sum, find_running
from teenyir.targets.tensor_cores import Product

Ranges = Sequence[kernel.RangeOp]

MOST_WIDE = 128
"""The most features of a query, and columns of the result, whose sums a warp has registers for."""

FEWEST = 16
"""Fewer queries than an instruction has rows leave most of it idle."""


@dataclass(frozen=True)
class Match:
    """The products of a kernel, and the ranges of their matrices, each in the order of the text."""

    running: Running
    first: kernel.ReduceOp
    """The sum of the products that the maximum is computed of."""
    a: SSAValue
    """Its first factor, of the rows, before it was cast."""
    b: SSAValue
    product: Product | None
    """The instruction of the first product; None where threads multiply f32."""
    second: Sum
    """The sum with columns."""
    others: tuple[Sum, ...]
    """Those without."""
    casts: tuple[Step, ...]
    """What rounds the exponentials to what the second product multiplies."""
    v: SSAValue
    """The second factor of the second product, before it was cast."""
    next: Product | None
    """That of the second one; None where the other is."""
    rows: Ranges
    batches: Ranges
    depth: Ranges

    @property
    def columns(self) -> Ranges:
        return self.second.columns


def match(nest: kernel.Nest, facts: Facts, rows: Sequence[Product]) -> Match | str | None:
    """The products of a kernel, or why it has none; None where nothing of it is alike."""
    for running in find_running(nest):
        if any(each.columns for each in running.sums):
            return _Matcher(nest, facts, rows, running).match()
    return None


@dataclass
class _Matcher:
    nest: kernel.Nest
    facts: Facts
    products: Sequence[Product]
    running: Running

    def match(self) -> Match | str:
        first = self._first()
        if isinstance(first, str):
            return first
        second, *more = [each for each in self.running.sums if each.columns]
        if more:
            return "there are several sums with columns"
        if self.running.maximum.result.type != f32:
            return f"the maximum is of {self.running.maximum.result.type}, not f32"
        kinds = {(type(each.power), each.reduction.result.type) for each in self.running.sums}
        if len(kinds) > 1 or second.reduction.result.type != f32:
            return "the sums are of different kinds"
        others = tuple(each for each in self.running.sums if each is not second)
        if any(s.factor is not None and not s.outside for each in others for s in each.steps):
            return "a sum without columns has factors"
        weights = self._weights(second)
        if isinstance(weights, str):
            return weights
        if (first[-1] is None) != (weights[-1] is None):
            return "a matrix instruction multiplies one product, and not the other"
        return self._ranges(first, second, others, weights)

    def _ranges(
        self,
        first: tuple[kernel.ReduceOp, SSAValue, SSAValue, Product | None],
        second: Sum,
        others: tuple[Sum, ...],
        weights: tuple[tuple[Step, ...], SSAValue, Product | None],
    ) -> Match | str:
        nest, (sum, a, b, product), (casts, v, next) = self.nest, first, weights
        around = nest.open_around(self.running.maximum)
        depth = kernel.closed_by(sum)
        along, of_b, of_v = self.running.range, nest.dependences[b], nest.dependences[v]
        rows = around - of_b - of_v
        of_a = nest.dependences[a]
        if not rows & of_a or not depth <= of_a & of_b or along in of_a or along not in of_b:
            return "the first product is none of rows and of what the maximum runs along"
        if not of_v <= around - rows | {second.range, *second.columns}:
            return "the second factor of the second product has other ranges"
        if second.range not in of_v or not set(second.columns) <= of_v:
            return "the second factor of the second product lacks a range"
        if refusal := irregular(nest, around | depth | {along, second.range, *second.columns}):
            return refusal
        whole = around | set(second.columns)
        for op in nest.ops:
            if isinstance(op, kernel.StoreOp) and nest.operand_dependences[op] != whole:
                return "what is stored is not one element for each sum"
        order = nest.in_text_order
        found = Match(
            *(self.running, sum, a, b, product, second, others, casts, v, next),
            *(order(rows), order(around - rows), order(depth)),
        )
        return self._size(found) or found

    def _size(self, found: Match) -> str | None:
        """Why there is no room for sums of rows and columns as long as these may be."""
        for ranges, name in ((found.depth, "features"), (found.columns, "columns")):
            most = self.facts.interval(total(ranges, self.facts))[1]
            if most is None or most > MOST_WIDE:
                return f"there are {most or 'any number of'} {name}, and not {MOST_WIDE} at most"
        most = self.facts.interval(total(found.rows, self.facts))[1]
        if most is not None and most < FEWEST:
            return f"there are {most} rows at most, and not {FEWEST}"
        return None

    # --- the two products ---------------------------------------------------------------------

    def _first(self) -> tuple[kernel.ReduceOp, SSAValue, SSAValue, Product | None] | str:
        """The product that the maximum is computed of, and its factors, that of the rows first."""
        along = self.running.range
        needed = cone([self.running.maximum.value], [along], self.nest)
        closers = [op for op in needed if kernel.closed_by(op) or kernel.scanned_by(op)]
        sum = closers[0] if len(closers) == 1 else None
        if not isinstance(sum, kernel.ReduceOp):
            return "the maximum is computed of no single sum"
        multiply = sum.value.owner
        if sum.kind.data != "add" or not isinstance(multiply, arith.MulfOp):
            return "the maximum is computed of no product"
        a, b = (before_cast(factor) for factor in (multiply.lhs, multiply.rhs))
        if along in self.nest.dependences[a]:
            a, b = b, a
        found = self._product(a, b, sum.result)
        return found if isinstance(found, str) else (sum, a, b, found)

    def _weights(self, second: Sum) -> tuple[tuple[Step, ...], SSAValue, Product | None] | str:
        """How the exponentials become a factor, and the other one."""
        steps = [step for step in second.steps if not step.outside]
        at = next(k for k, step in enumerate(steps) if step.factor is not None)
        multiply = steps[at]
        if steps[at + 1 :] or not isinstance(multiply.op, arith.MulfOp):
            return "what is summed is no product"
        assert multiply.factor is not None
        operands = multiply.op.operands
        other = operands[1] if operands[0] is multiply.factor else operands[0]
        a, v = before_cast(other), before_cast(multiply.factor)
        found = self._product(a, v, second.reduction.result)
        if isinstance(found, str):
            return found
        casts = steps[:at]
        if casts and casts[-1].op.results[0].type != a.type:
            casts = casts[:-1]  # the instruction takes what was cast
        return tuple(casts), v, found

    def _product(self, a: SSAValue, b: SSAValue, sum: SSAValue) -> Product | str | None:
        wanted = str(a.type), str(b.type), str(sum.type)
        for row in self.products:
            # the elements of the first sum are those of the second product's factor (see the
            # rewrite) where a register holds two at most
            if wanted == (row.factor, row.factor, row.sum) and row.packed <= 2:
                return row
        if a.type == b.type == sum.type == f32:
            return None
        return f"there is no matrix instruction of {a.type} and {b.type} in {sum.type}"
