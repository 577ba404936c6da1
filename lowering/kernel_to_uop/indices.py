"""Index expressions as arithmetic: each part is computed in the outermost loop that allows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import uop
from teenyir.dialects.building import on_one_type
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import Compound, Expr, Monomial

Insert: TypeAlias = Callable[[Operation, int], SSAValue]
"""Puts an op of one result at the end of the loop body at a depth, and answers the result."""


class IndexBuilder:
    """Builds the values of expressions, each once for as long as its loop is open."""

    def __init__(
        self,
        facts: Facts,
        extents: Mapping[str, SSAValue],
        insert: Insert,
        depth: Callable[[SSAValue], int],
    ):
        """`extents` are the values of the named extents, `depth` tells the loop of a value."""
        self.facts = facts
        self.extents = extents
        self.insert = insert
        self.depth = depth
        self.known: list[dict[object, SSAValue]] = [{}]

    def forget(self, depth: int) -> None:
        """Loops deeper than `depth` open ones are closed: what was computed in them is gone."""
        del self.known[depth:]

    def value(self, expr: Expr, values: Mapping[str, SSAValue]) -> SSAValue:
        """An expression as a value; `values` holds those of its names but for the extents."""
        return self._sum(self.facts.simplify(expr), {**self.extents, **values})

    def _op(self, op: type[Operation], *operands: SSAValue) -> SSAValue:
        """The result of an op on values, built where the deepest of them is."""
        depth = max(self.depth(operand) for operand in operands)
        return self._once((op, *operands), depth, lambda: on_one_type(op, *operands))

    def _constant(self, value: int) -> SSAValue:
        return self._once(value, 0, lambda: constant(value, uop.INDEX))

    def _once(self, key: object, depth: int, build: Callable[[], Operation]) -> SSAValue:
        while len(self.known) <= depth:
            self.known.append({})
        if key not in self.known[depth]:
            result = self.insert(build(), depth)
            if isinstance(key, int):
                result.name_hint = f"c{key}" if key >= 0 else f"cm{-key}"
            self.known[depth][key] = result
        return self.known[depth][key]

    # --- expressions --------------------------------------------------------------------------

    def _sum(self, expr: Expr, values: Mapping[str, SSAValue]) -> SSAValue:
        if (number := expr.constant) is not None:
            return self._constant(number)
        terms = [
            (self._product(monomial, abs(c), values), c < 0)
            for monomial, c in expr.terms
            if monomial
        ]
        # from the outermost loop in, so that inner loops add little to what outer ones know
        terms.sort(key=lambda term: (self.depth(term[0]), term[1]))
        total, negative = terms[0]
        if negative:
            total = self._op(arith.SubiOp, self._constant(0), total)
        for term, negative in terms[1:]:
            total = self._op(arith.SubiOp if negative else arith.AddiOp, total, term)
        if expr.offset:  # last, where it is a part of the address
            total = self._op(arith.AddiOp, total, self._constant(expr.offset))
        return total

    def _product(
        self, monomial: Monomial, coefficient: int, values: Mapping[str, SSAValue]
    ) -> SSAValue:
        factors = [self._atom(atom, values) for atom in monomial]
        factors.sort(key=self.depth)
        total = factors[0]
        for factor in factors[1:]:
            total = self._op(arith.MuliOp, total, factor)
        if coefficient != 1:
            total = self._op(arith.MuliOp, total, self._constant(coefficient))
        return total

    def _atom(self, atom: str | Compound, values: Mapping[str, SSAValue]) -> SSAValue:
        if isinstance(atom, str):
            return values[atom]
        if atom.kind in ("min", "max"):
            op = arith.MinSIOp if atom.kind == "min" else arith.MaxSIOp
            total, *rest = (self._sum(arg, values) for arg in atom.args)
            for other in rest:
                total = self._op(op, total, other)
            return total
        return self._division(atom, values)

    def _division(self, atom: Compound, values: Mapping[str, SSAValue]) -> SSAValue:
        numerator, divisor = (self._sum(arg, values) for arg in atom.args)
        natural = all(self.facts.is_nonnegative(arg) for arg in atom.args)
        if atom.kind == "floordiv":
            if natural:  # rounding toward zero is rounding down
                return self._op(arith.DivUIOp, numerator, divisor)
            return self._op(arith.FloorDivSIOp, numerator, divisor)
        if natural:
            return self._op(arith.RemUIOp, numerator, divisor)
        # a mod d -> a - (a floordiv d) * d
        quotient = self._op(arith.FloorDivSIOp, numerator, divisor)
        return self._op(arith.SubiOp, numerator, self._op(arith.MuliOp, quotient, divisor))
